//! Prompts that have nothing but texts and a conversation: JavaScript fills in the layout's template
//! (`lib/prompts/plain.ts`). What is decided and converted for it is here.
//!
//! A text is a row of two numbers: where it begins, in units of UTF-16 in memory, and its length. The
//! first row is what follows the messages; then come their lines, newest first.

use super::memory::{JsBytes, JsNumbers};
use super::scratch;
use crate::budget;
use crate::error::Error;
use crate::text::{FixedSink, Sink, measure_utf16, push_utf16};
use napi_derive::napi;

const COLUMNS: usize = 2;

fn rows(numbers: &[f64], count: f64) -> Result<&[[f64; COLUMNS]], Error> {
    numbers.as_chunks().0.get(..count as usize).ok_or_else(incomplete)
}

fn incomplete() -> Error {
    Error::Internal("a text was not passed, or has no room".to_owned())
}

fn text<'m>(units: &'m [u16], [start, length]: &[f64; COLUMNS]) -> Result<&'m [u16], Error> {
    units.get(*start as usize..(*start + *length) as usize).ok_or_else(incomplete)
}

/// Puts into the first row how many of the newest lines fit, and their bytes. Without memory, a unit is a
/// byte. Returns whether the lines that were measured have no lone surrogates.
#[napi(catch_unwind)]
pub fn newest_that_fit(
    #[napi(ts_arg_type = "Uint8Array | undefined")] memory: Option<JsBytes>,
    #[napi(ts_arg_type = "Float64Array")] mut numbers: JsNumbers,
    count: f64,
    room: f64,
) -> napi::Result<bool> {
    let mut well_formed = true;
    let lines = rows(numbers.numbers(), count)?.get(1..).unwrap_or_default();
    let units = memory.as_ref().map(|memory| memory.texts().units);
    let sizes = lines.iter().map(|row| match units {
        None => row[1] as usize,
        Some(units) => {
            let measured = text(units, row).map(measure_utf16);
            well_formed &= measured.as_ref().is_ok_and(|measured| measured.well_formed);
            measured.map_or(usize::MAX, |measured| measured.bytes)
        }
    });
    let kept = budget::newest_that_fit(sizes, room as usize);
    numbers.set(0, kept.lines as f64);
    numbers.set(1, kept.bytes as f64);
    Ok(well_formed)
}

/// Writes the texts, the last one first, as UTF-8.
#[napi(catch_unwind)]
pub fn write_texts(
    #[napi(ts_arg_type = "Uint8Array")] memory: JsBytes,
    #[napi(ts_arg_type = "Float64Array")] numbers: JsNumbers,
    count: f64,
    #[napi(ts_arg_type = "Uint8Array")] mut into: JsBytes,
    offset: f64,
) -> napi::Result<()> {
    let free = into.memory().get_mut(offset as usize..).ok_or_else(incomplete)?;
    let (mut left, mut sink) = (free.len(), FixedSink::new(free));
    let mut bytes = scratch::bytes();
    for row in rows(numbers.numbers(), count)?.iter().rev() {
        bytes.clear();
        push_utf16(text(memory.texts().units, row)?, &mut bytes);
        left = left.checked_sub(bytes.len()).ok_or_else(incomplete)?;
        sink.push(&bytes);
    }
    scratch::keep_bytes(bytes);
    Ok(())
}
