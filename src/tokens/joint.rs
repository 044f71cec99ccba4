//! Counts of texts that are joined.
//!
//! `tokens(XY) = tokens(X) + tokens(Y)` if the pieces of `X` are the same with `Y` after it, and
//! the last of them ends where `X` does. The patterns look ahead and never back, so the two
//! characters at the joint decide. These joints are exact:
//!
//! 1. `X` ends in a line break, and `Y` begins with neither white space nor, for o200k, `/`.
//! 2. `X` ends in something other than white space, and `Y` begins with white space that is not a
//!    line break.
//! 3. `X` ends in a letter or a number, and `Y` begins with a line break, or with something of
//!    another kind: a letter after a number, a number after a letter, punctuation after either.
//!    An apostrophe is no such punctuation: it may belong to the word before it.
//! 4. `X` ends in punctuation, and `Y` begins with a number.
//!
//! At other joints a sum can be too large as well as too small: `in`, `g` and `ing` are one token
//! each, and so are `cum` and `enta`, but `cumenta` is three.

use super::Vocabulary;
use super::classes::{
    LETTER, LINE_BREAK, MARK, NUMBER, OTHER, SPACE, WHITE_SPACE, class_at, class_of,
};

/// Whether the tokens of two texts add up to those of the joined text. Only the last character of
/// the first and the first character of the second are examined. With an empty text they always do.
pub fn joint_is_exact(left_tail: &str, right_head: &str, vocabulary: Vocabulary) -> bool {
    match (left_tail.chars().next_back(), right_head.chars().next()) {
        (Some(last), Some(first)) => is_border(class_of(last), class_of(first), first, vocabulary),
        _ => true,
    }
}

/// Whether a piece always ends between a character of class `last` and the character `first`, and
/// the text before is split the same way without what comes after.
fn is_border(last: u8, first_class: u8, first: char, vocabulary: Vocabulary) -> bool {
    const PUNCTUATION: u8 = OTHER | MARK;
    let is_one_of = |classes: u8| first_class & classes != 0;
    if last & LINE_BREAK != 0 {
        let may_follow = vocabulary == Vocabulary::O200k && first == '/';
        return !is_one_of(WHITE_SPACE) && !may_follow;
    }
    if last & SPACE != 0 {
        return false;
    }
    if is_one_of(SPACE) {
        return true;
    }
    if last & LETTER != 0 {
        return is_one_of(LINE_BREAK | NUMBER | OTHER) && first != '\'';
    }
    if last & NUMBER != 0 {
        return is_one_of(LINE_BREAK | LETTER | PUNCTUATION);
    }
    is_one_of(NUMBER)
}

/// The places in a text where it can be divided so that the tokens of both parts add up, from
/// `start` on.
fn borders_from(text: &str, start: usize, vocabulary: Vocabulary) -> impl Iterator<Item = usize> {
    let before = text[..start].chars().next_back();
    let mut last = before.map(class_of);
    text[start..].char_indices().filter_map(move |(at, character)| {
        let (class, _) = class_at(text.as_bytes(), start + at);
        let last = last.replace(class)?;
        is_border(last, class, character, vocabulary).then_some(start + at)
    })
}

/// The first place from `start` on where the text can be divided.
pub(super) fn first_border(text: &str, start: usize, vocabulary: Vocabulary) -> Option<usize> {
    borders_from(text, start, vocabulary).next()
}

/// The last place where the text can be divided.
pub(super) fn last_border(text: &str, vocabulary: Vocabulary) -> Option<usize> {
    let mut next: Option<(usize, char)> = None;
    text.char_indices().rev().find_map(|(at, character)| {
        let (place, first) = next.replace((at, character))?;
        is_border(class_of(character), class_of(first), first, vocabulary).then_some(place)
    })
}
