//! Strings in and out.
//!
//! A string is read once, into memory that has room for it. The engine writes ASCII fastest
//! as UTF-8, and takes and gives other text fastest as UTF-16.

use super::{Scope, Value};
use crate::binding::failure::Failure;
use crate::binding::scratch;
use crate::error::Error;
use crate::text::{MAX_READ_ROOM, is_short_read, push_utf8, push_utf16, string_of_utf16};
use napi::{JsValue, sys};
use std::borrow::Cow;
use std::cell::Cell;
use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::ptr;

/// What came of reading a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadString {
    Whole,
    TooLong,
    NotAString,
}

/// Room for most names and many messages, without a look at their length first.
const MIN_ROOM: usize = 256;

/// With this much room, the length of the string is compared with what was read. Memory that
/// calls leave for the next has less.
const CHECKED_ROOM: usize = 4 * 1024 * 1024;

/// How much of a text is examined to guess what is in the rest.
const SAMPLE_UNITS: usize = 64;

/// A character has at most this many bytes in UTF-8: with as much room left over after a
/// read, nothing was left unread.
const MAX_CHARACTER_BYTES: usize = 4;

impl<'s> Scope<'s> {
    /// The length in UTF-16 units, without reading. The UTF-8 form has at least as many bytes.
    pub fn utf16_length(self, string: Value) -> Result<usize, Failure> {
        let mut units = 0;
        // SAFETY: with no buffer, only the length is asked for.
        self.check(unsafe {
            sys::napi_get_value_string_utf16(self.env, string.raw(), ptr::null_mut(), 0, &mut units)
        })?;
        Ok(units)
    }

    /// The beginning of a string, of at most so many bytes.
    pub fn string_beginning(self, string: Value, max_bytes: usize) -> Result<String, Failure> {
        let mut bytes = vec![0_u8; max_bytes + 1];
        let mut written = 0;
        let (first, room) = (bytes.as_mut_ptr().cast::<c_char>(), bytes.len());
        // SAFETY: `first` is writable for `room` bytes, the closing NUL included. The engine
        // writes whole characters only.
        self.check(unsafe {
            sys::napi_get_value_string_utf8(self.env, string.raw(), first, room, &mut written)
        })?;
        bytes.truncate(written);
        Ok(text_of(bytes))
    }

