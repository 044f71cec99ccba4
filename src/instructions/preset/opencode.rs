use super::{ConfigFile, DEFAULTS, Place, Preset, UserFiles, file};
use crate::instructions::Order;

/// opencode: AGENTS.md from the working directory up; CLAUDE.md if there is none anywhere, and
/// CONTEXT.md if there is neither. Then the user's file, and what `opencode.json` names. Not
/// followed: `opencode.jsonc` and the user's configuration file.
pub static OPENCODE: Preset = Preset {
    name: "opencode",
    source: "opencode 1.18.33, measured; anomalyco/opencode \
             packages/opencode/src/session/instruction.ts (00b964b), and its page on rules",
    user: &[
        UserFiles { place: Place::Variable("OPENCODE_CONFIG_DIR"), find: &[file("AGENTS.md")] },
        UserFiles { place: Place::Config("opencode"), find: &[file("AGENTS.md")] },
        UserFiles {
            place: Place::Home { directory: ".claude", variable: None },
            find: &[file("CLAUDE.md")],
        },
    ],
    one_user_place: true,
    order: Order::NearestFirst,
    project: &[&[file("AGENTS.md")], &[file("CLAUDE.md")], &[file("CONTEXT.md")]],
    config: ConfigFile::Named("opencode.json"),
    ..DEFAULTS
};
