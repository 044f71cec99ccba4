//! Which messages one turn sees.

use super::session::IndexSet;
use super::store::Conversation;
use crate::account::Reason;
use crate::pins::Pins;
use std::ops::Range;
use std::rc::Rc;

/// What one agent may be shown of a conversation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sight<'s> {
    /// Only messages that this member may see.
    pub recipient: Option<&'s str>,
    /// So many messages, from the first on, are covered by a summary.
    pub covered: usize,
    /// What the agent has in its session already.
    pub session: Option<SessionSight<'s>>,
}

/// What an agent has in its session already: what it was shown, and what it wrote.
#[derive(Debug, Clone, Copy)]
pub struct SessionSight<'s> {
    /// Whose session it is.
    pub agent_id: &'s str,
    /// What it was shown.
    pub seen: &'s IndexSet,
    /// What is older than this is shown only if it is pinned.
    pub floor: usize,
}

impl Sight<'_> {
    /// The messages that can be shown, ascending; `None` for all.
    fn candidates(&self, conversation: &Conversation) -> Option<Rc<Vec<u32>>> {
        let visible = self.recipient.map(|recipient| conversation.visible_to(recipient));
        let Some(SessionSight { agent_id, seen, floor }) = self.session else { return visible };
        let is_visible = |index: &u32| {
            visible.as_ref().is_none_or(|visible| visible.binary_search(index).is_ok())
        };
        let is_old_pin = |index: &u32| (*index as usize) < floor && !seen.contains(*index as usize);
        let old_pins = conversation.pins().iter().copied().filter(is_old_pin).filter(is_visible);
        let unseen = seen.gaps(conversation.len()).filter(|unseen| unseen.end > floor);
        let all = old_pins.chain(unseen.flat_map(|unseen| {
            let unseen = unseen.start.max(floor)..unseen.end;
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
        self.session.is_some_and(|session| index < session.floor)
    }

    /// Whether the agent has been shown a message.
    pub fn has_seen(&self, index: usize) -> bool {
        self.session.is_some_and(|session| session.seen.contains(index))
    }
}

/// Some messages of a conversation, in order: neighbours among those that may be seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    /// All messages that can be shown; `None` if that is everything.
    visible: Option<Rc<Vec<u32>>>,
    /// Which of those.
    places: Range<usize>,
    /// So many places, from the first on, are covered by a summary.
    covered: usize,
    /// One of these places that is left out.
    omitted: Option<usize>,
}

impl Window {
    /// The newest `size` messages before message `end`, of those that can be shown and that no
    /// summary covers.
    pub fn before(conversation: &Conversation, end: usize, size: usize, sight: &Sight) -> Self {
        let visible = sight.candidates(conversation);
        let place = |index: usize| match &visible {
            Some(visible) => visible.partition_point(|seen| (*seen as usize) < index),
            None => index,
        };
        let end_place = place(end);
        let covered = place(sight.covered).min(end_place);
        let start = end_place.saturating_sub(size).max(covered);
        Window { visible, places: start..end_place, covered, omitted: None }
    }

    /// The same without one message.
    pub fn without(self, index: usize) -> Self {
        Window { omitted: self.place(index), ..self }
    }

    /// How many older messages may be seen and are not among these, without those that a summary
    /// covers.
    pub fn outside(&self) -> usize {
        self.places.start - self.covered
    }

    /// Whether one message is left out.
    pub fn is_without_one(&self) -> bool {
        self.omitted.is_some()
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.places.len() - usize::from(self.omitted.is_some())
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The newest message.
    pub fn newest(&self) -> Option<usize> {
        self.iter().next_back()
    }

    /// Whether a message of the conversation is among these.
    pub fn contains(&self, index: usize) -> bool {
        self.place(index).is_some()
    }

    /// The messages, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = usize> {
        let places = self.places.clone().filter(|place| Some(*place) != self.omitted);
        places.map(|place| self.message(place))
    }

    /// What becomes of the message in a place.
    pub fn role_of(&self, place: usize) -> PlaceRole {
        match place.checked_sub(self.places.start) {
            None => PlaceRole::Older,
            Some(_) if place >= self.places.end => PlaceRole::Newer,
            Some(_) if self.omitted == Some(place) => PlaceRole::Omitted,
            Some(position) => {
                let before = usize::from(self.omitted.is_some_and(|omitted| omitted < place));
                PlaceRole::Shown { position: position - before }
            }
        }
    }

    /// The message in a place.
    pub fn message(&self, place: usize) -> usize {
        match &self.visible {
            Some(visible) => visible.get(place).map_or(usize::MAX, |index| *index as usize),
            None => place,
        }
    }

    /// The place of a message, if it may be seen.
    pub fn place_of(&self, index: usize) -> Option<usize> {
        match &self.visible {
            Some(visible) => visible.binary_search_by(|seen| (*seen as usize).cmp(&index)).ok(),
            None => Some(index),
        }
    }

    /// The place of a message, if it is among these.
    fn place(&self, index: usize) -> Option<usize> {
        let place = self.place_of(index)?;
        (self.places.contains(&place) && Some(place) != self.omitted).then_some(place)
    }

    /// The places of all messages, also of the one that is left out.
    pub fn places(&self) -> Range<usize> {
        self.places.clone()
    }

    /// The message at a position, counted from the oldest of these.
    pub fn at(&self, position: usize) -> usize {
        self.message(self.place_at(position))
    }

    fn place_at(&self, position: usize) -> usize {
        let place = self.places.start + position;
        match self.omitted {
            Some(omitted) if omitted <= place => place + 1,
            _ => place,
        }
    }

    /// Runs of messages that are neighbours in the conversation, at some positions.
    pub fn runs(&self, positions: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let end = match positions.end.checked_sub(1).filter(|_| !positions.is_empty()) {
            Some(last) => self.place_at(last) + 1,
            None => self.place_at(positions.start),
        };
        let mut rest = self.place_at(positions.start)..end;
        std::iter::from_fn(move || {
            let run = self.first_run(rest.clone())?;
            rest.start += run.len() + usize::from(self.omitted == Some(rest.start + run.len()));
            Some(run)
        })
    }

    /// The first run of the messages in these places, of which the first is not left out.
    fn first_run(&self, places: Range<usize>) -> Option<Range<usize>> {
        let first = self.message(places.start);
        let end = self.omitted.filter(|omitted| places.contains(omitted)).unwrap_or(places.end);
        let count = match &self.visible {
            None => end.saturating_sub(places.start),
            Some(_) => {
                let follows = |place: &usize| self.message(*place) == first + place - places.start;
                (places.start..end).take_while(follows).count()
            }
        };
        (count > 0).then(|| first..first + count)
    }

    /// The same runs for all positions, newest first.
    pub fn runs_newest_first(&self) -> impl Iterator<Item = Range<usize>> {
        let mut rest = self.places.clone();
        std::iter::from_fn(move || {
            if rest.end.checked_sub(1).is_some_and(|last| self.omitted == Some(last)) {
                rest.end -= 1;
            }
            let run = self.last_run(rest.clone())?;
            rest.end -= run.len();
            Some(run)
        })
    }

    /// The last run of the messages in these places, of which the last is not left out.
    fn last_run(&self, places: Range<usize>) -> Option<Range<usize>> {
        let last_place = places.clone().next_back()?;
        let last = self.message(last_place);
        let omitted = self.omitted.filter(|omitted| places.contains(omitted));
        let start = omitted.map_or(places.start, |omitted| omitted + 1);
        let count = match &self.visible {
            None => places.end - start,
            Some(_) => {
                let precedes = |place: &usize| self.message(*place) + (last_place - place) == last;
                (start..places.end).rev().take_while(precedes).count()
            }
        };
        Some(last + 1 - count..last + 1)
    }
}

/// What a place is to a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceRole {
    /// Before the window.
    Older,
    /// In the window, and left out.
    Omitted,
    /// In the window.
    Shown {
        /// Counted from the oldest.
        position: usize,
    },
    /// After the window.
    Newer,
}

