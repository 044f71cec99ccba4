//! Which messages one turn sees, and how the budget reads them.

use super::entries;
use super::store::{Conversation, GivenNames, MessageFields, STORED_LINE};
use crate::account::{Ledger, Reason};
use crate::layout::LineStyle;
use crate::model::{Assembler, Markers, Part};
use crate::render::Sink;
use crate::structure::{Finding, NameField, Structure};
use crate::text::is_line_break;
use crate::transcript::{Context, KeptMessages, UnkeptMessage, WriteLines};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// Some messages of a conversation, in order: neighbours among those that may be seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    /// All messages that the recipient may see; `None` if that is everything.
    visible: Option<Rc<Vec<u32>>>,
    /// Which of those.
    places: Range<usize>,
    /// One of these places that is left out.
    omitted: Option<usize>,
}

impl Window {
    /// The newest `size` messages before message `end`, of those that `recipient` may see if
    /// there is one.
    pub fn before(
        conversation: &Conversation,
        end: usize,
        size: usize,
        recipient: Option<&str>,
    ) -> Self {
        let visible = recipient.map(|recipient| conversation.visible_to(recipient));
        let end_place = match &visible {
            Some(visible) => visible.partition_point(|index| (*index as usize) < end),
            None => end,
        };
        let places = end_place.saturating_sub(size)..end_place;
        Window { visible, places, omitted: None }
    }

    /// The same without one message.
    pub fn without(self, index: usize) -> Self {
        Window { omitted: self.place(index), ..self }
    }

