//! Which instruction files each tool reads, as data: one small file for each tool, with the
//! version that it was read from.

mod agents;
mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod etcode;
mod gemini_cli;
mod opencode;
mod qwen_code;

use super::Order;
use super::rule::RuleKind;
use std::borrow::Cow;

/// The rules of a tool.
#[derive(Debug, PartialEq, Eq)]
pub struct Preset {
    /// The name that callers use.
    pub name: &'static str,
    /// The tool, its version, and where its rules are described.
    pub source: &'static str,
    /// Files of the user, in order.
    pub user: &'static [UserFiles],
    /// Whether only the first place with a file of the user counts.
    pub one_user_place: bool,
    /// Whether the files of the user come before those of the project.
    pub user_first: bool,
    /// Which directories of the project are searched.
    pub reach: Reach,
    /// The order of these directories.
    pub order: Order,
    /// What is read in each directory. The first set counts of which a file is in any directory;
    /// the others are fallbacks. Rule files do not make a set count.
    pub project: &'static [&'static [Find]],
    /// The configuration file that names more files and URLs.
    pub config: ConfigFile,
    /// Whether `@path` in a file is replaced by that file.
    pub includes: Includes,
    /// The most bytes of all files of the project together.
    pub project_max_bytes: Option<usize>,
}

/// What most tools do: a preset names what it does otherwise.
const DEFAULTS: Preset = Preset {
    name: "",
    source: "",
    user: &[],
    one_user_place: false,
    user_first: false,
    reach: Reach::Repository,
    order: Order::RootFirst,
    project: &[],
    config: ConfigFile::None,
    includes: Includes::Off,
    project_max_bytes: None,
};

/// Files of the user at one place.
#[derive(Debug, PartialEq, Eq)]
pub struct UserFiles {
    /// The directory.
    pub place: Place,
    /// What is read there.
    pub find: &'static [Find],
}

/// A directory of the user or of the machine.
#[derive(Debug, PartialEq, Eq)]
pub enum Place {
    /// A directory in the user's home. A variable of the environment may name another one.
    Home {
        /// The directory, from the home directory on.
        directory: &'static str,
        /// The variable.
        variable: Option<&'static str>,
    },
    /// The directory that a variable of the environment names, if it is set.
    Variable(&'static str),
    /// A directory in `$XDG_CONFIG_HOME` or `~/.config`.
    Config(&'static str),
    /// The application's directory there.
    AppConfig,
    /// A fixed directory.
    Fixed(&'static str),
}

/// What is read in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Find {
    /// A file.
    File(Cow<'static, str>),
    /// The application's own file, such as `ETCODE.md`.
    AppFile,
    /// The first of these files that exists.
    FirstOf(&'static [&'static str]),
    /// The first of these files that has text.
    FirstWithText(&'static [&'static str]),
    /// Rule files in a folder and below.
    Rules {
        /// The folder.
        folder: &'static str,
        /// How the names of rule files end.
        suffix: &'static str,
        /// How their front matter is read.
        kind: RuleKind,
    },
}

/// Which directories are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// From the working directory up to the root of the repository. Outside a repository, the
    /// working directory alone.
    Repository,
    /// From the working directory up to the root of the file system.
    FileSystem,
}

/// The name of a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigFile {
    /// There is none.
    None,
    /// The application's name and `.json`.
    App,
    /// This name.
    Named(&'static str),
}

/// Whether `@path` is replaced by a file, and by which.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Includes {
    /// It is text.
    #[default]
    Off,
    /// Any file of the repository.
    Repository,
    /// Any file.
    Anywhere,
}

/// All presets. The first one is the default.
pub const PRESETS: [&Preset; 9] = [
    &etcode::ETCODE,
    &agents::AGENTS,
    &claude_code::CLAUDE_CODE,
    &codex::CODEX,
    &gemini_cli::GEMINI_CLI,
    &opencode::OPENCODE,
    &copilot::COPILOT,
    &cursor::CURSOR,
    &qwen_code::QWEN_CODE,
];

/// The variables of the environment that name places.
pub const PLACE_VARIABLES: [&str; 4] =
    ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "OPENCODE_CONFIG_DIR"];

impl Preset {
    /// The preset with this name.
    pub fn named(name: &str) -> Option<&'static Preset> {
        PRESETS.into_iter().find(|preset| preset.name == name)
    }

    /// The preset of an agent's CLI, by the name that prompts are assembled for; `None` if it is
    /// not known what the CLI reads.
    pub fn of_agent(agent_type: &str) -> Option<&'static Preset> {
        let name = agent_type.to_ascii_lowercase();
        match name.as_str() {
            "claude" => Preset::named("claude-code"),
            "openai-codex" => Preset::named("codex"),
            "google-gemini" | "gemini" => Preset::named("gemini-cli"),
            "github-copilot" => Preset::named("copilot"),
            "qwen" => Preset::named("qwen-code"),
            // These are conventions, and not agents.
            "agents" => None,
            other => Preset::named(other),
        }
    }
}

/// A file, for the data.
const fn file(name: &'static str) -> Find {
    Find::File(Cow::Borrowed(name))
}

/// The rule files in a folder.
const fn rules(folder: &'static str, suffix: &'static str, kind: RuleKind) -> Find {
    Find::Rules { folder, suffix, kind }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn presets_are_found_by_name_and_by_agent() {
        assert_eq!(PRESETS[0].name, "etcode");
        let names: HashSet<_> = PRESETS.iter().map(|preset| preset.name).collect();
        assert_eq!(names.len(), PRESETS.len());
        for preset in PRESETS {
            assert_eq!(Preset::named(preset.name), Some(preset));
        }
        assert_eq!(Preset::named("Codex"), None);
        for (agent, preset) in [
            ("claude-code", Some("claude-code")),
            ("Claude", Some("claude-code")),
            ("openai-codex", Some("codex")),
            ("codex", Some("codex")),
            ("google-gemini", Some("gemini-cli")),
            ("opencode", Some("opencode")),
            ("github-copilot", Some("copilot")),
            ("qwen", Some("qwen-code")),
            ("cursor", Some("cursor")),
            ("agents", None),
            ("unknown", None),
        ] {
            assert_eq!(Preset::of_agent(agent).map(|found| found.name), preset, "{agent}");
        }
    }

    #[test]
    fn every_preset_says_what_it_was_read_from_and_reads_something() {
        for preset in PRESETS {
            assert!(preset.source.len() > 10, "{}", preset.name);
            assert!(!preset.project.is_empty() && preset.project.iter().all(|set| !set.is_empty()));
            for place in preset.user {
                if let Place::Home { variable: Some(variable), .. } | Place::Variable(variable) =
                    place.place
                {
                    assert!(PLACE_VARIABLES.contains(&variable), "{variable}");
                }
            }
        }
    }
}
