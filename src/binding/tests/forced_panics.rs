//! A panic in each kind of native function, for the test that none of them reaches the engine.
//! Only the feature `forced-panics` compiles this; no package has it.

#![expect(clippy::panic, reason = "that is what these functions are for")]

use super::background::run_in_background;
use super::manager::NativeManager;
use super::prompts::PENDING;
use napi::Env;
use napi::bindgen_prelude::PromiseRaw;
use napi_derive::napi;

/// Panics in a function.
#[napi(catch_unwind)]
pub fn panic_in_function() {
    panic!("forced")
}

/// Panics while prompts are in progress.
#[napi(catch_unwind)]
pub fn panic_in_prompt() {
    PENDING.with_borrow_mut(|_| panic!("forced"))
}

/// Panics on a thread of its own.
#[napi(catch_unwind)]
pub fn panic_in_background(env: &Env) -> napi::Result<PromiseRaw<'_, ()>> {
    run_in_background(env, || panic!("forced"))
}

#[napi]
impl NativeManager {
    /// Panics while the manager is being changed.
    #[napi(catch_unwind)]
    pub fn panic_in_method(&mut self) {
        let _state = self.manager.borrow_mut();
        panic!("forced")
    }
}
