//! How a prompt reaches a CLI: its arguments, its limits, and the text on which it would act.
//!
//! A plan is made here and carried out by `js/delivery/`, which spawns and writes files.
//!
//! 1. The prompt goes by stdin, always. Only the system text may be an argument or a file.
//! 2. What a CLI would refuse, cut or ignore is an error or a warning before it is started.
//! 3. What a CLI would act on in the text is a warning, or is disarmed if the caller says so.
//!
//! - `profile`: what is known of a CLI; one file per CLI has it as data, with the version that
//!   it was measured on (`claude`, `codex`, `gemini`, `opencode`, `qwen`, `copilot`);
//! - `platform`: how much an argument and a command line may have;
//! - `measure`: sizes in bytes, code points and UTF-16 units;
//! - `guard`: finds the places where a CLI would act; `disarm`: what is written instead;
//! - `system_text`: as an argument, or in a file; `toml`: a string as TOML writes it;
//! - `check`: what is refused; `warnings`: what is not; `plan`: everything together.

mod check;
mod claude;
mod codex;
mod copilot;
mod disarm;
mod gemini;
mod guard;
mod measure;
mod opencode;
mod plan;
mod platform;
mod profile;
mod qwen;
mod system_text;
mod toml;
mod warnings;

pub use claude::CLAUDE;
pub use codex::CODEX;
pub use copilot::COPILOT;
pub use disarm::Insertions;
pub use gemini::GEMINI;
pub use measure::Unit;
pub use opencode::OPENCODE;
pub use plan::{GuardMode, Instructions, Plan, Request, SystemVia, plan};
pub use platform::Platform;
pub use profile::{
    Limit, Profile, Resume, ResumeDirectory, SystemFlag, SystemOptions, TEXT_OUTPUT,
};
pub use qwen::QWEN;
pub use warnings::{MAX_LISTED_PLACES, Warning};

use crate::text::trim_js;

/// Every CLI that is known.
pub const BUILT_IN: [&Profile; 6] = [&CLAUDE, &CODEX, &GEMINI, &OPENCODE, &QWEN, &COPILOT];

/// What is known of an agent's CLI, by the agent's type or an alias in any letter case.
pub fn profile_of(agent_type: &str) -> Option<&'static Profile<'static>> {
    let wanted = trim_js(agent_type);
    BUILT_IN.into_iter().find(|profile| {
        let mut names = profile.aliases.iter().chain([&profile.agent_type]);
        names.any(|name| name.eq_ignore_ascii_case(wanted))
    })
}

/// The output format of that name: [`TEXT_OUTPUT`], or that of a known agent.
pub fn output_named(name: &str) -> Option<&'static str> {
    if trim_js(name).eq_ignore_ascii_case(TEXT_OUTPUT) {
        return Some(TEXT_OUTPUT);
    }
    profile_of(name).map(|profile| profile.output)
}

/// The output format of an agent; that of an unknown one is plain text.
pub fn output_of(agent_type: &str) -> &'static str {
    output_named(agent_type).unwrap_or(TEXT_OUTPUT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clis_are_found_by_type_and_alias_in_any_letter_case() {
        for (name, command) in [
            ("claude-code", "claude"),
            ("Claude", "claude"),
            ("OPENAI-CODEX", "codex"),
            (" gemini ", "gemini"),
            ("google-gemini", "gemini"),
            ("OpenCode", "opencode"),
            ("qwen", "qwen"),
            ("qwen-code", "qwen"),
            ("Copilot", "copilot"),
            ("github-copilot", "copilot"),
        ] {
            assert_eq!(profile_of(name).map(|profile| profile.command), Some(command), "{name}");
        }
        assert!(profile_of("unknown").is_none());
        assert!(profile_of("").is_none());
    }
}
