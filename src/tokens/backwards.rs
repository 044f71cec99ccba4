//! Texts that are joined from the last one to the first: a conversation is read newest first.

use super::joint::{first_border, joint_is_exact, last_border};
use super::{Tokenizer, Vocabulary};

/// The size of joined texts, in units, from the units of each. At an exact joint they are added;
/// elsewhere the text around the joint is counted again, from the last border before it to the
/// first one after it.
#[derive(Debug, Clone)]
pub struct JoinedBackwards {
    tokenizer: Tokenizer,
    units: u64,
    /// The joined text up to its first border.
    beginning: String,
}

impl JoinedBackwards {
    /// Nothing, so far.
    pub fn new(tokenizer: Tokenizer) -> Self {
        JoinedBackwards { tokenizer, units: 0, beginning: String::new() }
    }

    /// The units of all texts so far, joined.
    pub fn units(&self) -> u64 {
        self.units
    }

    /// Puts a text of this many units before the others.
    pub fn prepend(&mut self, text: &str, units: u64) {
        if text.is_empty() {
            return;
        }
        self.units = self.units_behind(text, units);
        let Tokenizer::Exact(vocabulary) = self.tokenizer else { return };
        match first_border(text, 0, vocabulary) {
            Some(border) => {
                self.beginning.clear();
                self.beginning.push_str(&text[..border]);
            }
            None if joint_is_exact(text, &self.beginning, vocabulary) => {
                self.beginning.clear();
                self.beginning.push_str(text);
            }
            None => self.beginning.insert_str(0, text),
        }
    }

    /// Adds units of a text whose joint with any text before and after it is known to be exact.
    pub fn prepend_exact(&mut self, units: u64) {
        self.units = self.units.saturating_add(units);
    }

    /// The units of all texts if a text of this many units came before the others.
    pub fn units_behind(&self, text: &str, units: u64) -> u64 {
        let sum = self.units.saturating_add(units);
        match self.tokenizer {
            Tokenizer::Exact(vocabulary) if !joint_is_exact(text, &self.beginning, vocabulary) => {
                self.recounted(text, sum, vocabulary)
            }
            _ => sum,
        }
    }

    fn recounted(&self, text: &str, sum: u64, vocabulary: Vocabulary) -> u64 {
        let count = |text: &str| vocabulary.count(text) as u64;
        let tail = &text[last_border(text, vocabulary).unwrap_or(0)..];
        let around = [tail, &self.beginning].concat();
        (sum + count(&around)).saturating_sub(count(tail) + count(&self.beginning))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudorandom texts of fragments that are hard to join.
    fn texts(seed: u64, count: usize) -> Vec<String> {
        const PIECES: [&str; 16] = [
            "a", "The", " ", "\n", "/", "//", "'s", "…", "7", "中文", "\u{85}", ":", "- ", "\r",
            "\t", "👍",
        ];
        let mut number = seed;
        let mut next = |below: usize| {
            number = number.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (number >> 33) as usize % below
        };
        (0..count).map(|_| (0..next(5)).map(|_| PIECES[next(16)]).collect()).collect()
    }

    #[test]
    fn joined_texts_are_counted_as_one() {
        for vocabulary in Vocabulary::ALL {
            let tokenizer = Tokenizer::Exact(vocabulary);
            for seed in 0..2000 {
                let mut joined = JoinedBackwards::new(tokenizer);
                let mut whole = String::new();
                for text in texts(seed, 8) {
                    whole.insert_str(0, &text);
                    let units = tokenizer.measure(&text);
                    assert_eq!(joined.units_behind(&text, units), tokenizer.measure(&whole));
                    joined.prepend(&text, units);
                    assert_eq!(joined.units(), tokenizer.measure(&whole), "{whole:?}");
                }
            }
        }
    }
}
