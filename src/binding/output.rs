//! A prompt in the form that the caller asked for.

use super::memory::{JsBytes, new_buffer};
use super::scratch;
use super::strings::NewString;
use crate::assemble::Assembly;
use crate::debug;
use crate::error::Error;
use crate::text::push_utf8;
use crate::text::{FixedSink, Sink};
use napi::bindgen_prelude::{Object, ToNapiValue};
use napi::{Env, Unknown};
use napi_derive::napi;
use std::mem::MaybeUninit;

/// Up to this size, a Buffer of ASCII crosses as a string, of which JavaScript makes one in memory
/// that Node has ready: Node-API takes half a microsecond longer for a new Buffer. Then a call for a
/// Buffer takes 1.1 × as long as one for a string, instead of 1.2 ×.
const SMALL_BUFFER_BYTES: usize = 2048;

/// A run of ASCII of this size is a string of its own in a text that has other characters.
const MIN_PIECE_BYTES: usize = 64 * 1024;

/// The form of the prompt, and what the caller wants with it.
pub struct Form {
    target: Target,
    /// Whether a report is made.
    pub report: bool,
    debug: bool,
}

enum Target {
    String,
    Buffer,
    Into { memory: JsBytes, offset: usize },
}

impl Form {
    /// `into` goes before `buffer`.
    pub fn new(
        buffer: bool,
        into: Option<JsBytes>,
        offset: f64,
        report: bool,
        debug: bool,
    ) -> Self {
        let target = match into {
            Some(memory) => Target::Into { memory, offset: offset as usize },
            None if buffer => Target::Buffer,
            None => Target::String,
        };
        Form { target, report, debug }
    }
}

/// Whether this value of `DEBUG` asks for our output.
#[napi(catch_unwind)]
pub fn is_debug_wanted(debug: String) -> bool {
    debug::is_wanted(&debug)
}

/// Writes a prompt; a request to an API as JSON. Where there is more to say, sets properties that `result`
/// has already, so that no setter of a prototype is called: `systemFlag`, `report` (JSON), and for a long
/// string `pieces`, which come before what is returned. `stable_prefix` is called with a prompt that is
/// reported.
pub fn write<'e>(
    env: &'e Env,
    assembly: &Assembly,
    form: Form,
    mut result: Object,
    stable_prefix: impl FnOnce(&[u8]) -> Option<usize>,
) -> napi::Result<Unknown<'e>> {
    if form.debug {
        debug::write(&with_bytes(assembly, |bytes| assembly.debug_text(bytes))?);
    }
    if form.report {
        let mut report = assembly.report();
        report.stable_prefix_bytes = with_bytes(assembly, stable_prefix)?;
        let json = serde_json::to_string(&report)
            .map_err(|error| Error::Internal(format!("the report is not JSON: {error}")))?;
        result.set("report", NewString::from(json.as_str()))?;
    }
    if let Some(request) = assembly.request()? {
        return NewString::from(request.as_str()).into_unknown(env);
    }
    let written = match form.target {
        Target::String => TextSink::write(env, assembly, &mut result)?,
        Target::Buffer if assembly.prompt_bytes <= SMALL_BUFFER_BYTES => {
            with_bytes(assembly, |bytes| match bytes.is_ascii() {
                true => NewString::Utf8(bytes).into_unknown(env),
                false => Ok(prompt_buffer(env, assembly)?),
            })??
        }
        Target::Buffer => prompt_buffer(env, assembly)?,
        Target::Into { mut memory, offset } => {
            let required_bytes = assembly.prompt_bytes;
            let memory = memory.memory();
            let available_bytes = memory.len().saturating_sub(offset);
            if offset > memory.len() || required_bytes > available_bytes {
                let error = Error::BufferTooSmall { required_bytes, available_bytes, offset };
                return Err(error.into());
            }
            let target = &mut memory[offset..offset + required_bytes];
            assembly.write(&mut FixedSink::new(target));
            (required_bytes as f64).into_unknown(env)?
        }
    };
    if let Some(flag) = assembly.system_flag() {
        result.set("systemFlag", NewString::from(flag))?;
    }
    Ok(written)
}

fn prompt_buffer<'e>(env: &'e Env, assembly: &Assembly) -> Result<Unknown<'e>, Error> {
    let fill = |memory: &mut [MaybeUninit<u8>]| assembly.write(&mut FixedSink::new(memory));
    new_buffer(env, assembly.prompt_bytes, fill)
}

/// Lets `read` see the prompt as bytes.
fn with_bytes<R>(assembly: &Assembly, read: impl FnOnce(&[u8]) -> R) -> Result<R, Error> {
    if let Some(request) = assembly.unmarked_request()? {
        return Ok(read(request.as_bytes()));
    }
    let mut bytes = scratch::bytes();
    bytes.reserve(assembly.prompt_bytes);
    assembly.write(&mut bytes);
    let result = read(&bytes);
    scratch::keep_bytes(bytes);
    Ok(result)
}

/// Collects a string.
///
/// A string with one character beyond Latin-1 takes two bytes for each: long runs of ASCII are strings
/// of their own then, which JavaScript puts together. Otherwise a message of megabytes that is cut,
/// with an omission line in it, would take the memory of two or three prompts.
struct TextSink<'e> {
    env: &'e Env,
    /// The text as long as it is ASCII.
    ascii: Vec<u8>,
    /// The text from the first character on that is not.
    units: Vec<u16>,
    /// What stands before these.
    pieces: Vec<napi::Result<Unknown<'e>>>,
}

impl<'e> TextSink<'e> {
    fn write(env: &'e Env, assembly: &Assembly, result: &mut Object) -> napi::Result<Unknown<'e>> {
        let mut sink =
            TextSink { env, ascii: scratch::bytes(), units: scratch::units(), pieces: Vec::new() };
        assembly.write(&mut sink);
        let last = sink.current()?;
        if !sink.pieces.is_empty() {
            let pieces: napi::Result<Vec<_>> = sink.pieces.drain(..).collect();
            result.set("pieces", pieces?)?;
        }
        scratch::keep_bytes(sink.ascii);
        scratch::keep_units(sink.units);
        Ok(last)
    }

    /// The text since the last piece.
    fn current(&self) -> napi::Result<Unknown<'e>> {
        match self.units.is_empty() {
            true => NewString::Utf8(&self.ascii).into_unknown(self.env),
            false => NewString::Utf16(&self.units).into_unknown(self.env),
        }
    }

    fn end_piece(&mut self) {
        self.pieces.push(self.current());
        self.ascii.clear();
        self.units.clear();
    }
}

impl Sink for TextSink<'_> {
    fn push(&mut self, bytes: &[u8]) {
        if self.units.is_empty() {
            if bytes.is_ascii() {
                self.ascii.extend_from_slice(bytes);
                return;
            }
            if self.ascii.len() >= MIN_PIECE_BYTES {
                self.end_piece();
            }
            push_utf8(&self.ascii, &mut self.units);
            self.ascii.clear();
        } else if bytes.len() >= MIN_PIECE_BYTES && bytes.is_ascii() {
            self.end_piece();
            self.ascii.extend_from_slice(bytes);
            return;
        }
        push_utf8(bytes, &mut self.units);
    }

    fn push_units(&mut self, units: &[u16]) {
        if self.units.is_empty() {
            if self.ascii.len() >= MIN_PIECE_BYTES {
                self.end_piece();
            }
            push_utf8(&self.ascii, &mut self.units);
            self.ascii.clear();
        }
        self.units.extend_from_slice(units);
    }
}
