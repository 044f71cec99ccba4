//! Cuts of a text in which some stretches belong together: a tool call and its result.
//!
//! 1. The cut itself is that of [`cut`](super::cut): a head, an omission line and a tail.
//! 2. A cut leaves out whole stretches. It may fall inside one only if both of its pieces stay
//!    visible: it shortens the arguments of the call in their middle, or it leaves out the middle
//!    or the end of the result.
//! 3. If there is no room for the stretch at the beginning or the end of the text, nothing is left
//!    of that end. Something is left of the other one.

use super::cut::{HeadTail, MIN_AROUND_MARKER, head, head_tail, least_cut, omission_line, tail};
use super::trim::{is_js_whitespace, trim_js};
use std::borrow::Cow;
use std::ops::Range;

/// A stretch of a text that belongs together, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// All of it.
    pub range: Range<usize>,
    /// The arguments of the call, whose middle may be left out; empty for none.
    pub arguments: Range<usize>,
    /// Where the text of the result begins. As long as some of it is kept, the rest may be left
    /// out. The end of the stretch if there is none.
    pub result: usize,
}

impl Stretch {
    /// The same stretch in a text in which everything is elsewhere.
    fn moved(&self, place: impl Fn(usize) -> usize) -> Stretch {
        let moved = |range: &Range<usize>| place(range.start)..place(range.end);
        Stretch {
            range: moved(&self.range),
            arguments: moved(&self.arguments),
            result: place(self.result),
        }
    }
}

/// Follows insertions of `size` bytes before each of these bytes of the text.
pub fn move_stretches(stretches: &mut [Stretch], before: &[usize], size: usize) {
    for stretch in stretches {
        *stretch = stretch.moved(|at| at + before.partition_point(|other| *other < at) * size);
    }
}

/// A text that can be cut between its stretches.
#[derive(Debug)]
pub struct Stretched<'t> {
    text: &'t str,
    /// Ascending, without overlaps.
    stretches: Cow<'t, [Stretch]>,
}

impl<'t> Stretched<'t> {
    /// A text as it is.
    pub fn new(text: &'t str, stretches: &'t [Stretch]) -> Self {
        Stretched { text, stretches: stretches.into() }
    }

    /// A text without the white space around it.
    pub fn trimmed(text: &'t str, stretches: &'t [Stretch]) -> Self {
        let trimmed = trim_js(text);
        let start = text.len() - text.trim_start_matches(is_js_whitespace).len();
        if stretches.is_empty() || trimmed.len() == text.len() {
            return Stretched::new(trimmed, stretches);
        }
        let place = |at: usize| at.saturating_sub(start).min(trimmed.len());
        let moved = stretches.iter().map(|stretch| stretch.moved(place)).collect();
        Stretched { text: trimmed, stretches: Cow::Owned(moved) }
    }

