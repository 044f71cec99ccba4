//! The patterns that split a text into pieces. No token reaches from one piece into the next.
//!
//! The reference has regular expressions, whose alternatives are tried in order; here they are one
//! pass over the characters. In the comments, `U` is a letter that may stand in upper case (upper
//! case, title case, no case, or a mark), `L` one that may stand in lower case, and `p` the one
//! character before a word that belongs to it.

use super::classes::{
    CASELESS, END, LETTER, LINE_BREAK, LOWER, MARK, NUMBER, OTHER, SPACE, UPPER, WHITE_SPACE,
    class_at, run_end,
};

/// What o200k words are made of.
const WORD: u8 = LETTER | MARK;

/// What punctuation is made of: everything but white space, letters and numbers.
const PUNCTUATION: u8 = OTHER | MARK;

/// How many digits make a piece.
const MAX_DIGITS: usize = 3;

/// The end of the o200k piece that begins at `at`, which is before the end of the text.
#[inline]
pub fn o200k_piece_end(text: &[u8], at: usize) -> usize {
    let (class, bytes) = class_at(text, at);
    if class & WORD != 0 {
        // A mark could also be the `p` of this word, which makes no difference.
        return word_end(text, at);
    }
    if class == NUMBER {
        return digits_end(text, at);
    }
    if class == LINE_BREAK {
        return white_space_end(text, at);
    }
    let (next, _) = class_at(text, at + bytes);
    if next & WORD != 0 {
        return word_end(text, at + bytes);
    }
    match punctuation_start(text, at, class, next, OTHER) {
        Some(start) => punctuation_end(text, start, b"\r\n/"),
        None => white_space_end(text, at),
    }
}

/// The end of the cl100k piece that begins at `at`, which is before the end of the text.
#[inline]
pub fn cl100k_piece_end(text: &[u8], at: usize) -> usize {
    let (class, bytes) = class_at(text, at);
    if class & LETTER != 0 {
        return run_end(text, at + bytes, LETTER);
    }
    if class == NUMBER {
        return digits_end(text, at);
    }
    if class == LINE_BREAK {
        return white_space_or_all_end(text, at);
    }
    let contraction = contraction_end(text, at);
    if contraction > at {
        return contraction;
    }
    let after = at + bytes;
    let (next, _) = class_at(text, after);
    if next & LETTER != 0 {
        return run_end(text, after, LETTER);
    }
    match punctuation_start(text, at, class, next, PUNCTUATION) {
        Some(start) => punctuation_end(text, start, b"\r\n"),
        None => white_space_or_all_end(text, at),
    }
}

/// The end of a word of o200k, `U*L+` or else `U+L*`, and of the contraction that may follow it.
/// The first is tried to its end before the second, so of a mark and `ABC` it takes the mark.
#[inline(always)]
fn word_end(text: &[u8], start: usize) -> usize {
    let mut at = start;
    // The end of the last character that `L` matches too.
    let mut lower_end = None;
    let end = loop {
        let (class, bytes) = class_at(text, at);
        match class {
            LOWER => break run_end(text, at + bytes, LOWER | CASELESS | MARK),
            UPPER => at += bytes,
            CASELESS | MARK => {
                at += bytes;
                lower_end = Some(at);
            }
            _ => break lower_end.unwrap_or(at),
        }
    };
    contraction_end(text, end)
}

/// The end of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d` in any case at `at`, or `at`.
#[inline(always)]
fn contraction_end(text: &[u8], at: usize) -> usize {
    match text[at..] {
        [b'\'', ref rest @ ..] => at + contraction_bytes(rest),
        _ => at,
    }
}

/// The size of a contraction whose apostrophe is before `rest`, or 0.
fn contraction_bytes(rest: &[u8]) -> usize {
    match *rest {
        [b's' | b'S' | b't' | b'T' | b'm' | b'M' | b'd' | b'D', ..] => 2,
        [b'r' | b'R' | b'v' | b'V', b'e' | b'E', ..] => 3,
        [b'l' | b'L', b'l' | b'L', ..] => 3,
        // The long s, whose upper case is `S`.
        [0xC5, 0xBF, ..] => 3,
        _ => 0,
    }
}

#[inline(always)]
fn digits_end(text: &[u8], mut at: usize) -> usize {
    for _ in 0..MAX_DIGITS {
        let (class, bytes) = class_at(text, at);
        if class != NUMBER {
            break;
        }
        at += bytes;
    }
    at
}

/// Where punctuation begins in a piece at `at` whose first character is of `class`: there, or
/// after a space. `None` if the piece is white space.
#[inline(always)]
fn punctuation_start(
    text: &[u8],
    at: usize,
    class: u8,
    next: u8,
    after_space: u8,
) -> Option<usize> {
    match class {
        SPACE if text[at] == b' ' && next & after_space != 0 => Some(at + 1),
        SPACE => None,
        _ => Some(at),
    }
}

/// The end of punctuation and of the characters that may follow it.
#[inline(always)]
fn punctuation_end(text: &[u8], start: usize, followers: &[u8]) -> usize {
    let end = run_end(text, start, PUNCTUATION);
    let following = text[end..].iter().take_while(|byte| followers.contains(byte));
    end + following.count()
}

/// The end of a piece of white space: of its last line break; or before its last character,
/// which belongs to the word after it.
#[inline(never)]
fn white_space_end(text: &[u8], start: usize) -> usize {
    let (mut at, mut last, mut line_break_end) = (start, start, None);
    loop {
        let (class, bytes) = class_at(text, at);
        match class {
            END => return line_break_end.unwrap_or(at),
            _ if class & WHITE_SPACE == 0 => break,
            _ => last = at,
        }
        at += bytes;
        if class == LINE_BREAK {
            line_break_end = Some(at);
        }
    }
    line_break_end.unwrap_or(if last == start { at } else { last })
}

/// The same for cl100k, where white space at the end of the text is one piece.
fn white_space_or_all_end(text: &[u8], start: usize) -> usize {
    let end = run_end(text, start, WHITE_SPACE);
    if end == text.len() { end } else { white_space_end(text, start) }
}
