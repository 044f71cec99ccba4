//! Which messages of a conversation each recipient may see, kept from turn to turn.
//!
//! 1. [`crate::visibility`] defines the rule. This module stores its inputs: the members, and who
//!    messages are for, each by number.
//! 2. Each recent recipient has a list of visible messages. Messages added since extend the list,
//!    so a turn does not look at older ones.
//! 3. If a message is readdressed or removed, or if somebody speaks for whom messages were waiting,
//!    these messages alone are inserted into the lists or removed from them.
//! 4. Messages for a departed member are not for a later holder of the same name: of the messages
//!    up to the departure, that recipient sees only the public ones.

use super::message::Envelope;
use super::sight::Sights;
use super::sums::Sums;
use crate::visibility::audience::{Addressee, Audience};
use crate::visibility::folded;
use crate::visibility::members::{LearnedName, Members, Who};
use crate::visibility::names::{may_be_a_list, pieces};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// How many recipients have a list at most.
const MAX_RECIPIENTS: usize = 64;

/// How many messages are inserted into a list, or removed from it, one by one. To examine all
/// messages again takes less time than more insertions.
const MAX_FOLLOWED: usize = 64;

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
    /// Who each message is by and for.
    pub(super) messages: Vec<Concerned>,
    /// Who messages are for, by number.
    audiences: Vec<Audience>,
    numbers: HashMap<Audience, u32>,
    /// Which audiences wait for a name.
    waiting: HashMap<Box<str>, Vec<u32>>,
    /// The messages of each audience that waits for a name, or has waited for one; ascending.
    pub(super) awaited: HashMap<u32, Vec<u32>>,
    /// How many messages there were when somebody left, by folded name.
    departures: BTreeMap<Box<str>, u32>,
    /// What the recipients of sessions may see, as last followed.
    pub(super) sights: Sights,
    /// What recipients may see, most recently asked for last.
    views: RefCell<Vec<RecipientView>>,
    /// How many messages were examined for lists.
    #[cfg(test)]
    examined: std::cell::Cell<usize>,
}

/// What one recipient may see.
#[derive(Debug)]
struct RecipientView {
    /// Folded for comparison.
    recipient: String,
    who: Who,
    /// Messages before this one were for a former member of the same name.
    since: u32,
    /// For each audience, whether the recipient is in it.
    is_addressed: Vec<bool>,
    /// The visible messages, oldest first.
    visible: Rc<Vec<u32>>,
    /// How many messages were examined.
    looked_at: usize,
    /// The sums of their sizes, as far as they were asked for.
    sums: Sums,
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
                self.lists_follow_audience(number);
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

    /// Who a message is by and for.
    pub fn concerned(&self, index: usize) -> Concerned {
        self.messages[index]
    }

    /// Appends a message.
    pub fn push(&mut self, concerned: Concerned) {
        let index = self.messages.len() as u32;
        self.messages.push(concerned);
        self.await_names(index);
    }

    fn await_names(&mut self, index: u32) {
        let number = self.messages[index as usize].audience;
        if self.audience(number).is_some_and(|audience| !audience.waiting.is_empty()) {
            insert_index(self.awaited.entry(number).or_default(), index as usize);
        }
    }

    /// Records that a message is by or for others now.
    pub fn readdress(&mut self, index: usize, concerned: Concerned) {
        let before = std::mem::replace(&mut self.messages[index], concerned);
        if let Some(list) = self.awaited.get_mut(&before.audience) {
            remove_index(list, index);
        }
        self.await_names(index as u32);
        self.sights.message_changed(index, before);
        let mut views = std::mem::take(self.views.get_mut());
        views.iter_mut().for_each(|view| self.follow(view, &[index as u32]));
        self.views.replace(views);
    }

    /// Drops all lists.
    fn forget_lists(&mut self) {
        self.views.get_mut().clear();
    }

    /// Lets the list of a recipient follow that others may see some messages now.
    fn follow(&self, view: &mut RecipientView, changed: &[u32]) {
        let RecipientView { who, since, visible, looked_at, sums, .. } = view;
        if changed.len() > MAX_FOLLOWED {
            (*visible, *looked_at) = (Rc::default(), 0);
            return sums.forget_from(0);
        }
        for index in changed.iter().filter(|index| (**index as usize) < *looked_at) {
            let concerned = self.messages[*index as usize];
            let visible = Rc::make_mut(visible);
            let place = match self.is_visible(concerned, *index, who, *since) {
                true => insert_index(visible, *index as usize),
                false => remove_index(visible, *index as usize),
            };
            if let Some(place) = place {
                sums.forget_from(place);
            }
        }
    }

    /// Lets all lists follow that an audience, which waited for a name, is another one now.
    fn lists_follow_audience(&mut self, number: u32) {
        let mut views = std::mem::take(self.views.get_mut());
        let changed = self.awaited.get(&number).map_or(&[][..], Vec::as_slice);
        for view in &mut views {
            let is_for_it = self.is_for(number, &view.who);
            let was_for_it = view.is_addressed.get_mut(number as usize);
            if was_for_it.is_none_or(|was| std::mem::replace(was, is_for_it) != is_for_it) {
                self.follow(view, changed);
            }
        }
        self.views.replace(views);
    }

