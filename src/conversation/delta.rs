//! The lines of a delta: what a prompt shows to an agent whose CLI resumes its own session.
//!
//! 1. A delta has some earlier lines, pinned or changed, followed by all lines new to the session.
//!    If there are earlier lines, a note precedes each group.
//! 2. A gap line announces whatever is missing, even before the first line and after the last one,
//!    because it is never sent later.

use super::pins::{Pins, Segment};
use std::ops::Range;

/// What distinguishes the lines of a delta.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Delta {
    /// How many lines are earlier ones.
    earlier: usize,
    /// Whether messages that are not among the lines are missing before the first new line.
    lacks_newer: bool,
}

impl Delta {
    /// How many gap lines replace adjacent lines that are all left out: one each for earlier and
    /// new lines.
    fn gaps_for(self, left_out: Range<usize>) -> usize {
        let are_both = left_out.start < self.earlier && self.earlier < left_out.end;
        usize::from(!left_out.is_empty()) + usize::from(are_both)
    }
}

impl Pins {
    /// The lines of a delta, the first `earlier` of which are older than the end of the session.
    /// `lacks_newer` says that messages are missing before the first of the others.
    pub fn of_delta(
        positions: Vec<usize>,
        lines: usize,
        earlier: usize,
        lacks_newer: bool,
    ) -> Self {
        let delta = Delta { earlier, lacks_newer };
        let mut gaps = Vec::with_capacity(positions.len() + 1);
        let (mut count, mut end) = (0, 0);
        gaps.push(count);
        for position in &positions {
            count += delta.gaps_for(end..*position);
            end = position + 1;
            gaps.push(count);
        }
        Pins { positions, window: 0..lines, gaps, delta: Some(delta), ..Pins::default() }
    }

    /// How many lines follow the note for earlier messages.
    pub fn earlier(&self) -> usize {
        self.delta.map_or(0, |delta| delta.earlier)
    }

    /// Whether a note stands between earlier messages and new ones.
    pub fn has_new_note(&self) -> bool {
        self.delta.is_some_and(|delta| {
            delta.earlier > 0 && (delta.lacks_newer || self.window.end > delta.earlier)
        })
    }

    /// Whether messages are missing after the last line, regardless of what is kept.
    pub fn ends_with_gap(&self) -> bool {
        self.delta.is_some_and(|delta| delta.lacks_newer && self.window.end == delta.earlier)
    }

    /// How many gap lines a delta has if it is kept from `first` on.
    pub(super) fn delta_gaps(&self, delta: Delta, first: usize) -> usize {
        let pinned = self.before(first);
        let end = self.positions[..pinned].last().map_or(0, |last| last + 1);
        let is_next_left_out = delta.earlier < first && !self.contains(delta.earlier);
        self.gaps[pinned]
            + delta.gaps_for(end..first)
            + usize::from(delta.lacks_newer && !is_next_left_out)
    }

    /// What a delta shows if it is kept from `first` on.
    pub(super) fn delta_segments(&self, delta: Delta, first: usize) -> Vec<Segment> {
        let mut segments = Vec::new();
        if delta.earlier > 0 {
            segments.push(Segment::EarlierNote);
            self.push_segments(&mut segments, 0..delta.earlier, first, false);
        }
        if self.has_new_note() {
            segments.push(Segment::NewNote);
        }
        self.push_segments(&mut segments, delta.earlier..self.window.end, first, delta.lacks_newer);
        segments
    }

    fn push_segments(
        &self,
        segments: &mut Vec<Segment>,
        lines: Range<usize>,
        first: usize,
        mut is_gap: bool,
    ) {
        let run = first.clamp(lines.start, lines.end)..lines.end;
        let mut end = lines.start;
        let pinned = self.among(lines.start..run.start).iter().map(|line| *line..line + 1);
        for kept in pinned.chain([run]) {
            if is_gap || kept.start > end {
                segments.push(Segment::Gap);
            }
            is_gap = false;
            end = kept.end;
            if !kept.is_empty() {
                segments.push(Segment::Lines(kept));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The segments as text: kept lines, `…` for a gap, `<` and `>` for the notes.
    fn shown(pins: &Pins, first: usize) -> String {
        let texts = pins.segments(first, 0).map(|segment| match segment {
            Segment::Gap => "…".to_owned(),
            Segment::EarlierNote => "<".to_owned(),
            Segment::NewNote => ">".to_owned(),
            Segment::Lines(lines) => lines.map(|line| line.to_string()).collect(),
        });
        texts.collect()
    }

    #[test]
    fn gaps_are_announced_at_every_position() {
        for (pins, first, expected) in [
            (Pins::of_delta(vec![], 4, 0, false), 0, "0123"),
            (Pins::of_delta(vec![], 4, 0, false), 2, "…23"),
            (Pins::of_delta(vec![], 4, 0, false), 4, "…"),
            (Pins::of_delta(vec![], 0, 0, false), 0, ""),
            (Pins::of_delta(vec![], 0, 0, true), 0, "…"),
            (Pins::of_delta(vec![], 2, 0, true), 0, "…01"),
            (Pins::of_delta(vec![], 2, 0, true), 1, "…1"),
            (Pins::of_delta(vec![1], 4, 0, false), 3, "…1…3"),
            (Pins::of_delta(vec![0, 1], 4, 0, false), 3, "01…3"),
            (Pins::of_delta(vec![0], 2, 0, true), 1, "…01"),
            (Pins::of_delta(vec![0], 1, 1, false), 1, "<0"),
            (Pins::of_delta(vec![0], 1, 1, true), 1, "<0>…"),
            (Pins::of_delta(vec![0, 2], 5, 3, false), 0, "<012>34"),
            (Pins::of_delta(vec![0, 2], 5, 3, false), 2, "<0…2>34"),
            (Pins::of_delta(vec![0, 2], 5, 3, false), 4, "<0…2>…4"),
            (Pins::of_delta(vec![0], 5, 3, true), 4, "<0…>…4"),
            (Pins::of_delta(vec![], 3, 2, false), 3, "<…>…"),
            (Pins::of_delta(vec![], 3, 2, false), 1, "<…1>2"),
        ] {
            assert_eq!(shown(&pins, first), expected);
            assert_eq!(pins.gaps(first), expected.matches('…').count(), "{expected}");
            let kept = expected.chars().filter(char::is_ascii_digit).count();
            assert_eq!(pins.kept(first), kept, "{expected}");
        }
    }
}
