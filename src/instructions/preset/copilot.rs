use super::{DEFAULTS, Place, Preset, Step, UserFiles, file, rules};
use crate::instructions::rule::RuleKind;

/// GitHub Copilot CLI: its own file and those of other agents, from the root of the repository
/// down; `*.instructions.md` for certain paths.
pub static COPILOT: Preset = Preset {
    name: "copilot",
    source: "GitHub Copilot CLI 1.0.102, measured; the page \"Adding custom instructions for \
             GitHub Copilot CLI\" of its documentation (github/docs 0afe69c and later)",
    steps: &[
        Step::User(&[UserFiles {
            place: Place::Home { directory: ".copilot", variable: Some("COPILOT_HOME") },
            find: &[
                file("copilot-instructions.md"),
                rules("instructions", ".instructions.md", RuleKind::Copilot),
            ],
        }]),
        Step::Project(&[&[
            file(".github/copilot-instructions.md"),
            file("AGENTS.md"),
            file("CLAUDE.md"),
            file("GEMINI.md"),
            rules(".github/instructions", ".instructions.md", RuleKind::Copilot),
        ]]),
    ],
    variables_not_followed: &["COPILOT_CUSTOM_INSTRUCTIONS_DIRS"],
    ..DEFAULTS
};
