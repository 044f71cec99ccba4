//! The conversation as lines of a layout, read from its newest end.
//!
//! 1. [`budget`](crate::budget) asks for one message after another, newest first, and
//!    stops when the budget is full: what it does not ask for is never read.
//! 2. A message is read straight into one buffer, between the texts that its layout
//!    puts around the fields, and is copied once more, when the prompt is written.
//! 3. Lines are UTF-8 bytes, not `str`: a source hands over well-formed text, and
//!    nothing here has to look inside it, except for pretending structure.

use crate::layout::{EVERYONE, Line};
use crate::model::{Assembler, Markers, Part};
use crate::render::Sink;
use crate::structure::{Finding, Structure};
use std::ops::Range;

/// A conversation as the budget sees it, oldest message first.
pub trait Context {
    /// Why a message could not be read.
    type Error;

    /// How many messages there are.
    fn len(&self) -> usize;

    /// Whether there are no messages.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of the line of message `index`, or `None` if they are more than `room`.
    /// Called for the newest message first, then for the one before it, and so on.
    fn measure(&mut self, index: usize, room: usize) -> Result<Option<usize>, Self::Error>;

    /// Writes the measured lines from message `first` to the newest, a line break between two.
    fn write(&self, first: usize, sink: &mut impl Sink);

    /// Sender and line size of a message that was not kept. Only reports ask.
    fn describe(&mut self, index: usize) -> Result<(String, usize), Self::Error>;

    /// How many older messages the conversation has that are not part of this.
    fn outside(&self) -> usize {
        0
    }

    /// Where the message stands in the list that the caller gave.
    fn callers_index(&self, index: usize) -> usize;

    /// What was left out before the budget came into play, a sentence each.
    fn notes(&self) -> &[String];

    /// Lines that read as structure, in messages that were measured.
    fn findings(&self) -> &[Finding];
}

/// Where messages come from, one at a time.
pub trait MessageSource {
    /// Why a message could not be read.
    type Error;

    /// How many messages there are.
    fn len(&self) -> usize;

    /// Whether there are no messages.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where message `index` stands in the list that the caller gave.
    fn callers_index(&self, index: usize) -> usize {
        index
    }

    /// What was left out already, a sentence each.
    fn notes(&self) -> &[String] {
        &[]
    }

    /// Looks message `index` up and lets `read` see its fields.
    fn visit<R>(
        &self,
        index: usize,
        read: impl FnOnce(&dyn Fields<Error = Self::Error>) -> Result<R, Self::Error>,
    ) -> Result<R, Self::Error>;
}

/// The fields of one message.
pub trait Fields {
    /// Why a field could not be read.
    type Error;

    /// Appends the sender.
    fn push_from(&self, out: &mut Vec<u8>) -> Result<(), Self::Error>;

    /// Appends the addressee; nothing if the message does not say.
    fn push_to(&self, out: &mut Vec<u8>) -> Result<(), Self::Error>;

    /// Appends the content and answers true, or answers false if it has more than `room` bytes.
    fn push_content(&self, out: &mut Vec<u8>, room: usize) -> Result<bool, Self::Error>;
}

/// The lines of the messages that were read so far.
pub struct Transcript<'a, S> {
    source: S,
    line: Line,
    markers: Markers,
    /// Set when lines are looked at: always for escaping, else only for a report.
    structure: Option<Structure<'a>>,
    /// The lines, newest first, without anything between them.
    bytes: Vec<u8>,
    /// Where each line ends in `bytes`.
    ends: Vec<usize>,
    findings: Vec<Finding>,
}

impl<'a, S: MessageSource> Transcript<'a, S> {
    /// The conversation of `source` in the assembler's layout. With `watch`, lines that
    /// read as structure are listed.
    pub fn new(assembler: &'a Assembler, source: S, watch: bool) -> Self {
        let line = assembler.layout.message_line;
        let markers = assembler.options.markers;
        let look = watch || markers == Markers::Escape;
        Transcript {
            source,
            line,
            markers,
            structure: look.then(|| assembler.message_structure()),
            bytes: Vec::new(),
            ends: Vec::new(),
            findings: Vec::new(),
        }
    }

    #[cfg(test)]
    pub(crate) fn into_source(self) -> S {
        self.source
    }

    /// Reads message `index` to the end of the buffer. False if it is certain not to fit.
    fn read(&mut self, index: usize, room: usize) -> Result<bool, S::Error> {
        let Transcript { source, line, bytes, .. } = self;
        source.visit(index, |message| {
            let start = bytes.len();
            push_before_content(*line, message, bytes)?;
            let used = bytes.len() - start;
            match room.checked_sub(used) {
                Some(left) => message.push_content(bytes, left),
                None => Ok(false),
            }
        })
    }

