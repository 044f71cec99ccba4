//! Summaries of what was said: the caller makes them, and prompts show them in the place of the
//! messages that they cover.
//!
//! 1. There is one for all members, and each member may have one of its own.
//! 2. A summary covers all messages up to one. A later one replaces it; it never covers less.
//! 3. A member may turn out to have two, because names that were not known to be its own are. The
//!    one that covers more is shown, and both are replaced or cleared together.

use super::store::Conversation;
use crate::error::Error;
use crate::visibility::folded;
use std::collections::BTreeMap;

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

/// The summaries of a conversation.
#[derive(Debug, Default)]
pub struct Summaries {
    for_all: Option<Summary>,
    /// By the name of the member, as names are compared.
    for_one: BTreeMap<String, Summary>,
}

impl Summaries {
    /// Puts a summary in the place of the one for the same name. Returns whether there was one.
    pub fn put(&mut self, summary: Summary) -> bool {
        let replaced = match &summary.recipient {
            None => self.for_all.replace(summary),
            Some(recipient) => self.for_one.insert(folded(recipient), summary),
        };
        replaced.is_some()
    }

    /// All summaries, that for all members first.
    pub fn iter(&self) -> impl Iterator<Item = &Summary> {
        self.for_all.iter().chain(self.for_one.values())
    }

    fn iter_mut(&mut self) -> impl Iterator<Item = &mut Summary> {
        self.for_all.iter_mut().chain(self.for_one.values_mut())
    }
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
        let before = match recipient {
            Some(member) => self.summary_of(member),
            None => self.summaries.for_all.as_ref(),
        };
        if before.is_some_and(|before| covered < before.covered) {
            return Err(Error::CoveredMessage(up_to.to_owned()));
        }
        self.clear_summary(recipient);
        let recipient = recipient.map(str::to_owned);
        self.summaries.put(Summary { covered, text: text.to_owned(), recipient });
        Ok(())
    }

    /// Removes the summary for one member, or the one for all.
    pub fn clear_summary(&mut self, recipient: Option<&str>) {
        let Some(member) = recipient else {
            self.summaries.for_all = None;
            return;
        };
        if self.summaries.for_one.is_empty() {
            return;
        }
        for name in self.visibility.names_like(member) {
            self.summaries.for_one.remove(&name);
        }
    }

    /// The summary that a member sees: its own, or else that for all.
    pub fn summary_for(&self, member: Option<&str>) -> Option<&Summary> {
        let own = member.and_then(|member| self.summary_of(member));
        own.or(self.summaries.for_all.as_ref())
    }

    /// The summary that only this member sees.
    fn summary_of(&self, member: &str) -> Option<&Summary> {
        if self.summaries.for_one.is_empty() {
            return None;
        }
        let names = self.visibility.names_like(member);
        let known = names.iter().rev().filter_map(|name| self.summaries.for_one.get(name));
        known.max_by_key(|summary| summary.covered)
    }

    /// The id of the last message that a summary covers; `None` if all of those were removed.
    pub fn summary_up_to(&self, summary: &Summary) -> Option<String> {
        summary.covered.checked_sub(1).map(|last| self.id(last))
    }

    /// Follows the removal of a message.
    pub(super) fn uncover(&mut self, index: usize) {
        for summary in self.summaries.iter_mut() {
            summary.covered -= usize::from(index < summary.covered);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manager::message::{Envelope, MessageText, Speaker};

    fn say(conversation: &mut Conversation, id: &str, name: &str) {
        let (id, name) = (id.to_owned(), name.to_owned());
        let speaker = Speaker { id, name, ..Speaker::default() };
        let envelope = Envelope { speaker, ..Envelope::default() };
        conversation.add(&envelope, &MessageText::default());
    }

    fn text<'c>(conversation: &'c Conversation, member: &str) -> Option<&'c str> {
        conversation.summary_for(Some(member)).map(|summary| &*summary.text)
    }

    #[test]
    fn a_member_who_turns_out_to_have_two_has_the_one_that_covers_more() {
        for (by_id, by_name, expected) in [
            ("msg-1", "msg-2", "by name"),
            ("msg-2", "msg-1", "by id"),
            ("msg-2", "msg-2", "by id"),
        ] {
            let mut conversation = Conversation::default();
            say(&mut conversation, "kai", "");
            say(&mut conversation, "kai", "");
            conversation.set_summary(by_id, "by id", Some("u1")).unwrap();
            conversation.set_summary(by_name, "by name", Some("Sarah")).unwrap();
            say(&mut conversation, "u1", "Sarah");
            assert_eq!(text(&conversation, "sarah"), text(&conversation, "u1"));
            assert_eq!(text(&conversation, "u1"), Some(expected));
            // Whatever is done with one of them is done with both.
            let refused = conversation.set_summary("msg-1", "less", Some("u1"));
            assert_eq!(refused, Err(Error::CoveredMessage("msg-1".into())));
            conversation.set_summary("msg-2", "new", Some("u1")).unwrap();
            let all: Vec<_> = conversation.summaries.iter().map(|one| &*one.text).collect();
            assert_eq!(all, ["new"]);
            conversation.set_summary("msg-2", "newer", Some("SARAH")).unwrap();
            assert_eq!(text(&conversation, "u1"), Some("newer"));
            conversation.clear_summary(Some("u1"));
            assert_eq!(text(&conversation, "sarah"), None);
        }
    }
}
