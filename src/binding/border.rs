//! Node-API behind a safe interface.
//!
//! 1. A [`Value`] carries the lifetime of the handle scope it was made in, and cannot
//!    leave it: [`Border::nested`] opens a scope, and what its closure returns cannot
//!    hold a value of that scope. The scope is closed on every path.
//! 2. Every status is checked. A pending exception, such as a getter's own, becomes
//!    [`Failure::Thrown`] and reaches the caller untouched.
//! 3. A string is read once, into memory that has room for it.

#![expect(unsafe_code, reason = "Node-API is a C interface; this module is its only caller")]

mod calls;

pub use calls::{Callback, Settlement, settle};

use super::failure::Failure;
use crate::error::{Error, ErrorClass};
use crate::text::{push_utf16, utf16_of};
use napi::sys;
use std::ffi::c_char;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;

/// The JS engine during one call from JavaScript, in the innermost handle scope.
#[derive(Clone, Copy)]
pub struct Border<'s> {
    env: sys::napi_env,
    scope: PhantomData<&'s ()>,
}

/// A JS value, alive as long as its handle scope.
#[derive(Clone, Copy)]
pub struct Value<'s> {
    raw: sys::napi_value,
    scope: PhantomData<&'s ()>,
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

/// What came of appending a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    Whole,
    TooLong,
    NoString,
}

/// Room for most names and many messages, without a look at their length first.
const LEAST_ROOM: usize = 256;

