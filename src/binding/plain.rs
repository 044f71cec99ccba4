//! Prompts that have nothing but texts and a conversation: JavaScript fills in the layout's template
//! (`lib/prompts/plain.ts`). What is decided and converted for it is here.
//!
//! A text is a row of two numbers: where it begins, in units of UTF-16 in memory, and its length. The
//! first row is what follows the messages; then come their lines, newest first.

use super::memory::{JsBytes, JsNumbers, new_buffer};
use super::scratch;
use crate::budget;
use crate::error::Error;
use crate::text::{FixedSink, Sink, measure_utf16, push_utf16, utf8_bytes};
use napi::bindgen_prelude::ToNapiValue;
use napi::{Env, Unknown};
use napi_derive::napi;
use std::mem::MaybeUninit;

const COLUMNS: usize = 2;

/// The lines that fit.
#[napi(object, object_from_js = false)]
pub struct NewestLines {
    pub count: f64,
    /// Whether the lines that were measured have no lone surrogates.
    pub well_formed: bool,
}

fn rows(numbers: &JsNumbers, count: f64) -> Result<&[[f64; COLUMNS]], Error> {
    let rows = numbers.numbers().as_chunks().0;
    rows.get(..count as usize).ok_or_else(|| Error::Internal("there are fewer texts".to_owned()))
}

fn text<'m>(units: &'m [u16], [start, length]: &[f64; COLUMNS]) -> &'m [u16] {
    units.get(*start as usize..(*start + *length) as usize).unwrap_or_default()
}

/// How many of the newest lines fit. Without memory, a unit is a byte.
#[napi(catch_unwind)]
pub fn newest_that_fit(
    #[napi(ts_arg_type = "Uint8Array | undefined")] memory: Option<JsBytes>,
    #[napi(ts_arg_type = "Float64Array")] numbers: JsNumbers,
    count: f64,
    room: f64,
) -> napi::Result<NewestLines> {
    let lines = rows(&numbers, count)?.get(1..).unwrap_or_default();
    let mut well_formed = true;
    let sizes = lines.iter().map(|row| match &memory {
        None => row[1] as usize,
        Some(memory) => {
            let measured = measure_utf16(text(memory.texts().units, row));
            well_formed &= measured.well_formed;
            measured.bytes
        }
    });
    let count = budget::newest_that_fit(sizes, room as usize) as f64;
    Ok(NewestLines { count, well_formed })
}

/// Writes the texts, the last one first, as UTF-8: a new Buffer, or the number of bytes in the caller's
/// memory; nothing if they do not fit there.
#[napi(catch_unwind, ts_return_type = "Buffer | number | undefined")]
pub fn write_texts<'e>(
    env: &'e Env,
    #[napi(ts_arg_type = "Uint8Array")] memory: JsBytes,
    #[napi(ts_arg_type = "Float64Array")] numbers: JsNumbers,
    count: f64,
    #[napi(ts_arg_type = "Uint8Array | undefined")] into: Option<JsBytes>,
    offset: f64,
) -> napi::Result<Unknown<'e>> {
    let (units, rows) = (memory.texts().units, rows(&numbers, count)?);
    let size = rows.iter().map(|row| utf8_bytes(text(units, row))).sum();
    let write = |target: &mut [MaybeUninit<u8>]| {
        let mut sink = FixedSink::new(target);
        let mut bytes = scratch::bytes();
        for row in rows.iter().rev() {
            bytes.clear();
            push_utf16(text(units, row), &mut bytes);
            sink.push(&bytes);
        }
        scratch::keep_bytes(bytes);
    };
    let Some(mut into) = into else { return Ok(new_buffer(env, size, write)?) };
    let free = into.memory().get_mut(offset as usize..).and_then(|free| free.get_mut(..size));
    match free.map(write) {
        Some(()) => (size as f64).into_unknown(env),
        None => ().into_unknown(env),
    }
}
