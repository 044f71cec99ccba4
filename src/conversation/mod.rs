//! A conversation as lines of a layout, as budget, report and account see it.
//!
//! 1. The lines of a prompt are a window, whose newest lines are kept as far as there is room, and
//!    pinned lines outside it ([`pins`]).
//! 2. They come from one of two sources: messages that a caller passes (`given`), as far as they
//!    were read, or messages that a manager keeps (`kept`).
//! 3. A line is checked for structure, and escaped if the assembler says so, when it is first
//!    tried: a line that nobody asks for costs nothing.
//! 4. Lines are UTF-8 bytes, not `str`: sources deliver well-formed text, and only token counting
//!    and the structure check look inside it.

mod blocks;
mod chosen;
pub(crate) mod context_tokens;
mod delta;
mod fit;
mod given;
mod given_parts;
mod message;
mod meter;
mod pass;
pub mod pins;
mod results;
mod room;
pub(crate) mod source;
mod unkept;
mod write;

pub use chosen::Chosen;
pub(crate) use chosen::NOT_FOR_RECIPIENT;
pub use fit::WindowRoom;
pub use given::GivenLines;
pub use given_parts::GivenParts;
pub use message::GivenMessage;
pub(crate) use message::sender;
pub use meter::{LineMeter, TokenRoom};
pub use room::Room;
pub(crate) use room::{free_bytes, joined_bytes};
pub use unkept::{KeptMessages, MAX_MEASURED, UnkeptMessage};

use crate::account::{Cause, Ledger};
use crate::arrays::ArrayForm;
use crate::fence::Fence;
use crate::layout::Part;
use crate::layout::{LayoutText, SessionNotes};
use crate::model::{Assembler, Markers};
use crate::structure::{Finding, Structure};
use crate::tokens::Tokenizer;
use crate::visibility::folded;
use pins::{GAP_LINE, Pins, Segment};
pub(crate) use results::ShortLine;
use source::{Backing, LineSource};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

/// A conversation in a layout. Lines are numbered from the oldest.
pub struct Lines<'c> {
    backing: Backing<'c>,
    markers: Markers,
    /// Set in a fenced prompt.
    fence: Option<Rc<Fence>>,
    gap_line: LayoutText,
    /// Set if lines are examined: always for escaping, otherwise only for a report.
    structure: Option<Structure>,
    /// Lines that had to be escaped.
    escaped: BTreeMap<usize, String>,
    /// Lines that read as structure, in examined messages, with whole results.
    findings: Vec<Finding>,
    /// The window was examined from this line on.
    looked_from: usize,
    /// Bytes of the pinned lines with their line breaks, once examined.
    pinned_bytes: Option<usize>,
    /// The tokenizer, if tokens are counted.
    tokenizer: Option<Tokenizer>,
    /// Whether the oldest passed message had too many tokens, so that it is not here.
    are_tokens_full: bool,
    notes: SessionNotes,
    /// Whether the pinned lines were examined.
    are_pins_looked_at: bool,
    /// Whether results are shortened.
    is_short: bool,
    /// Lines whose results are shortened.
    shortened: BTreeMap<usize, ShortLine>,
    /// Results are not shortened below this size.
    tool_output_min_bytes: usize,
    /// Set for an array: lines are blocks.
    array: Option<ArrayForm>,
}

impl<'c> Lines<'c> {
    /// Messages that a caller passes. With `report`, lines that read as structure are listed.
    pub fn given(assembler: &Assembler, mut lines: GivenLines, report: bool) -> Self {
        let member = assembler.array.as_ref().and_then(|array| array.member.as_deref());
        lines.member = member.map(folded);
        Lines::new(assembler, Backing::Given(Box::new(lines)), report)
    }

    /// A manager's messages that one turn sees.
    pub(crate) fn kept(assembler: &Assembler, lines: impl LineSource + 'c, report: bool) -> Self {
        Lines::new(assembler, Backing::Kept(Box::new(lines)), report)
    }

    fn new(assembler: &Assembler, backing: Backing<'c>, report: bool) -> Self {
        let markers = assembler.markers();
        let fence = assembler.fence.clone();
        let look = match markers {
            Markers::Verbatim => report,
            Markers::Escape => true,
            // Only keys are searched for.
            Markers::Fence => false,
        };
        let SessionNotes { earlier, new } = assembler.layout.session_notes.clone();
        let fenced = |line: LayoutText| match &fence {
            Some(fence) if !line.is_empty() => fence.line(&line).into(),
            _ => line,
        };
        let notes = SessionNotes { earlier: fenced(earlier), new: fenced(new) };
        let gap_line = fenced(GAP_LINE.into());
        let mut lines = Lines {
            looked_from: 0,
            backing,
            markers,
            gap_line,
            fence,
            structure: look.then(|| assembler.message_structure()),
            escaped: BTreeMap::new(),
            findings: Vec::new(),
            pinned_bytes: None,
            tokenizer: None,
            are_tokens_full: false,
            notes,
            are_pins_looked_at: false,
            is_short: false,
            shortened: BTreeMap::new(),
            tool_output_min_bytes: assembler.tool_output_min_bytes(),
            array: assembler.array.clone(),
        };
        lines.looked_from = lines.pins().window().end;
        lines
    }

