use super::{Layout, LayoutText, bracketed, text};
use crate::model::SystemPlacement;

const ALIASES: &[LayoutText] = &[text("qwen")];

/// Qwen Code: as Codex.
pub static QWEN: Layout = bracketed::layout("qwen-code", ALIASES, SystemPlacement::Inline, None);
