//! A panic in each kind of native function, for the test that none of them reaches the engine.
//! Only the feature `forced-panics` compiles this; no package has it.

#![expect(clippy::panic, reason = "that is what these functions are for")]

use super::background::run_in_background;
use super::context_manager::ManagerCell;
use super::failure::Failure;
use super::node_api::{Value, native_function, run, visit_messages};
use super::read::fields::Field;
use napi::bindgen_prelude::PromiseRaw;
use napi::{Env, Unknown};
use napi_derive::napi;

native_function! {
    /// Panics in a function that napi-rs does not export.
    "panicInNativeFunction": PanicInNativeFunction, |_scope, _nothing| {
        panic!("forced")
    }
}

/// Panics in a function that napi-rs exports.
#[napi]
pub fn panic_in_run<'s>(env: &'s Env) -> napi::Result<Unknown<'s>> {
    run(env, |_| panic!("forced"))
}

/// Panics in a function without a value of JavaScript's in it.
#[napi(catch_unwind)]
pub fn panic_in_plain() {
    panic!("forced")
}

/// Panics while a manager is being changed.
#[napi]
pub fn panic_in_manager<'s>(env: &'s Env, manager: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let cell = Field::new(scope, "manager", manager).handle::<ManagerCell>()?;
        cell.panic_while_borrowed()
    })
}

/// Panics while JavaScript passes messages.
#[napi]
pub fn panic_in_visit<'s>(
    env: &'s Env,
    visit: Unknown<'s>,
    messages: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let arguments = [messages, scope.double(0.0)?, scope.double(1.0)?];
        visit_messages(scope, visit, &arguments, |_| panic!("forced"))?;
        scope.undefined()
    })
}

/// Panics on a thread of its own.
#[napi(catch_unwind)]
pub fn panic_in_background(env: &Env) -> napi::Result<PromiseRaw<'_, ()>> {
    run_in_background(env, || panic!("forced"))
}

impl ManagerCell {
    fn panic_while_borrowed<'s>(&self) -> Result<Value<'s>, Failure> {
        let _state = self.manager.borrow_mut();
        panic!("forced")
    }
}
