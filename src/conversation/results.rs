//! Tool results that are shortened when there is no room for them in full.
//!
//! 1. Before a message is dropped, results are shortened, oldest first, to head, omission line and
//!    tail, but not below the assembler's least size.
//! 2. Which messages are kept is decided with every result at its shortest. The remaining room goes
//!    to the results, newest first, so a larger budget never shows less.
//! 3. The given text is what is cut. A cut can make a line begin elsewhere, so the shortened line
//!    is checked for structure.
//! 4. A shortened line belongs to one plan: the next plan begins with whole results.

use super::Lines;
use crate::account::Ledger;
use crate::parts::{MessagePart, PartKind, lay_out_texts};
use crate::structure::Finding;
use crate::text::{EndBytes, HeadTail, head_tail, least_cut};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;

/// A line whose results are shortened.
pub(crate) struct ShortLine {
    /// The line as shown, unless it is the member's own in an array.
    pub(super) text: String,
    /// Its size.
    pub(super) bytes: usize,
    /// Lines in it that read as structure.
    pub(super) findings: Vec<Finding>,
    /// What is left of the shortened results, by position among the line's parts.
    results: BTreeMap<usize, ShortResult>,
    /// Its units with a line break, once counted.
    pub(super) units: Cell<Option<u64>>,
}

struct ShortResult {
    text: String,
    left: EndBytes,
}

impl ShortResult {
    fn of(cut: &HeadTail) -> Self {
        ShortResult { text: cut.parts().concat(), left: cut.end_bytes() }
    }
}

/// The search for the size of a cut stops at this precision.
const CLOSE_BYTES: usize = 4;

