//! What JavaScript passes together: texts in one string or one array of bytes, and numbers that say where
//! each text is. `lib/prompts/gather.ts` writes them.
//!
//! The numbers are a [`Header`], the rows of messages and the rows of texts: first the texts of the input,
//! then names. A small prompt crosses as one string, because reading it takes one call.

use super::fields::{PartFields, parts_of};
use super::memory::{JsBytes, JsNumbers, StringOrBytes};
use super::scratch;
use crate::error::Error;
use crate::reading::{COLUMNS, Extras, Memory, NAME_COLUMNS, Passed};
use napi_derive::napi;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::mem;

/// The numbers before all rows.
#[derive(Clone, Copy)]
pub struct Header<'n>(&'n [f64]);

const HEADER: usize = 10;

/// A new Buffer.
pub const BUFFER: usize = 1;
/// The caller's memory.
pub const INTO: usize = 2;
/// No prompt is made.
pub const NO_PROMPT: usize = 3;

impl Header<'_> {
    fn number(self, at: usize) -> usize {
        self.0.get(at).copied().unwrap_or_default() as usize
    }

    fn rows(self) -> usize {
        self.number(0)
    }

    fn texts(self) -> usize {
        self.number(1)
    }

    /// How many messages the caller has.
    pub fn count(self) -> usize {
        self.number(2)
    }

    /// The form of the prompt: one of [`BUFFER`], [`INTO`], [`NO_PROMPT`], or 0 for a string.
    pub fn form(self) -> usize {
        self.number(3)
    }

    /// Where in the caller's memory the prompt begins.
    pub fn offset(self) -> usize {
        self.number(4)
    }

    pub fn report(self) -> bool {
        self.number(5) != 0
    }

    pub fn debug(self) -> bool {
        self.number(6) != 0
    }

    /// Whether the prompt is only needed as a string.
    pub fn is_string(self) -> bool {
        self.form() == 0 && !self.report() && !self.debug()
    }

    /// The budget.
    pub fn max_bytes(self) -> usize {
        self.number(7)
    }

    /// How many texts the system instruction has.
    pub fn instructions(self) -> usize {
        self.number(8)
    }

    /// How many messages are shown at most.
    pub fn max_messages(self) -> usize {
        self.number(9)
    }
}

/// What few messages have: the row, the addressees if they are an array, and the parts.
#[napi]
pub type ExtraFields = (f64, Option<Vec<String>>, Option<Vec<PartFields>>);

/// The texts that were passed.
pub enum JsTexts {
    /// In memory of our own JavaScript.
    Bytes(JsBytes),
    /// As one string, read into memory of this side.
    Ascii(Vec<u8>),
    /// The same for one that is not ASCII.
    Wide(Vec<u16>),
}

thread_local! {
    /// Whether the last string was not ASCII.
    static EXPECT_WIDE: Cell<bool> = const { Cell::new(false) };
}

impl JsTexts {
    pub fn read(given: StringOrBytes) -> Result<Self, Error> {
        let text = match given {
            StringOrBytes::Bytes(bytes) => return Ok(JsTexts::Bytes(bytes)),
            StringOrBytes::String(text) => text,
        };
        if !EXPECT_WIDE.get() {
            let mut bytes = scratch::bytes();
            text.append_utf8(&mut bytes, usize::MAX)?;
            if bytes.is_ascii() {
                return Ok(JsTexts::Ascii(bytes));
            }
            scratch::keep_bytes(bytes);
        }
        let mut units = scratch::units();
        text.read_utf16(usize::MAX, &mut units)?;
        EXPECT_WIDE.set(units.iter().any(|unit| *unit >= 0x80));
        Ok(JsTexts::Wide(units))
    }

    fn memory(&self) -> Memory<'_> {
        match self {
            JsTexts::Bytes(bytes) => bytes.texts(),
            JsTexts::Ascii(bytes) => Memory { bytes, ..Memory::default() },
            JsTexts::Wide(units) => Memory { units, is_wide: true, ..Memory::default() },
        }
    }
}

impl Drop for JsTexts {
    fn drop(&mut self) {
        match self {
            JsTexts::Bytes(_) => {}
            JsTexts::Ascii(bytes) => scratch::keep_bytes(mem::take(bytes)),
            JsTexts::Wide(units) => scratch::keep_units(mem::take(units)),
        }
    }
}

/// The header, and the messages and texts behind it.
pub fn passed<'n>(
    numbers: &'n JsNumbers,
    texts: &'n JsTexts,
    extras: Option<Vec<ExtraFields>>,
) -> Result<(Header<'n>, Passed<'n>), Error> {
    let incomplete = || Error::Internal("the messages were not passed".to_owned());
    let (header, rest) = numbers.numbers().split_at_checked(HEADER).ok_or_else(incomplete)?;
    let header = Header(header);
    let (rows, rest) = rest.split_at_checked(header.rows() * COLUMNS).ok_or_else(incomplete)?;
    let names = rest.get(..header.texts() * NAME_COLUMNS).ok_or_else(incomplete)?;
    let extra = |(row, names, parts): ExtraFields| {
        let parts = parts.map(|parts| parts_of(Some(parts)));
        (row as usize, Extras { names, parts })
    };
    let extras: BTreeMap<usize, Extras> = extras.into_iter().flatten().map(extra).collect();
    let (rows, names) = (rows.as_chunks().0, names.as_chunks().0);
    Ok((header, Passed::new(rows, names, texts.memory(), extras)))
}
