//! The whole plan: command, arguments, stdin, files, environment, and what to know of it.

use super::check::{check_limits, check_not_blank, check_words};
use super::disarm::Insertions;
use super::guard;
use super::platform::Platform;
use super::profile::{Disarm, Profile, ResumeDirectory};
use super::system_text::{SYSTEM_FILE, SystemText, pass};
use super::warnings::{Warning, directory_warning, instructions_warning, list_places, lost_ends};
use crate::error::Error;
use serde::Serialize;

/// What is to be delivered, and how.
#[derive(Debug)]
pub struct Request<'a> {
    /// The prompt, as UTF-8.
    pub prompt: &'a [u8],
    /// The system text that goes beside it.
    pub system: Option<&'a str>,
    /// Where the CLI runs.
    pub platform: Platform,
    /// Whether the output is to be parsed.
    pub json: bool,
    /// The model, by the name that the CLI has for it.
    pub model: Option<&'a str>,
    /// Its working directory, as an absolute path.
    pub cwd: Option<&'a str>,
    /// The id of the CLI's session.
    pub resume: Option<&'a str>,
    /// How the system text is passed.
    pub system_via: SystemVia,
    /// What becomes of text that the CLI would act on.
    pub guard: GuardMode,
    /// What becomes of instruction files that it would read.
    pub instructions: Instructions,
    /// Whether the CLI is told to trust the workspace.
    pub trust_workspace: bool,
    /// More arguments, of the caller's own.
    pub extra_args: &'a [String],
}

/// How the system text is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SystemVia {
    /// As an argument where that is safe, else in a file.
    #[default]
    Auto,
    /// As an argument.
    Flag,
    /// In a file.
    File,
}

/// What becomes of text that a CLI would act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GuardMode {
    /// It is listed.
    #[default]
    Report,
    /// It is listed and disarmed.
    Escape,
}

/// Instruction files that a CLI would read by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Instructions {
    /// It reads them.
    #[default]
    Keep,
    /// It does not.
    Skip,
}

/// How to run a CLI with a prompt.
#[derive(Debug, Serialize)]
pub struct Plan {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// What has to be written first.
    pub files: Vec<File>,
    /// Variables to set or, without a value, to remove.
    pub env: Vec<(String, Option<String>)>,
    /// Its working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What to know of it.
    pub warnings: Vec<Warning>,
    /// The format of the output.
    pub output: String,
    /// What makes stdin of the prompt.
    #[serde(skip)]
    pub insertions: Insertions,
}

/// A file that has to be written first.
#[derive(Debug, Serialize)]
pub struct File {
    /// Its name, which the placeholder in the arguments has.
    pub name: &'static str,
    /// Its content.
    pub content: String,
}

/// Makes a plan, or says why the CLI would not get the prompt.
pub fn plan(profile: &Profile, request: &Request) -> Result<Plan, Error> {
    check_words(profile, request)?;
    check_not_blank(profile, request.prompt)?;

    let command_line = |system: &[String]| arguments(profile, request, system);
    let is_resumed = request.resume.is_some();
    let system = match request.system.filter(|text| !text.is_empty()) {
        None => SystemText::default(),
        Some(text) => {
            let (platform, via) = (&request.platform, request.system_via);
            pass(profile, platform, via, is_resumed, text, command_line)?
        }
    };
    let args = command_line(&system.args);
    request.platform.check(profile.command, &args)?;

    let mut warnings = system.warnings;
    warnings.extend(directory_warning(profile, request));
    warnings.extend(instructions_warning(profile, request.instructions));
    warnings.extend(lost_ends(profile, request.prompt));
    let mut env = environment(profile, request.instructions);
    let mut insertions = Insertions::default();
    for kind in profile.guards {
        let places = guard::find(kind.trigger, request.prompt);
        list_places(profile, kind, request, &places, &mut warnings);
        if request.guard == GuardMode::Escape {
            match kind.disarm {
                Disarm::Env(name, value) => env.push((name.to_owned(), Some(value.to_owned()))),
                Disarm::Before(text) => insertions.add(text, places.into_iter()),
                Disarm::After(text) => insertions.add(text, places.into_iter().map(|at| at + 1)),
            }
        }
    }
    check_limits(profile, request.prompt, &insertions)?;

    let content = request.system.unwrap_or_default();
    let file = || File { name: SYSTEM_FILE, content: content.to_owned() };
    Ok(Plan {
        command: profile.command.to_owned(),
        args,
        files: system.is_in_file.then(file).into_iter().collect(),
        env,
        cwd: request.cwd.map(str::to_owned),
        warnings,
        output: if request.json { profile.output } else { super::TEXT_OUTPUT }.to_owned(),
        insertions,
    })
}

fn arguments(profile: &Profile, request: &Request, system: &[String]) -> Vec<String> {
    let mut args: Vec<String> = Vec::new();
    let mut push = |more: &[&str]| args.extend(more.iter().map(|argument| (*argument).to_owned()));
    let resumed = request.resume.zip(profile.resume);
    push(resumed.and_then(|(_, resume)| resume.first_args).unwrap_or(profile.first_args));
    push(if request.json { profile.json_args } else { profile.text_args });
    push(profile.args);
    if let (Some(flag), Some(model)) = (profile.model_flag, request.model) {
        push(&[flag, model]);
    }
    if request.trust_workspace {
        push(profile.trust_args);
    }
    if let (Instructions::Skip, Some(switch)) = (request.instructions, profile.skip_instructions) {
        push(switch.args);
    }
    args.extend_from_slice(system);
    args.extend_from_slice(request.extra_args);
    if let Some((id, resume)) = resumed {
        args.extend(resume.args.iter().map(|argument| argument.replace("{id}", id)));
        if let (ResumeDirectory::Named(flag), Some(cwd)) = (resume.directory, request.cwd) {
            args.extend([flag.to_owned(), cwd.to_owned()]);
        }
    }
    args.extend(profile.last_args.iter().map(|argument| (*argument).to_owned()));
    args
}

fn environment(profile: &Profile, instructions: Instructions) -> Vec<(String, Option<String>)> {
    let owned = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
    let mut env: Vec<_> = profile.env.iter().map(|(name, value)| owned(name, *value)).collect();
    if let (Instructions::Skip, Some(switch)) = (instructions, profile.skip_instructions) {
        env.extend(switch.env.iter().map(|(name, value)| owned(name, Some(value))));
    }
    env
}

#[cfg(test)]
mod tests;
