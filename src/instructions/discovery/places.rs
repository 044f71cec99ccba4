//! The files of the project and of the user, at the places that the preset names.

use super::{Candidate, Finder, Origin, Source, Verdict};
use crate::instructions::Order;
use crate::instructions::file_system::{FileSystem, PathKind};
use crate::instructions::paths::{absolute, upwards};
use crate::instructions::pattern::PathPattern;
use crate::instructions::preset::{Arrangement, Find, Reach};
use crate::instructions::read::has_text;
use crate::instructions::rule::{RuleKind, RulePlace};
use crate::instructions::search::SearchStep;
use crate::instructions::trust::FilePath;
use std::path::{Path, PathBuf};

impl<'f, F: FileSystem> Finder<'f, F> {
    /// The directories of the project, nearest first.
    pub(super) fn directories(&self) -> Vec<&'f Path> {
        let (project, directory) = (self.project, self.options.directory.as_path());
        let end = match project.search.reach {
            Reach::FileSystem => None,
            Reach::Repository => Some(project.root.as_path()),
            Reach::RepositoryOrFileSystem | Reach::AboveRepository if !project.is_repository => {
                None
            }
            Reach::RepositoryOrFileSystem => Some(project.root.as_path()),
            Reach::AboveRepository => Some(project.root.parent().unwrap_or(&project.root)),
        };
        upwards(directory, end).collect()
    }

    /// Everything that the preset reads.
    pub(super) fn steps(&mut self, directories: &[&Path]) {
        let mut ordered = directories.to_vec();
        match (self.project.search.arrangement, self.project.search.order) {
            (Arrangement::RootThenUp, _) => ordered.rotate_right(1),
            (_, Order::RootFirst) => ordered.reverse(),
            (_, Order::NearestFirst) => {}
        }
        for step in &self.project.search.steps {
            match step {
                SearchStep::User(places) => self.user(places),
                SearchStep::Project(_) => self.project_step(step, &ordered),
                SearchStep::Root(finds) => {
                    for find in finds {
                        let root = &self.project.root;
                        self.find(root, root, find, Origin::Project);
                    }
                }
            }
        }
    }

    /// The files in these directories, from the first set that has one.
    pub(super) fn project_step(&mut self, step: &SearchStep, directories: &[&Path]) {
        let SearchStep::Project(sets) = step else { return };
        let before = self.candidates.len();
        let used = sets.iter().find(|set| self.is_in_any(set, directories)).or(sets.last());
        for directory in directories {
            for find in used.into_iter().flatten() {
                self.find(directory, directory, find, Origin::Project);
            }
        }
        if self.project.search.arrangement == Arrangement::ByPath {
            // Compares as JavaScript compares strings.
            let units = |candidate: &Candidate| -> Vec<u16> {
                let Source::File(file) = &candidate.source else { return Vec::new() };
                file.shown.to_string_lossy().encode_utf16().collect()
            };
            self.candidates[before..].sort_by_cached_key(units);
        }
    }

    /// The files of the user, at the first of these places that has one.
    fn user(&mut self, places: &[(PathBuf, Vec<Find>)]) {
        let before = self.candidates.len();
        for (place, finds) in places {
            for find in finds {
                self.find(place, &self.project.root, find, Origin::Global);
            }
            if self.candidates.len() > before {
                break;
            }
        }
    }

    /// Whether a file of a set is in one of these directories. Rule files do not count.
    fn is_in_any(&self, set: &[Find], directories: &[&Path]) -> bool {
        let exists = |path: PathBuf| match self.project.boundary.locate(self.fs, path) {
            Ok(file) => self.fs.path_kind(&file) != PathKind::Missing,
            Err(_) => true,
        };
        let is_in = |directory: &Path| {
            set.iter().any(|find| match find {
                Find::File(name) => exists(directory.join(&**name)),
                Find::FirstOf(names) | Find::FirstWithText(names) => {
                    names.iter().any(|name| exists(directory.join(&**name)))
                }
                Find::AppFile | Find::Rules { .. } => false,
            })
        };
        directories.iter().any(|directory| is_in(directory))
    }

    /// Adds what to read in a directory. Patterns of rules are relative to `base`.
    pub(super) fn find(&mut self, directory: &Path, base: &Path, find: &Find, origin: Origin) {
        match find {
            Find::File(name) => {
                let path = absolute(directory, &**name);
                let rule = RuleKind::of_name(&path).map(|kind| self.rule(kind, base));
                self.add_found(path, origin, rule);
            }
            Find::FirstOf(names) => {
                for name in names.iter() {
                    let path = absolute(directory, &**name);
                    if self.add_found(path, origin, None) == PathKind::File {
                        break;
                    }
                }
            }
            Find::FirstWithText(names) => {
                for path in names.iter().map(|name| directory.join(&**name)) {
                    let before = self.candidates.len();
                    let kind = self.add_found(path.clone(), origin, None);
                    self.candidates[before..].iter_mut().for_each(|one| one.is_trimmed = true);
                    if kind == PathKind::File && has_text(self.fs, &path) {
                        break;
                    }
                }
            }
            Find::Rules { folder, suffix, kind, files_first } => {
                let before = self.candidates.len();
                let rule = self.rule(*kind, base);
                // With the separators of this system.
                let folder = absolute(directory, folder);
                self.rules(&folder, suffix, origin, &rule);
                let key = |candidate: &Candidate| match &candidate.source {
                    Source::File(file) => place_in(&folder, &file.shown, *files_first),
                    _ => Vec::new(),
                };
                self.candidates[before..].sort_by_cached_key(key);
            }
            // The search contains the name instead.
            Find::AppFile => {}
        }
    }

    fn rule(&self, kind: RuleKind, base: &Path) -> RulePlace {
        RulePlace { kind, base: base.to_owned() }
    }

    /// Adds a file at a place that the preset names. If the caller's own name leads out of the
    /// repository, the caller wanted that.
    fn add_found(&mut self, path: PathBuf, origin: Origin, rule: Option<RulePlace>) -> PathKind {
        let is_trusted = origin == Origin::Global || !self.project.boundary.contains(&path);
        self.add_file(path, origin, is_trusted, rule)
    }

    /// Adds the rule files in a folder and below.
    fn rules(&mut self, folder: &Path, suffix: &str, origin: Origin, rule: &RulePlace) {
        let Ok(pattern) = PathPattern::new(folder, &format!("**/*{suffix}")) else { return };
        let located = match origin {
            Origin::Global => Ok(FilePath::trusted(folder.to_owned())),
            _ => self.project.boundary.locate(self.fs, folder.to_owned()),
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

/// The sort key of a rule file: its path; or, at each level, whether it is in a folder, and then
/// the name.
fn place_in(folder: &Path, path: &Path, files_first: bool) -> Vec<(bool, String)> {
    let relative = path.strip_prefix(folder).unwrap_or(path);
    if !files_first {
        return vec![(false, relative.to_string_lossy().into_owned())];
    }
    let names = relative.components().count();
    let level = |(at, name): (usize, std::path::Component)| {
        (at + 1 < names, name.as_os_str().to_string_lossy().into_owned())
    };
    relative.components().enumerate().map(level).collect()
}
