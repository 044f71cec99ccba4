//! Node-API behind a safe interface.
//!
//! 1. A [`Value`] carries the lifetime of the handle scope it was made in, and cannot
//!    leave it: [`Border::nested`] opens a scope, and what its closure returns cannot
//!    hold a value of that scope. The scope is closed on every path.
//! 2. Every status is checked. A pending exception, such as a getter's own, becomes
//!    [`Failure::Thrown`] and reaches the caller untouched.
//!
//! Strings, values made here, calls of JavaScript, scripts, and what is kept from call to call
//! have files of their own.

#![expect(unsafe_code, reason = "Node-API is a C interface; this module is its only caller")]

mod calls;
mod engine;
mod make;
mod script;
mod strings;

pub use calls::{Arguments, Callback, Settlement, settle};
pub use engine::Name;
pub use script::{Opened, Script};
pub use strings::{Appended, is_wide};

use super::failure::Failure;
use crate::error::Error;
use napi::sys;
use std::marker::PhantomData;
use std::ptr;

/// The JS engine during one call from JavaScript, in the innermost handle scope.
#[derive(Clone, Copy)]
pub struct Border<'s> {
    env: sys::napi_env,
    scope: PhantomData<&'s ()>,
}

/// A JS value, alive as long as its handle scope.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Value<'s> {
    raw: sys::napi_value,
    scope: PhantomData<&'s ()>,
}

/// A name with a NUL at its end, as C has them.
struct ShortName([u8; 48]);

impl ShortName {
    fn new(name: &str) -> Option<Self> {
        let mut bytes = [0; 48];
        let fits = name.len() < bytes.len() && !name.as_bytes().contains(&0);
        fits.then(|| {
            bytes[..name.len()].copy_from_slice(name.as_bytes());
            ShortName(bytes)
        })
    }

    fn as_ptr(&self) -> *const std::ffi::c_char {
        self.0.as_ptr().cast()
    }
}

/// What `typeof` says, with null told apart.
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

impl<'s> Border<'s> {
    /// The border during a call that napi-rs has received, with the value it was given.
    pub fn enter(env: &'s napi::Env) -> Self {
        Border { env: env.raw(), scope: PhantomData }
    }

    /// The object whose method napi-rs was called with.
    pub fn received_this(self, this: &napi::bindgen_prelude::This<'s>) -> Value<'s> {
        use napi::JsValue;
        self.value(this.object.raw())
    }

    /// An object that napi-rs received in this call.
    pub fn received_object(self, object: &napi::bindgen_prelude::Object<'s>) -> Value<'s> {
        use napi::JsValue;
        self.value(object.raw())
    }

    /// A value that napi-rs received in this call.
    pub fn received(self, value: &napi::Unknown<'s>) -> Value<'s> {
        use napi::JsValue;
        self.value(value.raw())
    }

    /// Does the work of a call, and answers to napi-rs: with the value, or with an exception.
    pub fn answer(
        self,
        work: impl FnOnce(Self) -> Result<Value<'s>, Failure>,
    ) -> napi::Result<napi::Unknown<'s>> {
        match work(self) {
            // SAFETY: the value is a live handle of this environment.
            Ok(value) => Ok(unsafe { napi::Unknown::from_raw_unchecked(self.env, value.raw) }),
            Err(failure) => Err(failure.throw(self)),
        }
    }

    fn value(self, raw: sys::napi_value) -> Value<'s> {
        Value { raw, scope: PhantomData }
    }

    fn check(self, status: sys::napi_status) -> Result<(), Failure> {
        match status {
            sys::Status::napi_ok => Ok(()),
            sys::Status::napi_pending_exception => Err(Failure::Thrown),
            // A getter that throws is a general failure to Node-API.
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

    /// Calls a Node-API function whose last argument is where the resulting handle goes.
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
        work: impl for<'i> FnOnce(Border<'i>) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        struct Scope {
            env: sys::napi_env,
            raw: sys::napi_handle_scope,
        }
        impl Drop for Scope {
            fn drop(&mut self) {
                // SAFETY: opened below, closed here and nowhere else, innermost first.
                unsafe { sys::napi_close_handle_scope(self.env, self.raw) };
            }
        }
        let mut raw = ptr::null_mut();
        // SAFETY: the environment is that of the running call.
        self.check(unsafe { sys::napi_open_handle_scope(self.env, &mut raw) })?;
        let _scope = Scope { env: self.env, raw };
        work(Border { env: self.env, scope: PhantomData })
    }

    // ---- looking at values

    pub fn kind(self, value: Value) -> Result<Kind, Failure> {
        let mut raw = 0;
        // SAFETY: live handle of this environment, as everywhere below.
        self.check(unsafe { sys::napi_typeof(self.env, value.raw, &mut raw) })?;
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

    /// A property key, for use with [`Border::get`] in a loop.
    pub fn key(self, name: &str) -> Result<Value<'s>, Failure> {
        self.utf8(name)
    }

    /// A property by its name.
    pub fn named(self, object: Value, name: &str) -> Result<Value<'s>, Failure> {
        match ShortName::new(name) {
            // SAFETY: live handle; the name ends with its NUL. The engine looks such a name up
            // among those it knows, which is faster than to make a key and use it once.
            Some(name) => self.make(|out| unsafe {
                sys::napi_get_named_property(self.env, object.raw, name.as_ptr(), out)
            }),
            None => self.get(object, self.key(name)?),
        }
    }

