//! Texts as arguments: strings of any length, read once into memory that is used again.
//!
//! `String` of napi-rs asks for the length first, allocates and clears, and takes a text beyond
//! ASCII as UTF-8, which engines write slowly. [`JsText`] does neither.

#![expect(unsafe_code, reason = "the engine writes into memory that has no contents yet")]

use super::scratch;
use crate::error::Error;
use crate::text::{MAX_READ_ROOM, is_short_read, push_utf16};
use napi::bindgen_prelude::{FromNapiValue, TypeName, ValidateNapiValue};
use napi::{Status, ValueType, sys};
use napi_derive::napi;
use std::cell::Cell;
use std::ffi::c_char;
use std::ops::Deref;
use std::{mem, ptr};

/// Room for most names and many messages, without a look at their length first.
const MIN_ROOM: usize = 256;

/// With this much room, the length of the string is compared with what was read. Memory that
/// calls leave for the next has less.
const CHECKED_ROOM: usize = 4 * 1024 * 1024;

/// A character has at most this many bytes in UTF-8: with as much room left over after a read,
/// nothing was left unread.
const MAX_CHARACTER_BYTES: usize = 4;

/// How much of a text is examined to guess what is in the rest.
const SAMPLE_BYTES: usize = 128;

thread_local! {
    /// Whether the last text that was no mere name was mostly beyond ASCII.
    static EXPECT_WIDE: Cell<bool> = const { Cell::new(false) };
}

/// A JavaScript string as an argument. A lone surrogate becomes U+FFFD.
#[derive(Debug)]
pub struct JsText(String);

/// A string.
#[napi(js_name = "JsText")]
#[expect(dead_code, reason = "this is how binding.d.ts learns what a `JsText` is")]
pub type DeclaredText = String;

impl Deref for JsText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for JsText {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// The text to keep, without the memory around it.
impl From<JsText> for String {
    fn from(text: JsText) -> Self {
        text.0.as_str().to_owned()
    }
}

/// Leaves the memory for the next text.
impl Drop for JsText {
    fn drop(&mut self) {
        scratch::keep_bytes(mem::take(&mut self.0).into_bytes());
    }
}

impl TypeName for JsText {
    fn type_name() -> &'static str {
        "String"
    }

    fn value_type() -> ValueType {
        ValueType::String
    }
}

impl ValidateNapiValue for JsText {}

impl FromNapiValue for JsText {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> napi::Result<Self> {
        // SAFETY: the caller passes a live handle of this environment.
        let string = unsafe { JsString::new(env, value) };
        let mut bytes = scratch::bytes();
        string.read(&mut bytes, EXPECT_WIDE.get())?;
        if bytes.len() >= MIN_ROOM {
            EXPECT_WIDE.set(is_wide(&bytes));
        }
        Ok(JsText(text_of(bytes)))
    }
}

/// A value that is hopefully a string.
#[derive(Clone, Copy)]
struct JsString {
    env: sys::napi_env,
    value: sys::napi_value,
}

impl JsString {
    /// # Safety
    ///
    /// `value` is a live handle of `env` as long as this is used.
    unsafe fn new(env: sys::napi_env, value: sys::napi_value) -> Self {
        JsString { env, value }
    }

    /// Reads the text into `bytes`, which are empty. The engine writes ASCII fastest as UTF-8, and
    /// other text fastest as UTF-16.
    fn read(self, bytes: &mut Vec<u8>, expect_wide: bool) -> napi::Result<()> {
        if expect_wide || !self.read_utf8(bytes)? {
            bytes.clear();
            let mut units = scratch::units();
            let read = self.read_utf16(&mut units);
            push_utf16(&units, bytes);
            scratch::keep_units(units);
            read?;
        }
        Ok(())
    }

    /// Whether the text was read, and not left to [`JsString::read_utf16`].
    fn read_utf8(self, bytes: &mut Vec<u8>) -> napi::Result<bool> {
        bytes.reserve(MIN_ROOM);
        loop {
            let free = bytes.spare_capacity_mut();
            let room = (free.len() - 1).min(MAX_READ_ROOM);
            let first = free.as_mut_ptr().cast::<c_char>();
            let mut written = 0;
            // SAFETY: there is room for that many bytes and a closing NUL.
            check(unsafe {
                sys::napi_get_value_string_utf8(self.env, self.value, first, room + 1, &mut written)
            })?;
            // SAFETY: that many bytes were just written, and there were none before.
            unsafe { bytes.set_len(written) };
            if room - written >= MAX_CHARACTER_BYTES {
                self.check_whole(room, written)?;
                return Ok(true);
            }
            if is_wide(bytes) {
                return Ok(false);
            }
            let units = self.utf16_length()?;
            bytes.clear();
            // ASCII takes a byte a unit, other text at most three.
            let needed = if units > room { units } else { units * 3 };
            bytes.reserve(needed + MAX_CHARACTER_BYTES + 1);
        }
    }

    /// Replaces `units` by those of the string.
    fn read_utf16(self, units: &mut Vec<u16>) -> napi::Result<()> {
        units.clear();
        units.reserve(MIN_ROOM);
        loop {
            let free = units.spare_capacity_mut();
            let room = free.len().min(MAX_READ_ROOM);
            let first = free.as_mut_ptr().cast::<u16>();
            let mut read = 0;
            // SAFETY: there is room for that many units, the closing NUL included.
            check(unsafe {
                sys::napi_get_value_string_utf16(self.env, self.value, first, room, &mut read)
            })?;
            if read + 1 < room {
                self.check_whole(room, read)?;
                // SAFETY: that many units were just written, and there were none before.
                unsafe { units.set_len(read) };
                return Ok(());
            }
            units.reserve(self.utf16_length()? + MIN_ROOM);
        }
    }

    fn utf16_length(self) -> napi::Result<usize> {
        let mut units = 0;
        // SAFETY: with no buffer, only the length is asked for.
        check(unsafe {
            sys::napi_get_value_string_utf16(self.env, self.value, ptr::null_mut(), 0, &mut units)
        })?;
        Ok(units)
    }

    /// Checks that the engine has written all of a string for which there was enough room. A
    /// length is asked for only where it costs little compared with the read.
    fn check_whole(self, room: usize, read: usize) -> napi::Result<()> {
        if room < CHECKED_ROOM && read > 0 || room <= MIN_ROOM {
            return Ok(());
        }
        match is_short_read(self.utf16_length()?, read) {
            false => Ok(()),
            true => Err(Error::Internal("a string could not be read to its end".into()).into()),
        }
    }
}

fn check(status: sys::napi_status) -> napi::Result<()> {
    match status {
        sys::Status::napi_ok => Ok(()),
        other => Err(napi::Error::new(Status::from(other), "a string could not be read")),
    }
}

/// Whether a good part of a text seems not to be ASCII, by its beginning.
fn is_wide(text: &[u8]) -> bool {
    let sample = &text[..text.len().min(SAMPLE_BYTES)];
    sample.iter().filter(|byte| !byte.is_ascii()).count() * 8 > sample.len()
}

/// The engine writes well-formed UTF-8, so this is a check and not a conversion.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
