//! Messages that a caller passes, as lines in one buffer, as far as they were read.
//!
//! A message is read straight into the buffer, between the texts that its layout puts around the
//! fields, and is copied once more when the prompt is written.

use super::chosen::Chosen;
use super::given_parts::GivenParts;
use super::message::{GivenMessage, push_opening, sender};
use super::pins::Pins;
use super::source::{LineSource, Said};
use super::{KeptMessages, UnkeptMessage};
use crate::account::{Cause, Ledger, MessageName, Reason};
use crate::error::Error;
use crate::layout::{LineStyle, Part, ToolLines};
use crate::parts::MessagePart;
use crate::structure::NameField;
use crate::text::{Measured, measure_utf16};
use crate::tokens::CountedText;
use crate::visibility::{Recipient, folded};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;

const NOT_COUNTED: u64 = u64::MAX;

/// A line that was read.
#[derive(Clone)]
struct ReadLine {
    /// Where the line begins in the buffer, and where its content begins.
    start: usize,
    content: usize,
    /// Its size in UTF-8.
    bytes: usize,
    /// The content, if it is kept in UTF-16.
    wide: Range<usize>,
    /// The cost of this line and all newer ones of the window.
    total: usize,
    /// Whether the message has no line.
    is_absent: bool,
    /// Whether the prompt's member wrote it.
    is_own: bool,
    /// The tokens of its content, by a caller-supplied function.
    tokens: usize,
    /// Its units with a line break, once counted.
    units: Cell<u64>,
}

impl ReadLine {
    fn content_bytes(&self) -> usize {
        self.bytes - (self.content - self.start)
    }

    /// Its size with a line break.
    fn cost(&self) -> usize {
        if self.is_absent { 0 } else { self.bytes + 1 }
    }
}

/// The lines of messages that a caller passes.
pub struct GivenLines {
    style: LineStyle,
    /// How many messages the caller has.
    count: usize,
    /// Who sees them, if that matters.
    reader: Option<Recipient>,
    pub(crate) chosen: Option<Chosen>,
    pins: Pins,
    bytes: Vec<u8>,
    /// Contents that are kept in UTF-16.
    units: Vec<u16>,
    /// Whether contents in UTF-16 are kept as they are: a string is made of them, so that converting them
    /// to UTF-8 and back would be in vain. (5,000 × 1 KB CJK as a string: 1.4 × as fast.)
    pub(super) keeps_units: bool,
    /// The lines of the window read so far, newest first.
    window: Vec<ReadLine>,
    /// The pinned lines read so far.
    pinned: Vec<ReadLine>,
    /// Names that contained line breaks, by line.
    broken_names: BTreeMap<usize, Vec<(NameField, String)>>,
    /// The newest dropped messages, newest first, if they were read for a report.
    pub(crate) described: Vec<UnkeptMessage>,
    /// The account of dropped messages, if they were read for a report.
    pub(crate) left_out: Ledger,
    /// The messages that have parts.
    pub(super) parts: GivenParts,
    /// The folded name of the member that the prompt is for; only for an array.
    pub(super) member: Option<String>,
}

impl GivenLines {
    /// `count` messages, none of them read yet.
    pub fn new(
        style: LineStyle,
        parts: GivenParts,
        count: usize,
        pins: Pins,
        mut buffer: Vec<u8>,
    ) -> Self {
        buffer.clear();
        GivenLines {
            style,
            count,
            reader: None,
            chosen: None,
            pins,
            bytes: buffer,
            units: Vec::new(),
            keeps_units: false,
            window: Vec::new(),
            pinned: Vec::new(),
            broken_names: BTreeMap::new(),
            described: Vec::new(),
            left_out: Ledger::default(),
            parts,
            member: None,
        }
    }

    /// Limits the lines to the chosen messages, none of them read yet.
    pub(super) fn choose(&mut self, chosen: Chosen, pins: Pins, reader: Option<Recipient>) {
        self.pins = pins;
        self.reader = reader;
        self.chosen = Some(chosen);
    }

