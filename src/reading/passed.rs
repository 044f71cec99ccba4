//! Messages that a caller passes together: a row of numbers for each, and their texts in memory.
//!
//! Nothing is read twice or copied to find a message, so a caller may pass more than is needed. A row
//! has these columns:
//!
//! | column | contents |
//! | --- | --- |
//! | [`INDEX`] | the index in the caller's list |
//! | [`FROM`], [`TO`] | the numbers of two names |
//! | [`CONTENT`] | what was passed of the content: nothing (0), [`ASCII`], [`WIDE`], [`SIZE`], [`PARTS`] |
//! | [`START`], [`LENGTH`] | where the content is; for [`SIZE`], its bytes |
//! | [`TOKENS`] | what a caller-supplied function has counted; -1 if it has not |
//!
//! A name is a row of its own: the same `CONTENT`, `START` and `LENGTH`.

use super::wanted::Need;
use crate::conversation::GivenMessage;
use crate::error::Error;
use crate::parts::MessagePart;
use crate::text::{push_utf16, utf8_bytes};
use crate::visibility::AddressedTo;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BTreeMap;

const INDEX: usize = 0;
const FROM: usize = 1;
const TO: usize = 2;
const CONTENT: usize = 3;
const START: usize = 4;
const LENGTH: usize = 5;
const TOKENS: usize = 6;

/// The columns of a message.
pub const COLUMNS: usize = 7;
/// The columns of a name.
pub const NAME_COLUMNS: usize = 3;

/// A text that has only ASCII.
pub const ASCII: u32 = 1;
/// A text in UTF-16.
pub const WIDE: u32 = 2;
/// Only the size of the content.
pub const SIZE: u32 = 3;
/// The message has parts instead of a content.
pub const PARTS: u32 = 4;

/// The memory that texts are in. `units` may be the same memory as `bytes`, seen as UTF-16.
#[derive(Debug, Clone, Copy, Default)]
pub struct Memory<'m> {
    /// For texts of ASCII.
    pub bytes: &'m [u8],
    /// For texts in UTF-16.
    pub units: &'m [u16],
    /// Whether every text is in UTF-16, whatever its row says.
    pub is_wide: bool,
}

/// What few messages have.
#[derive(Debug, Clone, Default)]
pub struct Extras {
    /// The addressees, if they were given as an array.
    pub names: Option<Vec<String>>,
    /// The parts.
    pub parts: Option<Vec<MessagePart>>,
}

/// Messages that were passed together.
#[derive(Debug, Default)]
pub struct Passed<'m> {
    rows: &'m [[f64; COLUMNS]],
    names: &'m [[f64; NAME_COLUMNS]],
    memory: Memory<'m>,
    /// By row.
    extras: BTreeMap<usize, Extras>,
    /// The rows, newest message first; empty if they are in that order.
    order: Vec<usize>,
    /// The place after the one that was found last.
    next: Cell<usize>,
}

/// One of them.
pub(super) struct PassedMessage<'p> {
    passed: &'p Passed<'p>,
    row: &'p [f64; COLUMNS],
    extras: Option<&'p Extras>,
}

