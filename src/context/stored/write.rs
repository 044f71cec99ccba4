//! The lines of a turn, written one after another.

use super::StoredContext;
use crate::pins::{GAP_LINE, Segment};
use crate::render::Sink;
use crate::transcript::{Context, WriteLines};
use std::ops::Range;

impl StoredContext<'_> {
    /// Passes lines of the window to `push`.
    fn push_window(&self, lines: Range<usize>, push: &mut impl FnMut(&[&str])) {
        let before = self.turn.pinned.before.len();
        let positions = lines.start.saturating_sub(before)..lines.end.saturating_sub(before);
        for run in self.window.runs(positions) {
            match self.lines_are_stored() {
                true => push(&[self.conversation.lines(run)]),
                false => run.for_each(|index| self.push_message(index, push)),
            }
        }
    }

    fn push_line(&self, position: usize, push: &mut impl FnMut(&[&str])) {
        self.push_message(self.turn.message_at(position), push);
    }

    fn push_message(&self, index: usize, push: &mut impl FnMut(&[&str])) {
        match self.escaped.get(&index) {
            Some(escaped) => push(&[escaped]),
            None if self.is_stored_style => push(&[self.conversation.lines(index..index + 1)]),
            None => push(&self.pieces(index)),
        }
    }
}

impl<K: Sink> WriteLines<K> for StoredContext<'_> {
    fn write_lines(&self, first: usize, sink: &mut K) {
        let mut separator: &[u8] = b"";
        let mut push = |pieces: &[&str]| {
            if !separator.is_empty() {
                sink.push(separator);
            }
            pieces.iter().for_each(|piece| sink.push(piece.as_bytes()));
            separator = b"\n";
        };
        let window = self.pins().window();
        if self.pins().is_empty() {
            return self.push_window(first..window.end, &mut push);
        }
        let older = self.pins().before(first);
        let together = match self.pinned_text(older) {
            Some(text) if older > 0 => {
                push(&[text.first(older)]);
                older
            }
            _ => 0,
        };
        for segment in self.pins().segments(first, together) {
            let Segment::Lines(lines) = segment else {
                push(&[GAP_LINE]);
                continue;
            };
            let (start, end) = (
                window.start.clamp(lines.start, lines.end),
                window.end.clamp(lines.start, lines.end),
            );
            (lines.start..start).for_each(|position| self.push_line(position, &mut push));
            if start < end {
                self.push_window(start..end, &mut push);
            }
            (end..lines.end).for_each(|position| self.push_line(position, &mut push));
        }
    }
}
