use super::{Layout, bracketed};
use crate::model::SystemPlacement;

/// Claude Code: the system text goes beside the prompt, to `--append-system-prompt`.
pub static CLAUDE: Layout = Layout {
    agent_type: "claude-code",
    aliases: &["claude"],
    system_placement: SystemPlacement::Flag,
    sections: bracketed::SECTIONS,
    message_line: bracketed::MESSAGE_LINE,
    quote_line: bracketed::QUOTE_LINE,
    parent_id_label: bracketed::PARENT_ID_LABEL,
    intent_label: bracketed::INTENT_LABEL,
};
