use super::{ConfigFile, Find, Includes, Preset, Reach, file};
use crate::instructions::Order;
use crate::instructions::rule::RuleKind;

/// Cursor: AGENTS.md, the old `.cursorrules`, and rules with front matter. The user's own rules
/// are in Cursor's settings, and not in a file.
pub static CURSOR: Preset = Preset {
    name: "cursor",
    source: "the page \"Rules\" of Cursor's documentation (cursor.com/docs/rules, Cursor 2): \
             .mdc files, alwaysApply, globs, description, AGENTS.md, .cursorrules",
    user: &[],
    one_user_place: false,
    user_first: false,
    reach: Reach::Repository,
    order: Order::RootFirst,
    project: &[&[
        file("AGENTS.md"),
        file(".cursorrules"),
        Find::Rules { folder: ".cursor/rules", suffix: ".mdc", kind: RuleKind::Cursor },
    ]],
    config: ConfigFile::None,
    includes: Includes::Off,
    project_max_bytes: None,
};
