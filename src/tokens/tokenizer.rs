//! What counts tokens.

use super::{Estimate, JoinedCount, Vocabulary, joint_is_exact};

/// What counts tokens, as a caller chooses it.
///
/// A budget is kept in units ([`Tokenizer::measure`]): tokens for a vocabulary, parts of tokens
/// for an estimate. Units of texts add up to those of the joined text where the joint is exact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tokenizer {
    /// Exact.
    Exact(Vocabulary),
    /// By the size of the text.
    Estimate(Estimate),
}

impl Tokenizer {
    /// Whether its counts are exact.
    pub fn is_exact(&self) -> bool {
        matches!(self, Tokenizer::Exact(_))
    }

    /// How many tokens a text is.
    pub fn count(&self, text: &str) -> usize {
        self.tokens(self.measure(text))
    }

    /// The size of a text in units.
    pub fn measure(&self, text: &str) -> u64 {
        match self {
            Tokenizer::Exact(vocabulary) => vocabulary.count(text) as u64,
            Tokenizer::Estimate(estimate) => estimate.measure(text),
        }
    }

    /// How many tokens so many units are.
    pub fn tokens(&self, units: u64) -> usize {
        match self {
            Tokenizer::Exact(_) => units as usize,
            Tokenizer::Estimate(estimate) => estimate.tokens(units),
        }
    }

    /// The most units that are not more than so many tokens.
    pub fn units_within(&self, max_tokens: usize) -> u64 {
        match self {
            Tokenizer::Exact(_) => max_tokens as u64,
            Tokenizer::Estimate(estimate) => estimate.units_within(max_tokens),
        }
    }

    /// Whether the units of two texts add up to those of the joined text, by the last character
    /// of the one and the first of the other.
    pub fn joint_is_exact(&self, left_tail: &str, right_head: &str) -> bool {
        match self {
            Tokenizer::Exact(vocabulary) => joint_is_exact(left_tail, right_head, *vocabulary),
            Tokenizer::Estimate(_) => true,
        }
    }

    /// The size of texts that are joined, in units, from the units of each. It is exact at every
    /// joint; where a joint is not, a little text around it is counted again.
    pub fn measure_joined<'t>(&self, texts: impl IntoIterator<Item = (&'t str, u64)>) -> u64 {
        let texts = texts.into_iter();
        match self {
            Tokenizer::Exact(vocabulary) => {
                let mut joined = JoinedCount::new(*vocabulary);
                texts.for_each(|(text, units)| joined.push(text, units as usize));
                joined.tokens() as u64
            }
            Tokenizer::Estimate(_) => texts.map(|(_, units)| units).sum(),
        }
    }

    /// A beginning of `text` of at most `max_tokens`, and hardly any longer one. It ends at a
    /// character, which may be inside a grapheme.
    pub fn head<'t>(&self, text: &'t str, max_tokens: usize) -> &'t str {
        match self {
            Tokenizer::Exact(vocabulary) => vocabulary.head(text, max_tokens),
            Tokenizer::Estimate(estimate) => estimate.head(text, max_tokens),
        }
    }

    /// The same for an end of `text`.
    pub fn tail<'t>(&self, text: &'t str, max_tokens: usize) -> &'t str {
        match self {
            Tokenizer::Exact(vocabulary) => vocabulary.tail(text, max_tokens),
            Tokenizer::Estimate(estimate) => estimate.tail(text, max_tokens),
        }
    }
}
