//! A prompt in the form that the caller asked for.

use super::memory::{JsBytes, new_buffer};
use super::scratch;
use super::strings::NewString;
use crate::assemble::Assembly;
use crate::debug;
use crate::error::Error;
use crate::render::{FixedSink, Sink};
use crate::text::push_utf8;
use napi::bindgen_prelude::{Object, ToNapiValue};
use napi::{Env, Unknown};
use napi_derive::napi;
use std::mem::MaybeUninit;

/// How the prompt is wanted, and what besides.
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

/// Writes a prompt. Where there is more to say, sets properties that `result` has already, so that no
/// setter of a prototype is called: `systemFlag`, `report` (JSON), and for a string whose contents
/// JavaScript joins, `insertions`. `unrepaired` are the messages, counted as they were passed, that
/// may have lone surrogates. `stable_prefix` is called with a prompt that is reported.
pub fn write<'e>(
    env: &'e Env,
    assembly: &Assembly,
    form: Form,
    mut result: Object,
    unrepaired: &[u32],
    stable_prefix: impl FnOnce(&[u8]) -> Option<usize>,
) -> napi::Result<Unknown<'e>> {
    if form.debug {
        debug::write(&with_bytes(assembly, |bytes| assembly.debug_text(bytes)));
    }
    if form.report {
        let mut report = assembly.report();
        report.stable_prefix_bytes = with_bytes(assembly, stable_prefix);
        let json = serde_json::to_string(&report)
            .map_err(|error| Error::Internal(format!("the report is not JSON: {error}")))?;
        result.set("report", NewString::from(json.as_str()))?;
    }
    let written = match form.target {
        Target::String => TextSink::write(env, assembly, &mut result, unrepaired)?,
        Target::Buffer => {
            let fill = |memory: &mut [MaybeUninit<u8>]| assembly.write(&mut FixedSink::new(memory));
            new_buffer(env, assembly.prompt_bytes, fill)?
        }
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

/// Lets `read` see the prompt as bytes.
fn with_bytes<R>(assembly: &Assembly, read: impl FnOnce(&[u8]) -> R) -> R {
    let mut bytes = scratch::bytes();
    bytes.reserve(assembly.prompt_bytes);
    assembly.write(&mut bytes);
    let result = read(&bytes);
    scratch::keep_bytes(bytes);
    result
}

/// Collects a string. Contents that stayed with JavaScript are strings already: the engine copies
/// them as they are, and only their places are listed here.
struct TextSink<'u> {
    /// The text as long as it is ASCII.
    ascii: Vec<u8>,
    /// The text from the first character on that is not.
    units: Vec<u16>,
    /// For each content two numbers of two units each: where it is inserted; and twice the number of
    /// messages that were passed before it, and one more if it may have lone surrogates.
    insertions: Vec<u16>,
    unrepaired: &'u [u32],
}

impl TextSink<'_> {
    fn write<'e>(
        env: &'e Env,
        assembly: &Assembly,
        result: &mut Object,
        unrepaired: &[u32],
    ) -> napi::Result<Unknown<'e>> {
        let (ascii, units) = (scratch::bytes(), scratch::units());
        let mut sink = TextSink { ascii, units, insertions: Vec::new(), unrepaired };
        assembly.write(&mut sink);
        let text = match sink.units.is_empty() {
            true => NewString::Utf8(&sink.ascii),
            false => NewString::Utf16(&sink.units),
        };
        let text = text.into_unknown(env)?;
        if !sink.insertions.is_empty() {
            result.set("insertions", NewString::Utf16(&sink.insertions))?;
        }
        scratch::keep_bytes(sink.ascii);
        scratch::keep_units(sink.units);
        Ok(text)
    }
}

impl Sink for TextSink<'_> {
    fn push(&mut self, bytes: &[u8]) {
        if self.units.is_empty() && bytes.is_ascii() {
            self.ascii.extend_from_slice(bytes);
            return;
        }
        if self.units.is_empty() {
            push_utf8(&self.ascii, &mut self.units);
        }
        push_utf8(bytes, &mut self.units);
    }

    fn push_content(&mut self, passed: usize) {
        let at = if self.units.is_empty() { self.ascii.len() } else { self.units.len() };
        let is_unrepaired = self.unrepaired.binary_search(&(passed as u32)).is_ok();
        for number in [at, passed * 2 + usize::from(is_unrepaired)] {
            self.insertions.extend([number as u16, (number >> 16) as u16]);
        }
    }
}
