use super::{Layout, LayoutSection, LineStyle};
use crate::model::{Part, SystemPlacement};

const LINE: LineStyle = LineStyle { open: "- ", arrow: None, colon: ": " };

/// Gemini: everything in one prompt, under titles in plain words.
pub static GEMINI: Layout = Layout {
    agent_type: "google-gemini",
    aliases: &["gemini"],
    system_placement: SystemPlacement::Inline,
    sections: &[
        section(Part::System, "Instructions:"),
        section(Part::TeamTask, "Team Task:"),
        section(Part::Context, "Conversation so far:"),
        section(Part::Parent, "Original message (reinserted for context):"),
        section(Part::Siblings, "Related responses (avoid repeating):"),
        section(Part::Message, "Last message:"),
        section(Part::Routing, "Routing info:"),
    ],
    message_line: LINE,
    quote_line: LINE,
    parent_id_label: "Replying to: ",
    intent_label: "Intent: ",
};

const fn section(part: Part, title: &'static str) -> LayoutSection {
    LayoutSection { part, title, note: "" }
}
