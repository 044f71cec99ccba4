use super::{FENCE, Layout, LayoutSection, LineStyle, SENDER_LINE, SessionNotes, TOOL_LINES, text};
use super::{Part, SystemPlacement};
use std::borrow::Cow;

/// Gemini: everything in one prompt, under titles in plain words.
pub static GEMINI: Layout = Layout {
    agent_type: text("google-gemini"),
    aliases: Cow::Borrowed(&[text("gemini")]),
    system_placement: SystemPlacement::Inline,
    sections: Cow::Borrowed(&[
        LayoutSection::titled(Part::System, "Instructions:"),
        LayoutSection::titled(Part::TeamTask, "Team Task:"),
        LayoutSection::titled(Part::Summary, "Summary of the conversation so far:"),
        LayoutSection::titled(Part::Context, "Conversation so far:"),
        LayoutSection::titled(Part::Parent, "Original message (reinserted for context):"),
        LayoutSection::titled(Part::Siblings, "Related responses (avoid repeating):"),
        LayoutSection::titled(Part::Message, "Last message:"),
        LayoutSection::titled(Part::Routing, "Routing info:"),
    ]),
    message_line: LineStyle::without_addressee("- ", ": "),
    quote_line: LineStyle::without_addressee("- ", ": "),
    sender_line: SENDER_LINE,
    fence: FENCE,
    tools: TOOL_LINES,
    parent_id_label: text("Replying to: "),
    intent_label: text("Intent: "),
    session_notes: SessionNotes::new(
        "Earlier messages (pinned or changed since):",
        "New messages:",
    ),
    vocabulary: None,
};
