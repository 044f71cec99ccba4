//! Strings of the engine. All reading and making of strings is in this file.
//!
//! 1. The engine writes ASCII fastest as UTF-8. Other text it writes fastest as UTF-16, which is
//!    converted here.
//! 2. A lone surrogate becomes U+FFFD: what is read is well-formed.
//! 3. A [`JsString`] is only used during the call that it was passed to, on the engine's thread.

#![expect(unsafe_code, reason = "the engine writes into memory that has no contents yet")]

use super::scratch;
use crate::error::Error;
use crate::text::{MAX_READ_ROOM, is_short_read, push_utf8, push_utf16, utf8_bytes};
use napi::bindgen_prelude::{FromNapiValue, ToNapiValue, TypeName, ValidateNapiValue};
use napi::{ValueType, sys};
use napi_derive::napi;
use std::cell::Cell;
use std::ffi::c_char;
use std::ops::Deref;
use std::{mem, ptr};

/// Room for most names and many messages, without a look at their length first.
const MIN_ROOM: usize = 256;

/// With this much room, the length of a string is compared with what was read. Memory that calls
/// leave for the next has less.
const CHECKED_ROOM: usize = 4 * 1024 * 1024;

/// A character has at most this many bytes in UTF-8: with as much room left over after a read,
/// nothing was left unread.
const MAX_CHARACTER_BYTES: usize = 4;

/// How much of a text is examined to guess what is in the rest.
const SAMPLE_UNITS: usize = 128;

/// A string that was passed and is not read yet.
#[derive(Clone, Copy)]
pub struct JsString {
    env: sys::napi_env,
    value: sys::napi_value,
}

/// A string, in the declarations of native functions.
#[napi(js_name = "JsString")]
#[expect(dead_code, reason = "binding.d.ts learns from it what a `JsString` is")]
pub type DeclaredString = String;

/// What happened to a string that was to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadString {
    /// It was read.
    Whole,
    /// It takes more bytes than it may.
    TooLong,
}

impl FromNapiValue for JsString {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> napi::Result<Self> {
        Ok(JsString { env, value })
    }
}

impl JsString {
    /// Appends the string as UTF-8, or says that it takes more than `limit` bytes; `out` is as it
    /// was then.
    pub fn append_utf8(self, out: &mut Vec<u8>, limit: usize) -> Result<ReadString, Error> {
        out.reserve(MIN_ROOM);
        loop {
            let free = out.spare_capacity_mut();
            // More room than the limit needs would only be filled in vain.
            let room = (free.len() - 1).min(limit.saturating_add(MAX_CHARACTER_BYTES));
            let room = room.min(MAX_READ_ROOM);
            let first = free.as_mut_ptr().cast::<c_char>();
            let mut written = 0;
            // SAFETY: a live handle of the running call. `free` is writable for more than `room`
            // bytes, and Node-API writes at most that many and a closing NUL.
            check(unsafe {
                sys::napi_get_value_string_utf8(self.env, self.value, first, room + 1, &mut written)
            })?;
            if written > limit {
                return Ok(ReadString::TooLong);
            }
            if room - written >= MAX_CHARACTER_BYTES {
                self.check_whole(room, written)?;
                // SAFETY: that many bytes were just written after the current end.
                unsafe { out.set_len(out.len() + written) };
                return Ok(ReadString::Whole);
            }
            let units = self.utf16_length()?;
            if units > limit {
                return Ok(ReadString::TooLong);
            }
            // ASCII takes a byte a unit, other text at most three.
            let needed = if units > room { units } else { units * 3 };
            out.reserve(needed.min(limit) + MAX_CHARACTER_BYTES + 1);
        }
    }

    /// The same by way of UTF-16, for text with much in it that is not ASCII. `units` is memory
    /// for that.
    pub fn append_utf8_wide(
        self,
        out: &mut Vec<u8>,
        limit: usize,
        units: &mut Vec<u16>,
    ) -> Result<ReadString, Error> {
        if self.read_utf16(limit, units)? == ReadString::TooLong {
            return Ok(ReadString::TooLong);
        }
        let start = out.len();
        push_utf16(units, out);
        if out.len() - start > limit {
            out.truncate(start);
            return Ok(ReadString::TooLong);
        }
        Ok(ReadString::Whole)
    }

    /// Replaces `units` by the string's, unless there are more than `limit`: then it takes more
    /// bytes than that, too.
    pub fn read_utf16(self, limit: usize, units: &mut Vec<u16>) -> Result<ReadString, Error> {
        units.clear();
        units.reserve(MIN_ROOM);
        loop {
            let free = units.spare_capacity_mut();
            let room = free.len().min(MAX_READ_ROOM);
            let first = free.as_mut_ptr().cast::<u16>();
            let mut read = 0;
            // SAFETY: a live handle of the running call. `free` is writable for `room` units, and
            // Node-API writes at most that many, the closing NUL included.
            check(unsafe {
                sys::napi_get_value_string_utf16(self.env, self.value, first, room, &mut read)
            })?;
            if read > limit {
                return Ok(ReadString::TooLong);
            }
            if read + 1 < room {
                self.check_whole(room, read)?;
                // SAFETY: that many units were just written.
                unsafe { units.set_len(read) };
                return Ok(ReadString::Whole);
            }
            let length = self.utf16_length()?;
            if length > limit {
                return Ok(ReadString::TooLong);
            }
            units.reserve(length + MIN_ROOM);
        }
    }

    /// How many UTF-16 units it has.
    pub fn utf16_length(self) -> Result<usize, Error> {
        let mut units = 0;
        // SAFETY: a live handle of the running call; without memory, only the length is asked for.
        check(unsafe {
            sys::napi_get_value_string_utf16(self.env, self.value, ptr::null_mut(), 0, &mut units)
        })?;
        Ok(units)
    }

