//! Shortens texts.
//!
//! 1. A text is cut at a grapheme boundary: an emoji with its modifiers, a flag, a Hangul
//!    syllable and CRLF are never split.
//! 2. The head and the tail are kept, with an omission line between them that says how many
//!    bytes are missing. The size limit includes this line.
//! 3. If the limit leaves less than `MIN_AROUND_MARKER` bytes beside the omission line, only
//!    the head is kept.

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// The least size of head and tail together. With less, the omission line is not worth its size.
const MIN_AROUND_MARKER: usize = 32;

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
fn tail(text: &str, max_bytes: usize) -> &str {
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

/// The first grapheme of `text`, which is empty only if `text` is.
pub fn first_grapheme(text: &str) -> &str {
    text.graphemes(true).next().unwrap_or("")
}

/// Shortens `text` to at most `max_bytes`: head, omission line and tail, or only the head.
/// Returns `None` if not even the first grapheme fits.
pub fn shorten(text: &str, max_bytes: usize) -> Option<String> {
    if text.len() <= max_bytes {
        return Some(text.to_owned());
    }
    head_tail(text, max_bytes).map(|short| short.parts().concat())
}

/// A shortened text: its head, then the omission line and the tail, which are empty if only the
/// head was kept.
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

    /// The size of all parts together.
    pub fn bytes(&self) -> usize {
        self.parts().iter().map(|part| part.len()).sum()
    }
}

/// Like [`shorten`], for a text of `total_bytes` of which only the beginning and the end are
/// known. Each must be long enough for the part of it that is kept.
pub fn shorten_ends(
    beginning: &str,
    end: &str,
    total_bytes: usize,
    max_bytes: usize,
) -> Option<String> {
    head_tail_of_ends(beginning, end, total_bytes, max_bytes).map(|short| short.parts().concat())
}

/// Like [`shorten`], without copying, for a text that is longer than `max_bytes`.
pub fn head_tail(text: &str, max_bytes: usize) -> Option<HeadTail<'_>> {
    head_tail_of_ends(text, text, text.len(), max_bytes)
}

/// Like [`shorten_ends`], without copying.
pub fn head_tail_of_ends<'t>(
    beginning: &'t str,
    end: &'t str,
    total_bytes: usize,
    max_bytes: usize,
) -> Option<HeadTail<'t>> {
    // The omitted number is at most `total_bytes`, so the final line is no longer than this one.
    let around = max_bytes.saturating_sub(omission_line(total_bytes).len());
    if around >= MIN_AROUND_MARKER {
        let head = head(beginning, around.div_ceil(2));
        let tail = tail(end, around - head.len());
        if !head.is_empty() && !tail.is_empty() {
            let omission = omission_line(total_bytes - head.len() - tail.len());
            return Some(HeadTail { head, omission, tail });
        }
    }
    let head = head(beginning, max_bytes);
    (!head.is_empty()).then(|| HeadTail { head, omission: String::new(), tail: "" })
}

/// Whether `short` consists of a head of `whole`, an omission line and a tail of `whole`, as
/// [`shorten`] writes them.
pub fn is_shortened(short: &str, whole: &str) -> bool {
    let parts = short.match_indices(OMISSION_OPEN).filter_map(|(at, open)| {
        let rest = &short[at + open.len()..];
        let digits = rest.bytes().take(20).take_while(u8::is_ascii_digit).count();
        let tail = rest[digits..].strip_prefix(OMISSION_CLOSE)?;
        Some((&short[..at], rest[..digits].parse::<usize>().ok()?, tail))
    });
    let mut cuts = parts.map(|(head, omitted, tail)| {
        head.len().checked_add(omitted).and_then(|sum| sum.checked_add(tail.len()))
            == Some(whole.len())
            && whole.starts_with(head)
            && whole.ends_with(tail)
    });
    cuts.any(|is_cut| is_cut)
}

const OMISSION_OPEN: &str = "\n[… ";
const OMISSION_CLOSE: &str = " bytes omitted …]\n";

