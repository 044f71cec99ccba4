//! The messages of a turn as lines of a layout, as the budget reads them.

mod pieces;
mod write;

use self::pieces::{Piece, pieces_newest_first};
use super::entries;
use super::pinned_text::PinnedText;
use super::sight::Sight;
use super::store::{Conversation, GivenNames, STORED_LINE};
use super::stored_messages::MessageFields;
use super::turn::Turn;
use super::window::Window;
use crate::account::Ledger;
use crate::layout::LineStyle;
use crate::model::{Assembler, Markers, Part};
use crate::pins::Pins;
use crate::structure::{Finding, NameField, Structure};
use crate::text::is_line_break;
use crate::tokens::{CountedText, Tokenizer};
use crate::transcript::{Context, KeptMessages, LineMeter, UnkeptMessage};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// A window of a conversation in a layout, as the budget reads it.
pub struct StoredContext<'a> {
    conversation: &'a Conversation,
    turn: &'a Turn,
    window: &'a Window,
    sight: Sight<'a>,
    line: &'a LineStyle,
    /// Whether that is how lines are stored.
    is_stored_style: bool,
    markers: Markers,
    structure: Option<Structure>,
    /// Lines that had to be escaped, by message.
    escaped: BTreeMap<usize, String>,
    findings: Vec<Finding>,
    /// What counts tokens, if they are counted.
    tokenizer: Option<Tokenizer>,
}

impl<'a> StoredContext<'a> {
    /// The window of a turn in the assembler's layout, for who has this sight. With
    /// `report`, lines that read as structure are listed.
    pub fn new(
        assembler: &'a Assembler,
        conversation: &'a Conversation,
        turn: &'a Turn,
        sight: Sight<'a>,
        report: bool,
    ) -> Self {
        let line = &assembler.layout.message_line;
        let markers = assembler.options.markers;
        let look = report || markers == Markers::Escape;
        StoredContext {
            conversation,
            turn,
            window: &turn.window,
            sight,
            line,
            is_stored_style: *line == STORED_LINE,
            markers,
            structure: look.then(|| assembler.message_structure()),
            escaped: BTreeMap::new(),
            findings: Vec::new(),
            tokenizer: None,
        }
    }

    /// Whether lines go into the prompt just as they are kept, and need not be looked at.
    fn lines_are_stored(&self) -> bool {
        self.is_stored_style && self.structure.is_none()
    }

    fn pieces(&self, index: usize) -> [&'a str; 6] {
        let MessageFields { from, to, content } = self.conversation.fields_in_line(index);
        let (arrow, to) = self.line.arrow.as_deref().map_or(("", ""), |arrow| (arrow, to));
        [&self.line.open, from, arrow, to, &self.line.colon, content]
    }

    fn bytes(&self, index: usize) -> usize {
        match self.escaped.get(&index) {
            Some(escaped) => escaped.len(),
            None if self.is_stored_style => self.conversation.lines(index..index + 1).len(),
            None => self.pieces(index).iter().map(|piece| piece.len()).sum(),
        }
    }

