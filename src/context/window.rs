//! Which messages one turn sees, and how the budget reads them.

use super::store::{Conversation, GivenNames, MessageFields, STORED_LINE};
use crate::layout::LineStyle;
use crate::model::{Assembler, Markers, Part};
use crate::prompt::may_see;
use crate::render::Sink;
use crate::report::counted;
use crate::structure::{Finding, NameField, Structure};
use crate::text::is_line_break;
use crate::transcript::{Context, WriteLines};
use std::collections::BTreeMap;
use std::ops::Range;

/// Some messages of a conversation, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    /// Runs of neighbouring messages, each with the number of messages in those before it.
    runs: Vec<(usize, Range<usize>)>,
    /// How many messages are older than all of these.
    older: usize,
    /// How many of those the recipient may see, and would with a larger window.
    outside: usize,
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
        let Some(recipient) = recipient else {
            let start = end.saturating_sub(size);
            return Window {
                older: start,
                outside: start,
                ..Window::of_runs(std::iter::once(start..end))
            };
        };
        let mut visible = (0..end).rev().filter(|index| {
            let MessageFields { from, to, .. } = conversation.message(*index);
            may_see(recipient, from, to)
        });
        let mut runs: Vec<Range<usize>> = Vec::new();
        for index in visible.by_ref().take(size) {
            match runs.last_mut() {
                Some(run) if run.start == index + 1 => run.start = index,
                _ => runs.push(index..index + 1),
            }
        }
        let outside = visible.count();
        let older = runs.last().map_or(end, |run| run.start);
        Window { older, outside, ..Window::of_runs(runs.into_iter().rev()) }
    }

    fn of_runs(runs: impl Iterator<Item = Range<usize>>) -> Self {
        let mut before = 0;
        let counted = runs.filter(|run| !run.is_empty()).map(|run| {
            let counted = (before, run.clone());
            before += run.len();
            counted
        });
        Window { runs: counted.collect(), ..Window::default() }
    }

    /// The same without one message.
    pub fn without(self, index: usize) -> Self {
        let Window { older, outside, .. } = self;
        let split = self.runs.into_iter().flat_map(|(_, run)| match run.contains(&index) {
            true => vec![run.start..index, index + 1..run.end],
            false => vec![run],
        });
        Window { older, outside, ..Window::of_runs(split) }
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.runs.last().map_or(0, |(before, run)| before + run.len())
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The newest message.
    pub fn newest(&self) -> Option<usize> {
        self.runs.last().map(|(_, run)| run.end - 1)
    }

    /// Whether a message of the conversation is among these.
    pub fn contains(&self, index: usize) -> bool {
        self.runs.iter().any(|(_, run)| run.contains(&index))
    }

    /// The messages, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.runs.iter().flat_map(|(_, run)| run.clone())
    }

    /// The message at a position, counted from the oldest of these.
    fn at(&self, position: usize) -> usize {
        let run = self.runs.partition_point(|(before, _)| *before <= position);
        match run.checked_sub(1).map(|run| &self.runs[run]) {
            Some((before, run)) => run.start + (position - before),
            None => usize::MAX,
        }
    }

    /// Runs of neighbouring messages from a position on.
    fn runs_from(&self, position: usize) -> impl Iterator<Item = Range<usize>> {
        let skip = move |(before, run): &(usize, Range<usize>)| {
            let skipped = position.saturating_sub(*before).min(run.len());
            run.start + skipped..run.end
        };
        self.runs.iter().map(skip).filter(|run| !run.is_empty())
    }
}

/// What an agent is to act on, and what it sees of the conversation before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The message to act on; `None` in an empty conversation.
    pub message: Option<usize>,
    /// What was said before.
    pub window: Window,
}

impl Turn {
    /// The latest message, and the window before it. What an AI has just repeated is not
    /// shown twice.
    pub fn latest(conversation: &Conversation, size: usize, recipient: Option<&str>) -> Self {
        let Some(latest) = conversation.len().checked_sub(1) else {
            return Turn { message: None, window: Window::default() };
        };
        let window = Window::before(conversation, latest, size, recipient);
        let repeated = window
            .newest()
            .filter(|newest| conversation.is_by_ai(latest) && conversation.same(*newest, latest));
        let window = match repeated {
            Some(index) => window.without(index),
            None => window,
        };
        Turn { message: Some(latest), window }
    }
}

/// A window of a conversation in a layout, as the budget reads it.
pub struct StoredContext<'a> {
    conversation: &'a Conversation,
    window: &'a Window,
    line: LineStyle,
    markers: Markers,
    structure: Option<Structure>,
    /// Lines that had to be escaped, by message.
    escaped: BTreeMap<usize, String>,
    findings: Vec<Finding>,
}

impl<'a> StoredContext<'a> {
    /// The window in the assembler's layout. With `list_findings`, lines that read as
    /// structure are listed.
    pub fn new(
        assembler: &'a Assembler,
        conversation: &'a Conversation,
        window: &'a Window,
        list_findings: bool,
    ) -> Self {
        let line = assembler.layout.message_line;
        let markers = assembler.options.markers;
        let look = list_findings || markers == Markers::Escape;
        StoredContext {
            conversation,
            window,
            line,
            markers,
            structure: look.then(|| assembler.message_structure()),
            escaped: BTreeMap::new(),
            findings: Vec::new(),
        }
    }

    /// Whether lines go into the prompt just as they are kept, and need not be looked at.
    fn lines_are_stored(&self) -> bool {
        self.line == STORED_LINE && self.structure.is_none()
    }

    fn pieces(&self, index: usize) -> [&'a str; 6] {
        let MessageFields { from, to, content } = self.conversation.fields_in_line(index);
        let (arrow, to) = self.line.arrow.map_or(("", ""), |arrow| (arrow, to));
        [self.line.open, from, arrow, to, self.line.colon, content]
    }

    fn bytes(&self, index: usize) -> usize {
        match self.escaped.get(&index) {
            Some(escaped) => escaped.len(),
            None if self.line == STORED_LINE => self.conversation.lines(index..index + 1).len(),
            None => self.pieces(index).iter().map(|piece| piece.len()).sum(),
        }
    }

    /// Names in the line that had line breaks in them.
    fn name_findings(&self, index: usize) -> Vec<Finding> {
        let given = self.conversation.given_names(index);
        let names = given.map(|GivenNames { from, to }| {
            let to = self.line.arrow.map(|_| (NameField::To, to));
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
        for (_, run) in self.window.runs.iter().rev() {
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

    fn describe(&mut self, index: usize) -> Result<(String, usize), crate::Error> {
        let index = self.window.at(index);
        let from = self.conversation.message(index).from.to_owned();
        let escaped = match (&self.structure, self.markers) {
            (Some(structure), Markers::Escape) => structure.escape(&self.pieces(index).concat()),
            _ => None,
        };
        Ok((from, escaped.map_or_else(|| self.bytes(index), |escaped| escaped.len())))
    }

    fn outside(&self) -> usize {
        self.window.outside
    }

    fn callers_index(&self, index: usize) -> usize {
        self.window.at(index)
    }

    fn notes(&self) -> Vec<String> {
        match self.window.older {
            0 => Vec::new(),
            older => {
                let messages = counted(older, "older message is", "older messages are");
                vec![format!("[CONTEXT] {messages} outside the window")]
            }
        }
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
