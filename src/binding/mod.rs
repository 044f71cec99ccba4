//! The native side of `js/`, and the only place that knows Node-API.
//!
//! It reads values, calls the core, and writes the result. It decides nothing.
//!
//! - `node_api`: Node-API behind a safe interface; all `unsafe` is there;
//! - `failure`: an error of the core, or an exception of the caller's own, thrown;
//! - `handles`: what stands behind the objects of the JavaScript side;
//! - `text`: strings of any length as arguments;
//! - `scratch`: memory that one call leaves for the next;
//! - `read`: JS values to the core's types;
//! - `write`: an assembly to a string, a Buffer or the caller's buffer;
//! - `assemblers`, `build_prompt`, `context_manager`, `system`, `segments`, `instructions`,
//!   `tokens`, `delivery`, `explain`: the exported functions, by the file in `js/` that calls them;
//!   `background` runs those that take time off the event loop, `process` is what they know of it;
//! - `transcoder`: a switch for tests and benchmarks.

mod assemblers;
mod background;
mod build_prompt;
mod context_manager;
mod delivery;
mod explain;
mod failure;
#[cfg(feature = "forced-panics")]
mod forced_panics;
mod handles;
mod instructions;
mod node_api;
mod process;
mod read;
mod scratch;
mod segments;
mod system;
mod text;
mod tokens;
mod transcoder;
mod write;

use assemblers::Assemble;
use build_prompt::BuildPrompt;
use context_manager::{AddMessage, AssembleTurn};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use node_api::{NativeFunction, Scope};
use read::messages::ReceiveMessage;

/// Exports the functions that napi-rs does not export, when the addon is loaded.
#[napi(module_exports)]
pub fn export_functions(exports: Object, env: Env) -> napi::Result<()> {
    let scope = Scope::enter(&env);
    let exports = scope.received(&exports);
    let exported = scope
        .export::<Assemble>(exports)
        .and_then(|()| scope.export::<BuildPrompt>(exports))
        .and_then(|()| scope.export::<AddMessage>(exports))
        .and_then(|()| scope.export::<AssembleTurn>(exports))
        .and_then(|()| scope.export::<ReceiveMessage>(exports));
    #[cfg(feature = "forced-panics")]
    let exported =
        exported.and_then(|()| scope.export::<forced_panics::PanicInNativeFunction>(exports));
    exported.map_err(|failure| failure.throw(scope))
}

/// The parameters of these functions, as this side takes them.
#[napi(catch_unwind, ts_return_type = "Record<string, string[]>")]
pub fn native_parameters() -> std::collections::HashMap<&'static str, Vec<&'static str>> {
    fn entry<F: NativeFunction>() -> (&'static str, Vec<&'static str>) {
        (F::NAME, F::PARAMETERS.to_vec())
    }
    [
        entry::<Assemble>(),
        entry::<BuildPrompt>(),
        entry::<AddMessage>(),
        entry::<AssembleTurn>(),
        entry::<ReceiveMessage>(),
    ]
    .into()
}
