//! The caller's message array, as the core reads it: one message at a time, straight
//! into the core's buffer.

use super::fields::Field;
use super::names::NameTable;
use super::tokenizer::call_tokenizer;
use crate::binding::failure::Failure;
use crate::binding::node_api::{
    Kind, MessageKind, ReadString, Scope, Value, Visited, VisitedMessage, is_wide, native_function,
    receive, visit_messages, whole,
};
use crate::binding::scratch;
use crate::binding::write::output::OutputRequest;
use crate::pins::Pins;
use crate::text::{measure_utf16, trim_js};
use crate::transcript::{Fields, MessageSource, Visitor};
use crate::visibility::AddressedTo;
use napi_derive::napi;
use std::cell::RefCell;
use std::ops::{ControlFlow, Range};
use std::rc::Rc;

/// See [`JsMessages::copied_bytes`].
const WORTH_COPYING_BYTES: usize = 64 * 1024;

/// A JS array of messages, none of them read yet.
pub struct JsMessages<'s> {
    scope: Scope<'s>,
    /// The loop of `js/messages.js`.
    visit: Value<'s>,
    names: Rc<NameTable>,
    array: Value<'s>,
    length: u32,
    /// The messages that are pinned, ascending.
    pinned: Vec<usize>,
    /// The messages before which others are missing, ascending.
    gaps_before: Vec<usize>,
    /// Where the loop leaves the contents that it has passed, newest first; undefined if they
    /// are not wanted.
    contents: Value<'s>,
    are_contents_left: bool,
    /// A function of the caller's that counts tokens.
    tokenizer: Option<Value<'s>>,
    reading: RefCell<Reading>,
}

/// What the loop does next.
#[napi]
pub enum NextMessage {
    /// It stops.
    Stop,
    /// It goes on.
    Continue,
    /// It goes on; the content may have lone surrogates.
    ContinueRepairing,
}

native_function! {
    /// Receives a message from the loop of `js/messages.js`. Returns a [`NextMessage`].
    "receiveMessage": ReceiveMessage,
    |scope, kind, from, to, content| {
        let kind = MessageKind::from_number(scope.number(kind)?).ok_or_else(Failure::panicked)?;
        let next = match receive(VisitedMessage { scope, kind, from, to, content }) {
            ControlFlow::Break(()) => NextMessage::Stop,
            ControlFlow::Continue(true) => NextMessage::Continue,
            ControlFlow::Continue(false) => NextMessage::ContinueRepairing,
        };
        scope.double(next as u32 as f64)
    }
}

/// How contents are read. Messages of one conversation are mostly in one script, so each is
/// read the way that was best for the one before.
struct Reading {
    expect_wide: bool,
    units: Vec<u16>,
    /// For contents that are only measured.
    bytes: Vec<u8>,
    /// Whether the last content that was read certainly has no lone surrogates.
    well_formed: bool,
}

impl Drop for Reading {
    fn drop(&mut self) {
        scratch::keep_units(std::mem::take(&mut self.units));
    }
}

impl<'s> JsMessages<'s> {
    /// Messages that the loop `visit` of `js/messages.js` reads, with names by number in
    /// `names`. The loop leaves contents in `contents` if the output is joined of them.
    pub fn new(
        output: &OutputRequest<'s>,
        visit: Value<'s>,
        names: Value<'s>,
        contents: Value<'s>,
    ) -> Result<Self, Failure> {
        let scope = output.scope;
        let are_contents_left = output.wants_joined();
        let contents = if are_contents_left { contents } else { scope.undefined()? };
        Ok(JsMessages {
            scope,
            visit,
            names: Field::new(scope, "names", names).handle()?,
            array: contents,
            length: 0,
            pinned: Vec::new(),
            gaps_before: Vec::new(),
            contents,
            are_contents_left,
            tokenizer: None,
            reading: RefCell::new(Reading {
                expect_wide: false,
                units: scratch::units(),
                bytes: Vec::new(),
                well_formed: true,
            }),
        })
    }

    /// The messages of an array. They are expected to be in the script of `sample`.
    pub fn of_array(self, array: Value<'s>, length: u32, sample: &str) -> Self {
        self.reading.borrow_mut().expect_wide = is_wide(sample.as_bytes());
        JsMessages { array, length, ..self }
    }

    /// The same, with some messages pinned, and others missing before some; both ascending.
    pub fn with_pinned(self, pinned: Vec<usize>, gaps_before: Vec<usize>) -> Self {
        JsMessages { pinned, gaps_before, ..self }
    }

    /// The same, with tokens counted by a function of the caller's.
    pub fn counted_by(self, tokenizer: Option<Value<'s>>) -> Self {
        JsMessages { tokenizer, ..self }
    }

    /// How many bytes of contents are worth copying although the loop leaves them for us: to
    /// make strings of what stands between them costs more than to copy a little ASCII, but
    /// less than to convert other text twice.
    pub fn copied_bytes(&self) -> usize {
        if self.reading.borrow().expect_wide { 0 } else { WORTH_COPYING_BYTES }
    }
}

impl MessageSource for JsMessages<'_> {
    type Error = Failure;

    fn len(&self) -> usize {
        self.length as usize
    }

    fn pins(&self) -> Pins {
        Pins::new(self.pinned.clone(), 0..self.len(), self.gaps_before.clone())
    }

    fn visit_newest(
        &self,
        messages: Range<usize>,
        read: &mut Visitor<Failure>,
    ) -> Result<(), Failure> {
        if messages.is_empty() {
            return Ok(());
        }
        let scope = self.scope;
        let (first, end) =
            (scope.double(messages.start as f64)?, scope.double(messages.end as f64)?);
        let mut newer = messages.end;
        let arguments = [self.array, first, end, self.contents];
        visit_messages(scope, self.visit, &arguments, |message| {
            let index = newer.saturating_sub(1);
            newer = index;
            self.visit(index, message, read)
        })
    }
}

