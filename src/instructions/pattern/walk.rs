//! The files that match a pattern.
//!
//! 1. The parts before the first one with a special character are a plain path. The walk starts
//!    there, and enters only directories in which the pattern can match.
//! 2. `.git` is never entered, and `node_modules` only if the pattern names it. Links to
//!    directories are not followed, because they may form cycles.
//! 3. The walk ends when it has examined as many files, or done as much work, as [`Lookups`]
//!    allows.

use super::program::{Pattern, States};
use crate::instructions::file_system::FileSystem;
use crate::instructions::lookups::Lookups;
use crate::instructions::paths::{absolute, is_git, is_separator};
use crate::instructions::trust::FilePath;
use std::path::{Path, PathBuf};

/// Entered only if the pattern names it.
const MODULES: &str = "node_modules";

/// The files that match a pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expansion {
    /// The files, sorted by path, relative to the start of the walk.
    pub files: Vec<PathBuf>,
    /// Why the walk ended before it had seen everything, if it did.
    pub cut_short: Option<String>,
}

/// A pattern that starts at a directory.
#[derive(Debug, Clone)]
pub struct PathPattern {
    base: PathBuf,
    /// Where the walk starts.
    pub start: PathBuf,
    pattern: Pattern,
    names_modules: bool,
}

impl PathPattern {
    /// Reads a pattern that is relative to `base`, or says what is wrong with it.
    pub fn new(base: &Path, pattern: &str) -> Result<Self, String> {
        let (plain, special) = split(pattern);
        let compiled = Pattern::new(special)?;
        let start = absolute(base, plain);
        if leads_into_git(base, &start) {
            return Err(".git is not searched".to_owned());
        }
        let names_modules = special.split(['/', '\\', '{', '}', ',']).any(|part| part == MODULES);
        Ok(PathPattern { base: base.to_owned(), start, pattern: compiled, names_modules })
    }

    /// Walks through the directories in which the pattern may match. `start` is where the walk
    /// starts; without links, it may have another name.
    pub fn expand(
        &self,
        fs: &impl FileSystem,
        start: &FilePath,
        lookups: &mut Lookups,
    ) -> Expansion {
        let mut walk = Walk { fs, pattern: self, lookups, found: Expansion::default() };
        // A link may lead there.
        let (Ok(base), Ok(real)) = (fs.real_path(&self.base), fs.real_path(start.real())) else {
            return walk.found;
        };
        if !leads_into_git(&base, &real) {
            walk.enter(start, Path::new(""), &self.pattern.start());
        }
        walk.found
    }
}

/// Whether a path enters a `.git` that it is not in already.
fn leads_into_git(base: &Path, path: &Path) -> bool {
    path.strip_prefix(base).unwrap_or(path).iter().any(is_git)
}

/// Splits a pattern into a plain path and the rest.
fn split(pattern: &str) -> (&str, &str) {
    let is_special = |c| matches!(c, '*' | '?' | '[' | '{') || c == '\\' && !is_separator(c);
    let first = pattern.find(is_special).unwrap_or(pattern.len());
    let at = pattern[..first].rfind(is_separator).map_or(0, |at| at + 1);
    pattern.split_at(at)
}

/// A walk through directories.
struct Walk<'w, F> {
    fs: &'w F,
    pattern: &'w PathPattern,
    lookups: &'w mut Lookups,
    found: Expansion,
}

