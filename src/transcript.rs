//! The conversation as lines of a layout, read from its newest end.
//!
//! 1. [`budget`](crate::budget) asks for one message after another, newest first, and
//!    stops when the budget is full: what it does not ask for is never read.
//! 2. A message is read straight into one buffer, between the texts that its layout
//!    puts around the fields, and is copied once more, when the prompt is written.
//! 3. If the owner of the messages joins the prompt itself, contents need not be copied:
//!    beyond a size that the owner chooses, they are only measured.
//! 4. Lines are UTF-8 bytes, not `str`: a source delivers well-formed text, and only the
//!    search for imitated structure looks inside it.

use crate::account::{Cause, Ledger, MessageName, Reason};
use crate::layout::{EVERYONE, LayoutRef, LineStyle};
use crate::model::{Assembler, Markers, Part};
use crate::render::{ContentSink, Sink};
use crate::structure::{Finding, NameField, Structure};
use crate::text::replace_line_breaks;
use crate::visibility::AddressedTo;
use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};

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

    /// How many of the newest lines fit into `room` bytes, with a line break between two.
    /// Nothing older than the first one that does not fit is looked at.
    fn fit_newest(&mut self, room: usize) -> Result<usize, Self::Error>;

    /// The bytes of the lines from message `first` to the newest, with the line breaks. Only
    /// for lines that fit.
    fn bytes_from(&self, first: usize) -> usize;

    /// Reads a message that was not kept. Only reports ask.
    fn describe(&self, index: usize) -> Result<UnkeptMessage, Self::Error>;

    /// Enters all messages of the conversation into the account: those that are kept, those that
    /// are not, and those that were left out before the budget came into play. Only reads
    /// messages if `kept` says so; what was not read has no size then.
    fn enter(&self, ledger: &mut Ledger, kept: &KeptMessages) -> Result<(), Self::Error>;

    /// How many older messages the conversation has that are not part of this.
    fn outside(&self) -> usize {
        0
    }

    /// Where the message stands in the list that the caller gave.
    fn callers_index(&self, index: usize) -> usize;

    /// Lines that read as structure, in messages that were measured.
    fn findings(&self) -> &[Finding];
}

/// A report measures at most so many messages that are not listed. Nobody has as many, but an
/// object can pretend to.
pub const MAX_MEASURED: usize = 1_000_000;

/// What is kept of a conversation, for the account.
#[derive(Debug)]
pub struct KeptMessages<'k> {
    /// The oldest message that is kept.
    pub first: usize,
    /// The oldest message for which there was room.
    pub first_fitting: usize,
    /// Whether the layout has a place for the conversation.
    pub in_layout: bool,
    /// The newest messages that are not kept, newest first.
    pub described: &'k [UnkeptMessage],
    /// Whether messages may be read that are not described.
    pub read: bool,
}

impl KeptMessages<'_> {
    /// Why a message is not kept.
    pub fn cause(&self, index: usize) -> Cause {
        let reason = match index < self.first_fitting {
            _ if !self.in_layout => Reason::Layout,
            true => Reason::Budget,
            false => Reason::Step,
        };
        Cause::dropped(Part::Context, reason)
    }
}

/// A message that was not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnkeptMessage {
    /// Which one it is.
    pub name: MessageName,
    /// The size of its line.
    pub line_bytes: usize,
    /// The size of its content.
    pub content_bytes: usize,
}

/// A conversation that can be written to a sink of type `K`. A conversation whose contents
/// stayed with their owner can only be written to the owner's sink; any other does not compile.
pub trait WriteLines<K>: Context {
    /// Writes the measured lines from message `first` to the newest, a line break between two.
    fn write_lines(&self, first: usize, sink: &mut K);
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

    /// Enters the messages that the caller gave and that are not among these into the account.
    /// Without `read`, only their number.
    fn enter_others(&self, _ledger: &mut Ledger, _read: bool) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Lets `read` see the fields of each of these messages, newest first, until it breaks.
    fn visit_newest(
        &self,
        messages: Range<usize>,
        read: &mut Visitor<Self::Error>,
    ) -> Result<(), Self::Error>;

    /// Lets `read` see the fields of one message.
    fn visit<R>(
        &self,
        index: usize,
        mut read: impl FnMut(&dyn Fields<Error = Self::Error>) -> Result<R, Self::Error>,
    ) -> Result<Option<R>, Self::Error> {
        let mut result = None;
        self.visit_newest(index..index + 1, &mut |_, message| {
            result = Some(read(message)?);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(result)
    }
}

/// Called with each message and its index.
pub type Visitor<'v, E> =
    dyn FnMut(usize, &dyn Fields<Error = E>) -> Result<ControlFlow<()>, E> + 'v;

/// The fields of one message.
pub trait Fields {
    /// Why a field could not be read.
    type Error;

    /// Appends the sender.
    fn push_from(&self, out: &mut Vec<u8>) -> Result<(), Self::Error>;

    /// Appends the addressee, or several with `, ` between them; nothing if the message does not
    /// say.
    fn push_to(&self, out: &mut Vec<u8>) -> Result<(), Self::Error>;

    /// Whom it is for, as the rule of visibility reads it.
    fn addressed_to(&self) -> Result<AddressedTo, Self::Error> {
        let mut to = Vec::new();
        self.push_to(&mut to)?;
        Ok(AddressedTo::Text(String::from_utf8_lossy(&to).into_owned()))
    }

    /// Appends the content and returns true, or returns false if it has more than `room` bytes.
    fn push_content(&self, out: &mut Vec<u8>, room: usize) -> Result<bool, Self::Error>;

    /// How many bytes the content has; `None` if more than `room`.
    fn content_bytes(&self, room: usize) -> Result<Option<usize>, Self::Error> {
        let mut content = Vec::new();
        Ok(self.push_content(&mut content, room)?.then_some(content.len()))
    }
}

/// Every content is copied into the transcript.
pub struct Copied;

/// Contents may stay with the owner of the messages.
pub struct LeftWithOwner;

/// A conversation in a layout, as far as it has been read. `Contents` is [`Copied`] or
/// [`LeftWithOwner`].
pub struct Transcript<S, Contents = Copied> {
    source: S,
    lines: ReadLines,
    contents: PhantomData<Contents>,
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
    findings: Vec<Finding>,
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
            findings: Vec::new(),
        };
        Transcript { source, lines, contents: PhantomData }
    }

