//! The border to JavaScript, and the only place that knows Node-API.
//!
//! It reads values, hands them to the core, and writes the answer. It decides nothing.
//!
//! - `border`: Node-API behind a safe interface; all `unsafe` is there;
//! - `failure`: an error of the core, or an exception of the caller's own, thrown;
//! - `scratch`: memory that one call leaves for the next;
//! - `reader`, `input`, `long_text`, `messages`, `options`: JS values to the core's types;
//! - `output`, `joined`: a finished plan to a Buffer, the caller's buffer, or a string;
//! - `manager`, `conversation`: a `ContextManager` behind its methods;
//! - `assemblers`, `prompt`, `context_manager`: the exported classes and functions;
//! - `doors`, `instances`: a quicker way to those of their methods that are called all the time;
//! - `system`, `instructions`, `segments`: those for system prompts; `process` is what they ask
//!   of the running process, and `background` does their work beside the event loop.
//!
//! `types.d.ts` holds the documented types of what goes in and comes out; the build puts
//! it in front of the generated `index.d.ts`.

mod assemblers;
mod background;
mod border;
mod context_manager;
mod conversation;
mod doors;
mod failure;
mod input;
mod instances;
mod instructions;
mod joined;
mod long_text;
mod manager;
mod messages;
mod options;
mod output;
mod process;
mod prompt;
mod reader;
mod scratch;
mod segments;
mod system;
