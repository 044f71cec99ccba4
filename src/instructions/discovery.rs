//! Lists the candidates: every file and URL that is considered, in order. A file or URL that
//! comes up again is marked as skipped.

use super::config::{self, Config};
use super::file_system::{FileSystem, Identity, PathKind};
use super::find_up::git_root;
use super::lookups::Lookups;
use super::paths::{absolute, after_home, upwards};
use super::pattern::{PathPattern, is_pattern};
use super::url::{Address, classify};
use super::{InstructionOptions, Order};
use crate::error::Error;
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The most URLs that are requested. Each takes a thread and a connection.
const MAX_URLS: usize = 64;

/// Where a candidate comes from.
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

/// The file or URL of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The absolute path of a file.
    File(PathBuf),
    /// An http or https URL.
    Url(String),
    /// An entry of the configuration that is neither.
    Unknown(String),
}

/// Whether a candidate is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is to be read.
    Read,
    /// It is left out on purpose, for this reason.
    Skip(String),
    /// It cannot be read, for this reason.
    Fail(String),
}

/// A file or URL that is considered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The file or URL.
    pub source: Source,
    /// Where it comes from.
    pub origin: Origin,
    /// Whether it is to be read.
    pub verdict: Verdict,
}

/// Lists all candidates, in order.
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
    let mut lookups = Lookups::default();
    for (index, entry) in config.instructions.iter().enumerate() {
        if lookups.left() == 0 {
            all.push(not_looked_at(&config.instructions[index..]));
            break;
        }
        all.extend(configured(fs, options, &config, entry, &mut lookups));
    }
    skip_repeated(fs, &mut all);
    Ok(all)
}

/// The paths of the candidates that are files and are to be read.
pub fn paths(candidates: Vec<Candidate>) -> Vec<PathBuf> {
    let files = candidates.into_iter().filter(|candidate| candidate.verdict == Verdict::Read);
    files
        .filter_map(|candidate| match candidate.source {
            Source::File(path) => Some(path),
            Source::Url(_) | Source::Unknown(_) => None,
        })
        .collect()
}

/// The instruction files of the project.
fn project(fs: &impl FileSystem, options: &InstructionOptions) -> Vec<Candidate> {
    let directory = options.directory.as_path();
    let root = git_root(fs, directory).unwrap_or(directory);
    let mut directories: Vec<&Path> = upwards(directory, Some(root)).collect();
    if options.order == Order::RootFirst {
        directories.reverse();
    }
    let paths =
        directories.into_iter().flat_map(|at| options.files.iter().map(|name| at.join(name)));
    paths.filter_map(|path| optional_file(fs, path, Origin::Project)).collect()
}

/// The instruction file of the user.
fn global(fs: &impl FileSystem, options: &InstructionOptions) -> Option<Candidate> {
    let name = options.files.first()?;
    let path = config_home(options)?.join(&options.app_name).join(name);
    optional_file(fs, path, Origin::Global)
}

/// The directory for configurations. A relative `$XDG_CONFIG_HOME` is ignored, as the XDG base
/// directory specification demands.
fn config_home(options: &InstructionOptions) -> Option<PathBuf> {
    let process = &options.process;
    let config_home = process.config_home.clone().filter(|path| path.is_absolute());
    config_home.or_else(|| Some(process.home.as_ref()?.join(".config")))
}

/// The candidate for an optional file; `None` if nothing is there. A directory or anything else
/// with this name is a candidate that is not read.
fn optional_file(fs: &impl FileSystem, path: PathBuf, origin: Origin) -> Option<Candidate> {
    let verdict = match fs.path_kind(&path) {
        PathKind::Missing => return None,
        kind => verdict(kind),
    };
    Some(Candidate { source: Source::File(path), origin, verdict })
}

/// Whether a path of this kind is to be read.
fn verdict(kind: PathKind) -> Verdict {
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

/// The candidate that stands for the entries that were not looked at.
fn not_looked_at(entries: &[String]) -> Candidate {
    let source = Source::Unknown(entries[0].clone());
    let why = match entries.len() - 1 {
        0 => Lookups::exhausted(),
        more => format!("{}; {more} more entries were not looked at either", Lookups::exhausted()),
    };
    Candidate { source, origin: Origin::Config, verdict: Verdict::Fail(why) }
}

/// The candidates for an entry of the configuration.
fn configured(
    fs: &impl FileSystem,
    options: &InstructionOptions,
    config: &Config,
    entry: &str,
    lookups: &mut Lookups,
) -> Vec<Candidate> {
    lookups.take();
    let one = |source, verdict| vec![Candidate { source, origin: Origin::Config, verdict }];
    match classify(entry) {
        Address::Web => return one(Source::Url(entry.to_owned()), Verdict::Read),
        Address::OtherScheme => {
            let why = "only http and https URLs are read".to_owned();
            return one(Source::Unknown(entry.to_owned()), Verdict::Skip(why));
        }
        Address::Path => {}
    }
    if entry.starts_with('!') {
        let why = "a leading ! does not exclude files: list the files that are wanted".to_owned();
        return one(Source::Unknown(entry.to_owned()), Verdict::Fail(why));
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
        // Paths are relative to the working directory. If nothing is there, they are relative to
        // the directory of the configuration file.
        None => {
            let of_file = config.directory.as_deref().filter(|of| *of != options.directory);
            ([Some(options.directory.as_path()), of_file].into_iter().flatten().collect(), entry)
        }
    };
    // A path that exists is not a pattern, even if it contains special characters.
    for base in &bases {
        let path = absolute(base, rest);
        match fs.path_kind(&path) {
            PathKind::Missing => {}
            kind => return one(Source::File(path), verdict(kind)),
        }
    }
    if !is_pattern(rest) {
        let path = absolute(bases[0], rest);
        return one(Source::File(path), verdict(PathKind::Missing));
    }
    for base in bases {
        let pattern = match PathPattern::new(base, rest) {
            Ok(pattern) => pattern,
            Err(why) => return one(Source::Unknown(entry.to_owned()), Verdict::Fail(why)),
        };
        let found = pattern.expand(fs, lookups);
        let candidate = |path| optional_file(fs, path, Origin::Config);
        let mut candidates: Vec<_> = found.files.into_iter().filter_map(candidate).collect();
        if found.is_cut_short {
            let why = format!("{}: make the pattern narrower", Lookups::most_files());
            candidates.extend(one(Source::Unknown(entry.to_owned()), Verdict::Fail(why)));
        }
        if !candidates.is_empty() {
            return candidates;
        }
    }
    let why = "no file matches the pattern".to_owned();
    one(Source::Unknown(entry.to_owned()), Verdict::Skip(why))
}

/// Marks all but the first candidate for the same file or URL as skipped, even if the paths
/// differ, and all URLs beyond [`MAX_URLS`].
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
