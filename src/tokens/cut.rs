//! The longest beginning or end of a text that has at most so many tokens.
//!
//! The pieces of a text are counted from the end that is kept, and the piece that does not fit as
//! a whole is taken as far as its tokens fit. That foretells the count of what is kept, and is
//! seldom wrong: a text may be split in another way at the place where it was cut. So what was
//! found is counted, and is made shorter until it fits.

use super::Vocabulary;
use super::joint::first_border;
use super::merge::piece_tokens;
use std::ops::Range;

/// The size of the longest token.
const MAX_TOKEN_BYTES: usize = 128;

/// How many bytes of the end of a text are looked at first, for each token that is wanted.
const USUAL_TOKEN_BYTES: usize = 8;

/// Longer than most stretches of text without a border; what comes after hardly ever matters.
const MARGIN_BYTES: usize = 512;

/// The size that so many tokens do not exceed.
fn max_bytes_of(tokens: usize) -> usize {
    tokens.saturating_mul(MAX_TOKEN_BYTES).saturating_add(MARGIN_BYTES)
}

impl Vocabulary {
    /// A beginning of `text` of at most `max_tokens`, and hardly any longer one.
    pub fn head(self, text: &str, max_tokens: usize) -> &str {
        self.fitting(max_tokens, |wanted| &text[..self.head_end(text, wanted)])
    }

    /// An end of `text` of at most `max_tokens`, and hardly any longer one.
    pub fn tail(self, text: &str, max_tokens: usize) -> &str {
        self.fitting(max_tokens, |wanted| &text[self.tail_start(text, wanted)..])
    }

    /// What `cut` makes of so many tokens that the result has at most `max_tokens`.
    fn fitting<'t>(self, max_tokens: usize, cut: impl Fn(usize) -> &'t str) -> &'t str {
        let mut wanted = max_tokens;
        loop {
            let part = cut(wanted);
            let excess = self.count(part).saturating_sub(max_tokens);
            if excess == 0 {
                return part;
            }
            wanted = wanted.saturating_sub(excess);
        }
    }

    /// Where the first `tokens` of a text end, at a character.
    fn head_end(self, text: &str, tokens: usize) -> usize {
        // What cannot be needed is not looked at, in case it is all one piece.
        let text = &text[..text.floor_char_boundary(max_bytes_of(tokens))];
        let (mut at, mut left) = (0, tokens);
        while at < text.len() && left > 0 {
            let end = self.piece_end(text, at);
            let count = self.count(&text[at..end]);
            if count > left {
                let fitting = self.first_tokens_bytes(&text[at..end], left);
                return text.floor_char_boundary(at + fitting);
            }
            left -= count;
            at = end;
        }
        at
    }

    /// Where the last `tokens` of a text begin, at a character.
    fn tail_start(self, text: &str, tokens: usize) -> usize {
        let most = max_bytes_of(tokens).min(text.len());
        let mut looked_at = tokens.saturating_mul(USUAL_TOKEN_BYTES).saturating_add(MARGIN_BYTES);
        while looked_at < most {
            let start = text.ceil_char_boundary(text.len() - looked_at);
            if let Some(start) = first_border(text, start, self)
                && let Some(found) = self.tail_start_after(text, start, tokens)
            {
                return found;
            }
            looked_at = looked_at.saturating_mul(2);
        }
        let start = text.ceil_char_boundary(text.len() - most);
        self.tail_start_after(text, start, tokens).unwrap_or(start)
    }

    /// The same if they begin after `start`.
    fn tail_start_after(self, text: &str, start: usize, tokens: usize) -> Option<usize> {
        let mut pieces: Vec<(Range<usize>, usize)> = Vec::new();
        let mut at = start;
        while at < text.len() {
            let end = self.piece_end(text, at);
            pieces.push((at..end, self.count(&text[at..end])));
            at = end;
        }
        let mut left = tokens;
        for (range, count) in pieces.into_iter().rev() {
            if count > left {
                let before = self.first_tokens_bytes(&text[range.clone()], count - left);
                return Some(text.ceil_char_boundary(range.start + before));
            }
            left -= count;
        }
        None
    }

    /// How many bytes the first `tokens` of a piece have.
    fn first_tokens_bytes(self, piece: &str, tokens: usize) -> usize {
        self.with_tables(|tables, row| {
            let first = piece_tokens(tables, row, piece.as_bytes()).into_iter().take(tokens);
            first.map(|token| tables.token_bytes(token)).sum()
        })
    }
}
