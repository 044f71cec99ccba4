//! The messages of one conversation and its team task.
//!
//! 1. Markers are stripped, unless the conversation keeps them, and the line is laid out once,
//!    when a message is added. Lines lie one after another in one buffer, so a window of them is
//!    one slice.
//! 2. The line is that of the agents with bracketed titles; other styles take its fields.
//! 3. In a line, names have no line breaks. Of those that were given with one, the given form is
//!    kept beside the line.
//! 4. What one turn asks for is found by index, not by search: messages by id, by speaker,
//!    and by the message they reply to.

use super::ids::{Id, MAX_NUMBER};
use super::line_counts::LineCounts;
use super::message::{Envelope, MessageText};
use super::numbered::Numbered;
use super::pinned_text::PinnedText;
use super::route::Shown;
use super::summary::Summary;
use super::visible::{Concerned, Visibility};
use crate::error::Error;
use crate::layout::{BRACKETED_ARROW, BRACKETED_LINE, EVERYONE, LineStyle};
use crate::text::{head, strip_markers, without_line_breaks};
use crate::visibility::members::Addressee;
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// The style in which lines are kept.
pub static STORED_LINE: LineStyle = BRACKETED_LINE;

/// A team task is cut to this size.
const MAX_TASK_BYTES: usize = 5 * 1024;

#[derive(Debug)]
pub(super) struct StoredMessage {
    pub(super) id: Id,
    /// Where its line begins.
    pub(super) start: usize,
    pub(super) from_bytes: u32,
    pub(super) to_bytes: u32,
    pub(super) speaker: u32,
    pub(super) concerned: Concerned,
    /// Shared by messages that were added in the same one.
    pub(super) envelope: Rc<Envelope>,
    pub(super) is_ai: bool,
    pub(super) intent: Option<Box<str>>,
    /// Bytes of the contents of this message and all before it, as they were given.
    pub(super) given_end: u64,
}

/// An envelope as it goes into a line.
#[derive(Debug)]
pub(super) struct LineOpening {
    /// The line up to its content.
    pub(super) text: Box<str>,
    pub(super) from_bytes: u32,
    pub(super) to_bytes: u32,
    pub(super) speaker: u32,
    pub(super) is_ai: bool,
    pub(super) given_names: Option<GivenNames>,
    pub(super) envelope: Rc<Envelope>,
    /// Set with the first message: what is not added teaches nothing.
    concerned: OnceCell<Concerned>,
}

/// Names as they were given, if there was a line break in one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenNames {
    /// The writer's name.
    pub from: Box<str>,
    /// Whom it is for.
    pub to: Box<str>,
}

/// The fields of a stored message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageFields<'c> {
    /// The writer's name.
    pub from: &'c str,
    /// Whom it is for.
    pub to: &'c str,
    /// What it says, without the markers that were stripped.
    pub content: &'c str,
}

/// One conversation.
#[derive(Debug, Default)]
pub struct Conversation {
    /// Every line, each with a line break after it.
    pub(super) lines: String,
    pub(super) messages: Vec<StoredMessage>,
    /// Envelopes by the number under which they were kept.
    openings: Numbered<LineOpening>,
    /// The numbers of the speakers, by their id.
    speakers: HashMap<Box<str>, u32>,
    /// What each speaker has said, oldest first.
    pub(super) said_by: Vec<Vec<u32>>,
    /// The replies to each message, by its id, oldest first.
    pub(super) replies: HashMap<Box<str>, Vec<u32>>,
    /// Names with line breaks in them, by message.
    pub(super) given_names: HashMap<u32, GivenNames>,
    /// Who may see what.
    pub(super) visibility: Visibility,
    /// The pinned messages, ascending.
    pub(super) pins: Vec<u32>,
    pub(super) summaries: Vec<Summary>,
    /// Their lines, if they have been asked for.
    pub(super) pinned_text: OnceCell<Option<PinnedText>>,
    team_task: Option<String>,
    task_cut_bytes: usize,
    pub(super) last_number: u64,
    /// Where each message is, by its id, if ids are not all numbered in ascending order, as after a
    /// foreign snapshot.
    pub(super) places: Option<HashMap<Id, u32>>,
    /// The tokens of lines, as far as they were counted.
    pub(super) counts: RefCell<LineCounts>,
    keeps_markers: bool,
}

