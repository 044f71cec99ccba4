//! Exported functions that are called for every prompt or message.
//!
//! napi-rs 3.16 allocates memory in each call of a function that it exports, which takes about
//! 70 ns. These functions are registered with Node-API directly. Their parameters are declared
//! for TypeScript in `src/binding/functions.d.ts`, and a test compares the names.

use super::{Scope, Value};
use crate::binding::failure::Failure;
use napi::{JsValue, sys};
use std::ffi::{c_char, c_void};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// A function that JavaScript calls, with nothing of its own to remember.
pub trait NativeFunction {
    /// The name in JavaScript.
    const NAME: &'static str;
    /// The names of the parameters.
    const PARAMETERS: &'static [&'static str];
    /// The body. Arguments that were not given are undefined.
    fn call<'s>(scope: Scope<'s>, arguments: Arguments<'_, 's>) -> Result<Value<'s>, Failure>;
}

/// No function has more parameters.
const MAX_PARAMETERS: usize = 26;

/// The arguments of a call, taken one after the other.
pub struct Arguments<'a, 's> {
    scope: Scope<'s>,
    rest: &'a [sys::napi_value],
}

impl<'s> Arguments<'_, 's> {
    /// The next argument.
    pub fn take(&mut self) -> Result<Value<'s>, Failure> {
        let (first, rest) = self.rest.split_first().ok_or_else(Failure::panicked)?;
        self.rest = rest;
        Ok(self.scope.value(*first))
    }
}

/// Declares a [`NativeFunction`]: `name: Type, |scope, parameter, …| body`.
macro_rules! native_function {
    ($(#[doc = $doc:literal])+ $name:literal: $Type:ident, |$scope:ident, $($parameter:ident),+ $(,)?| $body:block) => {
        $(#[doc = $doc])+
        pub struct $Type;

        impl $crate::binding::node_api::NativeFunction for $Type {
            const NAME: &'static str = $name;
            const PARAMETERS: &'static [&'static str] = &[$(stringify!($parameter)),+];

            fn call<'s>(
                $scope: $crate::binding::node_api::Scope<'s>,
                mut arguments: $crate::binding::node_api::Arguments<'_, 's>,
            ) -> Result<$crate::binding::node_api::Value<'s>, $crate::binding::failure::Failure> {
                $(let $parameter = arguments.take()?;)+
                $body
            }
        }
    };
}
pub(crate) use native_function;

impl<'s> Scope<'s> {
    /// Makes a function a property of `exports`.
    pub fn export<F: NativeFunction>(self, exports: Value) -> Result<(), Failure> {
        const { assert!(F::PARAMETERS.len() <= MAX_PARAMETERS) };
        let (name, length) = (F::NAME.as_ptr().cast::<c_char>(), F::NAME.len() as isize);
        // SAFETY: the name is readable for its length, and the function needs no data.
        let function = self.make(|out| unsafe {
            let data = ptr::null_mut::<c_void>();
            sys::napi_create_function(self.env, name, length, Some(called::<F>), data, out)
        })?;
        let key = self.utf8(F::NAME)?;
        // SAFETY: live handles of this environment.
        self.check(unsafe {
            sys::napi_set_property(self.env, exports.raw(), key.raw(), function.raw())
        })
    }
}

/// What the engine calls. Nothing unwinds into it.
unsafe extern "C" fn called<F: NativeFunction>(
    env: sys::napi_env,
    info: sys::napi_callback_info,
) -> sys::napi_value {
    let scope = Scope { env, lifetime: PhantomData };
    let mut raw = [ptr::null_mut(); MAX_PARAMETERS];
    let mut count = F::PARAMETERS.len();
    let work = || {
        // SAFETY: there is room for as many arguments as are asked for; the engine fills in
        // undefined for missing ones. What is not asked for may be null.
        scope.check(unsafe {
            let (this, data) = (ptr::null_mut(), ptr::null_mut());
            sys::napi_get_cb_info(env, info, &mut count, raw.as_mut_ptr(), this, data)
        })?;
        let arguments = Arguments { scope, rest: &raw[..F::PARAMETERS.len()] };
        F::call(scope, arguments).map(|value| value.raw())
    };
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => return value,
        Ok(Err(failure)) => drop(failure.throw(scope)),
        Err(_) => drop(Failure::panicked().throw(scope)),
    }
    ptr::null_mut()
}
