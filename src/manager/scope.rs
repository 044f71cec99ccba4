//! What one agent may be shown of a conversation: by recipient, summary and session.

use super::ledger::Mark;
use super::session::Seen;
use super::store::Conversation;
use std::ops::Range;
use std::rc::Rc;

/// What one agent may be shown of a conversation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scope<'s> {
    /// Limits the scope to messages that this member may see.
    pub recipient: Option<&'s str>,
    /// How many messages, from the first on, a summary covers.
    pub covered: usize,
    /// Whether the prompt belongs to a session, possibly as its first.
    pub in_session: bool,
    /// What the agent already has in its session.
    pub session: Option<SessionScope<'s>>,
}

/// What an agent already has in its session: what it was shown and what it wrote.
#[derive(Debug, Clone, Copy)]
pub struct SessionScope<'s> {
    /// The agent as a member, if it has spoken.
    pub own: Option<u32>,
    /// What it was shown.
    pub seen: &'s Seen,
}

/// The messages that a delta can show.
#[derive(Debug, Default)]
pub struct DeltaMessages {
    /// Earlier messages that are pinned, were changed or are revealed, ascending.
    pub earlier: Vec<u32>,
    /// Those of them that are revealed, ascending.
    pub revealed: Vec<u32>,
    /// All messages new to the session, ascending.
    pub new: Vec<u32>,
}

impl Scope<'_> {
    /// Says whether the recipient may see a message.
    pub fn may_see(&self, conversation: &Conversation) -> impl Fn(&usize) -> bool + use<> {
        let visible = self.candidates(conversation);
        move |index| match &visible {
            Some(visible) => visible.binary_search(&(*index as u32)).is_ok(),
            None => true,
        }
    }

    /// The messages that the recipient may see, ascending; `None` for all.
    pub(super) fn candidates(&self, conversation: &Conversation) -> Option<Rc<Vec<u32>>> {
        self.recipient.map(|recipient| conversation.visible_to(recipient))
    }

    /// The candidates in a range, ascending.
    pub(super) fn candidates_in(
        &self,
        conversation: &Conversation,
        range: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let visible = self.candidates(conversation);
        let places = match &visible {
            None => range,
            Some(visible) => {
                let place = |end: usize| visible.partition_point(|index| (*index as usize) < end);
                place(range.start)..place(range.end)
            }
        };
        places.map(move |place| visible.as_ref().map_or(place, |all| all[place] as usize))
    }
}

impl SessionScope<'_> {
    /// Whether the agent wrote a message in this session.
    pub fn is_own(&self, conversation: &Conversation, index: usize) -> bool {
        index >= self.seen.ledger.begun
            && self.own.is_some_and(|own| conversation.is_by_member(index, own))
    }

    /// Whether an old message was left out, so that the session lacks it.
    pub fn has_missed(&self, conversation: &Conversation, index: usize) -> bool {
        self.seen.ledger.has_missed(index) && !self.is_own(conversation, index)
    }

    /// The messages that a delta can show.
    pub fn delta(&self, conversation: &Conversation, scope: &Scope) -> DeltaMessages {
        let may_see = scope.may_see(conversation);
        let is_not_own = |index: &usize| !self.is_own(conversation, *index);
        let is_sendable = |index: &usize| may_see(index) && is_not_own(index);
        let mut earlier = Vec::new();
        let mut revealed = Vec::new();
        for (run, mark) in self.seen.ledger.marked() {
            let list = match mark {
                Mark::Missed => conversation.pins_in(run).filter(is_sendable).collect(),
                Mark::Changed | Mark::Revealed => run.filter(is_sendable).collect(),
                Mark::Shown => Vec::new(),
            };
            let list = list.into_iter().map(|index| index as u32);
            let start = earlier.len();
            earlier.extend(list);
            if mark == Mark::Revealed {
                revealed.extend_from_slice(&earlier[start..]);
            }
        }
        let new = scope.candidates_in(conversation, self.seen.ledger.end..conversation.len());
        let new = new.filter(is_not_own).map(|index| index as u32).collect();
        DeltaMessages { earlier, revealed, new }
    }

    /// What the session lacks of the messages that the summary covers.
    pub fn lacks(&self, conversation: &Conversation, scope: &Scope) -> Lacks {
        let covered = scope.covered;
        let new = scope.candidates_in(conversation, self.seen.ledger.end.min(covered)..covered);
        let is_new = new.into_iter().any(|index| !self.is_own(conversation, index));
        let missed = self.seen.ledger.missed();
        let is_missed = missed.take_while(|run| run.start < covered).any(|run| {
            let run = run.start..run.end.min(covered);
            scope.candidates_in(conversation, run).any(|index| self.has_missed(conversation, index))
        });
        Lacks { is_new, is_missed }
    }
}

/// What a session lacks of the messages that a summary covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lacks {
    /// A new message.
    pub is_new: bool,
    /// A message that was left out earlier.
    pub is_missed: bool,
}
