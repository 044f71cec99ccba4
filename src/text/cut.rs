//! Shortens texts.
//!
//! 1. A text is cut at a grapheme boundary: an emoji with its modifiers, a flag, a Hangul
//!    syllable and CRLF are never split.
//! 2. The head and the tail are kept, with an omission line between them that says how many
//!    bytes are missing. The size limit includes this line.
//! 3. There is no cut without that line: half an instruction reads as a whole one. A text that
//!    leaves no room for it, with something of both ends, is not cut.

use std::ops::Range;
use unicode_segmentation::GraphemeCursor;

/// The least size of head and tail together. With less, the omission line is not worth its size.
pub(super) const MIN_AROUND_MARKER: usize = 32;

/// The longest beginning of `text` of at most `max_bytes` that ends between graphemes.
pub fn head(text: &str, max_bytes: usize) -> &str {
    if max_bytes >= text.len() {
        return text;
    }
    let at = text.floor_char_boundary(max_bytes);
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    let end = match cursor.is_boundary(text, 0) {
        Ok(true) => at,
        _ => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
    };
    &text[..end]
}

/// The longest beginning of `text` of at most `max_units` UTF-16 units that ends between
/// graphemes. JavaScript counts strings in these units.
pub fn head_utf16(text: &str, max_units: usize) -> &str {
    let mut units = 0;
    let first_over = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > max_units
    });
    first_over.map_or(text, |(at, _)| head(text, at))
}

/// The longest end of `text` of at most `max_bytes` that starts between graphemes.
pub(super) fn tail(text: &str, max_bytes: usize) -> &str {
    if max_bytes >= text.len() {
        return text;
    }
    let at = text.ceil_char_boundary(text.len() - max_bytes);
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    let start = match cursor.is_boundary(text, 0) {
        Ok(true) => at,
        _ => cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len()),
    };
    &text[start..]
}

/// The shortest beginning of `text` with at least `min_bytes` and one grapheme that ends between
/// graphemes.
fn head_of_at_least(text: &str, min_bytes: usize) -> &str {
    if min_bytes >= text.len() {
        return text;
    }
    let at = text.ceil_char_boundary(min_bytes.max(1));
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    let end = match cursor.is_boundary(text, 0) {
        Ok(true) => at,
        _ => cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len()),
    };
    &text[..end]
}

/// The shortest end of `text` with at least `min_bytes` and one grapheme that starts between
/// graphemes.
fn tail_of_at_least(text: &str, min_bytes: usize) -> &str {
    if min_bytes >= text.len() {
        return text;
    }
    let at = text.floor_char_boundary(text.len() - min_bytes.max(1));
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    let start = match cursor.is_boundary(text, 0) {
        Ok(true) => at,
        _ => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
    };
    &text[start..]
}

/// The smallest cut of a text that has at least `min_bytes`, including its omission line; `None` if
/// only the whole text has, such as one that is a single grapheme. Of a text of `total_bytes`, the
/// beginning and the end suffice.
pub fn least_cut<'t>(
    beginning: &'t str,
    end: &'t str,
    total_bytes: usize,
    min_bytes: usize,
) -> Option<HeadTail<'t>> {
    let line_bytes = omission_line(total_bytes).len();
    let mut around = min_bytes.saturating_sub(line_bytes).max(MIN_AROUND_MARKER);
    loop {
        let half = around.div_ceil(2);
        let heads = [head(beginning, half), head_of_at_least(beginning, half)];
        let cuts = heads.into_iter().filter(|head| !head.is_empty()).filter_map(|head| {
            let tail = tail_of_at_least(end, around.saturating_sub(head.len()));
            let omitted_bytes = total_bytes.checked_sub(head.len() + tail.len())?;
            let cut = HeadTail { head, omission: omission_line(omitted_bytes), tail };
            (cut.bytes() < total_bytes).then_some(cut)
        });
        let cut = cuts.min_by_key(HeadTail::bytes)?;
        if cut.bytes() >= min_bytes {
            return Some(cut);
        }
        // The number of omitted bytes has fewer digits than that of all.
        around += 1;
    }
}

/// Shortens `text` to at most `max_bytes`: head, omission line and tail. Returns `None` if there
/// is no room for that.
pub fn shorten(text: &str, max_bytes: usize) -> Option<String> {
    shorten_counting(text, max_bytes).map(|(short, _)| short)
}

/// Like [`shorten`], but also says how much of `text` is left.
pub fn shorten_counting(text: &str, max_bytes: usize) -> Option<(String, EndBytes)> {
    if text.len() <= max_bytes {
        return Some((text.to_owned(), EndBytes { head: text.len(), tail: 0 }));
    }
    head_tail(text, max_bytes).map(|short| (short.parts().concat(), short.end_bytes()))
}