    pub fn get(self, object: Value, key: Value) -> Result<Value<'s>, Failure> {
        // SAFETY: live handles of this environment.
        self.make(|out| unsafe { sys::napi_get_property(self.env, object.raw, key.raw, out) })
    }

    pub fn element(self, array: Value, index: u32) -> Result<Value<'s>, Failure> {
        // SAFETY: live handle of this environment.
        self.make(|out| unsafe { sys::napi_get_element(self.env, array.raw, index, out) })
    }

    /// The own enumerable string keys of an object.
    pub fn keys(self, object: Value) -> Result<Vec<String>, Failure> {
        // SAFETY: live handle of this environment.
        let names =
            self.make(|out| unsafe { sys::napi_get_property_names(self.env, object.raw, out) })?;
        let count = self.array_length(names)?.unwrap_or(0);
        (0..count).map(|index| self.string(self.element(names, index)?)).collect()
    }

    /// The length of an array, also behind a proxy; `None` if it is no array.
    pub fn array_length(self, value: Value) -> Result<Option<u32>, Failure> {
        let mut length = 0;
        // SAFETY: live handle of this environment.
        match unsafe { sys::napi_get_array_length(self.env, value.raw, &mut length) } {
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
        let answer = self.method(array, "isArray", &[value])?;
        self.is_true(answer)
    }

    pub fn is_true(self, boolean: Value) -> Result<bool, Failure> {
        let mut yes = false;
        // SAFETY: live handle of this environment.
        self.check(unsafe { sys::napi_get_value_bool(self.env, boolean.raw, &mut yes) })?;
        Ok(yes)
    }

    pub fn number(self, value: Value) -> Result<f64, Failure> {
        let mut number = 0.0;
        // SAFETY: live handle of this environment.
        self.check(unsafe { sys::napi_get_value_double(self.env, value.raw, &mut number) })?;
        Ok(number)
    }

    /// A variable of `process.env`, which in a worker is not that of the process.
    pub fn environment_variable(self, name: &str) -> Result<Option<String>, Failure> {
        let mut value = self.global()?;
        for key in ["process", "env", name] {
            if self.kind(value)?.is_nothing() {
                return Ok(None);
            }
            value = self.named(value, key)?;
        }
        match self.kind(value)? {
            Kind::String => self.string(value).map(Some),
            _ => Ok(None),
        }
    }

    fn global(self) -> Result<Value<'s>, Failure> {
        // SAFETY: the environment is that of the running call.
        self.make(|out| unsafe { sys::napi_get_global(self.env, out) })
    }

    /// A number as JavaScript prints it.
    pub fn number_text(self, number: f64) -> Result<String, Failure> {
        let number = self.double(number)?;
        // SAFETY: live handle of this environment.
        let text =
            self.make(|out| unsafe { sys::napi_coerce_to_string(self.env, number.raw, out) })?;
        self.string(text)
    }

    /// The object that a constructor fills; an error if it was called without `new`, and so
    /// fills whatever it was called on.
    pub fn instance(
        self,
        this: &napi::bindgen_prelude::This<'s>,
        own_method: &str,
    ) -> Result<Value<'s>, Failure> {
        let this = self.received_this(this);
        let method = self.named(this, own_method)?;
        match self.kind(method)? {
            Kind::Function => Ok(this),
            kind => {
                let got = format!("an object whose {own_method} is {}", kind.name());
                Err(Error::invalid_type("this", "an instance made with new", got).into())
            }
        }
    }
}
