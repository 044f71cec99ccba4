//! Messages that are always kept, in their places in the conversation.
//!
//! 1. A conversation to show is a list of lines: the window, whose newest lines are kept as far as
//!    there is room, and pinned lines outside it.
//! 2. The pinned lines are kept, and the window from some line on. Where messages are missing
//!    between two kept lines, a gap line says so. It shows no number: that would change from turn
//!    to turn, and providers' prompt caches would miss.
//! 3. Without pins there is no gap line, except in a delta of a session ([`Pins::of_delta`]), which
//!    announces whatever is missing, even before the first line and after the last one.

use super::delta::Delta;
use std::ops::Range;

/// Shown where messages are missing between two kept ones.
pub const GAP_LINE: &str = "[… messages omitted …]";

/// Which lines of a conversation are pinned, by their positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pins {
    /// The pinned lines, ascending. All lines outside the window are pinned.
    pub(super) positions: Vec<usize>,
    /// The lines of the window.
    pub(super) window: Range<usize>,
    /// Lines before which messages that are not among the lines are missing, ascending.
    pub(super) detached: Vec<usize>,
    /// For each number of leading pinned lines, the gaps between them if only they are kept.
    pub(super) gaps: Vec<usize>,
    /// Set for a delta of a session.
    pub(super) delta: Option<Delta>,
}

/// A part of what is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Adjacent lines.
    Lines(Range<usize>),
    /// A gap line.
    Gap,
    /// The note above earlier messages of a session.
    EarlierNote,
    /// The note between earlier and new messages.
    NewNote,
}

impl Pins {
    /// Lines without pins.
    pub fn none(lines: usize) -> Self {
        Pins { window: 0..lines, ..Pins::default() }
    }

    /// Pinned lines in and around a window. `detached` holds the lines before which messages that
    /// are not among the lines are missing. Both lists are ascending.
    pub fn new(positions: Vec<usize>, window: Range<usize>, detached: Vec<usize>) -> Self {
        if positions.is_empty() {
            return Pins { window, ..Pins::default() };
        }
        let mut pins = Pins { positions, window, detached, ..Pins::default() };
        pins.gaps = pins.count_gaps();
        pins
    }

    fn count_gaps(&self) -> Vec<usize> {
        let mut gaps = Vec::with_capacity(self.positions.len() + 1);
        let mut count = 0;
        let mut detached = self.detached.iter().copied().peekable();
        gaps.extend([0, 0]);
        for pair in self.positions.windows(2) {
            while detached.next_if(|at| *at <= pair[0]).is_some() {}
            let is_detached = detached.peek().is_some_and(|at| *at <= pair[1]);
            count += usize::from(is_detached || pair[1] > pair[0] + 1);
            gaps.push(count);
        }
        gaps
    }

    /// Whether these are the lines of a delta.
    pub fn are_of_delta(&self) -> bool {
        self.delta.is_some()
    }

    /// Whether the kept lines are always one run and nothing else.
    pub fn is_plain(&self) -> bool {
        self.positions.is_empty() && self.delta.is_none()
    }

    /// The pinned lines, ascending.
    pub fn positions(&self) -> &[usize] {
        &self.positions
    }

    /// The lines before which messages that are not among the lines are missing, ascending.
    pub fn detached(&self) -> &[usize] {
        &self.detached
    }

    /// The lines of the window.
    pub fn window(&self) -> Range<usize> {
        self.window.clone()
    }

    /// Whether a line is pinned.
    pub fn contains(&self, position: usize) -> bool {
        self.positions.binary_search(&position).is_ok()
    }

    /// How many lines before this one are pinned.
    pub fn before(&self, position: usize) -> usize {
        self.positions.partition_point(|pinned| *pinned < position)
    }

    /// The pinned lines in a range.
    pub fn among(&self, lines: Range<usize>) -> &[usize] {
        let Range { start, end } = self.places(lines);
        &self.positions[start..end]
    }

    /// The positions of a range's pinned lines in the list of pinned lines.
    fn places(&self, lines: Range<usize>) -> Range<usize> {
        let start = self.positions.partition_point(|position| *position < lines.start);
        let inside = self.positions[start..].partition_point(|position| *position < lines.end);
        start..start + inside
    }

    /// How many lines are kept if the window is kept from `first` on.
    pub fn kept(&self, first: usize) -> usize {
        let run = first..self.window.end;
        self.positions.len() - self.among(run.clone()).len() + run.len()
    }

