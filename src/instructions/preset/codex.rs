use super::{
    DEFAULTS, Find, Names, Place, Preset, Setting, SettingsFile, SettingsPlace, Step, UserFiles,
};
use std::borrow::Cow;

const NAMES: Names =
    Cow::Borrowed(&[Cow::Borrowed("AGENTS.override.md"), Cow::Borrowed("AGENTS.md")]);

const USER: Place = Place::Home { directory: ".codex", variable: Some("CODEX_HOME") };

/// Codex: in each directory the override or else AGENTS.md, from the root of the repository down,
/// and 32 KiB of the project at most.
pub static CODEX: Preset = Preset {
    name: "codex",
    source: "Codex 0.166.0, measured; openai/codex codex-rs/core/src/agents_md.rs (343074d): \
             names, directories, 32 KiB; codex-rs/codex-home: the user's file, if it has text",
    steps: &[
        Step::User(&[UserFiles { place: USER, find: &[Find::FirstWithText(NAMES)] }]),
        Step::Project(&[&[Find::FirstOf(NAMES)]]),
    ],
    project_max_bytes: Some(32 * 1024),
    settings: &[
        SettingsFile::toml(
            SettingsPlace::User(USER),
            "config.toml",
            &[
                ("project_doc_fallback_filenames", Setting::FallbackNames),
                ("project_root_markers", Setting::RootMarkers),
                ("project_doc_max_bytes", Setting::MaxBytes),
            ],
        ),
        SettingsFile::toml(
            SettingsPlace::Directory,
            ".codex/config.toml",
            &[
                ("project_doc_fallback_filenames", Setting::NotFollowed),
                ("project_doc_max_bytes", Setting::NotFollowed),
            ],
        ),
    ],
    ..DEFAULTS
};
