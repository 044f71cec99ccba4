use super::{
    Arrangement, DEFAULTS, Includes, Place, Preset, Setting, SettingsFile, SettingsPlace, Step,
};

const USER: Place = Place::Home { directory: ".gemini", variable: None };

/// Gemini CLI: GEMINI.md of the user, then those of the project, sorted by their paths. Its imports
/// do not leave the repository. Files of extensions are not read.
pub static GEMINI_CLI: Preset = Preset {
    name: "gemini-cli",
    source: "Gemini CLI 0.61.0, measured; google-gemini/gemini-cli docs/cli/gemini-md.md and \
             packages/core/src/utils/memoryDiscovery.ts, memoryImportProcessor.ts (5411f11)",
    steps: &[Step::Context { place: USER, names: &["GEMINI.md"], by_name: false }],
    arrangement: Arrangement::ByPath,
    includes: Includes::GeminiCli,
    settings: &[
        SettingsFile::json(
            SettingsPlace::User(USER),
            "settings.json",
            &[
                ("context.fileName", Setting::MoreNames),
                ("contextFileName", Setting::MoreNames),
                ("context.memoryBoundaryMarkers", Setting::RootMarkers),
                ("context.importFormat", Setting::NotFollowed),
                ("context.includeDirectories", Setting::NotFollowed),
            ],
        ),
        SettingsFile::json(
            SettingsPlace::Directory,
            ".gemini/settings.json",
            &[
                ("context.fileName", Setting::NotFollowed),
                ("contextFileName", Setting::NotFollowed),
                ("context.memoryBoundaryMarkers", Setting::NotFollowed),
                ("context.importFormat", Setting::NotFollowed),
                ("context.includeDirectories", Setting::NotFollowed),
            ],
        ),
    ],
    ..DEFAULTS
};
