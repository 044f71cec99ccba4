use super::{ConfigFile, Includes, Place, Preset, Reach, UserFiles, file};
use crate::instructions::Order;

/// Qwen Code: as Gemini CLI, from which it comes, with QWEN.md and AGENTS.md.
pub static QWEN_CODE: Preset = Preset {
    name: "qwen-code",
    source: "Qwen Code 0.24.4, measured: reads QWEN.md and AGENTS.md; the rest as in Gemini CLI",
    user: &[UserFiles {
        place: Place::Home { directory: ".qwen", variable: None },
        find: &[file("QWEN.md"), file("AGENTS.md")],
    }],
    one_user_place: false,
    user_first: true,
    reach: Reach::Repository,
    order: Order::RootFirst,
    project: &[&[file("QWEN.md"), file("AGENTS.md")]],
    config: ConfigFile::None,
    includes: Includes::Repository,
    project_max_bytes: None,
};
