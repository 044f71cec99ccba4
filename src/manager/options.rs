//! What a conversation and its turns are set up with.

use crate::arrays::{Api, Caching};
use crate::model::Part;
use crate::prompt::{DEFAULT_CONTEXT_MESSAGES, DEFAULT_MAX_BYTES};
use crate::tokens::{CountedText, Tokenizer};

/// What happens to a route to a message that is not there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MissingParent {
    /// It is the turn of the latest message, with a warning.
    #[default]
    Latest,
    /// It is an error.
    Throw,
}

impl MissingParent {
    /// The choice of this name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "latest" => Some(MissingParent::Latest),
            "throw" => Some(MissingParent::Throw),
            _ => None,
        }
    }
}

/// What holds for all messages of a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConversationOptions {
    /// Whether routing markers stay in messages.
    pub keeps_markers: bool,
    /// Whether the reasoning in messages is shown.
    pub keeps_reasoning: bool,
    /// Whether messages keep the ids that callers give.
    pub keeps_ids: bool,
    /// Whether everybody reads what is not private. Otherwise, what is addressed is for its
    /// addressees alone.
    pub is_team: bool,
}

/// What holds for all turns of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagerOptions {
    /// How many messages before the current one an agent sees.
    pub window_size: usize,
    /// The most bytes that prompt and flag may have together.
    pub max_bytes: usize,
    /// How many other replies an agent sees that answers a message.
    pub max_siblings: usize,
    /// Whether the parent goes along once more if the window does not show it.
    pub reinsert_parent: bool,
    /// How much of another reply is shown, in UTF-16 units.
    pub sibling_max_units: usize,
    /// How much of the repeated parent is shown, in bytes.
    pub parent_max_bytes: usize,
    /// The number of dropped messages is rounded up to a multiple of this.
    pub eviction_step: usize,
    /// What holds for all messages.
    pub conversation: ConversationOptions,
    /// What happens to a route to a message that is not there.
    pub missing_parent: MissingParent,
    /// The most tokens of a prompt and its flag.
    pub max_tokens: Option<usize>,
}

impl Default for ManagerOptions {
    fn default() -> Self {
        ManagerOptions {
            window_size: DEFAULT_CONTEXT_MESSAGES,
            max_bytes: DEFAULT_MAX_BYTES,
            max_siblings: 5,
            reinsert_parent: true,
            sibling_max_units: 200,
            parent_max_bytes: 1024,
            eviction_step: 1,
            conversation: ConversationOptions::default(),
            missing_parent: MissingParent::default(),
            max_tokens: None,
        }
    }
}

/// What one agent's turn is asked for with. `None` stands for the manager's own setting.
#[derive(Debug, Clone, Default)]
pub struct TurnOptions {
    /// The number of the assembler, from [`Agents::look_up`](super::agents::Agents::look_up).
    pub assembler: usize,
    /// Instead of the manager's window size.
    pub window_size: Option<usize>,
    /// Who the prompt is for.
    pub agent_id: String,
    /// Whether only that is shown which the agent has not in its session already.
    pub session: bool,
    /// Only messages that this member may see.
    pub recipient: Option<String>,
    /// Whether the current message says from whom and to whom it is.
    pub show_sender: Option<bool>,
    /// The member's instructions.
    pub instruction: Vec<String>,
    /// The text of the member's instruction file.
    pub file: String,
    /// The message to answer, if it is not the latest one.
    pub route: Option<RouteOptions>,
    /// The most tokens, instead of the manager's own.
    pub max_tokens: Option<usize>,
    /// What counts tokens, instead of the assembler's own.
    pub tokenizer: Option<Tokenizer>,
    /// The API whose request is made; `None` for a prompt.
    pub api: Option<Api>,
    /// What the provider's cache is told.
    pub caching: Caching,
    /// The model that the request is for.
    pub model: Option<String>,
    /// What the functions of the caller's have counted of this turn's texts, by function.
    pub counted: Vec<Vec<(Part, CountedText)>>,
}

/// Which message is to be answered, and by whom.
#[derive(Debug, Clone, Default)]
pub struct RouteOptions {
    /// The message to answer.
    pub parent_id: String,
    /// Who answers.
    pub target_id: String,
    /// What the answer is for.
    pub intent: Option<String>,
    /// Instead of the manager's number of siblings.
    pub max_siblings: Option<usize>,
    /// Instead of the manager's setting.
    pub reinsert_parent: Option<bool>,
}
