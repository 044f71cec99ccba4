//! JS values made here, and memory of the engine that is written here.

use super::{Kind, Scope, Value};
use crate::binding::failure::Failure;
use napi::{JsValue, sys};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

/// Marks what [`Failure`] throws, so that JavaScript can tell it from a caller's own exception.
const FAILURE_TAG: sys::napi_type_tag =
    sys::napi_type_tag { lower: 0x8d5f_27c1_9a3b_4e60, upper: 0x51c2_0f7e_b6a9_d384 };

impl<'s> Scope<'s> {
    pub fn undefined(self) -> Result<Value<'s>, Failure> {
        // SAFETY: the environment is that of the running call, as everywhere below.
        self.make(|out| unsafe { sys::napi_get_undefined(self.env, out) })
    }

    pub fn null(self) -> Result<Value<'s>, Failure> {
        // SAFETY: see `undefined`.
        self.make(|out| unsafe { sys::napi_get_null(self.env, out) })
    }

    pub fn boolean(self, value: bool) -> Result<Value<'s>, Failure> {
        // SAFETY: see `undefined`.
        self.make(|out| unsafe { sys::napi_get_boolean(self.env, value, out) })
    }

    pub fn double(self, number: f64) -> Result<Value<'s>, Failure> {
        // SAFETY: see `undefined`.
        self.make(|out| unsafe { sys::napi_create_double(self.env, number, out) })
    }

    pub fn array(self, length: usize) -> Result<Value<'s>, Failure> {
        // SAFETY: see `undefined`.
        self.make(|out| unsafe { sys::napi_create_array_with_length(self.env, length, out) })
    }

    /// Sets an element that the array has already: a setter that it inherits is not called then.
    pub fn set_element(self, array: Value, index: usize, value: Value) -> Result<(), Failure> {
        let index = index as u32;
        // SAFETY: live handles of this environment.
        self.check(unsafe { sys::napi_set_element(self.env, array.raw(), index, value.raw()) })
    }

    /// Makes an element of an array that has none at this place. An assignment would call a
    /// setter of the same name on `Object.prototype`: code of the caller's.
    pub fn define_element(self, array: Value, index: usize, value: Value) -> Result<(), Failure> {
        let key = self.utf8(&index.to_string())?;
        let element = sys::napi_property_descriptor {
            utf8name: ptr::null(),
            name: key.raw(),
            method: None,
            getter: None,
            setter: None,
            value: value.raw(),
            attributes: sys::PropertyAttributes::writable
                | sys::PropertyAttributes::enumerable
                | sys::PropertyAttributes::configurable,
            data: ptr::null_mut(),
        };
        // SAFETY: live handles of this environment; one descriptor, as announced.
        self.check(unsafe { sys::napi_define_properties(self.env, array.raw(), 1, &element) })
    }

    pub fn array_of(self, elements: &[Value]) -> Result<Value<'s>, Failure> {
        let array = self.array(elements.len())?;
        for (index, element) in elements.iter().enumerate() {
            self.define_element(array, index, *element)?;
        }
        Ok(array)
    }

    /// Tells the engine that objects of its hold so much more memory, or less, than it sees.
    pub fn adjust_external_memory(self, change_in_bytes: i64) {
        let mut total = 0;
        // SAFETY: see `undefined`. A refusal only makes a collection come later.
        unsafe { sys::napi_adjust_external_memory(self.env, change_in_bytes, &mut total) };
    }

    /// Lets `fill` write into the memory of a Uint8Array; `None` if the value is no Uint8Array.
    pub fn with_uint8_array<R>(
        self,
        value: Value,
        fill: impl FnOnce(&mut [MaybeUninit<u8>]) -> R,
    ) -> Result<Option<R>, Failure> {
        let Some((data, length)) = self.uint8_array_memory(value)? else { return Ok(None) };
        if length == 0 || data.is_null() {
            return Ok(Some(fill(&mut [])));
        }
        // SAFETY: the array's memory has `length` bytes, and no JS that could detach or
        // resize it runs before `fill` returns.
        Ok(Some(fill(unsafe { std::slice::from_raw_parts_mut(data.cast(), length) })))
    }

    /// Lets `read` see the bytes of a Uint8Array, whose memory no other thread may share; `None`
    /// if the value is no Uint8Array.
    pub fn with_bytes<R>(
        self,
        value: Value,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>, Failure> {
        let Some((data, length)) = self.uint8_array_memory(value)? else { return Ok(None) };
        if length == 0 || data.is_null() {
            return Ok(Some(read(&[])));
        }
        // SAFETY: the engine has given the memory its bytes, and there are `length` of them. No
        // JS that could detach, resize or write to it runs before `read` returns.
        Ok(Some(read(unsafe { std::slice::from_raw_parts(data.cast(), length) })))
    }

    /// Where the memory of a Uint8Array is, and how much of it there is.
    fn uint8_array_memory(self, value: Value) -> Result<Option<(*mut c_void, usize)>, Failure> {
        let mut kind = 0;
        let mut length = 0;
        let mut data = ptr::null_mut();
        // SAFETY: live handle; what is not asked for may be null.
        let status = unsafe {
            sys::napi_get_typedarray_info(
                self.env,
                value.raw(),
                &mut kind,
                &mut length,
                &mut data,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        if status == sys::Status::napi_invalid_arg {
            return Ok(None);
        }
        self.check(status)?;
        Ok((kind == sys::TypedarrayType::uint8_array).then_some((data, length)))
    }

    /// An array with one string in it, marked as a failure of ours.
    pub fn tagged_failure(self, description: &str) -> Result<Value<'s>, Failure> {
        let failure = self.array_of(&[self.utf8(description)?])?;
        // SAFETY: live handle of an object that was just made and has no tag yet.
        self.check(unsafe { sys::napi_type_tag_object(self.env, failure.raw(), &FAILURE_TAG) })?;
        Ok(failure)
    }

    /// Whether a value was made by [`Scope::tagged_failure`].
    pub fn is_tagged_failure(self, value: Value) -> Result<bool, Failure> {
        if self.kind(value)? != Kind::Object {
            return Ok(false);
        }
        let mut yes = false;
        // SAFETY: live handle of an object.
        self.check(unsafe {
            sys::napi_check_object_type_tag(self.env, value.raw(), &FAILURE_TAG, &mut yes)
        })?;
        Ok(yes)
    }

    pub fn throw(self, exception: Value) -> Result<(), Failure> {
        // SAFETY: live handle of this environment.
        self.check(unsafe { sys::napi_throw(self.env, exception.raw()) })
    }
}