    /// Shortens the text, which must be longer, to at most `max_bytes`; `None` if there is no room
    /// for that.
    pub fn head_tail(&self, max_bytes: usize) -> Option<HeadTail<'t>> {
        if self.stretches.is_empty() {
            return head_tail(self.text, max_bytes);
        }
        let bytes = self.text.len();
        let around = max_bytes.checked_sub(omission_line(bytes).len())?;
        if around < MIN_AROUND_MARKER {
            return None;
        }
        let (first, last) = self.ends(around);
        if self.is_in_arguments(first, last) {
            return self.cut(first, last);
        }
        let first = self.head_up_to(around.div_ceil(2));
        let last = self.tail_from(bytes - (around - first), first);
        // What the tail could not use is for the head.
        let first = self.head_up_to(around - (bytes - last));
        self.cut(first, last)
    }

    /// The smallest cut that has at least `min_bytes`, including its omission line; `None` if only
    /// the whole text has.
    pub fn least_cut(&self, min_bytes: usize) -> Option<HeadTail<'t>> {
        let bytes = self.text.len();
        if self.stretches.is_empty() {
            return least_cut(self.text, self.text, bytes, min_bytes);
        }
        let line_bytes = omission_line(bytes).len();
        let mut around = min_bytes.saturating_sub(line_bytes).max(MIN_AROUND_MARKER);
        while around < bytes {
            let half = around.div_ceil(2);
            let in_arguments = self.stretches.iter().filter_map(|Stretch { arguments, .. }| {
                let inside = half.min(arguments.end.saturating_sub(1)).max(arguments.start + 1);
                let first = self.ceil(inside);
                let last = bytes - around.saturating_sub(first);
                let last = self.floor(last.min(arguments.end));
                self.is_in_arguments(first, last).then_some((first, last))
            });
            let heads = [self.head_up_to(half), self.head_from(half)];
            let tail = self.tail_from(bytes - around / 2, 0);
            let cuts = heads
                .map(|first| {
                    let missing = around.saturating_sub(first);
                    (first, self.tail_up_to(bytes - missing, first))
                })
                .into_iter()
                .chain([(self.head_from(around.saturating_sub(bytes - tail)), tail)])
                .chain(in_arguments)
                .filter_map(|(first, last)| self.cut(first, last))
                .filter(|cut| cut.bytes() < bytes);
            let cut = cuts.min_by_key(HeadTail::bytes)?;
            if cut.bytes() >= min_bytes {
                return Some(cut);
            }
            // The number of omitted bytes has fewer digits than that of all.
            around += 1;
        }
        None
    }

    /// The longest beginning of at most `max_bytes`.
    pub fn head(&self, max_bytes: usize) -> &'t str {
        &self.text[..self.head_up_to(max_bytes)]
    }

    /// The stretches in the text that a cut leaves.
    pub fn stretches_in(&self, cut: &HeadTail) -> Vec<Stretch> {
        let [head, omission, tail] = cut.parts().map(str::len);
        let last = self.text.len() - tail;
        let place = |at: usize| match at {
            at if at <= head => at,
            at if at < last => head,
            at => head + omission + (at - last),
        };
        let moved = self.stretches.iter().map(|stretch| {
            let end_is_cut = (head..=last).contains(&stretch.range.end);
            let moved = stretch.moved(place);
            let end = if end_is_cut { head } else { moved.range.end };
            Stretch { range: moved.range.start..end, result: moved.result.min(end), ..moved }
        });
        moved.filter(|stretch| !stretch.range.is_empty()).collect()
    }

    /// Where the head ends and the tail begins, whatever the stretches are.
    fn ends(&self, around: usize) -> (usize, usize) {
        let first = self.floor(around.div_ceil(2));
        (first, self.ceil(self.text.len() - (around - first)))
    }

    /// A cut, if something of both ends is left, except for a stretch.
    fn cut(&self, first: usize, last: usize) -> Option<HeadTail<'t>> {
        let begins = self.stretches.first().is_some_and(|first| first.range.start == 0);
        let bytes = self.text.len();
        let ends = self.stretches.last().is_some_and(|last| self.ceil(last.range.end) == bytes);
        let has_ends =
            (first > 0 || begins) && (last < bytes || ends) && (first > 0 || last < bytes);
        (has_ends && first < last).then(|| HeadTail::without(self.text, first..last))
    }

    /// The stretch that has this byte and the one before it.
    fn around(&self, at: usize) -> Option<&Stretch> {
        let next = self.stretches.partition_point(|stretch| stretch.range.end <= at);
        self.stretches.get(next).filter(|stretch| stretch.range.start < at)
    }

    /// Whether only the middle of a call's arguments would be left out.
    fn is_in_arguments(&self, first: usize, last: usize) -> bool {
        self.around(first).is_some_and(|stretch| {
            stretch.arguments.start < first && first < last && last <= stretch.arguments.end
        })
    }

    /// The last place up to this one where a head may end.
    fn head_up_to(&self, at: usize) -> usize {
        let at = self.floor(at);
        match self.around(at) {
            Some(stretch) if at <= stretch.result => stretch.range.start,
            _ => at,
        }
    }

    /// The first place from this one on where a head may end.
    fn head_from(&self, at: usize) -> usize {
        let at = self.ceil(at.max(1));
        match self.around(at) {
            Some(stretch) if at <= stretch.result => {
                self.ceil((stretch.result + 1).min(stretch.range.end))
            }
            _ => at,
        }
    }

    /// The first place from this one on where a tail may begin.
    fn tail_from(&self, at: usize, first: usize) -> usize {
        let at = self.ceil(at);
        match self.around(at) {
            Some(stretch) if first <= stretch.result => self.ceil(stretch.range.end),
            _ => at,
        }
    }

    /// The last place up to this one where a tail may begin.
    fn tail_up_to(&self, at: usize, first: usize) -> usize {
        let at = self.floor(at);
        match self.around(at) {
            Some(stretch) if first <= stretch.result => stretch.range.start,
            _ => at,
        }
    }

    fn floor(&self, at: usize) -> usize {
        head(self.text, at).len()
    }

    fn ceil(&self, at: usize) -> usize {
        self.text.len() - tail(self.text, self.text.len().saturating_sub(at)).len()
    }
}

#[cfg(test)]
mod tests;
