use super::{DEFAULTS, Includes, Place, Preset, UserFiles, file};

/// Gemini CLI: GEMINI.md of the user, then from the root of the repository down. Its imports do
/// not leave the repository. Not followed: `context.fileName` and other settings.
pub static GEMINI_CLI: Preset = Preset {
    name: "gemini-cli",
    source: "Gemini CLI 0.61.0, measured; google-gemini/gemini-cli docs/cli/gemini-md.md and \
             packages/core/src/utils/memoryDiscovery.ts, memoryImportProcessor.ts (04fbf50)",
    user: &[UserFiles {
        place: Place::Home { directory: ".gemini", variable: None },
        find: &[file("GEMINI.md")],
    }],
    user_first: true,
    project: &[&[file("GEMINI.md")]],
    includes: Includes::Repository,
    ..DEFAULTS
};
