//! A message as a caller describes it. How its speaker and its addressees may be written, and what
//! is an error, is checked in JavaScript.

use crate::parts::MessagePart;
use crate::visibility::audience::Addressee;
use std::borrow::Cow;

/// Who wrote a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Speaker {
    /// Identifies the speaker; not empty.
    pub id: String,
    /// The name in prompts.
    pub name: String,
    /// Another name by which the speaker is known; empty if there is none.
    pub display_name: String,
    /// Whether it is an AI.
    pub is_ai: bool,
}

/// Everything about a message but its content: messages of one speaker to the same addressees
/// have it in common.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Envelope {
    /// Who wrote it.
    pub speaker: Speaker,
    /// Who it is for; empty for everyone, or for nobody if it is private.
    pub addressees: Vec<Addressee>,
    /// Whether only its addressees and its speaker may see it, also where the team reads along.
    pub is_private: bool,
}

/// What a message says, and what it answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageText<'t> {
    /// What it says, markers and all.
    pub content: Cow<'t, str>,
    /// Its parts, if it has some instead of a content.
    pub parts: Vec<MessagePart>,
    /// The message that it replies to.
    pub parent_id: Option<String>,
    /// With which intent.
    pub intent: Option<String>,
    /// Whether it is pinned.
    pub pinned: bool,
}
