//! What a repository's own files may lead to.
//!
//! The author of a repository writes its configurations, links and includes. If the caller does not
//! trust that author, what these lead to must lie inside the repository. This is decided step by
//! step, link by link, and ends at the first step that leads out: nothing outside is even examined.
//! `.git` counts as outside, because it holds the user's addresses and tokens.
//!
//! A program in the repository may put a link in place of a file that has been checked. So what was
//! checked is opened without following links ([`At::root`]).

use super::file_system::{At, FileSystem};
use super::paths::{absolute, is_git};
use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// More links than this are treated as a cycle.
const MAX_LINKS: usize = 40;

/// Why a path is refused.
const LEADS_OUT: &str = "leads out of the repository";
const LEADS_INTO_GIT: &str = "leads into .git";
const TOO_MANY_LINKS: &str = "is behind too many links";

/// Why a URL is not fetched.
pub const NOT_FETCHED: &str = "is not fetched: an untrusted repository names it";

/// A file: the path that callers see, and the one that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePath {
    /// The path as it was found.
    pub shown: PathBuf,
    /// The same without links, if the repository is not trusted.
    real: PathBuf,
    /// Below this directory, there is no link in `real`, and none is followed.
    root: Option<Arc<Path>>,
}

impl FilePath {
    /// A path that is read as it is.
    pub fn trusted(path: PathBuf) -> Self {
        FilePath { real: path.clone(), shown: path, root: None }
    }

    /// The path that is read.
    pub fn real(&self) -> &Path {
        &self.real
    }

    /// A path below this one, as the system lists it: its names are not links.
    pub fn below(&self, relative: &Path) -> FilePath {
        FilePath {
            shown: self.shown.join(relative),
            real: self.real.join(relative),
            root: self.root.clone(),
        }
    }
}

impl<'p> From<&'p FilePath> for At<'p> {
    fn from(file: &'p FilePath) -> Self {
        At { path: &file.real, root: file.root.as_deref() }
    }
}

/// The repository that must not be left: because it is not trusted, or because the tool demands it.
#[derive(Debug, Clone, Default)]
pub struct Boundary {
    /// The root as the caller names it, and without links. `None` if everything is trusted.
    root: Option<(PathBuf, Arc<Path>)>,
    /// What is inside and was found to be no link, so that a directory is not examined again for
    /// each path below it. What becomes a link later is not followed ([`At::root`]).
    examined: RefCell<HashSet<PathBuf>>,
}

impl Boundary {
    /// The boundary of a repository that is not trusted.
    pub fn around(fs: &impl FileSystem, root: &Path) -> Self {
        let real = fs.real_path(root).unwrap_or_else(|_| root.to_owned());
        Boundary { root: Some((root.to_owned(), real.into())), examined: RefCell::default() }
    }

    /// Whether nothing is refused.
    pub fn is_open(&self) -> bool {
        self.root.is_none()
    }

    /// Whether a path is inside, by its name alone.
    pub fn contains(&self, path: &Path) -> bool {
        self.root.as_ref().is_none_or(|_| self.relative(path).is_some())
    }

    /// Where a path is read from; or why it is refused. What does not exist is not refused.
    pub fn locate(&self, fs: &impl FileSystem, path: PathBuf) -> Result<FilePath, String> {
        let Some((_, root)) = &self.root else { return Ok(FilePath::trusted(path)) };
        let real = self.resolve(fs, root, &path)?;
        // Some systems have other names for a file than the one in its directory. It is known by
        // one of them, so that it is not read twice.
        let real = fs.real_path(&real).unwrap_or(real);
        self.check(&real)?;
        Ok(FilePath { shown: path, real, root: Some(Arc::clone(root)) })
    }

