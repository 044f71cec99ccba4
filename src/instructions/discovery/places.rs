//! The files of the project and of the user, at the places that the preset names.

use super::{Finder, Origin, Source, Verdict};
use crate::instructions::Order;
use crate::instructions::file_system::{FileSystem, PathKind};
use crate::instructions::paths::{absolute, upwards};
use crate::instructions::pattern::PathPattern;
use crate::instructions::preset::{Find, Reach};
use crate::instructions::read::has_text;
use crate::instructions::rule::{RuleKind, RulePlace};
use crate::instructions::trust::FilePath;
use std::path::{Path, PathBuf};

impl<F: FileSystem> Finder<'_, F> {
    /// The files of the project.
    pub(super) fn project(&mut self) {
        let end = match self.search.reach {
            Reach::Repository => Some(self.root),
            Reach::FileSystem => None,
        };
        let mut directories: Vec<&Path> = upwards(&self.options.directory, end).collect();
        if self.search.order == Order::RootFirst {
            directories.reverse();
        }
        self.in_directories(&directories);
    }

    /// The files in these directories, of the first set of which there is one.
    pub(super) fn in_directories(&mut self, directories: &[&Path]) {
        let sets = &self.search.sets;
        let used = sets.iter().find(|set| self.is_in_any(set, directories)).or(sets.last());
        for directory in directories {
            for find in used.into_iter().flatten() {
                self.find(directory, directory, find, Origin::Project);
            }
        }
    }

    /// The files of the user.
    pub(super) fn user(&mut self) {
        for (place, finds) in &self.search.user {
            let before = self.candidates.len();
            for find in finds {
                self.find(place, self.root, find, Origin::Global);
            }
            if self.search.one_user_place && self.candidates.len() > before {
                break;
            }
        }
    }

    /// Whether a file of a set is in one of these directories. Rule files do not count.
    fn is_in_any(&self, set: &[Find], directories: &[&Path]) -> bool {
        let exists = |path: PathBuf| match self.boundary.locate(self.fs, path) {
            Ok(file) => self.fs.path_kind(&file) != PathKind::Missing,
            Err(_) => true,
        };
        let is_in = |directory: &Path| {
            set.iter().any(|find| match find {
                Find::File(name) => exists(directory.join(&**name)),
                Find::FirstOf(names) | Find::FirstWithText(names) => {
                    names.iter().any(|name| exists(directory.join(name)))
                }
                Find::AppFile | Find::Rules { .. } => false,
            })
        };
        directories.iter().any(|directory| is_in(directory))
    }

    /// Adds what is to be read in a directory. Patterns of rules are relative to `base`.
    pub(super) fn find(&mut self, directory: &Path, base: &Path, find: &Find, origin: Origin) {
        match find {
            Find::File(name) => {
                let path = absolute(directory, &**name);
                let rule = RuleKind::of_name(&path).map(|kind| self.rule(kind, base));
                self.add_found(path, origin, rule);
            }
            Find::FirstOf(names) => {
                for name in *names {
                    if self.add_found(directory.join(name), origin, None) == PathKind::File {
                        break;
                    }
                }
            }
            Find::FirstWithText(names) => {
                for path in names.iter().map(|name| directory.join(name)) {
                    let kind = self.add_found(path.clone(), origin, None);
                    if kind == PathKind::File && has_text(self.fs, &path) {
                        break;
                    }
                }
            }
            Find::Rules { folder, suffix, kind } => {
                let rule = self.rule(*kind, base);
                self.rules(&directory.join(folder), suffix, origin, &rule);
            }
            // The search has the name instead.
            Find::AppFile => {}
        }
    }

    fn rule(&self, kind: RuleKind, base: &Path) -> RulePlace {
        RulePlace { kind, base: base.to_owned() }
    }

    /// Adds a file at a place that the preset names. A name of the caller's that leads out of the
    /// repository is the caller's wish.
    fn add_found(&mut self, path: PathBuf, origin: Origin, rule: Option<RulePlace>) -> PathKind {
        let is_trusted = origin == Origin::Global || !self.boundary.contains(&path);
        self.add_file(path, origin, is_trusted, rule)
    }

    /// Adds the rule files in a folder and below.
    fn rules(&mut self, folder: &Path, suffix: &str, origin: Origin, rule: &RulePlace) {
        let Ok(pattern) = PathPattern::new(folder, &format!("**/*{suffix}")) else { return };
        let located = match origin {
            Origin::Global => Ok(FilePath::trusted(folder.to_owned())),
            _ => self.boundary.locate(self.fs, folder.to_owned()),
        };
        let problem = match located {
            Ok(file) => {
                let found = pattern.expand(self.fs, &file, &mut self.lookups);
                for relative in found.files {
                    self.add_found(folder.join(relative), origin, Some(rule.clone()));
                }
                found.cut_short.map(Verdict::Fail)
            }
            Err(why) => Some(Verdict::Skip(why)),
        };
        if let Some(verdict) = problem {
            self.add(Source::Unknown(folder.display().to_string()), origin, verdict);
        }
    }
}
