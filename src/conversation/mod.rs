//! A conversation as lines of a layout: what the budget, the report and the account see of it.
//!
//! 1. The lines of a prompt are a window, of which the newest are kept as far as there is room, and
//!    lines outside of it that are pinned ([`pins`]).
//! 2. They come from one of two sources: messages that a caller passes (`given`), as far as they
//!    were read, or those that a manager keeps (`kept`).
//! 3. What reads as structure is looked for, and escaped if the assembler says so, when a line is
//!    tried for the first time: a line that nobody asks for costs nothing.
//! 4. Lines are UTF-8 bytes, not `str`: a source delivers well-formed text, and only counting
//!    tokens and looking for structure look inside it.

mod chosen;
mod given;
mod kept;
mod meter;
pub mod pins;
mod source;
mod unkept;
mod write;

pub use chosen::Chosen;
pub(crate) use chosen::{NOT_FOR_RECIPIENT, OUTSIDE};
pub(crate) use given::sender;
pub use given::{GivenLines, GivenMessage};
pub use kept::KeptLines;
pub use meter::LineMeter;
pub use unkept::{KeptMessages, MAX_MEASURED, UnkeptMessage};

use crate::account::{Ledger, MessageName};
use crate::error::Error;
use crate::model::{Assembler, Markers, Part};
use crate::structure::{Finding, Structure};
use crate::tokens::Tokenizer;
use pins::Pins;
use source::{Backing, Source};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// A conversation in a layout. Lines are numbered from the oldest on.
pub struct Lines<'c> {
    backing: Backing<'c>,
    markers: Markers,
    /// Set if lines are looked at: always for escaping, else only for a report.
    structure: Option<Structure>,
    /// Lines that had to be escaped.
    escaped: BTreeMap<usize, String>,
    /// Lines that read as structure, in messages that were looked at.
    findings: Vec<Finding>,
    /// The window was looked at from this line on.
    looked_from: usize,
    /// Bytes of the pinned lines, each with a line break, once they were looked at.
    pinned_bytes: Option<usize>,
    /// What counts tokens, if they are counted.
    tokenizer: Option<Tokenizer>,
    /// Whether the oldest message that was passed had too many of them, so that it is not here.
    are_tokens_full: bool,
}

/// What is left for the window of a conversation.
pub struct WindowRoom {
    /// Bytes for the next line; `None` if there is not even room for the line break before it.
    pub bytes: Option<usize>,
    /// The same in tokens, if they are counted.
    pub meter: Option<LineMeter>,
}

impl<'c> Lines<'c> {
    /// Messages that a caller passes. With `report`, lines that read as structure are listed.
    pub fn given(assembler: &Assembler, lines: GivenLines, report: bool) -> Self {
        Lines::new(assembler, Backing::Given(Box::new(lines)), report)
    }

    /// The messages of a manager that one turn sees.
    pub fn kept(assembler: &Assembler, lines: KeptLines<'c>, report: bool) -> Self {
        Lines::new(assembler, Backing::Kept(lines), report)
    }

    fn new(assembler: &Assembler, backing: Backing<'c>, report: bool) -> Self {
        let markers = assembler.options.markers;
        let look = report || markers == Markers::Escape;
        Lines {
            looked_from: backing.pins().window().end,
            backing,
            markers,
            structure: look.then(|| assembler.message_structure()),
            escaped: BTreeMap::new(),
            findings: Vec::new(),
            pinned_bytes: None,
            tokenizer: None,
            are_tokens_full: false,
        }
    }

    fn source(&self) -> &dyn Source {
        match &self.backing {
            Backing::Given(given) => &**given,
            Backing::Kept(kept) => kept,
        }
    }

    /// The lines that a caller passes.
    pub(crate) fn given_mut(&mut self) -> Option<&mut GivenLines> {
        match &mut self.backing {
            Backing::Given(given) => Some(given),
            Backing::Kept(_) => None,
        }
    }

    /// How many lines there are: the window, and what is pinned outside of it.
    pub fn len(&self) -> usize {
        match &self.backing {
            Backing::Given(given) => given.len(),
            Backing::Kept(kept) => kept.len(),
        }
    }

