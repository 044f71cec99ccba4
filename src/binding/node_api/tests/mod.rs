//! What is done here with memory of the engine, under Miri: the built addon has all other tests.

mod calls;
mod engine;
mod engine_calls;
mod memory;
mod strings;
