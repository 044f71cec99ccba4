use super::{Layout, LayoutText, bracketed, text};
use crate::model::SystemPlacement;

const ALIASES: &[LayoutText] = &[text("claude")];

/// Claude Code: the system text goes beside the prompt, to `--append-system-prompt`.
pub static CLAUDE: Layout = bracketed::layout("claude-code", ALIASES, SystemPlacement::Flag, None);
