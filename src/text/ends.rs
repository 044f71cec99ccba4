//! Texts of which only the two ends are read. A message of megabytes that is shortened to
//! kilobytes needs no more than that.

use super::cut::{HeadTail, head_tail_of_ends, least_cut};
use super::trim::is_js_whitespace;
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;

/// How far apart letters and ASCII characters may be in the ends of a text.
///
/// 1. Whether a position is a grapheme boundary can depend on the characters before it, but not
///    on those before a letter or an ASCII character.
/// 2. A head or tail can be shorter than its limit by a part of a grapheme, and the other end
///    gets these bytes.
///
/// With this margin, both ends give the same result as the whole text would.
const MARGIN_BYTES: usize = 1024;

/// How many bytes of each end are needed to shorten a text to `max_bytes`.
pub fn needed_of_each_end(max_bytes: usize) -> usize {
    (max_bytes / 2).saturating_add(3 * MARGIN_BYTES)
}

/// A text, or the parts of it that are needed to shorten it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text<'t> {
    /// The whole text.
    Whole(Cow<'t, str>),
    /// The beginning and the end.
    Ends(Ends),
}

impl Default for Text<'_> {
    fn default() -> Self {
        Text::Whole("".into())
    }
}

impl Text<'_> {
    /// The known part of the beginning.
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
    /// The size of the whole text as it was given.
    pub given_bytes: usize,
}

impl Ends {
    /// The ends of a text of `total_bytes` that is going to be shortened to at most `max_bytes`,
    /// and not below `min_bytes`. Returns `None` if the text is not longer than that, or if the ends
    /// are too short or do not have enough letters to find the grapheme boundaries.
    pub fn new(
        mut beginning: String,
        mut end: String,
        total_bytes: usize,
        max_bytes: usize,
        min_bytes: usize,
    ) -> Option<Self> {
        let untrimmed = beginning.len() + end.len();
        beginning.drain(..beginning.len() - beginning.trim_start_matches(is_js_whitespace).len());
        end.truncate(end.trim_end_matches(is_js_whitespace).len());
        let bytes = total_bytes - (untrimmed - beginning.len() - end.len());
        let max_bytes = max_bytes.max(min_bytes);
        let least = needed_of_each_end(max_bytes) - MARGIN_BYTES;
        let suffices = |text: &str| text.len() >= least && has_close_letters(text);
        (bytes > max_bytes && suffices(&beginning) && suffices(&end)).then_some(Ends {
            beginning,
            end,
            bytes,
            given_bytes: total_bytes,
        })
    }

    /// The size of the whole text, without the white space around it.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Shortens the text to at most `max_bytes`, like [`shorten`](super::shorten).
    pub fn head_tail(&self, max_bytes: usize) -> Option<HeadTail<'_>> {
        head_tail_of_ends(&self.beginning, &self.end, self.bytes, max_bytes)
    }

    /// The smallest cut that has at least `min_bytes`; `None` if only the whole text has.
    pub fn least_cut(&self, min_bytes: usize) -> Option<HeadTail<'_>> {
        least_cut(&self.beginning, &self.end, self.bytes, min_bytes)
    }
}

/// Whether letters or ASCII characters are never further apart than [`MARGIN_BYTES`]. From each
/// one, it searches for the next backwards from the end of the margin: most text needs one look per
/// kilobyte.
fn has_close_letters(text: &str) -> bool {
    if text.is_ascii() {
        return true;
    }
    let mut last = 0;
    loop {
        let margin_end = text.ceil_char_boundary(last + MARGIN_BYTES);
        if margin_end == text.len() {
            return true;
        }
        // The character after the margin may be the next one.
        let end = text.ceil_char_boundary(margin_end + 1);
        let next = text.ceil_char_boundary(last + 1);
        match text[next..end].rfind(is_landmark) {
            Some(found) => last = next + found,
            None => return false,
        }
    }
}

/// The position in the end of a text of the first character after which graphemes can be found
/// without knowing what comes before; the length of the text if there is none.
pub fn first_landmark(end: &str) -> usize {
    end.find(is_landmark).unwrap_or(end.len())
}

/// Whether graphemes after this character do not depend on what is before it: it is an ASCII
/// character, or a letter that always begins one. In Devanagari and other scripts, letters join
/// into one grapheme of any length.
fn is_landmark(c: char) -> bool {
    c.is_ascii() || c.is_alphanumeric() && !continues_grapheme(c)
}