    fn line_of(&self, index: usize) -> Option<usize> {
        line_of(&self.chosen, index)
    }

    /// Takes the buffer for reuse.
    pub(crate) fn take_buffer(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// The next pinned line to read.
    pub(crate) fn next_pinned(&self) -> Option<usize> {
        self.pins.positions().get(self.pinned.len()).copied()
    }

    /// Reads the next pinned line.
    pub(crate) fn read_pinned(&mut self, message: &dyn GivenMessage) -> Result<(), Error> {
        if let Some(line) = self.next_pinned() {
            let read = self.read(line, message, usize::MAX)?;
            self.pinned.extend(read);
            self.parts.pin(self.index(line));
        }
        Ok(())
    }

    /// Takes window lines that were already read because they are pinned. Returns the next line to
    /// read; `None` if all were read.
    pub(crate) fn next_of_window(&mut self) -> Option<usize> {
        let Range { start, end } = self.pins.window();
        loop {
            let line = (end - self.window.len()).checked_sub(1).filter(|line| *line >= start)?;
            if !self.pins.contains(line) {
                return Some(line);
            }
            let read = self.pinned.get(self.pins.before(line))?.clone();
            self.parts.pair(self.index(line));
            self.push(read);
        }
    }

    /// Reads the next line of the window; false if it has more than `room` bytes.
    pub(super) fn read_next(
        &mut self,
        line: usize,
        message: &dyn GivenMessage,
        room: usize,
    ) -> Result<bool, Error> {
        let Some(read) = self.read(line, message, room)? else { return Ok(false) };
        self.push(read);
        Ok(true)
    }

    fn push(&mut self, read: ReadLine) {
        let newer = self.window.last().map_or(0, |newer| newer.total);
        self.window.push(ReadLine { total: newer + read.cost(), ..read });
    }

    /// The oldest line of the window that was read.
    pub(crate) fn read_from(&self) -> usize {
        self.pins.window().end - self.window.len()
    }

    /// The next message whose parts have to be known.
    pub(crate) fn next_to_pair(&mut self) -> Option<usize> {
        let examined_from = self.chosen.as_ref().map_or(0, |chosen| chosen.older);
        let read_from = match self.window.is_empty() {
            true => self.count,
            false => self.index(self.read_from()),
        };
        let (chosen, pins, oldest) = (&self.chosen, &self.pins, self.read_from());
        self.parts.next_to_pair(read_from, |index| match line_of(chosen, index) {
            Some(line) => line >= oldest || pins.contains(line),
            // It is not for the recipient.
            None => index >= examined_from,
        })
    }

    /// Reads the parts of that message.
    pub(crate) fn read_parts(&mut self, message: &dyn GivenMessage) -> Result<(), Error> {
        let Some(index) = self.next_to_pair() else { return Ok(()) };
        let may_see = match &self.reader {
            Some(reader) if self.line_of(index).is_none() => {
                reader.may_see(&sender(message)?, &message.addressed_to()?)
            }
            _ => true,
        };
        if let Some(parts) = message.parts().filter(|_| may_see) {
            self.parts.read(index, parts);
        }
        self.parts.pair(index);
        Ok(())
    }

    /// Once all parts are paired, lays out the lines that now show other parts, and returns them.
    pub(super) fn end_pairing(&mut self) -> Vec<usize> {
        let (chosen, pins) = (&self.chosen, &self.pins);
        let is_pinned = |index| line_of(chosen, index).is_some_and(|line| pins.contains(line));
        let changed = self.parts.end_pairing(is_pinned).into_iter();
        let changed = changed.filter_map(|index| self.line_of(index));
        let is_read = |line: &usize| *line >= self.read_from() || self.pins.contains(*line);
        let changed: Vec<usize> = changed.filter(is_read).collect();
        for line in &changed {
            let text = self.parts.text(self.index(*line));
            self.lay_out_anew(*line, &text);
        }
        let mut total = 0;
        for read in &mut self.window {
            total += read.cost();
            read.total = total;
        }
        changed
    }

    /// Gives a read line another content.
    fn lay_out_anew(&mut self, line: usize, content: &str) {
        let (old, start) = (self.line(line).clone(), self.bytes.len());
        self.bytes.extend_from_within(old.start..old.content);
        let content_start = self.bytes.len();
        self.bytes.extend_from_slice(content.as_bytes());
        let bytes = self.bytes.len() - start;
        let anew = ReadLine {
            start,
            wide: 0..0,
            content: content_start,
            bytes,
            is_absent: false,
            units: Cell::new(NOT_COUNTED),
            ..old
        };
        let newest = self.pins.window().end.checked_sub(line + 1);
        let place = newest.filter(|place| *place < self.window.len());
        if self.pins.contains(line) {
            let nth = self.pins.before(line);
            self.pinned[nth] = anew.clone();
        }
        if let Some(place) = place {
            self.window[place] = anew;
        }
    }

    /// Gives up the line of the window read last.
    pub(super) fn pop(&mut self) {
        if let Some(line) = self.window.pop() {
            self.bytes.truncate(line.start);
            self.units.truncate(self.units.len() - line.wide.len());
        }
    }

    fn read(
        &mut self,
        line: usize,
        message: &dyn GivenMessage,
        room: usize,
    ) -> Result<Option<ReadLine>, Error> {
        let start = self.bytes.len();
        let opening = push_opening(&self.style, message, &mut self.bytes)?;
        let content = self.bytes.len();
        let wide_start = self.units.len();
        let is_own = self.member.as_ref().is_some_and(|member| {
            folded(&String::from_utf8_lossy(&self.bytes[opening.from.clone()])) == *member
        });
        let parts = message.parts();
        let index = self.index(line);
        if let Some(parts) = parts {
            self.parts.read(index, parts);
            if !self.pins.contains(line) {
                self.parts.pair(index);
            }
        }
        let is_absent = self.parts.is_absent(index);
        let content_bytes = match room.checked_sub(content - start) {
            // The results in it may have to be shortened.
            _ if parts.is_some() => {
                self.bytes.extend(self.parts.text(index).bytes());
                Some(self.bytes.len() - content)
            }
            None => None,
            Some(left) => match self.keep_wide(message, left)? {
                Some(bytes) => Some(bytes),
                None => {
                    let fits = message.push_content(&mut self.bytes, left)?;
                    fits.then(|| self.bytes.len() - content)
                }
            },
        };
        let Some(content_bytes) = content_bytes else {
            self.bytes.truncate(start);
            return Ok(None);
        };
        let names = [(NameField::From, opening.broken_from), (NameField::To, opening.broken_to)];
        for (field, name) in names {
            if let Some(name) = name {
                self.broken_names.entry(line).or_default().push((field, name));
            }
        }
        Ok(Some(ReadLine {
            start,
            content,
            bytes: content - start + content_bytes,
            wide: wide_start..self.units.len(),
            total: 0,
            is_absent,
            is_own,
            tokens: message.tokens(),
            units: Cell::new(NOT_COUNTED),
        }))
    }

    /// Keeps a content in UTF-16, if it is and fits. Returns its bytes in UTF-8.
    fn keep_wide(
        &mut self,
        message: &dyn GivenMessage,
        room: usize,
    ) -> Result<Option<usize>, Error> {
        if !self.keeps_units {
            return Ok(None);
        }
        let Some(units) = message.wide_content()? else { return Ok(None) };
        if units.len() > room {
            return Ok(None);
        }
        let Measured { bytes, well_formed } = measure_utf16(units);
        if !well_formed || bytes > room {
            return Ok(None);
        }
        self.units.extend_from_slice(units);
        Ok(Some(bytes))
    }

    /// The bytes of the contents that were read of the window.
    pub(crate) fn content_bytes(&self) -> usize {
        self.window.iter().map(ReadLine::content_bytes).sum()
    }

    /// A dropped message: its sender, its line before escaping, and the size of its content.
    pub(super) fn read_apart(
        &self,
        message: &dyn GivenMessage,
    ) -> Result<(String, Vec<u8>, usize), Error> {
        let mut item = Vec::new();
        let opening = push_opening(&self.style, message, &mut item)?;
        let from = match opening.broken_from {
            Some(from) => from,
            None => String::from_utf8_lossy(&item[opening.from]).into_owned(),
        };
        let content = item.len();
        let content_bytes = match message.parts() {
            Some(parts) => {
                item.extend_from_slice(self.parts.alone(parts).as_bytes());
                self.parts.given_bytes(parts)
            }
            None => {
                message.push_content(&mut item, usize::MAX)?;
                item.len() - content
            }
        };
        Ok((from, item, content_bytes))
    }

    /// The size of a dropped message.
    pub(crate) fn given_bytes(&self, message: &dyn GivenMessage) -> Result<usize, Error> {
        match message.parts() {
            Some(parts) => Ok(self.parts.given_bytes(parts)),
            None => message.content_bytes(),
        }
    }

    /// A message described for a report.
    pub(super) fn described(&self, line: usize) -> UnkeptMessage {
        let described = self.described.iter().find(|message| message.position == line);
        described.cloned().unwrap_or_default()
    }

    fn is_kept(&self, kept: &KeptMessages, line: usize) -> bool {
        let run = kept.first..self.pins.window().end;
        kept.in_layout && (run.contains(&line) || self.pins.contains(line))
    }

    /// Bytes of messages that are shown in others that are kept: results with their calls.
    pub(crate) fn sent_elsewhere(&self, kept: &KeptMessages) -> BTreeMap<usize, usize> {
        let is_kept = |index| self.line_of(index).is_some_and(|line| self.is_kept(kept, line));
        self.parts.sent_elsewhere(is_kept)
    }

    /// The account of dropped messages, if none of them was read.
    fn unread_ledger(&self, kept: &KeptMessages) -> Ledger {
        let mut ledger = Ledger::default();
        self.enter_unread(&mut ledger, kept, kept.first);
        if let Some(chosen) = &self.chosen {
            chosen.name_window(&mut ledger);
            chosen.enter_unread(&mut ledger);
        }
        ledger
    }

    /// Enters the lines before `end` that are neither read nor pinned.
    pub(crate) fn enter_unread(&self, ledger: &mut Ledger, kept: &KeptMessages, end: usize) {
        // If the layout has no place for the conversation, none of it is kept.
        let start = if kept.in_layout { self.pins.window().start } else { 0 };
        let without_room = end.min(kept.first_fitting).max(start);
        for unread in [start..without_room, without_room..end] {
            let pinned = if kept.in_layout { self.pins.among(unread.clone()).len() } else { 0 };
            ledger.leave_out_unread(kept.cause(unread.start), unread.len() - pinned);
        }
    }

    fn line(&self, line: usize) -> &ReadLine {
        let newest = self.pins.window().end.checked_sub(line + 1);
        match newest.and_then(|newest| self.window.get(newest)) {
            Some(read) => read,
            None => &self.pinned[self.pins.before(line)],
        }
    }
}

/// The line of a message.
fn line_of(chosen: &Option<Chosen>, index: usize) -> Option<usize> {
    match chosen {
        Some(chosen) => chosen.indices.binary_search(&index).ok(),
        None => Some(index),
    }
}

impl LineSource for GivenLines {
    fn len(&self) -> usize {
        self.chosen.as_ref().map_or(self.count, |chosen| chosen.indices.len())
    }