    /// `String.prototype.slice`, which copies nothing.
    pub fn slice(self, string: Value, start: usize, end: usize) -> Result<Value<'s>, Failure> {
        let bounds = [self.double(start as f64)?, self.double(end as f64)?];
        self.method(string, "slice", &bounds)
    }

    /// Appends the string as UTF-8, a lone surrogate as U+FFFD, or says that it takes more
    /// than `limit` bytes, or that it is no string; `out` is as it was then.
    ///
    /// The engine writes ASCII fastest as UTF-8, and other text fastest as UTF-16.
    pub fn append_utf8(
        self,
        string: Value,
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Result<ReadString, Failure> {
        out.reserve(MIN_ROOM);
        loop {
            let free = out.spare_capacity_mut();
            // More room than the limit needs would only be filled in vain.
            let room = (free.len() - 1).min(limit.saturating_add(MAX_CHARACTER_BYTES));
            let room = room.min(MAX_READ_ROOM);
            let mut written = 0;
            // SAFETY: `free` is writable for more than `room` bytes, and Node-API writes at
            // most that many and a closing NUL.
            let status = unsafe {
                sys::napi_get_value_string_utf8(
                    self.env,
                    string.raw(),
                    free.as_mut_ptr().cast::<c_char>(),
                    room + 1,
                    &mut written,
                )
            };
            if status == sys::Status::napi_string_expected {
                return Ok(ReadString::NotAString);
            }
            self.check(status)?;
            if written > limit {
                return Ok(ReadString::TooLong);
            }
            if room - written >= MAX_CHARACTER_BYTES {
                self.check_read(string, room, written)?;
                // SAFETY: that many bytes were just written after the current end.
                unsafe { out.set_len(out.len() + written) };
                return Ok(ReadString::Whole);
            }
            let units = self.utf16_length(string)?;
            if units > limit {
                return Ok(ReadString::TooLong);
            }
            // ASCII takes a byte a unit, other text at most three.
            let needed = if units > room { units } else { units * 3 };
            out.reserve(needed.min(limit) + MAX_CHARACTER_BYTES + 1);
        }
    }

    /// The same by way of UTF-16, for text with much in it that is not ASCII. `units` is memory for it.
    pub fn append_utf8_wide(
        self,
        string: Value,
        out: &mut Vec<u8>,
        limit: usize,
        units: &mut Vec<u16>,
    ) -> Result<ReadString, Failure> {
        match self.read_utf16(string, limit, units)? {
            ReadString::Whole => {}
            other => return Ok(other),
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
    pub fn read_utf16(
        self,
        string: Value,
        limit: usize,
        units: &mut Vec<u16>,
    ) -> Result<ReadString, Failure> {
        units.clear();
        units.reserve(MIN_ROOM);
        loop {
            let free = units.spare_capacity_mut();
            let room = free.len().min(MAX_READ_ROOM);
            let mut read = 0;
            // SAFETY: `free` is writable for `room` units or more, and Node-API writes at most
            // that many, the closing NUL included.
            let status = unsafe {
                sys::napi_get_value_string_utf16(
                    self.env,
                    string.raw(),
                    free.as_mut_ptr().cast::<u16>(),
                    room,
                    &mut read,
                )
            };
            if status == sys::Status::napi_string_expected {
                return Ok(ReadString::NotAString);
            }
            self.check(status)?;
            if read > limit {
                return Ok(ReadString::TooLong);
            }
            if read + 1 < room {
                self.check_read(string, room, read)?;
                // SAFETY: that many units were just written.
                unsafe { units.set_len(read) };
                return Ok(ReadString::Whole);
            }
            let length = self.utf16_length(string)?;
            if length > limit {
                return Ok(ReadString::TooLong);
            }
            units.reserve(length + MIN_ROOM);
        }
    }

    /// Checks that the engine has written all of a string for which there was enough room. A
    /// length is asked for only where it costs little compared with the read.
    fn check_read(self, string: Value, room: usize, written: usize) -> Result<(), Failure> {
        if room < CHECKED_ROOM && written > 0 || room <= MIN_ROOM {
            return Ok(());
        }
        match is_short_read(self.utf16_length(string)?, written) {
            false => Ok(()),
            true => Err(unread()),
        }
    }

    /// Whether a string is a certain short one, of ASCII.
    pub fn is_string(self, string: Value, expected: &str) -> Result<bool, Failure> {
        let mut units = [0_u16; 16];
        let mut read = 0;
        // SAFETY: the array is writable for its length, the closing NUL included.
        self.check(unsafe {
            let (first, room) = (units.as_mut_ptr(), units.len());
            sys::napi_get_value_string_utf16(self.env, string.raw(), first, room, &mut read)
        })?;
        // One more that fits would have been read.
        Ok(expected.encode_utf16().eq(units[..read].iter().copied()))
    }

    pub fn string(self, string: Value) -> Result<String, Failure> {
        let mut beginning = [MaybeUninit::<u16>::uninit(); MIN_ROOM];
        let mut read = 0;
        // SAFETY: the array is writable for its length, the closing NUL included.
        self.check(unsafe {
            let (first, room) = (beginning.as_mut_ptr().cast(), beginning.len());
            sys::napi_get_value_string_utf16(self.env, string.raw(), first, room, &mut read)
        })?;
        // SAFETY: that many units were just written.
        let beginning = unsafe { beginning[..read].assume_init_ref() };
        if read + 1 < MIN_ROOM {
            return Ok(string_of_utf16(beginning));
        }
        if is_wide(beginning) {
            let mut units = scratch::units();
            let result = self.read_utf16(string, usize::MAX, &mut units).and_then(whole);
            let text = result.map(|()| string_of_utf16(&units));
            scratch::keep_units(units);
            return text;
        }
        let mut bytes = Vec::with_capacity(self.utf16_length(string)? + MAX_CHARACTER_BYTES + 1);
        whole(self.append_utf8(string, &mut bytes, usize::MAX)?)?;
        Ok(text_of(bytes))
    }

    /// Reads a string into `buffer`, in the way that is best for texts like the one before;
    /// `expect_wide` says how that was, and is updated.
    pub fn read_text<'b>(
        self,
        string: Value,
        buffer: &'b mut Vec<u8>,
        expect_wide: &Cell<bool>,
    ) -> Result<Cow<'b, str>, Failure> {
        buffer.clear();
        if expect_wide.get() {
            let mut units = scratch::units();
            let read = self.append_utf8_wide(string, buffer, usize::MAX, &mut units);
            scratch::keep_units(units);
            whole(read?)?;
        } else {
            whole(self.append_utf8(string, buffer, usize::MAX)?)?;
        }
        expect_wide.set(is_wide(buffer.as_slice()));
        // The engine writes well-formed UTF-8, so this is a check and not a conversion. Alone,
        // the lossy one looks at each byte; this one skips over ASCII.
        Ok(match std::str::from_utf8(buffer) {
            Ok(text) => text.into(),
            Err(_) => String::from_utf8_lossy(buffer),
        })
    }

    pub fn utf8(self, text: &str) -> Result<Value<'s>, Failure> {
        self.string_from_utf8(text.as_bytes())
    }

    /// A JS string of well-formed UTF-8. The engine takes ASCII as it is; other text it takes
    /// fastest as UTF-16.
    pub fn string_from_utf8(self, text: &[u8]) -> Result<Value<'s>, Failure> {
        if text.is_ascii() {
            let (chars, length) = (text.as_ptr().cast::<c_char>(), text.len() as isize);
            // SAFETY: `chars` is readable for `length` bytes; the engine copies them.
            return self.make(|out| unsafe {
                sys::napi_create_string_latin1(self.env, chars, length, out)
            });
        }
        let mut units = scratch::units();
        push_utf8(text, &mut units);
        let string = self.string_from_utf16(&units);
        scratch::keep_units(units);
        string
    }

    pub fn string_from_utf16(self, units: &[u16]) -> Result<Value<'s>, Failure> {
        let (first, length) = (units.as_ptr(), units.len() as isize);
        // SAFETY: `first` is readable for `length` units; the engine copies them.
        self.make(|out| unsafe { sys::napi_create_string_utf16(self.env, first, length, out) })
    }
}

/// Whether a good part of a text, in UTF-8 or UTF-16, seems not to be ASCII, by its beginning.
pub fn is_wide<Unit: Copy + Into<u32>>(text: &[Unit]) -> bool {
    let sample = &text[..text.len().min(SAMPLE_UNITS)];
    let wide: u32 = sample.iter().map(|unit| u32::from((*unit).into() >= 0x80)).sum();
    wide as usize * 8 > sample.len()
}

/// Checks that a string was read without a limit.
pub fn whole(read: ReadString) -> Result<(), Failure> {
    match read {
        ReadString::Whole => Ok(()),
        ReadString::TooLong | ReadString::NotAString => Err(unread()),
    }
}

fn unread() -> Failure {
    Error::Internal("a string could not be read to its end".to_owned()).into()
}

/// The engine writes well-formed UTF-8, so this is a check and not a conversion.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
