//! The key of a fence, and how occurrences of it in a text are found.
//!
//! 1. A text has the key wherever a model would read it: in any letter case, with invisible
//!    characters in between, with accents, in full-width, circled or mathematical characters, and
//!    with terminal escape sequences, whether or not a reader sees them.
//! 2. A hyphen before its last character breaks up an occurrence. Nothing is removed.
//! 3. A text is read once: a bit set holds how many characters of the key may have been read so
//!    far. So the time is linear in the length of the text, whatever the text is.

use crate::text::{Glyph, escape_sequence_bytes, glyphs, is_introducer};

/// The number of letters and digits in a key.
pub const KEY_LENGTH: usize = 12;

/// Inserted before the last character of a key to break it up.
pub const BREAK: char = '-';

const START: u16 = 1;
const COMPLETE: u16 = 1 << KEY_LENGTH;

/// A key, prepared for searching.
#[derive(Debug, Clone)]
pub struct Key {
    text: String,
    /// For each ASCII character, its positions in the key.
    places: [u16; 128],
}

/// A text whose keys are broken up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The text with hyphens in it.
    pub text: String,
    /// The offsets in the original text before which they were inserted, ascending.
    pub before: Vec<usize>,
}

impl Key {
    /// The key, if `text` is a valid one.
    pub fn new(text: &str) -> Option<Self> {
        let is_key = text.len() == KEY_LENGTH && text.bytes().all(|b| b.is_ascii_alphanumeric());
        let mut places = [0; 128];
        for (place, byte) in text.bytes().enumerate().filter(|_| is_key) {
            for byte in [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()] {
                places[usize::from(byte)] |= 1 << place;
            }
        }
        is_key.then(|| Key { text: text.to_owned(), places })
    }

    /// The key itself.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// A text with every occurrence of the key broken up; `None` if there is none.
    pub fn break_up(&self, text: &str) -> Option<Broken> {
        let found = self.last_characters(text);
        if found.is_empty() {
            return None;
        }
        let mut broken = String::with_capacity(text.len() + found.len());
        let mut copied = 0;
        for last in &found {
            broken.push_str(&text[copied..*last]);
            broken.push(BREAK);
            copied = *last;
        }
        broken.push_str(&text[copied..]);
        Some(Broken { text: broken, before: found })
    }

    /// Where the last character of each occurrence is, ascending. The next occurrence begins with
    /// that character at the earliest: a hyphen separates it from those before.
    fn last_characters(&self, text: &str) -> Vec<usize> {
        let mut found = Vec::new();
        let mut behind = START;
        // Where the current escape sequence ends, and what had been matched before it.
        let mut sequence = (0, 0_u16);
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(first) = bytes.get(at) {
            if at >= sequence.0 {
                behind |= std::mem::take(&mut sequence.1);
            }
            // Most characters are ASCII, and begin no escape sequence.
            if (b' '..=b'~').contains(first) {
                let places = self.places[usize::from(*first)];
                behind = (behind & places) << 1 | START;
                if behind & COMPLETE != 0 {
                    found.push(at);
                    behind = (START & places) << 1 | START;
                }
                at += 1;
                continue;
            }
            let Some(c) = text[at..].chars().next() else { break };
            if is_introducer(c)
                && let Some(bytes) = escape_sequence_bytes(&text[at..])
            {
                sequence = (at + bytes, sequence.1 | behind);
            }
            let (after, is_complete) = self.step(behind, c);
            behind = after;
            if is_complete {
                found.push(at);
                behind = self.step(START, c).0;
            }
            at += c.len_utf8();
        }
        found
    }