impl JsMessages<'_> {
    fn visit(
        &self,
        index: usize,
        message: VisitedMessage,
        read: &mut Visitor<Failure>,
    ) -> Result<Visited, Failure> {
        if let MessageKind::NotAnObject = message.kind {
            let path = format!("contextMessages[{index}]");
            return Err(Field::new(message.scope, &path, message.content).wrong("an object"));
        }
        self.reading.borrow_mut().well_formed = true;
        let next = read(index, &JsMessage { index, message, messages: self })?;
        Ok(match next {
            ControlFlow::Continue(()) => ControlFlow::Continue(self.reading.borrow().well_formed),
            ControlFlow::Break(()) => ControlFlow::Break(()),
        })
    }
}

struct JsMessage<'i, 'm, 's> {
    index: usize,
    message: VisitedMessage<'i>,
    messages: &'m JsMessages<'s>,
}

impl JsMessage<'_, '_, '_> {
    fn not_a_string(&self, value: Value, name: &str) -> Failure {
        let path = format!("contextMessages[{}].{name}", self.index);
        Field::new(self.message.scope, &path, value).wrong("a string")
    }

    /// The names in an array of addressees, without blank ones.
    fn names_in_array(&self, to: Value) -> Result<Vec<String>, Failure> {
        let path = format!("contextMessages[{}].to", self.index);
        let field = Field::new(self.message.scope, &path, to);
        let mut names = field.string_array("a string or an array of strings")?;
        names.retain(|name| !trim_js(name).is_empty());
        Ok(names)
    }

    /// Appends a name that is known by number. Returns false if it is not.
    fn push_known(&self, name: Value, out: &mut Vec<u8>) -> Result<bool, Failure> {
        match self.message.kind {
            MessageKind::Known => {
                self.messages.names.push(self.message.scope.number(name)?, out)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

impl Fields for JsMessage<'_, '_, '_> {
    type Error = Failure;

    fn push_from(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
        let VisitedMessage { scope, from, .. } = self.message;
        if self.push_known(from, out)? {
            return Ok(());
        }
        match scope.append_utf8(from, out, usize::MAX)? {
            ReadString::NotAString => Err(self.not_a_string(from, "from")),
            read => whole(read),
        }
    }

    fn push_to(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
        let VisitedMessage { scope, to, .. } = self.message;
        if self.push_known(to, out)? {
            return Ok(());
        }
        match scope.append_utf8(to, out, usize::MAX)? {
            ReadString::NotAString if !scope.kind(to)?.is_nothing() => {
                out.extend_from_slice(self.names_in_array(to)?.join(", ").as_bytes());
                Ok(())
            }
            ReadString::NotAString => Ok(()),
            read => whole(read),
        }
    }

    fn addressed_to(&self) -> Result<AddressedTo, Failure> {
        let VisitedMessage { scope, to, kind, .. } = self.message;
        if !matches!(kind, MessageKind::Known) && scope.kind(to)? == Kind::Object {
            return self.names_in_array(to).map(AddressedTo::Names);
        }
        let mut text = Vec::new();
        self.push_to(&mut text)?;
        Ok(AddressedTo::Text(String::from_utf8_lossy(&text).into_owned()))
    }

    fn push_content(&self, out: &mut Vec<u8>, room: usize) -> Result<bool, Failure> {
        let VisitedMessage { scope, content, .. } = self.message;
        let start = out.len();
        let mut reading = self.messages.reading.borrow_mut();
        let read = match reading.expect_wide {
            true => scope.append_utf8_wide(content, out, room, &mut reading.units)?,
            false => scope.append_utf8(content, out, room)?,
        };
        reading.expect_wide = is_wide(&out[start..]);
        reading.well_formed = !self.messages.are_contents_left || out[start..].is_ascii();
        match read {
            ReadString::Whole => Ok(true),
            ReadString::TooLong => Ok(false),
            ReadString::NotAString => Err(self.not_a_string(content, "content")),
        }
    }

    fn counted_tokens(&self) -> Result<usize, Failure> {
        let VisitedMessage { scope, content, .. } = self.message;
        let Some(tokenizer) = self.messages.tokenizer else { return Ok(0) };
        call_tokenizer(scope, tokenizer, content)
    }

    fn content_bytes(&self, room: usize) -> Result<Option<usize>, Failure> {
        let VisitedMessage { scope, content, .. } = self.message;
        let mut reading = self.messages.reading.borrow_mut();
        let Reading { expect_wide, units, bytes, well_formed } = &mut *reading;
        if !*expect_wide {
            bytes.clear();
            return match scope.append_utf8(content, bytes, room)? {
                ReadString::Whole => {
                    (*expect_wide, *well_formed) = (is_wide(bytes.as_slice()), bytes.is_ascii());
                    Ok(Some(bytes.len()))
                }
                ReadString::TooLong => Ok(None),
                ReadString::NotAString => Err(self.not_a_string(content, "content")),
            };
        }
        match scope.read_utf16(content, room, units)? {
            ReadString::Whole => {}
            ReadString::TooLong => return Ok(None),
            ReadString::NotAString => return Err(self.not_a_string(content, "content")),
        }
        *expect_wide = is_wide(units.as_slice());
        let measured = measure_utf16(units);
        *well_formed = measured.well_formed;
        Ok(Some(measured.bytes).filter(|bytes| *bytes <= room))
    }
}