    fn source(&self) -> &dyn LineSource {
        match &self.backing {
            Backing::Given(given) => &**given,
            Backing::Kept(kept) => &**kept,
        }
    }

    /// The lines that a caller passes.
    pub(crate) fn passed(&self) -> Option<&GivenLines> {
        match &self.backing {
            Backing::Given(given) => Some(given),
            Backing::Kept(_) => None,
        }
    }

    /// The lines that a caller passes.
    pub(crate) fn passed_mut(&mut self) -> Option<&mut GivenLines> {
        match &mut self.backing {
            Backing::Given(given) => Some(given),
            Backing::Kept(_) => None,
        }
    }

    /// How many lines there are: the window, and pinned lines outside it.
    pub fn len(&self) -> usize {
        self.source().len()
    }

    /// Whether there are no lines.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which lines are pinned, and which form the window.
    pub fn pins(&self) -> &Pins {
        self.source().pins()
    }

    /// The text of a line that is not a message; `None` for messages, and for a note that the
    /// layout does not have.
    pub fn frame_line(&self, segment: &Segment) -> Option<&str> {
        let line = match segment {
            Segment::Lines(_) => return None,
            Segment::Gap => &*self.gap_line,
            Segment::EarlierNote => &*self.notes.earlier,
            Segment::NewNote => &*self.notes.new,
        };
        (!line.is_empty()).then_some(line)
    }

