//! A message as a caller describes it. JavaScript checks how speaker and addressees are written,
//! and rejects what is wrong.

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
    /// Another name of the speaker; empty if there is none.
    pub display_name: String,
    /// Whether it is an AI.
    pub is_ai: bool,
}

/// Everything about a message but its content. Messages of one speaker to the same addressees share
/// it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Envelope {
    /// Who wrote it.
    pub speaker: Speaker,
    /// Who it is for; empty for everyone, or for nobody if it is private.
    pub addressees: Vec<Addressee>,
    /// Whether only its addressees and its speaker may see it, even where the team reads along.
    pub is_private: bool,
}

/// What a message says and what it replies to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageText<'t> {
    /// The content, including markers.
    pub content: Cow<'t, str>,
    /// The parts, if it has parts instead of a content.
    pub parts: Vec<MessagePart>,
    /// The message it replies to.
    pub parent_id: Option<String>,
    /// The intent of the reply.
    pub intent: Option<String>,
    /// Whether it is pinned.
    pub pinned: bool,
}
