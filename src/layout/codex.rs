use super::{Layout, LayoutText, bracketed, text};
use crate::model::SystemPlacement;
use crate::tokens::Vocabulary;

const ALIASES: &[LayoutText] = &[text("codex")];

/// Codex: everything in one prompt, under bracketed titles.
pub static CODEX: Layout =
    bracketed::layout("openai-codex", ALIASES, SystemPlacement::Inline, Some(Vocabulary::O200k));
