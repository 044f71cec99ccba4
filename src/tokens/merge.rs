//! How many tokens a piece is.
//!
//! A piece starts as single bytes. Of all neighbours that can be merged, those of the lowest rank
//! are, until none can. Three facts make this fast. They hold because each token of these
//! vocabularies is what its own bytes are merged into:
//!
//! 1. Neighbours are merged into a token only if they are the two that the vocabulary lists for
//!    it. So tokens are looked up by pairs of tokens, not by bytes.
//! 2. If a character is a token, and no token has a part of it together with something beside it,
//!    then its bytes are merged before anything else happens to them. So it can be taken whole.
//! 3. Tokens in a row are the right ones for their bytes if each two neighbours are the right ones
//!    for theirs. So a long piece can be merged in windows that overlap by one token.

use super::row::Row;
use super::short::{MAX_TOKENS, merge_short};
use super::tables::{NONE, Tables, Token};
use std::ops::ControlFlow;

/// The size of the windows in which long pieces are merged: four times that of the longest token.
const WINDOW_BYTES: usize = 512;

/// How many tokens a piece is.
#[inline(never)]
pub fn count_piece(tables: &Tables, row: &mut Row, piece: &[u8]) -> usize {
    if let Some(count) = count_short(tables, piece) {
        return count;
    }
    let mut count = 0;
    for_each_window(tables, row, piece, |tokens| {
        count += tokens.len();
        ControlFlow::Continue(())
    });
    count
}

/// `None` if the piece is not short.
#[inline]
fn count_short(tables: &Tables, piece: &[u8]) -> Option<usize> {
    let mut tokens = [0; MAX_TOKENS];
    let (mut at, mut count) = (0, 0);
    while at < piece.len() {
        let (token, bytes) = first_token(tables, piece, at);
        *tokens.get_mut(count)? = token;
        at += bytes;
        count += 1;
    }
    Some(merge_short(tables, &mut tokens, count))
}

/// Calls `visit` with the tokens of a piece, some at a time, until it breaks.
pub fn for_each_window(
    tables: &Tables,
    row: &mut Row,
    piece: &[u8],
    visit: impl FnMut(&[Token]) -> ControlFlow<()>,
) {
    for_each_window_of(WINDOW_BYTES, tables, row, piece, visit);
}

fn for_each_window_of(
    window_bytes: usize,
    tables: &Tables,
    row: &mut Row,
    piece: &[u8],
    mut visit: impl FnMut(&[Token]) -> ControlFlow<()>,
) {
    let mut window = Window::new(tables, row, piece, 0, window_bytes);
    while window.end < piece.len() {
        let (kept, next) = window.next(tables, row, piece, window_bytes);
        if visit(&window.tokens[..kept]).is_break() {
            return;
        }
        window = next;
    }
    // Nothing follows, so it does not matter whether the caller wants more.
    let _ = visit(&window.tokens);
}

/// A part of a piece, merged.
struct Window {
    start: usize,
    end: usize,
    tokens: Vec<Token>,
}

impl Window {
    fn new(tables: &Tables, row: &mut Row, piece: &[u8], start: usize, bytes: usize) -> Self {
        let end = piece.len().min(start + bytes);
        row.merge(tables, first_tokens(tables, &piece[start..end]));
        Window { start, end, tokens: row.tokens().collect() }
    }

    /// The next window, and how many tokens of this one come before it.
    ///
    /// What follows a window can change its last tokens. So the next one begins with a token that
    /// has a quarter of the tokens behind it. Should it begin with another one, an earlier one is
    /// tried, and if there is none, the same window again with twice the size.
    fn next(
        &self,
        tables: &Tables,
        row: &mut Row,
        piece: &[u8],
        window_bytes: usize,
    ) -> (usize, Self) {
        let mut tried = self.tokens.len() * 3 / 4;
        while tried > 0 {
            let bytes = self.tokens[..tried].iter().map(|token| tables.token_bytes(*token));
            let start = self.start + bytes.sum::<usize>();
            let next = Window::new(tables, row, piece, start, window_bytes);
            if next.end > self.end && next.tokens[0] == self.tokens[tried] {
                return (tried, next);
            }
            tried = tried * 3 / 4;
        }
        (0, Window::new(tables, row, piece, self.start, 2 * (self.end - self.start)))
    }
}

fn first_tokens(tables: &Tables, piece: &[u8]) -> impl Iterator<Item = Token> {
    let mut at = 0;
    std::iter::from_fn(move || {
        (at < piece.len()).then(|| {
            let (token, bytes) = first_token(tables, piece, at);
            at += bytes;
            token
        })
    })
}

/// The token that stands at `at` before anything is merged, and its size: a character if it can
/// be taken whole, or a byte.
#[inline]
fn first_token(tables: &Tables, piece: &[u8], at: usize) -> (Token, usize) {
    let first = piece[at];
    if first >= 0xC0
        && let Some((code_point, bytes)) = decoded(&piece[at..])
        && !is_crossed(tables, piece, at)
        && !is_crossed(tables, piece, at + bytes)
    {
        let token = tables.character(code_point);
        if token != NONE {
            return (token, bytes);
        }
    }
    (tables.single(first), 1)
}

/// The character that begins with the first byte, which is beyond ASCII, and its size. `None` if
/// the piece ends inside it, as a window may.
#[inline]
fn decoded(piece: &[u8]) -> Option<(usize, usize)> {
    let bits = |byte: u8| usize::from(byte & 0x3F);
    match *piece {
        [a @ ..0xE0, b, ..] => Some((usize::from(a & 0x1F) << 6 | bits(b), 2)),
        [a @ ..0xF0, b, c, ..] => Some((usize::from(a & 0x0F) << 12 | bits(b) << 6 | bits(c), 3)),
        [a, b, c, d, ..] => {
            Some((usize::from(a & 0x07) << 18 | bits(b) << 12 | bits(c) << 6 | bits(d), 4))
        }
        _ => None,
    }
}

/// Whether a token may reach over this border between characters and have a part of one.
#[inline]
fn is_crossed(tables: &Tables, piece: &[u8], border: usize) -> bool {
    border > 0 && border < piece.len() && tables.is_crossed(piece[border - 1], piece[border])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::Vocabulary;

    /// The tokens of a piece, in windows of a certain size.
    fn tokens_of(vocabulary: Vocabulary, piece: &str, window_bytes: usize) -> Vec<Token> {
        vocabulary.with_tables(|tables, row| {
            let mut all = Vec::new();
            for_each_window_of(window_bytes, tables, row, piece.as_bytes(), |tokens| {
                all.extend_from_slice(tokens);
                ControlFlow::Continue(())
            });
            all
        })
    }

    #[test]
    fn windows_of_any_size_give_the_same_tokens() {
        let letters = "thequickbrownfoxnationalizationaaaaaaaaaaaaaaaa";
        let wide = "人工智能的发展👍🏽👨‍👩‍👧‍👦🇨🇳e\u{301}안녕하세요مرحبا";
        for vocabulary in Vocabulary::ALL {
            for piece in [letters.repeat(9), wide.repeat(9), " ".repeat(700), "=".repeat(555)] {
                let whole = tokens_of(vocabulary, &piece, usize::MAX / 2);
                // Windows of a few bytes begin with another token than they should, and grow.
                for window_bytes in [1, 2, 3, 5, 8, 16, 33, 64, 200, WINDOW_BYTES] {
                    assert_eq!(tokens_of(vocabulary, &piece, window_bytes), whole, "{window_bytes}");
                }
            }
        }
    }
}
