//! Messages of a caller as lines.

mod write;

use super::read_lines::{Opening, PinnedLine, ReadLines, push_before_content};
use super::{Context, KeptMessages, LineMeter, MAX_MEASURED, MessageSource, UnkeptMessage};
use crate::account::{Ledger, MessageName};
use crate::model::{Assembler, Markers};
use crate::pins::Pins;
use crate::structure::Finding;
use crate::tokens::Tokenizer;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};

/// Every content is copied into the transcript.
pub struct Copied;

/// Contents may stay with the owner of the messages.
pub struct LeftWithOwner;

/// A conversation in a layout, as far as it has been read. `Contents` is [`Copied`] or
/// [`LeftWithOwner`].
pub struct Transcript<S, Contents = Copied> {
    source: S,
    lines: ReadLines,
    pins: Pins,
    /// The pinned lines, by position.
    pinned: BTreeMap<usize, PinnedLine>,
    contents: PhantomData<Contents>,
}

impl<S: MessageSource> Transcript<S> {
    /// The conversation of `source` in the assembler's layout, read into `buffer`. With
    /// `report`, what a report needs is kept: lines that read as structure, sizes of contents.
    pub fn new(assembler: &Assembler, source: S, mut buffer: Vec<u8>, report: bool) -> Self {
        buffer.clear();
        let markers = assembler.options.markers;
        let look = report || markers == Markers::Escape;
        let lines = ReadLines {
            layout: assembler.layout.clone(),
            markers,
            structure: look.then(|| assembler.message_structure()),
            bytes: buffer,
            ends: Vec::new(),
            copy_up_to: usize::MAX,
            openings: Vec::new(),
            content_bytes: report.then(Vec::new),
            tokenizer: None,
            units: Vec::new(),
            findings: Vec::new(),
        };
        let pins = source.pins();
        Transcript { source, lines, pins, pinned: BTreeMap::new(), contents: PhantomData }
    }

    /// Contents beyond so many bytes stay with their owner, unless lines are searched for
    /// imitated structure, or some are pinned: those are not read in the order of the others.
    pub fn copying_up_to(mut self, bytes: usize) -> Transcript<S, LeftWithOwner> {
        if self.lines.structure.is_none() && self.pins.is_empty() {
            self.lines.copy_up_to = bytes;
        }
        let Transcript { source, lines, pins, pinned, .. } = self;
        Transcript { source, lines, pins, pinned, contents: PhantomData }
    }
}

impl<S, Contents> Transcript<S, Contents> {
    #[cfg(test)]
    pub(crate) fn into_source(self) -> S {
        self.source
    }

    /// The buffer, for use by another transcript.
    pub fn into_buffer(self) -> Vec<u8> {
        self.lines.bytes
    }
}

impl<S: MessageSource, Contents> Context for Transcript<S, Contents> {
    type Error = S::Error;

    fn len(&self) -> usize {
        self.source.len()
    }

    fn pins(&self) -> &Pins {
        &self.pins
    }

    fn read_pins(&mut self) -> Result<usize, S::Error> {
        let Transcript { source, lines, pins, pinned, .. } = self;
        for position in pins.positions() {
            let index = source.callers_index(*position);
            let line = source.visit(*position, |message| lines.read_apart(index, message))?;
            if let Some(line) = line {
                pinned.insert(*position, line);
            }
        }
        Ok(pinned.values().map(|line| line.bytes.len() + 1).sum())
    }