    fn pins(&self) -> &Pins {
        &self.pins
    }

    fn slides(&self) -> bool {
        self.chosen.as_ref().is_some_and(Chosen::is_full)
    }

    fn ledger(&self, kept: &KeptMessages) -> Ledger {
        let mut ledger = match kept.read {
            true => self.left_out.clone(),
            false => self.unread_ledger(kept),
        };
        if kept.in_layout {
            let run = kept.first..self.pins.window().end;
            let pinned = self.pins.positions().iter().zip(&self.pinned);
            let outside = pinned.filter(|(line, _)| !run.contains(line));
            let outside = outside.map(|(line, read)| (*line, read));
            let sent = run.clone().rev().zip(&self.window).chain(outside);
            for (line, read) in sent {
                let bytes = self.parts.sent_bytes(self.index(line));
                ledger.send(bytes.unwrap_or_else(|| read.content_bytes()));
            }
            let is_kept = |index| self.line_of(index).is_some_and(|line| self.is_kept(kept, line));
            self.parts.enter(&mut ledger, is_kept, |index| {
                match (self.line_of(index), &self.chosen) {
                    (None, Some(chosen)) => chosen.outside(),
                    _ => Cause::dropped(Part::Context, Reason::Budget),
                }
            });
        }
        ledger
    }

