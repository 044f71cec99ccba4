//! Finds and reads instruction files and URLs.
//!
//! Sources are considered in this order, with the default preset:
//!
//! 1. The project: every file name in every directory from the working directory up to the root of
//!    the repository. Outside a repository, only in the working directory.
//! 2. The user: the first file name in the application's configuration directory.
//! 3. The configuration: the paths, patterns and URLs in its `instructions`, in their order.
//!
//! Other presets have other names, places and orders. A file or URL that cannot be read is not an
//! error. The result lists it with a reason. Only an invalid configuration file is an error,
//! because ignoring it would silently drop instructions that the user has asked for.
//!
//! - [`preset`]: which files each tool reads, as data; [`search`]: a preset with the caller's
//!   changes;
//! - [`find_up`], [`paths`]: walking up the directories;
//! - [`config`], [`pattern`]: configuration files and their patterns; [`settings`]: settings of
//!   tools; [`jsonc`], [`toml`]: the formats of these;
//! - [`trust`]: what a repository's own files may lead to; [`lookups`]: how many files may be
//!   examined;
//! - [`discovery`]: the list of sources, each file once;
//! - [`read`]: the text of a file, by [`decode`]; [`front_matter`], [`rule`]: when it applies;
//!   [`includes`]: the files that it includes; [`url`]: URLs, which JavaScript fetches;
//! - [`sources`]: reading all sources; [`load`]: what happened to each;
//! - [`nested`]: instructions near a file that a tool reads;
//! - [`file_system`]: the file system as a trait; [`disk`]: that of the operating system.

pub mod config;
pub mod decode;
pub mod discovery;
pub mod disk;
pub mod file_system;
pub mod find_up;
pub mod front_matter;
#[cfg(any(test, fuzzing))]
#[path = "tests/in_memory.rs"]
pub mod in_memory;
pub mod includes;
pub mod jsonc;
pub mod load;
pub mod lookups;
pub mod nested;
pub mod paths;
pub mod pattern;
pub mod preset;
pub mod read;
#[cfg(test)]
#[path = "tests/recorder.rs"]
pub(crate) mod recorder;
pub mod rule;
pub mod search;
pub mod settings;
pub mod sources;
pub mod toml;
pub mod trust;
pub mod url;

use preset::{PRESETS, Preset};
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

/// Properties of the process and its user. They are read once per call, on the JavaScript thread.
#[derive(Debug, Clone, Default)]
pub struct ProcessEnvironment {
    /// The working directory, which relative paths start from.
    pub cwd: PathBuf,
    /// The user's home directory, if it is known.
    pub home: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`.
    pub config_home: Option<PathBuf>,
    /// The directories that [`preset::VARIABLES`] name, as far as they are set.
    pub places: HashMap<&'static str, PathBuf>,
}

/// The order of the project's directories.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// From the working directory up to the root.
    #[default]
    NearestFirst,
    /// From the root down to the working directory.
    RootFirst,
}

impl Order {
    /// The accepted names.
    pub const NAMES: [(&str, Order); 2] =
        [("nearest-first", Order::NearestFirst), ("root-first", Order::RootFirst)];

    /// The order with this name.
    pub fn parse(name: &str) -> Option<Order> {
        Order::NAMES.iter().find(|(known, _)| *known == name).map(|(_, order)| *order)
    }
}

/// Limits for reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A larger file is shortened to this.
    pub max_file_bytes: usize,
    /// The most bytes of all files together. Later files are left out.
    pub max_total_bytes: usize,
    /// A URL with a larger body fails.
    pub max_url_bytes: usize,
    /// The time for everything about a URL: name resolution, connection, redirects, body.
    pub url_timeout: Duration,
}

impl Limits {
    /// The longest `url_timeout`. Longer ones are reduced to this, because a deadline that is too
    /// far away cannot be represented.
    pub const MAX_URL_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_file_bytes: 256 * 1024,
            max_total_bytes: 16 * 1024 * 1024,
            max_url_bytes: 256 * 1024,
            url_timeout: Duration::from_secs(5),
        }
    }
}

/// How to find instructions.
#[derive(Debug, Clone)]
pub struct InstructionOptions {
    /// The absolute path of the agent's working directory.
    pub directory: PathBuf,
    /// The rules of a tool.
    pub preset: &'static Preset,
    /// The names of instruction files, relative to a directory, instead of the preset's.
    pub files: Option<Vec<String>>,
    /// The name of the user's configuration directory and of the project's configuration file.
    pub app_name: Option<String>,
    /// The order of the project's directories, instead of the preset's.
    pub order: Option<Order>,
    /// The `instructions` of a configuration that the caller passes, which replaces the file.
    pub instructions: Option<Vec<String>>,
    /// Whether `@path` in a file is replaced with that file, instead of the preset's choice.
    pub includes: Option<bool>,
    /// Whether the repository is somebody else's and must not lead out of itself.
    pub untrusted: bool,
    /// The CLI that reads some files by itself, which are then left out.
    pub already_read_by: Option<&'static Preset>,
    /// The hosts that URLs may be fetched from; `None` for all.
    pub allow_hosts: Option<Vec<String>>,
    /// Limits for reading.
    pub limits: Limits,
    /// Properties of the process and its user.
    pub process: ProcessEnvironment,
}

impl InstructionOptions {
    /// The default application name.
    pub const APP_NAME: &'static str = "etcode";

    /// The default options for a directory.
    pub fn new(directory: impl Into<PathBuf>, process: ProcessEnvironment) -> Self {
        InstructionOptions {
            directory: directory.into(),
            preset: PRESETS[0],
            files: None,
            app_name: None,
            order: None,
            instructions: None,
            includes: None,
            untrusted: false,
            already_read_by: None,
            allow_hosts: None,
            limits: Limits::default(),
            process,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_as_documented() {
        let limits = Limits::default();
        assert_eq!(limits.url_timeout, Duration::from_secs(5));
        assert_eq!((limits.max_file_bytes, limits.max_url_bytes), (262_144, 262_144));
        assert_eq!(Limits::MAX_URL_TIMEOUT.as_millis(), 86_400_000);
    }

    #[test]
    fn orders_have_names() {
        assert_eq!(Order::parse("nearest-first"), Some(Order::default()));
        assert_eq!(Order::parse("root-first"), Some(Order::RootFirst));
        assert_eq!(Order::parse("Root-First"), None);
    }
}