impl Lines<'_> {
    /// Whether there are results left to shorten.
    pub(crate) fn may_shorten(&self) -> bool {
        !self.is_short && self.source().longest_result() > self.tool_output_min_bytes
    }

    /// Shows all results whole.
    pub(crate) fn restore_results(&mut self) {
        if std::mem::take(&mut self.is_short) {
            self.shortened.clear();
            self.pinned_bytes = None;
        }
    }

    /// From now on, takes lines with their results at their shortest.
    pub(crate) fn shorten_results(&mut self) {
        self.is_short = true;
        self.pinned_bytes = None;
        self.look_at_pins();
        for nth in 0..self.pins().positions().len() {
            self.shorten_to_least(self.pins().positions()[nth]);
        }
    }

    /// Shortens the results of a line to their shortest, if that saves anything.
    pub(super) fn shorten_to_least(&mut self, line: usize) {
        let may_be_long = self.source().longest_result() > self.tool_output_min_bytes;
        if !may_be_long || self.shortened.contains_key(&line) {
            return;
        }
        let Some(short) = self.short_line(line, 0) else { return };
        if short.bytes >= self.line_bytes(line) {
            return;
        }
        if self.tokenizer.is_some() {
            let whole = |most| self.units_up_to(line, most);
            let units = self.measure_short(line, &short);
            if whole(units).is_some_and(|whole| whole < units) {
                return;
            }
        }
        self.shortened.insert(line, short);
    }

    /// A line whose results are at their shortest, apart from `more` bytes for the newest of them;
    /// `None` if none of them can be shortened.
    fn short_line(&self, line: usize, more: usize) -> Option<ShortLine> {
        let parts = self.source().shown_parts(line)?;
        let mut results = BTreeMap::new();
        let mut left = more;
        for (nth, part) in parts.iter().enumerate().rev() {
            if part.kind != PartKind::Result {
                continue;
            }
            let (text, min_bytes) = (part.text.as_str(), self.tool_output_min_bytes);
            let Some(least) = least_cut(text, text, text.len(), min_bytes) else { continue };
            let missing = text.len() - least.bytes();
            if let Some(rest) = left.checked_sub(missing) {
                left = rest;
                continue;
            }
            let limit = least.bytes() + std::mem::take(&mut left);
            let cut = least.or_more(limit, |limit| head_tail(text, limit)).unwrap_or(least);
            results.insert(nth, ShortResult::of(&cut));
        }
        if results.is_empty() {
            return None;
        }
        let texts = parts.iter().enumerate().map(|(nth, part)| {
            (part, results.get(&nth).map_or(part.text.as_str(), |short| &short.text))
        });
        let item = self.source().opening(line) + &lay_out_texts(texts, self.source().tools());
        let (looked, findings) = self.looked_at(line, &item);
        let text = looked.unwrap_or(item);
        let (bytes, units) = match self.is_array() {
            true => self.size_of_short(line, &with_results(parts, &results), &text),
            false => (text.len(), None),
        };
        Some(ShortLine { text, bytes, findings, results, units: Cell::new(units) })
    }

    /// The units of a shortened line with a line break.
    pub(super) fn measure_short(&self, line: usize, short: &ShortLine) -> u64 {
        let units = short.units.get().unwrap_or_else(|| self.measure_told(line, &short.text));
        short.units.set(self.tokenizer.map(|_| units));
        units
    }

    /// The units of a line with this text in a prompt, including a line break.
    fn measure_told(&self, line: usize, text: &str) -> u64 {
        let Some(tokenizer) = self.tokenizer else { return 0 };
        match tokenizer.function() {
            Some(function) => {
                let counted = self.source().counted(function, line);
                tokenizer.measure_counted(text.len() + 1, counted)
            }
            None => tokenizer.measure(&[text, "\n"].concat()),
        }
    }

    /// The lines with shortened results that are kept if the window is kept from `first` on, newest
    /// first. Restores the results of all other lines.
    pub(crate) fn short_lines(&mut self, first: usize) -> Vec<usize> {
        let mut short = std::mem::take(&mut self.shortened);
        let window_end = self.pins().window().end;
        let pins = self.pins();
        short.retain(|line, _| (first..window_end).contains(line) || pins.contains(*line));
        let lines = short.keys().rev().copied().collect();
        self.shortened = short;
        self.pinned_bytes = None;
        lines
    }

    /// How many more bytes and units a line has with whole results.
    pub(crate) fn missing_in(&mut self, line: usize) -> (usize, u64) {
        let Some(short) = self.shortened.remove(&line) else { return (0, 0) };
        let bytes = self.line_bytes(line).saturating_sub(short.bytes);
        let units = match self.tokenizer {
            Some(_) => self.line_units(line).saturating_sub(self.measure_short(line, &short)),
            None => 0,
        };
        self.shortened.insert(line, short);
        (bytes, units)
    }

    /// Shows the results of a line whole. [`Lines::put_short`] undoes that.
    pub(crate) fn take_short(&mut self, line: usize) -> Option<ShortLine> {
        self.shortened.remove(&line)
    }

    /// Shows a line with shortened results again.
    pub(crate) fn put_short(&mut self, line: usize, short: ShortLine) {
        self.shortened.insert(line, short);
    }

    /// Extends the results of a shortened line by as much of these bytes and units as they can use.
    /// Returns the line as it was before.
    pub(crate) fn lengthen(&mut self, line: usize, bytes: usize, units: u64) -> Option<ShortLine> {
        let least = self.shortened.remove(&line)?;
        let most_bytes = least.bytes + bytes;
        let most_units = self.measure_short(line, &least).saturating_add(units);
        let fits = |short: &ShortLine| {
            short.bytes <= most_bytes && self.measure_short(line, short) <= most_units
        };
        let (mut fitting, mut too_many) = (0, bytes + 1);
        let mut longest = None;
        // Apart from escapes and tokens, using all the room fits.
        let mut tried = bytes;
        while too_many - fitting > CLOSE_BYTES && tried > 0 {
            match self.short_line(line, tried).filter(|short| fits(short)) {
                Some(short) => {
                    longest = Some(short);
                    fitting = tried;
                }
                None => too_many = tried,
            }
            if tried == bytes && fitting == bytes {
                break;
            }
            tried = fitting + (too_many - fitting) / 2;
        }
        match longest {
            Some(longest) => {
                self.shortened.insert(line, longest);
                Some(least)
            }
            None => {
                self.shortened.insert(line, least);
                None
            }
        }
    }

    /// How many more bytes the plan's lines would have with whole results.
    pub(crate) fn saved_bytes(&self) -> usize {
        let saved = |(line, short): (&usize, &ShortLine)| {
            self.whole_line_cost(*line).saturating_sub(short.bytes + 1)
        };
        self.shortened.iter().map(saved).sum()
    }

    /// The lines with shortened results, and their bytes.
    pub(crate) fn short_line_bytes(&self) -> impl Iterator<Item = (usize, usize)> {
        self.shortened.iter().map(|(line, short)| (*line, short.bytes))
    }

    /// The parts of a kept line as the prompt shows them, each result after its call and possibly
    /// shortened; `None` if the message has a content instead.
    pub fn shown_parts(&self, line: usize) -> Option<Cow<'_, [MessagePart]>> {
        let parts = self.source().shown_parts(line)?;
        let Some(short) = self.shortened.get(&line) else { return Some(parts.into()) };
        Some(with_results(parts, &short.results).into())
    }

    /// Enters what was cut from shortened results.
    pub(super) fn enter_shortened(&self, ledger: &mut Ledger) {
        for (line, short) in self.shortened.iter().rev() {
            let Some(parts) = self.source().shown_parts(*line) else { continue };
            let omitted = |(nth, result): (&usize, &ShortResult)| {
                parts.get(*nth).map_or(0, |part| part.omitted_bytes(result.left))
            };
            let bytes: usize = short.results.iter().map(omitted).sum();
            ledger.cut_results(bytes, || self.source().name(*line));
        }
    }
}

/// Parts with shortened results.
fn with_results(parts: &[MessagePart], results: &BTreeMap<usize, ShortResult>) -> Vec<MessagePart> {
    let shown = parts.iter().enumerate().map(|(nth, part)| match results.get(&nth) {
        Some(result) => MessagePart { text: result.text.clone(), ..part.clone() },
        None => part.clone(),
    });
    shown.collect()
}
