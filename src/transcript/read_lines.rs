//! The lines of messages that were read, in one buffer.

use super::Fields;
use crate::layout::{EVERYONE, LayoutRef, LineStyle};
use crate::model::{Markers, Part};
use crate::render::Sink;
use crate::structure::{Finding, NameField, Structure};
use crate::text::replace_line_breaks;
use crate::tokens::{CountedText, Tokenizer};
use std::borrow::Cow;
use std::ops::Range;

/// A pinned line.
pub(super) struct PinnedLine {
    pub(super) bytes: Vec<u8>,
    /// Bytes of its content as it was given.
    pub(super) content_bytes: usize,
    /// Its units with a line break, if tokens are counted.
    pub(super) units: u64,
}

/// The lines of the messages that were read so far.
pub(super) struct ReadLines {
    pub(super) layout: LayoutRef,
    pub(super) markers: Markers,
    /// Set when lines are looked at: always for escaping, else only for a report.
    pub(super) structure: Option<Structure>,
    /// The lines, newest first, without anything between them.
    pub(super) bytes: Vec<u8>,
    /// Bytes of each line and all newer ones. If all were copied, it is also where they end.
    pub(super) ends: Vec<usize>,
    /// Contents are copied until there are so many bytes, and from then on only measured.
    pub(super) copy_up_to: usize,
    /// Where each line up to its content is, if contents may be only measured.
    pub(super) openings: Vec<Range<usize>>,
    /// Bytes of each content as it was given, newest first, if there is going to be a report.
    pub(super) content_bytes: Option<Vec<usize>>,
    /// What counts tokens, if they are counted.
    pub(super) tokenizer: Option<Tokenizer>,
    /// The units of each line with a line break, newest first, if tokens are counted.
    pub(super) units: Vec<u64>,
    pub(super) findings: Vec<Finding>,
}

/// A line that was read.
pub(super) struct ReadLine {
    pub(super) bytes: usize,
    /// Bytes of its content as it was given.
    pub(super) content_bytes: usize,
}

impl ReadLines {
    /// Reads a message to the end of the buffer. If its line has more than `room` bytes, returns
    /// `None` and leaves the buffer as it was.
    pub(super) fn read<E>(
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
    pub(super) fn measure<E>(
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
    pub(super) fn pop(&mut self, line: &ReadLine) {
        self.bytes.truncate(self.bytes.len() - line.bytes);
        self.ends.pop();
        self.openings.pop();
        if let Some(content_bytes) = &mut self.content_bytes {
            content_bytes.pop();
        }
    }

    /// Bytes of all lines, whether their contents were copied or not.
    pub(super) fn total_bytes(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The text of a line, counted from the newest, whose content was copied.
    pub(super) fn newest_text(&self, newest: usize) -> Cow<'_, str> {
        let start = if newest == 0 { 0 } else { self.ends[newest - 1] };
        String::from_utf8_lossy(&self.bytes[start..self.ends[newest]])
    }

    /// Writes some lines, counted from the newest, whose contents were all copied.
    pub(super) fn write_copied(&self, lines: Range<usize>, sink: &mut impl Sink) {
        for newest in lines.clone().rev() {
            let start = if newest == 0 { 0 } else { self.ends[newest - 1] };
            sink.push(&self.bytes[start..self.ends[newest]]);
            if newest > lines.start {
                sink.push(b"\n");
            }
        }
    }

    /// Reads a message to a place of its own.
    pub(super) fn read_apart<E>(
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
    pub(super) fn push_line(&mut self, line: &PinnedLine) {
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
    pub(super) fn list_names(&mut self, index: usize, opening: &Opening) {
        let names = [(NameField::From, &opening.broken_from), (NameField::To, &opening.broken_to)];
        for (field, name) in names {
            if let Some(name) = name {
                self.findings.push(Finding::of_name(Part::Context, index, field, name));
            }
        }
    }

    /// Lists, and if asked to, escapes what reads as structure in the line from `start` on.
    pub(super) fn look(&mut self, index: usize, start: usize) {
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

/// A line up to its content.
pub(super) struct Opening {
    /// Where the sender stands.
    pub(super) from: Range<usize>,
    /// The sender as it was given, if there was a line break in it.
    pub(super) broken_from: Option<String>,
    /// The addressee as it was given, if there was a line break in it.
    pub(super) broken_to: Option<String>,
}

/// Appends the line up to its content, the names without line breaks.
pub(super) fn push_before_content<E>(
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
