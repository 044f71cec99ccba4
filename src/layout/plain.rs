use super::{FENCE, Layout, LayoutSection, LineStyle, SENDER_LINE, SessionNotes, TOOL_LINES, text};
use super::{Part, SystemPlacement};
use std::borrow::Cow;

/// Any other agent: no titles, no marks, no routing data.
pub static PLAIN: Layout = Layout {
    agent_type: text("unknown"),
    aliases: Cow::Borrowed(&[]),
    system_placement: SystemPlacement::Inline,
    sections: Cow::Borrowed(&[
        LayoutSection::titled(Part::System, ""),
        LayoutSection::titled(Part::TeamTask, ""),
        LayoutSection::titled(Part::Summary, ""),
        LayoutSection::titled(Part::Context, ""),
        LayoutSection::titled(Part::Parent, ""),
        LayoutSection::titled(Part::Siblings, ""),
        LayoutSection::titled(Part::Message, ""),
    ]),
    message_line: LineStyle::without_addressee("", ": "),
    quote_line: LineStyle::without_addressee("", ": "),
    sender_line: SENDER_LINE,
    fence: FENCE,
    tools: TOOL_LINES,
    parent_id_label: text(""),
    intent_label: text(""),
    session_notes: SessionNotes::new(
        "Earlier messages (pinned or changed since):",
        "New messages:",
    ),
    vocabulary: None,
};