    /// The segments kept if the window is kept from `first` on, oldest first, without the first
    /// `skipped` of the pinned lines that are older than `first`.
    pub fn segments(&self, first: usize, skipped: usize) -> Box<dyn Iterator<Item = Segment> + '_> {
        match self.delta {
            Some(delta) => Box::new(self.delta_segments(delta, first).into_iter()),
            None => Box::new(self.runs_and_gaps(first, skipped)),
        }
    }

    fn runs_and_gaps(&self, first: usize, skipped: usize) -> impl Iterator<Item = Segment> {
        let run = first..self.window.end;
        let places = self.places(run.clone());
        let mut rest = Rest {
            before: &self.positions[skipped..places.start],
            run,
            after: &self.positions[places.end..],
            detached: &self.detached,
        };
        let mut next = rest.next_lines();
        let last_skipped = self.positions[..skipped].last();
        let mut is_gap = match (last_skipped, &next) {
            (Some(last), Some(next)) => self.is_gap(*last, next.start),
            _ => false,
        };
        std::iter::from_fn(move || {
            if is_gap {
                is_gap = false;
                return Some(Segment::Gap);
            }
            let lines = next.take()?;
            next = rest.next_lines();
            is_gap = next.is_some();
            Some(Segment::Lines(lines))
        })
    }

    /// How many gap lines there are if the window is kept from `first` on.
    pub fn gaps(&self, first: usize) -> usize {
        if let Some(delta) = self.delta {
            return self.delta_gaps(delta, first);
        }
        let Some(all_gaps) = self.gaps.last().copied() else { return 0 };
        let run = first..self.window.end;
        if run.is_empty() {
            return all_gaps;
        }
        let places = self.places(run.clone());
        let before = self.positions[..places.start].last();
        let after = self.positions.get(places.end);
        self.gaps[places.start]
            + before.map_or(0, |before| usize::from(self.is_gap(*before, run.start)))
            + self.detached_in(run.start + 1..run.end)
            + after.map_or(0, |after| usize::from(self.is_gap(run.end - 1, *after)))
            + after.map_or(0, |_| all_gaps - self.gaps[places.end + 1])
    }

    /// Whether messages are missing between two consecutive kept lines.
    fn is_gap(&self, line: usize, next: usize) -> bool {
        next > line + 1 || self.detached_in(line + 1..next + 1) > 0
    }

    fn detached_in(&self, lines: Range<usize>) -> usize {
        let start = self.detached.partition_point(|at| *at < lines.start);
        self.detached[start..].partition_point(|at| *at < lines.end)
    }
}

/// The kept lines not yet taken, in order.
struct Rest<'p> {
    /// Pinned lines before the run.
    before: &'p [usize],
    /// The kept part of the window.
    run: Range<usize>,
    /// Pinned lines after the run.
    after: &'p [usize],
    /// Lines before which messages are missing.
    detached: &'p [usize],
}

impl Rest<'_> {
    /// Takes the next adjacent lines.
    fn next_lines(&mut self) -> Option<Range<usize>> {
        let run_start = (!self.run.is_empty()).then_some(self.run.start);
        let start = self.before.first().copied().or(run_start).or(self.after.first().copied())?;
        while let Some((_, rest)) = self.detached.split_first().filter(|(at, _)| **at <= start) {
            self.detached = rest;
        }
        let most = self.detached.first().copied().unwrap_or(usize::MAX);
        let mut end = start;
        take_neighbours(&mut self.before, &mut end, most);
        if self.run.start == end {
            end = end.max(self.run.end.min(most));
            self.run.start = end;
        }
        if self.run.is_empty() {
            take_neighbours(&mut self.after, &mut end, most);
        }
        Some(start..end)
    }
}

/// Takes consecutive positions from `end` on, up to `most`.
fn take_neighbours(positions: &mut &[usize], end: &mut usize, most: usize) {
    while let Some((position, rest)) = positions.split_first()
        && *position == *end
        && *end < most
    {
        *positions = rest;
        *end += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The segments as text: kept positions, and `…` for a gap.
    fn shown(pins: &Pins, first: usize) -> String {
        let texts = pins.segments(first, 0).map(|segment| match segment {
            Segment::Gap => "…".to_owned(),
            Segment::EarlierNote | Segment::NewNote => "-".to_owned(),
            Segment::Lines(lines) => lines.map(|line| line.to_string()).collect(),
        });
        texts.collect()
    }

    #[test]
    fn without_pins_there_is_one_run_and_no_gap() {
        let none = Pins::none(4);
        assert_eq!(shown(&none, 0), "0123");
        assert_eq!(shown(&none, 2), "23");
        assert_eq!(shown(&none, 4), "");
        assert_eq!((none.kept(2), none.gaps(2)), (2, 0));
    }

    #[test]
    fn a_gap_is_shown_between_kept_lines_that_are_not_adjacent() {
        let pins = Pins::new(vec![1, 2, 5], 0..8, vec![]);
        for (first, expected) in [
            (0, "01234567"),
            (1, "1234567"),
            (3, "1234567"),
            (4, "12…4567"),
            (6, "12…567"),
            (7, "12…5…7"),
            (8, "12…5"),
        ] {
            assert_eq!(shown(&pins, first), expected, "from {first}");
            let kept = expected.chars().filter(char::is_ascii_digit).count();
            assert_eq!((pins.kept(first), pins.gaps(first)), (kept, expected.matches('…').count()));
            for skipped in 0..=pins.among(0..first).len() {
                let parts: Vec<Segment> = pins.segments(first, skipped).collect();
                let gaps = parts.iter().filter(|part| **part == Segment::Gap).count();
                let before = pins.among(0..first)[..skipped].windows(2);
                assert_eq!(
                    gaps + before.filter(|two| two[1] > two[0] + 1).count(),
                    pins.gaps(first)
                );
            }
        }
    }

    #[test]
    fn lines_outside_the_window_may_be_detached() {
        // Two older pins, a window of three, and a newer pin.
        let pins = Pins::new(vec![0, 1, 5], 2..5, vec![1, 5]);
        assert_eq!(shown(&pins, 2), "0…1234…5");
        assert_eq!(shown(&pins, 3), "0…1…34…5");
        assert_eq!(shown(&pins, 5), "0…1…5");
        assert_eq!(shown(&Pins::new(vec![], 0..4, vec![2]), 0), "0123");
        let pins = Pins::new(vec![0], 0..4, vec![0, 2]);
        assert_eq!(shown(&pins, 0), "01…23");
        assert_eq!(shown(&pins, 2), "0…23");
    }
}