#[derive(Clone, Copy)]
enum PassedText<'m> {
    Ascii(&'m [u8]),
    Wide(&'m [u16]),
}

impl<'m> Passed<'m> {
    /// Messages in rows, with names in rows, and what few of the messages have, by row.
    pub fn new(
        rows: &'m [[f64; COLUMNS]],
        names: &'m [[f64; NAME_COLUMNS]],
        memory: Memory<'m>,
        extras: BTreeMap<usize, Extras>,
    ) -> Self {
        let mut order = Vec::new();
        if !rows.is_sorted_by(|newer, older| newer[INDEX] > older[INDEX]) {
            order.extend(0..rows.len());
            order.sort_by_key(|row| Reverse(rows[*row][INDEX] as usize));
        }
        Passed { rows, names, memory, extras, order, next: Cell::new(0) }
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A message, if as much of it as is needed was passed.
    pub(super) fn message(
        &self,
        index: usize,
        need: Need,
        is_counted: bool,
    ) -> Option<PassedMessage<'_>> {
        let is_wanted = |place: &usize| self.index_at(*place) == Some(index);
        let place = Some(self.next.get()).filter(is_wanted).unwrap_or_else(|| self.place_of(index));
        let has = |place: &usize| {
            let row = self.row_at(*place);
            self.has(row, need) && (!is_counted || self.rows[row][TOKENS] >= 0.0)
        };
        let place = (place..).take_while(is_wanted).find(has)?;
        self.next.set(place + 1);
        let row = self.row_at(place);
        Some(PassedMessage { passed: self, row: &self.rows[row], extras: self.extras.get(&row) })
    }

    /// The first place at which a message may stand.
    fn place_of(&self, index: usize) -> usize {
        let (mut start, mut end) = (0, self.rows.len());
        while start < end {
            let middle = start + (end - start) / 2;
            let is_before = self.index_at(middle).is_some_and(|found| found > index);
            if is_before { start = middle + 1 } else { end = middle }
        }
        start
    }

    fn row_at(&self, place: usize) -> usize {
        self.order.get(place).copied().unwrap_or(place)
    }

    fn index_at(&self, place: usize) -> Option<usize> {
        self.rows.get(self.row_at(place)).map(|row| row[INDEX] as usize)
    }

    /// The text with this number: names are numbered from 0.
    pub fn text_at(&self, number: usize) -> Result<String, Error> {
        let mut text = Vec::new();
        self.name(number as f64)?.push(&mut text, usize::MAX);
        // What is passed as ASCII is ASCII.
        Ok(String::from_utf8(text)
            .unwrap_or_else(|text| String::from_utf8_lossy(text.as_bytes()).into_owned()))
    }

    fn has(&self, at: usize, need: Need) -> bool {
        match self.rows[at][CONTENT] as u32 {
            ASCII | WIDE | PARTS => true,
            SIZE => need != Need::Content,
            _ => need == Need::Names,
        }
    }

    fn text(&self, kind: f64, start: f64, length: f64) -> Result<PassedText<'m>, Error> {
        let range = start as usize..(start + length) as usize;
        let text = match kind as u32 == WIDE || self.memory.is_wide {
            true => self.memory.units.get(range).map(PassedText::Wide),
            false => self.memory.bytes.get(range).map(PassedText::Ascii),
        };
        text.ok_or_else(|| Error::Internal("a text is not in memory".to_owned()))
    }

    fn name(&self, number: f64) -> Result<PassedText<'m>, Error> {
        match self.names.get(number as usize) {
            Some([kind, start, length]) => self.text(*kind, *start, *length),
            None => Err(Error::Internal("a name was not passed".to_owned())),
        }
    }
}

impl PassedText<'_> {
    /// Appends the text as UTF-8, unless it has more than `room` bytes.
    fn push(self, out: &mut Vec<u8>, room: usize) -> bool {
        match self {
            PassedText::Ascii(text) if text.len() <= room => out.extend_from_slice(text),
            PassedText::Wide(text) if text.len() <= room => {
                let start = out.len();
                push_utf16(text, out);
                if out.len() - start > room {
                    out.truncate(start);
                    return false;
                }
            }
            _ => return false,
        }
        true
    }

    fn bytes(self) -> usize {
        match self {
            PassedText::Ascii(text) => text.len(),
            PassedText::Wide(text) => utf8_bytes(text),
        }
    }
}

impl PassedMessage<'_> {
    fn content(&self) -> Result<PassedText<'_>, Error> {
        self.passed.text(self.row[CONTENT], self.row[START], self.row[LENGTH])
    }

    /// How many units its content has.
    pub fn content_units(&self) -> usize {
        match self.row[CONTENT] as u32 {
            WIDE | ASCII => self.row[LENGTH] as usize,
            _ => 0,
        }
    }
}

impl GivenMessage for PassedMessage<'_> {
    fn push_from(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        self.passed.name(self.row[FROM])?.push(out, usize::MAX);
        Ok(())
    }

    fn push_to(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        self.passed.name(self.row[TO])?.push(out, usize::MAX);
        Ok(())
    }

    fn addressed_to(&self) -> Result<AddressedTo, Error> {
        if let Some(names) = self.extras.and_then(|extras| extras.names.as_ref()) {
            return Ok(AddressedTo::Names(names.clone()));
        }
        let mut to = Vec::new();
        self.push_to(&mut to)?;
        Ok(AddressedTo::Text(String::from_utf8_lossy(&to).into_owned()))
    }

    fn push_content(&self, out: &mut Vec<u8>, room: usize) -> Result<bool, Error> {
        Ok(self.content()?.push(out, room))
    }

    fn wide_content(&self) -> Result<Option<&[u16]>, Error> {
        match self.content()? {
            PassedText::Wide(units) => Ok(Some(units)),
            PassedText::Ascii(_) => Ok(None),
        }
    }

    fn content_bytes(&self) -> Result<usize, Error> {
        match self.row[CONTENT] as u32 {
            SIZE => Ok(self.row[LENGTH] as usize),
            _ => Ok(self.content()?.bytes()),
        }
    }

    fn parts(&self) -> Option<&[MessagePart]> {
        self.extras?.parts.as_deref()
    }

    fn tokens(&self) -> usize {
        self.row[TOKENS] as usize
    }
}
