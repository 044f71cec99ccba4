//! Messages that have parts.
//!
//! 1. A message with parts is laid out when it is added, like any other. The result of an earlier
//!    call goes into the line of that call, as if that message had been changed.
//! 2. This requires that the same members may see both messages: a result is never shown to
//!    somebody who may not see the message that brought it.
//! 3. The account counts the bytes of the result with the message of the call.
//! 4. A change of one message can change which results belong to which calls, so all messages with
//!    parts are paired again; adding a message looks only at open calls.

use super::store::Conversation;
use crate::layout::{TOOL_LINES, ToolLines};
use crate::parts::{
    MessagePart, OpenCalls, PartKind, PartLosses, Place, lay_out, longest_result, said_bytes,
    shown_bytes,
};
use crate::text::strip_markers;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A message with parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Parted {
    /// Its parts, without markers.
    given: Vec<MessagePart>,
    /// What its line shows, each result after its call.
    pub(crate) shown: Vec<MessagePart>,
    /// What its line lacks.
    pub(crate) losses: PartLosses,
    /// Whether it has no line because all its results are shown elsewhere.
    is_absent: bool,
}

impl Parted {
    /// Its texts.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let texts = self.given.iter().filter(|part| part.kind == PartKind::Text);
        texts.map(|part| part.text.as_str())
    }
}

/// All messages with parts.
#[derive(Debug, Default)]
pub(crate) struct PartedMessages {
    by_index: BTreeMap<u32, Parted>,
    /// Calls without a result so far.
    open: OpenCalls,
    /// Maps calls to their results.
    results: BTreeMap<Place, Place>,
    /// Maps results to their calls.
    calls: BTreeMap<Place, Place>,
    /// Messages whose lines changed because of other messages.
    changed: Vec<usize>,
    /// An upper bound on the bytes of any result.
    pub(crate) longest_result: usize,
}

impl PartedMessages {
    /// A message with parts.
    pub(crate) fn get(&self, index: usize) -> Option<&Parted> {
        self.by_index.get(&(index as u32))
    }

    fn pair(&mut self, call: Place, result: Place) {
        self.results.insert(call, result);
        self.calls.insert(result, call);
    }

    /// What a message shows of its parts and later results, and whether it has no line.
    fn shown(&self, index: usize, keeps_reasoning: bool) -> (Vec<MessagePart>, bool) {
        let given = self.get(index).map_or(&[][..], |parted| &parted.given);
        let part_at = |place: &Place| self.get(place.0)?.given.get(place.1).cloned();
        let mut shown = Vec::with_capacity(given.len());
        let mut has_moved = false;
        for (nth, part) in given.iter().enumerate() {
            match part.kind {
                PartKind::Reasoning if !keeps_reasoning => {}
                PartKind::Result if self.calls.contains_key(&(index, nth)) => has_moved = true,
                _ => {
                    shown.push(part.clone());
                    shown.extend(self.results.get(&(index, nth)).and_then(part_at));
                }
            }
        }
        let is_absent = shown.is_empty() && has_moved;
        (shown, is_absent)
    }

    /// Approximate memory use in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        let parts = self.by_index.values().flat_map(|one| one.given.iter().chain(&one.shown));
        parts.map(|part| size_of::<MessagePart>() + part.text.capacity()).sum()
    }
}

impl Conversation {
    /// How many bytes of a message a caller-supplied function counts, excluding later results shown
    /// in its line.
    pub(crate) fn counted_bytes(&self, index: usize) -> usize {
        match self.parted.get(index) {
            Some(parted) => said_bytes(&parted.given),
            None => self.message(index).content.len(),
        }
    }

