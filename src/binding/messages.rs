//! The caller's message array, as the core reads it: one message at a time, straight
//! into the core's buffer.

use super::border::{Appended, Border, Name, Script, Value, is_wide};
use super::failure::Failure;
use super::reader::wrong;
use super::scratch;
use crate::text::measure_utf16;
use crate::transcript::{Fields, MessageSource, Visitor};
use std::cell::RefCell;
use std::ops::Range;

/// Hands over messages, newest first: the numbers of sender and addressee, and the content. Names
/// are few and repeat, so each is handed over once, with a number that it keeps from call to
/// call. The other forms differ in how much is handed over:
/// - the thing itself, if a message is no object;
/// - a number, and the name that has it from now on: answered with a copy, because the name
///   itself may be a piece of a large text, which would be kept with it;
/// - sender, addressee and content, and nothing, if these cannot be names.
///
/// The contents that were asked for are left in `contents`, if there is such an array, with lone
/// surrogates repaired where there may be any.
static MESSAGES: Script = Script {
    name: Name::Messages,
    source: "(() => {
        'use strict'
        const numbers = new Map()
        const numberOf = (receive, name) => {
            const number = numbers.get(name)
            if (number !== undefined || typeof name !== 'string' || name.length > 64) return number
            const next = numbers.size
            const copy = receive(next, name)
            if (copy !== name) return undefined
            numbers.set(copy, next)
            return next
        }
        return (receive, messages, first, end, contents) => {
            for (let index = end - 1; index >= first; index--) {
                const message = messages[index]
                if (typeof message !== 'object' || message === null) return receive(message)
                const { from, to, content } = message
                // Not in between: the number of one must not be given to the other.
                if (numbers.size > 254) numbers.clear()
                const fromNumber = numberOf(receive, from)
                const toNumber = numberOf(receive, to ?? '')
                const isWellFormed = fromNumber !== undefined && toNumber !== undefined
                    ? receive(fromNumber, toNumber, content)
                    : receive(from, to, content, undefined)
                if (isWellFormed === undefined) return
                if (contents !== undefined) {
                    contents[contents.length] = isWellFormed ? content : content.toWellFormed()
                }
            }
        }
    })()",
};

/// See [`JsMessages::leaving_contents`].
const WORTH_COPYING_BYTES: usize = 64 * 1024;

/// A JS array of messages, none of them read yet.
pub struct JsMessages<'s> {
    border: Border<'s>,
    array: Value<'s>,
    length: u32,
    /// Where contents are left, if they are wanted.
    contents: Option<Value<'s>>,
    wide: RefCell<Wide>,
}

/// How contents are read. Messages of one conversation are mostly in one script, so each is
/// read the way that was best for the one before.
struct Wide {
    expected: bool,
    units: Vec<u16>,
    /// For contents that are only measured.
    bytes: Vec<u8>,
    /// Whether the last content that was read certainly has no lone surrogates.
    well_formed: bool,
}

impl<'s> JsMessages<'s> {
    /// The messages of an array. They are expected to be in the script of `sample`.
    pub fn new(border: Border<'s>, array: Value<'s>, length: u32, sample: &str) -> Self {
        let expected = is_wide(sample.as_bytes());
        let units = scratch::units();
        let wide = Wide { expected, units, bytes: Vec::new(), well_formed: true };
        JsMessages { border, array, length, contents: None, wide: RefCell::new(wide) }
    }

    /// Leaves the contents that are read from now on in `contents`, newest first, and answers
    /// how many bytes of them are worth copying all the same: to make strings of what stands
    /// between them costs more than to copy a little ASCII, but less than to convert other text
    /// twice.
    pub fn leaving_contents(self, contents: Option<Value<'s>>) -> (Self, usize) {
        let worth_copying = match contents {
            None => usize::MAX,
            Some(_) if self.wide.borrow().expected => 0,
            Some(_) => WORTH_COPYING_BYTES,
        };
        (JsMessages { contents, ..self }, worth_copying)
    }
}

