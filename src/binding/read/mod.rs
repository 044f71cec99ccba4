//! From JS values to the core's types.

pub mod conversation;
pub mod delivery;
pub mod fields;
pub mod input;
pub mod layout;
pub mod long_text;
pub mod messages;
pub mod names;
pub mod options;
pub mod snapshot;
pub mod tokenizer;
