//! Calling JavaScript, and answering it later.

use super::{Border, Kind, Value};
use crate::binding::failure::Failure;
use napi::bindgen_prelude::ToNapiValue;
use napi::sys;
use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// A function for JavaScript to call, with nothing of its own to remember.
pub trait Callback {
    /// What stack traces call it.
    const NAME: &'static str;
    /// The answer to a call. Arguments that were not given are undefined.
    fn call<'s>(border: Border<'s>, arguments: &'s Arguments<'s>) -> Result<Value<'s>, Failure>;
}

/// As many arguments as any function takes.
pub type Arguments<'s> = [Value<'s>; 14];

/// What a promise of [`crate::binding::background`] is fulfilled with.
pub struct Settlement(sys::napi_value);

impl ToNapiValue for Settlement {
    // SAFETY: a settlement is made and handed on inside one handle scope, see `settle`.
    unsafe fn to_napi_value(_: sys::napi_env, val: Self) -> napi::Result<sys::napi_value> {
        Ok(val.0)
    }
}

/// Does the last piece of work for a promise, on the thread of its engine. A failure becomes
/// the very error that the promise is rejected with.
pub fn settle(
    env: napi::Env,
    work: impl for<'s> FnOnce(Border<'s>) -> Result<Value<'s>, Failure>,
) -> napi::Result<Settlement> {
    let border = Border::enter(&env);
    match work(border) {
        Ok(value) => Ok(Settlement(value.raw)),
        Err(failure) => Err(match failure.into_value(border) {
            // SAFETY: the value is a live handle of this environment.
            Ok(error) => unsafe { napi::Unknown::from_raw_unchecked(border.env, error.raw) }.into(),
            Err(failure) => failure.throw(border),
        }),
    }
}