    /// Contents beyond so many bytes stay with their owner, unless lines are searched for
    /// imitated structure.
    pub fn copying_up_to(mut self, bytes: usize) -> Transcript<S, LeftWithOwner> {
        if self.lines.structure.is_none() {
            self.lines.copy_up_to = bytes;
        }
        Transcript { source: self.source, lines: self.lines, contents: PhantomData }
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

impl ReadLines {
    /// Reads a message to the end of the buffer, and returns the size of its line. If it has
    /// more than `room` bytes, returns `None` and leaves the buffer as it was.
    fn read<E>(
        &mut self,
        index: usize,
        message: &dyn Fields<Error = E>,
        room: usize,
    ) -> Result<Option<usize>, E> {
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
        Ok(Some(bytes))
    }

    /// Bytes of all lines, whether their contents were copied or not.
    fn total_bytes(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Writes the newest `kept` lines, whose contents were all copied.
    fn write_copied(&self, kept: usize, sink: &mut impl Sink) {
        for newest in (0..kept).rev() {
            let start = if newest == 0 { 0 } else { self.ends[newest - 1] };
            sink.push(&self.bytes[start..self.ends[newest]]);
            if newest > 0 {
                sink.push(b"\n");
            }
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

    fn fit_newest(&mut self, room: usize) -> Result<usize, S::Error> {
        let Transcript { source, lines, .. } = self;
        let mut room = Some(room);
        source.visit_newest(0..source.len(), &mut |index, message| {
            let Some(left) = room else { return Ok(ControlFlow::Break(())) };
            let Some(bytes) = lines.read(source.callers_index(index), message, left)? else {
                return Ok(ControlFlow::Break(()));
            };
            // The next one is joined by a line break.
            room = (left - bytes).checked_sub(1);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(lines.ends.len())
    }

    fn bytes_from(&self, first: usize) -> usize {
        match self.len() - first {
            0 => 0,
            kept => self.lines.ends[kept - 1] + kept - 1,
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
        let index = Some(self.source.callers_index(index));
        Ok(UnkeptMessage {
            name: MessageName { id: None, index, from: Some(from) },
            line_bytes: escaped.map_or(item.len(), |escaped| escaped.len()),
            content_bytes,
        })
    }

    fn enter(&self, ledger: &mut Ledger, kept: &KeptMessages) -> Result<(), S::Error> {
        let sizes = self.lines.content_bytes.as_deref().unwrap_or_default();
        sizes.iter().take(self.len() - kept.first).for_each(|bytes| ledger.send(*bytes));
        let mut rest = kept.first;
        for message in kept.described {
            rest -= 1;
            let name = || message.name.clone();
            ledger.leave_out_message(kept.cause(rest), message.content_bytes, name);
        }
        let unread = if kept.read { rest.saturating_sub(MAX_MEASURED) } else { rest };
        self.source.visit_newest(unread..rest, &mut |index, message| {
            let bytes = message.content_bytes(usize::MAX)?.unwrap_or_default();
            ledger.leave_out_messages(kept.cause(index), 1, bytes);
            Ok(ControlFlow::Continue(()))
        })?;
        let without_room = unread.min(kept.first_fitting);
        ledger.leave_out_unread(kept.cause(0), without_room);
        ledger.leave_out_unread(kept.cause(without_room), unread - without_room);
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
        self.lines.write_copied(self.len() - first, sink);
    }
}

impl<S: MessageSource, K: ContentSink> WriteLines<K> for Transcript<S, LeftWithOwner> {
    fn write_lines(&self, first: usize, sink: &mut K) {
        let ReadLines { bytes, openings, .. } = &self.lines;
        let kept = self.len() - first;
        if bytes.len() == self.lines.total_bytes() {
            return self.lines.write_copied(kept, sink);
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

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use std::cell::RefCell;

    /// Messages in memory that remember which of them were read.
    #[derive(Default)]
    pub(crate) struct InMemoryMessages {
        pub messages: Vec<(&'static str, &'static str, &'static str)>,
        pub read: RefCell<Vec<usize>>,
    }

    impl MessageSource for InMemoryMessages {
        type Error = crate::Error;

        fn len(&self) -> usize {
            self.messages.len()
        }

        fn visit_newest(
            &self,
            messages: Range<usize>,
            read: &mut Visitor<crate::Error>,
        ) -> Result<(), crate::Error> {
            for index in messages.rev() {
                self.read.borrow_mut().push(index);
                if read(index, &self.messages[index])?.is_break() {
                    break;
                }
            }
            Ok(())
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
