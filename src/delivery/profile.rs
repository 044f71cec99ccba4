//! What is known of one CLI. Data only.

use super::measure::Unit;
use serde::Serialize;

/// The output of a CLI whose stdout is the answer.
pub const TEXT_OUTPUT: &str = "text";

/// One CLI, as it was measured.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Profile<'a> {
    /// The agent type, and the name of its output format.
    pub agent_type: &'a str,
    /// What else people call it.
    pub aliases: &'a [&'a str],
    /// The version that all of this was measured on; empty for a CLI of the caller's.
    pub measured_on: &'a str,
    /// The program.
    pub command: &'a str,
    /// The first arguments.
    pub first_args: &'a [&'a str],
    /// Arguments for output that can be parsed.
    pub json_args: &'a [&'a str],
    /// Arguments for the answer as plain text.
    pub text_args: &'a [&'a str],
    /// Arguments that are always needed.
    pub args: &'a [&'a str],
    /// The last arguments, after the id of a session.
    pub last_args: &'a [&'a str],
    /// The option for the model.
    pub model_flag: Option<&'a str>,
    /// How the system text is passed.
    pub system: SystemOptions<'a>,
    /// How a session is resumed; `None` if it cannot be.
    pub resume: Option<Resume<'a>>,
    /// What keeps it from reading instruction files of the project; `None` if nothing does.
    pub skip_instructions: Option<Switch<'a>>,
    /// Arguments that make it trust the workspace; empty if it does not ask.
    pub trust_args: &'a [&'a str],
    /// Environment variables that must be set or, without a value, removed.
    pub env: &'a [(&'a str, Option<&'a str>)],
    /// The most that it takes on stdin.
    pub limits: &'a [Limit],
    /// Whether it refuses a prompt of white space alone.
    pub refuses_blank: bool,
    /// Whether a byte order mark at the beginning is lost.
    pub strips_byte_order_mark: bool,
    /// Whether white space at the end is lost.
    pub trims_end: bool,
    /// What in the text it would act on.
    pub guards: &'a [Guard<'a>],
    /// The format of its output: an agent type, or [`TEXT_OUTPUT`].
    pub output: &'a str,
}

impl<'a> Profile<'a> {
    /// A CLI of which nothing is known: the prompt by stdin, no arguments.
    pub const fn unknown(command: &'a str) -> Self {
        Profile {
            agent_type: command,
            aliases: &[],
            measured_on: "",
            command,
            first_args: &[],
            json_args: &[],
            text_args: &[],
            args: &[],
            last_args: &[],
            model_flag: None,
            system: SystemOptions { flag: None, file_flag: None, on_resume: OnResume::Applied },
            resume: None,
            skip_instructions: None,
            trust_args: &[],
            env: &[],
            limits: &[],
            refuses_blank: false,
            strips_byte_order_mark: false,
            trims_end: false,
            guards: &[],
            output: TEXT_OUTPUT,
        }
    }
}

/// The options for a system text.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SystemOptions<'a> {
    /// The option that takes the text.
    pub flag: Option<SystemFlag<'a>>,
    /// The option that takes the path of a file with it; it may end with `=`, too.
    pub file_flag: Option<&'a str>,
    /// What becomes of it in a session that is resumed.
    pub on_resume: OnResume<'a>,
}

/// An option that takes a system text.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum SystemFlag<'a> {
    /// The text is an argument of its own or, after an option that ends with `=`, part of it:
    /// some CLIs take a text that begins with a dash for an option.
    Text(&'a str),
    /// The argument is `key=` and a TOML string. It replaces the value that the user has
    /// configured.
    Toml {
        /// The option.
        flag: &'a str,
        /// The key of the configuration.
        key: &'a str,
    },
}

/// What a CLI does with a system text when it resumes a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum OnResume<'a> {
    /// It is used.
    Applied,
    /// It is used only together with these arguments.
    AppliedWith(&'a [&'a str]),
    /// It is ignored: that of the first turn stays.
    Ignored,
}

/// How a session is resumed.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Resume<'a> {
    /// The first arguments, if they are others.
    pub first_args: Option<&'a [&'a str]>,
    /// Arguments in which `{id}` stands for the id.
    pub args: &'a [&'a str],
    /// From which directory.
    pub directory: ResumeDirectory<'a>,
    /// Whether an id that is no UUID would silently begin a new session.
    pub only_uuid: bool,
}

/// From which directory a session can be resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ResumeDirectory<'a> {
    /// From any.
    Any,
    /// From the one in which it began.
    Same,
    /// From any, if this option names the one in which it began.
    Named(&'a str),
}

/// Arguments and environment that switch something off.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Switch<'a> {
    /// Arguments.
    pub args: &'a [&'a str],
    /// Environment variables.
    pub env: &'a [(&'a str, &'a str)],
}

/// The most that a CLI takes on stdin.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Limit {
    /// What is counted.
    pub unit: Unit,
    /// How many there may be.
    pub max: usize,
    /// What happens to more, as the end of a sentence: `it would …`.
    pub beyond: &'static str,
}

/// Something in a text that a CLI would act on.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Guard<'a> {
    /// Where it is.
    pub trigger: Trigger,
    /// The `code` of the warning.
    pub code: &'static str,
    /// What the CLI would do, for the warning.
    pub effect: &'a str,
    /// How it is disarmed.
    pub disarm: Disarm<'a>,
}

/// A place in a text at which a CLI would act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Trigger {
    /// A `/` that begins the prompt, with a word after it that has no other `/`.
    LeadingSlash,
    /// An `@` at the beginning or after white space, with something after it.
    AtAfterSpace,
    /// Any `@` without a backslash before it, with something after it that could be a path.
    AtAnywhere,
    /// A `$` with a name after it.
    DollarName,
}

/// How a place is disarmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Disarm<'a> {
    /// An environment variable switches it off; the text stays as it is.
    Env(&'a str, &'a str),
    /// This is written before the sign.
    Before(&'a str),
    /// This is written after the sign.
    After(&'a str),
}
