use super::{Layout, LayoutText, bracketed, text};
use crate::model::SystemPlacement;

const ALIASES: &[LayoutText] = &[text("copilot")];

/// GitHub Copilot: as Codex.
pub static COPILOT: Layout =
    bracketed::layout("github-copilot", ALIASES, SystemPlacement::Inline, None);
