//! Messages that have parts.
//!
//! 1. The result of an earlier call goes into the line of that call, as if that message had been
//!    changed.
//! 2. This requires that the same members may see both messages: a result is never shown to
//!    somebody who may not see the message that brought it.
//! 3. The account counts the bytes of the result with the message of the call.
//! 4. A message may have thousands of calls, and each result may come in a message of its own. So
//!    as long as calls are open, their line is laid out only when it is read.
//! 5. If a message changes, the calls and results that have one of its ids are paired again.

use super::parted_messages::{Parted, PartedMessages};
use super::store::Conversation;
use crate::layout::{TOOL_LINES, ToolLines};
use crate::parts::{
    MessagePart, PartKind, PartLosses, lay_out, longest_result, said_bytes, shown_bytes,
};
use crate::text::strip_markers;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

impl Conversation {
    /// How many bytes of a message a caller-supplied function counts, excluding later results shown
    /// in its line.
    pub(crate) fn counted_bytes(&self, index: usize) -> usize {
        match self.parted.get(index) {
            Some(parted) => said_bytes(&parted.given),
            None => self.message(index).content.len(),
        }
    }

    /// What the line of a message with parts shows, each result after its call; `None` if it has
    /// a content.
    pub(crate) fn shown_parts(&self, index: usize) -> Option<&[MessagePart]> {
        let parted = self.parted.get(index)?;
        let to_show = || self.parted.to_show(index, self.keeps_reasoning());
        Some(parted.shown.get_or_init(to_show))
    }

    /// The content of a message, with a layout's texts for tool calls and results.
    pub fn content_with(&self, index: usize, tools: &ToolLines) -> Cow<'_, str> {
        match self.shown_parts(index).filter(|_| *tools != TOOL_LINES) {
            Some(shown) => lay_out(shown, tools).into(),
            None => self.fields_in_line(index).content.into(),
        }
    }

    /// Whether a message has no line of its own.
    pub fn is_absent(&self, index: usize) -> bool {
        self.messages.get(index).is_some_and(|message| message.is_absent)
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
        let mut all = std::mem::take(&mut self.parted);
        let pairs =
            all.add(index, parted, |call, result| self.visibility.are_seen_alike(call, result));
        self.parted = all;
        let mut answered: BTreeMap<usize, usize> = BTreeMap::new();
        for (call, result) in pairs.into_iter().filter(|(call, _)| call.0 != index) {
            let bytes = self.parted.part(result).map_or(0, MessagePart::shown_bytes);
            *answered.entry(call.0).or_default() += bytes;
        }
        for (earlier, bytes) in answered {
            self.set_given_bytes(earlier, self.given_bytes(earlier) + bytes);
            self.parted.changed.push(earlier);
            self.write_parts(earlier);
        }
        self.show_parts(index);
    }

    /// Gives a message other parts, or none.
    pub(super) fn set_parts(&mut self, index: usize, parts: &[MessagePart]) {
        if parts.is_empty() && self.parted.get(index).is_none() {
            return;
        }
        self.parted.longest_result = self.parted.longest_result.max(longest_result(parts));
        let parted = (!parts.is_empty()).then(|| self.parted_of(parts));
        let all = self.parted.get(index).into_iter().chain(&parted);
        let ids = all.flat_map(Parted::ids).map(str::to_owned).collect();
        self.pair_again(&ids, Some(index), |parted_messages| {
            parted_messages.replace(index, parted)
        });
        self.show_parts(index);
    }

    /// Whether a message has parts.
    pub(super) fn has_parts(&self, index: usize) -> bool {
        self.parted.get(index).is_some()
    }

    /// Follows the removal of a message without parts.
    pub(super) fn removed_parts(&mut self, index: usize) {
        self.parted.close_up(index);
    }

    /// Pairs the calls and results of a message again, because others may see it now.
    pub(super) fn pair_parts_of(&mut self, index: usize) {
        let ids = self.parted.get(index).into_iter().flat_map(Parted::ids);
        self.pair_again(&ids.map(str::to_owned).collect(), None, |_| {});
    }

    /// Pairs all calls and results again.
    pub(super) fn pair_anew(&mut self) {
        let ids = self.parted.by_id.keys().cloned().collect();
        self.pair_again(&ids, None, |_| {});
    }

    /// Pairs the calls and results with these ids after a change, and writes the lines of messages
    /// that now show something else, except that of the changed message.
    fn pair_again(
        &mut self,
        ids: &BTreeSet<String>,
        changed: Option<usize>,
        change: impl FnOnce(&mut PartedMessages),
    ) {
        let same_ids = ids.iter().filter_map(|id| self.parted.by_id.get(id));
        let places = same_ids.flat_map(|same| &same.places);
        let indices: BTreeSet<usize> = places.map(|place| place.0).collect();
        let others = indices.into_iter().filter(|index| Some(*index) != changed);
        let before: Vec<(usize, Vec<MessagePart>)> = others
            .map(|index| (index, self.shown_parts(index).unwrap_or_default().to_vec()))
            .collect();
        let mut all = std::mem::take(&mut self.parted);
        ids.iter().for_each(|id| all.part_pairs(id));
        change(&mut all);
        for id in ids {
            all.find_pairs(id, |call, result| self.visibility.are_seen_alike(call, result));
        }
        self.parted = all;
        for (index, before) in before {
            let (shown, is_absent) = (self.to_show(index), self.has_only_moved(index));
            if shown != before || is_absent != self.is_absent(index) {
                self.show_parts(index);
                self.parted.changed.push(index);
            }
        }
    }

    fn to_show(&self, index: usize) -> Vec<MessagePart> {
        self.parted.to_show(index, self.keeps_reasoning())
    }

    fn has_only_moved(&self, index: usize) -> bool {
        self.parted.has_only_moved(index, self.keeps_reasoning())
    }

    /// Follows a change of what a message shows.
    fn show_parts(&mut self, index: usize) {
        let was_absent = self.is_absent(index);
        self.messages[index].is_absent = self.has_only_moved(index);
        let Some(parted) = self.parted.get(index) else {
            // An empty content has a line, too.
            if was_absent && self.line(index).is_empty() {
                let line = [&*self.messages[index].opening.text, "\n"].concat();
                self.replace_line(index, Some(line));
            }
            return;
        };
        let given_bytes = shown_bytes(&self.to_show(index)) + parted.losses.sum();
        self.set_given_bytes(index, given_bytes);
        self.write_parts(index);
    }

    /// Writes the line of a message with parts, or lets it be laid out when it is read.
    fn write_parts(&mut self, index: usize) {
        let Some(parted) = self.parted.by_index.get_mut(&(index as u32)) else { return };
        parted.shown = OnceCell::new();
        let is_complete = parted.open_calls == 0 || index + 1 == self.messages.len();
        let is_due = is_complete && self.lines.is_near_the_end(index);
        self.replace_line(index, is_due.then(|| self.laid_out_line(index)));
    }

    /// Lays out the line of a message with parts, with its line break.
    pub(super) fn laid_out_line(&self, index: usize) -> String {
        let opening = &*self.messages[index].opening.text;
        match self.shown_parts(index) {
            Some(_) if self.is_absent(index) => String::new(),
            Some(shown) => [opening, &lay_out(shown, &TOOL_LINES), "\n"].concat(),
            None => [opening, "\n"].concat(),
        }
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
}

#[cfg(test)]
mod tests;
