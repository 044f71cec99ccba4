//! The caller's messages that `buildPrompt` shows.

use super::pins::Pins;
use crate::account::{Cause, Ledger, Reason};
use crate::layout::Part;

/// A message that the recipient may not see.
pub const NOT_FOR_RECIPIENT: Cause = Cause::dropped(Part::Context, Reason::Recipient);

/// A message older than those shown.
const OUTSIDE: Cause = Cause::dropped(Part::Context, Reason::Window);

/// A message that the summary covers.
const COVERED: Cause = Cause::dropped(Part::Context, Reason::Summary);

/// The newest messages that one member may see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Their indices in the caller's list, oldest first.
    pub indices: Vec<usize>,
    /// How many of them are older and chosen only because they are pinned.
    pub older_pins: usize,
    /// Positions in `indices`, ascending, before which visible messages are missing, among the
    /// older pins and the first of the others.
    pub detached: Vec<usize>,
    /// How many were skipped because they are not for the recipient.
    pub not_for_recipient: usize,
    /// How many were not examined.
    pub older: usize,
    /// How many were asked for.
    pub limit: usize,
    /// Who sees them.
    pub recipient: Option<String>,
    /// Whether the older ones are left out because a summary covers them.
    pub rest_is_covered: bool,
}

impl Chosen {
    /// The older messages chosen because they are pinned.
    pub fn older_pins(&self) -> &[usize] {
        &self.indices[..self.older_pins]
    }

    /// Whether as many were found as were asked for.
    pub fn is_full(&self) -> bool {
        self.indices.len() - self.older_pins >= self.limit
    }

    /// Which lines are pinned, given the pinned messages.
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

    /// Records who messages were chosen for, and how many.
    pub fn name_window(&self, ledger: &mut Ledger) {
        ledger.window_name = Some(format!("maxContextMessages ({})", self.limit));
        if let Some(recipient) = &self.recipient {
            ledger.set_recipient(recipient);
        }
    }

    /// Enters the messages that were neither chosen nor read.
    pub fn enter_unread(&self, ledger: &mut Ledger) {
        ledger.leave_out_unread(NOT_FOR_RECIPIENT, self.not_for_recipient);
        ledger.leave_out_unread(self.outside(), self.older - self.older_pins);
    }
}
