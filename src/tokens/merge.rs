//! How many tokens a piece is.
//!
//! A piece starts as single bytes. Of all neighbours that can be merged, those with the lowest rank
//! are merged, until none can be. Three facts make this fast. They hold because merging the bytes
//! of any token of these vocabularies yields that token:
//!
//! 1. Neighbours are merged into a token only if they are the two that the vocabulary lists for
//!    it. So tokens are looked up by pairs of tokens, not by bytes.
//! 2. If a character is a token, and no token combines a part of it with something beside it, then
//!    its bytes are merged before anything else happens to them. So it can be taken whole.
//! 3. A sequence of tokens is right for its bytes if every two neighbours are right for theirs. So
//!    a long piece can be merged in windows that overlap by one token.

use super::row::Row;
use super::short::{MAX_TOKENS, merge_short};
use super::tables::{NONE, Tables, Token};

/// The size of the windows in which long pieces are merged: four times the longest token.
const WINDOW_BYTES: usize = 512;

/// How many tokens a piece is.
#[inline(never)]
pub fn count_piece(tables: &Tables, row: &mut Row, piece: &[u8]) -> usize {
    count_short(tables, piece)
        .unwrap_or_else(|| merge_windows(tables, row, piece, WINDOW_BYTES).len())
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

/// The tokens of a piece, merged in windows of at least this size. If the windows turn out to be
/// too small, it starts over with larger ones.
fn merge_windows(
    tables: &Tables,
    row: &mut Row,
    piece: &[u8],
    mut window_bytes: usize,
) -> Vec<Token> {
    loop {
        if let Some(tokens) = try_merge_windows(tables, row, piece, window_bytes) {
            return tokens;
        }
        window_bytes *= 2;
    }
}

/// The same in windows of this size; `None` if they are too small.
fn try_merge_windows(
    tables: &Tables,
    row: &mut Row,
    piece: &[u8],
    window_bytes: usize,
) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut window = MergeWindow::new(tables, row, piece, 0, window_bytes);
    while window.end < piece.len() {
        let (kept, next) = window.next(tables, row, piece, window_bytes)?;
        tokens.extend_from_slice(&window.tokens[..kept]);
        window = next;
    }
    tokens.extend(window.tokens);
    Some(tokens)
}

/// A part of a piece, merged.
struct MergeWindow {
    start: usize,
    end: usize,
    tokens: Vec<Token>,
}

impl MergeWindow {
    fn new(tables: &Tables, row: &mut Row, piece: &[u8], start: usize, bytes: usize) -> Self {
        let end = piece.len().min(start + bytes);
        row.merge(tables, first_tokens(tables, &piece[start..end]));
        MergeWindow { start, end, tokens: row.tokens().collect() }
    }

    /// The next window, and how many tokens of this one come before it.
    ///
    /// What follows a window can change its last tokens. So the next one begins with a token that
    /// has a quarter of the tokens after it. If it does not begin with that token after all, an
    /// earlier one is tried.
    fn next(
        &self,
        tables: &Tables,
        row: &mut Row,
        piece: &[u8],
        window_bytes: usize,
    ) -> Option<(usize, Self)> {
        let mut kept = self.tokens.len() * 3 / 4;
        while kept > 0 {
            let bytes = self.tokens[..kept].iter().map(|token| tables.token_bytes(*token));
            let start = self.start + bytes.sum::<usize>();
            let next = MergeWindow::new(tables, row, piece, start, window_bytes);
            if next.end > self.end && next.tokens[0] == self.tokens[kept] {
                return Some((kept, next));
            }
            kept = kept * 3 / 4;
        }
        None
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

/// The token at `at` before anything is merged, and its size: a character if it can be taken whole,
/// otherwise a byte.
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

/// Whether a token may cross this border between characters and contain a part of one.
#[inline]
fn is_crossed(tables: &Tables, piece: &[u8], border: usize) -> bool {
    border > 0 && border < piece.len() && tables.is_crossed(piece[border - 1], piece[border])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::Vocabulary;

    #[test]
    fn windows_of_any_size_give_the_same_tokens() {
        let letters = "thequickbrownfoxnationalizationaaaaaaaaaaaaaaaa";
        let wide = "人工智能的发展👍🏽👨‍👩‍👧‍👦🇨🇳e\u{301}안녕하세요مرحبا";
        let pieces = [letters.repeat(9), wide.repeat(9), " ".repeat(700), "=".repeat(555)];
        for vocabulary in Vocabulary::ALL {
            let (tables, row) = (vocabulary.tables(), &mut Row::default());
            for piece in &pieces {
                let piece = piece.as_bytes();
                let grown = merge_windows(tables, row, piece, 1);
                let mut tokens = |bytes| try_merge_windows(tables, row, piece, bytes);
                let whole = tokens(usize::MAX / 2).unwrap();
                let sizes = [1, 2, 3, 5, 8, 13, 16, 33, 64, 100, 200, WINDOW_BYTES];
                let in_windows = sizes.map(&mut tokens);
                assert_eq!(in_windows[0], None, "too small");
                assert_eq!(grown, whole);
                assert!(in_windows[sizes.len() - 1].is_some(), "large enough");
                assert!(in_windows.into_iter().flatten().all(|tokens| tokens == whole));
            }
        }
    }
}
