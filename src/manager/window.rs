//! A window: consecutive messages among those that may be seen.

use super::scope::Scope;
use super::store::Conversation;
use std::ops::Range;
use std::rc::Rc;

/// Consecutive messages, in order, among those that may be seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    /// All messages that can be shown; `None` for all of the conversation.
    visible: Option<Rc<Vec<u32>>>,
    /// Which of them are in the window.
    places: Range<usize>,
    /// How many places, from the first on, a summary covers.
    covered: usize,
    /// The place in the window that is left out.
    omitted: Option<usize>,
}

impl Window {
    /// The newest `size` messages before message `end` that can be shown and that no summary
    /// covers.
    pub fn before(conversation: &Conversation, end: usize, size: usize, scope: &Scope) -> Self {
        let visible = scope.candidates(conversation);
        let place = |index: usize| match &visible {
            Some(visible) => visible.partition_point(|seen| (*seen as usize) < index),
            None => index,
        };
        let end_place = place(end);
        let covered = place(scope.covered).min(end_place);
        let start = end_place.saturating_sub(size).max(covered);
        Window { visible, places: start..end_place, covered, omitted: None }
    }

    /// A window of these messages, ascending.
    pub fn of(messages: Vec<u32>) -> Self {
        let places = 0..messages.len();
        Window { visible: Some(Rc::new(messages)), places, ..Window::default() }
    }

    /// Extends the window to the end of the conversation.
    pub fn up_to_the_end(self, conversation: &Conversation) -> Self {
        let end = self.visible.as_ref().map_or(conversation.len(), |visible| visible.len());
        Window { places: self.places.start..end, ..self }
    }

    /// Drops the oldest `count` messages.
    pub fn without_oldest(self, count: usize) -> Self {
        let start = if count < self.len() { self.place_at(count) } else { self.places.end };
        let omitted = self.omitted.filter(|omitted| *omitted >= start);
        Window { places: start..self.places.end, omitted, ..self }
    }

    /// Leaves out one message.
    pub fn without(self, index: usize) -> Self {
        Window { omitted: self.place(index), ..self }
    }

    /// How many older visible messages are not in the window, without those that a summary covers.
    pub fn outside(&self) -> usize {
        self.places.start - self.covered
    }

    /// Whether one message is left out.
    pub fn is_without_one(&self) -> bool {
        self.omitted.is_some()
    }

    /// How many messages the window has.
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

    /// Whether the window contains a message.
    pub fn contains(&self, index: usize) -> bool {
        self.place(index).is_some()
    }

    /// The messages, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = usize> {
        let places = self.places.clone().filter(|place| Some(*place) != self.omitted);
        places.map(|place| self.message(place))
    }

    /// The role of a place.
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

    /// The place of a message, if it is in the window.
    fn place(&self, index: usize) -> Option<usize> {
        let place = self.place_of(index)?;
        (self.places.contains(&place) && Some(place) != self.omitted).then_some(place)
    }

    /// The places of the window, including the one left out.
    pub fn places(&self) -> Range<usize> {
        self.places.clone()
    }

    /// The message at a position, counted from the oldest in the window.
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

    /// How many messages before a position are adjacent in the conversation; at least one.
    pub fn run_before(&self, end: usize) -> usize {
        let last_place = self.place_at(end - 1);
        let last = self.message(last_place);
        let omitted = self.omitted.filter(|omitted| *omitted < last_place);
        let start = omitted.map_or(self.places.start, |omitted| omitted + 1);
        match &self.visible {
            None => last_place + 1 - start,
            Some(_) => {
                let precedes = |place: &usize| self.message(*place) + (last_place - place) == last;
                (start..=last_place).rev().take_while(precedes).count()
            }
        }
    }
}

/// The role of a place relative to a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceRole {
    /// Before the window.
    Older,
    /// In the window but left out.
    Omitted,
    /// In the window.
    Shown {
        /// Counted from the oldest.
        position: usize,
    },
    /// After the window.
    Newer,
}

#[cfg(test)]
mod tests;
