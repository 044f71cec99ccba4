//! Which lines fit into the available room.

use super::{LineMeter, Lines};
use crate::layout::Part;
use crate::model::Markers;
use crate::parts::unpaired;
use crate::structure::Finding;
use std::ops::Range;

/// What is left for the window of a conversation.
pub struct WindowRoom {
    /// Bytes for more lines, each with a line break.
    pub bytes: usize,
    /// Room in tokens, if they are counted.
    pub meter: Option<LineMeter>,
}

impl Lines<'_> {
    /// Examines the pinned lines and returns their bytes, including line breaks.
    pub fn pinned_bytes(&mut self) -> usize {
        if let Some(bytes) = self.pinned_bytes {
            return bytes;
        }
        let count = self.pins().positions().len();
        let joined = self.pinned_together(count).filter(|pinned| pinned.are_all);
        let bytes = match joined.map(|pinned| pinned.line_bytes) {
            Some(bytes) => bytes,
            None => {
                self.look_at_pins();
                let lines = self.pins().positions().iter();
                lines.map(|line| self.line_cost(*line)).sum()
            }
        };
        self.pinned_bytes = Some(bytes);
        bytes
    }

    /// Examines the pinned lines, once.
    pub(super) fn look_at_pins(&mut self) {
        if !std::mem::replace(&mut self.are_pins_looked_at, true) {
            let count = self.pins().positions().len();
            (0..count).for_each(|nth| self.look(self.pins().positions()[nth]));
        }
    }

    /// The first line of the window such that all lines from it on fit. Pinned lines take no room.
    /// Nothing older than the first line that does not fit is examined.
    pub fn first_that_fits(&mut self, room: &mut WindowRoom) -> usize {
        let window = self.pins().window();
        let mut first = window.end;
        if room.bytes == 0 {
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
                if let Some(meter) = &mut room.meter {
                    meter.is_full |= self.are_tokens_full;
                }
                break;
            }
        }
        first
    }

    /// The first line of a run such that the lines from it on fit.
    fn first_of_run(&mut self, run: Range<usize>, room: &mut WindowRoom) -> usize {
        let is_each_tried =
            self.is_short || self.are_looked_at() || room.meter.is_some() || self.is_array();
        if is_each_tried || !self.source().knows_sums() {
            let mut first = run.end;
            while first > run.start && self.take(first - 1, room) {
                first -= 1;
            }
            return first;
        }
        let left = room.bytes;
        let cost_from = |first: usize| self.source().run_cost(first..run.end);
        let (mut too_many, mut first) = (run.start, run.end);
        if run.is_empty() || cost_from(run.start) <= left {
            first = run.start;
        }
        while first - too_many > 1 {
            let middle = too_many + (first - too_many) / 2;
            if cost_from(middle) <= left { first = middle } else { too_many = middle }
        }
        if first < run.end {
            room.bytes = left - cost_from(first);
        }
        first
    }

    /// Takes the next older line if there is room for it.
    pub(super) fn take(&mut self, line: usize, room: &mut WindowRoom) -> bool {
        if line < self.looked_from && self.are_looked_at() {
            self.look(line);
            self.looked_from = line;
        }
        if self.is_short {
            self.shorten_to_least(line);
        }
        let cost = self.line_cost(line);
        if cost > room.bytes {
            return false;
        }
        if self.is_absent(line) {
            if let Some(meter) = &mut room.meter {
                meter.take_absent();
            }
        } else if let Some(meter) = &mut room.meter {
            // A joint can save a few tokens, so the meter decides close cases.
            let close = meter.tokenizer().units_within(64);
            let units = self.units_up_to(line, meter.room().saturating_add(close));
            if !meter.take(units, || self.line_text(line)) {
                return false;
            }
        }
        room.bytes -= cost;
        true
    }

    /// Lists what reads as structure in a line, and escapes it if asked to.
    pub(super) fn look(&mut self, line: usize) {
        if !self.are_looked_at() {
            return;
        }
        let (escaped, mut findings) = self.looked_at(line, &self.line_text(line));
        self.findings.append(&mut findings);
        if let Some(escaped) = escaped {
            self.escaped.insert(line, escaped);
        }
    }

    /// The escaped line, if it needs escaping, and what reads as structure in it.
    pub(super) fn looked_at(&self, line: usize, item: &str) -> (Option<String>, Vec<Finding>) {
        let source = self.source();
        let index = source.index(line);
        let mut findings = Vec::new();
        if !self.are_looked_at() {
            return (None, findings);
        }
        let names = source.broken_names(line).into_iter();
        findings.extend(
            names.map(|(field, name)| Finding::of_name(Part::Context, index, field, &name)),
        );
        let unpaired = unpaired(source.shown_parts(line).unwrap_or_default()).into_iter();
        findings.extend(unpaired.map(|part| Finding::of_part(Part::Context, index, part)));
        if self.own_blocks(line).is_some() {
            // Nothing in it can read as somebody else's line.
            return (None, findings);
        }
        let mut broken = None;
        if let Some((line, keys)) =
            self.fence.as_ref().and_then(|fence| fence.break_up_line(index, item))
        {
            findings.extend(keys);
            broken = Some(line);
        }
        let Some(structure) = &self.structure else { return (broken, findings) };
        let item = broken.as_deref().unwrap_or(item);
        let escape = self.markers == Markers::Escape;
        let escaped = if escape { structure.escape(item) } else { None };
        // If no line was escaped, there is none to list.
        if !escape || escaped.is_some() {
            findings.extend(structure.findings(Part::Context, index, item, escape));
        }
        (escaped.or(broken), findings)
    }
}
