//! JS values made here: objects, arrays, errors; and memory of the engine's, written here.

use super::{Border, ShortName, Value};
use crate::binding::failure::Failure;
use crate::error::ErrorClass;
use napi::sys;
use std::mem::MaybeUninit;
use std::ptr;

impl<'s> Border<'s> {
    pub fn undefined(self) -> Result<Value<'s>, Failure> {
        // SAFETY: the environment is that of the running call, as everywhere below.
        self.make(|out| unsafe { sys::napi_get_undefined(self.env, out) })
    }

    pub fn double(self, number: f64) -> Result<Value<'s>, Failure> {
        // SAFETY: see `undefined`.
        self.make(|out| unsafe { sys::napi_create_double(self.env, number, out) })
    }

    pub fn object<const N: usize>(
        self,
        properties: [(&str, Value); N],
    ) -> Result<Value<'s>, Failure> {
        // SAFETY: see `undefined`.
        let object = self.make(|out| unsafe { sys::napi_create_object(self.env, out) })?;
        for (name, value) in properties {
            self.set(object, name, value)?;
        }
        Ok(object)
    }

    pub fn set(self, object: Value, name: &str, value: Value) -> Result<(), Failure> {
        match ShortName::new(name) {
            // SAFETY: live handles; the name ends with its NUL.
            Some(name) => self.check(unsafe {
                sys::napi_set_named_property(self.env, object.raw, name.as_ptr(), value.raw)
            }),
            None => {
                let key = self.key(name)?;
                // SAFETY: live handles of this environment.
                self.check(unsafe {
                    sys::napi_set_property(self.env, object.raw, key.raw, value.raw)
                })
            }
        }
    }

    /// A property that nobody comes across by listing an object's properties, and nobody can
    /// replace.
    pub fn hide(self, object: Value, name: &str, value: Value) -> Result<(), Failure> {
        let name = self.utf8(name)?;
        let property = sys::napi_property_descriptor {
            utf8name: ptr::null(),
            name: name.raw,
            method: None,
            getter: None,
            setter: None,
            value: value.raw,
            attributes: sys::PropertyAttributes::default,
            data: ptr::null_mut(),
        };
        // SAFETY: one property is announced and one is passed; its handles are alive.
        self.check(unsafe { sys::napi_define_properties(self.env, object.raw, 1, &property) })
    }

    pub fn array(self, length: usize) -> Result<Value<'s>, Failure> {
        // SAFETY: see `undefined`.
        self.make(|out| unsafe { sys::napi_create_array_with_length(self.env, length, out) })
    }

    pub fn set_element(self, array: Value, index: usize, value: Value) -> Result<(), Failure> {
        let index = index as u32;
        // SAFETY: live handles of this environment.
        self.check(unsafe { sys::napi_set_element(self.env, array.raw, index, value.raw) })
    }

    pub fn boolean(self, value: bool) -> Result<Value<'s>, Failure> {
        // SAFETY: see `undefined`.
        self.make(|out| unsafe { sys::napi_get_boolean(self.env, value, out) })
    }

    pub fn null(self) -> Result<Value<'s>, Failure> {
        // SAFETY: see `undefined`.
        self.make(|out| unsafe { sys::napi_get_null(self.env, out) })
    }

    /// Tells the engine that objects of its hold so much more memory, or less, than it sees.
    pub fn adjust_external_memory(self, change_in_bytes: i64) {
        let mut total = 0;
        // SAFETY: see `undefined`. A refusal only makes a collection come later.
        unsafe { sys::napi_adjust_external_memory(self.env, change_in_bytes, &mut total) };
    }

    /// Any serializable value as plain JS objects.
    pub fn plain(self, value: &impl serde::Serialize) -> Result<Value<'s>, Failure> {
        use napi::JsValue;
        let env = napi::Env::from_raw(self.env);
        let value = env.to_js_value(value).map_err(|error| Failure::Engine(error.status as i32))?;
        Ok(self.value(value.raw()))
    }

    /// Lets `fill` write into the memory of a Uint8Array; `None` if the value is no Uint8Array.
    pub fn with_uint8_array<R>(
        self,
        value: Value,
        fill: impl FnOnce(&mut [MaybeUninit<u8>]) -> R,
    ) -> Result<Option<R>, Failure> {
        let mut kind = 0;
        let mut length = 0;
        let mut data = ptr::null_mut();
        // SAFETY: live handle; what is not asked for may be null.
        let status = unsafe {
            sys::napi_get_typedarray_info(
                self.env,
                value.raw,
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
        if kind != sys::TypedarrayType::uint8_array {
            return Ok(None);
        }
        if length == 0 || data.is_null() {
            return Ok(Some(fill(&mut [])));
        }
        // SAFETY: the array's memory has `length` bytes, and no JS that could detach or
        // resize it runs before `fill` returns.
        Ok(Some(fill(unsafe { std::slice::from_raw_parts_mut(data.cast(), length) })))
    }

    /// A JS error object.
    pub fn error(self, class: ErrorClass, code: &str, message: &str) -> Result<Value<'s>, Failure> {
        let create = match class {
            ErrorClass::Type => sys::napi_create_type_error,
            ErrorClass::Range => sys::napi_create_range_error,
            ErrorClass::Plain => sys::napi_create_error,
        };
        let code = self.utf8(code)?;
        let message = self.utf8(message)?;
        // SAFETY: live handles of two strings.
        self.make(|out| unsafe { create(self.env, code.raw, message.raw, out) })
    }

    pub fn throw(self, error: Value) -> Result<(), Failure> {
        // SAFETY: live handle of this environment.
        self.check(unsafe { sys::napi_throw(self.env, error.raw) })
    }
}
