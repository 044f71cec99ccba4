//! What the agents with bracketed titles share.

use super::{LayoutSection, LineStyle};
use crate::model::Part;

pub(super) const SECTIONS: &[LayoutSection] = &[
    section(Part::System, ""),
    section(Part::TeamTask, ""),
    section(Part::Context, ""),
    section(Part::Parent, "(the message you are replying to, repeated for context)"),
    section(Part::Siblings, "(other replies to that message, newest first; do not repeat them)"),
    section(Part::Message, ""),
    section(Part::Routing, ""),
];

/// A message of the conversation.
pub const MESSAGE_LINE: LineStyle = LineStyle { open: "- ", arrow: Some(" -> "), colon: ": " };
pub(super) const QUOTE_LINE: LineStyle = LineStyle { open: "- ", arrow: None, colon: ": " };
pub(super) const PARENT_ID_LABEL: &str = "parentMessageId: ";
pub(super) const INTENT_LABEL: &str = "intent: ";

const fn section(part: Part, note: &'static str) -> LayoutSection {
    LayoutSection { part, title: part.tag(), note }
}
