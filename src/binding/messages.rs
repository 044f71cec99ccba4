//! The caller's message array, as the core reads it: one message at a time, straight
//! into the core's buffer.

use super::border::{Appended, Border, Kind, Value};
use super::failure::Failure;
use super::input::wrong;
use crate::transcript::{Fields, MessageSource, Visitor};
use std::cell::RefCell;
use std::ops::{ControlFlow, Range};

/// How many messages share a handle scope.
const MESSAGES_PER_SCOPE: usize = 64;

/// A JS array of messages, none of them read yet.
pub struct JsMessages<'s> {
    border: Border<'s>,
    array: Value<'s>,
    length: u32,
    keys: Keys<'s>,
    wide: RefCell<Wide>,
}

/// How contents are read. Messages of one conversation are mostly in one script, so each is
/// read the way that was best for the one before.
#[derive(Default)]
struct Wide {
    expected: bool,
    units: Vec<u16>,
}

/// Property keys, made once per call.
#[derive(Clone, Copy)]
struct Keys<'s> {
    from: Value<'s>,
    to: Value<'s>,
    content: Value<'s>,
}

impl<'s> JsMessages<'s> {
    /// The messages of an array. They are expected to be in the script of `sample`.
    pub fn new(
        border: Border<'s>,
        array: Value<'s>,
        length: u32,
        sample: &str,
    ) -> Result<Self, Failure> {
        let keys = Keys {
            from: border.key("from")?,
            to: border.key("to")?,
            content: border.key("content")?,
        };
        Ok(JsMessages {
            border,
            array,
            length,
            keys,
            wide: RefCell::new(Wide { expected: is_wide(sample.as_bytes()), units: Vec::new() }),
        })
    }

    fn message<R>(
        &self,
        border: Border,
        index: usize,
        read: impl FnOnce(&dyn Fields<Error = Failure>) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let object = border.element(self.array, index as u32)?;
        if border.kind(object)? != Kind::Object {
            let path = format!("contextMessages[{index}]");
            return Err(wrong(border, path, object, "an object"));
        }
        read(&JsMessage { border, object, index, keys: self.keys, wide: &self.wide })
    }
}

impl MessageSource for JsMessages<'_> {
    type Error = Failure;

    fn len(&self) -> usize {
        self.length as usize
    }

    fn visit_newest(
        &self,
        messages: Range<usize>,
        read: &mut Visitor<Failure>,
    ) -> Result<(), Failure> {
        let mut rest = messages;
        while !rest.is_empty() {
            // A handle scope costs as much as reading a field: one for many messages.
            let batch = rest.end.saturating_sub(MESSAGES_PER_SCOPE).max(rest.start)..rest.end;
            rest.end = batch.start;
            let next = self.border.nested(|border| {
                for index in batch.rev() {
                    if self.message(border, index, |message| read(index, message))?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                Ok(ControlFlow::Continue(()))
            })?;
            if next.is_break() {
                break;
            }
        }
        Ok(())
    }
}

struct JsMessage<'s, 'k, 'w> {
    border: Border<'s>,
    object: Value<'s>,
    index: usize,
    keys: Keys<'k>,
    wide: &'w RefCell<Wide>,
}

impl<'s> JsMessage<'s, '_, '_> {
    fn not_a_string(&self, value: Value, name: &str) -> Failure {
        let path = format!("contextMessages[{}].{name}", self.index);
        wrong(self.border, path, value, "a string")
    }

    fn push(&self, value: Value<'s>, name: &str, out: &mut Vec<u8>) -> Result<(), Failure> {
        match self.border.append_utf8(value, out, usize::MAX)? {
            Appended::NoString => Err(self.not_a_string(value, name)),
            Appended::Whole | Appended::TooLong => Ok(()),
        }
    }
}

impl Fields for JsMessage<'_, '_, '_> {
    type Error = Failure;

    fn push_from(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.push(self.border.get(self.object, self.keys.from)?, "from", out)
    }

    fn push_to(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
        let to = self.border.get(self.object, self.keys.to)?;
        match self.border.append_utf8(to, out, usize::MAX)? {
            // Only asked if it is no string: most messages say whom they are for.
            Appended::NoString if !self.border.kind(to)?.is_nothing() => {
                Err(self.not_a_string(to, "to"))
            }
            _ => Ok(()),
        }
    }

    fn push_content(&self, out: &mut Vec<u8>, room: usize) -> Result<bool, Failure> {
        let content = self.border.get(self.object, self.keys.content)?;
        let start = out.len();
        let mut wide = self.wide.borrow_mut();
        let appended = match wide.expected {
            true => self.border.append_utf8_wide(content, out, room, &mut wide.units)?,
            false => self.border.append_utf8(content, out, room)?,
        };
        wide.expected = is_wide(&out[start..]);
        match appended {
            Appended::Whole => Ok(true),
            Appended::TooLong => Ok(false),
            Appended::NoString => Err(self.not_a_string(content, "content")),
        }
    }
}

/// Whether a good part of a text seems not to be ASCII, by its beginning.
fn is_wide(text: &[u8]) -> bool {
    let sample = &text[..text.len().min(64)];
    sample.iter().filter(|byte| !byte.is_ascii()).count() * 8 > sample.len()
}
