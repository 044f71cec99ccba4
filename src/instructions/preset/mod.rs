//! Which instruction files each tool reads, as data: one small file per tool, with the version that
//! the rules were taken from.

mod agents;
mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod etcode;
mod gemini_cli;
mod opencode;
mod qwen_code;
#[cfg(test)]
mod table;

pub use etcode::APP_CONFIG;

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
    /// What is read, in order.
    pub steps: &'static [Step],
    /// Which directories of the project are searched.
    pub reach: Reach,
    /// The order of these directories.
    pub order: Order,
    /// How files of these directories are arranged, if the caller gives no order.
    pub arrangement: Arrangement,
    /// The configuration files that name more files and URLs, in order.
    pub config: &'static [ConfigFiles],
    /// Where a relative path in a configuration is resolved.
    pub relative: Relative,
    /// Whether URLs come after all files.
    pub urls_last: bool,
    /// Whether `@path` in a file is replaced with that file.
    pub includes: Includes,
    /// The most bytes of all files of the project together.
    pub project_max_bytes: Option<usize>,
    /// Settings of the tool that decide what is read.
    pub settings: &'static [SettingsFile],
    /// Environment variables that decide what the tool reads, and are not followed here.
    pub variables_not_followed: &'static [&'static str],
}

/// What most tools do: a preset names only its differences.
const DEFAULTS: Preset = Preset {
    name: "",
    source: "",
    steps: &[],
    reach: Reach::Repository,
    order: Order::RootFirst,
    arrangement: Arrangement::ByOrder,
    config: &[],
    relative: Relative::WorkingDirectory,
    urls_last: false,
    includes: Includes::Off,
    project_max_bytes: None,
    settings: &[],
    variables_not_followed: &[],
};

/// How the files of the project are arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrangement {
    /// By the order of their directories.
    ByOrder,
    /// Sorted by their paths.
    ByPath,
    /// The root first, then from the working directory up.
    RootThenUp,
}

/// Something that is read.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Files of the user, at the first of these places that has one.
    User(&'static [UserFiles]),
    /// Files in each directory of the project. The first set with a file in any directory counts;
    /// the others are fallbacks. Rule files do not make a set count.
    Project(&'static [&'static [Find]]),
    /// Files at the root of the repository.
    Root(&'static [Find]),
    /// Files with the same names, of the user and of the project. Settings may give other names.
    Context {
        /// The place of the user.
        place: Place,
        /// The names.
        names: &'static [&'static str],
        /// Whether all files of a name come before those of the next one.
        by_name: bool,
    },
}

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
    /// A directory in the user's home. An environment variable may name another one.
    Home {
        /// The directory, from the home directory on.
        directory: &'static str,
        /// The variable.
        variable: Option<&'static str>,
    },
    /// The directory that an environment variable names, if it is set.
    Variable(&'static str),
    /// A directory in `$XDG_CONFIG_HOME` or `~/.config`. An environment variable may name another
    /// one.
    Config {
        /// The directory.
        directory: &'static str,
        /// The variable.
        variable: Option<&'static str>,
    },
    /// The application's directory there.
    AppConfig,
    /// A fixed directory.
    Fixed(&'static str),
}

/// Names of files.
pub type Names = Cow<'static, [Cow<'static, str>]>;

/// What is read in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Find {
    /// A file.
    File(Cow<'static, str>),
    /// The application's own file, such as `ETCODE.md`.
    AppFile,
    /// The first of these files that exists.
    FirstOf(Names),
    /// The first of these files that has text, without white space around it.
    FirstWithText(Names),
    /// Rule files in a folder and below.
    Rules {
        /// The folder.
        folder: &'static str,
        /// How the names of rule files end.
        suffix: &'static str,
        /// How their front matter is read.
        kind: RuleKind,
        /// Whether files come before folders instead of being sorted with them.
        files_first: bool,
    },
}

/// Which directories are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// From the working directory up to the root of the repository. Outside a repository, the
    /// working directory alone.
    Repository,
    /// The same; but outside a repository, up to the root of the file system.
    RepositoryOrFileSystem,
    /// The same, and the directory above the repository.
    AboveRepository,
    /// From the working directory up to the root of the file system.
    FileSystem,
}

/// Configuration files. `{app}` in their names is the name of the application.
#[derive(Debug, PartialEq, Eq)]
pub struct ConfigFiles {
    /// Where they are.
    pub place: ConfigPlace,
    /// Their names, in order.
    pub names: &'static [&'static str],
    /// Whether only the last one at a place that has `instructions` counts.
    pub only_last: bool,
}

impl ConfigFiles {
    const fn all(place: ConfigPlace, names: &'static [&'static str]) -> Self {
        ConfigFiles { place, names, only_last: false }
    }

    const fn last(place: ConfigPlace, names: &'static [&'static str]) -> Self {
        ConfigFiles { place, names, only_last: true }
    }
}

