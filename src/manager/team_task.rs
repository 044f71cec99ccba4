//! The team task of a conversation.

use super::store::Conversation;
use crate::text::head;

/// Team tasks are cut to this size.
pub const MAX_TASK_BYTES: usize = 5 * 1024;

impl Conversation {
    /// The team task.
    pub fn team_task(&self) -> Option<&str> {
        self.team_task.as_deref()
    }

    /// Sets the team task. If it is too long, it is cut, and the sizes before and after are
    /// returned.
    pub fn set_team_task(&mut self, task: Option<&str>) -> Option<(usize, usize)> {
        let kept = task.map(|task| head(task, MAX_TASK_BYTES));
        self.team_task = kept.map(str::to_owned);
        self.task_cut_bytes = task.map_or(0, str::len) - kept.map_or(0, str::len);
        match (task, kept) {
            (Some(task), Some(kept)) if kept.len() < task.len() => Some((task.len(), kept.len())),
            _ => None,
        }
    }
}