impl<F: FileSystem> Walk<'_, F> {
    fn enter(&mut self, directory: &FilePath, relative: &Path, states: &States) {
        // A directory that cannot be read has no matches. One more entry than may be examined shows
        // that there are more.
        let Ok(entries) = self.fs.list(directory, self.lookups.left + 1) else { return };
        for entry in entries {
            if !self.lookups.take() {
                self.found.cut_short = Some(Lookups::most_files());
            }
            if self.found.cut_short.is_some() {
                return;
            }
            let (pattern, work) = (&self.pattern.pattern, &mut self.lookups.pattern_work);
            let Some(states) = pattern.after(states, &entry.name.to_string_lossy(), work) else {
                self.found.cut_short = Some("the patterns take too much work".to_owned());
                return;
            };
            if entry.is_directory {
                let is_left_out =
                    is_git(&entry.name) || entry.name == MODULES && !self.pattern.names_modules;
                match pattern.after(&states, "/", work) {
                    Some(below) if !below.is_dead() && !is_left_out => {
                        let relative = relative.join(&entry.name);
                        let next = directory.below(Path::new(&entry.name));
                        self.enter(&next, &relative, &below);
                    }
                    _ => {}
                }
            } else if pattern.is_match(&states) {
                self.found.files.push(relative.join(&entry.name));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::file_system::{At, DirectoryEntry, FileContents, Identity, PathKind};
    use crate::instructions::in_memory::InMemoryFileSystem;
    use std::io;

    fn fs() -> InMemoryFileSystem {
        InMemoryFileSystem::with(&[
            ("/p/.etcode/b.md", ""),
            ("/p/.etcode/a.md", ""),
            ("/p/.etcode/a.txt", ""),
            ("/p/.etcode/deep/c.md", ""),
            ("/p/.github/AGENTS.md", ""),
            ("/p/packages/one/AGENTS.md", ""),
            ("/p/packages/two/AGENTS.md", ""),
            ("/p/packages/two/src/AGENTS.md", ""),
            ("/p/node_modules/x/AGENTS.md", ""),
            ("/p/.git/AGENTS.md", ""),
            ("/p/sub/.GIT/AGENTS.md", ""),
            ("/q/rules.md", ""),
        ])
    }

    fn start(pattern: &PathPattern) -> FilePath {
        FilePath::trusted(pattern.start.clone())
    }

    fn found(pattern: &str) -> Vec<String> {
        let pattern = PathPattern::new(Path::new("/p"), pattern).unwrap();
        let found = pattern.expand(&fs(), &start(&pattern), &mut Lookups::default());
        assert_eq!(found.cut_short, None);
        let shown = |path| pattern.start.join(path).display().to_string();
        found.files.iter().map(shown).collect()
    }

    #[test]
    fn a_star_matches_within_a_directory() {
        assert_eq!(found(".etcode/*.md"), ["/p/.etcode/a.md", "/p/.etcode/b.md"]);
        assert_eq!(found(".etcode/?.txt"), ["/p/.etcode/a.txt"]);
        assert_eq!(found(".etcode/[b-z].md"), ["/p/.etcode/b.md"]);
        assert_eq!(found("packages/*/AGENTS.md").len(), 2);
        assert_eq!(found("*/missing.md").len(), 0);
        assert_eq!(found("nowhere/*.md").len(), 0);
    }

    #[test]
    fn two_stars_match_all_directories_except_ignored_ones() {
        assert_eq!(
            found("**/AGENTS.md"),
            [
                "/p/.github/AGENTS.md",
                "/p/packages/one/AGENTS.md",
                "/p/packages/two/AGENTS.md",
                "/p/packages/two/src/AGENTS.md"
            ]
        );
        assert_eq!(found("node_modules/*/AGENTS.md"), ["/p/node_modules/x/AGENTS.md"]);
        assert_eq!(found("{node_modules,x}/*/AGENTS.md"), ["/p/node_modules/x/AGENTS.md"]);
        assert_eq!(found("*/node_modules/**/*.md").len(), 0);
        assert_eq!(found("*{/x,_modules/x}/AGENTS.md").len(), 0);
    }

    #[test]
    fn git_is_never_entered() {
        assert_eq!(found("{.github,.git}/*.md"), ["/p/.github/AGENTS.md"]);
        assert_eq!(found(".git*/*.md"), ["/p/.github/AGENTS.md"]);
        assert_eq!(found("*/.git/*.md").len(), 0);
        for pattern in [".git/*.md", "sub/.GIT/*.md", "/q/../p/.git/**", "/x/.git/*"] {
            let error = PathPattern::new(Path::new("/p"), pattern).unwrap_err();
            assert_eq!(error, ".git is not searched", "{pattern}");
        }
        let fs = fs().link("/p/linked", "/p/.git").link("/p/hooks", "/p/.git/hooks");
        for pattern in ["linked/*", "hooks/*", "linked/**/*.md"] {
            let pattern = PathPattern::new(Path::new("/p"), pattern).unwrap();
            let found = pattern.expand(&fs, &start(&pattern), &mut Lookups::default());
            assert!(found.files.is_empty());
        }
        // Only what the pattern adds to the caller's directory counts.
        assert!(PathPattern::new(Path::new("/r/.git/worktree"), "*.md").is_ok());
    }

    #[test]
    fn alternatives_absolute_paths_and_parent_paths_work() {
        assert_eq!(found(".etcode/{a,b}.md").len(), 2);
        assert_eq!(found("{.etcode/deep,packages/one}/*.md").len(), 2);
        assert_eq!(found("/q/*.md"), ["/q/rules.md"]);
        assert_eq!(found("../q/*.md"), ["/q/rules.md"]);
    }

    /// Directories of a thousand entries, the last of which is another such directory.
    struct Endless;

    impl FileSystem for Endless {
        fn path_kind<'p>(&self, _: impl Into<At<'p>>) -> PathKind {
            unimplemented!()
        }
        fn identity<'p>(&self, _: impl Into<At<'p>>) -> io::Result<Identity> {
            unimplemented!()
        }
        fn read<'p>(&self, _: impl Into<At<'p>>, _: usize) -> io::Result<FileContents> {
            unimplemented!()
        }
        fn link_target(&self, _: &Path) -> io::Result<Option<PathBuf>> {
            unimplemented!()
        }
        fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
            Ok(path.to_owned())
        }
        fn list<'p>(
            &self,
            _: impl Into<At<'p>>,
            max_entries: usize,
        ) -> io::Result<Vec<DirectoryEntry>> {
            let entry =
                |n: u32| DirectoryEntry { name: format!("{n}").into(), is_directory: n == 0 };
            Ok((0..1000).rev().map(entry).take(max_entries).collect())
        }
    }

    #[test]
    fn an_endless_walk_stops_and_returns_what_it_found() {
        let walk = |pattern, lookups: &mut Lookups| {
            let pattern = PathPattern::new(Path::new("/"), pattern).unwrap();
            pattern.expand(&Endless, &start(&pattern), lookups)
        };
        let mut lookups = Lookups::default();
        let found = walk("**/7", &mut lookups);
        assert_eq!((found.files.len(), found.cut_short), (10, Some(Lookups::most_files())));
        assert_eq!(lookups.left, 0);
        // The limit on files is shared by all patterns.
        assert!(walk("*", &mut lookups).cut_short.is_some());
        // Without two stars the walk ends where the pattern does.
        assert_eq!(walk("*/x", &mut Lookups::default()).cut_short, None);
        // The limit on work is shared as well.
        let mut lookups = Lookups::default();
        lookups.pattern_work = 10;
        let why = walk("{*,*}{*,*}x", &mut lookups).cut_short.unwrap();
        assert_eq!(why, "the patterns take too much work");
    }
}
