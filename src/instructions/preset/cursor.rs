use super::{DEFAULTS, Preset, Step, file, rules};
use crate::instructions::rule::RuleKind;

/// Cursor: AGENTS.md, the old `.cursorrules`, and rules with front matter. The user's own rules
/// are in Cursor's settings, and not in a file.
pub static CURSOR: Preset = Preset {
    name: "cursor",
    source: "the page \"Rules\" of Cursor's documentation (cursor.com/docs/rules, Cursor 2): \
             .mdc files, alwaysApply, globs, description, AGENTS.md, .cursorrules",
    steps: &[Step::Project(&[&[
        file("AGENTS.md"),
        file(".cursorrules"),
        rules(".cursor/rules", ".mdc", RuleKind::Cursor),
    ]])],
    ..DEFAULTS
};