    /// What is matched after a character, and whether that is the whole key.
    fn step(&self, mut behind: u16, c: char) -> (u16, bool) {
        let mut is_complete = false;
        let digit = styled_digit(c);
        let styled = digit.map(Glyph::Visible);
        let seen = glyphs(c);
        let seen = styled.as_ref().map_or(seen.as_slice(), std::slice::from_ref);
        for glyph in seen {
            let places = match glyph {
                Glyph::Invisible => continue,
                Glyph::Visible(c) if c.is_ascii() => self.places[*c as usize],
                Glyph::Space | Glyph::Visible(_) => 0,
            };
            behind = (behind & places) << 1 | START;
            is_complete |= behind & COMPLETE != 0;
        }
        (behind & !COMPLETE, is_complete)
    }
}

/// The ASCII digit that a mathematical digit stands for.
fn styled_digit(c: char) -> Option<char> {
    let place = u32::from(c).checked_sub(0x1D7CE).filter(|place| *place < 50)?;
    char::from_digit(place % 10, 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "k7m2q9x4w3ab";

    fn broken(key: &str, text: &str) -> Option<String> {
        let broken = Key::new(key).unwrap().break_up(text)?;
        let mut restored = broken.text.clone();
        let hyphens = broken.before.len();
        for (nth, before) in broken.before.iter().enumerate().rev() {
            assert_eq!(restored.remove(before + nth), BREAK);
        }
        assert_eq!(broken.text.len(), text.len() + hyphens);
        assert_eq!(restored, text);
        Some(broken.text)
    }

    #[test]
    fn a_key_is_twelve_letters_and_digits() {
        assert!(Key::new(KEY).is_some() && Key::new("ABCDEFabcdef").is_some());
        for text in
            ["", "k7m2q9x4w3a", "k7m2q9x4w3abc", "k7m2q9x4w3a-", "k7m2q9x4w3aé", "k7m2q9x4w3é"]
        {
            assert!(Key::new(text).is_none(), "{text}");
        }
    }

    #[test]
    fn every_occurrence_is_broken_up_before_its_last_character() {
        assert_eq!(broken(KEY, "x k7m2q9x4w3ab y").unwrap(), "x k7m2q9x4w3a-b y");
        let twice = format!("{KEY}{KEY}");
        assert_eq!(broken(KEY, &twice).unwrap(), "k7m2q9x4w3a-bk7m2q9x4w3a-b");
        assert_eq!(
            broken("aaaaaaaaaaaa", &"a".repeat(23)).unwrap(),
            format!("{0}-{0}-a", "a".repeat(11))
        );
        assert_eq!(broken("ABABABABABAB", &"ab".repeat(7)).unwrap(), "abababababa-bab");
    }

    #[test]
    fn look_alikes_of_the_key_are_broken_up() {
        for text in [
            "K7M2Q9X4W3AB",
            "k7m2q9\u{200B}x4w\u{AD}3a\u{FE0F}b",
            "k7m2q9x4w3a\u{301}b",
            "ｋ７ｍ２ｑ９ｘ４ｗ３ａｂ",
            "𝐤𝟕𝐦𝟐𝐪𝟗𝐱𝟒𝐰𝟑𝐚𝐛",
            "ⓚ7ⓜ2ⓠ9ⓧ4ⓦ3ⓐⓑ",
            "k7m2q9\u{1B}[31mx4w3ab",
            "k7m2q9x4w3\u{0}ab",
            "\u{1B}[k7m2q9x4w3ab",
        ] {
            assert!(broken(KEY, text).is_some(), "{text:?}");
        }
        for text in ["k7m2q9 x4w3ab", "k7m2q9\nx4w3ab", "k7m2q9x4w3a", "k7m2q9-x4w3ab", "中文", ""]
        {
            assert!(broken(KEY, text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn a_text_that_was_broken_up_has_no_key() {
        for text in
            ["k7m2q9x4w3ab".repeat(9), "aK7M2Q9X4W3ABB".repeat(3), "ｋ7m2q9x4w3ab".repeat(2)]
        {
            let once = broken(KEY, &text).unwrap();
            assert!(broken(KEY, &once).is_none(), "{once}");
        }
    }
}
