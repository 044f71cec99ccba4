use super::{DEFAULTS, Includes, Place, Preset, UserFiles, file};

/// Qwen Code: as Gemini CLI, from which it comes, with QWEN.md and AGENTS.md.
pub static QWEN_CODE: Preset = Preset {
    name: "qwen-code",
    source: "Qwen Code 0.24.4, measured: reads QWEN.md and AGENTS.md; the rest as in Gemini CLI",
    user: &[UserFiles {
        place: Place::Home { directory: ".qwen", variable: None },
        find: &[file("QWEN.md"), file("AGENTS.md")],
    }],
    user_first: true,
    project: &[&[file("QWEN.md"), file("AGENTS.md")]],
    includes: Includes::Repository,
    ..DEFAULTS
};
