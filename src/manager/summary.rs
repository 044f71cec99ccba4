//! Summaries of earlier messages: the caller writes them, and prompts show them instead of the
//! messages they cover.
//!
//! 1. There is one for all members, and each member may have its own.
//! 2. A summary covers all messages up to a given one. A later summary replaces it and never covers
//!    less.
//! 3. If the first to speak under a name has a summary already, the one that covers more stays
//!    ([`owned`](super::owned)).

use super::owned::{Owned, owner};
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

/// The summaries of a conversation.
#[derive(Debug, Default)]
pub struct Summaries {
    for_all: Option<Summary>,
    for_one: Owned<Summary>,
}

impl Summaries {
    /// Replaces the summary of an owner, or the one for all. Returns whether there was one.
    pub fn put(&mut self, owner: Option<String>, summary: Summary) -> bool {
        let replaced = match owner {
            Some(owner) => self.for_one.keep(owner, summary),
            None => self.for_all.replace(summary),
        };
        replaced.is_some()
    }

    /// All summaries with their owners, the one for all members first.
    pub fn iter(&self) -> impl Iterator<Item = (Option<&str>, &Summary)> {
        let for_one = self.for_one.iter().map(|(owner, summary)| (Some(owner), summary));
        self.for_all.iter().map(|summary| (None, summary)).chain(for_one)
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
        let owner = recipient.map(|recipient| self.owner(recipient));
        let before = match &owner {
            Some(owner) => self.summaries.for_one.of(owner),
            None => self.summaries.for_all.as_ref(),
        };
        if before.is_some_and(|before| covered < before.covered) {
            return Err(Error::CoveredMessage(up_to.to_owned()));
        }
        let recipient = recipient.map(str::to_owned);
        self.summaries.put(owner, Summary { covered, text: text.to_owned(), recipient });
        Ok(())
    }

    /// The owner of what is kept for a name.
    pub(super) fn owner(&self, name: &str) -> String {
        owner(&self.visibility.members, name)
    }

    /// Passes summaries and keys to those who have spoken since `names_before` names were known.
    pub(super) fn follow_owners(&mut self, names_before: usize) {
        let Conversation { summaries, fence_keys, visibility, .. } = self;
        let members = &visibility.members;
        let covers_more = |summary: &Summary, own: &Summary| own.covered < summary.covered;
        summaries.for_one.follow(members, names_before, covers_more);
        fence_keys.follow(members, names_before);
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
        let own = member.and_then(|member| self.summaries.for_one.of(&self.owner(member)));
        own.or(self.summaries.for_all.as_ref())
    }

    /// The id of the last message that a summary covers; `None` if all of them were removed.
    pub fn summary_up_to(&self, summary: &Summary) -> Option<String> {
        summary.covered.checked_sub(1).map(|last| self.id(last))
    }

    /// Follows the removal of a message.
    pub(super) fn uncover(&mut self, index: usize) {
        let Summaries { for_all, for_one } = &mut self.summaries;
        for summary in for_all.iter_mut().chain(for_one.values_mut()) {
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
        let all: Vec<_> = conversation.summaries.iter().map(|(_, one)| &*one.text).collect();
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
            let all: Vec<_> = conversation.summaries.iter().map(|(_, one)| &*one.text).collect();
            assert_eq!(all, ["new"]);
            conversation.set_summary("msg-2", "newer", Some("SARAH")).unwrap();
            assert_eq!(text(&conversation, "u1"), Some("newer"));
            conversation.clear_summary(Some("u1"));
            assert_eq!(text(&conversation, "sarah"), None);
        }
    }
}
