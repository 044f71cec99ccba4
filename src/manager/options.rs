//! The settings of a conversation and its turns.

use crate::arrays::{Api, Caching};
use crate::layout::Part;
use crate::prompt::{DEFAULT_CONTEXT_MESSAGES, DEFAULT_MAX_BYTES};
use crate::tokens::CountedText;
use crate::tokens::Tokenizer;

/// What to do with a route to a missing message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MissingParent {
    /// Answer the latest message instead, with a warning.
    #[default]
    Latest,
    /// Return an error.
    Throw,
}

impl MissingParent {
    /// Parses the name of a choice.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "latest" => Some(MissingParent::Latest),
            "throw" => Some(MissingParent::Throw),
            _ => None,
        }
    }
}

/// Settings for all messages of a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConversationOptions {
    /// Whether routing markers stay in messages.
    pub keeps_markers: bool,
    /// Whether the reasoning in messages is shown.
    pub keeps_reasoning: bool,
    /// Whether messages keep the ids that callers give.
    pub keeps_ids: bool,
    /// Whether everybody reads what is not private. Otherwise, only the addressees see an addressed
    /// message.
    pub is_team: bool,
}

/// Settings for all turns of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagerOptions {
    /// How many messages before the current one an agent sees.
    pub window_size: usize,
    /// The most bytes for prompt and flag together.
    pub max_bytes: usize,
    /// How many other replies to its parent a routed agent sees.
    pub max_siblings: usize,
    /// Whether to repeat the parent if the window does not show it.
    pub reinsert_parent: bool,
    /// How much of each other reply is shown, in UTF-16 units.
    pub sibling_max_units: usize,
    /// How much of the repeated parent is shown, in bytes.
    pub parent_max_bytes: usize,
    /// The number of dropped messages is rounded up to a multiple of this.
    pub eviction_step: usize,
    /// Settings for all messages.
    pub conversation: ConversationOptions,
    /// What to do with a route to a missing message.
    pub missing_parent: MissingParent,
    /// The most tokens for prompt and flag together.
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

/// The options of one agent's turn. `None` stands for the manager's own setting.
#[derive(Debug, Clone, Default)]
pub struct TurnOptions {
    /// The number of the assembler, from [`Agents::look_up`](super::agents::Agents::look_up).
    pub assembler: usize,
    /// Overrides the manager's window size.
    pub window_size: Option<usize>,
    /// Who the prompt is for.
    pub agent_id: String,
    /// Whether to show only what the agent does not already have in its session.
    pub session: bool,
    /// Limits the turn to messages that this member may see.
    pub recipient: Option<String>,
    /// Whether the current message shows its sender and addressees.
    pub show_sender: Option<bool>,
    /// The member's instructions.
    pub instruction: Vec<String>,
    /// The text of the member's instruction file.
    pub file: String,
    /// The message to answer, if not the latest one.
    pub route: Option<RouteOptions>,
    /// Overrides the manager's token budget.
    pub max_tokens: Option<usize>,
    /// Overrides the assembler's tokenizer.
    pub tokenizer: Option<Tokenizer>,
    /// The API to make a request for; `None` for a prompt.
    pub api: Option<Api>,
    /// How the provider's cache is used.
    pub caching: Caching,
    /// The model of the request.
    pub model: Option<String>,
    /// The key of the prompt, if its member has none yet. It is kept only if the prompt is made.
    pub new_fence_key: Option<String>,
    /// What caller-supplied functions counted for this turn's texts, by function.
    pub counted: Vec<Vec<(Part, CountedText)>>,
}

/// Which message to answer, and who answers.
#[derive(Debug, Clone, Default)]
pub struct RouteOptions {
    /// The message to answer.
    pub parent_id: String,
    /// Who answers.
    pub target_id: String,
    /// What the answer is for.
    pub intent: Option<String>,
    /// Overrides the manager's number of siblings.
    pub max_siblings: Option<usize>,
    /// Overrides the manager's setting.
    pub reinsert_parent: Option<bool>,
}
