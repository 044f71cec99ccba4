//! Dropped messages, for reports and the account.

use crate::account::{Cause, MessageName, Reason};
use crate::layout::Part;

/// A report measures at most this many unlisted messages. Nobody has that many, but an object can
/// claim to.
pub const MAX_MEASURED: usize = 1_000_000;

/// What is kept of a conversation, for the account.
#[derive(Debug, Clone, Copy)]
pub struct KeptMessages {
    /// The oldest line of the window that is kept.
    pub first: usize,
    /// The oldest line for which there was room.
    pub first_fitting: usize,
    /// Whether the layout has a place for the conversation.
    pub in_layout: bool,
    /// Whether messages that are not kept were read.
    pub read: bool,
}

impl KeptMessages {
    /// Why a line is dropped.
    pub fn cause(&self, line: usize) -> Cause {
        let reason = match line < self.first_fitting {
            _ if !self.in_layout => Reason::Layout,
            true => Reason::Budget,
            false => Reason::Step,
        };
        Cause::dropped(Part::Context, reason)
    }
}

/// A dropped message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnkeptMessage {
    /// The position of its line.
    pub position: usize,
    /// The name of the message.
    pub name: MessageName,
    /// The size of its line.
    pub line_bytes: usize,
    /// The size of its content.
    pub content_bytes: usize,
    /// The units of its line, if tokens are counted.
    pub line_units: Option<u64>,
}
