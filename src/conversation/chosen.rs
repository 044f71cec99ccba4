//! The messages of a caller that `buildPrompt` shows.

use super::pins::Pins;
use crate::account::{Cause, Ledger, Reason};
use crate::model::Part;

/// A message that the recipient may not see.
pub const NOT_FOR_RECIPIENT: Cause = Cause::dropped(Part::Context, Reason::Recipient);

/// A message that is older than those that are shown.
const OUTSIDE: Cause = Cause::dropped(Part::Context, Reason::Window);

/// A message that the summary stands for.
const COVERED: Cause = Cause::dropped(Part::Context, Reason::Summary);

/// The newest messages that one member may see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Their indices in the caller's list, oldest first.
    pub indices: Vec<usize>,
    /// How many of them are older than the others, and chosen because they are pinned.
    pub older_pins: usize,
    /// Before which of them messages are missing that the member may see, among the older ones and
    /// the first of the others: places in `indices`, ascending.
    pub detached: Vec<usize>,
    /// How many were passed over because they are not for the recipient.
    pub not_for_recipient: usize,
    /// How many were not looked at.
    pub older: usize,
    /// How many were asked for.
    pub limit: usize,
    /// Who sees them.
    pub recipient: Option<String>,
    /// Whether the older ones are left out because a summary covers them.
    pub rest_is_covered: bool,
}

impl Chosen {
    /// The older messages that are chosen because they are pinned.
    pub fn older_pins(&self) -> &[usize] {
        &self.indices[..self.older_pins]
    }

    /// Whether there are as many as were asked for.
    pub fn is_full(&self) -> bool {
        self.indices.len() - self.older_pins >= self.limit
    }

    /// Which lines are pinned, by the messages that are.
    pub fn pins(&self, pinned: &[usize]) -> Pins {
        let lines = 0..self.indices.len();
        let is_pinned = |line: &usize| pinned.binary_search(&self.indices[*line]).is_ok();
        let pins: Vec<usize> = match pinned {
            [] => Vec::new(),
            _ => lines.clone().filter(is_pinned).collect(),
        };
        Pins::new(pins, self.older_pins..lines.end, self.detached.clone())
    }

    /// Why older messages are left out.
    pub fn outside(&self) -> Cause {
        if self.rest_is_covered { COVERED } else { OUTSIDE }
    }

    /// Says for whom messages were chosen, and how many.
    pub fn name_window(&self, ledger: &mut Ledger) {
        ledger.window_name = Some(format!("maxContextMessages ({})", self.limit));
        if let Some(recipient) = &self.recipient {
            ledger.set_recipient(recipient);
        }
    }

    /// Enters the messages that were not chosen, if they were not read.
    pub fn enter_unread(&self, ledger: &mut Ledger) {
        ledger.leave_out_unread(NOT_FOR_RECIPIENT, self.not_for_recipient);
        ledger.leave_out_unread(self.outside(), self.older - self.older_pins);
    }
}
