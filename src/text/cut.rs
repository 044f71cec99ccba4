//! The one way in which a text is made shorter.
//!
//! 1. A cut falls on a grapheme boundary: an emoji with its modifiers, a flag, a
//!    Hangul syllable and CRLF stay whole.
//! 2. Head and tail are kept, and a line between them says how many bytes are
//!    missing; that line is part of the size that was asked for.
//! 3. Where that line would leave next to nothing around it, the head alone is kept.

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// With less than this on both sides together, an omission line costs more than it tells.
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

/// The least of a text that still is some of it.
pub fn first_grapheme(text: &str) -> &str {
    text.graphemes(true).next().unwrap_or("")
}

/// `text` in at most `max_bytes`: head, omission line and tail, or the head alone.
/// `None` when not even the first grapheme fits.
pub fn shorten(text: &str, max_bytes: usize) -> Option<String> {
    if text.len() <= max_bytes {
        return Some(text.to_owned());
    }
    head_tail(text, max_bytes).map(|cut| cut.parts().concat())
}

/// What is left of a text: its head, and if there was room for them, the omission line and
/// its tail.
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

    /// The size of all parts.
    pub fn bytes(&self) -> usize {
        self.parts().iter().map(|part| part.len()).sum()
    }
}

/// The same for a text of `total_bytes` of which only a beginning and an end were read,
/// each long enough for what is kept of it.
pub fn shorten_ends(
    beginning: &str,
    end: &str,
    total_bytes: usize,
    max_bytes: usize,
) -> Option<String> {
    head_tail_of_ends(beginning, end, total_bytes, max_bytes).map(|cut| cut.parts().concat())
}

/// The same of a whole text that is longer than `max_bytes`, without a copy.
pub fn head_tail(text: &str, max_bytes: usize) -> Option<HeadTail<'_>> {
    head_tail_of_ends(text, text, text.len(), max_bytes)
}

/// The same of the ends, without a copy.
pub fn head_tail_of_ends<'t>(
    beginning: &'t str,
    end: &'t str,
    total_bytes: usize,
    max_bytes: usize,
) -> Option<HeadTail<'t>> {
    // The number in the line can only be smaller than the whole text, so this is its
    // greatest width, and what is built from it cannot come out too long.
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

/// Whether `short` is `whole` with its middle left out, as [`shorten`] does it.
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
    cuts.any(|cut| cut)
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
    fn a_row_of_flags_is_cut_between_flags() {
        let text = FLAG.repeat(50);
        for max in 0..text.len() {
            assert_eq!(head(&text, max).len(), max / 8 * 8);
            assert_eq!(tail(&text, max).len(), max / 8 * 8);
        }
    }

    #[test]
    fn shortening_keeps_both_ends_and_counts_what_is_missing() {
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
    fn without_room_for_the_line_the_head_stays() {
        let text = "x".repeat(500);
        assert_eq!(shorten(&text, 40).unwrap(), "x".repeat(40));
        assert_eq!(shorten(&text, 1).unwrap(), "x");
        assert_eq!(shorten(&text, 0), None);
    }

    #[test]
    fn a_single_grapheme_is_kept_or_given_up() {
        let text = FAMILY.repeat(2);
        assert_eq!(shorten(&text, FAMILY.len()).unwrap(), FAMILY);
        assert_eq!(shorten(&text, FAMILY.len() - 1), None);
        // One grapheme of a kilobyte: no head fits beside a line, so none is attempted.
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
