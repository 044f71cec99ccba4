//! Where a system text comes from.
//!
//! - [`provider`]: the base prompt of a model's family; the texts are in `prompts/`;
//! - [`environment`]: what the agent should know about the machine;
//! - [`layers`]: both, and the project's instructions, as the parts of a system prompt;
//! - [`segments`]: a core text, notes on the tools and the runtime state, as one text;
//! - [`hints`]: remarks of the running program, for the runtime state or a tool's result.

pub mod environment;
pub mod hints;
pub mod layers;
pub mod provider;
pub mod segments;
