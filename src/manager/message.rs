//! A message as a caller describes it. How its speaker and its addressees may be written, and what
//! is an error, is checked in JavaScript.

use crate::error::Error;
use crate::visibility::members::Addressee;
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
    /// Whom it is for; empty for everyone.
    pub addressees: Vec<Addressee>,
}

impl Envelope {
    /// The same; an error if it is larger than what a line can begin with.
    pub fn checked(self) -> Result<Self, Error> {
        let separators = 2 * self.addressees.len();
        let to: usize = self.addressees.iter().map(|addressee| addressee.shown().len()).sum();
        let is_small = |bytes: usize| u32::try_from(bytes).is_ok();
        if is_small(self.speaker.name.len()) && is_small(to.saturating_add(separators)) {
            return Ok(self);
        }
        let problem = format!("names must not have more than {} bytes together", u32::MAX);
        Err(Error::invalid_message(problem))
    }
}

/// What a message says, and what it answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageText<'t> {
    /// What it says, markers and all.
    pub content: Cow<'t, str>,
    /// The message that it replies to.
    pub parent_id: Option<String>,
    /// With which intent.
    pub intent: Option<String>,
    /// Whether it is pinned.
    pub pinned: bool,
}