    fn index(&self, line: usize) -> usize {
        self.chosen.as_ref().map_or(line, |chosen| chosen.indices[line])
    }

    fn pieces(&self, line: usize) -> [&[u8]; 6] {
        let read = self.line(line);
        let end = if read.wide.is_empty() { read.start + read.bytes } else { read.content };
        [&self.bytes[read.start..end], b"", b"", b"", b"", b""]
    }

    fn wide_content(&self, line: usize) -> &[u16] {
        &self.units[self.line(line).wide.clone()]
    }

    fn run_before(&self, end: usize) -> Range<usize> {
        let window = self.pins.window();
        let read = window.end - self.window.len()..window.end;
        match read.start < end && end <= read.end {
            true => read.start..end,
            // A line read by itself because it is pinned.
            false if self.pins.contains(end - 1) => end - 1..end,
            false => end..end,
        }
    }

    fn run_cost(&self, run: Range<usize>) -> usize {
        let first = self.line(run.start);
        if run.len() == 1 {
            return first.cost();
        }
        let newer = self.pins.window().end - run.end;
        let newer = newer.checked_sub(1).map_or(0, |newer| self.window[newer].total);
        first.total - newer
    }

    fn is_absent(&self, line: usize) -> bool {
        self.line(line).is_absent
    }

