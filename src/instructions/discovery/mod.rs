//! Lists the candidates: every file and URL that is considered, in order. A file or URL that
//! comes up again is marked as skipped.
//!
//! - `places`: the files of the project and of the user;
//! - `configured`: what the configuration names.

mod configured;
mod places;

use super::config::Configs;
use super::file_system::{FileSystem, Identity, PathKind, reason};
use super::find_up::root_with;
use super::lookups::Lookups;
use super::pattern::Pattern;
use super::rule::RulePlace;
use super::search::Search;
use super::settings::Settings;
use super::trust::{Boundary, FilePath};
use super::{InstructionOptions, preset::Includes};
use crate::error::Error;
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The most URLs that are requested. Each takes a connection.
const MAX_URLS: usize = 64;

/// Where a candidate comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// Found in the project.
    Project,
    /// Found among the files of the user.
    Global,
    /// Named by the configuration.
    Config,
    /// Included by another file.
    Include,
}

/// The file or URL of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(FilePath),
    /// An http or https URL.
    Url(String),
    /// An entry of the configuration that is neither.
    Unknown(String),
}

/// Whether a candidate should be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It should be read.
    Read,
    /// It is left out on purpose, for this reason.
    Skip(String),
    /// It cannot be read, for this reason.
    Fail(String),
}

impl Verdict {
    /// Whether a path of this kind should be read.
    pub fn of(kind: PathKind) -> Verdict {
        match kind {
            PathKind::File => Verdict::Read,
            PathKind::Missing => Verdict::Fail("there is no such file".to_owned()),
            PathKind::Directory => Verdict::Skip("is a directory".to_owned()),
            PathKind::Other => Verdict::Skip("is not a regular file".to_owned()),
            PathKind::Kernel => Verdict::Skip("is a file of the kernel".to_owned()),
            PathKind::Dangling => Verdict::Fail("is a link to nothing".to_owned()),
            PathKind::Unreadable(why) => Verdict::Fail(why),
        }
    }
}

/// A file or URL that is considered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The file or URL.
    pub source: Source,
    /// Where it comes from.
    pub origin: Origin,
    /// Whether it should be read.
    pub verdict: Verdict,
    /// For a rule file: where it was found.
    pub rule: Option<RulePlace>,
    /// Whether what it includes is trusted: the caller or the user named the file.
    pub is_trusted: bool,
    /// Whether white space around its text is removed.
    pub is_trimmed: bool,
}

/// Everything that was found, and what is needed to read it.
#[derive(Debug, Default)]
pub struct Discovery {
    /// The candidates, in order.
    pub candidates: Vec<Candidate>,
    /// The root of the repository, or the working directory.
    pub root: PathBuf,
    /// What the repository may lead to.
    pub boundary: Boundary,
    /// Whether, and from where, files are included.
    pub includes: Includes,
    /// Whether files must be read to know which of them are used.
    pub depends_on_texts: bool,
    /// How many files may still be examined.
    pub lookups: Lookups,
    /// The most bytes of all files of the project together.
    pub project_max_bytes: usize,
}

/// Lists all candidates, in order.
pub fn discover(fs: &impl FileSystem, options: &InstructionOptions) -> Result<Discovery, Error> {
    let project = Project::find(fs, options);
    let mut finder = Finder::new(fs, options, &project);
    let directories = finder.directories();
    let configs =
        Configs::find(fs, options, &project.search.config, &directories, &project.boundary)?;
    for (path, why) in project.settings.not_followed.iter().chain(&configs.refused) {
        let source = Source::File(FilePath::trusted(path.clone()));
        finder.add(source, Origin::Config, Verdict::Skip(why.clone()));
    }
    finder.steps(&directories);
    finder.configured(&configs.lists);
    let Finder { lookups, mut candidates, .. } = finder;
    skip_excluded(&project.settings, &mut candidates);
    if options.preset.urls_last {
        candidates.sort_by_key(|candidate| matches!(candidate.source, Source::Url(_)));
    }
    skip_repeated(fs, &mut candidates);
    let Project { search, root, boundary, .. } = project;
    let depends_on_texts =
        search.depends_on_texts() || candidates.iter().any(|candidate| candidate.rule.is_some());
    let includes = search.includes;
    let project_max_bytes = search.project_max_bytes;
    Ok(Discovery {
        candidates,
        root,
        boundary,
        includes,
        depends_on_texts,
        lookups,
        project_max_bytes,
    })
}

/// Lists the candidates in these directories only, each by itself.
pub fn in_directories(
    fs: &impl FileSystem,
    options: &InstructionOptions,
    directories: &[&Path],
) -> Vec<Candidate> {
    let project = Project::find(fs, options);
    let mut finder = Finder::new(fs, options, &project);
    for directory in directories {
        for step in &project.search.steps {
            finder.project_step(step, &[directory]);
        }
    }
    skip_excluded(&project.settings, &mut finder.candidates);
    finder.candidates
}

/// The project that is searched.
pub struct Project {
    /// The root of the repository, or the working directory.
    pub root: PathBuf,
    /// Whether there is a repository.
    is_repository: bool,
    /// What the repository may lead to.
    boundary: Boundary,
    settings: Settings,
    /// What is looked for, and where.
    pub search: Search,
}

