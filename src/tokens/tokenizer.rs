//! What counts tokens.

use super::joint::{first_border, joint_is_exact, last_border};
use super::{CountedText, Estimate, Vocabulary};

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
    /// By a caller-supplied function, which has counted the caller's texts.
    Function {
        /// The number of the function.
        function: usize,
        /// Estimates what is put around the texts, in the units of an estimate by script.
        around: Estimate,
    },
}

/// What a layout puts around texts, for a caller-supplied function to count once.
pub const LAYOUT_SAMPLE: &str = "[CONTEXT]\n- sender -> all: \n- sender -> all: \n\n[MESSAGE]\n";

impl Tokenizer {
    /// The caller's function with this number, which counts this many tokens in [`LAYOUT_SAMPLE`].
    pub fn of_function(function: usize, tokens_of_sample: usize) -> Self {
        let bytes_per_token = LAYOUT_SAMPLE.len() as f64 / (tokens_of_sample as f64).max(1e-9);
        Tokenizer::Function { function, around: Estimate::in_parts_of_tokens(bytes_per_token) }
    }

    /// The name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Tokenizer::Exact(vocabulary) => vocabulary.name(),
            Tokenizer::Estimate(_) => "estimate",
            Tokenizer::Function { .. } => "function",
        }
    }

    /// The number of a caller-supplied function.
    pub fn function(&self) -> Option<usize> {
        match self {
            Tokenizer::Function { function, .. } => Some(*function),
            Tokenizer::Exact(_) | Tokenizer::Estimate(_) => None,
        }
    }

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
            Tokenizer::Estimate(estimate) | Tokenizer::Function { around: estimate, .. } => {
                estimate.measure(text)
            }
        }
    }

    /// The size of a text in units, or `None` if it is larger than `most`. No more of the text is
    /// counted than is needed to know that, and nothing if it was counted lately.
    pub fn measure_up_to(&self, text: &str, most: u64) -> Option<u64> {
        match self {
            Tokenizer::Exact(vocabulary) => {
                let most = usize::try_from(most).unwrap_or(usize::MAX);
                vocabulary.recall_up_to(text, most).map(|tokens| tokens as u64)
            }
            _ => Some(self.measure(text)).filter(|units| *units <= most),
        }
    }

    /// The units of a text that is followed by a line break, without that line break.
    pub fn without_line_break(&self, text: &str, units: u64) -> u64 {
        let Tokenizer::Exact(vocabulary) = self else {
            return units.saturating_sub(self.measure("\n"));
        };
        let tail = &text[last_border(text, *vocabulary).unwrap_or(0)..];
        let with = vocabulary.count(&[tail, "\n"].concat());
        (units + vocabulary.count(tail) as u64).saturating_sub(with as u64)
    }

    /// The units of a text from `at` to its end, given the units of the whole text.
    pub fn measure_end(&self, text: &str, at: usize, units: u64) -> u64 {
        let (start, end) = text.split_at(at);
        let Tokenizer::Exact(vocabulary) = self else { return self.measure(end) };
        let count = |text: &str| vocabulary.count(text) as u64;
        let Some(border) = first_border(end, 0, *vocabulary) else { return count(end) };
        let before = last_border(start, *vocabulary).unwrap_or(0);
        let gone = count(&start[..before]) + count(&text[before..at + border]);
        (units + count(&end[..border])).saturating_sub(gone)
    }

    /// The size in units of a text of `bytes` bytes, of which a caller-supplied function has
    /// counted a part; the rest is estimated. If the function has counted more than the text, this
    /// is a share of its count.
    pub fn measure_counted(&self, bytes: usize, counted: CountedText) -> u64 {
        let Tokenizer::Function { around, .. } = self else { return 0 };
        let all = (counted.tokens as u128) * u128::from(around.units_per_token);
        let share = match counted.bytes {
            0 => 0,
            counted_bytes => {
                (all * counted_bytes.min(bytes) as u128).div_ceil(counted_bytes as u128)
            }
        };
        let tokens = u64::try_from(share).unwrap_or(u64::MAX);
        let rest = bytes.saturating_sub(counted.bytes) as u64;
        tokens.saturating_add(rest.saturating_mul(around.units_of_byte()))
    }

    /// How many tokens this many units are.
    pub fn tokens(&self, units: u64) -> usize {
        match self {
            Tokenizer::Exact(_) => units as usize,
            Tokenizer::Estimate(estimate) | Tokenizer::Function { around: estimate, .. } => {
                estimate.tokens(units)
            }
        }
    }

    /// The most units that fit into this many tokens.
    pub fn units_within(&self, max_tokens: usize) -> u64 {
        match self {
            Tokenizer::Exact(_) => max_tokens as u64,
            Tokenizer::Estimate(estimate) | Tokenizer::Function { around: estimate, .. } => {
                estimate.units_within(max_tokens)
            }
        }
    }

    /// Whether the units of two texts add up to those of the joined text, by the last character of
    /// the first and the first character of the second.
    pub fn joint_is_exact(&self, left_tail: &str, right_head: &str) -> bool {
        match self {
            Tokenizer::Exact(vocabulary) => joint_is_exact(left_tail, right_head, *vocabulary),
            Tokenizer::Estimate(_) | Tokenizer::Function { .. } => true,
        }
    }
}
