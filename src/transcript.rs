//! The conversation as lines of a layout, read from its newest end.
//!
//! 1. [`budget`](crate::budget) asks for one message after another, newest first, and
//!    stops when the budget is full: what it does not ask for is never read.
//! 2. A message is read straight into one buffer, between the texts that its layout
//!    puts around the fields, and is copied once more, when the prompt is written.
//! 3. If the owner of the messages joins the prompt itself, contents need not be copied:
//!    beyond a size that the owner chooses, they are only measured.
//! 4. Lines are UTF-8 bytes, not `str`: a source delivers well-formed text, and only the
//!    search for imitated structure looks inside it.

mod lines;
mod meter;
mod read_lines;

pub use lines::{Copied, LeftWithOwner, Transcript};
pub use meter::LineMeter;

use crate::account::{Cause, Ledger, MessageName, Reason};
use crate::model::Part;
use crate::pins::Pins;
use crate::structure::Finding;
use crate::tokens::Tokenizer;
use crate::visibility::AddressedTo;
use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

/// A conversation as the budget sees it, oldest message first.
pub trait Context {
    /// Why a message could not be read.
    type Error;

    /// How many lines there are: the window, and what is pinned outside of it.
    fn len(&self) -> usize;

    /// Whether there are no lines.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which lines are pinned, and which are the window.
    fn pins(&self) -> &Pins;

    /// Reads the pinned lines, and returns their bytes, each with a line break.
    fn read_pins(&mut self) -> Result<usize, Self::Error>;

    /// The first line of the window from which on all lines fit into `room` bytes, with a line
    /// break between two, and are taken by the meter, if there is one. Pinned lines take no room.
    /// Nothing older than the first one that does not fit is looked at.
    fn first_that_fits(
        &mut self,
        room: usize,
        meter: Option<&mut LineMeter>,
    ) -> Result<usize, Self::Error>;

    /// From now on, lines are measured in tokens, too.
    fn count_with(&mut self, tokenizer: Tokenizer);

    /// The units of a line with a line break. Only for lines that are pinned or fit, and if
    /// tokens are counted.
    fn line_units(&self, position: usize) -> u64;

    /// The text of a line. Only for lines that are pinned or fit, and if tokens are counted.
    fn line_text(&self, position: usize) -> Cow<'_, str>;

    /// The bytes of the window from line `first` on, with the line breaks. Only for lines that
    /// fit.
    fn bytes_from(&self, first: usize) -> usize;

    /// The bytes of a line. Only for lines that are pinned or fit.
    fn line_bytes(&self, position: usize) -> usize;

    /// Reads a message that was not kept. Only reports ask.
    fn describe(&self, index: usize) -> Result<UnkeptMessage, Self::Error>;

    /// Enters all messages of the conversation into the account: those that are kept, those that
    /// are not, and those that were left out before the budget came into play. Only reads
    /// messages if `kept` says so; what was not read has no size then.
    fn enter(&self, ledger: &mut Ledger, kept: &KeptMessages) -> Result<(), Self::Error>;

    /// How many older messages the conversation has that are not part of this, and that no summary
    /// covers.
    fn outside(&self) -> usize {
        0
    }

    /// Where the message stands in the list that the caller gave.
    fn callers_index(&self, index: usize) -> usize;

    /// Whether a message of the caller's list is kept, if it has been read and the window is kept
    /// from `first` on.
    fn is_kept(&self, first: usize, callers_index: usize) -> bool {
        let is_pinned = || {
            let index_of = |position: &usize| self.callers_index(*position);
            self.pins().positions().binary_search_by_key(&callers_index, index_of).is_ok()
        };
        callers_index >= self.callers_index(first) || is_pinned()
    }

    /// Lines that read as structure, in messages that were measured.
    fn findings(&self) -> &[Finding];
}

/// A report measures at most so many messages that are not listed. Nobody has as many, but an
/// object can pretend to.
pub const MAX_MEASURED: usize = 1_000_000;

/// What is kept of a conversation, for the account.
#[derive(Debug)]
pub struct KeptMessages<'k> {
    /// The oldest message that is kept.
    pub first: usize,
    /// The oldest message for which there was room.
    pub first_fitting: usize,
    /// Whether the layout has a place for the conversation.
    pub in_layout: bool,
    /// The newest messages that are not kept, newest first.
    pub described: &'k [UnkeptMessage],
    /// Whether messages may be read that are not described.
    pub read: bool,
}

impl KeptMessages<'_> {
    /// Why a message is not kept.
    pub fn cause(&self, index: usize) -> Cause {
        let reason = match index < self.first_fitting {
            _ if !self.in_layout => Reason::Layout,
            true => Reason::Budget,
            false => Reason::Step,
        };
        Cause::dropped(Part::Context, reason)
    }
}