    /// Whether there are no lines.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which lines are pinned, and which are the window.
    pub fn pins(&self) -> &Pins {
        self.backing.pins()
    }

    /// How many older messages the conversation has that are not part of this, and that no summary
    /// covers.
    pub fn outside(&self) -> usize {
        match &self.backing {
            Backing::Given(_) => 0,
            Backing::Kept(kept) => kept.outside(),
        }
    }

    /// The message of a line: its index in the list of the caller or of the manager.
    pub fn index(&self, line: usize) -> usize {
        self.source().index(line)
    }

    /// Looks at the pinned lines, and returns their bytes, each with a line break.
    pub fn pinned_bytes(&mut self) -> usize {
        if let Some(bytes) = self.pinned_bytes {
            return bytes;
        }
        let count = self.pins().positions().len();
        let joined = self.pinned_together(count).filter(|pinned| pinned.are_all);
        let bytes = match joined.map(|pinned| pinned.line_bytes) {
            Some(bytes) => bytes,
            None => {
                (0..count).for_each(|nth| self.look(self.pins().positions()[nth]));
                let lines = self.pins().positions().iter();
                lines.map(|line| self.line_bytes(*line) + 1).sum()
            }
        };
        self.pinned_bytes = Some(bytes);
        bytes
    }

    /// The first line of the window from which on all lines fit. Pinned lines take no room.
    /// Nothing older than the first one that does not fit is looked at.
    pub fn first_that_fits(&mut self, room: &mut WindowRoom) -> usize {
        let window = self.pins().window();
        let mut first = window.end;
        if room.bytes.is_none() {
            return first;
        }
        while first > window.start {
            let pinned_before = self.pins().before(first);
            let last_pinned = self.pins().positions()[..pinned_before].last().copied();
            if last_pinned == Some(first - 1) {
                first -= 1;
                continue;
            }
            let start = last_pinned.map_or(0, |pinned| pinned + 1).max(window.start);
            let run = self.source().run_before(first);
            let run = run.start.max(start)..first;
            first = self.first_of_run(run.clone(), room);
            if first > run.start {
                break;
            }
            if run.is_empty() {
                // Not read, because there was no room for it.
                room.meter.iter_mut().filter(|_| self.are_tokens_full).for_each(LineMeter::refuse);
                break;
            }
        }
        first
    }

    /// The first line of a run from which on its lines fit.
    fn first_of_run(&mut self, run: Range<usize>, room: &mut WindowRoom) -> usize {
        if self.structure.is_some() || room.meter.is_some() || !self.source().knows_sums() {
            let mut first = run.end;
            while first > run.start && self.take(first - 1, room) {
                first -= 1;
            }
            return first;
        }
        let Some(left) = room.bytes.filter(|_| !run.is_empty()) else { return run.end };
        let bytes_from = |first: usize| self.source().run_bytes(first..run.end);
        let (mut too_many, mut first) = (run.start, run.end);
        if bytes_from(run.start) <= left {
            first = run.start;
        }
        while first - too_many > 1 {
            let middle = too_many + (first - too_many) / 2;
            if bytes_from(middle) <= left { first = middle } else { too_many = middle }
        }
        if first < run.end {
            room.bytes = (left - bytes_from(first)).checked_sub(1);
        }
        first
    }

    /// Takes the next older line if there is room for it.
    fn take(&mut self, line: usize, room: &mut WindowRoom) -> bool {
        let Some(left) = room.bytes else { return false };
        if line < self.looked_from {
            self.look(line);
            self.looked_from = line;
        }
        let bytes = self.line_bytes(line);
        if bytes > left {
            return false;
        }
        if let Some(meter) = &mut room.meter {
            // A joint can save a few tokens, so the meter decides if it is close.
            let close = meter.tokenizer().units_within(64);
            let units = self.units_up_to(line, meter.room().saturating_add(close));
            if !meter.take(units, || self.line_text(line)) {
                return false;
            }
        }
        // The next one is joined by a line break.
        room.bytes = (left - bytes).checked_sub(1);
        true
    }

    /// Shows only the messages that were chosen, of which none is read yet.
    pub(crate) fn choose(&mut self, chosen: Chosen, pinned: &[usize]) {
        let pins = chosen.pins(pinned);
        self.looked_from = pins.window().end;
        if let Some(given) = self.given_mut() {
            given.choose(chosen, pins);
        }
    }

