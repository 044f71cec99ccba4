//! The native side of `js/`, and the only place that knows Node-API.
//!
//! JavaScript has checked what it passes. Functions here convert values, call the core and convert
//! the result. They check nothing, decide nothing, and never call JavaScript: no code of the
//! caller's runs while native state is borrowed.
//!
//! - `strings`, `memory`: strings and bytes of the engine, and nearly all `unsafe` code; `scratch`:
//!   memory that one call leaves for the next;
//! - `failure`: an error of the core, thrown;
//! - `fields`: what JavaScript passes, as structs with the names of its tables;
//! - `assemblers`, `prompts`, `manager`: prompts; `passed`: what JavaScript passes together;
//!   `plain`: prompts without options, which JavaScript writes; `output`: the forms that prompts come in;
//! - `system_prompt`, `segments`, `instructions`, `tokens`: the functions that the files of
//!   the same names in `js/` call; `background` runs those that take time off the event loop, `process`
//!   is what they know of the running process;
//! - `system`: processes, directories and locks of deliveries and stores;
//! - `lists`: trimming lists that have the form of a model API;
//! - `transcripts`: what CLIs have kept of their sessions;
//! - `transcoder`: a switch for tests and benchmarks.

mod assemblers;
mod background;
mod failure;
mod fields;
#[cfg(feature = "forced-panics")]
#[path = "tests/forced_panics.rs"]
mod forced_panics;
mod instructions;
mod lists;
mod manager;
mod memory;
mod output;
mod passed;
mod plain;
mod process;
mod prompts;
mod scratch;
mod segments;
mod strings;
mod system;
mod system_prompt;
mod tokens;
mod transcoder;
mod transcripts;