    /// How many older messages may be seen and are not among these.
    pub fn outside(&self) -> usize {
        self.places.start
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

    /// How many messages of the conversation may be seen.
    pub fn visible_in_all(&self, conversation: &Conversation) -> usize {
        self.visible.as_ref().map_or(conversation.len(), |visible| visible.len())
    }

    /// Whether not everything may be seen.
    pub fn is_for_recipient(&self) -> bool {
        self.visible.is_some()
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

    /// The place of a message, if it is among these.
    fn place(&self, index: usize) -> Option<usize> {
        let place = match &self.visible {
            Some(visible) => visible.binary_search_by(|seen| (*seen as usize).cmp(&index)).ok()?,
            None => index,
        };
        (self.places.contains(&place) && Some(place) != self.omitted).then_some(place)
    }

    /// The message at a position, counted from the oldest of these.
    fn at(&self, position: usize) -> usize {
        self.message(self.place_at(position))
    }

    fn place_at(&self, position: usize) -> usize {
        let place = self.places.start + position;
        match self.omitted {
            Some(omitted) if omitted <= place => place + 1,
            _ => place,
        }
    }

    /// Runs of messages that are neighbours in the conversation, from a position on.
    fn runs_from(&self, position: usize) -> impl Iterator<Item = Range<usize>> {
        let mut rest = self.place_at(position)..self.places.end;
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
    fn runs_newest_first(&self) -> impl Iterator<Item = Range<usize>> {
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
}

impl Turn {
    /// The latest message that the recipient may see, and the window before it. What an AI has
    /// just repeated is not shown twice.
    pub fn latest(conversation: &Conversation, size: usize, recipient: Option<&str>) -> Self {
        let latest = match recipient {
            Some(recipient) => {
                conversation.visible_to(recipient).last().map(|index| *index as usize)
            }
            None => conversation.len().checked_sub(1),
        };
        let Some(latest) = latest else {
            return Turn {
                window: Window::before(conversation, 0, 0, recipient),
                ..Turn::default()
            };
        };
        let window = Window::before(conversation, latest, size, recipient);
        let repeated = window
            .newest()
            .filter(|newest| conversation.is_by_ai(latest) && conversation.same(*newest, latest));
        let (window, omission) = match repeated {
            Some(index) => (window.without(index), Some(Reason::Duplicate)),
            None => (window, None),
        };
        Turn { message: Some(latest), window, omission, replies: Vec::new() }
    }
}

/// A window of a conversation in a layout, as the budget reads it.
pub struct StoredContext<'a> {
    conversation: &'a Conversation,
    turn: &'a Turn,
    window: &'a Window,
    recipient: Option<&'a str>,
    line: &'a LineStyle,
    markers: Markers,
    structure: Option<Structure>,
    /// Lines that had to be escaped, by message.
    escaped: BTreeMap<usize, String>,
    findings: Vec<Finding>,
}

impl<'a> StoredContext<'a> {
    /// The window of a turn in the assembler's layout, for a recipient if there is one. With
    /// `report`, lines that read as structure are listed.
    pub fn new(
        assembler: &'a Assembler,
        conversation: &'a Conversation,
        turn: &'a Turn,
        recipient: Option<&'a str>,
        report: bool,
    ) -> Self {
        let line = &assembler.layout.message_line;
        let markers = assembler.options.markers;
        let look = report || markers == Markers::Escape;
        StoredContext {
            conversation,
            turn,
            window: &turn.window,
            recipient,
            line,
            markers,
            structure: look.then(|| assembler.message_structure()),
            escaped: BTreeMap::new(),
            findings: Vec::new(),
        }
    }

    /// Whether lines go into the prompt just as they are kept, and need not be looked at.
    fn lines_are_stored(&self) -> bool {
        *self.line == STORED_LINE && self.structure.is_none()
    }

    fn pieces(&self, index: usize) -> [&'a str; 6] {
        let MessageFields { from, to, content } = self.conversation.fields_in_line(index);
        let (arrow, to) = self.line.arrow.as_deref().map_or(("", ""), |arrow| (arrow, to));
        [&self.line.open, from, arrow, to, &self.line.colon, content]
    }

    fn bytes(&self, index: usize) -> usize {
        match self.escaped.get(&index) {
            Some(escaped) => escaped.len(),
            None if *self.line == STORED_LINE => self.conversation.lines(index..index + 1).len(),
            None => self.pieces(index).iter().map(|piece| piece.len()).sum(),
        }
    }

    /// Names in the line that had line breaks in them.
    fn name_findings(&self, index: usize) -> Vec<Finding> {
        let given = self.conversation.given_names(index);
        let names = given.map(|GivenNames { from, to }| {
            let to = self.line.arrow.as_ref().map(|_| (NameField::To, to));
            [Some((NameField::From, from)), to]
        });
        let names = names.into_iter().flatten().flatten();
        let broken = names.filter(|(_, name)| name.contains(is_line_break));
        broken.map(|(field, name)| Finding::of_name(Part::Context, index, field, name)).collect()
    }

    fn look(&mut self, index: usize) {
        let Some(structure) = &self.structure else { return };
        let item = self.pieces(index).concat();
        let names = self.name_findings(index);
        self.findings.extend(names);
        let escape = self.markers == Markers::Escape;
        let escaped = if escape { structure.escape(&item) } else { None };
        // Without a line to escape, there is none to list.
        if !escape || escaped.is_some() {
            self.findings.extend(structure.findings(Part::Context, index, &item, escape));
        }
        if let Some(escaped) = escaped {
            self.escaped.insert(index, escaped);
        }
    }
}

impl Context for StoredContext<'_> {
    type Error = crate::Error;

    fn len(&self) -> usize {
        self.window.len()
    }

    fn fit_newest(&mut self, room: usize) -> Result<usize, crate::Error> {
        let mut left = Some(room);
        let mut fitting = 0;
        for run in self.window.runs_newest_first() {
            let Some(room) = left else { break };
            if self.lines_are_stored() {
                let first = self.conversation.first_that_fits(run.clone(), room);
                fitting += run.end - first;
                if first > run.start {
                    break;
                }
                left = (room - self.conversation.lines(run.clone()).len()).checked_sub(1);
                continue;
            }
            for index in run.clone().rev() {
                self.look(index);
                let bytes = self.bytes(index);
                match left.filter(|room| bytes <= *room) {
                    Some(room) => left = (room - bytes).checked_sub(1),
                    None => return Ok(fitting),
                }
                fitting += 1;
            }
        }
        Ok(fitting)
    }

    fn bytes_from(&self, first: usize) -> usize {
        let bytes_of = |run: Range<usize>| match self.lines_are_stored() {
            true => self.conversation.lines(run).len(),
            false => run.clone().map(|index| self.bytes(index) + 1).sum::<usize>() - 1,
        };
        let (runs, bytes) = self
            .window
            .runs_from(first)
            .fold((0_usize, 0), |(runs, bytes), run| (runs + 1, bytes + bytes_of(run)));
        bytes + runs.saturating_sub(1)
    }

    fn describe(&self, index: usize) -> Result<UnkeptMessage, crate::Error> {
        let index = self.window.at(index);
        let escaped = match (&self.structure, self.markers) {
            (Some(structure), Markers::Escape) => structure.escape(&self.pieces(index).concat()),
            _ => None,
        };
        Ok(UnkeptMessage {
            name: entries::name(self.conversation, index),
            line_bytes: escaped.map_or_else(|| self.bytes(index), |escaped| escaped.len()),
            content_bytes: self.conversation.given_bytes(index),
        })
    }

    fn enter(&self, ledger: &mut Ledger, kept: &KeptMessages) -> Result<(), crate::Error> {
        if let Some(recipient) = self.recipient {
            ledger.set_recipient(recipient);
        }
        entries::enter(ledger, self.conversation, self.turn, kept);
        Ok(())
    }

    fn outside(&self) -> usize {
        self.window.outside()
    }

    fn callers_index(&self, index: usize) -> usize {
        self.window.at(index)
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

impl<K: Sink> WriteLines<K> for StoredContext<'_> {
    fn write_lines(&self, first: usize, sink: &mut K) {
        let mut separator: &[u8] = b"";
        let mut push = |pieces: &[&str]| {
            sink.push(separator);
            pieces.iter().for_each(|piece| sink.push(piece.as_bytes()));
            separator = b"\n";
        };
        for run in self.window.runs_from(first) {
            if self.lines_are_stored() {
                push(&[self.conversation.lines(run)]);
                continue;
            }
            for index in run {
                match self.escaped.get(&index) {
                    Some(escaped) => push(&[escaped]),
                    None => push(&self.pieces(index)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