    /// The messages that a recipient may see, oldest first.
    pub fn visible(&self, recipient: &str) -> Rc<Vec<u32>> {
        let recipient = folded(recipient);
        let (who, since) = self.who_since(&recipient);
        let mut views = self.views.borrow_mut();
        let known = views.iter().position(|view| view.recipient == recipient);
        let known = known.map(|at| views.remove(at));
        let known = known.filter(|view| view.who == who && view.since == since);
        let mut view = known.unwrap_or_else(|| RecipientView {
            recipient,
            who,
            since,
            is_addressed: Vec::new(),
            visible: Rc::default(),
            looked_at: 0,
            sums: Sums::default(),
        });
        self.extend(&mut view);
        let visible = Rc::clone(&view.visible);
        if views.len() >= MAX_RECIPIENTS {
            views.remove(0);
        }
        views.push(view);
        visible
    }

    /// Whether a recipient may see a message.
    pub fn sees(&self, recipient: &str, index: usize) -> bool {
        let (who, since) = self.who_since(&folded(recipient));
        self.is_visible(self.messages[index], index as u32, &who, since)
    }

    /// The sum of the sizes of the first messages of the list that a recipient was last given.
    pub fn sizes_before(
        &self,
        recipient: &str,
        place: usize,
        size: impl Fn(usize) -> usize,
    ) -> u64 {
        let recipient = folded(recipient);
        let mut views = self.views.borrow_mut();
        let view = views.iter_mut().rfind(|view| view.recipient == recipient);
        let Some(RecipientView { visible, sums, .. }) = view else { return 0 };
        sums.before(place, |place| size(visible[place] as usize))
    }

    /// Follows a change of the size of a message.
    pub fn size_changed(&mut self, index: usize, before: usize, after: usize) {
        for RecipientView { visible, sums, .. } in self.views.get_mut() {
            if let Ok(place) = visible.binary_search(&(index as u32)) {
                sums.change(place, before, after);
            }
        }
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
        self.messages.remove(index);
        for messages in self.departures.values_mut() {
            *messages -= u32::from((index as u32) < *messages);
        }
        self.sights.message_removed(index);
        self.awaited.values_mut().for_each(|list| _ = close_up(list, index));
        for RecipientView { since, visible, looked_at, sums, .. } in self.views.get_mut() {
            if let Some(place) = close_up(Rc::make_mut(visible), index) {
                sums.forget_from(place);
            }
            *looked_at -= usize::from(index < *looked_at);
            *since -= u32::from((index as u32) < *since);
        }
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
    pub(super) fn are_seen_alike(&self, one: usize, other: usize) -> bool {
        let between = one.min(other)..one.max(other);
        let [one, other] = [one, other].map(|index| self.messages[index]);
        let is_concerned = |name: &str| {
            let who = self.members.who(name);
            who == Who::Member(one.sender) || self.is_for(one.audience, &who)
        };
        let is_in_between = |messages: usize| between.start < messages && messages <= between.end;
        let has_left = |(name, messages)| is_in_between(messages) && is_concerned(name);
        // An audience that waited for a name can equal one that was decided later.
        let are_same = one.sender == other.sender
            && one.is_private == other.is_private
            && self.audience(one.audience) == self.audience(other.audience);
        self.is_public(one) && self.is_public(other) || are_same && !self.departures().any(has_left)
    }

    /// Examines the messages added since.
    fn extend(&self, view: &mut RecipientView) {
        let RecipientView { who, is_addressed, visible, looked_at, since, .. } = view;
        let new_audiences = is_addressed.len()..self.audiences.len();
        is_addressed.extend(new_audiences.map(|number| self.is_for(number as u32, who)));
        let added = &self.messages[*looked_at..];
        if added.is_empty() {
            return;
        }
        #[cfg(test)]
        self.examined.update(|examined| examined + added.len());
        // A window of an earlier turn would force a copy, but none exists between turns.
        let list = Rc::make_mut(visible);
        for (concerned, index) in added.iter().copied().zip(*looked_at as u32..) {
            let is_for_it = || is_addressed.get(concerned.audience as usize).copied();
            let is_own = *who == Who::Member(concerned.sender);
            if self.is_team && !concerned.is_private
                || index >= *since && (is_own || is_for_it().unwrap_or(false))
                || self.is_public(concerned)
            {
                list.push(index);
            }
        }
        *looked_at = self.messages.len();
    }

    /// Approximate memory use in bytes.
    pub fn memory_bytes(&self) -> usize {
        let of_view = |view: &RecipientView| {
            let list = view.visible.capacity() * size_of::<u32>() + view.is_addressed.capacity();
            list + view.sums.memory_bytes()
        };
        let views: usize = self.views.borrow().iter().map(of_view).sum();
        // Each is stored twice, and its names a third time.
        let audiences = self.audiences.len() * 3 * size_of::<Audience>();
        let messages = self.messages.capacity() * size_of::<Concerned>();
        views + audiences + messages + self.members.memory_bytes()
    }
}

/// Removes an index from an ascending list, and returns its place, if it is present.
pub(super) fn remove_index(indices: &mut Vec<u32>, index: usize) -> Option<usize> {
    let place = indices.binary_search(&(index as u32)).ok()?;
    indices.remove(place);
    Some(place)
}

/// Inserts an index into an ascending list, and returns its place, unless it is present.
pub(super) fn insert_index(indices: &mut Vec<u32>, index: usize) -> Option<usize> {
    let place = indices.binary_search(&(index as u32)).err()?;
    indices.insert(place, index as u32);
    Some(place)
}

/// Removes an index like [`remove_index`], and closes the gap that the removed message leaves.
pub(super) fn close_up(indices: &mut Vec<u32>, index: usize) -> Option<usize> {
    let removed = remove_index(indices, index);
    let later = indices.partition_point(|other| (*other as usize) < index);
    indices[later..].iter_mut().for_each(|other| *other -= 1);
    removed
}

#[cfg(test)]
mod tests;
