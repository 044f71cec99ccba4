use super::{DEFAULTS, Find, Includes, Place, Preset, Reach, UserFiles, file, rules};
use crate::instructions::rule::RuleKind;

/// The directory for files that an administrator installs.
const MANAGED: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode"
} else if cfg!(windows) {
    "C:\\Program Files\\ClaudeCode"
} else {
    "/etc/claude-code"
};

const RULES: Find = rules(".claude/rules", ".md", RuleKind::ClaudeCode);

/// Claude Code: CLAUDE.md from the root of the file system down, and AGENTS.md if there is none.
/// Rules for certain paths have `paths` in their front matter. Not followed: `claudeMdExcludes`
/// and other settings, and that HTML comments are removed.
pub static CLAUDE_CODE: Preset = Preset {
    name: "claude-code",
    source: "Claude Code 2.1.325, measured; the page \"How Claude remembers your project\" of its \
             documentation (2.1.283): load order, imports, rules, AGENTS.md",
    user: &[
        UserFiles { place: Place::Fixed(MANAGED), find: &[file("CLAUDE.md")] },
        UserFiles {
            place: Place::Home { directory: ".claude", variable: Some("CLAUDE_CONFIG_DIR") },
            find: &[file("CLAUDE.md"), rules("rules", ".md", RuleKind::ClaudeCode)],
        },
    ],
    user_first: true,
    reach: Reach::FileSystem,
    project: &[
        &[file("CLAUDE.md"), file(".claude/CLAUDE.md"), RULES, file("CLAUDE.local.md")],
        &[file("AGENTS.md"), file(".claude/AGENTS.md"), RULES],
    ],
    includes: Includes::Anywhere,
    ..DEFAULTS
};
