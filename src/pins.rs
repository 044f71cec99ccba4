//! Messages that are kept whatever happens, in their places in the conversation.
//!
//! 1. A conversation that is to be shown is a list of lines: the window, of which the newest are
//!    kept as far as there is room, and lines outside of it that are pinned.
//! 2. What is kept is the pinned lines and the window from some line on. Where messages are
//!    missing between two kept lines, a gap line says so. It has no number: that would change
//!    from turn to turn, and providers' prompt caches would miss.
//! 3. Without pins there is no gap line.

use std::ops::Range;

/// Stands where messages are missing between two kept ones.
pub const GAP_LINE: &str = "[… messages omitted …]";

/// Which lines of a conversation are pinned, by their positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pins {
    /// The pinned lines, ascending. All lines outside the window are pinned.
    positions: Vec<usize>,
    /// The lines of the window.
    window: Range<usize>,
    /// Lines before which messages are missing that are not among the lines, ascending.
    detached: Vec<usize>,
}

/// A part of what is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Lines that are neighbours.
    Lines(Range<usize>),
    /// A gap line.
    Gap,
}

impl Pins {
    /// Lines of which none is pinned.
    pub fn none(lines: usize) -> Self {
        Pins { window: 0..lines, ..Pins::default() }
    }

    /// Pinned lines in and around a window. `detached` are the lines before which messages are
    /// missing that are not among the lines. Both lists are ascending.
    pub fn new(positions: Vec<usize>, window: Range<usize>, detached: Vec<usize>) -> Self {
        Pins { positions, window, detached }
    }

    /// Whether no line is pinned.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The pinned lines, ascending.
    pub fn positions(&self) -> &[usize] {
        &self.positions
    }

    /// The lines before which messages are missing that are not among the lines, ascending.
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

    /// Whether a line is kept if the window is kept from `first` on.
    pub fn keeps(&self, first: usize, position: usize) -> bool {
        (first..self.window.end).contains(&position) || self.contains(position)
    }

    /// How many lines are kept if the window is kept from `first` on.
    pub fn kept(&self, first: usize) -> usize {
        let run = first..self.window.end;
        let outside = self.positions.iter().filter(|position| !run.contains(position)).count();
        run.len() + outside
    }

    /// What is kept if the window is kept from `first` on, oldest first.
    pub fn segments(&self, first: usize) -> Vec<Segment> {
        let run = first..self.window.end;
        let before = self.positions.partition_point(|position| *position < first);
        let after = self.positions.partition_point(|position| *position < run.end.max(first));
        let single = |position: &usize| *position..*position + 1;
        let inside = self.detached.iter().filter(|at| **at > run.start && run.contains(at));
        let ends = inside.copied().chain([run.end]);
        let mut start = run.start;
        let window = ends.map(|end| std::mem::replace(&mut start, end)..end);
        let pieces = self.positions[..before]
            .iter()
            .map(single)
            .chain(window.filter(|piece| !piece.is_empty()))
            .chain(self.positions[after..].iter().map(single));
        let mut segments: Vec<Segment> = Vec::new();
        for piece in pieces {
            let is_detached = self.detached.binary_search(&piece.start).is_ok();
            match segments.last_mut() {
                Some(Segment::Lines(lines)) if lines.end == piece.start && !is_detached => {
                    lines.end = piece.end;
                }
                Some(_) => segments.extend([Segment::Gap, Segment::Lines(piece)]),
                None => segments.push(Segment::Lines(piece)),
            }
        }
        segments
    }

    /// How many gap lines there are if the window is kept from `first` on.
    pub fn gaps(&self, first: usize) -> usize {
        match self.is_empty() {
            true => 0,
            false => self.segments(first).iter().filter(|part| **part == Segment::Gap).count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The segments as a text: kept positions, and `…` for a gap.
    fn shown(pins: &Pins, first: usize) -> String {
        let texts = pins.segments(first).into_iter().map(|segment| match segment {
            Segment::Gap => "…".to_owned(),
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
    fn a_gap_stands_where_lines_are_missing_between_two_kept_ones() {
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
        }
        assert!(pins.keeps(7, 5) && pins.keeps(7, 7) && !pins.keeps(7, 6));
    }

    #[test]
    fn lines_outside_the_window_may_be_detached() {
        // Two older pins, a window of three, and a newer pin.
        let pins = Pins::new(vec![0, 1, 5], 2..5, vec![1, 5]);
        assert_eq!(shown(&pins, 2), "0…1234…5");
        assert_eq!(shown(&pins, 3), "0…1…34…5");
        assert_eq!(shown(&pins, 5), "0…1…5");
        let pins = Pins::new(vec![0], 0..4, vec![0, 2]);
        assert_eq!(shown(&pins, 0), "01…23");
        assert_eq!(shown(&pins, 2), "0…23");
    }
}