    /// The text of a line.
    fn text(&self, index: usize) -> Cow<'_, str> {
        match self.escaped.get(&index) {
            Some(escaped) => escaped.as_str().into(),
            None if self.is_stored_style => self.conversation.lines(index..index + 1).into(),
            None => self.pieces(index).concat().into(),
        }
    }

    /// The units of a line with a line break.
    fn units(&self, index: usize) -> u64 {
        let Some(tokenizer) = self.tokenizer else { return 0 };
        let count = || match self.is_stored_style && !self.escaped.contains_key(&index) {
            true => tokenizer.measure(self.conversation.line_with_break(index)),
            false => tokenizer.measure(&[&self.text(index), "\n"].concat()),
        };
        match tokenizer {
            Tokenizer::Function { function, .. } => {
                let bytes = self.bytes(index) + 1;
                let content = self.conversation.message(index).content.len();
                let tokens = self.conversation.tokens_by_function(function, index);
                let counted = tokens.map(|tokens| CountedText { bytes: content, tokens });
                tokenizer.measure_counted(bytes, counted.unwrap_or_default())
            }
            // Lines that were escaped are rare, and escaping may be another one next time.
            _ if self.escaped.contains_key(&index) => count(),
            _ => self.conversation.counts.borrow_mut().units(index, count),
        }
    }

    /// The units of a message's content without its line. The line is counted for that: the next
    /// turn needs it.
    pub fn content_units(&self, index: usize) -> Option<u64> {
        let tokenizer = self.tokenizer?;
        let content = self.conversation.message(index).content;
        let line = self.text(index);
        let is_end = !self.escaped.contains_key(&index) && line.ends_with(content);
        is_end.then(|| {
            let units = tokenizer.without_line_break(&line, self.units(index));
            tokenizer.measure_end(&line, line.len() - content.len(), units)
        })
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

    /// How many messages of a run fit, from its end, and the room that is left then.
    fn fit_run(
        &mut self,
        run: Range<usize>,
        mut left: Option<usize>,
        mut meter: Option<&mut LineMeter>,
    ) -> (usize, Option<usize>) {
        let Some(room) = left else { return (0, None) };
        if self.lines_are_stored() && meter.is_none() {
            let first = self.conversation.first_that_fits(run.clone(), room);
            let left = match first == run.start {
                true => (room - self.conversation.lines(run.clone()).len()).checked_sub(1),
                false => None,
            };
            return (run.end - first, left);
        }
        let mut fitting = 0;
        for index in run.rev() {
            self.look(index);
            let bytes = self.bytes(index);
            let Some(room) = left.filter(|room| bytes <= *room) else { return (fitting, None) };
            if let Some(meter) = meter.as_deref_mut()
                && !meter.take(Some(self.units(index)), || self.text(index))
            {
                return (fitting, None);
            }
            left = (room - bytes).checked_sub(1);
            fitting += 1;
        }
        (fitting, left)
    }

    /// The lines of all pinned messages, if the first `count` of them are the first pinned lines of
    /// this turn, just as they are kept, with the same gaps.
    fn pinned_text(&self, count: usize) -> Option<&'a PinnedText> {
        let last = count.checked_sub(1)?;
        let Sight { recipient, session, .. } = self.sight;
        let is_limited = recipient.is_some() || session.is_some();
        let shows_everything = !is_limited && !self.window.is_without_one();
        if !shows_everything || !self.lines_are_stored() {
            return None;
        }
        // Both are in order, so if the last ones are the same, all are.
        let line = self.pins().positions()[last];
        let is_same = self.conversation.pins()[last] as usize == self.turn.message_at(line);
        self.conversation.pinned_text().filter(|_| is_same)
    }

    fn run_bytes(&self, run: Range<usize>) -> usize {
        match self.lines_are_stored() {
            true => self.conversation.lines(run).len(),
            false => run.clone().map(|index| self.bytes(index) + 1).sum::<usize>() - 1,
        }
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
        self.turn.lines()
    }

    fn pins(&self) -> &Pins {
        &self.turn.pinned.pins
    }

    fn read_pins(&mut self) -> Result<usize, crate::Error> {
        let turn = self.turn;
        if let Some(text) = self.pinned_text(self.pins().positions().len())
            && self.conversation.pins().len() == self.pins().positions().len()
        {
            return Ok(text.line_bytes);
        }
        let mut bytes = 0;
        for position in turn.pinned.pins.positions().iter().copied() {
            let index = turn.message_at(position);
            self.look(index);
            bytes += self.bytes(index) + 1;
        }
        Ok(bytes)
    }

    fn line_bytes(&self, position: usize) -> usize {
        self.bytes(self.turn.message_at(position))
    }

    fn first_that_fits(
        &mut self,
        room: usize,
        mut meter: Option<&mut LineMeter>,
    ) -> Result<usize, crate::Error> {
        let end = self.pins().window().end;
        let mut left = Some(room);
        let mut fitting = 0;
        let has_pins = !self.pins().among(self.pins().window()).is_empty();
        let pins = if has_pins { self.conversation.pins() } else { &[] };
        for run in self.window.runs_newest_first() {
            for piece in pieces_newest_first(pins, run) {
                let run = match piece {
                    Piece::Pinned => {
                        fitting += 1;
                        continue;
                    }
                    Piece::Free(run) => run,
                };
                let (kept, rest) = self.fit_run(run.clone(), left, meter.as_deref_mut());
                fitting += kept;
                if kept < run.len() {
                    return Ok(end - fitting);
                }
                left = rest;
            }
        }
        Ok(end - fitting)
    }

    fn count_with(&mut self, tokenizer: Tokenizer) {
        self.tokenizer = Some(tokenizer);
        let messages = self.conversation.len();
        self.conversation.counts.borrow_mut().open(tokenizer, self.line, messages);
    }

    fn line_units(&self, position: usize) -> u64 {
        self.units(self.turn.message_at(position))
    }

    fn line_text(&self, position: usize) -> Cow<'_, str> {
        self.text(self.turn.message_at(position))
    }

    fn bytes_from(&self, first: usize) -> usize {
        let before = self.turn.pinned.before.len();
        let (runs, bytes) = self
            .window
            .runs(first - before..self.window.len())
            .fold((0_usize, 0), |(runs, bytes), run| (runs + 1, bytes + self.run_bytes(run)));
        bytes + runs.saturating_sub(1)
    }

    fn describe(&self, position: usize) -> Result<UnkeptMessage, crate::Error> {
        let index = self.turn.message_at(position);
        let escaped = match (&self.structure, self.markers) {
            (Some(structure), Markers::Escape) => structure.escape(&self.pieces(index).concat()),
            _ => None,
        };
        Ok(UnkeptMessage {
            position,
            name: entries::name(self.conversation, index),
            line_bytes: escaped.as_ref().map_or_else(|| self.bytes(index), String::len),
            content_bytes: self.conversation.given_bytes(index),
            line_units: self.tokenizer.map(|tokenizer| match &escaped {
                Some(escaped) => tokenizer.measure(escaped),
                None => tokenizer.without_line_break(&self.text(index), self.units(index)),
            }),
        })
    }

    fn enter(&self, ledger: &mut Ledger, kept: &KeptMessages) -> Result<(), crate::Error> {
        if let Some(recipient) = self.sight.recipient {
            ledger.set_recipient(recipient);
        }
        entries::enter(ledger, self.conversation, self.turn, &self.sight, kept);
        Ok(())
    }

    fn outside(&self) -> usize {
        self.window.outside()
    }

    fn callers_index(&self, position: usize) -> usize {
        self.turn.message_at(position)
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }
}