/// A character has at most this many bytes in UTF-8: with as much room left over after a
/// read, nothing was left unread.
const LONGEST_CHARACTER: usize = 4;

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

    /// A property key, for use with [`Border::get`].
    pub fn key(self, name: &str) -> Result<Value<'s>, Failure> {
        self.utf8(name)
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
        let length = self.get(value, self.key("length")?)?;
        match self.kind(length)? {
            Kind::Number => Ok(Some(self.number(length)? as u32)),
            _ => Ok(None),
        }
    }

    /// `Array.isArray`, which unlike Node-API sees through proxies.
    fn is_array_proxy(self, value: Value) -> Result<bool, Failure> {
        let array = self.global_object("Array")?;
        let answer = self.call_method(array, "isArray", &[value.raw])?;
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
            value = self.get(value, self.key(key)?)?;
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
        let method = self.get(this, self.key(own_method)?)?;
        match self.kind(method)? {
            Kind::Function => Ok(this),
            kind => {
                let got = format!("an object whose {own_method} is {}", kind.name());
                Err(Error::invalid_type("this", "an instance made with new", got).into())
            }
        }
    }

    // ---- reading strings

    /// The length in UTF-16 units, without reading. The UTF-8 form has at least as many bytes.
    pub fn utf16_length(self, string: Value) -> Result<usize, Failure> {
        let mut units = 0;
        // SAFETY: with no buffer, only the length is asked for.
        self.check(unsafe {
            sys::napi_get_value_string_utf16(self.env, string.raw, ptr::null_mut(), 0, &mut units)
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
            sys::napi_get_value_string_utf8(self.env, string.raw, first, room, &mut written)
        })?;
        bytes.truncate(written);
        Ok(text_of(bytes))
    }

    /// `String.prototype.slice`, which copies nothing.
    pub fn slice(self, string: Value, start: usize, end: usize) -> Result<Value<'s>, Failure> {
        let bounds = [self.double(start as f64)?.raw, self.double(end as f64)?.raw];
        self.call_method(string, "slice", &bounds)
    }

    /// Replaces `units` by the string's.
    pub fn read_utf16(self, string: Value, units: &mut Vec<u16>) -> Result<(), Failure> {
        units.clear();
        units.reserve(self.utf16_length(string)? + 1);
        let free = units.spare_capacity_mut();
        let mut read = 0;
        // SAFETY: `free` is writable for its length, the closing NUL included.
        self.check(unsafe {
            let first = free.as_mut_ptr().cast::<u16>();
            sys::napi_get_value_string_utf16(self.env, string.raw, first, free.len(), &mut read)
        })?;
        // SAFETY: that many units were just written.
        unsafe { units.set_len(read) };
        Ok(())
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
    ) -> Result<Appended, Failure> {
        out.reserve(LEAST_ROOM);
        loop {
            let free = out.spare_capacity_mut();
            // More room than the limit needs would only be filled in vain.
            let room = (free.len() - 1).min(limit.saturating_add(LONGEST_CHARACTER));
            let mut written = 0;
            // SAFETY: `free` is writable for more than `room` bytes, and Node-API writes at
            // most that many and a closing NUL.
            let status = unsafe {
                sys::napi_get_value_string_utf8(
                    self.env,
                    string.raw,
                    free.as_mut_ptr().cast::<c_char>(),
                    room + 1,
                    &mut written,
                )
            };
            if status == sys::Status::napi_string_expected {
                return Ok(Appended::NoString);
            }
            self.check(status)?;
            if written > limit {
                return Ok(Appended::TooLong);
            }
            if room - written >= LONGEST_CHARACTER {
                // SAFETY: that many bytes were just written after the current end.
                unsafe { out.set_len(out.len() + written) };
                return Ok(Appended::Whole);
            }
            let units = self.utf16_length(string)?;
            if units > limit {
                return Ok(Appended::TooLong);
            }
            // ASCII takes a byte a unit, other text at most three.
            let needed = if units > room { units } else { units * 3 };
            out.reserve(needed.min(limit) + LONGEST_CHARACTER + 1);
        }
    }

    /// The same by way of UTF-16, for text that is mostly not ASCII. `units` is memory for it.
    pub fn append_utf8_wide(
        self,
        string: Value,
        out: &mut Vec<u8>,
        limit: usize,
        units: &mut Vec<u16>,
    ) -> Result<Appended, Failure> {
        units.clear();
        units.reserve(LEAST_ROOM);
        loop {
            let free = units.spare_capacity_mut();
            let mut read = 0;
            // SAFETY: `free` is writable for its length, and Node-API writes at most that
            // many units, the closing NUL included.
            let status = unsafe {
                sys::napi_get_value_string_utf16(
                    self.env,
                    string.raw,
                    free.as_mut_ptr().cast::<u16>(),
                    free.len(),
                    &mut read,
                )
            };
            if status == sys::Status::napi_string_expected {
                return Ok(Appended::NoString);
            }
            self.check(status)?;
            if read > limit {
                return Ok(Appended::TooLong);
            }
            if read + 1 < free.len() {
                // SAFETY: that many units were just written.
                unsafe { units.set_len(read) };
                break;
            }
            let length = self.utf16_length(string)?;
            if length > limit {
                return Ok(Appended::TooLong);
            }
            units.reserve(length + LEAST_ROOM);
        }
        let start = out.len();
        push_utf16(units, out);
        if out.len() - start > limit {
            out.truncate(start);
            return Ok(Appended::TooLong);
        }
        Ok(Appended::Whole)
    }

    pub fn string(self, string: Value) -> Result<String, Failure> {
        let mut bytes = Vec::new();
        self.append_utf8(string, &mut bytes, usize::MAX)?;
        Ok(text_of(bytes))
    }

    // ---- making values

    pub fn undefined(self) -> Result<Value<'s>, Failure> {
        // SAFETY: the environment is that of the running call, as everywhere below.
        self.make(|out| unsafe { sys::napi_get_undefined(self.env, out) })
    }

    pub fn double(self, number: f64) -> Result<Value<'s>, Failure> {
        // SAFETY: see `undefined`.
        self.make(|out| unsafe { sys::napi_create_double(self.env, number, out) })
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
        let units = utf16_of(text);
        let (first, length) = (units.as_ptr(), units.len() as isize);
        // SAFETY: `first` is readable for `length` units; the engine copies them.
        self.make(|out| unsafe { sys::napi_create_string_utf16(self.env, first, length, out) })
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
        let key = self.key(name)?;
        // SAFETY: live handles of this environment.
        self.check(unsafe { sys::napi_set_property(self.env, object.raw, key.raw, value.raw) })
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

    /// A copy of an object's own enumerable properties, or of an array, as JavaScript copies.
    pub fn shallow_copy(self, of: Value) -> Result<Value<'s>, Failure> {
        match self.array_length(of)? {
            Some(_) => self.call_method(of, "slice", &[]),
            None => {
                let object = self.global_object("Object")?;
                self.call_method(object, "assign", &[self.object([])?.raw, of.raw])
            }
        }
    }

    /// The milliseconds of a Date, also of one that is given as a string or a number; NaN
    /// if it is none.
    pub fn date_milliseconds(self, value: Value) -> Result<f64, Failure> {
        let mut is_date = false;
        // SAFETY: live handle of this environment.
        self.check(unsafe { sys::napi_is_date(self.env, value.raw, &mut is_date) })?;
        let date = match (is_date, self.kind(value)?) {
            (true, _) => self.value(value.raw),
            (false, Kind::String | Kind::Number) => self.new_date(&[value.raw])?,
            _ => return Ok(f64::NAN),
        };
        let mut milliseconds = 0.0;
        // SAFETY: live handle of a Date.
        let status = unsafe { sys::napi_get_date_value(self.env, date.raw, &mut milliseconds) };
        self.check(status)?;
        Ok(milliseconds)
    }

    pub fn date(self, milliseconds: f64) -> Result<Value<'s>, Failure> {
        // SAFETY: see `undefined`.
        self.make(|out| unsafe { sys::napi_create_date(self.env, milliseconds, out) })
    }

    /// `Date.now()`, as JavaScript sees it.
    pub fn now(self) -> Result<Value<'s>, Failure> {
        let date = self.global_object("Date")?;
        self.call_method(date, "now", &[])
    }

    fn new_date(self, arguments: &[sys::napi_value]) -> Result<Value<'s>, Failure> {
        let date = self.global_object("Date")?;
        let (count, first) = (arguments.len(), arguments.as_ptr());
        // SAFETY: as many arguments are passed as announced.
        self.make(|out| unsafe { sys::napi_new_instance(self.env, date.raw, count, first, out) })
    }

    /// Calls a method of an object, if it has it.
    pub fn call_method_if_any(
        self,
        object: Value,
        name: &str,
        argument: Value,
    ) -> Result<(), Failure> {
        let method = self.get(object, self.key(name)?)?;
        match self.kind(method)? {
            Kind::Function => self.call(object, method, &[argument.raw]).map(drop),
            _ => Ok(()),
        }
    }

    /// A global object, such as `console`.
    pub fn global_object(self, name: &str) -> Result<Value<'s>, Failure> {
        self.get(self.global()?, self.key(name)?)
    }

    fn call_method(
        self,
        object: Value,
        name: &str,
        arguments: &[sys::napi_value],
    ) -> Result<Value<'s>, Failure> {
        let method = self.get(object, self.key(name)?)?;
        self.call(object, method, arguments)
    }

    fn call(
        self,
        this: Value,
        function: Value,
        arguments: &[sys::napi_value],
    ) -> Result<Value<'s>, Failure> {
        let (count, first) = (arguments.len(), arguments.as_ptr());
        // SAFETY: live handles, as many arguments as announced.
        self.make(|out| unsafe {
            sys::napi_call_function(self.env, this.raw, function.raw, count, first, out)
        })
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

    /// A new Buffer of `bytes` bytes that `fill` writes, all of them.
    pub fn buffer(
        self,
        bytes: usize,
        fill: impl FnOnce(&mut [MaybeUninit<u8>]),
    ) -> Result<Value<'s>, Failure> {
        let mut data = ptr::null_mut();
        // SAFETY: see `undefined`.
        let buffer =
            self.make(|out| unsafe { sys::napi_create_buffer(self.env, bytes, &mut data, out) })?;
        if bytes > 0 {
            // SAFETY: Node-API just allocated `bytes` bytes there, and no JS runs meanwhile.
            fill(unsafe { std::slice::from_raw_parts_mut(data.cast(), bytes) });
        }
        Ok(buffer)
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

    // ---- throwing

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

/// The engine writes well-formed UTF-8, so this is a check and not a conversion.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