    /// Appends all of it, in the way that is best for a text like the one before.
    pub fn append(self, out: &mut Vec<u8>, expect_wide: bool) -> Result<(), Error> {
        if !expect_wide {
            return self.append_utf8(out, usize::MAX).map(drop);
        }
        let mut units = scratch::units();
        let read = self.append_utf8_wide(out, usize::MAX, &mut units);
        scratch::keep_units(units);
        read.map(drop)
    }

    /// The size of it in UTF-8.
    pub fn utf8_bytes(self) -> Result<usize, Error> {
        // To have the engine write ASCII is faster than to have it count.
        let mut bytes = scratch::bytes();
        let read = self.append_utf8(&mut bytes, self.utf16_length()?);
        let size = bytes.len();
        scratch::keep_bytes(bytes);
        if read? == ReadString::Whole {
            return Ok(size);
        }
        let mut units = scratch::units();
        let read = self.read_utf16(usize::MAX, &mut units);
        let size = utf8_bytes(&units);
        scratch::keep_units(units);
        read.map(|_| size)
    }

    /// All of it, in memory of exactly its size.
    pub fn read(self) -> Result<String, Error> {
        let mut bytes = scratch::bytes();
        let read = self.append(&mut bytes, EXPECT_WIDE.get());
        let text = String::from_utf8_lossy(&bytes).into_owned();
        expect_like(&bytes);
        scratch::keep_bytes(bytes);
        read.map(|()| text)
    }

    /// Checks that the engine has written all of a string for which there was enough room. A
    /// length is asked for only where it costs little compared with the read.
    fn check_whole(self, room: usize, read: usize) -> Result<(), Error> {
        if room < CHECKED_ROOM && read > 0 || room <= MIN_ROOM {
            return Ok(());
        }
        match is_short_read(self.utf16_length()?, read) {
            false => Ok(()),
            true => Err(Error::Internal("a string could not be read to its end".to_owned())),
        }
    }
}

fn check(status: sys::napi_status) -> Result<(), Error> {
    match status {
        sys::Status::napi_ok => Ok(()),
        other => Err(Error::Internal(format!("the engine refused a string (status {other})"))),
    }
}

/// Whether a good part of a text, in UTF-8 or UTF-16, seems not to be ASCII, by its beginning.
pub fn is_wide<Unit: Copy + Into<u32>>(text: &[Unit]) -> bool {
    let sample = &text[..text.len().min(SAMPLE_UNITS)];
    let wide: u32 = sample.iter().map(|unit| u32::from((*unit).into() >= 0x80)).sum();
    wide as usize * 8 > sample.len()
}

/// The engine writes well-formed UTF-8, so this is a check and not a conversion.
pub fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

thread_local! {
    /// Whether the last text that was no mere name was mostly beyond ASCII.
    static EXPECT_WIDE: Cell<bool> = const { Cell::new(false) };
}

/// Remembers how to read the next text. Names say nothing about it.
fn expect_like(text: &[u8]) {
    if text.len() >= MIN_ROOM {
        EXPECT_WIDE.set(is_wide(text));
    }
}

/// A string that is read when it is passed.
#[derive(Debug)]
pub struct JsText(String);

/// A string, in the declarations of native functions.
#[napi(js_name = "JsText")]
#[expect(dead_code, reason = "binding.d.ts learns from it what a `JsText` is")]
pub type DeclaredText = String;

/// The text to keep. A short one is copied, so that the memory around it can be used again; of a
/// long one, there is never a second copy.
impl From<JsText> for String {
    fn from(mut text: JsText) -> Self {
        if text.0.capacity() > text.0.len() + text.0.len() / 8 {
            return text.0.as_str().to_owned();
        }
        mem::take(&mut text.0)
    }
}

impl Deref for JsText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
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
        let mut bytes = scratch::bytes();
        JsString { env, value }.append(&mut bytes, EXPECT_WIDE.get())?;
        expect_like(&bytes);
        Ok(JsText(text_of(bytes)))
    }
}

/// A string to be made. The engine takes ASCII as it is; other text it takes fastest as UTF-16.
pub enum NewString<'t> {
    /// Well-formed UTF-8.
    Utf8(&'t [u8]),
    /// UTF-16.
    Utf16(&'t [u16]),
}

impl<'t> From<&'t str> for NewString<'t> {
    fn from(text: &'t str) -> Self {
        NewString::Utf8(text.as_bytes())
    }
}

impl ToNapiValue for NewString<'_> {
    unsafe fn to_napi_value(env: sys::napi_env, val: Self) -> napi::Result<sys::napi_value> {
        let mut raw = ptr::null_mut();
        let from_utf16 = |units: &[u16], out: *mut sys::napi_value| {
            let (first, length) = (units.as_ptr(), units.len() as isize);
            // SAFETY: `first` is readable for `length` units; the engine copies them.
            unsafe { sys::napi_create_string_utf16(env, first, length, out) }
        };
        let status = match val {
            NewString::Utf16(units) => from_utf16(units, &mut raw),
            NewString::Utf8(text) if text.is_ascii() => {
                let (first, length) = (text.as_ptr().cast::<c_char>(), text.len() as isize);
                // SAFETY: `first` is readable for `length` bytes; the engine copies them.
                unsafe { sys::napi_create_string_latin1(env, first, length, &mut raw) }
            }
            NewString::Utf8(text) => {
                let mut units = scratch::units();
                push_utf8(text, &mut units);
                let status = from_utf16(&units, &mut raw);
                scratch::keep_units(units);
                status
            }
        };
        // It refuses for no other reason.
        if status != sys::Status::napi_ok {
            return Err(Error::StringTooLong.into());
        }
        Ok(raw)
    }
}
