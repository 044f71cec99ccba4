//! Instructions near a file that a tool reads, in directories below the working directory. The
//! system prompt does not contain these.

use super::file_system::{FileSystem, Identity, PathKind};
use super::paths::upwards;
use super::{InstructionOptions, Order};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The first of `files` that exists in a directory.
pub fn find(fs: &impl FileSystem, directory: &Path, files: &[String]) -> Option<PathBuf> {
    files.iter().map(|name| directory.join(name)).find(|path| fs.path_kind(path) == PathKind::File)
}

/// The instruction files from the directory of `file` up to the working directory, which is not
/// searched: the system prompt has its instructions. `file` itself and the paths in `loaded` are
/// left out.
pub fn resolve(
    fs: &impl FileSystem,
    options: &InstructionOptions,
    file: &Path,
    loaded: &[PathBuf],
) -> Vec<PathBuf> {
    let start = match fs.path_kind(file) {
        PathKind::Directory => file,
        _ => file.parent().unwrap_or(file),
    };
    if !start.starts_with(&options.directory) || start == options.directory {
        return Vec::new();
    }
    let identity = |path: &Path| fs.identity(path).unwrap_or_else(|_| Identity::Path(path.into()));
    let mut known: HashSet<Identity> = loaded.iter().map(|path| identity(path)).collect();
    known.insert(identity(file));

    let mut directories: Vec<&Path> = upwards(start, Some(&options.directory)).collect();
    directories.pop();
    if options.order == Order::RootFirst {
        directories.reverse();
    }
    let paths =
        directories.into_iter().flat_map(|at| options.files.iter().map(|name| at.join(name)));
    paths
        .filter(|path| fs.path_kind(path) == PathKind::File && known.insert(identity(path)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::ProcessEnvironment;
    use crate::instructions::in_memory::InMemoryFileSystem;

    fn fs() -> InMemoryFileSystem {
        InMemoryFileSystem::with(&[
            ("/p/AGENTS.md", ""),
            ("/p/a/AGENTS.md", ""),
            ("/p/a/ETCODE.md", ""),
            ("/p/a/b/c/AGENTS.md", ""),
            ("/p/a/b/c/file.ts", ""),
            ("/p/d/AGENTS.md/x", ""),
            ("/p/d/ETCODE.md", ""),
            ("/p/file.ts", ""),
            ("/other/AGENTS.md", ""),
        ])
    }

    fn options() -> InstructionOptions {
        InstructionOptions::new("/p", ProcessEnvironment::default())
    }

    fn resolved(file: &str, loaded: &[&str]) -> Vec<PathBuf> {
        let loaded: Vec<PathBuf> = loaded.iter().map(PathBuf::from).collect();
        resolve(&fs(), &options(), Path::new(file), &loaded)
    }

    #[test]
    fn the_first_file_name_that_is_a_file_is_found() {
        let files = options().files;
        let found = |directory| find(&fs(), Path::new(directory), &files);
        assert_eq!(found("/p/a"), Some("/p/a/AGENTS.md".into()));
        assert_eq!(found("/p/d"), Some("/p/d/ETCODE.md".into()));
        assert_eq!(found("/p/a/b"), None);
    }

    #[test]
    fn directories_between_the_file_and_the_project_are_searched() {
        let expected = ["/p/a/b/c/AGENTS.md", "/p/a/AGENTS.md", "/p/a/ETCODE.md"];
        assert_eq!(resolved("/p/a/b/c/file.ts", &[]), expected.map(PathBuf::from));
        assert_eq!(resolved("/p/a/b/c", &[]), expected.map(PathBuf::from), "a directory");
        assert_eq!(resolved("/p/a/b/c/new.ts", &[]), expected.map(PathBuf::from), "not there yet");
        assert!(resolved("/p/file.ts", &[]).is_empty());
        assert!(resolved("/other/file.ts", &[]).is_empty());
        let root_first = InstructionOptions { order: Order::RootFirst, ..options() };
        let found = resolve(&fs(), &root_first, Path::new("/p/a/b/c/file.ts"), &[]);
        assert_eq!(found[0], Path::new("/p/a/AGENTS.md"));
    }

    #[test]
    fn loaded_files_are_left_out() {
        let loaded = ["/p/a/AGENTS.md", "/p/a/ETCODE.md"];
        assert_eq!(resolved("/p/a/b/c/file.ts", &loaded), [Path::new("/p/a/b/c/AGENTS.md")]);
        assert_eq!(resolved("/p/a/AGENTS.md", &[]), [Path::new("/p/a/ETCODE.md")], "itself");
        let fs = fs().link("/p/e/AGENTS.md", "/p/a/AGENTS.md");
        let loaded = [PathBuf::from("/p/a/AGENTS.md")];
        assert!(resolve(&fs, &options(), Path::new("/p/e/x"), &loaded).is_empty(), "by a link");
    }
}
