//! Messages that the recipient of a session may see only after the session has passed them.
//!
//! 1. This happens when the recipient speaks under a name that messages were waiting for or that
//!    another member was known by, and when a message gets another speaker or other addressees. The
//!    next delta has these messages.
//! 2. The opposite happens as well: a name comes to mean somebody else. A message that was shown
//!    and can be seen again later is not sent again.
//! 3. What the recipients of sessions may see is compared before and after each such change. A
//!    message that teaches no name costs a look at its speaker. One that does costs a list for each
//!    recipient that the speaker may be. A changed message costs one question for each recipient.

use super::context_manager::Manager;
use super::message::Speaker;
use crate::visibility::folded;
use crate::visibility::members::Who;
use crate::visibility::names::{may_be_a_list, pieces};
use std::rc::Rc;

/// What the recipients of sessions may see before a change.
#[derive(Debug)]
pub struct Outlook {
    /// How many changes lists have followed.
    changes: usize,
    /// The message that will be changed.
    message: Option<usize>,
    recipients: Vec<RecipientOutlook>,
}

#[derive(Debug)]
struct RecipientOutlook {
    /// Folded for comparison.
    recipient: String,
    /// Whether it may see the message that will be changed.
    sees_message: bool,
    /// Everything it may see, if the message may change that.
    list: Option<KnownList>,
}

#[derive(Debug)]
struct KnownList {
    /// Who the recipient is, and the first message that can be for it.
    who_since: (Who, u32),
    visible: Rc<Vec<u32>>,
}

impl Manager {
    /// The outlook before a speaker adds a message, or changes the one at an index; `None` if that
    /// reveals nothing.
    pub(super) fn outlook(&self, speaker: &Speaker, message: Option<usize>) -> Option<Outlook> {
        if self.sessions.is_empty() {
            return None;
        }
        let visibility = &self.conversation.visibility;
        let names = [speaker.name.as_str(), speaker.display_name.as_str()];
        let is_news = visibility.members.would_learn(&speaker.id, names);
        if !is_news && message.is_none() {
            return None;
        }
        let names = [&speaker.id, &speaker.name, &speaker.display_name].map(|name| folded(name));
        let member = visibility.member_with_id(&speaker.id).map(Who::Member);
        let of_recipient = |recipient: &str| {
            let who_since = visibility.who_since(recipient);
            let (who, since) = &who_since;
            let is_it = names.iter().any(|name| is_part_of(name, recipient))
                || Some(who) == member.as_ref();
            // A departed member may turn out to be another one.
            let is_about_it = is_news && (is_it || *since > 0);
            let list = || KnownList { who_since, visible: self.conversation.visible_to(recipient) };
            RecipientOutlook {
                recipient: recipient.to_owned(),
                sees_message: message.is_some_and(|index| self.may_see(recipient, index)),
                list: is_about_it.then(list),
            }
        };
        let recipients = self.sessions.recipients().into_iter().map(of_recipient);
        let recipients = recipients.filter(|one| one.list.is_some() || message.is_some()).collect();
        Some(Outlook { changes: visibility.changes(), message, recipients })
    }

    /// The outlook before a message gets other addressees.
    pub(super) fn outlook_on(&self, index: usize) -> Option<Outlook> {
        let speaker = self.conversation.speaker(index)?;
        self.outlook(speaker, Some(index))
    }

    /// Tells sessions which messages their recipients may see only now.
    pub(super) fn reveal_since(&mut self, before: Option<Outlook>) {
        let Some(Outlook { changes, message, recipients }) = before else { return };
        for RecipientOutlook { recipient, sees_message, list } in recipients {
            let visibility = &self.conversation.visibility;
            let is_other = |list: &KnownList| {
                visibility.changes() != changes
                    || visibility.who_since(&recipient) != list.who_since
            };
            if let Some(before) = list.filter(is_other) {
                let visible = self.conversation.visible_to(&recipient);
                let revealed = added(&before.visible, &visible);
                let hidden = added(&visible, &before.visible);
                self.sessions.sight_changed(&recipient, &revealed, &hidden);
            } else if let Some(index) = message {
                match (sees_message, self.may_see(&recipient, index)) {
                    (false, true) => self.sessions.sight_changed(&recipient, &[index], &[]),
                    (true, false) => self.sessions.sight_changed(&recipient, &[], &[index]),
                    _ => {}
                }
            }
        }
    }

    /// Whether a recipient (folded) may see a message.
    fn may_see(&self, recipient: &str, index: usize) -> bool {
        let message = self.conversation.messages.get(index);
        message.is_some_and(|message| {
            self.conversation.visibility.may_see(recipient, index, message.concerned)
        })
    }
}

/// Whether one name is the other, or one of a list of names that the other is. All are folded.
fn is_part_of(one: &str, other: &str) -> bool {
    let has = |list: &str, name: &str| may_be_a_list(list) && pieces(list).any(|one| one == name);
    one == other || has(one, other) || has(other, one)
}

/// The indices that only the second list has; both are ascending.
fn added(before: &[u32], after: &[u32]) -> Vec<usize> {
    let mut before = before.iter().peekable();
    let is_added = move |index: &&u32| {
        while before.next_if(|known| known < index).is_some() {}
        before.peek() != Some(index)
    };
    after.iter().filter(is_added).map(|index| *index as usize).collect()
}

#[cfg(test)]
mod tests;