impl<'s> Border<'s> {
    pub fn call_function(
        self,
        this: Value,
        function: Value,
        arguments: &[Value],
    ) -> Result<Value<'s>, Failure> {
        // SAFETY: live handles, and as many arguments as are announced. A value is nothing but
        // its handle.
        self.make(|out| unsafe {
            let (count, first) = (arguments.len(), arguments.as_ptr().cast());
            sys::napi_call_function(self.env, this.raw, function.raw, count, first, out)
        })
    }

    /// Calls a method by its name.
    pub fn method(
        self,
        this: Value,
        name: &str,
        arguments: &[Value],
    ) -> Result<Value<'s>, Failure> {
        let method = self.named(this, name)?;
        self.call_function(this, method, arguments)
    }

    /// `new` of a global class.
    pub fn construct(self, class: &str, arguments: &[Value]) -> Result<Value<'s>, Failure> {
        let class = self.global_object(class)?;
        // SAFETY: as above.
        self.make(|out| unsafe {
            let (count, first) = (arguments.len(), arguments.as_ptr().cast());
            sys::napi_new_instance(self.env, class.raw, count, first, out)
        })
    }

    /// A copy of an object's own enumerable properties, as JavaScript copies.
    pub fn copy_object(self, of: Value) -> Result<Value<'s>, Failure> {
        let object = self.global_object("Object")?;
        self.method(object, "assign", &[self.object([])?, of])
    }

    /// A copy of an array.
    pub fn copy_array(self, of: Value) -> Result<Value<'s>, Failure> {
        self.method(of, "slice", &[])
    }

    /// The milliseconds of a Date, also of one that is given as a string or a number; NaN
    /// if it is none.
    pub fn date_milliseconds(self, value: Value) -> Result<f64, Failure> {
        let date = match self.kind(value)? {
            _ if self.is_date(value)? => self.value(value.raw),
            Kind::String | Kind::Number => self.construct("Date", &[value])?,
            _ => return Ok(f64::NAN),
        };
        let mut milliseconds = 0.0;
        // SAFETY: live handle of a Date.
        self.check(unsafe { sys::napi_get_date_value(self.env, date.raw, &mut milliseconds) })?;
        Ok(milliseconds)
    }

    pub fn date(self, milliseconds: f64) -> Result<Value<'s>, Failure> {
        // SAFETY: see `undefined`.
        self.make(|out| unsafe { sys::napi_create_date(self.env, milliseconds, out) })
    }

    /// `Date.now()`, as JavaScript sees it.
    pub fn now(self) -> Result<Value<'s>, Failure> {
        let date = self.global_object("Date")?;
        self.method(date, "now", &[])
    }

    /// Calls a method of an object, if it has it.
    pub fn call_method_if_any(
        self,
        object: Value,
        name: &str,
        argument: Value,
    ) -> Result<(), Failure> {
        let method = self.named(object, name)?;
        match self.kind(method)? {
            Kind::Function => self.call_function(object, method, &[argument]).map(drop),
            _ => Ok(()),
        }
    }

    /// A global object, such as `console`.
    pub fn global_object(self, name: &str) -> Result<Value<'s>, Failure> {
        self.named(self.global()?, name)
    }

    pub fn array_of(self, elements: &[Value]) -> Result<Value<'s>, Failure> {
        let array = self.array(elements.len())?;
        for (index, element) in elements.iter().enumerate() {
            self.set_element(array, index, *element)?;
        }
        Ok(array)
    }

    pub fn is_date(self, value: Value) -> Result<bool, Failure> {
        let mut yes = false;
        // SAFETY: live handle of this environment.
        self.check(unsafe { sys::napi_is_date(self.env, value.raw, &mut yes) })?;
        Ok(yes)
    }

    /// What was thrown, which is thrown no longer.
    pub fn take_exception(self) -> Result<Value<'s>, Failure> {
        // SAFETY: the environment is that of the running call.
        self.make(|out| unsafe { sys::napi_get_and_clear_last_exception(self.env, out) })
    }

    /// `promise.then(callback)`.
    pub fn then<C: Callback>(self, promise: Value) -> Result<Value<'s>, Failure> {
        self.method(promise, "then", &[self.function::<C>()?])
    }

    /// `Promise.all(values)`.
    pub fn all(self, values: &[Value]) -> Result<Value<'s>, Failure> {
        self.method(self.global_object("Promise")?, "all", &[self.array_of(values)?])
    }

    /// The work of a function that answers with a promise: its failures are rejections.
    pub fn promise(
        self,
        work: impl FnOnce(Self) -> Result<Value<'s>, Failure>,
    ) -> Result<Value<'s>, Failure> {
        work(self).or_else(|failure| {
            let error = failure.into_value(self)?;
            self.method(self.global_object("Promise")?, "reject", &[error])
        })
    }

    pub fn function<C: Callback>(self) -> Result<Value<'s>, Failure> {
        let (name, length) = (C::NAME.as_ptr().cast::<c_char>(), C::NAME.len() as isize);
        // SAFETY: the name is readable for its length, and the function needs no data.
        self.make(|out| unsafe {
            let (call, data) = (Some(answer_call::<C> as _), ptr::null_mut::<c_void>());
            sys::napi_create_function(self.env, name, length, call, data, out)
        })
    }
}

/// What the engine calls. Nothing unwinds into it.
unsafe extern "C" fn answer_call<C: Callback>(
    env: sys::napi_env,
    info: sys::napi_callback_info,
) -> sys::napi_value {
    let env = napi::Env::from_raw(env);
    let border = Border::enter(&env);
    let mut arguments: Arguments = [border.value(ptr::null_mut()); _];
    let work = || {
        let mut count = arguments.len();
        // SAFETY: there is room for as many arguments as are asked for, and a value is nothing
        // but its handle; the engine fills in undefined for missing ones. What is not asked for
        // may be null.
        border.check(unsafe {
            let (this, data) = (ptr::null_mut(), ptr::null_mut());
            let first = arguments.as_mut_ptr().cast();
            sys::napi_get_cb_info(border.env, info, &mut count, first, this, data)
        })?;
        C::call(border, &arguments).map(|value| value.raw)
    };
    let failure = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(raw)) => return raw,
        Ok(Err(failure)) => failure,
        Err(_) => Failure::panicked(),
    };
    // The exception is what JavaScript sees of it; one may be under way already.
    if !matches!(failure, Failure::Thrown) {
        drop(failure.into_value(border).and_then(|error| border.throw(error)));
    }
    ptr::null_mut()
}
