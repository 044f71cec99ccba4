use super::{Arrangement, DEFAULTS, Includes, Place, Preset, Step, UserFiles, file, rules};
use crate::instructions::rule::RuleKind;

const USER: Place = Place::Home { directory: ".copilot", variable: Some("COPILOT_HOME") };

/// GitHub Copilot CLI: its own file and those of other agents, at the root of the repository and
/// then from the working directory up; `*.instructions.md` for certain paths.
pub static COPILOT: Preset = Preset {
    name: "copilot",
    source: "GitHub Copilot CLI 1.0.102, measured; the page \"Adding custom instructions for \
             GitHub Copilot CLI\" of its documentation (github/docs 0afe69c and later)",
    steps: &[
        Step::User(&[UserFiles { place: USER, find: &[file("copilot-instructions.md")] }]),
        Step::Project(&[&[
            file(".github/copilot-instructions.md"),
            file("AGENTS.md"),
            file("CLAUDE.md"),
            file("GEMINI.md"),
        ]]),
        Step::User(&[UserFiles {
            place: USER,
            find: &[rules("instructions", ".instructions.md", RuleKind::Copilot)],
        }]),
        Step::Root(&[rules(".github/instructions", ".instructions.md", RuleKind::Copilot)]),
    ],
    arrangement: Arrangement::RootThenUp,
    includes: Includes::Copilot,
    variables_not_followed: &["COPILOT_CUSTOM_INSTRUCTIONS_DIRS"],
    ..DEFAULTS
};
