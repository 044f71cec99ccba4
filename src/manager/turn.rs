//! Which messages one turn sees: the message to act on, the window before it, pinned messages and
//! replies.

use super::scope::{DeltaMessages, Scope, SessionScope};
use super::store::Conversation;
use super::window::{PlaceRole, Window};
use crate::account::Reason;
use crate::conversation::pins::Pins;
use std::ops::Range;

/// What an agent acts on, and what it sees of the conversation before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// The message to act on; `None` if there is none that the recipient may see.
    pub message: Option<usize>,
    /// The messages before it.
    pub window: Window,
    /// Why a message of the window is left out.
    pub omission: Option<Reason>,
    /// Replies to the message, newest first.
    pub replies: Vec<Reply>,
    /// Messages outside the window that are shown because they are pinned.
    pub pinned: Pinned,
    /// The new messages of a delta that only a summary covers, from the first to the last.
    pub covered: Range<usize>,
}

/// The pinned messages of a turn. Its lines are the pins before the window, the window, and the
/// pins after it.
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
    /// The visible pinned messages around a window, without the current message.
    fn new(conversation: &Conversation, window: &Window, message: Option<usize>) -> Self {
        if conversation.pins.is_empty() {
            return Pinned { pins: Pins::none(window.len()), ..Pinned::default() };
        }
        let Range { start, end } = window.places();
        let current = message.and_then(|message| window.place_of(message));
        let all = &conversation.pins;
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

/// A reply to the message of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Its index.
    pub index: usize,
    /// What happens to it.
    pub fate: ReplyFate,
}

/// What happens to a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyFate {
    /// It is shown.
    Shown {
        /// Bytes of its code blocks, which are left out.
        code_bytes: usize,
        /// Bytes beyond the length limit.
        cut_bytes: usize,
    },
    /// There are too many replies.
    OverLimit,
    /// The member who answers wrote it.
    Own,
}

impl Turn {
    /// The latest message that the recipient may see, and the window before it. What an AI has just
    /// repeated is not shown twice.
    pub fn latest(conversation: &Conversation, size: usize, scope: &Scope) -> Self {
        let latest = match scope.recipient {
            Some(recipient) => {
                let visible = conversation.visible_to(recipient);
                conversation.newest_with_line(visible.iter().map(|index| *index as usize))
            }
            None => conversation.newest_with_line(0..conversation.len()),
        };
        let Some(latest) = latest else {
            return Turn { window: Window::before(conversation, 0, 0, scope), ..Turn::default() };
        };
        let window = Window::before(conversation, latest, size, scope);
        let repeated = window
            .newest()
            .filter(|newest| conversation.is_by_ai(latest) && conversation.same(*newest, latest));
        let (window, omission) = match repeated {
            Some(index) => (window.without(index), Some(Reason::Duplicate)),
            None => (window, None),
        };
        Turn::new(conversation, latest, window, omission, Vec::new())
    }

    /// The first session prompt that acts on this message: the window before it and everything
    /// after it.
    pub fn answer(conversation: &Conversation, message: usize, size: usize, scope: &Scope) -> Self {
        let window = Window::before(conversation, message, size, scope);
        let window = window.up_to_the_end(conversation).without(message);
        Turn::new(conversation, message, window, None, Vec::new())
    }

    /// What a session lacks: everything new before the message, and earlier messages that are
    /// pinned, were changed or are revealed. Without `parent`, the message is the newest one, or
    /// else the newest one that is revealed. `None` if there is none.
    pub fn delta(
        conversation: &Conversation,
        scope: &Scope,
        session: SessionScope,
        parent: Option<usize>,
    ) -> Option<Self> {
        let DeltaMessages { mut earlier, revealed, mut new } = session.delta(conversation, scope);
        let newest_of =
            |list: &[u32]| conversation.newest_with_line(list.iter().map(|index| *index as usize));
        // If everything new is tool results, they are shown with their calls.
        let of_results = || if new.is_empty() { None } else { newest_of(&earlier) };
        let newest = || newest_of(&new).or_else(of_results).or_else(|| newest_of(&revealed));
        let message = parent.or_else(newest)?;
        for list in [&mut earlier, &mut new] {
            list.retain(|index| *index as usize != message);
        }
        let covered = new.partition_point(|index| (*index as usize) < scope.covered);
        let covered = match new.drain(..covered).as_slice() {
            [] => 0..0,
            [first, .., last] => *first as usize..*last as usize + 1,
            [one] => *one as usize..*one as usize + 1,
        };
        let repeated = new.last().map(|newest| *newest as usize).filter(|newest| {
            parent.is_none()
                && conversation.is_by_ai(message)
                && conversation.same(*newest, message)
        });
        let count = earlier.len();
        earlier.append(&mut new);
        let window = Window::of(earlier);
        let (window, omission) = match repeated {
            Some(index) => (window.without(index), Some(Reason::Duplicate)),
            None => (window, None),
        };
        let is_pinned = |line: &usize| conversation.is_pinned(window.at(*line));
        let positions = match conversation.pins.is_empty() {
            true => Vec::new(),
            false => (0..window.len()).filter(is_pinned).collect(),
        };
        let pins = Pins::of_delta(positions, window.len(), count, !covered.is_empty());
        let pinned = Pinned { pins, ..Pinned::default() };
        Some(Turn { message: Some(message), window, omission, pinned, covered, ..Turn::default() })
    }

    /// Drops the oldest `count` messages of the window, unless they are pinned.
    pub fn without_oldest(self, conversation: &Conversation, count: usize) -> Self {
        let window = self.window.without_oldest(count);
        let pinned = Pinned::new(conversation, &window, self.message);
        Turn { window, pinned, ..self }
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
        let covered = 0..0;
        Turn { message: Some(message), window, omission, replies, pinned, covered }
    }

    /// How many lines the turn has.
    pub fn lines(&self) -> usize {
        self.pinned.before.len() + self.window.len() + self.pinned.after.len()
    }

    /// Whether a message is shown because it is pinned.
    pub fn shows_pinned(&self, index: usize) -> bool {
        // Lines are in message order.
        let positions = self.pinned.pins.positions();
        positions.binary_search_by_key(&index, |position| self.message_at(*position)).is_ok()
    }

    /// Whether the turn shows a message before this one.
    pub fn shows_before(&self, index: usize) -> bool {
        let first_line = (self.lines() > 0).then(|| self.message_at(0));
        [first_line, self.message].into_iter().flatten().any(|shown| shown < index)
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