/// Whether a letter can continue a grapheme: as a mark, in Hangul, in a conjunct, or after a
/// joiner. The crate that finds the boundaries decides. It is asked about one letter per kilobyte.
fn continues_grapheme(c: char) -> bool {
    let before = ["a", "\u{1100}", "\u{11A8}", "\u{915}\u{94D}", "\u{1F469}\u{200D}"];
    before.iter().any(|before| format!("{before}{c}").graphemes(true).count() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{shorten, trim_js};
    use unicode_segmentation::GraphemeCursor;

    #[test]
    fn ends_are_shortened_like_the_whole_text() {
        let family = "👨‍👩‍👧‍👦 e\u{301} 中文\r\n";
        let text = format!(" \n{}\u{FEFF}", family.repeat(2000));
        let whole = trim_js(&text);
        for max_bytes in [1, 30, 60, 61, 100, 999, 1000, 1001, 5000] {
            let need = needed_of_each_end(max_bytes);
            let beginning = &text[..text.floor_char_boundary(need)];
            let end = &text[text.ceil_char_boundary(text.len() - need)..];
            let ends = Ends::new(beginning.into(), end.into(), text.len(), max_bytes, 256).unwrap();
            assert_eq!(ends.bytes(), whole.len());
            let short = ends.head_tail(max_bytes).map(|short| short.parts().concat());
            assert_eq!(short, shorten(whole, max_bytes));
            for min_bytes in [0, 256, max_bytes] {
                let least = least_cut(whole, whole, whole.len(), min_bytes);
                assert_eq!(ends.least_cut(min_bytes), least);
            }
            let beyond = max_bytes + 8192;
            let ends = Ends::new(beginning.into(), end.into(), text.len(), max_bytes, beyond);
            assert_eq!(ends, None, "too short for a cut of {beyond} bytes");
        }
    }

    #[test]
    fn a_landmark_never_joins_the_previous_grapheme() {
        // A letter, a mark, a virama, jamo, syllables, a joiner after a pictograph, half a flag.
        let before = ["a", "e\u{301}", "क्", "ᄀ", "가", "각", "👨\u{200D}", "🇨"];
        let is_joined = |c: char| {
            before.iter().any(|before| {
                let text = format!("{before}{c}");
                let mut cursor = GraphemeCursor::new(before.len(), text.len(), true);
                cursor.is_boundary(&text, 0) == Ok(false)
            })
        };
        // There are tens of thousands of ideographs: a few are enough.
        let few = |c: &char| !matches!(c, '\u{4E10}'..='\u{9FFF}' | '\u{20010}'..='\u{3FFFF}');
        let letters = ('\u{80}'..=char::MAX).filter(few).filter(|c| c.is_alphanumeric());
        for c in letters {
            assert_eq!(is_landmark(c), !is_joined(c), "{:X}", u32::from(c));
        }
    }

    #[test]
    fn landmarks_are_close_if_none_are_further_apart_than_the_margin() {
        let one_by_one = |text: &str| {
            let mut last = 0;
            text.char_indices().all(|(at, c)| {
                if is_landmark(c) {
                    last = at;
                }
                at - last < MARGIN_BYTES
            })
        };
        for gap in MARGIN_BYTES - 8..MARGIN_BYTES + 8 {
            for letter in ["中", "x", "é", "🚀"] {
                for filler in ["\u{301}", "🚀", "\u{200D}"] {
                    let joined = filler.repeat(gap / filler.len());
                    let text = format!("{letter}{joined}{letter}{joined}y{letter}");
                    assert_eq!(has_close_letters(&text), one_by_one(&text), "{gap} {letter}");
                }
            }
        }
    }

    #[test]
    fn ends_that_are_too_short_are_refused() {
        let ends = |text: &str| Ends::new(text.into(), text.into(), 1 << 20, 100, 256);
        assert!(ends(&"x".repeat(5000)).is_some());
        assert_eq!(ends(&"x".repeat(1000)), None, "too short");
        assert_eq!(ends(&" ".repeat(5000)), None, "only white space");
        assert_eq!(ends(&"क्".repeat(900)), None, "letters that join to one grapheme");
        assert_eq!(ends(&"🇨🇳".repeat(900)), None, "flags that may begin in either half");
    }
}
