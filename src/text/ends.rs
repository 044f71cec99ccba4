//! A text too long to be read whole: of a message of megabytes that has to be cut to
//! kilobytes, only the two ends are ever needed.

use super::cut::{HeadTail, first_grapheme, head_tail_of_ends};
use super::trim::is_js_whitespace;
use std::borrow::Cow;

/// Where a grapheme begins can depend on what comes before it, and a cut can come out shorter
/// than planned by a grapheme. Both are safe if letters, before which nothing matters, are
/// never further apart than this.
const MARGIN_BYTES: usize = 1024;

/// How much of each end a cut to `max_bytes` can need.
pub fn needed_of_each_end(max_bytes: usize) -> usize {
    (max_bytes / 2).saturating_add(3 * MARGIN_BYTES)
}

/// A text, or so much of it as a cut can need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text<'t> {
    /// All of it.
    Whole(Cow<'t, str>),
    /// Its beginning and its end.
    Ends(Ends),
}

impl Default for Text<'_> {
    fn default() -> Self {
        Text::Whole("".into())
    }
}

impl Text<'_> {
    /// As much of its beginning as is known.
    pub fn beginning(&self) -> &str {
        match self {
            Text::Whole(text) => text,
            Text::Ends(ends) => &ends.beginning,
        }
    }
}

impl<'t, T: Into<Cow<'t, str>>> From<T> for Text<'t> {
    fn from(text: T) -> Self {
        Text::Whole(text.into())
    }
}

/// The beginning and the end of a text, without the white space around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ends {
    beginning: String,
    end: String,
    bytes: usize,
}

impl Ends {
    /// The ends of a text of `total_bytes` that will be cut to at most `max_bytes`; `None` if
    /// they do not suffice for that.
    pub fn new(
        mut beginning: String,
        mut end: String,
        total_bytes: usize,
        max_bytes: usize,
    ) -> Option<Self> {
        let untrimmed = beginning.len() + end.len();
        beginning.drain(..beginning.len() - beginning.trim_start_matches(is_js_whitespace).len());
        end.truncate(end.trim_end_matches(is_js_whitespace).len());
        let bytes = total_bytes - (untrimmed - beginning.len() - end.len());
        let least = needed_of_each_end(max_bytes) - MARGIN_BYTES;
        let suffices = |text: &str| text.len() >= least && has_firm_ground(text);
        (bytes > max_bytes && suffices(&beginning) && suffices(&end)).then_some(Ends {
            beginning,
            end,
            bytes,
        })
    }

    /// The size of the whole text, without the white space around it.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// What is left of the text in at most `max_bytes`, as [`shorten`](super::shorten) does it.
    pub fn head_tail(&self, max_bytes: usize) -> Option<HeadTail<'_>> {
        head_tail_of_ends(&self.beginning, &self.end, self.bytes, max_bytes)
    }

    /// The least of the text that still is some of it.
    pub fn first_grapheme(&self) -> &str {
        first_grapheme(&self.beginning)
    }
}

/// Whether a letter, or other ASCII, is never far.
fn has_firm_ground(text: &str) -> bool {
    let mut last = 0;
    text.is_ascii()
        || text.char_indices().all(|(at, c)| {
            if c.is_ascii() || c.is_alphanumeric() {
                last = at;
            }
            at - last < MARGIN_BYTES
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{shorten, trim_js};

    #[test]
    fn the_ends_are_cut_as_the_whole_would_be() {
        let family = "👨‍👩‍👧‍👦 e\u{301} 中文\r\n";
        let text = format!(" \n{}\u{FEFF}", family.repeat(2000));
        let whole = trim_js(&text);
        for max_bytes in [1, 30, 60, 61, 100, 999, 1000, 1001, 5000] {
            let need = needed_of_each_end(max_bytes);
            let beginning = &text[..text.floor_char_boundary(need)];
            let end = &text[text.ceil_char_boundary(text.len() - need)..];
            let ends = Ends::new(beginning.into(), end.into(), text.len(), max_bytes).unwrap();
            assert_eq!(ends.bytes(), whole.len());
            let cut = ends.head_tail(max_bytes).map(|cut| cut.parts().concat());
            assert_eq!(cut, shorten(whole, max_bytes));
            assert_eq!(ends.first_grapheme(), first_grapheme(whole));
        }
    }

    #[test]
    fn ends_that_do_not_suffice_are_refused() {
        let ends = |text: &str| Ends::new(text.into(), text.into(), 1 << 20, 100);
        assert!(ends(&"x".repeat(5000)).is_some());
        assert_eq!(ends(&"x".repeat(1000)), None, "too short");
        assert_eq!(ends(&" ".repeat(5000)), None, "nothing but space");
        assert_eq!(ends(&"🇨🇳".repeat(900)), None, "flags that may begin in either half");
    }
}
