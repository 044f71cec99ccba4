//! Node-API behind a safe interface. All `unsafe` of the binding is in this folder.
//!
//! 1. A [`Value`] carries the lifetime of the handle scope it was made in, and cannot
//!    leave it: [`Scope::nested`] opens a scope, and what its closure returns cannot
//!    hold a value of that scope. The scope is closed on every path.
//! 2. Every status is checked. A pending exception, such as a getter's own, becomes
//!    [`Failure::Thrown`] and reaches the caller untouched.
//! 3. A panic does not leave [`run`] or a [`NativeFunction`].
//!
//! - `strings`: strings in and out;
//! - `make`: values made here, and memory of the engine that is written here;
//! - `calls`: functions that napi-rs exports, and calls of JavaScript;
//! - `functions`: exported functions that are called for every prompt or message;
//! - `visit`: a JavaScript loop over messages that calls back once for each.

#![expect(unsafe_code, reason = "Node-API is a C interface; this module is its only caller")]

mod calls;
mod functions;
mod make;
mod strings;
mod visit;

// With a stand-in for the engine, which only Miri needs.
#[cfg(all(test, miri))]
mod tests;

pub use calls::run;
pub(super) use functions::native_function;
pub use functions::{Arguments, NativeFunction};
pub use napi::Unknown as Value;
pub use strings::{ReadString, is_wide, whole};
pub use visit::{MessageKind, Visited, VisitedMessage, receive, visit_messages};

use super::failure::Failure;
use napi::{JsValue, sys};
use std::marker::PhantomData;
use std::ptr;

/// The engine during one call from JavaScript, in the innermost handle scope.
#[derive(Clone, Copy)]
pub struct Scope<'s> {
    env: sys::napi_env,
    lifetime: PhantomData<&'s ()>,
}

/// What `typeof` returns, with null told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Undefined,
    Null,
    Boolean,
    Number,
    String,
    Symbol,
    Object,
    Function,
    BigInt,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Undefined => "undefined",
            Kind::Null => "null",
            Kind::Boolean => "boolean",
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Symbol => "symbol",
            Kind::Object => "object",
            Kind::Function => "function",
            Kind::BigInt => "bigint",
        }
    }

    /// Undefined or null.
    pub fn is_nothing(self) -> bool {
        matches!(self, Kind::Undefined | Kind::Null)
    }
}

/// A property name with a NUL at its end, as C wants it.
struct PropertyName([u8; 48]);

impl PropertyName {
    /// `None` if it is too long or has a NUL in it.
    fn new(name: &str) -> Option<Self> {
        let mut bytes = [0; 48];
        let fits = name.len() < bytes.len() && !name.as_bytes().contains(&0);
        fits.then(|| {
            bytes[..name.len()].copy_from_slice(name.as_bytes());
            PropertyName(bytes)
        })
    }

    fn as_ptr(&self) -> *const std::ffi::c_char {
        self.0.as_ptr().cast()
    }
}

impl<'s> Scope<'s> {
    /// An object that napi-rs has received.
    pub fn received(self, object: &napi::bindgen_prelude::Object<'s>) -> Value<'s> {
        self.value(object.raw())
    }

    /// The scope of a call that napi-rs has received.
    pub fn enter(env: &'s napi::Env) -> Self {
        Scope { env: env.raw(), lifetime: PhantomData }
    }

    fn value(self, raw: sys::napi_value) -> Value<'s> {
        // SAFETY: callers pass a live handle of this environment and scope.
        unsafe { Value::from_raw_unchecked(self.env, raw) }
    }

    fn check(self, status: sys::napi_status) -> Result<(), Failure> {
        match status {
            sys::Status::napi_ok => Ok(()),
            sys::Status::napi_pending_exception => Err(Failure::Thrown),
            // Node-API reports a getter that throws as a general failure.
            _ if self.is_exception_pending() => Err(Failure::Thrown),
            other => Err(Failure::Engine(other)),
        }
    }