    /// The content of a message, with a layout's texts for tool calls and results.
    pub fn content_with(&self, index: usize, tools: &ToolLines) -> Cow<'_, str> {
        let parted = self.parted.get(index).filter(|_| *tools != TOOL_LINES);
        match parted {
            Some(parted) => lay_out(&parted.shown, tools).into(),
            None => self.fields_in_line(index).content.into(),
        }
    }

    /// Whether a message has no line of its own.
    pub fn is_absent(&self, index: usize) -> bool {
        self.parted.get(index).is_some_and(|parted| parted.is_absent)
    }

    /// The messages whose lines changed because of other messages since the last call.
    pub fn take_changed(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.parted.changed)
    }

    /// The newest of these messages that has a line.
    pub(super) fn newest_with_line(
        &self,
        indices: impl DoubleEndedIterator<Item = usize>,
    ) -> Option<usize> {
        indices.rev().find(|index| !self.is_absent(*index))
    }

    /// Stores the parts of the message added last.
    pub(super) fn add_parts(&mut self, parts: &[MessagePart]) {
        let index = self.messages.len() - 1;
        let parted = self.parted_of(parts);
        self.parted.longest_result = self.parted.longest_result.max(longest_result(parts));
        let mut open = std::mem::take(&mut self.parted.open);
        let mut pairs = Vec::new();
        let may_pair = |other| self.are_seen_alike(other, index);
        open.meet(index, &parted.given, may_pair, |call, result| pairs.push((call, result)));
        self.parted.open = open;
        self.parted.by_index.insert(index as u32, parted);
        for (call, result) in &pairs {
            self.parted.pair(*call, *result);
        }
        let mut calls: Vec<usize> = pairs.into_iter().map(|(call, _)| call.0).collect();
        calls.dedup();
        for earlier in calls.into_iter().filter(|earlier| *earlier != index) {
            self.show_parts(earlier);
            self.parted.changed.push(earlier);
        }
        self.show_parts(index);
    }

    /// Gives a message other parts, or none.
    pub(super) fn set_parts(&mut self, index: usize, parts: &[MessagePart]) {
        let parted = self.parted_of(parts);
        self.parted.longest_result = self.parted.longest_result.max(longest_result(parts));
        match parts.is_empty() {
            true => self.parted.by_index.remove(&(index as u32)),
            false => self.parted.by_index.insert(index as u32, parted),
        };
    }

    /// Whether a message has parts.
    pub(super) fn has_parts(&self, index: usize) -> bool {
        self.parted.get(index).is_some()
    }

    /// Follows the removal of a message.
    pub(super) fn removed_parts(&mut self, index: usize) {
        if self.parted.by_index.is_empty() {
            return;
        }
        let had_parts = self.parted.by_index.remove(&(index as u32)).is_some();
        let later = self.parted.by_index.split_off(&(index as u32));
        self.parted.by_index.extend(later.into_iter().map(|(at, parted)| (at - 1, parted)));
        if had_parts {
            self.pair_anew();
        } else {
            // The same pairs at other places.
            self.find_pairs();
        }
    }

    /// Pairs results with calls and rewrites the lines of messages that now show something else.
    pub(super) fn pair_anew(&mut self) {
        if self.parted.by_index.is_empty() {
            return;
        }
        self.find_pairs();
        let indices: Vec<usize> = self.parted.by_index.keys().map(|at| *at as usize).collect();
        for index in indices {
            let (shown, is_absent) = self.parted.shown(index, self.keeps_reasoning());
            let is_same = self
                .parted
                .get(index)
                .is_some_and(|parted| parted.shown == shown && parted.is_absent == is_absent);
            if !is_same {
                self.show_parts(index);
                self.parted.changed.push(index);
            }
        }
    }

    fn find_pairs(&mut self) {
        let mut open = OpenCalls::default();
        let mut pairs = Vec::new();
        for (index, parted) in &self.parted.by_index {
            let index = *index as usize;
            let may_pair = |other| self.are_seen_alike(other, index);
            open.meet(index, &parted.given, may_pair, |call, result| pairs.push((call, result)));
        }
        self.parted.open = open;
        self.parted.results.clear();
        self.parted.calls.clear();
        pairs.into_iter().for_each(|(call, result)| self.parted.pair(call, result));
    }

    /// Writes the line of a message with parts.
    pub(super) fn show_parts(&mut self, index: usize) {
        let (shown, is_absent) = self.parted.shown(index, self.keeps_reasoning());
        let Some(parted) = self.parted.by_index.get_mut(&(index as u32)) else { return };
        let content = lay_out(&shown, &TOOL_LINES);
        let given_bytes = shown_bytes(&shown) + parted.losses.sum();
        (parted.shown, parted.is_absent) = (shown, is_absent);
        let opening = std::rc::Rc::clone(&self.messages[index].opening);
        let line = match is_absent {
            true => String::new(),
            false => [&*opening.text, &content, "\n"].concat(),
        };
        self.replace_line(index, &line, given_bytes);
    }

    /// Parts without markers, before results move to their calls.
    fn parted_of(&self, parts: &[MessagePart]) -> Parted {
        let mut losses = PartLosses::of(parts, self.keeps_reasoning());
        let mut given = parts.to_vec();
        if !self.keeps_markers() {
            for part in given.iter_mut().filter(|part| part.kind == PartKind::Text) {
                let stripped = strip_markers(&part.text).into_owned();
                losses.markers += part.text.len() - stripped.len();
                part.text = stripped;
            }
        }
        Parted { given, losses, ..Parted::default() }
    }

    /// Whether the same members may see both messages.
    fn are_seen_alike(&self, one: usize, other: usize) -> bool {
        let [one, other] = [one, other].map(|index| (index, self.messages[index].concerned));
        self.visibility.are_seen_alike(one, other)
    }
}
