//! Makes paths absolute, and walks up directories.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Resolves `path` relative to `base`, without `.` and `..`, like Node's `path.resolve`. Links are
/// not followed, so that callers recognize the path.
pub fn absolute(base: &Path, path: impl AsRef<Path>) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in base.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

/// The rest of a path after `~/`; empty for `~` alone.
pub fn after_home(path: &str) -> Option<&str> {
    let rest = path.strip_prefix('~')?;
    match rest.strip_prefix(is_separator) {
        Some(rest) => Some(rest),
        None => rest.is_empty().then_some(rest),
    }
}

/// Whether this is the name of the directory in which git keeps a repository, on any file system:
/// some do not distinguish upper and lower case.
pub fn is_git(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(".git")
}

/// Whether this character separates the parts of a path on this system.
pub fn is_separator(c: char) -> bool {
    std::path::is_separator(c)
}

/// The directories from `directory` up to `root`, including both. If `root` is not above, they go
/// up to the root of the file system.
pub fn upwards<'p>(
    directory: &'p Path,
    root: Option<&'p Path>,
) -> impl Iterator<Item = &'p Path> + 'p {
    let mut done = false;
    directory.ancestors().take_while(move |ancestor| {
        let wanted = !done;
        done = Some(*ancestor) == root;
        wanted
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_resolved() {
        let base = Path::new("/work/app");
        for (path, expected) in [
            ("", "/work/app"),
            (".", "/work/app"),
            ("a/./b/", "/work/app/a/b"),
            ("../x", "/work/x"),
            ("../../../..", "/"),
            ("/etc/../a", "/a"),
        ] {
            assert_eq!(absolute(base, path), Path::new(expected), "{path}");
        }
    }

    #[test]
    fn only_the_users_own_home_directory_is_expanded() {
        assert_eq!(after_home("~/a/b"), Some("a/b"));
        assert_eq!(after_home("~"), Some(""));
        assert_eq!(after_home("~other/a"), None);
        assert_eq!(after_home("a/~/b"), None);
    }

    #[test]
    fn the_walk_ends_at_the_given_root() {
        let walk = |root: Option<&str>| -> Vec<String> {
            upwards(Path::new("/a/b/c"), root.map(Path::new))
                .map(|path| path.display().to_string())
                .collect()
        };
        assert_eq!(walk(Some("/a")), ["/a/b/c", "/a/b", "/a"]);
        assert_eq!(walk(Some("/a/b/c")), ["/a/b/c"]);
        assert_eq!(walk(None), ["/a/b/c", "/a/b", "/a", "/"]);
        assert_eq!(walk(Some("/elsewhere")), ["/a/b/c", "/a/b", "/a", "/"]);
    }
}