impl Drop for Wide {
    fn drop(&mut self) {
        scratch::keep_units(std::mem::take(&mut self.units));
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
        if messages.is_empty() {
            return Ok(());
        }
        let border = self.border;
        let (first, end) =
            (border.double(messages.start as f64)?, border.double(messages.end as f64)?);
        let contents = match self.contents {
            Some(contents) => contents,
            None => border.undefined()?,
        };
        let is_left = self.contents.is_some();
        let mut newer = messages.end;
        let next = border.each(&MESSAGES, &[self.array, first, end, contents], |opened| {
            let border = opened.border;
            let index = newer.saturating_sub(1);
            let (from, to, content) = match *opened.fields {
                [from, to, content] => (named(border, from)?, named(border, to)?, content),
                [from, to, content, _] => (End::Given(from), End::Given(to), content),
                [number, name] => {
                    return border.keep_name(border.number(number)? as usize, name).map(Some);
                }
                [other] => {
                    let path = format!("contextMessages[{index}]");
                    return Err(wrong(border, path, other, "an object"));
                }
                _ => return Ok(None),
            };
            newer = index;
            let message = JsMessage { border, index, from, to, content, is_left, wide: &self.wide };
            self.wide.borrow_mut().well_formed = true;
            let next = read(index, &message)?;
            let well_formed = self.wide.borrow().well_formed;
            next.is_continue().then(|| border.boolean(well_formed)).transpose()
        });
        next.map(drop)
    }
}

/// Who is at one end of a message.
#[derive(Clone, Copy)]
enum End<'s> {
    /// The number of a name that was handed over before.
    Known(usize),
    /// What the caller gave, whatever it is.
    Given(Value<'s>),
}

fn named<'s>(border: Border<'s>, number: Value<'s>) -> Result<End<'s>, Failure> {
    Ok(End::Known(border.number(number)? as usize))
}

struct JsMessage<'s, 'w> {
    border: Border<'s>,
    index: usize,
    from: End<'s>,
    to: End<'s>,
    content: Value<'s>,
    /// Whether the content is left with the caller's others.
    is_left: bool,
    wide: &'w RefCell<Wide>,
}

impl<'s> JsMessage<'s, '_> {
    fn not_a_string(&self, value: Value, name: &str) -> Failure {
        let path = format!("contextMessages[{}].{name}", self.index);
        wrong(self.border, path, value, "a string")
    }
}

impl Fields for JsMessage<'_, '_> {
    type Error = Failure;

    fn push_from(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
        let from = match self.from {
            End::Known(number) => return self.border.push_name(number, out),
            End::Given(from) => from,
        };
        match self.border.append_utf8(from, out, usize::MAX)? {
            Appended::NoString => Err(self.not_a_string(from, "from")),
            Appended::Whole | Appended::TooLong => Ok(()),
        }
    }

    fn push_to(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
        let to = match self.to {
            End::Known(number) => return self.border.push_name(number, out),
            End::Given(to) => to,
        };
        match self.border.append_utf8(to, out, usize::MAX)? {
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
        wide.well_formed = !self.is_left || out[start..].is_ascii();
        match appended {
            Appended::Whole => Ok(true),
            Appended::TooLong => Ok(false),
            Appended::NoString => Err(self.not_a_string(content, "content")),
        }
    }

    fn content_bytes(&self, room: usize) -> Result<Option<usize>, Failure> {
        let mut wide = self.wide.borrow_mut();
        let Wide { expected, units, bytes, well_formed } = &mut *wide;
        if !*expected {
            bytes.clear();
            return match self.border.append_utf8(self.content, bytes, room)? {
                Appended::Whole => {
                    (*expected, *well_formed) = (is_wide(bytes.as_slice()), bytes.is_ascii());
                    Ok(Some(bytes.len()))
                }
                Appended::TooLong => Ok(None),
                Appended::NoString => Err(self.not_a_string(self.content, "content")),
            };
        }
        match self.border.read_utf16(self.content, room, units)? {
            Appended::Whole => {}
            Appended::TooLong => return Ok(None),
            Appended::NoString => return Err(self.not_a_string(self.content, "content")),
        }
        *expected = is_wide(units.as_slice());
        let measured = measure_utf16(units);
        *well_formed = measured.well_formed;
        Ok(Some(measured.bytes).filter(|bytes| *bytes <= room))
    }
}
