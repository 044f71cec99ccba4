//! Writes the kept lines one after another.

use super::Lines;
use super::pins::Segment;
use super::source::PinnedTogether;
use crate::text::Sink;
use std::ops::Range;

impl Lines<'_> {
    /// Writes what is kept if the window is kept from `first` on, with line breaks between lines.
    pub fn write<K: Sink>(&self, first: usize, sink: &mut K) {
        let mut out = Joined { sink, is_first: true };
        let older = self.pins().before(first);
        let together = match self.pinned_together(older) {
            Some(pinned) => {
                out.next().push(pinned.text.as_bytes());
                older
            }
            None => 0,
        };
        for segment in self.pins().segments(first, together) {
            if let Some(line) = self.frame_line(&segment) {
                out.next().push(line.as_bytes());
            }
            if let Segment::Lines(lines) = segment {
                self.write_lines(lines, &mut out);
            }
        }
    }

    fn write_lines<K: Sink>(&self, lines: Range<usize>, out: &mut Joined<K>) {
        let runs: Vec<_> = self.runs(lines).collect();
        for run in runs.into_iter().rev() {
            let text = self.source().run_text(run.clone()).filter(|_| self.are_as_stored());
            match text {
                // All of them are absent.
                Some("") => {}
                Some(text) => out.next().push(text.as_bytes()),
                None => run
                    .filter(|line| !self.is_absent(*line))
                    .for_each(|line| self.write_line(line, out.next())),
            }
        }
    }

    fn write_line<K: Sink>(&self, line: usize, sink: &mut K) {
        if let Some(short) = self.shortened.get(&line) {
            return sink.push(short.text.as_bytes());
        }
        if let Some(escaped) = self.escaped.get(&line) {
            return sink.push(escaped.as_bytes());
        }
        let pieces = self.source().pieces(line).into_iter();
        pieces.filter(|piece| !piece.is_empty()).for_each(|piece| sink.push(piece));
        let wide = self.source().wide_content(line);
        if !wide.is_empty() {
            sink.push_units(wide);
        }
    }

    /// The first pinned lines as one text, if lines are written exactly as stored.
    pub(super) fn pinned_together(&self, count: usize) -> Option<PinnedTogether<'_>> {
        let source = self.source();
        let is_as_stored = !self.are_looked_at() && !self.is_short && !self.is_array();
        (count > 0 && is_as_stored).then(|| source.pinned_together(count))?
    }
}

/// A sink that puts a line break between pushes.
struct Joined<'k, K> {
    sink: &'k mut K,
    is_first: bool,
}

impl<K: Sink> Joined<'_, K> {
    fn next(&mut self) -> &mut K {
        if !std::mem::take(&mut self.is_first) {
            self.sink.push(b"\n");
        }
        self.sink
    }
}
