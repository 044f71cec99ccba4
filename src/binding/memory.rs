//! The engine's memory: the bytes of Uint8Arrays, and the sizes reported to the garbage collector.
//!
//! No JavaScript runs during a native call, so nothing can detach or resize an array while its
//! memory is in use here. Another thread may write to shared memory at any time: what is read is
//! copied first.

#![expect(unsafe_code, reason = "the engine hands out its memory as pointers")]

use super::strings::JsString;
use crate::error::Error;
use crate::reading::Memory;
use napi::bindgen_prelude::FromNapiValue;
use napi::{Env, Status, Unknown, ValueType, sys, type_of};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

/// A Uint8Array that was passed, during the call that it was passed to.
pub struct JsBytes {
    data: *mut c_void,
    length: usize,
}

/// The same of a Float64Array that only our own JavaScript has.
pub struct JsNumbers(JsBytes);

/// The memory of a typed array of this kind.
unsafe fn typed_array(
    env: sys::napi_env,
    value: sys::napi_value,
    expected: sys::napi_typedarray_type,
) -> napi::Result<JsBytes> {
    let (mut kind, mut length, mut data) = (0, 0, ptr::null_mut());
    let (buffer, offset) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: a live handle of the running call; what is not asked for may be null.
    let status = unsafe {
        sys::napi_get_typedarray_info(env, value, &mut kind, &mut length, &mut data, buffer, offset)
    };
    match status {
        sys::Status::napi_ok if kind == expected => {
            Ok(JsBytes { data, length: if data.is_null() { 0 } else { length } })
        }
        _ => Err(napi::Error::new(Status::InvalidArg, "another typed array is expected")),
    }
}

impl FromNapiValue for JsBytes {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> napi::Result<Self> {
        // SAFETY: as this function.
        unsafe { typed_array(env, value, sys::TypedarrayType::uint8_array) }
    }
}

/// A string or bytes.
pub enum StringOrBytes {
    String(JsString),
    Bytes(JsBytes),
}

impl FromNapiValue for StringOrBytes {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> napi::Result<Self> {
        // SAFETY: as this function.
        unsafe {
            match type_of!(env, value)? == ValueType::String {
                true => JsString::from_napi_value(env, value).map(StringOrBytes::String),
                false => JsBytes::from_napi_value(env, value).map(StringOrBytes::Bytes),
            }
        }
    }
}

impl FromNapiValue for JsNumbers {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> napi::Result<Self> {
        // SAFETY: as this function.
        unsafe { typed_array(env, value, sys::TypedarrayType::float64_array) }.map(JsNumbers)
    }
}

impl JsNumbers {
    /// The numbers.
    pub fn numbers(&self) -> &[f64] {
        let JsBytes { data, length } = self.0;
        if length == 0 {
            return &[];
        }
        // SAFETY: the memory has `length` numbers, aligned as the engine aligns them, and stays there until
        // the call returns. Only our own JavaScript has this array, and none runs meanwhile.
        unsafe { std::slice::from_raw_parts(data.cast(), length) }
    }
}

impl JsNumbers {
    /// Replaces a number, if there is one.
    pub fn set(&mut self, at: usize, number: f64) {
        let JsBytes { data, length } = self.0;
        if at < length {
            // SAFETY: the memory has `length` numbers, as above, and no slice of it is borrowed.
            unsafe { data.cast::<f64>().add(at).write(number) }
        }
    }
}

impl JsBytes {
    /// The memory as texts, for an array that only our own JavaScript has.
    pub fn texts(&self) -> Memory<'_> {
        if self.length == 0 {
            return Memory::default();
        }
        let is_aligned = (self.data as usize).is_multiple_of(align_of::<u16>());
        let units = if is_aligned { self.length / size_of::<u16>() } else { 0 };
        // SAFETY: the memory has `length` bytes and stays there until the call returns. Nobody writes to it
        // meanwhile, because only our own JavaScript has this array. Any bytes are UTF-16 units.
        let (bytes, units) = unsafe {
            (
                std::slice::from_raw_parts(self.data.cast(), self.length),
                std::slice::from_raw_parts(self.data.cast(), units),
            )
        };
        Memory { bytes, units, is_wide: false }
    }

    /// The memory, to be written.
    pub fn memory(&mut self) -> &mut [MaybeUninit<u8>] {
        if self.length == 0 {
            return &mut [];
        }
        // SAFETY: the memory has `length` bytes, and stays there until the call returns.
        unsafe { std::slice::from_raw_parts_mut(self.data.cast(), self.length) }
    }
}

/// A new Buffer of exactly the bytes that `fill` writes.
pub fn new_buffer<'e>(
    env: &'e Env,
    bytes: usize,
    fill: impl FnOnce(&mut [MaybeUninit<u8>]),
) -> Result<Unknown<'e>, Error> {
    let (mut data, mut value) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the environment is that of the running call.
    let status = unsafe { sys::napi_create_buffer(env.raw(), bytes, &mut data, &mut value) };
    if status != sys::Status::napi_ok {
        return Err(Error::Internal(format!("the engine refused a Buffer (status {status})")));
    }
    if bytes > 0 {
        // SAFETY: the memory of the new Buffer, which nobody else has seen yet.
        fill(unsafe { std::slice::from_raw_parts_mut(data.cast(), bytes) });
    }
    // SAFETY: a live handle of the running call.
    Ok(unsafe { Unknown::from_raw_unchecked(env.raw(), value) })
}

/// What the engine was told of the memory that an object holds here.
#[derive(Default)]
pub struct ToldMemory(i64);

impl ToldMemory {
    /// Lets the garbage collector know how much it is now. A refusal only delays a collection.
    pub fn tell(&mut self, env: &Env, bytes: usize) {
        let change = bytes as i64 - std::mem::replace(&mut self.0, bytes as i64);
        if change != 0 {
            let mut total = 0;
            // SAFETY: the environment is that of the running call.
            unsafe { sys::napi_adjust_external_memory(env.raw(), change, &mut total) };
        }
    }
}
