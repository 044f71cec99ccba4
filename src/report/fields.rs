//! The fields of a report.

use crate::account::{Account, LeftOut, MessageName, Reason};
use crate::layout::LayoutText;
use crate::layout::Part;
use crate::model::SessionReport;
use crate::structure::Finding;
use crate::tokens::BudgetUnit;
use serde::Serialize;

/// What happened to a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Action {
    /// It was kept unchanged.
    Kept,
    /// Its text was cut.
    Shortened,
    /// Some of its items were dropped.
    Trimmed,
    /// All of it was dropped.
    Dropped,
}

/// A section before and after planning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SectionReport {
    /// Which part it is.
    pub name: Part,
    /// What happened to it.
    pub action: Action,
    /// Bytes with the title; absent if never measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_before: Option<usize>,
    /// Bytes with the title.
    pub bytes_after: usize,
    /// Tokens with the title; absent if never counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_before: Option<usize>,
    /// Tokens with the title, by itself; absent if they are not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_after: Option<usize>,
    /// Messages or replies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items_before: Option<usize>,
    /// Messages or replies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items_after: Option<usize>,
}

/// A context message that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DroppedMessage {
    /// The name of the message.
    #[serde(flatten)]
    pub name: MessageName,
    /// The bytes that its line would have taken.
    pub bytes: usize,
    /// The same in tokens; absent if they were not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
    /// Why it was left out.
    pub reason: Reason,
}

/// The tokens of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenReport {
    /// The tokenizer.
    pub tokenizer: &'static str,
    /// Whether the counts are exact.
    pub tokens_exact: bool,
    /// The budget, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// Tokens of prompt and flag.
    pub total_tokens: usize,
    /// Tokens of the prompt.
    pub prompt_tokens: usize,
    /// Tokens of the flag.
    pub system_flag_tokens: usize,
}

/// A report on one prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The agent that the prompt is for; only from a manager.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The agent type of the layout.
    pub agent_type: LayoutText,
    /// The budget.
    pub max_bytes: usize,
    /// Bytes of prompt and flag.
    pub total_bytes: usize,
    /// The size without any cuts; absent if some of it was never measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needed_bytes: Option<usize>,
    /// Bytes of the prompt.
    pub prompt_bytes: usize,
    /// Bytes of the flag.
    pub system_flag_bytes: usize,
    /// Tokens; absent if they are not counted.
    #[serde(flatten)]
    pub tokens: Option<TokenReport>,
    /// Which budget made the prompt shorter; absent if none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_by: Option<BudgetUnit>,
    /// How many leading bytes the prompt shares with the agent's previous prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stable_prefix_bytes: Option<usize>,
    /// The role of the prompt in its session; only for session prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionReport>,
    /// Every non-empty section, in prompt order.
    pub sections: Vec<SectionReport>,
    /// The newest dropped messages, newest first.
    pub dropped: Vec<DroppedMessage>,
    /// All given text that is not sent.
    pub left_out: Vec<LeftOut>,
    /// How much was given, sent and left out.
    pub account: Account,
    /// A sentence for everything that was dropped or cut.
    pub decisions: Vec<String>,
    /// Lines in messages that read as structure, in prompt order.
    pub findings: Vec<Finding>,
}
