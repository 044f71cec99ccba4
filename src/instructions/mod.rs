//! Instruction files and URLs: which there are, what they say, and why another was not used.
//!
//! 1. The project: in every directory from the working directory up to the repository's root,
//!    each of the file names. Outside a repository, the working directory alone.
//! 2. The user: the first of the file names in the application's configuration directory.
//! 3. The configuration: its `instructions`, which are paths, patterns and URLs, in its order.
//!
//! Nothing that can be wrong with a file or a server is an error: it becomes an entry with a
//! reason. Only a configuration file that cannot be understood is one, because ignoring it
//! would silently drop what the user asked for.
//!
//! - [`find_up`], [`paths`]: walking upwards;
//! - [`config`], [`pattern`]: what the configuration names;
//! - [`discovery`]: the candidates, in order, each file once;
//! - [`read`], [`url`]: their text;
//! - [`load`]: all of it, side by side, with provenance;
//! - [`nested`]: instructions beside a file that a tool reads;
//! - [`file_system`]: the disk, behind a trait.

pub mod config;
pub mod discovery;
pub mod file_system;
pub mod find_up;
#[cfg(test)]
pub(crate) mod in_memory;
pub mod load;
pub mod nested;
pub mod paths;
pub mod pattern;
pub mod read;
pub mod url;

use crate::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the process knows about the machine and its user. Taken once per call, on the thread
/// that may read it.
#[derive(Debug, Clone, Default)]
pub struct ProcessEnvironment {
    /// The working directory; other paths are relative to it.
    pub cwd: PathBuf,
    /// The user's home directory, where it is known.
    pub home: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`.
    pub config_home: Option<PathBuf>,
    /// Where requests go.
    pub proxies: url::Proxies,
}

/// Which of the instructions comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// The working directory's first.
    #[default]
    NearestFirst,
    /// The repository root's first.
    RootFirst,
}

impl Order {
    /// The accepted names.
    pub const NAMES: [(&str, Order); 2] =
        [("nearest-first", Order::NearestFirst), ("root-first", Order::RootFirst)];

    /// The accepted names as the text of an error message.
    pub const EXPECTED: &str = "'nearest-first' or 'root-first'";

    /// The order with this name.
    pub fn parse(name: &str) -> Option<Order> {
        Order::NAMES.iter().find(|(known, _)| *known == name).map(|(_, order)| *order)
    }
}

/// How much is read, and how long it may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Files beyond this are shortened.
    pub max_file_bytes: usize,
    /// URLs beyond this fail.
    pub max_url_bytes: usize,
    /// For everything about a URL: name, connection, redirects, body.
    pub url_timeout: Duration,
}

impl Limits {
    /// The longest accepted `url_timeout`; a longer one is reduced to this. A deadline further
    /// away may be more than the system's clock can represent.
    pub const MAX_URL_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_file_bytes: 256 * 1024,
            max_url_bytes: 256 * 1024,
            url_timeout: Duration::from_secs(5),
        }
    }
}

/// Where to look, and for what.
#[derive(Debug, Clone)]
pub struct InstructionOptions {
    /// The working directory of the agent, absolute.
    pub directory: PathBuf,
    /// The names of instruction files, relative to a directory.
    pub files: Vec<String>,
    /// Names the user's configuration directory and the project's configuration file.
    pub app_name: String,
    /// Which directory comes first.
    pub order: Order,
    /// The configuration's `instructions`, if a configuration was given.
    pub instructions: Option<Vec<String>>,
    /// How much is read.
    pub limits: Limits,
    /// The machine and its user.
    pub process: ProcessEnvironment,
}

impl InstructionOptions {
    /// The default application.
    pub const APP_NAME: &'static str = "etcode";

    /// The file names of an application: everyone's, and its own.
    pub fn default_files(app_name: &str) -> Vec<String> {
        vec!["AGENTS.md".to_owned(), format!("{}.md", app_name.to_uppercase())]
    }

    /// Refuses an application name that cannot be a part of a file name. `path` is the field.
    pub fn check_app_name(path: &str, name: &str) -> Result<(), Error> {
        if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', '\0']) {
            let expected = "a name without path separators";
            return Err(Error::invalid_type(path, expected, format!("'{name}'")));
        }
        Ok(())
    }

    /// Refuses the name of an instruction file that is empty or absolute. `path` is the field.
    pub fn check_file_name(path: &str, name: &str) -> Result<(), Error> {
        if name.is_empty() || Path::new(name).is_absolute() {
            return Err(Error::invalid_type(path, "a relative path", format!("'{name}'")));
        }
        Ok(())
    }

    /// The defaults for a directory.
    pub fn new(directory: impl Into<PathBuf>, process: ProcessEnvironment) -> Self {
        InstructionOptions {
            directory: directory.into(),
            files: InstructionOptions::default_files(InstructionOptions::APP_NAME),
            app_name: InstructionOptions::APP_NAME.to_owned(),
            order: Order::default(),
            instructions: None,
            limits: Limits::default(),
            process,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_limits() {
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
        let quoted = Order::NAMES.map(|(name, _)| format!("'{name}'"));
        assert_eq!(Order::EXPECTED, quoted.join(" or "));
    }

    #[test]
    fn an_application_name_is_a_part_of_file_names() {
        let check = |name| InstructionOptions::check_app_name("options.appName", name);
        for name in ["etcode", "my tool", "a.b", "工具"] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        for name in ["", ".", "..", ".hidden", "a/b", "a\\b", "a\0b"] {
            let expected =
                format!("options.appName must be a name without path separators, got '{name}'");
            assert_eq!(check(name).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn an_instruction_file_is_named_relative_to_a_directory() {
        let check = |name| InstructionOptions::check_file_name("options.files[0]", name);
        for name in ["AGENTS.md", "docs/AGENTS.md", "../AGENTS.md"] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        let absolute = if cfg!(windows) { "C:\\AGENTS.md" } else { "/AGENTS.md" };
        for name in ["", absolute] {
            let expected = format!("options.files[0] must be a relative path, got '{name}'");
            assert_eq!(check(name).unwrap_err().to_string(), expected);
        }
    }
}
