//! Tokenizers.

use crate::tokens::{Estimate, Tokenizer, Vocabulary};
use napi_derive::napi;

/// A tokenizer: the name of a vocabulary, an estimate, or a function that JavaScript calls.
#[napi(object, object_to_js = false)]
pub struct TokenizerFields {
    pub vocabulary: Option<String>,
    pub bytes_per_token: Option<f64>,
    pub by_script: Option<ScriptRates>,
    /// The number of a function.
    pub function: Option<u32>,
    /// How many tokens that function counts in `LAYOUT_SAMPLE`.
    pub tokens_of_sample: Option<f64>,
}

/// Bytes per token, where they differ from those of all text.
#[napi(object, object_to_js = false)]
pub struct ScriptRates {
    pub latin: Option<f64>,
    pub symbols: Option<f64>,
    pub cjk: Option<f64>,
    pub other: Option<f64>,
}

/// An estimate. JavaScript has checked the rates.
pub fn estimate(bytes_per_token: f64, by_script: Option<ScriptRates>) -> Estimate {
    let estimate = Estimate::new(bytes_per_token);
    match by_script {
        None => estimate,
        Some(ScriptRates { latin, symbols, cjk, other }) => {
            estimate.with_scripts([latin, symbols, cjk, other])
        }
    }
}

impl From<TokenizerFields> for Tokenizer {
    fn from(given: TokenizerFields) -> Self {
        if let Some(function) = given.function {
            let tokens = given.tokens_of_sample.unwrap_or_default() as usize;
            return Tokenizer::of_function(function as usize, tokens);
        }
        match given.vocabulary.as_deref().and_then(Vocabulary::parse) {
            Some(vocabulary) => Tokenizer::Exact(vocabulary),
            None => {
                // There is always one of the three.
                let rate = given.bytes_per_token.unwrap_or(1.0);
                Tokenizer::Estimate(estimate(rate, given.by_script))
            }
        }
    }
}
