//! Glob patterns: `*`, `**`, `?`, `[a-z]`, `{a,b}`.
//!
//! 1. What stands before the first part with a special character is a plain path; the walk
//!    begins there, and goes only as deep as the pattern can reach.
//! 2. `.git` and `node_modules` are entered only if the pattern names them, and links to
//!    directories never: they may lead in circles.
//! 3. The walk gives up after a fixed number of entries, so that no pattern can keep it busy.

use super::file_system::FileSystem;
use super::paths::{absolute, is_separator};
use std::path::{Path, PathBuf};

/// More entries than an instruction pattern has any business to look at.
const MAX_ENTRIES: usize = 100_000;
const IGNORED_DIRECTORIES: [&str; 2] = [".git", "node_modules"];

/// The pattern leads through more entries than are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyEntries;

/// Whether this is a pattern and not a plain path.
pub fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// The files that match, sorted by path.
pub fn expand(
    fs: &impl FileSystem,
    base: &Path,
    pattern: &str,
) -> Result<Vec<PathBuf>, TooManyEntries> {
    let (plain, special) = split(pattern);
    let mut walk = Walk {
        fs,
        named: IGNORED_DIRECTORIES.into_iter().filter(|name| special.contains(name)).collect(),
        // Alternatives may contain separators of their own, so they have no known depth.
        depth: if special.contains("**") || special.contains('{') {
            usize::MAX
        } else {
            special.split('/').count()
        },
        left: MAX_ENTRIES,
        pattern: special,
        found: Vec::new(),
    };
    walk.enter(&absolute(base, plain), "", 1)?;
    Ok(walk.found)
}

/// A plain path and the pattern below it, with `/` between its parts.
fn split(pattern: &str) -> (&str, String) {
    let first = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
    let at = pattern[..first].rfind(is_separator).map_or(0, |at| at + 1);
    let special = &pattern[at..];
    let special = if cfg!(windows) { special.replace('\\', "/") } else { special.to_owned() };
    (&pattern[..at], special)
}

struct Walk<'f, F> {
    fs: &'f F,
    pattern: String,
    named: Vec<&'static str>,
    depth: usize,
    left: usize,
    found: Vec<PathBuf>,
}

impl<F: FileSystem> Walk<'_, F> {
    fn enter(
        &mut self,
        directory: &Path,
        relative: &str,
        depth: usize,
    ) -> Result<(), TooManyEntries> {
        // A directory that cannot be read has nothing to match.
        let Ok(entries) = self.fs.list(directory) else { return Ok(()) };
        for entry in entries {
            self.left = self.left.checked_sub(1).ok_or(TooManyEntries)?;
            let name = entry.name.to_string_lossy();
            let path = directory.join(&entry.name);
            let relative =
                if relative.is_empty() { name.to_string() } else { format!("{relative}/{name}") };
            if entry.is_directory {
                let closed = IGNORED_DIRECTORIES.contains(&&*name) && !self.named.contains(&&*name);
                if depth < self.depth && !closed {
                    self.enter(&path, &relative, depth + 1)?;
                }
            } else if fast_glob::glob_match(&self.pattern, &relative) {
                self.found.push(path);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::in_memory::InMemoryFileSystem;

    fn fs() -> InMemoryFileSystem {
        InMemoryFileSystem::with(&[
            ("/p/.etcode/b.md", ""),
            ("/p/.etcode/a.md", ""),
            ("/p/.etcode/a.txt", ""),
            ("/p/.etcode/deep/c.md", ""),
            ("/p/packages/one/AGENTS.md", ""),
            ("/p/packages/two/AGENTS.md", ""),
            ("/p/packages/two/src/AGENTS.md", ""),
            ("/p/node_modules/x/AGENTS.md", ""),
            ("/p/.git/AGENTS.md", ""),
            ("/q/rules.md", ""),
        ])
    }

    fn found(pattern: &str) -> Vec<String> {
        let paths = expand(&fs(), Path::new("/p"), pattern).unwrap();
        paths.iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn a_star_stays_in_its_directory() {
        assert_eq!(found(".etcode/*.md"), ["/p/.etcode/a.md", "/p/.etcode/b.md"]);
        assert_eq!(found(".etcode/?.txt"), ["/p/.etcode/a.txt"]);
        assert_eq!(found(".etcode/[b-z].md"), ["/p/.etcode/b.md"]);
        assert_eq!(found("packages/*/AGENTS.md").len(), 2);
        assert_eq!(found("*/missing.md").len(), 0);
        assert_eq!(found("nowhere/*.md").len(), 0);
    }

    #[test]
    fn two_stars_go_deeper_but_not_into_what_is_not_the_projects() {
        assert_eq!(
            found("**/AGENTS.md"),
            [
                "/p/packages/one/AGENTS.md",
                "/p/packages/two/AGENTS.md",
                "/p/packages/two/src/AGENTS.md"
            ]
        );
        assert_eq!(found("node_modules/*/AGENTS.md"), ["/p/node_modules/x/AGENTS.md"]);
        assert_eq!(found("*/node_modules/**/*.md").len(), 0);
    }

    #[test]
    fn alternatives_other_bases_and_parents_work() {
        assert_eq!(found(".etcode/{a,b}.md").len(), 2);
        assert_eq!(found("{.etcode/deep,packages/one}/*.md").len(), 2);
        assert_eq!(found("/q/*.md"), ["/q/rules.md"]);
        assert_eq!(found("../q/*.md"), ["/q/rules.md"]);
    }

    #[test]
    fn a_walk_without_end_is_given_up() {
        struct Endless;
        impl FileSystem for Endless {
            fn path_kind(&self, _: &Path) -> super::super::file_system::PathKind {
                unimplemented!()
            }
            fn identity(&self, _: &Path) -> std::io::Result<super::super::file_system::Identity> {
                unimplemented!()
            }
            fn read(
                &self,
                _: &Path,
                _: usize,
            ) -> std::io::Result<super::super::file_system::FileContents> {
                unimplemented!()
            }
            fn list(
                &self,
                _: &Path,
            ) -> std::io::Result<Vec<super::super::file_system::DirectoryEntry>> {
                let entry = |n: u32| super::super::file_system::DirectoryEntry {
                    name: format!("{n}").into(),
                    is_directory: n == 0,
                };
                Ok((0..1000).rev().map(entry).collect())
            }
        }
        assert_eq!(expand(&Endless, Path::new("/"), "**/x"), Err(TooManyEntries));
        // Without two stars the walk ends where the pattern does.
        assert_eq!(expand(&Endless, Path::new("/"), "*/x"), Ok(Vec::new()));
    }

    #[test]
    fn plain_paths_are_not_patterns() {
        assert!(!is_pattern("docs/rules.md") && is_pattern("docs/*.md"));
    }
}