    fn is_exception_pending(self) -> bool {
        let mut pending = false;
        // SAFETY: the environment is that of the running call; the question has no effect.
        let status = unsafe { sys::napi_is_exception_pending(self.env, &mut pending) };
        status == sys::Status::napi_ok && pending
    }

    /// Calls a Node-API function whose last argument receives the resulting handle.
    fn make(
        self,
        call: impl FnOnce(*mut sys::napi_value) -> sys::napi_status,
    ) -> Result<Value<'s>, Failure> {
        let mut raw = ptr::null_mut();
        self.check(call(&mut raw))?;
        Ok(self.value(raw))
    }

    /// Runs `work` in a handle scope of its own, so that a long loop keeps no handles.
    pub fn nested<R>(
        self,
        work: impl for<'i> FnOnce(Scope<'i>) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        struct OpenScope {
            env: sys::napi_env,
            raw: sys::napi_handle_scope,
        }
        impl Drop for OpenScope {
            fn drop(&mut self) {
                // SAFETY: opened below, closed here and nowhere else, innermost first.
                unsafe { sys::napi_close_handle_scope(self.env, self.raw) };
            }
        }
        let mut raw = ptr::null_mut();
        // SAFETY: the environment is that of the running call.
        self.check(unsafe { sys::napi_open_handle_scope(self.env, &mut raw) })?;
        let _open = OpenScope { env: self.env, raw };
        work(Scope { env: self.env, lifetime: PhantomData })
    }

    pub fn kind(self, value: Value) -> Result<Kind, Failure> {
        let mut raw = 0;
        // SAFETY: live handle of this environment, as everywhere below.
        self.check(unsafe { sys::napi_typeof(self.env, value.raw(), &mut raw) })?;
        Ok(match raw {
            sys::ValueType::napi_undefined => Kind::Undefined,
            sys::ValueType::napi_null => Kind::Null,
            sys::ValueType::napi_boolean => Kind::Boolean,
            sys::ValueType::napi_number => Kind::Number,
            sys::ValueType::napi_string => Kind::String,
            sys::ValueType::napi_symbol => Kind::Symbol,
            sys::ValueType::napi_function => Kind::Function,
            sys::ValueType::napi_bigint => Kind::BigInt,
            _ => Kind::Object,
        })
    }

    /// A property by its name.
    pub fn named(self, object: Value, name: &str) -> Result<Value<'s>, Failure> {
        match PropertyName::new(name) {
            // SAFETY: live handle; the name ends with its NUL.
            Some(name) => self.make(|out| unsafe {
                sys::napi_get_named_property(self.env, object.raw(), name.as_ptr(), out)
            }),
            None => {
                let key = self.utf8(name)?;
                // SAFETY: live handles of this environment.
                self.make(|out| unsafe {
                    sys::napi_get_property(self.env, object.raw(), key.raw(), out)
                })
            }
        }
    }

    /// A property that the object itself has; undefined if it has none of this name.
    pub fn own(self, object: Value, name: &str) -> Result<Value<'s>, Failure> {
        let key = self.utf8(name)?;
        let mut is_own = false;
        // SAFETY: live handles of this environment.
        self.check(unsafe {
            sys::napi_has_own_property(self.env, object.raw(), key.raw(), &mut is_own)
        })?;
        if !is_own {
            return self.undefined();
        }
        // SAFETY: the same.
        self.make(|out| unsafe { sys::napi_get_property(self.env, object.raw(), key.raw(), out) })
    }

    pub fn element(self, array: Value, index: u32) -> Result<Value<'s>, Failure> {
        // SAFETY: live handle of this environment.
        self.make(|out| unsafe { sys::napi_get_element(self.env, array.raw(), index, out) })
    }

    /// The enumerable string keys that an object itself has.
    pub fn keys(self, object: Value) -> Result<Vec<String>, Failure> {
        // SAFETY: live handle of this environment.
        let names = self.make(|out| unsafe {
            sys::napi_get_all_property_names(
                self.env,
                object.raw(),
                sys::KeyCollectionMode::own_only,
                sys::KeyFilter::enumerable | sys::KeyFilter::skip_symbols,
                sys::KeyConversion::numbers_to_strings,
                out,
            )
        })?;
        let count = self.array_length(names)?.unwrap_or(0);
        (0..count).map(|index| self.string(self.element(names, index)?)).collect()
    }

    /// The length of an array, also behind a proxy; `None` if it is no array.
    pub fn array_length(self, value: Value) -> Result<Option<u32>, Failure> {
        let mut length = 0;
        // SAFETY: live handle of this environment.
        match unsafe { sys::napi_get_array_length(self.env, value.raw(), &mut length) } {
            sys::Status::napi_array_expected => {}
            status => return self.check(status).map(|()| Some(length)),
        }
        if self.kind(value)? != Kind::Object || !self.is_array_proxy(value)? {
            return Ok(None);
        }
        let length = self.named(value, "length")?;
        match self.kind(length)? {
            Kind::Number => Ok(Some(self.number(length)? as u32)),
            _ => Ok(None),
        }
    }

    /// `Array.isArray`, which unlike Node-API sees through proxies.
    fn is_array_proxy(self, value: Value) -> Result<bool, Failure> {
        let array = self.global_object("Array")?;
        let is_array = self.method(array, "isArray", &[value])?;
        self.boolean_of(is_array)
    }

    /// What `Object.prototype.toString` calls an object, such as `[object Promise]`. It is
    /// the same in every realm.
    pub fn class_name(self, value: Value) -> Result<String, Failure> {
        let prototype = self.named(self.global_object("Object")?, "prototype")?;
        let to_string = self.named(prototype, "toString")?;
        let name = self.call_function(value, to_string, &[])?;
        self.string(name)
    }

    pub fn boolean_of(self, boolean: Value) -> Result<bool, Failure> {
        let mut yes = false;
        // SAFETY: live handle of this environment.
        self.check(unsafe { sys::napi_get_value_bool(self.env, boolean.raw(), &mut yes) })?;
        Ok(yes)
    }

    pub fn number(self, value: Value) -> Result<f64, Failure> {
        let mut number = 0.0;
        // SAFETY: live handle of this environment.
        self.check(unsafe { sys::napi_get_value_double(self.env, value.raw(), &mut number) })?;
        Ok(number)
    }

    /// A number; `None` if the value is something else.
    pub fn optional_number(self, value: Value) -> Result<Option<f64>, Failure> {
        let mut number = 0.0;
        // SAFETY: live handle of this environment.
        match unsafe { sys::napi_get_value_double(self.env, value.raw(), &mut number) } {
            sys::Status::napi_number_expected => Ok(None),
            status => self.check(status).map(|()| Some(number)),
        }
    }

    pub fn is_date(self, value: Value) -> Result<bool, Failure> {
        let mut yes = false;
        // SAFETY: live handle of this environment.
        self.check(unsafe { sys::napi_is_date(self.env, value.raw(), &mut yes) })?;
        Ok(yes)
    }

    /// Whether a value is a Date, and not an invalid one.
    pub fn is_valid_date(self, value: Value) -> Result<bool, Failure> {
        if !self.is_date(value)? {
            return Ok(false);
        }
        let mut milliseconds = 0.0;
        // SAFETY: live handle of a Date.
        self.check(unsafe { sys::napi_get_date_value(self.env, value.raw(), &mut milliseconds) })?;
        Ok(!milliseconds.is_nan())
    }

    /// A number or a boolean as JavaScript prints it.
    pub fn printed(self, value: Value) -> Result<String, Failure> {
        // SAFETY: live handle of this environment.
        let text =
            self.make(|out| unsafe { sys::napi_coerce_to_string(self.env, value.raw(), out) })?;
        self.string(text)
    }

    /// A global object, such as `Array`.
    fn global_object(self, name: &str) -> Result<Value<'s>, Failure> {
        // SAFETY: the environment is that of the running call.
        let global = self.make(|out| unsafe { sys::napi_get_global(self.env, out) })?;
        self.named(global, name)
    }
}
