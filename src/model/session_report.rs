//! The role of a prompt in its session.

use serde::Serialize;

/// The role of a prompt in its session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionReport {
    /// Everything, or only what the agent has not been shown.
    pub mode: SessionMode,
    /// The newest message of the last confirmed prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// How much of the conversation a session prompt covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum SessionMode {
    /// Everything: nothing is confirmed.
    Whole,
    /// What the agent has not been shown.
    Delta,
}
