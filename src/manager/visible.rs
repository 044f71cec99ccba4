//! Which messages of a conversation each recipient may see, kept from turn to turn.
//!
//! 1. [`crate::visibility`] defines the rule. This module stores its inputs: the members, and who
//!    messages are for, each by number.
//! 2. Each recent recipient has a list of visible messages. Messages added since extend the list,
//!    so a turn does not look at older ones.
//! 3. A readdressed message is inserted into the lists or removed from them. If somebody speaks for
//!    whom messages were waiting, the affected lists are rebuilt.
//! 4. Messages for a departed member are not for a later holder of the same name: of the messages
//!    up to the departure, that recipient sees only the public ones.

use super::message::Envelope;
use super::sight::Sights;
use crate::visibility::audience::{Addressee, Audience};
use crate::visibility::folded;
use crate::visibility::members::{LearnedName, Members, Who};
use crate::visibility::names::{may_be_a_list, pieces};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// How many recipients have a list at most.
const MAX_RECIPIENTS: usize = 64;

/// How many changes are remembered for lists that are behind.
const MAX_CHANGES: usize = 4096;

/// Who wrote a message and who it is for, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Concerned {
    /// The member who wrote it.
    pub sender: u32,
    /// Who it is for.
    pub audience: u32,
    /// Whether it is for these alone, even where the team reads along.
    pub is_private: bool,
}

/// The members of a conversation, and what they may see of it.
#[derive(Debug, Default)]
pub struct Visibility {
    pub(super) members: Members,
    /// Whether everybody reads what is not private.
    pub(super) is_team: bool,
    /// Who messages are for, by number.
    audiences: Vec<Audience>,
    numbers: HashMap<Audience, u32>,
    /// Which audiences wait for a name.
    waiting: HashMap<Box<str>, Vec<u32>>,
    /// Changes that lists have to follow.
    changes: Vec<Change>,
    /// How many changes there were before those.
    forgotten_changes: usize,
    /// How many messages there were when somebody left, by folded name.
    departures: BTreeMap<Box<str>, u32>,
    /// What the recipients of sessions may see, as last followed.
    pub(super) sights: Sights,
    /// What recipients may see, most recently asked for last.
    views: RefCell<Vec<RecipientView>>,
}

#[derive(Debug, Clone, Copy)]
enum Change {
    /// Somebody spoke for whom this audience was waiting.
    Bound(u32),
    /// The message at this index is now for others.
    Readdressed(u32),
}

/// What one recipient may see.
#[derive(Debug)]
struct RecipientView {
    /// Folded for comparison.
    recipient: String,
    who: Who,
    /// Messages before this one were for a former member of the same name.
    since: u32,
    /// How many changes this list has followed.
    changes: usize,
    /// For each audience, whether the recipient is in it.
    is_addressed: Vec<bool>,
    /// The visible messages, oldest first.
    visible: Rc<Vec<u32>>,
    /// How many messages were examined.
    looked_at: usize,
}

impl Visibility {
    /// The visibility of an empty conversation.
    pub fn new(is_team: bool) -> Self {
        Visibility { is_team, ..Visibility::default() }
    }

    /// How many names were learned. While this is unchanged, addressees mean the same members.
    pub fn names_known(&self) -> usize {
        self.members.learned.len()
    }

    /// Learns the speaker of a message and decides who it is for.
    #[cold]
    #[inline(never)]
    pub fn learn(&mut self, envelope: &Envelope) -> Concerned {
        let speaker = &envelope.speaker;
        let sender = self.learn_member(&speaker.id, [&speaker.name, &speaker.display_name]);
        let is_private = envelope.is_private;
        Concerned { sender, audience: self.decide(&envelope.addressees, is_private), is_private }
    }

    /// Learns a member. Messages that waited for it are now for it.
    pub fn learn_member(&mut self, id: &str, names: [&str; 2]) -> u32 {
        let before = self.names_known();
        let member = self.members.learn(id, names);
        if self.names_known() > before {
            self.sights.names_changed();
        }
        for place in before..self.names_known() {
            let LearnedName { member, name, is_first } = self.members.learned[place].clone();
            if is_first {
                self.bind(&name, *self.members.id(member) == *name, member);
            }
        }
        member
    }

    fn bind(&mut self, name: &str, is_id: bool, member: u32) {
        if self.waiting.is_empty() {
            return;
        }
        let parts: Vec<&str> = if may_be_a_list(name) { pieces(name).collect() } else { vec![] };
        let mut concerned: Vec<u32> = parts
            .into_iter()
            .chain([name])
            .filter_map(|name| self.waiting.get(name))
            .flatten()
            .copied()
            .collect();
        concerned.sort_unstable();
        concerned.dedup();
        for number in concerned {
            let Some(audience) = self.audiences.get_mut(number as usize) else { continue };
            let before = audience.clone();
            if audience.bind(name, is_id, member) {
                self.numbers.remove(&before);
                self.sights.audience_changed(number, before);
                self.note(Change::Bound(number));
            }
        }
        self.waiting.remove(name);
    }