    /// The session notes among the lines, regardless of what is kept.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        let pins = self.pins();
        let earlier = (pins.earlier() > 0).then_some(&Segment::EarlierNote);
        let new = pins.has_new_note().then_some(&Segment::NewNote);
        earlier.into_iter().chain(new).filter_map(|segment| self.frame_line(segment))
    }

    /// Whether some of the conversation is shown regardless of the budget.
    pub fn has_announcements(&self) -> bool {
        self.pins().gaps(self.pins().window().start) > 0
    }

    /// The line shown where messages are missing between two kept ones.
    pub fn gap_line(&self) -> &str {
        &self.gap_line
    }

    /// Whether no line is escaped or shortened.
    fn are_as_stored(&self) -> bool {
        self.escaped.is_empty() && self.shortened.is_empty()
    }

    /// Whether lines are examined before they are taken.
    fn are_looked_at(&self) -> bool {
        self.structure.is_some() || self.fence.is_some()
    }

    /// How many older messages are not part of these lines and not covered by a summary.
    pub fn outside(&self) -> usize {
        self.source().outside()
    }

    /// The message of a line: its index in the caller's or the manager's list.
    pub fn index(&self, line: usize) -> usize {
        self.source().index(line)
    }

    /// Measures lines in tokens as well from now on.
    pub fn count_with(&mut self, tokenizer: Tokenizer) {
        self.tokenizer = Some(tokenizer);
        self.source().count_with(tokenizer);
    }

    /// The units of a line with a line break. Only for lines that are pinned or fit, and if tokens
    /// are counted.
    pub fn line_units(&self, line: usize) -> u64 {
        self.units_up_to(line, u64::MAX).unwrap_or(u64::MAX)
    }

    /// Like [`Self::line_units`]; `None` if known to exceed `most`.
    fn units_up_to(&self, line: usize, most: u64) -> Option<u64> {
        let Some(tokenizer) = self.tokenizer.filter(|_| !self.is_absent(line)) else {
            return Some(0);
        };
        if self.is_array() {
            return self.units_of_blocks(line, most);
        }
        let count = |most: u64| {
            let text = self.line_text(line) + "\n";
            tokenizer.measure_up_to(&text, most)
        };
        if let Some(short) = self.shortened.get(&line) {
            return Some(self.measure_short(line, short));
        }
        match tokenizer {
            Tokenizer::Function { function, .. } => {
                let counted = self.source().counted(function, line);
                Some(tokenizer.measure_counted(self.line_cost(line), counted))
            }
            // Escaped lines are rare, and may be escaped differently next time.
            _ if self.escaped.contains_key(&line) => count(u64::MAX),
            _ => self.source().units(line, most, &count),
        }
    }

    /// The units of a kept message's content without the rest of its line. Counts the line for
    /// that, because the next turn needs it.
    pub fn content_units(&self, index: usize) -> Option<u64> {
        if self.is_array() {
            return None;
        }
        self.source().content_units(self.tokenizer?, index)
    }

    /// The text of a line. Only for lines that are pinned or fit.
    pub fn line_text(&self, line: usize) -> Cow<'_, str> {
        if let Some(short) = self.shortened.get(&line) {
            return short.text.as_str().into();
        }
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
        self.line_cost(line).saturating_sub(1)
    }

    /// The bytes of a line with a line break; 0 if it is absent. Only for lines that are pinned or
    /// fit.
    pub fn line_cost(&self, line: usize) -> usize {
        match self.shortened.get(&line) {
            Some(short) => short.bytes + 1,
            None => self.whole_line_cost(line),
        }
    }

    /// Like [`Self::line_cost`], with whole results.
    fn whole_line_cost(&self, line: usize) -> usize {
        if let Some(bytes) = self.own_bytes(line) {
            return bytes + 1;
        }
        match self.escaped.get(&line) {
            Some(escaped) => escaped.len() + 1,
            None => self.source().run_cost(line..line + 1),
        }
    }

    /// Whether a message has no line of its own.
    pub fn is_absent(&self, line: usize) -> bool {
        self.source().is_absent(line)
    }

    /// The bytes of the window from line `first` on, including line breaks. Only for lines that
    /// fit.
    pub fn cost_from(&self, first: usize) -> usize {
        let end = self.pins().window().end;
        let run_cost = |run: Range<usize>| match self.are_as_stored() && !self.is_array() {
            true => self.source().run_cost(run),
            false => run.map(|line| self.line_cost(line)).sum::<usize>(),
        };
        self.runs(first..end).map(run_cost).sum()
    }

    /// Groups lines into runs, newest first.
    fn runs(&self, lines: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let mut end = lines.end;
        std::iter::from_fn(move || {
            let run = (end > lines.start).then(|| self.source().run_before(end))?;
            let run = run.start.max(lines.start)..end;
            end = run.start;
            (!run.is_empty()).then_some(run)
        })
    }

    /// Describes a dropped message. Only for reports, and only for what was read.
    pub fn describe(&self, line: usize) -> UnkeptMessage {
        match &self.backing {
            Backing::Given(given) => given.described(line),
            Backing::Kept(kept) if self.is_array() => UnkeptMessage {
                position: line,
                name: kept.name(line),
                line_bytes: self.line_bytes(line),
                content_bytes: kept.given_bytes(line),
                line_units: self.tokenizer.map(|_| self.line_units(line)),
            },
            Backing::Kept(kept) => {
                let text = self.line_text(line);
                // It may have been examined before it turned out not to fit.
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

    /// A dropped line as it would have been escaped.
    fn escape_unkept(&self, text: &str) -> Option<String> {
        if let Some(fence) = &self.fence {
            return fence.break_up_line(0, text).map(|(line, _)| line);
        }
        let structure = self.structure.as_ref().filter(|_| self.markers == Markers::Escape);
        structure?.escape(text)
    }

    /// The account of all messages of the conversation: kept ones, dropped ones, and those left out
    /// before the budget applied. Unread messages have no size.
    pub fn ledger(&self, kept: &KeptMessages) -> Ledger {
        let mut ledger = self.source().ledger(kept);
        if kept.in_layout {
            self.enter_shortened(&mut ledger);
            ledger.take_back(Cause::trimmed(Part::Context), self.blank_bytes(kept.first));
        }
        ledger
    }

    /// Lines that read as structure, in messages that are kept if the window is kept from `first`
    /// on.
    pub fn findings(&self, first: usize) -> impl Iterator<Item = &Finding> {
        let short: BTreeSet<usize> = self.shortened.keys().map(|line| self.index(*line)).collect();
        let in_whole = self.findings.iter().filter(move |found| !short.contains(&found.index));
        let in_short = self.shortened.values().flat_map(|short| &short.findings);
        in_whole.chain(in_short).filter(move |found| self.is_kept(first, found.index))
    }

    /// Whether a message was read and is kept if the window is kept from `first` on.
    fn is_kept(&self, first: usize, index: usize) -> bool {
        let is_pinned = || {
            let index_of = |line: &usize| self.index(*line);
            self.pins().positions().binary_search_by_key(&index, index_of).is_ok()
        };
        first < self.len() && index >= self.index(first) || is_pinned()
    }
}
