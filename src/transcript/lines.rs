//! Messages of a caller as lines.

use super::{
    Context, Fields, KeptMessages, LineMeter, MAX_MEASURED, MessageSource, UnkeptMessage,
    WriteLines,
};
use crate::account::{Ledger, MessageName};
use crate::layout::{EVERYONE, LayoutRef, LineStyle};
use crate::model::{Assembler, Markers, Part};
use crate::pins::{GAP_LINE, Pins, Segment};
use crate::render::{ContentSink, Sink};
use crate::structure::{Finding, NameField, Structure};
use crate::text::replace_line_breaks;
use crate::tokens::{CountedText, Tokenizer};
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

/// A pinned line.
struct PinnedLine {
    bytes: Vec<u8>,
    /// Bytes of its content as it was given.
    content_bytes: usize,
    /// Its units with a line break, if tokens are counted.
    units: u64,
}

/// The lines of the messages that were read so far.
struct ReadLines {
    layout: LayoutRef,
    markers: Markers,
    /// Set when lines are looked at: always for escaping, else only for a report.
    structure: Option<Structure>,
    /// The lines, newest first, without anything between them.
    bytes: Vec<u8>,
    /// Bytes of each line and all newer ones. If all were copied, it is also where they end.
    ends: Vec<usize>,
    /// Contents are copied until there are so many bytes, and from then on only measured.
    copy_up_to: usize,
    /// Where each line up to its content is, if contents may be only measured.
    openings: Vec<Range<usize>>,
    /// Bytes of each content as it was given, newest first, if there is going to be a report.
    content_bytes: Option<Vec<usize>>,
    /// What counts tokens, if they are counted.
    tokenizer: Option<Tokenizer>,
    /// The units of each line with a line break, newest first, if tokens are counted.
    units: Vec<u64>,
    findings: Vec<Finding>,
}

/// A line that was read.
struct ReadLine {
    bytes: usize,
    /// Bytes of its content as it was given.
    content_bytes: usize,
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
    /// Writes what is kept, whose contents were all copied.
    fn write_copied(&self, first: usize, sink: &mut impl Sink) {
        if self.pins.is_empty() {
            return self.lines.write_copied(0..self.pins.window().end - first, sink);
        }
        for (place, segment) in self.pins.segments(first, 0).enumerate() {
            if place > 0 {
                sink.push(b"\n");
            }
            match segment {
                Segment::Gap => sink.push(GAP_LINE.as_bytes()),
                Segment::Lines(lines) => self.write_copied_lines(first, lines, sink),
            }
        }
    }

    /// Writes lines that are neighbours: those of the window from `first` on, and pinned ones
    /// before and after.
    fn write_copied_lines(&self, first: usize, lines: Range<usize>, sink: &mut impl Sink) {
        let end = self.pins.window().end;
        let mut position = lines.start;
        while position < lines.end {
            if position > lines.start {
                sink.push(b"\n");
            }
            if (first..end).contains(&position) {
                let run_end = lines.end.min(end);
                self.lines.write_copied(end - run_end..end - position, sink);
                position = run_end;
                continue;
            }
            if let Some(line) = self.pinned.get(&position) {
                sink.push(&line.bytes);
            }
            position += 1;
        }
    }

    #[cfg(test)]
    pub(crate) fn into_source(self) -> S {
        self.source
    }

    /// The buffer, for use by another transcript.
    pub fn into_buffer(self) -> Vec<u8> {
        self.lines.bytes
    }
}

impl ReadLines {
    /// Reads a message to the end of the buffer. If its line has more than `room` bytes, returns
    /// `None` and leaves the buffer as it was.
    fn read<E>(
        &mut self,
        index: usize,
        message: &dyn Fields<Error = E>,
        room: usize,
    ) -> Result<Option<ReadLine>, E> {
        let start = self.bytes.len();
        let opening = push_before_content(&self.layout.message_line, message, &mut self.bytes)?;
        self.list_names(index, &opening);
        let content = self.bytes.len();
        let mut given_bytes = 0;
        let content_bytes = match room.checked_sub(content - start) {
            None => None,
            Some(left) if content > self.copy_up_to => message.content_bytes(left)?,
            Some(left) => {
                let fits = message.push_content(&mut self.bytes, left)?;
                given_bytes = self.bytes.len() - content;
                if fits {
                    self.look(index, start);
                }
                fits.then(|| self.bytes.len() - content)
            }
        };
        let bytes = content_bytes.map(|content_bytes| content - start + content_bytes);
        // Escaping may have made it longer.
        let Some(bytes) = bytes.filter(|bytes| *bytes <= room) else {
            self.bytes.truncate(start);
            return Ok(None);
        };
        self.ends.push(self.total_bytes() + bytes);
        if let Some(content_bytes) = &mut self.content_bytes {
            content_bytes.push(given_bytes);
        }
        if self.copy_up_to < usize::MAX {
            self.openings.push(start..content);
        }
        Ok(Some(ReadLine { bytes, content_bytes: given_bytes }))
    }

    /// The units of the last line that was read, with a line break; `None` if they are more than
    /// `most`.
    fn measure<E>(
        &mut self,
        line: &ReadLine,
        message: &dyn Fields<Error = E>,
        most: u64,
    ) -> Result<Option<u64>, E> {
        let Some(tokenizer) = self.tokenizer else { return Ok(Some(0)) };
        if let Tokenizer::Function { .. } = tokenizer {
            let counted =
                CountedText { bytes: line.content_bytes, tokens: message.counted_tokens()? };
            return Ok(Some(tokenizer.measure_counted(line.bytes + 1, counted)));
        }
        let start = self.bytes.len() - line.bytes;
        self.bytes.push(b'\n');
        let units = tokenizer.measure_up_to(&String::from_utf8_lossy(&self.bytes[start..]), most);
        self.bytes.pop();
        Ok(units)
    }

