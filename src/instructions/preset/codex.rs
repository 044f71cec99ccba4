use super::{DEFAULTS, Find, Place, Preset, UserFiles};

const NAMES: &[&str] = &["AGENTS.override.md", "AGENTS.md"];

/// Codex: in each directory the override or else AGENTS.md, from the root of the repository down,
/// and 32 KiB of the project at most. Not followed: names and limits of its own in `config.toml`.
pub static CODEX: Preset = Preset {
    name: "codex",
    source: "Codex 0.166.0, measured; openai/codex codex-rs/core/src/agents_md.rs (0cf644a): \
             names, directories, 32 KiB; codex-rs/codex-home: the user's file, if it has text",
    user: &[UserFiles {
        place: Place::Home { directory: ".codex", variable: Some("CODEX_HOME") },
        find: &[Find::FirstWithText(NAMES)],
    }],
    user_first: true,
    project: &[&[Find::FirstOf(NAMES)]],
    project_max_bytes: Some(32 * 1024),
    ..DEFAULTS
};
