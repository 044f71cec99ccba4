//! A conversation that lives here: each text crosses the border once, when it is added.
//!
//! - [`store`]: the messages as lines, ready to be copied into a prompt; the team task;
//! - [`window`]: which of them one turn sees, and how the budget reads them;
//! - [`route`]: a turn that answers a given message: its parent and the other replies.

pub mod route;
pub mod store;
pub mod window;

pub use route::{Route, RoutedTurn};
pub use store::{Conversation, NewMessage};
pub use window::{StoredContext, Turn, Window};
