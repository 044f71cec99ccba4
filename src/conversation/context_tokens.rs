//! The tokens of the kept lines of a conversation, with what surrounds them.

use super::pins::Segment;
use super::{LineMeter, Lines, TokenRoom};
use crate::tokens::Tokenizer;

/// The units of a prompt with the pinned lines of a conversation and some others.
///
/// Where lines begin so that their joints are exact, the units of lines are added. Otherwise
/// everything kept is counted again for each number of lines tried.
pub(crate) struct PinnedUnits {
    pub room: TokenRoom,
    /// The units of the kept lines with their line breaks, and of the text around them.
    units: u64,
    gap_units: u64,
    /// How many units the last line saves because no line break follows it.
    saved_at_the_end: i128,
}

impl PinnedUnits {
    /// Starts with the pinned lines alone, which must be read.
    pub fn new(lines: &Lines, room: TokenRoom) -> Self {
        let tokenizer = room.tokenizer;
        let pinned = lines.pins().positions().iter().map(|position| lines.line_units(*position));
        let notes = lines.notes().map(|note| lines.frame_units(tokenizer, note));
        let around = room.before_units.saturating_add(room.after.units());
        PinnedUnits {
            units: pinned.chain(notes).fold(around, u64::saturating_add),
            gap_units: lines.frame_units(tokenizer, lines.gap_line()),
            // Known once the newest line is read.
            saved_at_the_end: 0,
            room,
        }
    }

    /// A meter for the lines that are not pinned. It takes a few too many, because a joint can save
    /// tokens. If not even the pinned lines fit, it takes lines that may need less than the gap
    /// lines that they replace.
    pub fn meter_of_others(&self, lines: &Lines) -> LineMeter {
        let gaps = lines.pins().gaps(lines.pins().window().end) as u64;
        let only_pinned = self.units.saturating_add(gaps.saturating_mul(self.gap_units));
        let most = self.room.most.max(only_pinned).saturating_sub(self.units);
        let few = self.room.tokenizer.units_within(64);
        LineMeter::adding(self.room.tokenizer, most.saturating_add(few))
    }

    /// Adds all lines of the window from `first` on.
    pub fn with_lines(mut self, lines: &Lines, first: usize) -> Self {
        let window = first..lines.pins().window().end;
        let free = window.clone().filter(|position| !lines.pins().contains(*position));
        let units = free.map(|position| lines.line_units(position));
        self.units = units.fold(self.units, u64::saturating_add);
        if self.room.is_added {
            return self;
        }
        let pinned = lines.pins().positions().iter().copied();
        // A layout may leave the beginning of lines open, as plain text does: then senders begin
        // them, mostly cleanly.
        self.room.is_clean = self.room.is_clean
            || pinned.chain(window.clone()).filter(|line| !lines.is_absent(*line)).all(
                |position| {
                    let text = lines.line_text(position);
                    !text.is_empty() && self.room.tokenizer.joint_is_exact("\n", &text)
                },
            );
        // Notes are lines of a layout, too. What follows a final gap line is not joined to a line.
        self.room.is_clean = self.room.is_clean
            && !lines.pins().ends_with_gap()
            && lines.notes().all(|note| self.room.tokenizer.joint_is_exact("\n", note));
        let is_shown = |line: &usize| !lines.is_absent(*line);
        let last_pinned = lines.pins().positions().iter().rev().copied().find(is_shown);
        let newest = last_pinned.max(window.rev().find(is_shown));
        if let Some(newest) = newest {
            let text = lines.line_text(newest);
            let with_break = lines.line_units(newest);
            let without = self.room.tokenizer.without_line_break(&text, with_break);
            let joined = i128::from(self.room.after.units_behind(&text, without));
            let added = i128::from(self.room.after.units()) + i128::from(with_break);
            self.saved_at_the_end = added - joined;
        }
        self
    }

    /// Removes a line of this many units.
    pub fn drop_line(&mut self, units: u64) {
        self.units = self.units.saturating_sub(units);
    }

    /// The units of the prompt if the window is kept from `first` on.
    pub fn prompt_units(&self, lines: &Lines, first: usize) -> u64 {
        // What the last line saves is known for the newest one.
        if !self.room.is_clean || first == lines.pins().window().end {
            return context_units(lines, first, &self.room);
        }
        let gaps = (lines.pins().gaps(first) as u64).saturating_mul(self.gap_units);
        let units = i128::from(self.units.saturating_add(gaps)) - self.saved_at_the_end;
        u64::try_from(units).unwrap_or(0)
    }
}

/// Recounts the units of a prompt if the window is kept from `first` on.
pub(crate) fn context_units(lines: &Lines, first: usize, room: &TokenRoom) -> u64 {
    let TokenRoom { tokenizer, before, before_units, after, .. } = room;
    let added = added_units(lines, first, *tokenizer);
    if room.is_added {
        return added.unwrap_or(0).saturating_add(*before_units);
    }
    let text = shown_text(lines, first);
    let mut joined = after.clone();
    joined.prepend(&text, added.unwrap_or_else(|| tokenizer.measure(&text)));
    joined.units_behind(before, *before_units)
}

/// The sum of the units of the lines, where that is the count: because a caller-supplied function
/// counted the messages, or because each line is a separate text. `None` for lines counted as one
/// text, and if nothing is shown.
pub(crate) fn added_units(lines: &Lines, first: usize, tokenizer: Tokenizer) -> Option<u64> {
    if tokenizer.function().is_none() && !lines.is_array() {
        return None;
    }
    let gap_units = lines.frame_units(tokenizer, lines.gap_line());
    let units_of = |segment: Segment| match segment {
        Segment::Gap => gap_units,
        Segment::Lines(run) => {
            run.map(|position| lines.line_units(position)).fold(0, u64::saturating_add)
        }
        note => {
            let line = lines.frame_line(&note);
            line.map_or(0, |line| lines.frame_units(tokenizer, line))
        }
    };
    let units = lines.pins().segments(first, 0).map(units_of).reduce(u64::saturating_add)?;
    let last_break = if lines.is_array() { 0 } else { tokenizer.measure("\n") };
    Some(units.saturating_sub(last_break))
}

/// What a conversation shows if the window is kept from `first` on.
pub(crate) fn shown_text(lines: &Lines, first: usize) -> String {
    let mut text = String::new();
    for segment in lines.pins().segments(first, 0) {
        if let Some(line) = lines.frame_line(&segment) {
            text.push_str(line);
            text.push('\n');
        }
        let Segment::Lines(run) = segment else { continue };
        for position in run.filter(|position| !lines.is_absent(*position)) {
            text.push_str(&lines.line_text(position));
            text.push('\n');
        }
    }
    text.pop();
    text
}
