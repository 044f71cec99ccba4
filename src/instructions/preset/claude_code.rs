use super::{
    DEFAULTS, Find, Includes, Place, Preset, Reach, Setting, SettingsFile, SettingsPlace, Step,
    UserFiles, file,
};
use crate::instructions::rule::RuleKind;

/// The directory for files that an administrator installs.
const MANAGED: Place = Place::Fixed(if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode"
} else if cfg!(windows) {
    "C:\\Program Files\\ClaudeCode"
} else {
    "/etc/claude-code"
});

const USER: Place = Place::Home { directory: ".claude", variable: Some("CLAUDE_CONFIG_DIR") };

/// Rule files, those of a folder before those of folders in it.
const fn rules(folder: &'static str) -> Find {
    Find::Rules { folder, suffix: ".md", kind: RuleKind::ClaudeCode, files_first: true }
}

const RULES: Find = rules(".claude/rules");

const KEYS: &[(&str, Setting)] = &[("claudeMdExcludes", Setting::Excludes)];

/// Claude Code: CLAUDE.md from the root of the file system down, and AGENTS.md if there is none.
/// Rules for certain paths have `paths` in their front matter.
pub static CLAUDE_CODE: Preset = Preset {
    name: "claude-code",
    source: "Claude Code 2.1.325, measured; the page \"How Claude remembers your project\" of its \
             documentation (2.1.283): load order, imports, rules, AGENTS.md",
    steps: &[
        Step::User(&[UserFiles { place: MANAGED, find: &[file("CLAUDE.md")] }]),
        Step::User(&[UserFiles { place: USER, find: &[file("CLAUDE.md"), rules("rules")] }]),
        Step::Project(&[
            &[file("CLAUDE.md"), file(".claude/CLAUDE.md"), RULES, file("CLAUDE.local.md")],
            &[file("AGENTS.md"), file(".claude/AGENTS.md"), RULES],
        ]),
    ],
    reach: Reach::FileSystem,
    includes: Includes::ClaudeCode,
    settings: &[
        SettingsFile::json(SettingsPlace::User(USER), "settings.json", KEYS),
        SettingsFile::json(SettingsPlace::Directory, ".claude/settings.json", KEYS),
        SettingsFile::json(SettingsPlace::Directory, ".claude/settings.local.json", KEYS),
        SettingsFile::json(SettingsPlace::User(MANAGED), "managed-settings.json", KEYS),
    ],
    ..DEFAULTS
};
