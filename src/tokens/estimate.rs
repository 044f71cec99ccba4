//! Estimates tokens by the size of a text, for models whose vocabulary is not public.
//!
//! An estimate is a sum over the characters of a text, rounded up once, at the end: rounded up for
//! each of a hundred lines it would be up to a hundred too high. So texts are measured in units
//! that add up exactly ([`Estimate::measure`]), and a sum of units is made into tokens
//! ([`Estimate::tokens`]). Every joint of texts is exact.

use super::script::{SCRIPTS, ScriptBytes};

/// No text, and no prompt as a whole, has more bytes than this.
const MAX_TEXT_BYTES: u64 = 1 << 32;

/// A prompt may have this many units, so that sums do not overflow.
const MAX_UNITS: u64 = 1 << 62;

/// How many units a token has if a function counts: it may count billions for one text.
const UNITS_OF_COUNTED_TOKEN: u64 = 1 << 20;

/// Bytes per token, of all text or by script.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Bytes per token of all text.
    pub bytes_per_token: f64,
    /// Bytes per token by script, if the estimate tells them apart.
    pub by_script: Option<[f64; SCRIPTS.len()]>,
    /// How many units a token has, if they are parts of a token.
    pub(super) units_per_token: u64,
}

impl Estimate {
    /// An estimate for all text. Rates are positive and finite: JavaScript checks them.
    pub fn new(bytes_per_token: f64) -> Self {
        Estimate { bytes_per_token, by_script: None, units_per_token: 1 }
    }

    /// The same by script, where `rates` are given.
    pub fn with_scripts(self, rates: [Option<f64>; SCRIPTS.len()]) -> Self {
        let rates = rates.map(|rate| rate.unwrap_or(self.bytes_per_token));
        // As many as the largest text allows, so that rounding does not show.
        let fewest_bytes = rates.into_iter().fold(f64::INFINITY, f64::min);
        let most = (MAX_UNITS / MAX_TEXT_BYTES) as f64 * fewest_bytes;
        let units_per_token = 1 << (most.clamp(1.0, (1_u64 << 32) as f64) as u64).ilog2();
        Estimate { by_script: Some(rates), units_per_token, ..self }
    }

    /// The size of a text in units, which add up: bytes, or parts of a token.
    pub fn measure(&self, text: &str) -> u64 {
        match self.by_script {
            None => text.len() as u64,
            Some(rates) => {
                let bytes = ScriptBytes::of(text).0.into_iter();
                bytes.zip(rates).fold(0, |sum, (bytes, rate)| {
                    u64::saturating_add(sum, (bytes as u64).saturating_mul(self.units_at(rate)))
                })
            }
        }
    }

    /// How many tokens this many units are, rounded up.
    pub fn tokens(&self, units: u64) -> usize {
        match self.by_script {
            None => (units as f64 / self.bytes_per_token).ceil() as usize,
            Some(_) => units.div_ceil(self.units_per_token) as usize,
        }
    }

    /// The most units that fit into this many tokens.
    pub fn units_within(&self, max_tokens: usize) -> u64 {
        if self.by_script.is_some() {
            return (max_tokens as u64).saturating_mul(self.units_per_token);
        }
        // Rounding can make the product slightly too large, but never by more than one here.
        let units = (max_tokens as f64 * self.bytes_per_token).floor() as u64;
        if self.tokens(units) <= max_tokens { units } else { units.saturating_sub(1) }
    }

    /// The same rate for all text, in the units of an estimate by script, which are parts of a
    /// token, so that counts in tokens can be added. The rate is positive and finite.
    pub(super) fn in_parts_of_tokens(bytes_per_token: f64) -> Self {
        Estimate {
            bytes_per_token,
            by_script: Some([bytes_per_token; SCRIPTS.len()]),
            units_per_token: UNITS_OF_COUNTED_TOKEN,
        }
    }

    /// The units of one byte of any text, in such an estimate.
    pub(super) fn units_of_byte(&self) -> u64 {
        self.units_at(self.bytes_per_token)
    }

    /// Rounded down, so that six bytes at 1.5 bytes per token are four tokens and not slightly
    /// more. At least one, so that no text is free.
    fn units_at(&self, rate: f64) -> u64 {
        ((self.units_per_token as f64 / rate) as u64).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(bytes_per_token: f64) -> Estimate {
        Estimate::new(bytes_per_token)
    }

    #[test]
    fn a_whole_text_is_rounded_up_once() {
        let estimate = estimate(2.5);
        let tokens = |text: &str| estimate.tokens(estimate.measure(text));
        assert_eq!([tokens(""), tokens("a"), tokens("abcde"), tokens("中文")], [0, 1, 2, 3]);
        let lines = vec!["ab"; 100];
        let sum: u64 = lines.iter().map(|line| estimate.measure(line)).sum();
        assert_eq!(estimate.tokens(sum), tokens(&lines.concat()));
    }

    #[test]
    fn scripts_have_their_own_rates() {
        let by_script = estimate(4.0).with_scripts([None, Some(2.0), Some(1.5), None]);
        let tokens = |text: &str| by_script.tokens(by_script.measure(text));
        assert_eq!(tokens("abcdefgh"), 2);
        assert_eq!(tokens("1234"), 2);
        assert_eq!(tokens("中文"), 4);
        assert_eq!(tokens("abcd12中👍"), 1 + 1 + 2 + 1);
    }

    #[test]
    fn rates_by_script_are_not_limited_to_billions_of_tokens() {
        for rate in [1e-3, 1e-6, 1e-9, 1e-12] {
            let by_script = estimate(rate).with_scripts([None; SCRIPTS.len()]);
            for text in ["x", "a long text, 中文, 123 "] {
                let text = text.repeat(1000);
                let all = text.len() as f64 / rate;
                let tokens = by_script.tokens(by_script.measure(&text)) as f64;
                assert!((tokens / all - 1.0).abs() < 1e-6, "{rate}: {tokens} of {all}");
            }
        }
        let counted = Estimate::in_parts_of_tokens(3.5);
        let units = counted.units_within(1 << 40);
        assert_eq!((counted.tokens(units), counted.tokens(units + 1)), (1 << 40, (1 << 40) + 1));
    }

    #[test]
    fn units_within_a_budget_are_the_maximum() {
        let scripts = estimate(3.3).with_scripts([Some(4.1), Some(2.7), Some(2.2), None]);
        for estimate in [estimate(2.5), estimate(1.0 / 3.0), estimate(0.1), estimate(7.77), scripts]
        {
            for max_tokens in (0..2000).chain([16_000, 199_999, 1 << 30]) {
                let units = estimate.units_within(max_tokens);
                assert!(estimate.tokens(units) <= max_tokens, "{estimate:?} {max_tokens}");
                assert!(estimate.tokens(units + 1) > max_tokens, "{estimate:?} {max_tokens}");
            }
        }
    }
}
