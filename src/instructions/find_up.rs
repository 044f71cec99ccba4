//! Searches a directory and all directories above it for a name.

use super::file_system::{FileSystem, PathKind};
use super::paths::upwards;
use std::path::{Path, PathBuf};

/// The nearest file, directory or other path called `name`, in `from` or above.
pub fn find_up(fs: &impl FileSystem, name: &str, from: &Path) -> Option<PathBuf> {
    upwards(from, None).map(|directory| directory.join(name)).find(|path| exists(fs, path))
}

/// All paths called one of `names`, from `from` up to `root`, or up to the root of the file
/// system. The nearest directory comes first; within a directory, `names` gives the order.
pub fn find_up_all(
    fs: &impl FileSystem,
    names: &[String],
    from: &Path,
    root: Option<&Path>,
) -> Vec<PathBuf> {
    let paths =
        upwards(from, root).flat_map(|directory| names.iter().map(|name| directory.join(name)));
    paths.filter(|path| exists(fs, path)).collect()
}

/// The root of the repository that contains `directory`: the nearest directory with a `.git`,
/// which is a directory, or a file in worktrees and submodules.
pub fn git_root<'p>(fs: &impl FileSystem, directory: &'p Path) -> Option<&'p Path> {
    root_with(fs, directory, &[".git".to_owned()])
}

/// The nearest directory with one of these names in it, from `directory` up.
pub fn root_with<'p>(
    fs: &impl FileSystem,
    directory: &'p Path,
    markers: &[String],
) -> Option<&'p Path> {
    let is_there =
        |path: PathBuf| matches!(fs.path_kind(&path), PathKind::Directory | PathKind::File);
    let is_name = |marker: &&String| !marker.is_empty() && !marker.contains("..");
    upwards(directory, None).find(|ancestor| {
        markers.iter().filter(is_name).any(|marker| is_there(ancestor.join(marker)))
    })
}

fn exists(fs: &impl FileSystem, path: &Path) -> bool {
    matches!(fs.path_kind(path), PathKind::File | PathKind::Directory | PathKind::Other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::in_memory::InMemoryFileSystem;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| name.to_string()).collect()
    }

    #[test]
    fn the_nearest_is_found_first() {
        let fs = InMemoryFileSystem::with(&[("/a/x", ""), ("/a/b/x", ""), ("/a/b/c/y", "")]);
        assert_eq!(find_up(&fs, "x", Path::new("/a/b/c")), Some("/a/b/x".into()));
        assert_eq!(find_up(&fs, "z", Path::new("/a/b/c")), None);
        assert_eq!(find_up(&fs, "b", Path::new("/a/b/c")), Some("/a/b".into()), "a directory");
    }

    #[test]
    fn all_are_found_up_to_the_root_and_not_above() {
        let fs =
            InMemoryFileSystem::with(&[("/x", ""), ("/a/y", ""), ("/a/x", ""), ("/a/b/y", "")]);
        let all = |root: Option<&str>| {
            find_up_all(&fs, &names(&["x", "y"]), Path::new("/a/b"), root.map(Path::new))
        };
        assert_eq!(all(Some("/a")), ["/a/b/y", "/a/x", "/a/y"].map(PathBuf::from));
        assert_eq!(all(None), ["/a/b/y", "/a/x", "/a/y", "/x"].map(PathBuf::from));
    }

    #[test]
    fn a_repository_is_a_directory_or_a_worktree() {
        let fs = InMemoryFileSystem::with(&[
            ("/r/.git/HEAD", ""),
            ("/r/w/.git", "gitdir: x"),
            ("/o/a", ""),
        ]);
        let root = |from| git_root(&fs, Path::new(from));
        assert_eq!(root("/r/src/deep"), Some(Path::new("/r")));
        assert_eq!(root("/r/w/src"), Some(Path::new("/r/w")));
        assert_eq!(root("/o"), None);
    }
}
