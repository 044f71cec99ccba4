//! promptmason: materials in, the exact prompt for an agent CLI out, inside a byte budget.
//!
//! Modules depend on each other in one direction only, from the top of this list down. A test
//! checks that.
//!
//! - `binding`: the only place that knows Node-API. It decides nothing;
//! - [`manager`]: a conversation kept from turn to turn, behind `ContextManager`;
//! - [`reading`]: a stateless call: asks for the caller's messages one by one until the prompt can
//!   be planned, and says what other budgets would keep;
//! - [`assemble`]: the only entry point: plan, write and describe;
//! - [`report`] describes a plan; [`render`] writes it, as bytes or as a request to a model API;
//!   [`debug`] prints it;
//! - [`budget`]: the only place that decides what is dropped or shortened, into a plan;
//! - [`conversation`]: messages as lines, from a caller or a manager: pins, escapes, tokens, writing;
//! - [`plan`]: the sections of a prompt; [`account`]: what happened to every byte that the caller
//!   gave; [`visibility`]: the only place that says who may see which message;
//! - [`prompt`]: what `buildPrompt` adds to the checked input and the options in [`model`];
//! - [`fence`]: prompts whose structure cannot be imitated, because its lines have a key;
//! - [`arrays`]: lists of messages in the forms of model APIs;
//! - [`structure`]: message text that imitates a title or another message;
//! - [`parts`]: messages with tool calls, results and files, and which result belongs to which call;
//! - [`layout`]: the kinds of texts in a prompt, and one static per agent that lays them out;
//! - [`error`]: what can go wrong;
//! - [`redact`]: values that look like keys and tokens of providers; [`tokens`]: counting;
//!   [`text`]: cutting, stripping and transcoding;
//! - [`system_prompt`], [`instructions`]: where a system text comes from;
//! - [`transcripts`]: what CLIs have kept of their sessions;
//! - [`system`]: processes, private directories and locks, for deliveries and stores.
//!
//! Glossary:
//!
//! - *part*: a kind of text in a prompt (system, team task, context, …); *section*: a part in a
//!   layout, with its title; *materials*: everything in a prompt but the conversation;
//! - *message*: what somebody said, identified by its *index* in the caller's or the manager's
//!   list; *line*: a message as a prompt shows it, identified by its position among the prompt's
//!   lines; *envelope*: everything about a message but its content;
//! - *given* lines come from a caller's messages, *kept* ones from a manager's store;
//! - *context*: the messages before the current one; *window*: those that one turn shows as far as
//!   there is room; *pinned* lines are always shown; *run*: adjacent lines;
//! - *turn*: one prompt for one agent; *route*: a turn that answers a given message, its *parent*;
//!   *siblings*: other replies to the parent;
//! - *recipient*: the member that a prompt is for; a message is *visible* if the recipient may see
//!   it; *scope*: what one turn may show, by recipient, summary and session; *seen*: what an agent
//!   has been shown in its session, once confirmed;
//! - *fence*: the lines of a prompt that contain its *key*, which only its recipient sees; *frame*:
//!   everything in a prompt that comes from the layout rather than from given text;
//! - *flag*: the system text beside the prompt, for the CLI's own option;
//! - *units*: fractions of tokens (UTF-16 units are called so).

pub mod account;
pub mod arrays;
pub mod assemble;
pub mod budget;
pub mod conversation;
pub mod debug;
pub mod error;
pub mod fence;
pub mod instructions;
pub mod layout;
pub mod manager;
pub mod model;
pub mod parts;
pub mod plan;
pub mod prompt;
pub mod reading;
pub mod redact;
pub mod render;
pub mod report;
pub mod structure;
pub mod system;
pub mod system_prompt;
pub mod text;
pub mod tokens;
pub mod transcripts;
pub mod visibility;

// Only the core is fuzzed. The binding has few unit tests, because it is tested through the built
// addon; they do not use what napi-rs exports.
#[cfg(not(fuzzing))]
#[cfg_attr(test, allow(dead_code))]
mod binding;

pub use error::Error;