    fn first_that_fits(
        &mut self,
        room: usize,
        mut meter: Option<&mut LineMeter>,
    ) -> Result<usize, S::Error> {
        let Transcript { source, lines, pins, pinned, .. } = self;
        let mut room = Some(room);
        source.visit_newest(pins.window(), &mut |index, message| {
            if let Some(line) = pinned.get(&index) {
                lines.push_line(line);
                return Ok(ControlFlow::Continue(()));
            }
            let Some(left) = room else { return Ok(ControlFlow::Break(())) };
            let Some(line) = lines.read(source.callers_index(index), message, left)? else {
                return Ok(ControlFlow::Break(()));
            };
            if let Some(meter) = meter.as_deref_mut() {
                // A joint can save a few tokens, so the meter decides if it is close.
                let close = meter.tokenizer().units_within(64);
                let units = lines.measure(&line, message, meter.room().saturating_add(close))?;
                if !meter.take(units, || lines.newest_text(lines.ends.len() - 1)) {
                    lines.pop(&line);
                    return Ok(ControlFlow::Break(()));
                }
                lines.units.extend(units);
            }
            // The next one is joined by a line break.
            room = (left - line.bytes).checked_sub(1);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(pins.window().end - lines.ends.len())
    }

    fn bytes_from(&self, first: usize) -> usize {
        match self.pins.window().end - first {
            0 => 0,
            kept => self.lines.ends[kept - 1] + kept - 1,
        }
    }

    fn line_bytes(&self, position: usize) -> usize {
        if let Some(line) = self.pinned.get(&position) {
            return line.bytes.len();
        }
        let newest = self.pins.window().end - 1 - position;
        let start = if newest == 0 { 0 } else { self.lines.ends[newest - 1] };
        self.lines.ends[newest] - start
    }

    fn count_with(&mut self, tokenizer: Tokenizer) {
        self.lines.tokenizer = Some(tokenizer);
        // What is counted is looked at, so it has to be here.
        self.lines.copy_up_to = usize::MAX;
    }

    fn line_units(&self, position: usize) -> u64 {
        match self.pinned.get(&position) {
            Some(line) => line.units,
            None => self.lines.units[self.pins.window().end - 1 - position],
        }
    }

    fn line_text(&self, position: usize) -> Cow<'_, str> {
        match self.pinned.get(&position) {
            Some(line) => String::from_utf8_lossy(&line.bytes),
            None => self.lines.newest_text(self.pins.window().end - 1 - position),
        }
    }

    fn describe(&self, index: usize) -> Result<UnkeptMessage, S::Error> {
        let line = &self.lines.layout.message_line;
        let read = self.source.visit(index, |message| {
            let mut item = Vec::new();
            let Opening { from, broken_from, .. } = push_before_content(line, message, &mut item)?;
            let from =
                broken_from.unwrap_or_else(|| String::from_utf8_lossy(&item[from]).into_owned());
            let content = item.len();
            message.push_content(&mut item, usize::MAX)?;
            let content_bytes = item.len() - content;
            Ok((from, item, content_bytes))
        })?;
        let (from, item, content_bytes) = read.unwrap_or_default();
        let escaped = match (&self.lines.structure, self.lines.markers) {
            (Some(structure), Markers::Escape) => structure.escape(&String::from_utf8_lossy(&item)),
            _ => None,
        };
        let position = index;
        let index = Some(self.source.callers_index(index));
        let line = match &escaped {
            Some(escaped) => Cow::Borrowed(escaped.as_str()),
            None => String::from_utf8_lossy(&item),
        };
        Ok(UnkeptMessage {
            position,
            name: MessageName { id: None, index, from: Some(from) },
            line_bytes: line.len(),
            content_bytes,
            line_units: match self.lines.tokenizer {
                // The caller's function counts what is sent, and not this besides.
                None | Some(Tokenizer::Function { .. }) => None,
                Some(tokenizer) => Some(tokenizer.measure(&line)),
            },
        })
    }

    fn enter(&self, ledger: &mut Ledger, kept: &KeptMessages) -> Result<(), S::Error> {
        // Without a place for the conversation, nothing of it is kept.
        let no_pins = Pins::none(self.len());
        let pins = if kept.in_layout { &self.pins } else { &no_pins };
        let Range { start, end } = pins.window();
        let sizes = self.lines.content_bytes.as_deref().unwrap_or_default();
        sizes.iter().take(end - kept.first).for_each(|bytes| ledger.send(*bytes));
        let pinned = self.pinned.iter().filter(|(at, _)| !(kept.first..end).contains(at));
        pinned.for_each(|(_, line)| ledger.send(line.content_bytes));

        for message in kept.described {
            let name = || message.name.clone();
            ledger.leave_out_message(kept.cause(message.position), message.content_bytes, name);
        }
        let rest = kept.described.last().map_or(kept.first, |oldest| oldest.position);
        let unread = if kept.read { rest.saturating_sub(MAX_MEASURED).max(start) } else { rest };
        self.source.visit_newest(unread..rest, &mut |index, message| {
            if !pins.contains(index) {
                let bytes = message.content_bytes(usize::MAX)?.unwrap_or_default();
                ledger.leave_out_messages(kept.cause(index), 1, bytes);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let without_room = unread.min(kept.first_fitting).max(start);
        for unread in [start..without_room, without_room..unread] {
            let pinned = pins.positions().iter().filter(|at| unread.contains(at)).count();
            ledger.leave_out_unread(kept.cause(unread.start), unread.len() - pinned);
        }
        self.source.enter_others(ledger, kept.read)
    }

    fn callers_index(&self, index: usize) -> usize {
        self.source.callers_index(index)
    }

    fn findings(&self) -> &[Finding] {
        &self.lines.findings
    }
}
