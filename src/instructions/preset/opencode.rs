use super::{
    ConfigFiles, ConfigPlace, DEFAULTS, Place, Preset, Reach, Relative, Step, UserFiles, file,
};
use crate::instructions::Order;

const NAMES: &[&str] = &["opencode.json", "opencode.jsonc"];
const IN_FOLDER: &[&str] = &[".opencode/opencode.json", ".opencode/opencode.jsonc"];

/// opencode: the user's file, then AGENTS.md from the working directory up; CLAUDE.md if there is
/// none anywhere, and CONTEXT.md if there is neither. Then what its configurations name.
pub static OPENCODE: Preset = Preset {
    name: "opencode",
    source: "opencode 1.18.33, measured; anomalyco/opencode \
             packages/opencode/src/session/instruction.ts, config/config.ts (d545d8f)",
    steps: &[
        Step::User(&[
            UserFiles {
                place: Place::Config {
                    directory: "opencode",
                    variable: Some("OPENCODE_CONFIG_DIR"),
                },
                find: &[file("AGENTS.md")],
            },
            UserFiles {
                place: Place::Home { directory: ".claude", variable: None },
                find: &[file("CLAUDE.md")],
            },
        ]),
        Step::Project(&[&[file("AGENTS.md")], &[file("CLAUDE.md")], &[file("CONTEXT.md")]]),
    ],
    reach: Reach::RepositoryOrFileSystem,
    order: Order::NearestFirst,
    config: &[
        ConfigFiles::last(
            ConfigPlace::User(Place::Config { directory: "opencode", variable: None }),
            &["config.json", "opencode.json", "opencode.jsonc"],
        ),
        ConfigFiles::all(ConfigPlace::RootFirst, NAMES),
        ConfigFiles::all(ConfigPlace::NearestFirst, IN_FOLDER),
        ConfigFiles::all(
            ConfigPlace::User(Place::Home { directory: ".opencode", variable: None }),
            NAMES,
        ),
        ConfigFiles::all(ConfigPlace::User(Place::Variable("OPENCODE_CONFIG_DIR")), NAMES),
    ],
    relative: Relative::EveryDirectory,
    urls_last: true,
    variables_not_followed: &[
        "OPENCODE_CONFIG",
        "OPENCODE_CONFIG_CONTENT",
        "OPENCODE_DISABLE_PROJECT_CONFIG",
        "OPENCODE_DISABLE_CLAUDE_CODE",
        "OPENCODE_DISABLE_CLAUDE_CODE_PROMPT",
    ],
    ..DEFAULTS
};
