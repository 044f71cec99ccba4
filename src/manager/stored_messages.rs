//! Finds and reads stored messages.

use super::ids::Id;
use super::route::Shown;
use super::store::{Conversation, GivenNames, STORED_LINE, StoredMessage};
use crate::layout::BRACKETED_ARROW;
use std::collections::HashMap;
use std::rc::Rc;

/// The fields of a stored message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredFields<'c> {
    /// The writer's name.
    pub from: &'c str,
    /// Who it is for.
    pub to: &'c str,
    /// The content, without stripped markers.
    pub content: &'c str,
}

impl Conversation {
    /// Bytes of the contents of all messages before this one, as given.
    pub fn given_bytes_before(&self, index: usize) -> u64 {
        self.given_sums.borrow_mut().before(index, |at| self.given_bytes(at))
    }

    /// Bytes of a message's content, as given.
    pub fn given_bytes(&self, index: usize) -> usize {
        self.messages[index].given_bytes
    }

    /// The id of a message.
    pub fn id(&self, index: usize) -> String {
        self.messages[index].id.to_string()
    }

    /// The message with this id.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.find_id(&Id::parse(id))
    }

    pub(super) fn find_id(&self, id: &Id) -> Option<usize> {
        match (&self.places, id) {
            (Some(places), id) => places.get(id).map(|index| *index as usize),
            (None, Id::Numbered(number)) => {
                let number_at = |message: &StoredMessage| match message.id {
                    Id::Numbered(number) => number,
                    Id::Named(_) => 0,
                };
                self.messages.binary_search_by_key(number, number_at).ok()
            }
            (None, Id::Named(_)) => None,
        }
    }

    pub(super) fn places_of_ids(&self) -> HashMap<Id, u32> {
        self.messages.iter().map(|message| message.id.clone()).zip(0..).collect()
    }

    /// The fields of a message, with names as given.
    pub fn message(&self, index: usize) -> StoredFields<'_> {
        let fields = self.fields_in_line(index);
        match self.given_names(index) {
            Some(GivenNames { from, to }) => StoredFields { from, to, ..fields },
            None => fields,
        }
    }

    /// The names of a message as given, if one of them contained a line break.
    pub fn given_names(&self, index: usize) -> Option<&GivenNames> {
        self.messages[index].opening.given_names.as_ref()
    }

    /// The fields of a message as in its line, with names without line breaks.
    pub fn fields_in_line(&self, index: usize) -> StoredFields<'_> {
        let opening = &self.messages[index].opening;
        let line = &*opening.text;
        let from = STORED_LINE.open.len();
        let from_end = from + opening.from_bytes;
        let to = from_end + BRACKETED_ARROW.len();
        let to_end = to + opening.to_bytes;
        StoredFields {
            from: &line[from..from_end],
            to: &line[to..to_end],
            content: self.line(index).get(line.len()..).unwrap_or_default(),
        }
    }

    /// A message as a prompt shows it.
    pub fn shown(&self, index: usize) -> Shown<'_> {
        let StoredFields { from, to, content } = self.message(index);
        Shown { from: from.into(), to, content: content.into() }
    }

    /// The line of a message.
    pub fn line(&self, index: usize) -> &str {
        without_line_break(self.whole_line(index))
    }

    /// The line of a message with its line break; empty if it has no line.
    fn whole_line(&self, index: usize) -> &str {
        self.lines.line(index, || self.laid_out_line(index))
    }

    /// How many of the last of these messages have adjacent lines; at least one.
    pub fn last_together(&self, messages: std::ops::Range<usize>) -> usize {
        self.lines.last_together(messages)
    }

    /// The lines of messages that are stored together.
    pub fn lines(&self, messages: std::ops::Range<usize>) -> &str {
        match messages.len() {
            0 => "",
            1 => self.line(messages.start),
            _ => without_line_break(self.lines.together(messages)),
        }
    }

    /// The bytes of the lines of at least one message, including line breaks. Does not examine the
    /// text.
    pub fn lines_cost(&self, messages: std::ops::Range<usize>) -> usize {
        match messages.len() {
            1 => self.whole_line(messages.start).len(),
            _ => self.lines.bytes_together(messages),
        }
    }

    /// The intent of a message.
    pub fn intent(&self, index: usize) -> Option<&str> {
        self.messages[index].reply.as_ref()?.intent.as_deref()
    }

    /// Whether a message is by an AI.
    pub fn is_by_ai(&self, index: usize) -> bool {
        self.messages[index].opening.envelope.speaker.is_ai
    }

    /// Whether two messages are the same one, or have the same speaker and text.
    pub fn same(&self, one: usize, other: usize) -> bool {
        let (a, b) = (&self.messages[one], &self.messages[other]);
        a.id == b.id
            || a.opening.speaker == b.opening.speaker
                && self.message(one).content == self.message(other).content
    }

    /// The last message of a speaker before message `end`.
    pub fn last_said(&self, speaker_id: &str, end: usize) -> Option<usize> {
        let said = &self.said_by[*self.speakers.get(speaker_id)? as usize];
        let before = said.partition_point(|index| (*index as usize) < end);
        said[..before].last().map(|index| *index as usize)
    }

    /// The replies to a message, newest first.
    pub fn replies(&self, parent_id: &str) -> impl Iterator<Item = usize> {
        let replies = self.replies.get(parent_id).map_or(&[][..], Vec::as_slice);
        replies.iter().rev().map(|index| *index as usize)
    }

    /// The member with this id, if it has spoken.
    pub fn member_with_id(&self, id: &str) -> Option<u32> {
        self.visibility.member_with_id(id)
    }

    /// Whether a member wrote a message.
    pub fn is_by_member(&self, index: usize, member: u32) -> bool {
        self.visibility.concerned(index).sender == member
    }

    /// Whether a speaker wrote a message.
    pub fn is_by(&self, index: usize, speaker_id: &str) -> bool {
        self.speakers.get(speaker_id) == Some(&self.messages[index].opening.speaker)
    }

    /// Like [`Self::is_by`], but only for the current holder of the id: what a former member of the
    /// same name wrote is somebody else's.
    pub fn is_by_present(&self, index: usize, speaker_id: &str) -> bool {
        self.is_by(index, speaker_id) && index >= self.visibility.since(speaker_id)
    }

    /// The messages that a recipient may see, oldest first.
    pub fn visible_to(&self, recipient: &str) -> Rc<Vec<u32>> {
        self.visibility.visible(recipient)
    }

    /// Bytes of the contents of the first messages that a recipient may see, as given.
    pub fn visible_bytes_before(&self, recipient: &str, place: usize) -> u64 {
        self.visibility.sizes_before(recipient, place, |index| self.given_bytes(index))
    }

    /// The message with this id, if the recipient may see it. To anyone else it does not exist.
    pub fn find_visible(&self, id: &str, recipient: Option<&str>) -> Option<usize> {
        let index = self.find(id)?;
        recipient.is_none_or(|recipient| self.visibility.sees(recipient, index)).then_some(index)
    }

    /// The newest message that a member may see; with `of_others`, without what it wrote itself.
    pub fn newest_for(&self, member: &str, of_others: bool) -> Option<usize> {
        let visible = self.visible_to(member);
        let mut newest_first = visible.iter().rev().map(|index| *index as usize);
        newest_first.find(|index| !(of_others && self.is_by_present(*index, member)))
    }

    /// Whether a message is older than the present holder of a name.
    pub fn is_before(&self, index: usize, member: &str) -> bool {
        index < self.visibility.since(member)
    }
}

fn without_line_break(lines: &str) -> &str {
    lines.strip_suffix('\n').unwrap_or(lines)
}
