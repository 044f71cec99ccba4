//! Exported functions, and calls of JavaScript.

use super::{Scope, Value};
use crate::binding::failure::Failure;
use napi::{Env, JsValue, Unknown, sys};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the body of an exported function: returns its value to napi-rs, or throws. A panic is
/// thrown as an error too.
pub fn run<'s>(
    env: &'s Env,
    work: impl FnOnce(Scope<'s>) -> Result<Value<'s>, Failure>,
) -> napi::Result<Unknown<'s>> {
    let scope = Scope::enter(env);
    let result = catch_unwind(AssertUnwindSafe(|| work(scope)));
    result.unwrap_or_else(|_| Err(Failure::panicked())).map_err(|failure| failure.throw(scope))
}

impl<'s> Scope<'s> {
    pub fn call_function(
        self,
        this: Value,
        function: Value,
        arguments: &[Value],
    ) -> Result<Value<'s>, Failure> {
        const MAX_ARGUMENTS: usize = 4;
        let mut raw = [std::ptr::null_mut(); MAX_ARGUMENTS];
        for (slot, argument) in raw.iter_mut().zip(arguments) {
            *slot = argument.raw();
        }
        let count = arguments.len().min(MAX_ARGUMENTS);
        // SAFETY: live handles, and as many arguments as are announced.
        self.make(|out| unsafe {
            let first = raw.as_ptr();
            sys::napi_call_function(self.env, this.raw(), function.raw(), count, first, out)
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

    /// Takes the pending exception.
    pub fn take_exception(self) -> Result<Value<'s>, Failure> {
        // SAFETY: the environment is that of the running call.
        self.make(|out| unsafe { sys::napi_get_and_clear_last_exception(self.env, out) })
    }
}