/// Where configuration files are.
#[derive(Debug, PartialEq, Eq)]
pub enum ConfigPlace {
    /// In the nearest directory of the project that has one.
    Nearest,
    /// In each directory of the project, from the root down.
    RootFirst,
    /// In each directory of the project, from the working directory up.
    NearestFirst,
    /// In a directory of the user.
    User(Place),
}

/// Where a relative path in a configuration is resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relative {
    /// In the working directory; if nothing is there, in the directory of the configuration.
    WorkingDirectory,
    /// In each directory of the project, from the working directory up.
    EveryDirectory,
}

/// A file with settings of a tool.
#[derive(Debug, PartialEq, Eq)]
pub struct SettingsFile {
    /// Where it is.
    pub place: SettingsPlace,
    /// Its name there.
    pub name: &'static str,
    /// Whether it is TOML instead of JSON with comments.
    pub is_toml: bool,
    /// The keys that decide what is read, with dots between their parts.
    pub keys: &'static [(&'static str, Setting)],
}

impl SettingsFile {
    const fn json(
        place: SettingsPlace,
        name: &'static str,
        keys: &'static [(&'static str, Setting)],
    ) -> Self {
        SettingsFile { place, name, is_toml: false, keys }
    }

    const fn toml(
        place: SettingsPlace,
        name: &'static str,
        keys: &'static [(&'static str, Setting)],
    ) -> Self {
        SettingsFile { place, name, is_toml: true, keys }
    }
}

/// Where a file with settings is.
#[derive(Debug, PartialEq, Eq)]
pub enum SettingsPlace {
    /// In a directory of the user.
    User(Place),
    /// In the working directory.
    Directory,
}

/// What a setting decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// The names of instruction files, instead of the preset's.
    FileNames,
    /// Names of instruction files, before the preset's.
    MoreNames,
    /// More names, each used where those before it are missing.
    FallbackNames,
    /// What marks the root of a project, instead of `.git`.
    RootMarkers,
    /// The most bytes of the project's files.
    MaxBytes,
    /// Patterns of paths that are not read.
    Excludes,
    /// Something that is not followed here.
    NotFollowed,
}

/// Whether `@path` is replaced with a file, and by whose rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Includes {
    /// It stays text.
    #[default]
    Off,
    /// Any file, by the rules of Claude Code.
    ClaudeCode,
    /// Any file of the repository, by the rules of Gemini CLI.
    GeminiCli,
    /// The same, but code is what Markdown treats as code.
    QwenCode,
    /// Any file of the repository, by the rules of Copilot CLI. Rule files include nothing.
    Copilot,
}

impl Includes {
    /// Whether only files of the repository are included.
    pub fn is_confined(self) -> bool {
        matches!(self, Includes::GeminiCli | Includes::QwenCode | Includes::Copilot)
    }
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

/// The environment variables that name places, and those that are not followed.
pub const VARIABLES: [&str; 10] = [
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "OPENCODE_CONFIG_DIR",
    "COPILOT_CUSTOM_INSTRUCTIONS_DIRS",
    "OPENCODE_CONFIG",
    "OPENCODE_CONFIG_CONTENT",
    "OPENCODE_DISABLE_PROJECT_CONFIG",
    "OPENCODE_DISABLE_CLAUDE_CODE",
    "OPENCODE_DISABLE_CLAUDE_CODE_PROMPT",
];

impl Preset {
    /// The preset with this name.
    pub fn named(name: &str) -> Option<&'static Preset> {
        PRESETS.into_iter().find(|preset| preset.name == name)
    }

    /// The preset of an agent's CLI, by the name that prompts are assembled for; `None` if we do
    /// not know what the CLI reads.
    pub fn of_agent(agent_type: &str) -> Option<&'static Preset> {
        let name = agent_type.to_ascii_lowercase();
        match name.as_str() {
            "claude" => Preset::named("claude-code"),
            "openai-codex" => Preset::named("codex"),
            "google-gemini" | "gemini" => Preset::named("gemini-cli"),
            "github-copilot" => Preset::named("copilot"),
            "qwen" => Preset::named("qwen-code"),
            // These are conventions, not agents.
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
    Find::Rules { folder, suffix, kind, files_first: false }
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
    fn every_preset_names_its_source_and_has_steps() {
        for preset in PRESETS {
            assert!(preset.source.len() > 10, "{}", preset.name);
            assert!(!preset.steps.is_empty(), "{}", preset.name);
            for variable in preset.variables_not_followed {
                assert!(VARIABLES.contains(variable), "{variable}");
            }
            let places = preset.steps.iter().flat_map(|step| match step {
                Step::User(places) => places.iter().map(|files| &files.place).collect(),
                Step::Context { place, .. } => vec![place],
                Step::Project(_) | Step::Root(_) => Vec::new(),
            });
            for place in places {
                if let Place::Home { variable: Some(variable), .. }
                | Place::Config { variable: Some(variable), .. }
                | Place::Variable(variable) = place
                {
                    assert!(VARIABLES.contains(variable), "{variable}");
                }
            }
        }
    }
}
