//! System prompts.
//!
//! - [`provider`]: the base prompt of a model family; the texts are in `prompts/`;
//! - [`environment`]: the block that describes the machine;
//! - [`layers`]: a system prompt of several parts: base prompt, environment, instructions;
//! - [`segments`]: a system prompt as one text: core text, tools, runtime hints;
//! - [`hints`]: runtime hints, for a system prompt or a tool's output.

pub mod environment;
pub mod hints;
pub mod layers;
pub mod provider;
pub mod segments;
