//! The candidates: every file and URL that is to be considered, in order, each file once.

use super::config::{self, Config};
use super::file_system::{FileSystem, Identity, PathKind};
use super::find_up::git_root;
use super::paths::{absolute, after_home, upwards};
use super::pattern::{self, is_pattern};
use super::url::{Address, classify};
use super::{InstructionOptions, Order};
use crate::error::Error;
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// More URLs than this are not asked for: each takes a thread and a connection.
const MAX_URLS: usize = 64;

/// Why a candidate is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// Found in the project.
    Project,
    /// Found in the user's configuration directory.
    Global,
    /// Named by the configuration.
    Config,
}

/// What a candidate is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file, by its absolute path.
    File(PathBuf),
    /// An http or https URL.
    Url(String),
    /// What the configuration says, where it leads to neither.
    Unknown(String),
}

/// What is known of a candidate before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is to be read.
    Read,
    /// It is left out on purpose.
    Skip(String),
    /// It cannot be read.
    Fail(String),
}

/// Something to consider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What it is.
    pub source: Source,
    /// Why it is considered.
    pub origin: Origin,
    /// Whether it is to be read.
    pub verdict: Verdict,
}

/// Everything that is to be considered, in order.
pub fn candidates(
    fs: &impl FileSystem,
    options: &InstructionOptions,
) -> Result<Vec<Candidate>, Error> {
    let config = match &options.instructions {
        Some(given) => Config { instructions: given.clone(), directory: None },
        None => config::find(fs, &options.app_name, &options.directory)?,
    };
    let mut all = project(fs, options);
    all.extend(global(fs, options));
    for entry in &config.instructions {
        all.extend(configured(fs, options, &config, entry));
    }
    skip_repeated(fs, &mut all);
    Ok(all)
}

/// The paths of the files that are to be read.
pub fn paths(candidates: Vec<Candidate>) -> Vec<PathBuf> {
    let files = candidates.into_iter().filter(|candidate| candidate.verdict == Verdict::Read);
    files
        .filter_map(|candidate| match candidate.source {
            Source::File(path) => Some(path),
            Source::Url(_) | Source::Unknown(_) => None,
        })
        .collect()
}

fn project(fs: &impl FileSystem, options: &InstructionOptions) -> Vec<Candidate> {
    let directory = options.directory.as_path();
    let root = git_root(fs, directory).unwrap_or(directory);
    let mut directories: Vec<&Path> = upwards(directory, Some(root)).collect();
    if options.order == Order::RootFirst {
        directories.reverse();
    }
    let paths =
        directories.into_iter().flat_map(|at| options.files.iter().map(|name| at.join(name)));
    paths.filter_map(|path| present(fs, path, Origin::Project)).collect()
}

fn global(fs: &impl FileSystem, options: &InstructionOptions) -> Option<Candidate> {
    let name = options.files.first()?;
    let path = config_home(options)?.join(&options.app_name).join(name);
    present(fs, path, Origin::Global)
}

/// The base directory specification has a relative `$XDG_CONFIG_HOME` ignored.
fn config_home(options: &InstructionOptions) -> Option<PathBuf> {
    let known = &options.process;
    let chosen = known.config_home.clone().filter(|path| path.is_absolute());
    chosen.or_else(|| Some(known.home.as_ref()?.join(".config")))
}

/// A file that need not be there; what is there instead of a file is worth a word.
fn present(fs: &impl FileSystem, path: PathBuf, origin: Origin) -> Option<Candidate> {
    let verdict = match fs.path_kind(&path) {
        PathKind::Missing => return None,
        look => verdict(look),
    };
    Some(Candidate { source: Source::File(path), origin, verdict })
}

fn verdict(look: PathKind) -> Verdict {
    match look {
        PathKind::File => Verdict::Read,
        PathKind::Missing => Verdict::Fail("there is no such file".to_owned()),
        PathKind::Directory => Verdict::Skip("is a directory".to_owned()),
        PathKind::Other => Verdict::Skip("is not a regular file".to_owned()),
        PathKind::Dangling => Verdict::Fail("is a link to nothing".to_owned()),
        PathKind::Unreadable(why) => Verdict::Fail(why),
    }
}

/// What an entry of the configuration leads to.
fn configured(
    fs: &impl FileSystem,
    options: &InstructionOptions,
    config: &Config,
    entry: &str,
) -> Vec<Candidate> {
    let one = |source, verdict| vec![Candidate { source, origin: Origin::Config, verdict }];
    match classify(entry) {
        Address::Web => return one(Source::Url(entry.to_owned()), Verdict::Read),
        Address::OtherScheme => {
            let why = "only http and https URLs are read".to_owned();
            return one(Source::Unknown(entry.to_owned()), Verdict::Skip(why));
        }
        Address::Path => {}
    }
    if entry.is_empty() {
        return one(Source::Unknown(String::new()), Verdict::Skip("is an empty entry".to_owned()));
    }
    let (bases, rest): (Vec<&Path>, &str) = match after_home(entry) {
        Some(rest) => match &options.process.home {
            Some(home) => (vec![home], rest),
            None => {
                let why = "the home directory is not known".to_owned();
                return one(Source::Unknown(entry.to_owned()), Verdict::Fail(why));
            }
        },
        // A file further up means its own directory where the working directory has nothing.
        None => {
            let of_file = config.directory.as_deref().filter(|of| *of != options.directory);
            ([Some(options.directory.as_path()), of_file].into_iter().flatten().collect(), entry)
        }
    };
    // A path that exists is meant literally, whatever characters are in its name.
    for base in &bases {
        let path = absolute(base, rest);
        match fs.path_kind(&path) {
            PathKind::Missing => {}
            look => return one(Source::File(path), verdict(look)),
        }
    }
    if !is_pattern(rest) {
        let path = absolute(bases[0], rest);
        return one(Source::File(path), verdict(PathKind::Missing));
    }
    for base in bases {
        match pattern::expand(fs, base, rest) {
            Ok(found) if found.is_empty() => {}
            Ok(found) => {
                let present = |path| present(fs, path, Origin::Config);
                return found.into_iter().filter_map(present).collect();
            }
            Err(pattern::TooManyEntries) => {
                let why = "the pattern leads through too many files: make it narrower".to_owned();
                return one(Source::Unknown(entry.to_owned()), Verdict::Fail(why));
            }
        }
    }
    let why = "no file matches the pattern".to_owned();
    one(Source::Unknown(entry.to_owned()), Verdict::Skip(why))
}

/// Keeps the first of every file and URL, by whatever names they are reached.
fn skip_repeated(fs: &impl FileSystem, all: &mut [Candidate]) {
    let mut files: HashMap<Identity, PathBuf> = HashMap::new();
    let mut urls: Vec<String> = Vec::new();
    for candidate in all.iter_mut().filter(|candidate| candidate.verdict == Verdict::Read) {
        match &candidate.source {
            Source::File(path) => match fs.identity(path) {
                Err(error) => {
                    candidate.verdict = Verdict::Fail(super::file_system::reason(&error));
                }
                Ok(identity) => match files.get(&identity) {
                    Some(first) => {
                        let why = format!("is the same file as {}", first.display());
                        candidate.verdict = Verdict::Skip(why);
                    }
                    None => {
                        files.insert(identity, path.clone());
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

#[cfg(test)]
mod tests;
