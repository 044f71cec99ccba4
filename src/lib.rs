//! promptmason: materials in, the exact prompt for an agent CLI out, inside a byte budget.
//!
//! The data flow, from the caller and back:
//!
//! ```text
//!  js/ ──► binding::read ──► model ──► assemble ─────────────────────► binding::write ──► js/
//!  fields  JS values to      checked   layout  titles and lines        string, Buffer or
//!  by      the core's        input     budget  what is kept: a plan    the caller's buffer
//!  position types                      render  the plan as bytes
//!                                      report  the plan in words
//! ```
//!
//! - [`assemble`]: the one entry: plan, write and describe, for any conversation and any sink;
//! - [`model`]: the checked input and the options, with their rules;
//! - [`layout`]: one small file per agent, data only; a caller's own is the same data, checked;
//! - [`pins`]: what is kept of a conversation: pinned messages, the newest ones, gaps between;
//! - [`transcript`]: the conversation as lines, read newest first and only as far as needed;
//! - [`context`]: a conversation that is kept from turn to turn: what `ContextManager` is;
//! - [`structure`]: message text that imitates a title or another message;
//! - [`budget`]: the only place that decides what is dropped or shortened, into a [`plan`];
//! - [`prompt`]: what `buildPrompt` adds: the newest messages for one member, and which cuts it
//!   allows;
//! - [`visibility`]: the only place that says who may see which message;
//! - [`render`]: writes a plan as bytes; [`report`] describes it; [`debug`] prints it;
//! - [`account`]: what became of every byte that the caller gave;
//! - [`text`]: trimming, cutting, stripping, transcoding: the same for everyone;
//! - [`tokens`]: counting tokens, exactly or by an estimate;
//! - [`system`]: where a system text comes from: the model's base prompt, the environment,
//!   segments and hints; [`instructions`]: the project's own files and URLs;
//! - [`error`]: what can go wrong;
//! - `binding`: the only place that knows Node-API. It decides nothing.
//!
//! Glossary:
//!
//! - *part*: a kind of text in a prompt (system, team task, context, …); *section*: a part in a
//!   layout, with its title;
//! - *materials*: everything that goes into a prompt except the conversation;
//! - *context*: the messages before the current one; *window*: those of them that one turn sees;
//! - *turn*: one prompt for one agent; *route*: a turn that answers a given message;
//! - *parent*: the message that is being answered; *siblings*: other replies to it;
//! - *envelope*: everything about a message but its content;
//! - *flag*: the system text that goes beside the prompt, to the CLI's own option;
//! - *recipient*: the member for whom a turn is made, and who must not see what is not for it;
//! - *handle*: the number by which JavaScript knows something that lives here.

pub mod account;
pub mod assemble;
pub mod budget;
pub mod context;
pub mod debug;
pub mod error;
pub mod instructions;
pub mod layout;
pub mod model;
pub mod pins;
pub mod plan;
pub mod prompt;
pub mod render;
pub mod report;
pub mod structure;
pub mod system;
pub mod text;
pub mod tokens;
pub mod transcript;
pub mod visibility;

// Fuzzing is of the core. Unit tests of the binding are few, because it is tested through the built
// addon: what napi-rs exports is not used in them.
#[cfg(not(fuzzing))]
#[cfg_attr(test, allow(dead_code))]
mod binding;

pub use error::{Error, ErrorClass};