impl Project {
    /// Reads the settings of the tool, and finds the root.
    pub fn find(fs: &impl FileSystem, options: &InstructionOptions) -> Self {
        let directory = options.directory.as_path();
        let git = root_with(fs, directory, &[".git".to_owned()]);
        let boundary = match options.untrusted {
            true => Boundary::around(fs, git.unwrap_or(directory)),
            false => Boundary::default(),
        };
        let settings = Settings::read(fs, options, &boundary);
        let root = match &settings.root_markers {
            // Anybody may have written what is above the repository.
            Some(markers) => {
                root_with(fs, directory, markers).filter(|root| boundary.contains(root))
            }
            None => git,
        };
        Project {
            root: root.unwrap_or(directory).to_owned(),
            is_repository: root.is_some(),
            boundary,
            search: Search::new(options, &settings),
            settings,
        }
    }
}

/// Marks the files that the settings exclude.
fn skip_excluded(settings: &Settings, candidates: &mut [Candidate]) {
    let patterns: Vec<_> = settings
        .excludes
        .iter()
        .filter_map(|(pattern, from)| {
            Some((Pattern::new(pattern.strip_prefix('/').unwrap_or(pattern)).ok()?, pattern, from))
        })
        .collect();
    for candidate in candidates.iter_mut().filter(|candidate| candidate.verdict == Verdict::Read) {
        let Source::File(file) = &candidate.source else { continue };
        let name = file.shown.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        let name = name.strip_prefix('/').unwrap_or(&name);
        if let Some((_, pattern, from)) = patterns.iter().find(|(each, ..)| each.matches(name)) {
            let why = format!("is excluded by {pattern} in {}", from.display());
            candidate.verdict = Verdict::Skip(why);
        }
    }
}

/// Collects candidates.
struct Finder<'f, F> {
    fs: &'f F,
    options: &'f InstructionOptions,
    project: &'f Project,
    lookups: Lookups,
    candidates: Vec<Candidate>,
}

impl<'f, F: FileSystem> Finder<'f, F> {
    fn new(fs: &'f F, options: &'f InstructionOptions, project: &'f Project) -> Self {
        let (lookups, candidates) = (Lookups::default(), Vec::new());
        Finder { fs, options, project, lookups, candidates }
    }

    /// Adds a candidate that is not read, or a URL.
    fn add(&mut self, source: Source, origin: Origin, verdict: Verdict) {
        self.candidates.push(Candidate {
            source,
            origin,
            verdict,
            rule: None,
            is_trusted: false,
            is_trimmed: false,
        });
    }

    /// Adds the candidate for a file. Returns what is there. A missing file is not a candidate; a
    /// directory or anything else with this name is one that is not read.
    fn add_file(
        &mut self,
        path: PathBuf,
        origin: Origin,
        is_trusted: bool,
        rule: Option<RulePlace>,
    ) -> PathKind {
        let located = match is_trusted {
            true => Ok(FilePath::trusted(path.clone())),
            false => self.project.boundary.locate(self.fs, path.clone()),
        };
        let (file, kind, verdict) = match located {
            Ok(file) => {
                let kind = self.fs.path_kind(&file);
                if kind == PathKind::Missing {
                    return kind;
                }
                (file, kind.clone(), Verdict::of(kind))
            }
            Err(why) => (FilePath::trusted(path), PathKind::Other, Verdict::Skip(why)),
        };
        self.candidates.push(Candidate {
            source: Source::File(file),
            origin,
            verdict,
            rule,
            is_trusted,
            is_trimmed: false,
        });
        kind
    }
}

/// Marks all but the first candidate for the same file or URL as skipped, even if the paths
/// differ, and all URLs beyond [`MAX_URLS`].
pub fn skip_repeated(fs: &impl FileSystem, all: &mut [Candidate]) {
    let mut files: HashMap<Identity, PathBuf> = HashMap::new();
    let mut urls: Vec<String> = Vec::new();
    for candidate in all.iter_mut().filter(|candidate| candidate.verdict == Verdict::Read) {
        match &candidate.source {
            Source::File(file) => match fs.identity(file) {
                Err(error) => candidate.verdict = Verdict::Fail(reason(&error)),
                Ok(identity) => match files.get(&identity) {
                    Some(first) => candidate.verdict = Verdict::Skip(same_file(first)),
                    None => {
                        files.insert(identity, file.shown.clone());
                    }
                },
            },
            Source::Url(url) if urls.contains(url) => {
                candidate.verdict = Verdict::Skip("is listed already".to_owned());
            }
            Source::Url(_) if urls.len() == MAX_URLS => {
                let why = format!("there are more than {MAX_URLS} URLs");
                candidate.verdict = Verdict::Skip(why);
            }
            Source::Url(url) => urls.push(url.clone()),
            Source::Unknown(_) => {}
        }
    }
}

/// Why a file is not read a second time.
pub fn same_file(first: &Path) -> String {
    format!("is the same file as {}", first.display())
}

#[cfg(test)]
mod tests;
