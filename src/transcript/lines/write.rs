//! The lines that are kept, written one after another.

use super::{Copied, LeftWithOwner, Transcript};
use crate::pins::{GAP_LINE, Segment};
use crate::render::{ContentSink, Sink};
use crate::transcript::read_lines::ReadLines;
use crate::transcript::{MessageSource, WriteLines};
use std::ops::Range;

impl<S, Contents> Transcript<S, Contents> {
    /// Writes what is kept, whose contents were all copied.
    fn write_copied(&self, first: usize, sink: &mut impl Sink) {
        if self.pins.is_empty() {
            return self.lines.write_copied(0..self.pins.window().end - first, sink);
        }
        for (place, segment) in self.pins.segments(first, 0).enumerate() {
            if place > 0 {
                sink.push(b"\n");
            }
            match segment {
                Segment::Gap => sink.push(GAP_LINE.as_bytes()),
                Segment::Lines(lines) => self.write_copied_lines(first, lines, sink),
            }
        }
    }

    /// Writes lines that are neighbours: those of the window from `first` on, and pinned ones
    /// before and after.
    fn write_copied_lines(&self, first: usize, lines: Range<usize>, sink: &mut impl Sink) {
        let end = self.pins.window().end;
        let mut position = lines.start;
        while position < lines.end {
            if position > lines.start {
                sink.push(b"\n");
            }
            if (first..end).contains(&position) {
                let run_end = lines.end.min(end);
                self.lines.write_copied(end - run_end..end - position, sink);
                position = run_end;
                continue;
            }
            if let Some(line) = self.pinned.get(&position) {
                sink.push(&line.bytes);
            }
            position += 1;
        }
    }
}

impl<S: MessageSource, K: Sink> WriteLines<K> for Transcript<S, Copied> {
    fn write_lines(&self, first: usize, sink: &mut K) {
        self.write_copied(first, sink);
    }
}

impl<S: MessageSource, K: ContentSink> WriteLines<K> for Transcript<S, LeftWithOwner> {
    fn write_lines(&self, first: usize, sink: &mut K) {
        let ReadLines { bytes, openings, .. } = &self.lines;
        let kept = self.pins.window().end - first;
        if bytes.len() == self.lines.total_bytes() {
            return self.write_copied(first, sink);
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