    /// Decides who the addressees are. Returns the number of the audience.
    pub fn decide(&mut self, addressees: &[Addressee], is_private: bool) -> u32 {
        self.number_of(Audience::decide(&self.members, addressees, is_private))
    }

    /// The number of an audience.
    pub fn number_of(&mut self, audience: Audience) -> u32 {
        if let Some(number) = self.numbers.get(&audience) {
            return *number;
        }
        let number = self.audiences.len() as u32;
        for name in audience.waiting.iter().flat_map(|waiting| waiting.names()) {
            self.waiting.entry(name.into()).or_default().push(number);
        }
        self.audiences.push(audience.clone());
        self.numbers.insert(audience, number);
        number
    }

    /// The audience with a number.
    pub fn audience(&self, number: u32) -> Option<&Audience> {
        self.audiences.get(number as usize)
    }

    /// Records that a message is by or for others now.
    pub fn readdressed(&mut self, index: usize, before: Concerned) {
        self.sights.message_changed(index, before);
        self.note(Change::Readdressed(index as u32));
    }

    /// Drops all lists, because message indices have changed.
    pub fn forget_lists(&mut self) {
        self.views.get_mut().clear();
    }

    fn note(&mut self, change: Change) {
        self.changes.push(change);
        if self.changes.len() > MAX_CHANGES {
            self.forgotten_changes += MAX_CHANGES / 2;
            self.changes.drain(..MAX_CHANGES / 2);
            let first = self.forgotten_changes;
            self.views.get_mut().retain(|view| view.changes >= first);
        }
    }

    /// The messages that a recipient may see, oldest first. `messages` contains all messages.
    pub fn visible<M>(
        &self,
        recipient: &str,
        messages: &[M],
        concerned: impl Fn(&M) -> Concerned,
    ) -> Rc<Vec<u32>> {
        let recipient = folded(recipient);
        let (who, since) = self.who_since(&recipient);
        let mut views = self.views.borrow_mut();
        let known = views.iter().position(|view| view.recipient == recipient);
        let known = known.map(|at| views.remove(at));
        let known = known.filter(|view| view.who == who && view.since == since);
        let known = known.and_then(|view| self.followed(view, messages, &concerned));
        let mut view = known.unwrap_or_else(|| RecipientView {
            recipient,
            who,
            since,
            changes: self.changes(),
            is_addressed: Vec::new(),
            visible: Rc::default(),
            looked_at: 0,
        });
        self.extend(&mut view, messages, concerned);
        let visible = Rc::clone(&view.visible);
        if views.len() >= MAX_RECIPIENTS {
            views.remove(0);
        }
        views.push(view);
        visible
    }

    /// Every name of the member with this name, its id first; folded.
    pub fn names_like(&self, name: &str) -> Vec<String> {
        let name = folded(name);
        self.members.names_like(&name).into_iter().map(str::to_owned).collect()
    }

    /// The member with this id, if it has spoken. Ignores members who happen to have it as a name.
    pub fn member_with_id(&self, id: &str) -> Option<u32> {
        self.members.with_id(&folded(id)).copied()
    }

    /// Brings a list up to date with the changes; `None` if it must be rebuilt.
    fn followed<M>(
        &self,
        mut view: RecipientView,
        messages: &[M],
        concerned: impl Fn(&M) -> Concerned,
    ) -> Option<RecipientView> {
        let changes = self.changes.get(view.changes.checked_sub(self.forgotten_changes)?..)?;
        let is_for = |number: u32| self.is_for(number, &view.who);
        for change in changes {
            if let Change::Bound(number) = change {
                let before = view.is_addressed.get(*number as usize);
                if before.is_some_and(|before| *before != is_for(*number)) {
                    return None;
                }
            }
        }
        for change in changes {
            let Change::Readdressed(index) = change else { continue };
            let Some(message) = messages.get(*index as usize) else { continue };
            if *index as usize >= view.looked_at {
                continue;
            }
            let is_visible = self.is_visible(concerned(message), *index, &view.who, view.since);
            match (view.visible.binary_search(index), is_visible) {
                (Err(place), true) => Rc::make_mut(&mut view.visible).insert(place, *index),
                (Ok(place), false) => _ = Rc::make_mut(&mut view.visible).remove(place),
                _ => {}
            }
        }
        view.changes = self.changes();
        Some(view)
    }

    pub(super) fn is_for(&self, audience: u32, who: &Who) -> bool {
        self.audience(audience).is_some_and(|audience| audience.is_for(who))
    }

    pub(super) fn is_visible(
        &self,
        concerned: Concerned,
        index: u32,
        who: &Who,
        since: u32,
    ) -> bool {
        self.is_public(concerned)
            || index >= since
                && (*who == Who::Member(concerned.sender) || self.is_for(concerned.audience, who))
    }

