//! Glob patterns: `*`, `**`, `?`, `[a-z]`, `{a,b}`.
//!
//! 1. The parts before the first one with a special character are a plain path. The walk starts
//!    there, and goes only as deep as the pattern can match.
//! 2. `.git` and `node_modules` are searched only if the pattern names them. Links to directories
//!    are never followed, because they may form cycles.
//! 3. The walk ends with an error after `MAX_ENTRIES` entries, so that no pattern can make it
//!    run for very long.

use super::file_system::FileSystem;
use super::paths::{absolute, is_separator};
use std::path::{Path, PathBuf};

/// The most entries that are visited for a pattern.
const MAX_ENTRIES: usize = 100_000;
/// Directories that are searched only if the pattern names them.
const IGNORED_DIRECTORIES: [&str; 2] = [".git", "node_modules"];

/// The walk has visited `MAX_ENTRIES` entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyEntries;

/// Whether a path contains special characters.
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
        // Alternatives may contain separators, so their depth is not known.
        max_depth: if special.contains("**") || special.contains('{') {
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

/// Splits a pattern into a plain path and the rest, which has `/` as separator.
fn split(pattern: &str) -> (&str, String) {
    let first = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
    let at = pattern[..first].rfind(is_separator).map_or(0, |at| at + 1);
    let special = &pattern[at..];
    let special = if cfg!(windows) { special.replace('\\', "/") } else { special.to_owned() };
    (&pattern[..at], special)
}

/// A walk through the directories that a pattern may match in.
struct Walk<'f, F> {
    fs: &'f F,
    pattern: String,
    /// The ignored directories that the pattern names.
    named: Vec<&'static str>,
    /// How deep the pattern can match.
    max_depth: usize,
    /// How many more entries may be visited.
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
        // A directory that cannot be read has no matches.
        let Ok(entries) = self.fs.list(directory) else { return Ok(()) };
        for entry in entries {
            self.left = self.left.checked_sub(1).ok_or(TooManyEntries)?;
            let name = entry.name.to_string_lossy();
            let path = directory.join(&entry.name);
            let relative =
                if relative.is_empty() { name.to_string() } else { format!("{relative}/{name}") };
            if entry.is_directory {
                let ignored =
                    IGNORED_DIRECTORIES.contains(&&*name) && !self.named.contains(&&*name);
                if depth < self.max_depth && !ignored {
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
                "/p/packages/one/AGENTS.md",
                "/p/packages/two/AGENTS.md",
                "/p/packages/two/src/AGENTS.md"
            ]
        );
        assert_eq!(found("node_modules/*/AGENTS.md"), ["/p/node_modules/x/AGENTS.md"]);
        assert_eq!(found("*/node_modules/**/*.md").len(), 0);
    }

    #[test]
    fn alternatives_absolute_and_parent_paths_work() {
        assert_eq!(found(".etcode/{a,b}.md").len(), 2);
        assert_eq!(found("{.etcode/deep,packages/one}/*.md").len(), 2);
        assert_eq!(found("/q/*.md"), ["/q/rules.md"]);
        assert_eq!(found("../q/*.md"), ["/q/rules.md"]);
    }

    #[test]
    fn an_endless_walk_ends_with_an_error() {
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