/// What an agent is to act on, and what it sees of the conversation before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// The message to act on; `None` if there is none that the recipient may see.
    pub message: Option<usize>,
    /// What was said before.
    pub window: Window,
    /// Why a message of the window is left out.
    pub omission: Option<Reason>,
    /// Replies to the message, newest first.
    pub replies: Vec<Reply>,
    /// What is shown besides, because it is pinned.
    pub pinned: Pinned,
}

/// Pinned messages of a turn. The lines of a turn are those before the window, the window, and
/// those after it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pinned {
    /// Pinned messages before the window, ascending.
    pub before: Vec<usize>,
    /// Pinned messages after the window, ascending: a route may answer an old message.
    pub after: Vec<usize>,
    /// Which lines are pinned.
    pub pins: Pins,
}

impl Pinned {
    /// The pinned messages that can be seen through a window, without the current message.
    fn new(conversation: &Conversation, window: &Window, message: Option<usize>) -> Self {
        if conversation.pins().is_empty() {
            return Pinned { pins: Pins::none(window.len()), ..Pinned::default() };
        }
        let Range { start, end } = window.places();
        let current = message.and_then(|message| window.place_of(message));
        let all = conversation.pins();
        let mut pinned = Pinned { before: Vec::with_capacity(all.len()), ..Pinned::default() };
        let mut positions = Vec::with_capacity(all.len());
        let mut detached = Vec::with_capacity(all.len() + 1);
        let mut previous: Option<usize> = None;
        let mut meet = |position: usize, first: usize, last: usize| {
            let between = previous.map_or(0..0, |previous| previous + 1..first);
            let is_current = current.is_some_and(|current| between.contains(&current));
            if between.len() > usize::from(is_current) {
                detached.push(position);
            }
            previous = Some(last);
        };

        let mut indices = all.iter().map(|index| *index as usize).peekable();
        let window_start = window.message(start);
        while let Some(index) = indices.next_if(|index| *index < window_start) {
            let Some(place) = window.place_of(index).filter(|_| message != Some(index)) else {
                continue;
            };
            let position = pinned.before.len();
            meet(position, place, place);
            positions.push(position);
            pinned.before.push(index);
        }
        let lines = pinned.before.len()..pinned.before.len() + window.len();
        if !window.is_empty() {
            meet(lines.start, start, end - 1);
        }
        for index in indices {
            let Some(place) = window.place_of(index).filter(|_| message != Some(index)) else {
                continue;
            };
            let position = match window.role_of(place) {
                PlaceRole::Shown { position } => lines.start + position,
                PlaceRole::Omitted => continue,
                PlaceRole::Older | PlaceRole::Newer => {
                    let position = lines.end + pinned.after.len();
                    meet(position, place, place);
                    pinned.after.push(index);
                    position
                }
            };
            positions.push(position);
        }
        pinned.pins = Pins::new(positions, lines, detached);
        pinned
    }
}