    /// Resolves links one by one, as long as they stay inside.
    fn resolve(&self, fs: &impl FileSystem, root: &Path, path: &Path) -> Result<PathBuf, String> {
        let mut links = 0;
        let mut wanted = path.to_owned();
        'again: loop {
            let inside = root.join(self.relative(&wanted).ok_or(LEADS_OUT)?);
            let examined = inside.ancestors().find(|path| self.examined.borrow().contains(*path));
            let mut current = examined.unwrap_or(root).to_owned();
            let rest = inside.strip_prefix(&current).map_err(|_| LEADS_OUT)?;
            let mut names = rest.components();
            while let Some(name) = names.next() {
                let Component::Normal(name) = name else { return Err(LEADS_OUT.to_owned()) };
                if is_git(name) {
                    return Err(LEADS_INTO_GIT.to_owned());
                }
                let next = current.join(name);
                match fs.link_target(&next) {
                    Ok(Some(_)) if links == MAX_LINKS => return Err(TOO_MANY_LINKS.to_owned()),
                    Ok(Some(target)) => {
                        links += 1;
                        // `current` has no links left, so `..` can be resolved by name.
                        wanted = absolute(&current, target).join(names.as_path());
                        continue 'again;
                    }
                    Ok(None) => self.examined.borrow_mut().insert(next.clone()),
                    // There is nothing below it, either.
                    Err(_) => return self.check(&inside).map(|()| inside),
                };
                current = next;
            }
            return Ok(current);
        }
    }

    /// Refuses a path without links that is not inside.
    fn check(&self, real: &Path) -> Result<(), String> {
        let relative = self.relative(real).ok_or(LEADS_OUT)?;
        for name in relative.components() {
            match name {
                Component::Normal(name) if is_git(name) => return Err(LEADS_INTO_GIT.to_owned()),
                Component::Normal(_) => {}
                _ => return Err(LEADS_OUT.to_owned()),
            }
        }
        Ok(())
    }

    /// The path from the root on; `None` if it is not below it.
    fn relative<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        let (given, real) = self.root.as_ref()?;
        path.strip_prefix(given).or_else(|_| path.strip_prefix(real)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::in_memory::InMemoryFileSystem;
    use crate::instructions::recorder::Recorder;

    fn fs() -> InMemoryFileSystem {
        InMemoryFileSystem::with(&[
            ("/r/a.md", ""),
            ("/r/docs/b.md", ""),
            ("/r/.git/config", ""),
            ("/secret/key", ""),
            ("/r2/x", ""),
        ])
        .link("/r/inside", "docs/b.md")
        .link("/r/chain", "inside")
        .link("/r/folder", "docs")
        .link("/r/docs/up", "../a.md")
        .link("/r/absolute", "/r/a.md")
        .link("/r/out", "/secret/key")
        .link("/r/out2", "docs/../../secret/key")
        .link("/r/outer", "/secret")
        .link("/r/indirect", "out")
        .link("/r/loop", "loop")
        .link("/r/token", ".git/config")
        .link("/alias", "/r")
    }

    fn located(path: &str) -> Result<String, String> {
        let fs = Recorder::new(fs());
        let boundary = Boundary::around(&fs, Path::new("/r"));
        let found = boundary.locate(&fs, path.into()).map(|file| file.real.display().to_string());
        // In any case, nothing outside is accessed.
        for seen in fs.paths() {
            assert!(seen.starts_with("/r"), "{path}: {seen:?}");
        }
        found
    }

    #[test]
    fn paths_inside_the_boundary_are_resolved() {
        for (path, real) in [
            ("/r/a.md", "/r/a.md"),
            ("/r/inside", "/r/docs/b.md"),
            ("/r/chain", "/r/docs/b.md"),
            ("/r/folder/b.md", "/r/docs/b.md"),
            ("/r/folder/up", "/r/a.md"),
            ("/r/absolute", "/r/a.md"),
            ("/r/not/there", "/r/not/there"),
            ("/r", "/r"),
        ] {
            assert_eq!(located(path).as_deref(), Ok(real), "{path}");
        }
    }

    #[test]
    fn paths_outside_the_boundary_are_refused_without_access() {
        for path in [
            "/secret/key",
            "/r2/x",
            "/",
            "/r/out",
            "/r/out2",
            "/r/outer/key",
            "/r/indirect",
            "/r/outer/not/there",
        ] {
            assert_eq!(located(path).unwrap_err(), LEADS_OUT, "{path}");
        }
        for path in ["/r/.git/config", "/r/docs/.GIT/x", "/r/token", "/r/.git"] {
            assert_eq!(located(path).unwrap_err(), LEADS_INTO_GIT, "{path}");
        }
        assert_eq!(located("/r/loop").unwrap_err(), TOO_MANY_LINKS);
    }

    #[test]
    fn a_linked_root_is_accepted_under_both_names() {
        let boundary = Boundary::around(&fs(), Path::new("/alias"));
        for path in ["/alias/a.md", "/r/a.md", "/alias/absolute"] {
            let real = boundary.locate(&fs(), path.into()).unwrap().real;
            assert_eq!(real, Path::new("/r/a.md"), "{path}");
        }
        assert!(boundary.locate(&fs(), "/alias/out".into()).is_err());
    }

    #[test]
    fn a_path_is_examined_once_however_deep_it_is() {
        let accesses = |depth: usize| {
            let deep = format!("/r{}", "/d".repeat(depth));
            let fs = Recorder::new(InMemoryFileSystem::with(&[(&format!("{deep}/x"), "")]));
            let boundary = Boundary::around(&fs, Path::new("/r"));
            for directory in Path::new(&deep).ancestors().take(depth) {
                boundary.locate(&fs, directory.join("A.md")).unwrap();
                boundary.locate(&fs, directory.join("no/such").join(&deep[3..])).unwrap();
            }
            fs.paths().len()
        };
        assert!(accesses(40) <= 2 * accesses(20));
    }

    #[test]
    fn without_a_boundary_nothing_is_refused() {
        let open = Boundary::default();
        assert_eq!(open.locate(&fs(), "/r/out".into()), Ok(FilePath::trusted("/r/out".into())));
        assert!(open.contains(Path::new("/secret")) && open.is_open());
    }
}