/// How many bytes of a text are left, at its beginning and at its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct EndBytes {
    /// At the beginning; all of it if it was not cut.
    pub head: usize,
    /// At the end.
    pub tail: usize,
}

impl EndBytes {
    /// Both together.
    pub fn sum(self) -> usize {
        self.head + self.tail
    }
}

/// A shortened text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadTail<'t> {
    head: &'t str,
    omission: String,
    tail: &'t str,
}

impl HeadTail<'_> {
    /// The parts, in order.
    pub fn parts(&self) -> [&str; 3] {
        [self.head, &self.omission, self.tail]
    }

    /// How much of the text is left.
    pub fn end_bytes(&self) -> EndBytes {
        EndBytes { head: self.head.len(), tail: self.tail.len() }
    }

    /// The size of all parts together.
    pub fn bytes(&self) -> usize {
        self.parts().iter().map(|part| part.len()).sum()
    }
}

impl<'t> HeadTail<'t> {
    /// A text without these bytes.
    pub(super) fn without(text: &'t str, omitted: Range<usize>) -> Self {
        let omission = omission_line(omitted.len());
        HeadTail { head: &text[..omitted.start], omission, tail: &text[omitted.end..] }
    }

    /// A cut to at most `max_bytes`, or this one, the smallest that is allowed, if the former would
    /// be smaller; `None` if there is no room for this one. So whatever fits into a limit fits into
    /// every larger one.
    pub fn or_more(
        &self,
        max_bytes: usize,
        cut: impl FnOnce(usize) -> Option<HeadTail<'t>>,
    ) -> Option<HeadTail<'t>> {
        if max_bytes < self.bytes() {
            return None;
        }
        let larger = cut(max_bytes).filter(|cut| cut.bytes() >= self.bytes());
        Some(larger.unwrap_or_else(|| self.clone()))
    }
}

/// Like [`shorten`], without copying, for a text that is longer than `max_bytes`.
pub fn head_tail(text: &str, max_bytes: usize) -> Option<HeadTail<'_>> {
    head_tail_of_ends(text, text, text.len(), max_bytes)
}

/// Like [`head_tail`], for a text of `total_bytes` of which only the beginning and the end are
/// known. Each must be long enough for the part of it that is kept.
pub fn head_tail_of_ends<'t>(
    beginning: &'t str,
    end: &'t str,
    total_bytes: usize,
    max_bytes: usize,
) -> Option<HeadTail<'t>> {
    // The omitted number is at most `total_bytes`, so the final line is no longer than this one.
    let around = max_bytes.checked_sub(omission_line(total_bytes).len())?;
    let head = head(beginning, around.div_ceil(2));
    // Each half has to hold something by itself: a larger limit then never makes a cut impossible.
    if around < MIN_AROUND_MARKER || head.is_empty() || tail(end, around / 2).is_empty() {
        return None;
    }
    let tail = tail(end, around - head.len());
    let omission = omission_line(total_bytes - head.len() - tail.len());
    Some(HeadTail { head, omission, tail })
}

/// Whether `short` consists of a head of `whole`, an omission line and a tail of `whole`, as
/// [`shorten`] writes them.
pub fn is_shortened(short: &str, whole: &str) -> bool {
    let equal = |pair: &(u8, u8)| pair.0 == pair.1;
    let (short_bytes, whole_bytes) = (short.bytes(), whole.bytes());
    // Compared once: there may be many omission lines to try.
    let same_head = short_bytes.clone().zip(whole_bytes.clone()).take_while(equal).count();
    let same_tail = short_bytes.rev().zip(whole_bytes.rev()).take_while(equal).count();
    let mut omissions = short.match_indices(OMISSION_OPEN).filter_map(|(at, open)| {
        let rest = &short[at + open.len()..];
        let digits = rest.bytes().take(20).take_while(u8::is_ascii_digit).count();
        let tail = rest[digits..].strip_prefix(OMISSION_CLOSE)?;
        Some((at, rest[..digits].parse::<usize>().ok()?, tail.len()))
    });
    omissions.any(|(head, omitted, tail)| {
        let kept = head + tail;
        kept.checked_add(omitted) == Some(whole.len()) && head <= same_head && tail <= same_tail
    })
}

const OMISSION_OPEN: &str = "\n[… ";
const OMISSION_CLOSE: &str = " bytes omitted …]\n";

pub(super) fn omission_line(omitted_bytes: usize) -> String {
    format!("{OMISSION_OPEN}{omitted_bytes}{OMISSION_CLOSE}")
}

#[cfg(test)]
mod tests;
