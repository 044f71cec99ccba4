use super::{
    DEFAULTS, Includes, Place, Preset, Reach, Setting, SettingsFile, SettingsPlace, Step,
    UserFiles, file, rules,
};
use crate::instructions::rule::RuleKind;

const USER: Place = Place::Home { directory: ".qwen", variable: None };

const KEYS: &[(&str, Setting)] = &[
    ("context.fileName", Setting::FileNames),
    ("contextFileName", Setting::FileNames),
    ("context.importFormat", Setting::NotFollowed),
    ("context.includeDirectories", Setting::NotFollowed),
    ("context.ruleExcludes", Setting::NotFollowed),
];

/// Qwen Code: each name by itself, first the user's file, then from the directory above the
/// repository down; then the local file and the rules.
pub static QWEN_CODE: Preset = Preset {
    name: "qwen-code",
    source: "Qwen Code 0.24.4, measured; QwenLM/qwen-code packages/core/src/utils/\
             memoryDiscovery.ts, rulesDiscovery.ts, memoryImportProcessor.ts (db05195)",
    steps: &[
        Step::Context { place: USER, names: &["QWEN.md", "AGENTS.md"], by_name: true },
        Step::Root(&[file(".qwen/QWEN.local.md")]),
        Step::User(&[UserFiles {
            place: USER,
            find: &[rules("rules", ".md", RuleKind::ClaudeCode)],
        }]),
        Step::Root(&[rules(".qwen/rules", ".md", RuleKind::ClaudeCode)]),
    ],
    reach: Reach::AboveRepository,
    includes: Includes::QwenCode,
    settings: &[
        SettingsFile::json(SettingsPlace::User(USER), "settings.json", KEYS),
        SettingsFile::json(SettingsPlace::Directory, ".qwen/settings.json", KEYS),
    ],
    ..DEFAULTS
};
