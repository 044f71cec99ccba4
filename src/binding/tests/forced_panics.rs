//! Functions that panic, one for each kind of native function: a test checks that no panic reaches
//! the engine. Compiled only with the feature `forced-panics`, which no published package enables.

#![expect(clippy::panic, reason = "that is what these functions are for")]

use super::background::run_in_background;
use super::manager::NativeManager;
use super::scratch;
use napi::Env;
use napi::bindgen_prelude::PromiseRaw;
use napi_derive::napi;

/// Panics in a function.
#[napi(catch_unwind)]
pub fn panic_in_function() {
    panic!("forced")
}

/// Panics while a prompt has taken the memory that one call leaves for the next.
#[napi(catch_unwind)]
pub fn panic_in_prompt() {
    let _taken = (scratch::bytes(), scratch::units());
    panic!("forced")
}

/// Panics on a background thread.
#[napi(catch_unwind)]
pub fn panic_in_background(env: &Env) -> napi::Result<PromiseRaw<'_, ()>> {
    run_in_background(env, || panic!("forced"))
}

#[napi]
impl NativeManager {
    /// Panics while the manager is borrowed mutably.
    #[napi(catch_unwind)]
    pub fn panic_in_method(&mut self) {
        let _state = self.manager.borrow_mut();
        panic!("forced")
    }
}