impl Conversation {
    /// An empty conversation, which strips routing markers from what is added or keeps them.
    pub fn new(strip_markers: bool) -> Self {
        Conversation { keeps_markers: !strip_markers, ..Conversation::default() }
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Keeps an envelope under a number.
    pub fn keep_envelope(&mut self, number: usize, envelope: &Envelope) -> Result<(), Error> {
        let opening = self.opening(envelope);
        self.openings.keep(number, opening)
    }

    /// Adds a message in an envelope that was kept, under the next id. Returns the number in
    /// the id; `None` if there is no such envelope.
    pub fn add(&mut self, envelope: usize, text: &MessageText) -> Option<u64> {
        // Taken out, because the line is written to the same conversation.
        let openings = std::mem::take(&mut self.openings);
        let number = openings.get(envelope).map(|opening| {
            let number = self.last_number + 1;
            self.push(Id::Numbered(number), opening, text);
            number
        });
        self.openings = openings;
        number
    }

    /// Whether another message can be added: numbers go as far as JavaScript counts without
    /// gaps, so that no id is given out twice.
    pub fn has_ids_left(&self) -> bool {
        self.last_number < MAX_NUMBER
    }

    /// Adds a message that has an id already.
    pub fn restore(&mut self, id: &str, envelope: &Envelope, text: &MessageText) {
        let opening = self.opening(envelope);
        self.push(Id::parse(id), &opening, text);
    }

    pub(super) fn opening(&mut self, envelope: &Envelope) -> LineOpening {
        let speaker = &envelope.speaker;
        let to: Cow<str> = match envelope.addressees.as_slice() {
            [] => EVERYONE.into(),
            [one] => one.shown().into(),
            many => many.iter().map(Addressee::shown).collect::<Vec<_>>().join(", ").into(),
        };
        let (from_line, to_line) = (without_line_breaks(&speaker.name), without_line_breaks(&to));
        let is_changed = matches!((&from_line, &to_line), (Cow::Owned(_), _) | (_, Cow::Owned(_)));
        let given_names = is_changed
            .then(|| GivenNames { from: speaker.name.as_str().into(), to: to.as_ref().into() });
        let pieces =
            [&STORED_LINE.open, &*from_line, BRACKETED_ARROW, &to_line, &STORED_LINE.colon];
        LineOpening {
            text: pieces.concat().into(),
            from_bytes: from_line.len() as u32,
            to_bytes: to_line.len() as u32,
            given_names,
            speaker: self.speaker_number(&speaker.id),
            is_ai: speaker.is_ai,
            envelope: Rc::new(envelope.clone()),
            concerned: OnceCell::new(),
        }
    }

    fn push(&mut self, id: Id, opening: &LineOpening, text: &MessageText) {
        match id {
            Id::Numbered(number) if number > self.last_number => self.last_number = number,
            _ if self.places.is_none() => self.places = Some(self.places_of_ids()),
            _ => {}
        }
        let index = self.messages.len() as u32;
        if text.pinned {
            self.pins.push(index);
            self.forget_pinned_text();
        }
        if let Some(places) = &mut self.places {
            places.insert(id.clone(), index);
        }
        self.said_by[opening.speaker as usize].push(index);
        if let Some(parent) = &text.parent_id {
            self.replies.entry(parent.as_str().into()).or_default().push(index);
        }
        if let Some(names) = &opening.given_names {
            self.given_names.insert(index, names.clone());
        }
        let start = self.lines.len();
        self.lines.push_str(&opening.text);
        let content = self.kept_content(&text.content);
        self.lines.push_str(&content);
        self.lines.push('\n');
        self.messages.push(StoredMessage {
            id,
            start,
            from_bytes: opening.from_bytes,
            to_bytes: opening.to_bytes,
            speaker: opening.speaker,
            concerned: *opening.concerned.get_or_init(|| self.visibility.learn(&opening.envelope)),
            envelope: Rc::clone(&opening.envelope),
            is_ai: opening.is_ai,
            intent: text.intent.as_deref().map(Into::into),
            given_end: self.given_bytes_before(index as usize) + text.content.len() as u64,
        });
    }

    /// Bytes of the contents of all messages before this one, as they were given.
    pub fn given_bytes_before(&self, index: usize) -> u64 {
        index.checked_sub(1).map_or(0, |last| self.messages[last].given_end)
    }

    /// Bytes of the content of a message, as it was given.
    pub fn given_bytes(&self, index: usize) -> usize {
        (self.messages[index].given_end - self.given_bytes_before(index)) as usize
    }

    /// The id of a message.
    pub fn id(&self, index: usize) -> String {
        self.messages[index].id.to_string()
    }

    /// What is kept of a content: all of it, or without routing markers.
    pub(super) fn kept_content<'t>(&self, content: &'t str) -> Cow<'t, str> {
        if self.keeps_markers { content.into() } else { strip_markers(content) }
    }

    fn speaker_number(&mut self, id: &str) -> u32 {
        if let Some(number) = self.speakers.get(id) {
            return *number;
        }
        let number = self.said_by.len() as u32;
        self.speakers.insert(id.into(), number);
        self.said_by.push(Vec::new());
        number
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

    /// The fields of a message, its names as they were given.
    pub fn message(&self, index: usize) -> MessageFields<'_> {
        let fields = self.fields_in_line(index);
        match self.given_names(index) {
            Some(GivenNames { from, to }) => MessageFields { from, to, ..fields },
            None => fields,
        }
    }

    /// The names of a message as they were given, if there was a line break in one of them.
    pub fn given_names(&self, index: usize) -> Option<&GivenNames> {
        // Hardly any conversation has such names.
        if self.given_names.is_empty() { None } else { self.given_names.get(&(index as u32)) }
    }

    /// The fields of a message as they stand in its line: names without line breaks.
    pub fn fields_in_line(&self, index: usize) -> MessageFields<'_> {
        let message = &self.messages[index];
        let from = message.start + STORED_LINE.open.len();
        let from_end = from + message.from_bytes as usize;
        let to = from_end + BRACKETED_ARROW.len();
        let to_end = to + message.to_bytes as usize;
        let content = to_end + STORED_LINE.colon.len();
        MessageFields {
            from: &self.lines[from..from_end],
            to: &self.lines[to..to_end],
            content: &self.lines[content..self.line_end(index)],
        }
    }

    /// A message as it is shown to somebody.
    pub fn shown(&self, index: usize) -> Shown<'_> {
        let MessageFields { from, to, content } = self.message(index);
        Shown { from: from.into(), to, content: content.into() }
    }

    /// The line of a message with the line break behind it.
    pub fn line_with_break(&self, index: usize) -> &str {
        &self.lines[self.messages[index].start..=self.line_end(index)]
    }

    /// Where the line of a message ends, before its line break.
    pub(super) fn line_end(&self, index: usize) -> usize {
        self.messages.get(index + 1).map_or(self.lines.len(), |next| next.start) - 1
    }

    /// The lines of some messages, as they are stored.
    pub fn lines(&self, messages: std::ops::Range<usize>) -> &str {
        match messages.is_empty() {
            true => "",
            false => {
                &self.lines[self.messages[messages.start].start..self.line_end(messages.end - 1)]
            }
        }
    }

    /// The first of some messages from which on their lines fit into `room` bytes; the end if
    /// not even the last one does.
    pub fn first_that_fits(&self, messages: std::ops::Range<usize>, room: usize) -> usize {
        let Some(newest) = messages.end.checked_sub(1).filter(|_| !messages.is_empty()) else {
            return messages.end;
        };
        let lines_end = self.line_end(newest);
        let too_long = |message: &StoredMessage| lines_end - message.start > room;
        messages.start + self.messages[messages].partition_point(too_long)
    }

    /// With which intent a message was sent.
    pub fn intent(&self, index: usize) -> Option<&str> {
        self.messages[index].intent.as_deref()
    }

    /// Whether a message is by an AI.
    pub fn is_by_ai(&self, index: usize) -> bool {
        self.messages[index].is_ai
    }

    /// Whether two messages are one and the same, or of the same speaker and with the same text.
    pub fn same(&self, one: usize, other: usize) -> bool {
        let (a, b) = (&self.messages[one], &self.messages[other]);
        a.id == b.id
            || a.speaker == b.speaker && self.message(one).content == self.message(other).content
    }

    /// What a speaker said last before message `end`.
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
        self.messages[index].concerned.sender == member
    }

    /// Whether a speaker wrote a message.
    pub fn is_by(&self, index: usize, speaker_id: &str) -> bool {
        self.speakers.get(speaker_id) == Some(&self.messages[index].speaker)
    }

    /// The messages that a recipient may see, oldest first.
    pub fn visible_to(&self, recipient: &str) -> Rc<Vec<u32>> {
        self.visibility.visible(recipient, &self.messages, |message| message.concerned)
    }

    /// The message with this id, if the recipient may see it. For somebody who may not see it, it
    /// is not there.
    pub fn find_visible(&self, id: &str, recipient: Option<&str>) -> Option<usize> {
        let index = self.find(id)?;
        let Some(recipient) = recipient else { return Some(index) };
        self.visible_to(recipient).binary_search(&(index as u32)).ok().map(|_| index)
    }

    /// Learns anew who may see what, because messages were changed or removed: members are known
    /// from the messages that are there.
    pub(super) fn learn_anew(&mut self) {
        self.visibility = Visibility::default();
        for message in &mut self.messages {
            message.concerned = self.visibility.learn(&message.envelope);
        }
        for opening in self.openings.iter_mut() {
            opening.concerned = OnceCell::new();
        }
    }

    /// What the team works on.
    pub fn team_task(&self) -> Option<&str> {
        self.team_task.as_deref()
    }

    /// How much of the team task was cut away.
    pub fn task_cut_bytes(&self) -> usize {
        self.task_cut_bytes
    }

    /// Sets what the team works on. If it is too long, it is cut, and the sizes before and
    /// after are returned.
    pub fn set_team_task(&mut self, task: Option<&str>) -> Option<(usize, usize)> {
        let kept = task.map(|task| head(task, MAX_TASK_BYTES));
        self.team_task = kept.map(str::to_owned);
        self.task_cut_bytes = task.map_or(0, str::len) - kept.map_or(0, str::len);
        match (task, kept) {
            (Some(task), Some(kept)) if kept.len() < task.len() => Some((task.len(), kept.len())),
            _ => None,
        }
    }

    /// About how many bytes of memory this holds.
    pub fn memory_bytes(&self) -> usize {
        self.lines.capacity()
            + self.messages.capacity() * size_of::<StoredMessage>()
            + self.places.as_ref().map_or(0, |places| places.capacity() * size_of::<(Id, u32)>())
            + self.visibility.memory_bytes()
            + self.pinned_memory_bytes()
            + self.counts.borrow().memory_bytes()
    }
}

#[cfg(test)]
mod tests;
