//! What one agent may be shown of a conversation: by recipient, summary and session.

use super::session::Seen;
use super::store::Conversation;
use std::rc::Rc;

/// What one agent may be shown of a conversation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scope<'s> {
    /// Only messages that this member may see.
    pub recipient: Option<&'s str>,
    /// So many messages, from the first on, are covered by a summary.
    pub covered: usize,
    /// What the agent has in its session already.
    pub session: Option<SessionScope<'s>>,
}

/// What an agent has in its session already: what it was shown, and what it wrote.
#[derive(Debug, Clone, Copy)]
pub struct SessionScope<'s> {
    /// Whose session it is.
    pub agent_id: &'s str,
    /// What it was shown.
    pub seen: &'s Seen,
}

impl Scope<'_> {
    /// Says whether the recipient may see a message.
    pub fn may_see(&self, conversation: &Conversation) -> impl Fn(&usize) -> bool + use<> {
        let visible = self.recipient.map(|recipient| conversation.visible_to(recipient));
        move |index| match &visible {
            Some(visible) => visible.binary_search(&(*index as u32)).is_ok(),
            None => true,
        }
    }

    /// The messages that can be shown, ascending; `None` for all.
    pub(super) fn candidates(&self, conversation: &Conversation) -> Option<Rc<Vec<u32>>> {
        let visible = self.recipient.map(|recipient| conversation.visible_to(recipient));
        let Some(SessionScope { agent_id, seen }) = self.session else { return visible };
        let Seen { messages: seen, floor, .. } = seen;
        let is_visible = |index: &u32| {
            visible.as_ref().is_none_or(|visible| visible.binary_search(index).is_ok())
        };
        let is_old_pin =
            |index: &u32| (*index as usize) < *floor && !seen.contains(*index as usize);
        let old_pins = conversation.pins.iter().copied().filter(is_old_pin).filter(is_visible);
        let unseen = seen.gaps(conversation.len()).filter(|unseen| unseen.end > *floor);
        let all = old_pins.chain(unseen.flat_map(|unseen| {
            let unseen = unseen.start.max(*floor)..unseen.end;
            match &visible {
                None => (unseen.start as u32..unseen.end as u32).collect::<Vec<_>>(),
                Some(visible) => {
                    let at = |end: usize| visible.partition_point(|seen| (*seen as usize) < end);
                    visible[at(unseen.start)..at(unseen.end)].to_vec()
                }
            }
        }));
        let own = conversation.member_with_id(agent_id);
        let is_own =
            |index: &u32| own.is_some_and(|own| conversation.is_by_member(*index as usize, own));
        Some(Rc::new(all.filter(|index| !is_own(index)).collect()))
    }

    /// Whether a message is older than the session.
    pub fn is_before_session(&self, index: usize) -> bool {
        self.session.is_some_and(|session| index < session.seen.floor)
    }

    /// Whether the agent has been shown a message.
    pub fn has_seen(&self, index: usize) -> bool {
        self.session.is_some_and(|session| session.seen.messages.contains(index))
    }
}
