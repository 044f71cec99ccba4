//! What a report has.

use crate::account::{Account, LeftOut, MessageName, Reason};
use crate::layout::LayoutText;
use crate::model::Part;
use crate::structure::Finding;
use crate::tokens::BudgetUnit;
use serde::Serialize;

/// What happened to a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Action {
    /// Nothing.
    Kept,
    /// Its text was cut.
    Shortened,
    /// Some of its items were dropped.
    Trimmed,
    /// All of it was dropped.
    Dropped,
}

/// A section before and after.
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
    /// Which one it is.
    #[serde(flatten)]
    pub name: MessageName,
    /// What its line would have taken.
    pub bytes: usize,
    /// The same in tokens; absent if they were not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
    /// Why it was left out.
    pub reason: Reason,
}

/// Which part of a session a prompt is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionReport {
    /// Everything, or what the agent has not been shown.
    pub mode: SessionMode,
    /// The newest message of the last confirmed prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// How much of a conversation a prompt of a session is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum SessionMode {
    /// Everything: nothing is confirmed.
    Whole,
    /// What the agent has not been shown.
    Delta,
}

/// The tokens of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenReport {
    /// What counted them.
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

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Who the prompt is for; only from a manager.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Whose layout it is.
    pub agent_type: LayoutText,
    /// The budget.
    pub max_bytes: usize,
    /// Bytes of prompt and flag.
    pub total_bytes: usize,
    /// What everything would have taken; absent if some of it was never measured.
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
    /// How many leading bytes of the prompt are those of the agent's previous prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stable_prefix_bytes: Option<usize>,
    /// Which part of a session it is; only for prompts of a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionReport>,
    /// Every section that had something in it, in prompt order.
    pub sections: Vec<SectionReport>,
    /// The newest dropped messages, newest first.
    pub dropped: Vec<DroppedMessage>,
    /// Everything that was given and is not sent.
    pub left_out: Vec<LeftOut>,
    /// How much was given, sent and left out.
    pub account: Account,
    /// A sentence for everything that was dropped or cut.
    pub decisions: Vec<String>,
    /// Lines in messages that read as structure, in prompt order.
    pub findings: Vec<Finding>,
}
