//! What the recipients of sessions may see, followed from change to change.
//!
//! 1. A recipient may come to see messages that its session has passed: when it speaks under a name
//!    that messages were waiting for or that another member was known by, and when a message gets
//!    another speaker or other addressees. The opposite happens as well, and when a member leaves.
//! 2. [`Visibility`] keeps what each change replaced until it is followed. An ordinary message
//!    replaces nothing. A readdressed one costs two questions for each recipient, and so does each
//!    message that waited for a name. All messages are compared only for a recipient who has become
//!    somebody else.

use super::ledger::Event;
use super::visible::{Concerned, Visibility};
use crate::visibility::audience::Audience;
use crate::visibility::members::Who;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// The sights of recipients, and what was replaced since they were last followed.
#[derive(Debug, Default)]
pub struct Sights {
    /// Who each recipient is, and the first message that can be for it; by folded name.
    recipients: BTreeMap<String, (Who, u32)>,
    /// Whether names or members have changed.
    is_stale: bool,
    /// Who audiences were, by number.
    audiences: HashMap<u32, Audience>,
    /// Who messages were by and for.
    messages: BTreeMap<u32, Concerned>,
}

/// What a recipient may see only now, or no longer.
#[derive(Debug, PartialEq, Eq)]
pub struct SightChange {
    /// Folded for comparison.
    pub recipient: String,
    /// The messages, ascending.
    pub messages: Vec<(Range<usize>, Event)>,
}

impl Sights {
    /// Whether there is anything to follow.
    pub fn are_stale(&self) -> bool {
        self.is_stale || !self.audiences.is_empty() || !self.messages.is_empty()
    }

    /// Records that a name has another meaning, or that a member left.
    pub fn names_changed(&mut self) {
        self.is_stale = !self.recipients.is_empty();
    }

    /// Records that an audience is another one now.
    pub fn audience_changed(&mut self, number: u32, before: Audience) {
        if !self.recipients.is_empty() {
            self.audiences.entry(number).or_insert(before);
        }
    }

    /// Records that a message is by or for others now.
    pub fn message_changed(&mut self, index: usize, before: Concerned) {
        if !self.recipients.is_empty() {
            self.messages.entry(index as u32).or_insert(before);
        }
    }

    /// Follows the removal of a message.
    pub fn message_removed(&mut self, index: usize) {
        for (_, since) in self.recipients.values_mut() {
            *since -= u32::from((index as u32) < *since);
        }
    }
}

impl Visibility {
    /// Follows what a recipient (folded) may see from now on.
    pub fn follow_sight(&mut self, recipient: &str) {
        if !self.sights.recipients.contains_key(recipient) {
            let sight = self.who_since(recipient);
            self.sights.recipients.insert(recipient.to_owned(), sight);
        }
    }

    /// What has changed for these recipients since the last time. Others are no longer followed, and
    /// new ones are followed from now on.
    pub fn sight_changes(&mut self, recipients: &BTreeSet<&str>) -> Vec<SightChange> {
        let before = std::mem::take(&mut self.sights);
        recipients.iter().for_each(|recipient| self.follow_sight(recipient));
        let change = |recipient: &&str| SightChange {
            recipient: (*recipient).to_owned(),
            messages: self.sight_change(&before, recipient).unwrap_or_default(),
        };
        recipients.iter().map(change).filter(|change| !change.messages.is_empty()).collect()
    }

    fn sight_change(&self, before: &Sights, recipient: &str) -> Option<Vec<(Range<usize>, Event)>> {
        let (who, since) = before.recipients.get(recipient)?;
        let now = self.who_since(recipient);
        let was_for = |number: u32| {
            let audience = before.audiences.get(&number).or_else(|| self.audience(number));
            audience.is_some_and(|audience| audience.is_for(who))
        };
        let compared = |index: u32| {
            let new = *self.messages.get(index as usize)?;
            let old = before.messages.get(&index).copied().unwrap_or(new);
            let saw = self.is_public(old)
                || index >= *since && (*who == Who::Member(old.sender) || was_for(old.audience));
            let sees = self.is_visible(new, index, &now.0, now.1);
            Some(Event::of_sight(saw, sees)?.to(index as usize))
        };
        if (who, *since) != (&now.0, now.1) {
            return Some((0..self.messages.len() as u32).filter_map(compared).collect());
        }
        let audiences = before.audiences.keys().filter_map(|number| self.awaited.get(number));
        let mut changed: Vec<u32> =
            before.messages.keys().chain(audiences.flatten()).copied().collect();
        changed.sort_unstable();
        changed.dedup();
        Some(changed.into_iter().filter_map(compared).collect())
    }
}

#[cfg(test)]
mod tests;
