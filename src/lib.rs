//! promptmason: materials in, the exact prompt for an agent CLI out, inside a byte budget.
//!
//! A text walks through the crate once, front to back:
//!
//! ```text
//!  binding ──► model ──► layout ──► budget ──► render ──► binding
//!  JS values   checked   titles,    what is    plan →     string, Buffer or
//!  are read    input     lines      kept       bytes      the caller's buffer
//!                                      └─────► report     what was left out, and why
//! ```
//!
//! - [`model`]: the checked input and the options;
//! - [`layout`]: one small file per agent, data only;
//! - [`transcript`]: the conversation as lines, read newest first and only as far as needed;
//! - [`context`]: a conversation that is kept here from turn to turn;
//! - [`structure`]: message text that pretends to be a title or another message;
//! - [`budget`]: the only place that decides what is dropped or shortened, into a [`plan`];
//! - [`prompt`]: what `buildPrompt` adds: whom a message concerns, and which cuts it allows;
//! - [`render`]: writes a plan as bytes; [`report`] tells the same plan in words; [`debug`] prints it;
//! - [`text`]: trimming and cutting, the same for everyone;
//! - [`system`]: where a system text comes from: the model's base prompt, the environment,
//!   segments and hints; [`instructions`]: the project's own files and URLs;
//! - [`error`]: what can go wrong;
//! - `binding`: the only place that knows Node-API. It decides nothing.

pub mod budget;
pub mod context;
pub mod debug;
pub mod error;
pub mod instructions;
pub mod layout;
pub mod model;
pub mod plan;
pub mod prompt;
pub mod render;
pub mod report;
pub mod structure;
pub mod system;
pub mod text;
pub mod transcript;

// Unit tests are of the core; the binding is tested through the built addon.
#[cfg(not(test))]
mod binding;

pub use error::{Error, ErrorClass};