    /// Lets contents beyond so many bytes stay with the caller, unless lines are looked at, or
    /// some are pinned: those are not read in the order of the others.
    pub(crate) fn leave_contents_beyond(&mut self, bytes: usize) {
        let is_plain =
            self.structure.is_none() && self.tokenizer.is_none() && self.pins().is_empty();
        if let Some(given) = self.given_mut().filter(|_| is_plain) {
            given.copy_up_to(bytes);
        }
    }

    /// Reads a message as the next line of the window; false if there is no room for it.
    pub(crate) fn read(
        &mut self,
        message: &dyn GivenMessage,
        room: &mut WindowRoom,
        passed: usize,
    ) -> Result<bool, Error> {
        let Backing::Given(given) = &mut self.backing else { return Ok(false) };
        let (Some(line), Some(left)) = (given.next_of_window(), room.bytes) else {
            return Ok(false);
        };
        if !given.read_next(line, message, left, passed)? {
            return Ok(false);
        }
        let is_taken = self.take(line, room);
        self.are_tokens_full = room.meter.as_ref().is_some_and(LineMeter::is_full);
        if let Some(given) = self.given_mut().filter(|_| !is_taken) {
            given.pop();
        }
        Ok(is_taken)
    }

    /// Reads a message that is not kept, for a report.
    pub(crate) fn read_unkept(
        &self,
        line: usize,
        message: &dyn GivenMessage,
    ) -> Result<UnkeptMessage, Error> {
        let Backing::Given(given) = &self.backing else { return Ok(UnkeptMessage::default()) };
        let (from, item, content_bytes) = given.read_apart(message)?;
        let text = String::from_utf8_lossy(&item);
        let text = self.escape_unkept(&text).map_or(text, Cow::Owned);
        Ok(UnkeptMessage {
            position: line,
            name: MessageName { id: None, index: Some(self.index(line)), from: Some(from) },
            line_bytes: text.len(),
            content_bytes,
            line_units: match self.tokenizer {
                // The caller's function counts what is sent, and not this besides.
                None | Some(Tokenizer::Function { .. }) => None,
                Some(tokenizer) => Some(tokenizer.measure(&text)),
            },
        })
    }

    /// Lists, and if asked to, escapes what reads as structure in a line.
    fn look(&mut self, line: usize) {
        let Some(structure) = &self.structure else { return };
        let source = self.source();
        let index = source.index(line);
        let mut findings: Vec<Finding> = source
            .broken_names(line)
            .into_iter()
            .map(|(field, name)| Finding::of_name(Part::Context, index, field, &name))
            .collect();
        let item = self.line_text(line);
        let escape = self.markers == Markers::Escape;
        let escaped = if escape { structure.escape(&item) } else { None };
        // Without a line to escape, there is none to list.
        if !escape || escaped.is_some() {
            findings.extend(structure.findings(Part::Context, index, &item, escape));
        }
        self.findings.append(&mut findings);
        if let Some(escaped) = escaped {
            self.escaped.insert(line, escaped);
        }
    }

    /// From now on, lines are measured in tokens, too.
    pub fn count_with(&mut self, tokenizer: Tokenizer) {
        self.tokenizer = Some(tokenizer);
        self.source().count_with(tokenizer);
    }

    /// The units of a line with a line break. Only for lines that are pinned or fit, and if
    /// tokens are counted.
    pub fn line_units(&self, line: usize) -> u64 {
        self.units_up_to(line, u64::MAX).unwrap_or(u64::MAX)
    }

    /// The same; `None` if it is known that they are more than `most`.
    fn units_up_to(&self, line: usize, most: u64) -> Option<u64> {
        let Some(tokenizer) = self.tokenizer else { return Some(0) };
        let count = |most: u64| {
            let text = self.line_text(line) + "\n";
            tokenizer.measure_up_to(&text, most)
        };
        match tokenizer {
            Tokenizer::Function { function, .. } => {
                let counted = self.source().counted(function, line);
                Some(tokenizer.measure_counted(self.line_bytes(line) + 1, counted))
            }
            // Lines that were escaped are rare, and escaping may be another one next time.
            _ if self.escaped.contains_key(&line) => count(u64::MAX),
            _ => self.source().units(line, most, &count),
        }
    }

