//! Summaries of what was said: the caller makes them, and prompts show them in the place of the
//! messages that they cover.
//!
//! 1. There is one for all members, and each member may have one of its own.
//! 2. A summary covers all messages up to one. A later one replaces it; it never covers less.

use super::store::Conversation;
use crate::error::Error;

/// A summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// How many messages it covers, from the first on.
    pub covered: usize,
    /// What it says.
    pub text: String,
    /// The only member who sees it; `None` for all.
    pub recipient: Option<String>,
}

impl Conversation {
    /// Sets the summary of all messages up to the one with this id, for one member or for all.
    pub fn set_summary(
        &mut self,
        up_to: &str,
        text: &str,
        recipient: Option<&str>,
    ) -> Result<(), Error> {
        let covered = self.index_of(up_to)? + 1;
        let place = self.summary_place(recipient);
        let before = place.map_or(0, |place| self.summaries[place].covered);
        if covered < before {
            return Err(Error::CoveredMessage(up_to.to_owned()));
        }
        let recipient = recipient.map(str::to_owned);
        let summary = Summary { covered, text: text.to_owned(), recipient };
        match place {
            Some(place) => self.summaries[place] = summary,
            None => self.summaries.push(summary),
        }
        Ok(())
    }

    /// Removes the summary for one member, or the one for all.
    pub fn clear_summary(&mut self, recipient: Option<&str>) {
        if let Some(place) = self.summary_place(recipient) {
            self.summaries.remove(place);
        }
    }

    /// The summary that a member sees: its own, or else that for all.
    pub fn summary_for(&self, member: Option<&str>) -> Option<&Summary> {
        if self.summaries.is_empty() {
            return None;
        }
        let own = member.and_then(|member| self.summary_place(Some(member)));
        let place = own.or_else(|| self.summary_place(None))?;
        self.summaries.get(place)
    }

    /// The id of the last message that a summary covers; `None` if all of those were removed.
    pub fn summary_up_to(&self, summary: &Summary) -> Option<String> {
        summary.covered.checked_sub(1).map(|last| self.id(last))
    }

    /// Where the summary is that only this member sees, or the one for all.
    fn summary_place(&self, recipient: Option<&str>) -> Option<usize> {
        self.summaries.iter().position(|summary| match (&summary.recipient, recipient) {
            (None, None) => true,
            (Some(one), Some(other)) => self.visibility.is_same_member(one, other),
            _ => false,
        })
    }

    /// Follows the removal of a message.
    pub(super) fn uncover(&mut self, index: usize) {
        for summary in &mut self.summaries {
            summary.covered -= usize::from(index < summary.covered);
        }
    }
}
