//! Tokenizers.

use crate::error::Error;
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
pub fn estimate(bytes_per_token: f64, by_script: Option<ScriptRates>) -> Result<Estimate, Error> {
    let estimate = Estimate::new(bytes_per_token, "tokenizer.bytesPerToken")?;
    match by_script {
        None => Ok(estimate),
        Some(ScriptRates { latin, symbols, cjk, other }) => {
            estimate.with_scripts([latin, symbols, cjk, other], "tokenizer.byScript")
        }
    }
}

impl TryFrom<TokenizerFields> for Tokenizer {
    type Error = Error;

    fn try_from(given: TokenizerFields) -> Result<Self, Error> {
        if let Some(function) = given.function {
            let tokens = given.tokens_of_sample.unwrap_or_default() as usize;
            return Ok(Tokenizer::of_function(function as usize, tokens));
        }
        match given.vocabulary.as_deref().and_then(Vocabulary::parse) {
            Some(vocabulary) => Ok(Tokenizer::Exact(vocabulary)),
            None => {
                let rate = given.bytes_per_token.unwrap_or(f64::NAN);
                estimate(rate, given.by_script).map(Tokenizer::Estimate)
            }
        }
    }
}