    /// The units of a kept message's content without its line. The line is counted for that: the
    /// next turn needs it.
    pub fn content_units(&self, index: usize) -> Option<u64> {
        let Backing::Kept(kept) = &self.backing else { return None };
        kept.content_units(self.tokenizer?, index)
    }

    /// The text of a line. Only for lines that are pinned or fit.
    pub fn line_text(&self, line: usize) -> Cow<'_, str> {
        match self.escaped.get(&line) {
            Some(escaped) => escaped.as_str().into(),
            None => match self.source().pieces(line) {
                [whole, rest @ ..] if rest.iter().all(|piece| piece.is_empty()) => {
                    String::from_utf8_lossy(whole)
                }
                pieces => String::from_utf8_lossy(&pieces.concat()).into_owned().into(),
            },
        }
    }

    /// The bytes of a line. Only for lines that are pinned or fit.
    pub fn line_bytes(&self, line: usize) -> usize {
        match self.escaped.get(&line) {
            Some(escaped) => escaped.len(),
            None => self.source().run_bytes(line..line + 1),
        }
    }

    /// The bytes of the window from line `first` on, with the line breaks. Only for lines that
    /// fit.
    pub fn bytes_from(&self, first: usize) -> usize {
        let end = self.pins().window().end;
        let run_bytes = |run: Range<usize>| match self.escaped.is_empty() {
            true => self.source().run_bytes(run),
            false => run.clone().map(|line| self.line_bytes(line) + 1).sum::<usize>() - 1,
        };
        let bytes: usize = self.runs(first..end).map(|run| run_bytes(run) + 1).sum();
        bytes.saturating_sub(1)
    }

    /// Some lines as runs of neighbours, newest first.
    fn runs(&self, lines: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let mut end = lines.end;
        std::iter::from_fn(move || {
            let run = (end > lines.start).then(|| self.source().run_before(end))?;
            let run = run.start.max(lines.start)..end;
            end = run.start;
            (!run.is_empty()).then_some(run)
        })
    }

    /// A message that is not kept. Only for reports, and only for what was read.
    pub fn describe(&self, line: usize) -> UnkeptMessage {
        match &self.backing {
            Backing::Given(given) => given.described(line),
            Backing::Kept(kept) => {
                let text = self.line_text(line);
                // It may have been looked at before it turned out not to fit.
                let escaped = match self.escaped.get(&line) {
                    Some(escaped) => Some(escaped.clone()),
                    None => self.escape_unkept(&text),
                };
                UnkeptMessage {
                    position: line,
                    name: kept.name(line),
                    line_bytes: escaped.as_ref().map_or(text.len(), String::len),
                    content_bytes: kept.given_bytes(line),
                    line_units: self.tokenizer.map(|tokenizer| match &escaped {
                        Some(escaped) => tokenizer.measure(escaped),
                        None => tokenizer.without_line_break(&text, self.line_units(line)),
                    }),
                }
            }
        }
    }

    /// A line that is not kept as it would have been escaped.
    fn escape_unkept(&self, text: &str) -> Option<String> {
        let structure = self.structure.as_ref().filter(|_| self.markers == Markers::Escape);
        structure?.escape(text)
    }

    /// The account of all messages of the conversation: those that are kept, those that are not,
    /// and those that were left out before the budget came into play. What was not read has no
    /// size.
    pub fn ledger(&self, kept: &KeptMessages) -> Ledger {
        match &self.backing {
            Backing::Given(given) => given.ledger(kept),
            Backing::Kept(lines) => lines.ledger(kept),
        }
    }

    /// Whether a message is kept, if it has been read and the window is kept from `first` on.
    pub fn is_kept(&self, first: usize, index: usize) -> bool {
        let is_pinned = || {
            let index_of = |line: &usize| self.index(*line);
            self.pins().positions().binary_search_by_key(&index, index_of).is_ok()
        };
        first < self.len() && index >= self.index(first) || is_pinned()
    }

    /// Lines that read as structure, in messages that were looked at.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}
