//! A conversation kept from turn to turn: each text crosses to Rust once, when it is added.
//!
//! - [`message`]: a message as a caller describes it;
//! - [`store`]: the messages, and their [`lines`], ready to be copied into a prompt;
//!   [`stored_messages`]: how they are found and read; [`team_task`];
//! - [`visible`]: which of them each recipient may see;
//! - [`ids`]: the ids of messages; [`edit`]: changes to stored messages;
//! - [`decided`]: who may see what, in a snapshot;
//! - [`summary`]: summaries of older messages; [`session`]: what each agent has been shown
//!   ([`ledger`]: of the messages; `session_prompt`: by one prompt; `sight`: what its recipient may
//!   see only later);
//! - [`fence_keys`]: the key of each member's prompts; `owned`: what belongs to one member each;
//! - [`memory`]: all of these, and the pins, in a snapshot;
//! - [`snapshot`]: restoring conversations and appending to them;
//! - `kept_lines`: the messages of a turn as lines of a prompt; [`line_counts`]: token counts of lines;
//! - [`pinned_text`]: the pinned messages, and their lines as one text;
//! - `parted`: messages with tool calls, results and other parts (`parted_messages`: which result
//!   belongs to which call);
//! - [`turn`]: which messages one turn sees: a [`window`] of what is in [`scope`];
//! - [`entries`]: what happens to each message, for the account;
//! - [`route`]: a turn that answers a given message: its parent and the other replies;
//! - [`agents`]: which assembler serves which agent type;
//! - [`options`]: the settings of a conversation and its turns;
//! - [`context_manager`]: all of these with their settings, behind `ContextManager`.

pub mod agents;
pub mod context_manager;
pub mod decided;
pub mod edit;
pub(crate) mod entries;
pub mod fence_keys;
pub mod ids;
mod kept_lines;
pub mod ledger;
mod line_counts;
mod lines;
pub mod memory;
pub mod message;
pub mod options;
mod owned;
pub(crate) mod parted;
mod parted_messages;
mod pinned_text;
mod reported;
pub mod route;
pub mod scope;
pub mod session;
mod session_prompt;
mod sight;
pub mod snapshot;
pub mod store;
pub mod stored_messages;
pub mod summary;
mod sums;
pub mod team_task;
pub mod turn;
pub mod visible;
pub mod window;

pub use agents::{AgentDefaults, AgentLookup, Agents};
pub use context_manager::{Manager, PartedView, TurnView};
pub use message::{Envelope, MessageText, Speaker};
pub use options::{ConversationOptions, ManagerOptions, MissingParent, RouteOptions, TurnOptions};
pub use route::{RouteView, Shown};
pub use store::Conversation;
