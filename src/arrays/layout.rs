//! The texts of array forms: titles, and the lines that say who speaks to whom.
//!
//! 1. All forms share them. A caller's own layout supplies its texts, but not its order, because a
//!    request has a fixed one: what precedes the conversation, the conversation, and what follows
//!    it.
//! 2. The current message has no title. It reads as it will in the next turn, as part of the
//!    conversation, so that a provider's cache can reuse it.
//! 3. The conversation always has a title: a request begins with the user, whoever spoke first.

use super::Api;
use super::apis::Rules;
use crate::layout::{
    FENCE, Layout, LayoutRef, LayoutSection, LineStyle, SENDER_LINE, SessionNotes, TOOL_LINES, text,
};
use crate::layout::{Part, SystemPlacement};
use std::borrow::Cow;

/// The title of the conversation.
const CONVERSATION: &str = "Conversation so far:";

static SECTIONS: [LayoutSection; 8] = [
    LayoutSection::titled(Part::System, ""),
    LayoutSection::titled(Part::TeamTask, "Team task:"),
    LayoutSection::titled(Part::Summary, "Summary of the conversation so far:"),
    LayoutSection::titled(Part::Context, CONVERSATION),
    LayoutSection::titled(Part::Parent, "The message that you answer, repeated for context:"),
    LayoutSection::titled(
        Part::Siblings,
        "Other replies to that message, newest first; do not repeat them:",
    ),
    LayoutSection::titled(Part::Message, ""),
    LayoutSection::titled(Part::Routing, "Routing:"),
];

/// The user's message when there is nothing to act on: a request must end with one.
pub const GO_ON: &str = "Go on.";

/// The layout of a request to an API, for an agent with this layout.
pub fn layout(api: Api, agents: &LayoutRef) -> Layout {
    let agent_type = text(api.name());
    let vocabulary = Rules::of(api).vocabulary;
    match agents {
        LayoutRef::BuiltIn(_) => Layout {
            agent_type,
            aliases: Cow::Borrowed(&[]),
            system_placement: SystemPlacement::Flag,
            sections: Cow::Owned(SECTIONS.to_vec()),
            message_line: LineStyle::with_addressee("From ", " to ", ":\n"),
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
            vocabulary,
        },
        LayoutRef::Own(own) => Layout {
            agent_type,
            aliases: Cow::Borrowed(&[]),
            system_placement: SystemPlacement::Flag,
            sections: Cow::Owned(sections_of(own)),
            message_line: own.message_line.clone(),
            quote_line: own.quote_line.clone(),
            sender_line: own.sender_line.clone(),
            fence: own.fence.clone(),
            tools: own.tools.clone(),
            parent_id_label: own.parent_id_label.clone(),
            intent_label: own.intent_label.clone(),
            session_notes: own.session_notes.clone(),
            vocabulary: own.vocabulary.or(vocabulary),
        },
    }
}

/// The sections of a caller's layout, with its texts. A request must have a message.
fn sections_of(own: &Layout) -> Vec<LayoutSection> {
    let of_part = |part| own.sections.iter().find(move |section| section.part == part);
    let message = |part| SECTIONS.iter().find(|one| part == Part::Message && one.part == part);
    let parts = SECTIONS.iter().map(|section| section.part);
    parts.filter_map(|part| of_part(part).or_else(|| message(part)).cloned()).collect()
}

/// The title of a section, given the title from the layout or the caller's options.
pub fn title(part: Part, title: &str) -> &str {
    if part == Part::Context && title.is_empty() { CONVERSATION } else { title }
}
