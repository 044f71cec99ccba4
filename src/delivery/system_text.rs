//! The system text as an argument, or in a file.

use super::plan::SystemVia;
use super::platform::Platform;
use super::profile::{OnResume, Profile, SystemFlag};
use super::toml::toml_string;
use super::warnings::Warning;
use crate::error::Error;

/// The name of the file with the system text.
pub const SYSTEM_FILE: &str = "system-prompt.md";

/// How the system text is passed.
#[derive(Debug, Default)]
pub struct SystemText {
    /// The arguments for it.
    pub args: Vec<String>,
    /// Whether it has to be written to [`SYSTEM_FILE`].
    pub is_in_file: bool,
    pub warnings: Vec<Warning>,
}

/// What stands in the arguments for the path of a file that is still to be written.
pub fn placeholder(name: &str) -> String {
    format!("{{file:{name}}}")
}

/// Decides how a system text is passed. `command_line` makes all arguments of those for it.
pub fn pass(
    profile: &Profile,
    platform: &Platform,
    via: SystemVia,
    is_resumed: bool,
    text: &str,
    command_line: impl Fn(&[String]) -> Vec<String>,
) -> Result<SystemText, Error> {
    let mut passed = SystemText::default();
    let mut extra: &[&str] = &[];
    match profile.system.on_resume {
        OnResume::AppliedWith(args) if is_resumed => extra = args,
        OnResume::Ignored if is_resumed => {
            let message = format!(
                "{} keeps the system text of the first turn: this one is not passed; assemble \
                 inline to change it",
                profile.command
            );
            passed.warnings.push(Warning { code: "system-ignored", message, at: None });
            return Ok(passed);
        }
        _ => {}
    }
    let with_extra = |args: Vec<String>| -> Vec<String> {
        args.into_iter().chain(extra.iter().map(|argument| (*argument).to_owned())).collect()
    };
    let flag = profile.system.flag.map(|flag| with_extra(flag_args(flag, text)));
    let file = profile
        .system
        .file_flag
        .map(|flag| with_extra(with_value(flag, &placeholder(SYSTEM_FILE))));

    let is_safe = |args: &Vec<String>| {
        !has_nul(args) && platform.allows_through_shim(profile.command, &command_line(args))
    };
    let (args, is_in_file) = match (via, flag, file) {
        (SystemVia::Auto, Some(flag), _) if is_safe(&flag) => (flag, false),
        (SystemVia::Auto | SystemVia::File, _, Some(file)) => (file, true),
        (SystemVia::Auto | SystemVia::Flag, Some(flag), _) => (flag, false),
        (SystemVia::Flag, None, _) => return Err(no_option(profile, "for a system text")),
        (SystemVia::File, _, None) => {
            return Err(no_option(profile, "for a file with a system text"));
        }
        (SystemVia::Auto, None, None) => return Err(no_option(profile, "for a system text")),
    };
    if !is_in_file {
        if has_nul(&args) {
            return Err(undeliverable(profile, "an argument cannot hold a NUL; remove it"));
        }
        passed.warnings.extend(flag_warnings(profile, platform, &command_line(&args)));
    }
    passed.args = args;
    passed.is_in_file = is_in_file;
    Ok(passed)
}

fn flag_args(flag: SystemFlag, text: &str) -> Vec<String> {
    match flag {
        SystemFlag::Text(flag) => with_value(flag, text),
        SystemFlag::Toml { flag, key } => {
            vec![flag.to_owned(), format!("{key}={}", toml_string(text))]
        }
    }
}

/// An option and its value: two arguments, or one if the option ends with `=`.
fn with_value(flag: &str, value: &str) -> Vec<String> {
    match flag.ends_with('=') {
        true => vec![format!("{flag}{value}")],
        false => vec![flag.to_owned(), value.to_owned()],
    }
}

fn has_nul(args: &[String]) -> bool {
    args.iter().any(|argument| argument.contains('\0'))
}

fn flag_warnings(profile: &Profile, platform: &Platform, command_line: &[String]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if let Some(SystemFlag::Toml { key, .. }) = profile.system.flag {
        let message = format!("this replaces {key} of the user's own configuration");
        warnings.push(Warning { code: "system-overrides", message, at: None });
    }
    if platform.has_shims() && !platform.allows_through_shim(profile.command, command_line) {
        let message = "a .cmd file would change or refuse this command line: start the program \
                       behind it, as deliver does"
            .to_owned();
        warnings.push(Warning { code: "shim", message, at: None });
    }
    warnings
}

fn no_option(profile: &Profile, option: &str) -> Error {
    let problem = format!(
        "it has no option {option}; assemble with systemPlacement 'inline', so that the prompt has \
         it"
    );
    undeliverable(profile, &problem)
}

fn undeliverable(profile: &Profile, problem: &str) -> Error {
    Error::Undeliverable {
        cli: profile.command.to_owned(),
        problem: problem.to_owned(),
        size: None,
    }
}
