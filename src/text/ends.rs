//! A text too long to be read whole: of a message of megabytes that has to be cut to
//! kilobytes, only the two ends are ever needed.

use super::cut::{first_grapheme, shorten_ends};
use super::trim::is_js_whitespace;
use std::borrow::Cow;

/// Where a grapheme begins can depend on what comes before it, so more than what is kept is
/// read of the end: at least this much.
pub const MARGIN_BYTES: usize = 1024;

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
        let long_enough = beginning.len().min(end.len()) >= max_bytes + MARGIN_BYTES;
        // From a letter on, graphemes are told apart whatever comes before it.
        let firm_ground = end.chars().take(MARGIN_BYTES / 4).any(char::is_alphanumeric);
        (long_enough && firm_ground && bytes > max_bytes).then_some(Ends { beginning, end, bytes })
    }

    /// The size of the whole text, without the white space around it.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The text in at most `max_bytes`, as [`shorten`](super::shorten) does it.
    pub fn shorten(&self, max_bytes: usize) -> Option<String> {
        shorten_ends(&self.beginning, &self.end, self.bytes, max_bytes)
    }

    /// The least of the text that still is some of it.
    pub fn first_grapheme(&self) -> &str {
        first_grapheme(&self.beginning)
    }
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
            let need = max_bytes + 2 * MARGIN_BYTES;
            let beginning = &text[..text.floor_char_boundary(need)];
            let end = &text[text.ceil_char_boundary(text.len() - need)..];
            let ends = Ends::new(beginning.into(), end.into(), text.len(), max_bytes).unwrap();
            assert_eq!(ends.bytes(), whole.len());
            assert_eq!(ends.shorten(max_bytes), shorten(whole, max_bytes));
            assert_eq!(ends.first_grapheme(), first_grapheme(whole));
        }
    }

    #[test]
    fn ends_that_do_not_suffice_are_refused() {
        let ends = |text: &str| Ends::new(text.into(), text.into(), 1 << 20, 100);
        assert!(ends(&"x".repeat(2000)).is_some());
        assert_eq!(ends(&"x".repeat(1000)), None, "too short");
        assert_eq!(ends(&" ".repeat(2000)), None, "nothing but space");
        assert_eq!(ends(&"🇨🇳".repeat(500)), None, "flags that may begin in either half");
    }
}