    fn knows_sums(&self) -> bool {
        true
    }

    fn shown_parts(&self, line: usize) -> Option<&[MessagePart]> {
        self.parts.shown(self.index(line))
    }

    fn opening(&self, line: usize) -> String {
        let read = self.line(line);
        String::from_utf8_lossy(&self.bytes[read.start..read.content]).into_owned()
    }

    fn tools(&self) -> &ToolLines {
        self.parts.tools()
    }

    fn longest_result(&self) -> usize {
        self.parts.longest_result()
    }

    fn name(&self, line: usize) -> MessageName {
        MessageName::given(self.index(line))
    }

    fn said_by(&self, _member: &str, line: usize) -> Option<Said<'_>> {
        let read = self.line(line);
        read.is_own.then(|| match self.parts.shown(self.index(line)) {
            Some(parts) => Said::Parts(parts),
            None => {
                let content = &self.bytes[read.content..read.start + read.bytes];
                Said::Content(String::from_utf8_lossy(content))
            }
        })
    }

    fn broken_names(&self, line: usize) -> Vec<(NameField, String)> {
        self.broken_names.get(&line).cloned().unwrap_or_default()
    }

    fn counted(&self, _function: usize, line: usize) -> CountedText {
        let read = self.line(line);
        let bytes = self.parts.said_bytes(self.index(line)).unwrap_or_else(|| read.content_bytes());
        CountedText { bytes, tokens: read.tokens }
    }

    fn units(&self, line: usize, most: u64, count: &dyn Fn(u64) -> Option<u64>) -> Option<u64> {
        let known = &self.line(line).units;
        if known.get() == NOT_COUNTED {
            known.set(count(most)?);
        }
        Some(known.get())
    }
}
