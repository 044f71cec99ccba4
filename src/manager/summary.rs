//! Summaries of earlier messages: the caller writes them, and prompts show them instead of the
//! messages they cover.
//!
//! 1. There is one for all members, and each member may have its own.
//! 2. A summary covers all messages up to a given one. A later summary replaces it and never covers
//!    less.
//! 3. The owner of a summary is decided when it is set, as for messages: somebody who later joins
//!    under another member's name does not get it. A name that nobody has yet stands for the first
//!    to speak under it. If that member already has a summary, the one that covers more stays.

use super::store::Conversation;
use crate::error::Error;
use crate::visibility::folded;
use crate::visibility::members::Who;
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
    /// The folded id of that member, if it has spoken.
    pub member: Option<String>,
}

/// The owner of a summary.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    /// The member with this id.
    Member(String),
    /// The first to speak under this name, or several members who share it.
    Name(String),
}

/// The summaries of a conversation.
#[derive(Debug, Default)]
pub struct Summaries {
    for_all: Option<Summary>,
    for_one: BTreeMap<Owner, Summary>,
}

impl Summaries {
    /// Replaces the same owner's summary. Returns whether there was one.
    pub fn put(&mut self, summary: Summary) -> bool {
        let replaced = match (&summary.member, &summary.recipient) {
            (Some(member), _) => self.for_one.insert(Owner::Member(folded(member)), summary),
            (None, Some(name)) => self.for_one.insert(Owner::Name(folded(name)), summary),
            (None, None) => self.for_all.replace(summary),
        };
        replaced.is_some()
    }

    /// Called when somebody first speaks under this name: its summary now belongs to that member.
    fn settle(&mut self, name: &str, id: &str) {
        let Some(summary) = self.for_one.remove(&Owner::Name(name.to_owned())) else { return };
        let own = self.for_one.get(&Owner::Member(id.to_owned()));
        if own.is_none_or(|own| own.covered < summary.covered) {
            self.put(Summary { member: Some(id.to_owned()), ..summary });
        }
    }

    /// All summaries, the one for all members first.
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
        let member = recipient.and_then(|recipient| match self.owner(recipient) {
            Owner::Member(id) => Some(id),
            Owner::Name(_) => None,
        });
        let recipient = recipient.map(str::to_owned);
        self.summaries.put(Summary { covered, text: text.to_owned(), recipient, member });
        Ok(())
    }

    /// The owner of a summary for this name.
    fn owner(&self, name: &str) -> Owner {
        match self.visibility.members.who(&folded(name)) {
            Who::Member(member) => Owner::Member(self.visibility.members.id(member).to_owned()),
            Who::Shared(name) | Who::Unknown(name) => Owner::Name(name),
        }
    }

    /// Passes summaries to those who have spoken since `names_before` names were known.
    pub(super) fn settle_summaries(&mut self, names_before: usize) {
        let Conversation { summaries, visibility, .. } = self;
        if summaries.for_one.is_empty() {
            return;
        }
        for learned in visibility.members.learned.iter().skip(names_before) {
            let id = visibility.members.id(learned.member);
            if learned.is_first {
                summaries.settle(&learned.name, id);
            } else if *learned.name == *id {
                // Several members shared this name. From now on it means this member, for whom the
                // summary was not written.
                summaries.for_one.remove(&Owner::Name(id.to_owned()));
            }
        }
    }

    /// Restores the summaries of a snapshot. If the recipient is an id itself, the snapshot omits
    /// the id.
    pub(super) fn take_summaries(&mut self, mut summaries: Summaries) {
        let members = &self.visibility.members;
        let names = summaries.for_one.keys().filter_map(|owner| match owner {
            Owner::Name(name) => members.with_id(name).map(|_| name.clone()),
            Owner::Member(_) => None,
        });
        for name in names.collect::<Vec<_>>() {
            summaries.settle(&name, &name);
        }
        self.summaries = summaries;
    }

    /// Removes the summary for one member, or the one for all.
    pub fn clear_summary(&mut self, recipient: Option<&str>) {
        let Some(member) = recipient else {
            self.summaries.for_all = None;
            return;
        };
        let owner = self.owner(member);
        self.summaries.for_one.remove(&owner);
    }

    /// The summary that a member sees: its own, or else the one for all.
    pub fn summary_for(&self, member: Option<&str>) -> Option<&Summary> {
        let own = member.and_then(|member| self.summary_of(member));
        own.or(self.summaries.for_all.as_ref())
    }

    /// The summary that only this member sees.
    fn summary_of(&self, member: &str) -> Option<&Summary> {
        if self.summaries.for_one.is_empty() {
            return None;
        }
        self.summaries.for_one.get(&self.owner(member))
    }

    /// The id of the last message that a summary covers; `None` if all of them were removed.
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
    fn a_member_does_not_get_the_summary_of_members_who_shared_its_id_as_a_name() {
        let mut conversation = Conversation::default();
        say(&mut conversation, "u1", "a");
        say(&mut conversation, "u2", "a");
        conversation.set_summary("msg-1", "for two", Some("a")).unwrap();
        assert_eq!(text(&conversation, "a"), Some("for two"));
        say(&mut conversation, "a", "");
        assert_eq!(text(&conversation, "a"), None);
        conversation.set_summary("msg-1", "for one", Some("a")).unwrap();
        let all: Vec<_> = conversation.summaries.iter().map(|one| &*one.text).collect();
        assert_eq!(all, ["for one"], "a snapshot has one per name");
    }

    #[test]
    fn of_two_summaries_for_one_member_the_one_that_covers_more_is_used() {
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
            // Both names refer to the same summary.
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
