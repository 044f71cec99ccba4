//! What deliveries and stores need of the operating system. Nothing here knows Node-API or prompts.
//!
//! - [`processes`]: ends a program with all that it has started;
//! - [`unfinished`]: what deliveries would leave behind if this process or one of its threads ended;
//! - [`guard`]: a process that ends all that if this one cannot;
//! - [`private_directory`]: directories that only the user can use;
//! - [`file_lock`]: files that only one process at a time can lock.

pub mod file_lock;
pub mod guard;
pub mod private_directory;
pub mod processes;
pub mod unfinished;