/// A reply to the message of a turn, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Which one it is.
    pub index: usize,
    /// What becomes of it.
    pub fate: ReplyFate,
}

/// What becomes of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyFate {
    /// It is shown.
    Shown {
        /// Bytes of its code blocks, which are left out.
        code_bytes: usize,
        /// Bytes over the limit of its length.
        cut_bytes: usize,
    },
    /// There are too many.
    OverLimit,
    /// The member who is to answer wrote it.
    Own,
    /// It was shown before.
    Seen,
}

impl Turn {
    /// The latest message that the recipient may see, and the window before it. What an AI has
    /// just repeated is not shown twice.
    pub fn latest(conversation: &Conversation, size: usize, sight: &Sight) -> Self {
        let latest = match sight.recipient {
            Some(recipient) => {
                conversation.visible_to(recipient).last().map(|index| *index as usize)
            }
            None => conversation.len().checked_sub(1),
        };
        let Some(latest) = latest else {
            return Turn { window: Window::before(conversation, 0, 0, sight), ..Turn::default() };
        };
        let window = Window::before(conversation, latest, size, sight);
        let repeated = window
            .newest()
            .filter(|newest| conversation.is_by_ai(latest) && conversation.same(*newest, latest));
        let (window, omission) = match repeated {
            Some(index) => (window.without(index), Some(Reason::Duplicate)),
            None => (window, None),
        };
        Turn::new(conversation, latest, window, omission, Vec::new())
    }

    /// A turn that acts on a message.
    pub fn new(
        conversation: &Conversation,
        message: usize,
        window: Window,
        omission: Option<Reason>,
        replies: Vec<Reply>,
    ) -> Self {
        let pinned = Pinned::new(conversation, &window, Some(message));
        Turn { message: Some(message), window, omission, replies, pinned }
    }

    /// The message with which the window begins; the first one if nothing is older than the window.
    pub fn first_of_window(&self) -> usize {
        match self.window.places().start {
            0 => 0,
            _ if self.window.is_empty() => self.message.unwrap_or(0),
            _ => self.window.at(0),
        }
    }

    /// How many lines there are to be shown.
    pub fn lines(&self) -> usize {
        self.pinned.before.len() + self.window.len() + self.pinned.after.len()
    }

    /// Whether a message is shown because it is pinned.
    pub fn shows_pinned(&self, index: usize) -> bool {
        // Lines are in the order of their messages.
        let positions = self.pinned.pins.positions();
        positions.binary_search_by_key(&index, |position| self.message_at(*position)).is_ok()
    }

    /// The message of a line.
    pub fn message_at(&self, position: usize) -> usize {
        let Pinned { before, after, .. } = &self.pinned;
        match position.checked_sub(before.len()) {
            None => before[position],
            Some(position) if position < self.window.len() => self.window.at(position),
            Some(position) => {
                after.get(position - self.window.len()).copied().unwrap_or(usize::MAX)
            }
        }
    }
}

#[cfg(test)]
mod tests;