    /// Gives up the last line that was read.
    fn pop(&mut self, line: &ReadLine) {
        self.bytes.truncate(self.bytes.len() - line.bytes);
        self.ends.pop();
        self.openings.pop();
        if let Some(content_bytes) = &mut self.content_bytes {
            content_bytes.pop();
        }
    }

    /// Bytes of all lines, whether their contents were copied or not.
    fn total_bytes(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The text of a line, counted from the newest, whose content was copied.
    fn newest_text(&self, newest: usize) -> Cow<'_, str> {
        let start = if newest == 0 { 0 } else { self.ends[newest - 1] };
        String::from_utf8_lossy(&self.bytes[start..self.ends[newest]])
    }

    /// Writes some lines, counted from the newest, whose contents were all copied.
    fn write_copied(&self, lines: Range<usize>, sink: &mut impl Sink) {
        for newest in lines.clone().rev() {
            let start = if newest == 0 { 0 } else { self.ends[newest - 1] };
            sink.push(&self.bytes[start..self.ends[newest]]);
            if newest > lines.start {
                sink.push(b"\n");
            }
        }
    }

    /// Reads a message to a place of its own.
    fn read_apart<E>(
        &mut self,
        index: usize,
        message: &dyn Fields<Error = E>,
    ) -> Result<PinnedLine, E> {
        let start = self.bytes.len();
        let line = self.read(index, message, usize::MAX)?;
        let units = match line {
            Some(line) => self.measure(&line, message, u64::MAX)?.unwrap_or(u64::MAX),
            None => 0,
        };
        self.ends.pop();
        let content_bytes = self.content_bytes.as_mut().and_then(Vec::pop).unwrap_or_default();
        Ok(PinnedLine { bytes: self.bytes.split_off(start), content_bytes, units })
    }

    /// Appends a line that was read before.
    fn push_line(&mut self, line: &PinnedLine) {
        self.bytes.extend_from_slice(&line.bytes);
        self.ends.push(self.total_bytes() + line.bytes.len());
        if self.tokenizer.is_some() {
            self.units.push(line.units);
        }
        if let Some(content_bytes) = &mut self.content_bytes {
            content_bytes.push(line.content_bytes);
        }
    }

    /// Lists names that had line breaks in them.
    fn list_names(&mut self, index: usize, opening: &Opening) {
        let names = [(NameField::From, &opening.broken_from), (NameField::To, &opening.broken_to)];
        for (field, name) in names {
            if let Some(name) = name {
                self.findings.push(Finding::of_name(Part::Context, index, field, name));
            }
        }
    }

    /// Lists, and if asked to, escapes what reads as structure in the line from `start` on.
    fn look(&mut self, index: usize, start: usize) {
        let Some(structure) = &self.structure else { return };
        let item = String::from_utf8_lossy(&self.bytes[start..]);
        let escape = self.markers == Markers::Escape;
        let escaped = if escape { structure.escape(&item) } else { None };
        // Without a line to escape, there is none to list.
        if !escape || escaped.is_some() {
            self.findings.extend(structure.findings(Part::Context, index, &item, escape));
        }
        if let Some(escaped) = escaped {
            self.bytes.truncate(start);
            self.bytes.extend_from_slice(escaped.as_bytes());
        }
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

impl<S: MessageSource, K: Sink> WriteLines<K> for Transcript<S, Copied> {
    fn write_lines(&self, first: usize, sink: &mut K) {
        self.write_copied(first, sink);
    }
}

impl<S: MessageSource, K: ContentSink> WriteLines<K> for Transcript<S, LeftWithOwner> {
    fn write_lines(&self, first: usize, sink: &mut K) {
        let ReadLines { bytes, openings, .. } = &self.lines;
        let kept = self.pins.window().end - first;
        if bytes.len() == self.lines.total_bytes() {
            return self.write_copied(first, sink);
        }
        for newest in (0..kept).rev() {
            sink.push(&bytes[openings[newest].clone()]);
            sink.push_content(newest);
            if newest > 0 {
                sink.push(b"\n");
            }
        }
    }
}

/// A line up to its content.
struct Opening {
    /// Where the sender stands.
    from: Range<usize>,
    /// The sender as it was given, if there was a line break in it.
    broken_from: Option<String>,
    /// The addressee as it was given, if there was a line break in it.
    broken_to: Option<String>,
}

/// Appends the line up to its content, the names without line breaks.
fn push_before_content<E>(
    line: &LineStyle,
    message: &dyn Fields<Error = E>,
    out: &mut Vec<u8>,
) -> Result<Opening, E> {
    out.extend_from_slice(line.open.as_bytes());
    let from_start = out.len();
    message.push_from(out)?;
    let broken_from = replace_line_breaks(out, from_start);
    let from = from_start..out.len();
    out.extend_from_slice(line.arrow.as_deref().unwrap_or_default().as_bytes());
    let to_start = out.len();
    message.push_to(out)?;
    if line.arrow.is_none() {
        // Read all the same, so that every layout accepts the same messages.
        out.truncate(to_start);
    }
    let broken_to = replace_line_breaks(out, to_start);
    if line.arrow.is_some() && out.len() == to_start {
        out.extend_from_slice(EVERYONE.as_bytes());
    }
    out.extend_from_slice(line.colon.as_bytes());
    Ok(Opening { from, broken_from, broken_to })
}