    /// Lists, and if asked to, escapes what reads as structure in the line from `start` on.
    fn look(&mut self, index: usize, start: usize) {
        let Some(structure) = &self.structure else { return };
        let item = String::from_utf8_lossy(&self.bytes[start..]);
        let escape = self.markers == Markers::Escape;
        let index = self.source.callers_index(index);
        self.findings.extend(structure.findings(Part::Context, index, &item, escape));
        if escape && let Some(escaped) = structure.escape(&item) {
            self.bytes.truncate(start);
            self.bytes.extend_from_slice(escaped.as_bytes());
        }
    }
}

impl<S: MessageSource> Context for Transcript<'_, S> {
    type Error = S::Error;

    fn len(&self) -> usize {
        self.source.len()
    }

    fn measure(&mut self, index: usize, room: usize) -> Result<Option<usize>, S::Error> {
        let start = self.bytes.len();
        let mut fits = self.read(index, room)?;
        if fits {
            self.look(index, start);
            // Escaping may have made it longer.
            fits = self.bytes.len() - start <= room;
        }
        if !fits {
            self.bytes.truncate(start);
            return Ok(None);
        }
        self.ends.push(self.bytes.len());
        Ok(Some(self.bytes.len() - start))
    }

    fn write(&self, first: usize, sink: &mut impl Sink) {
        let kept = self.len() - first;
        for newest in (0..kept).rev() {
            let start = if newest == 0 { 0 } else { self.ends[newest - 1] };
            sink.push(&self.bytes[start..self.ends[newest]]);
            if newest > 0 {
                sink.push(b"\n");
            }
        }
    }

    fn describe(&mut self, index: usize) -> Result<(String, usize), S::Error> {
        let line = self.line;
        let (from, item) = self.source.visit(index, |message| {
            let mut item = Vec::new();
            let from = push_before_content(line, message, &mut item)?;
            let from = String::from_utf8_lossy(&item[from]).into_owned();
            message.push_content(&mut item, usize::MAX)?;
            Ok((from, item))
        })?;
        let escaped = match (&self.structure, self.markers) {
            (Some(structure), Markers::Escape) => structure.escape(&String::from_utf8_lossy(&item)),
            _ => None,
        };
        Ok((from, escaped.map_or(item.len(), |escaped| escaped.len())))
    }

    fn callers_index(&self, index: usize) -> usize {
        self.source.callers_index(index)
    }

    fn notes(&self) -> &[String] {
        self.source.notes()
    }

    fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// Appends the line up to its content, and answers where in `out` the sender stands.
fn push_before_content<E>(
    line: Line,
    message: &dyn Fields<Error = E>,
    out: &mut Vec<u8>,
) -> Result<Range<usize>, E> {
    out.extend_from_slice(line.open.as_bytes());
    let from_start = out.len();
    message.push_from(out)?;
    let from = from_start..out.len();
    out.extend_from_slice(line.arrow.unwrap_or_default().as_bytes());
    let to_start = out.len();
    message.push_to(out)?;
    if line.arrow.is_none() {
        // Read all the same, so that every layout accepts the same messages.
        out.truncate(to_start);
    } else if out.len() == to_start {
        out.extend_from_slice(EVERYONE.as_bytes());
    }
    out.extend_from_slice(line.colon.as_bytes());
    Ok(from)
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use std::cell::RefCell;

    /// Messages in memory that remember which of them were read.
    #[derive(Default)]
    pub(crate) struct Memory {
        pub messages: Vec<(&'static str, &'static str, &'static str)>,
        pub read: RefCell<Vec<usize>>,
    }

    impl MessageSource for Memory {
        type Error = crate::Error;

        fn len(&self) -> usize {
            self.messages.len()
        }

        fn visit<R>(
            &self,
            index: usize,
            read: impl FnOnce(&dyn Fields<Error = crate::Error>) -> Result<R, crate::Error>,
        ) -> Result<R, crate::Error> {
            self.read.borrow_mut().push(index);
            read(&self.messages[index])
        }
    }

    impl Fields for (&str, &str, &str) {
        type Error = crate::Error;

        fn push_from(&self, out: &mut Vec<u8>) -> Result<(), crate::Error> {
            out.extend_from_slice(self.0.as_bytes());
            Ok(())
        }

        fn push_to(&self, out: &mut Vec<u8>) -> Result<(), crate::Error> {
            out.extend_from_slice(self.1.as_bytes());
            Ok(())
        }

        fn push_content(&self, out: &mut Vec<u8>, room: usize) -> Result<bool, crate::Error> {
            if self.2.len() > room {
                return Ok(false);
            }
            out.extend_from_slice(self.2.as_bytes());
            Ok(true)
        }
    }
}