    /// Who a recipient (folded) is, and the first message that can be for it.
    pub fn who_since(&self, recipient: &str) -> (Who, u32) {
        (self.members.who(recipient), self.since(recipient) as u32)
    }

    /// How many changes there were that lists have to follow.
    fn changes(&self) -> usize {
        self.forgotten_changes + self.changes.len()
    }

    /// Whether everybody may see a message.
    pub(super) fn is_public(&self, Concerned { audience, is_private, .. }: Concerned) -> bool {
        !is_private
            && (self.is_team || self.audience(audience).is_some_and(|audience| audience.everyone))
    }

    /// Records that a member left when there were this many messages.
    pub fn depart(&mut self, member: &str, messages: usize) {
        for name in self.names_like(member) {
            self.departures.insert(name.into(), messages as u32);
        }
        self.sights.names_changed();
        self.forget_lists();
    }

    /// Who has left (folded), and how many messages there were then.
    pub fn departures(&self) -> impl Iterator<Item = (&str, usize)> {
        self.departures.iter().map(|(name, messages)| (&**name, *messages as usize))
    }

    /// Restores who has left, by folded name.
    pub fn set_departures(&mut self, departures: impl IntoIterator<Item = (String, usize)>) {
        let departures = departures.into_iter();
        self.departures =
            departures.map(|(name, messages)| (name.into(), messages as u32)).collect();
        self.forget_lists();
    }

    /// Follows the removal of a message.
    pub fn message_removed(&mut self, index: usize) {
        for messages in self.departures.values_mut() {
            *messages -= u32::from((index as u32) < *messages);
        }
        self.sights.message_removed(index);
        self.forget_lists();
    }

    /// The first message that can be for the current holder of this name: those before it were for
    /// a former member of the same name.
    pub fn since(&self, name: &str) -> usize {
        if self.departures.is_empty() {
            return 0;
        }
        let names = self.names_like(name);
        let departures = names.iter().filter_map(|name| self.departures.get(name.as_str()));
        departures.max().map_or(0, |messages| *messages as usize)
    }

    /// Whether the same members may see both messages. This does not check each member: it holds if
    /// both are for everyone, or if sender and addressees are the same and none of them left in
    /// between.
    pub(super) fn are_seen_alike(
        &self,
        one: (usize, Concerned),
        other: (usize, Concerned),
    ) -> bool {
        let between = one.0.min(other.0)..one.0.max(other.0);
        let concerned = one.1;
        let is_concerned = |name: &str| {
            let who = self.members.who(name);
            who == Who::Member(concerned.sender) || self.is_for(concerned.audience, &who)
        };
        let is_in_between = |messages: usize| between.start < messages && messages <= between.end;
        let has_left = |(name, messages)| is_in_between(messages) && is_concerned(name);
        // An audience that waited for a name can equal one that was decided later.
        let audiences = [one, other].map(|(_, concerned)| self.audience(concerned.audience));
        let are_same = one.1.sender == other.1.sender
            && one.1.is_private == other.1.is_private
            && audiences[0] == audiences[1];
        self.is_public(one.1) && self.is_public(other.1)
            || are_same && !self.departures().any(has_left)
    }

    /// Examines the messages added since.
    fn extend<M>(
        &self,
        view: &mut RecipientView,
        messages: &[M],
        concerned: impl Fn(&M) -> Concerned,
    ) {
        let RecipientView { who, is_addressed, visible, looked_at, since, .. } = view;
        let new_audiences = is_addressed.len()..self.audiences.len();
        is_addressed.extend(new_audiences.map(|number| self.is_for(number as u32, who)));
        let added = messages.get(*looked_at..).unwrap_or_default();
        if added.is_empty() {
            return;
        }
        // A window of an earlier turn would force a copy, but none exists between turns.
        let list = Rc::make_mut(visible);
        for (message, index) in added.iter().zip(*looked_at as u32..) {
            let concerned = concerned(message);
            let is_for_it = || is_addressed.get(concerned.audience as usize).copied();
            let is_own = *who == Who::Member(concerned.sender);
            if self.is_team && !concerned.is_private
                || index >= *since && (is_own || is_for_it().unwrap_or(false))
                || self.is_public(concerned)
            {
                list.push(index);
            }
        }
        *looked_at = messages.len();
    }

    /// Approximate memory use in bytes.
    pub fn memory_bytes(&self) -> usize {
        let of_view = |view: &RecipientView| {
            view.visible.capacity() * size_of::<u32>() + view.is_addressed.capacity()
        };
        let views: usize = self.views.borrow().iter().map(of_view).sum();
        // Each is stored twice, and its names a third time.
        let audiences = self.audiences.len() * 3 * size_of::<Audience>();
        let changes = self.changes.capacity() * size_of::<Change>();
        views + audiences + changes + self.members.memory_bytes()
    }
}

#[cfg(test)]
mod tests;
