//! The caller's message array, as the core reads it: one message at a time, straight
//! into the core's buffer.

use super::border::{Appended, Border, Name, Script, Value};
use super::failure::Failure;
use super::input::wrong;
use super::scratch;
use crate::transcript::{Fields, MessageSource, Visitor};
use std::cell::RefCell;
use std::ops::Range;

/// Hands over the fields of messages, newest first: the index, sender, addressee and content.
/// Of what is no object, the index and the thing itself.
static MESSAGES: Script = Script {
    name: Name::Messages,
    source: "'use strict'; (receive, messages, first, end) => {
        for (let index = end - 1; index >= first; index--) {
            const message = messages[index]
            const goesOn = typeof message === 'object' && message !== null
                ? receive(index, message.from, message.to, message.content)
                : receive(index, message)
            if (goesOn === undefined) return
        }
    }",
};

/// A JS array of messages, none of them read yet.
pub struct JsMessages<'s> {
    border: Border<'s>,
    array: Value<'s>,
    length: u32,
    wide: RefCell<Wide>,
}

/// How contents are read. Messages of one conversation are mostly in one script, so each is
/// read the way that was best for the one before.
#[derive(Default)]
struct Wide {
    expected: bool,
    units: Vec<u16>,
}

impl<'s> JsMessages<'s> {
    /// The messages of an array. They are expected to be in the script of `sample`.
    pub fn new(border: Border<'s>, array: Value<'s>, length: u32, sample: &str) -> Self {
        let wide = Wide { expected: is_wide(sample.as_bytes()), units: scratch::units() };
        JsMessages { border, array, length, wide: RefCell::new(wide) }
    }
}

impl Drop for JsMessages<'_> {
    fn drop(&mut self) {
        scratch::keep_units(std::mem::take(&mut self.wide.get_mut().units));
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
        let border = self.border;
        let (first, end) =
            (border.double(messages.start as f64)?, border.double(messages.end as f64)?);
        let next = border.each(&MESSAGES, &[self.array, first, end], |opened| {
            let border = opened.border;
            let [index, fields @ ..] = opened.fields else { return Ok(false) };
            let index = border.number(*index)? as usize;
            match *fields {
                [from, to, content] => {
                    let message = JsMessage { border, index, from, to, content, wide: &self.wide };
                    read(index, &message).map(|next| next.is_continue())
                }
                [other] => {
                    Err(wrong(border, format!("contextMessages[{index}]"), other, "an object"))
                }
                _ => Ok(false),
            }
        });
        next.map(drop)
    }
}

struct JsMessage<'s, 'w> {
    border: Border<'s>,
    index: usize,
    from: Value<'s>,
    to: Value<'s>,
    content: Value<'s>,
    wide: &'w RefCell<Wide>,
}

impl<'s> JsMessage<'s, '_> {
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

impl Fields for JsMessage<'_, '_> {
    type Error = Failure;

    fn push_from(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.push(self.from, "from", out)
    }

    fn push_to(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
        let to = self.to;
        match self.border.append_utf8(to, out, usize::MAX)? {
            // Only asked if it is no string: most messages say whom they are for.
            Appended::NoString if !self.border.kind(to)?.is_nothing() => {
                Err(self.not_a_string(to, "to"))
            }
            _ => Ok(()),
        }
    }

    fn push_content(&self, out: &mut Vec<u8>, room: usize) -> Result<bool, Failure> {
        let content = self.content;
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