/// A message that was not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnkeptMessage {
    /// The position of its line.
    pub position: usize,
    /// Which one it is.
    pub name: MessageName,
    /// The size of its line.
    pub line_bytes: usize,
    /// The size of its content.
    pub content_bytes: usize,
    /// The units of its line, if tokens are counted.
    pub line_units: Option<u64>,
}

/// A conversation that can be written to a sink of type `K`. A conversation whose contents
/// stayed with their owner can only be written to the owner's sink; any other does not compile.
pub trait WriteLines<K>: Context {
    /// Writes what is kept if the window is kept from `first` on, a line break between two lines.
    fn write_lines(&self, first: usize, sink: &mut K);
}

/// Where messages come from, one at a time.
pub trait MessageSource {
    /// Why a message could not be read.
    type Error;

    /// How many messages there are.
    fn len(&self) -> usize;

    /// Whether there are no messages.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which messages are pinned, and which are the window.
    fn pins(&self) -> Pins {
        Pins::none(self.len())
    }

    /// Where message `index` stands in the list that the caller gave.
    fn callers_index(&self, index: usize) -> usize {
        index
    }

    /// Enters the messages that the caller gave and that are not among these into the account.
    /// Without `read`, only their number.
    fn enter_others(&self, _ledger: &mut Ledger, _read: bool) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Lets `read` see the fields of each of these messages, newest first, until it breaks.
    fn visit_newest(
        &self,
        messages: Range<usize>,
        read: &mut Visitor<Self::Error>,
    ) -> Result<(), Self::Error>;

    /// Lets `read` see the fields of one message.
    fn visit<R>(
        &self,
        index: usize,
        mut read: impl FnMut(&dyn Fields<Error = Self::Error>) -> Result<R, Self::Error>,
    ) -> Result<Option<R>, Self::Error> {
        let mut result = None;
        self.visit_newest(index..index + 1, &mut |_, message| {
            result = Some(read(message)?);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(result)
    }
}

/// Called with each message and its index.
pub type Visitor<'v, E> =
    dyn FnMut(usize, &dyn Fields<Error = E>) -> Result<ControlFlow<()>, E> + 'v;

/// The fields of one message.
pub trait Fields {
    /// Why a field could not be read.
    type Error;

    /// Appends the sender.
    fn push_from(&self, out: &mut Vec<u8>) -> Result<(), Self::Error>;

    /// Appends the addressee, or several with `, ` between them; nothing if the message does not
    /// say.
    fn push_to(&self, out: &mut Vec<u8>) -> Result<(), Self::Error>;

    /// Whom it is for, as the rule of visibility reads it.
    fn addressed_to(&self) -> Result<AddressedTo, Self::Error> {
        let mut to = Vec::new();
        self.push_to(&mut to)?;
        Ok(AddressedTo::Text(String::from_utf8_lossy(&to).into_owned()))
    }

    /// Appends the content and returns true, or returns false if it has more than `room` bytes.
    fn push_content(&self, out: &mut Vec<u8>, room: usize) -> Result<bool, Self::Error>;

    /// How many tokens the content is, by a function of the caller's. Only asked if there is one.
    fn counted_tokens(&self) -> Result<usize, Self::Error> {
        Ok(0)
    }

    /// How many bytes the content has; `None` if more than `room`.
    fn content_bytes(&self, room: usize) -> Result<Option<usize>, Self::Error> {
        let mut content = Vec::new();
        Ok(self.push_content(&mut content, room)?.then_some(content.len()))
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use std::cell::RefCell;

    /// Messages in memory that remember which of them were read.
    #[derive(Default)]
    pub(crate) struct InMemoryMessages {
        pub messages: Vec<(&'static str, &'static str, &'static str)>,
        pub read: RefCell<Vec<usize>>,
    }

    impl MessageSource for InMemoryMessages {
        type Error = crate::Error;

        fn len(&self) -> usize {
            self.messages.len()
        }

        fn visit_newest(
            &self,
            messages: Range<usize>,
            read: &mut Visitor<crate::Error>,
        ) -> Result<(), crate::Error> {
            for index in messages.rev() {
                self.read.borrow_mut().push(index);
                if read(index, &self.messages[index])?.is_break() {
                    break;
                }
            }
            Ok(())
        }
    }

    impl Fields for (&str, &str, &str) {
        type Error = crate::Error;

        fn push_from(&self, out: &mut Vec<u8>) -> Result<(), crate::Error> {
            out.extend_from_slice(self.0.as_bytes());
            Ok(())
        }

        fn push_to(&self, out: &mut Vec<u8>) -> Result<(), crate::Error> {
            out.extend_from_slice(self.1.as_bytes());
            Ok(())
        }

        fn push_content(&self, out: &mut Vec<u8>, room: usize) -> Result<bool, crate::Error> {
            if self.2.len() > room {
                return Ok(false);
            }
            out.extend_from_slice(self.2.as_bytes());
            Ok(true)
        }
    }
}
