//! A message that JavaScript passes, as the core reads it: straight into the core's buffer.

use super::scratch;
use super::strings::{JsString, ReadString, is_wide};
use crate::error::Error;
use crate::parts::MessagePart;
use crate::reading::GivenMessage;
use crate::text::measure_utf16;
use crate::visibility::{AddressedTo, folded};
use napi_derive::napi;
use std::cell::RefCell;

/// A name as names are compared.
#[napi(catch_unwind)]
pub fn folded_name(name: String) -> String {
    folded(&name)
}

/// Sender, addressee and content of a message.
pub struct PassedMessage<'r> {
    pub from: JsString,
    /// Several with `, ` between them; empty if the message does not say.
    pub to: JsString,
    /// The addressees, if they were given as an array.
    pub names: Option<Vec<String>>,
    pub content: JsString,
    /// What a caller-supplied function has counted.
    pub tokens: usize,
    pub contents: &'r RefCell<ContentReader>,
    /// Its parts, if it has some instead of a content.
    pub parts: Option<Vec<MessagePart>>,
}

/// How contents are read. Messages of one conversation are mostly in one script, so each is read
/// the way that was best for the one before.
pub struct ContentReader {
    pub expect_wide: bool,
    units: Vec<u16>,
    /// For contents that are only measured.
    bytes: Vec<u8>,
    /// How many messages were passed before this one.
    pub passed: u32,
    /// Which of them may have lone surrogates, which JavaScript has to replace if it joins them.
    pub unrepaired: Vec<u32>,
}

impl ContentReader {
    /// Messages are expected to be in the script of this text.
    pub fn like(sample: &str) -> Self {
        let expect_wide = is_wide(sample.as_bytes());
        let (units, bytes) = (scratch::units(), Vec::new());
        ContentReader { expect_wide, units, bytes, passed: 0, unrepaired: Vec::new() }
    }
}

impl ContentReader {
    fn note_unrepaired(&mut self) {
        if self.unrepaired.last() != Some(&self.passed) {
            self.unrepaired.push(self.passed);
        }
    }
}

impl Drop for ContentReader {
    fn drop(&mut self) {
        scratch::keep_units(std::mem::take(&mut self.units));
    }
}

impl GivenMessage for PassedMessage<'_> {
    fn push_from(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        self.from.append_utf8(out, usize::MAX).map(drop)
    }

    fn push_to(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        self.to.append_utf8(out, usize::MAX).map(drop)
    }

    fn addressed_to(&self) -> Result<AddressedTo, Error> {
        match &self.names {
            Some(names) => Ok(AddressedTo::Names(names.clone())),
            None => Ok(AddressedTo::Text(self.to.read()?)),
        }
    }

    fn push_content(&self, out: &mut Vec<u8>, room: usize) -> Result<bool, Error> {
        let start = out.len();
        let mut reader = self.contents.borrow_mut();
        let read = match reader.expect_wide {
            true => self.content.append_utf8_wide(out, room, &mut reader.units)?,
            false => self.content.append_utf8(out, room)?,
        };
        reader.expect_wide = is_wide(&out[start..]);
        // They were replaced on the way, so any text beyond ASCII may have had some.
        if !out[start..].is_ascii() {
            reader.note_unrepaired();
        }
        Ok(read == ReadString::Whole)
    }

    fn content_bytes(&self, room: usize) -> Result<Option<usize>, Error> {
        let mut reader = self.contents.borrow_mut();
        let ContentReader { expect_wide, units, bytes, .. } = &mut *reader;
        if !*expect_wide {
            bytes.clear();
            if self.content.append_utf8(bytes, room)? == ReadString::TooLong {
                return Ok(None);
            }
            *expect_wide = is_wide(bytes.as_slice());
            let size = bytes.len();
            if !bytes.is_ascii() {
                reader.note_unrepaired();
            }
            return Ok(Some(size));
        }
        if self.content.read_utf16(room, units)? == ReadString::TooLong {
            return Ok(None);
        }
        *expect_wide = is_wide(units.as_slice());
        let measured = measure_utf16(units);
        if !measured.well_formed {
            reader.note_unrepaired();
        }
        Ok(Some(measured.bytes).filter(|bytes| *bytes <= room))
    }

    fn parts(&self) -> Option<&[MessagePart]> {
        self.parts.as_deref()
    }

    fn tokens(&self) -> usize {
        self.tokens
    }
}