fn omission_line(omitted_bytes: usize) -> String {
    format!("{OMISSION_OPEN}{omitted_bytes}{OMISSION_CLOSE}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILY: &str = "👨‍👩‍👧‍👦";
    const FLAG: &str = "🇨🇳";
    const HANGUL: &str = "각";

    #[test]
    fn head_never_splits_a_grapheme() {
        for whole in [FAMILY, FLAG, HANGUL, "\r\n", "e\u{301}", "👍🏽", "क्षि"] {
            let text = format!("a{whole}b");
            for max in 1..=whole.len() {
                assert_eq!(head(&text, max), "a", "{whole:?} at {max}");
            }
            assert_eq!(head(&text, 1 + whole.len()), &text[..1 + whole.len()]);
        }
    }

    #[test]
    fn head_utf16_counts_as_javascript_does_and_never_splits_a_grapheme() {
        for (text, max_units, expected) in [
            ("", 0, ""),
            ("ab", 0, ""),
            ("abc", 3, "abc"),
            ("abcd", 3, "abc"),
            ("ab", usize::MAX, "ab"),
            ("中文字", 2, "中文"),
            ("a😀b", 2, "a"),
            ("a😀b", 3, "a😀"),
            ("a👍🏽b", 4, "a"),
            ("a👍🏽b", 5, "a👍🏽"),
            ("e\u{301}x", 1, ""),
        ] {
            assert_eq!(head_utf16(text, max_units), expected, "{text:?} at {max_units}");
        }
    }

    #[test]
    fn tail_never_splits_a_grapheme() {
        for whole in [FAMILY, FLAG, HANGUL, "\r\n", "e\u{301}", "👍🏽"] {
            let text = format!("a{whole}b");
            for max in 1..=whole.len() {
                assert_eq!(tail(&text, max), "b", "{whole:?} at {max}");
            }
            assert_eq!(tail(&text, 1 + whole.len()), &text[1..]);
        }
    }

    #[test]
    fn consecutive_flags_are_cut_between_flags() {
        let text = FLAG.repeat(50);
        for max in 0..text.len() {
            assert_eq!(head(&text, max).len(), max / 8 * 8);
            assert_eq!(tail(&text, max).len(), max / 8 * 8);
        }
    }

    #[test]
    fn shortening_keeps_both_ends_and_counts_omitted_bytes() {
        let text = format!("begin {} end", "x".repeat(500));
        let short = shorten(&text, 100).unwrap();
        assert!(short.len() <= 100);
        let (head, rest) = short.split_once("\n[… ").unwrap();
        let (omitted, tail) = rest.split_once(" bytes omitted …]\n").unwrap();
        assert!(head.starts_with("begin "));
        assert!(tail.ends_with(" end"));
        let omitted: usize = omitted.parse().unwrap();
        assert_eq!(head.len() + omitted + tail.len(), text.len());
    }

    #[test]
    fn a_shortened_text_is_recognised() {
        let text = format!("begin {} end", "x".repeat(500));
        for max in 80..=text.len() {
            assert_eq!(is_shortened(&shorten(&text, max).unwrap(), &text), max < text.len());
        }
        let other = text.replace("end", "END");
        assert!(!is_shortened(&shorten(&other, 100).unwrap(), &text));
        assert!(!is_shortened("begin", &text));
    }

    #[test]
    fn only_the_head_is_kept_if_the_omission_line_does_not_fit() {
        let text = "x".repeat(500);
        assert_eq!(shorten(&text, 40).unwrap(), "x".repeat(40));
        assert_eq!(shorten(&text, 1).unwrap(), "x");
        assert_eq!(shorten(&text, 0), None);
    }

    #[test]
    fn a_single_grapheme_is_kept_whole_or_not_at_all() {
        let text = FAMILY.repeat(2);
        assert_eq!(shorten(&text, FAMILY.len()).unwrap(), FAMILY);
        assert_eq!(shorten(&text, FAMILY.len() - 1), None);
        // The first grapheme has a kilobyte, so no head fits.
        let zalgo = format!("e{}", "\u{301}".repeat(500));
        assert_eq!(shorten(&format!("{zalgo}tail"), 200), None);
    }

    #[test]
    fn every_size_is_respected() {
        let text = format!("{FAMILY}{FLAG} 中文 e\u{301}\r\n{HANGUL}").repeat(20);
        for max in 0..=text.len() + 1 {
            if let Some(short) = shorten(&text, max) {
                assert!(short.len() <= max && !short.is_empty());
            } else {
                assert!(max < FAMILY.len());
            }
        }
    }
}
