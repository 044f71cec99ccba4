//! A message from the caller, and the line that it becomes.

use crate::error::Error;
use crate::layout::{EVERYONE, LineStyle};
use crate::parts::MessagePart;
use crate::text::replace_line_breaks;
use crate::visibility::AddressedTo;
use std::ops::Range;

/// The fields of a message that the caller passes.
pub trait GivenMessage {
    /// Appends the sender.
    fn push_from(&self, out: &mut Vec<u8>) -> Result<(), Error>;

    /// Appends the addressee, or several joined by `, `; nothing if the message names none.
    fn push_to(&self, out: &mut Vec<u8>) -> Result<(), Error>;

    /// Who it is for, in the form that the visibility rule reads.
    fn addressed_to(&self) -> Result<AddressedTo, Error> {
        let mut to = Vec::new();
        self.push_to(&mut to)?;
        Ok(AddressedTo::Text(String::from_utf8_lossy(&to).into_owned()))
    }

    /// Appends the content and returns true, or returns false if it has more than `room` bytes.
    fn push_content(&self, out: &mut Vec<u8>, room: usize) -> Result<bool, Error>;

    /// The content, if it is in UTF-16.
    fn wide_content(&self) -> Result<Option<&[u16]>, Error> {
        Ok(None)
    }

    /// The size of the content in bytes.
    fn content_bytes(&self) -> Result<usize, Error> {
        let mut content = Vec::new();
        self.push_content(&mut content, usize::MAX)?;
        Ok(content.len())
    }

    /// The parts, if it has parts instead of a content.
    fn parts(&self) -> Option<&[MessagePart]> {
        None
    }

    /// The tokens of the content, counted by a caller-supplied function. Only called if there is
    /// one.
    fn tokens(&self) -> usize {
        0
    }
}

/// The sender of a message.
pub(crate) fn sender(message: &dyn GivenMessage) -> Result<String, Error> {
    let mut from = Vec::new();
    message.push_from(&mut from)?;
    Ok(String::from_utf8_lossy(&from).into_owned())
}

/// A line up to its content.
pub(super) struct Opening {
    /// The position of the sender.
    pub from: Range<usize>,
    /// The sender as given, if it contained a line break.
    pub broken_from: Option<String>,
    /// The addressee as given, if it contained a line break.
    pub broken_to: Option<String>,
}

/// Appends the line up to its content, with names without line breaks.
pub(super) fn push_opening(
    line: &LineStyle,
    message: &dyn GivenMessage,
    out: &mut Vec<u8>,
) -> Result<Opening, Error> {
    out.extend_from_slice(line.open.as_bytes());
    let from_start = out.len();
    message.push_from(out)?;
    let broken_from = replace_line_breaks(out, from_start);
    let from = from_start..out.len();
    out.extend_from_slice(line.arrow.as_deref().unwrap_or_default().as_bytes());
    let to_start = out.len();
    message.push_to(out)?;
    if line.arrow.is_none() {
        // Read anyway, so that every layout accepts the same messages.
        out.truncate(to_start);
    }
    let broken_to = replace_line_breaks(out, to_start);
    if line.arrow.is_some() && out.len() == to_start {
        out.extend_from_slice(EVERYONE.as_bytes());
    }
    out.extend_from_slice(line.colon.as_bytes());
    Ok(Opening { from, broken_from, broken_to })
}
