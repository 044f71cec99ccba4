use super::{Layout, bracketed};
use crate::model::SystemPlacement;

/// Codex: everything in one prompt, under bracketed titles.
pub static CODEX: Layout = Layout {
    agent_type: "openai-codex",
    aliases: &["codex"],
    system_placement: SystemPlacement::Inline,
    sections: bracketed::SECTIONS,
    message_line: bracketed::MESSAGE_LINE,
    quote_line: bracketed::QUOTE_LINE,
    parent_id_label: bracketed::PARENT_ID_LABEL,
    intent_label: bracketed::INTENT_LABEL,
};
