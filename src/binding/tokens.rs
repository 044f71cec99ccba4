//! What `lib/tokens/tokens.ts` calls.

use super::fields::{ScriptRates, TokenizerFields, estimate};
use super::strings::{JsText, text_of};
use crate::tokens::{Learned, MeasuredTurn, ScriptBytes, Tokenizer, Usage, learn};
use napi_derive::napi;

/// A number for each script.
#[napi(object)]
pub struct ScriptNumbers {
    pub latin: f64,
    pub symbols: f64,
    pub cjk: f64,
    pub other: f64,
}

/// A turn that was learned from.
#[napi(object)]
pub struct LearnedTurn {
    pub bytes: i64,
    pub tokens: i64,
    pub error: f64,
    pub scripts: Option<ScriptNumbers>,
}

/// What an estimate has learned.
#[napi(object, object_from_js = false)]
pub struct LearnedEstimate {
    pub bytes_per_token: f64,
    pub by_script: Option<ScriptNumbers>,
    pub spread: f64,
    pub turns: Vec<LearnedTurn>,
}

impl From<[f64; 4]> for ScriptNumbers {
    fn from([latin, symbols, cjk, other]: [f64; 4]) -> Self {
        ScriptNumbers { latin, symbols, cjk, other }
    }
}

impl From<ScriptNumbers> for ScriptBytes {
    fn from(ScriptNumbers { latin, symbols, cjk, other }: ScriptNumbers) -> Self {
        ScriptBytes([latin, symbols, cjk, other].map(|bytes| bytes as usize))
    }
}

impl From<LearnedTurn> for MeasuredTurn {
    fn from(LearnedTurn { bytes, tokens, error, scripts }: LearnedTurn) -> Self {
        let scripts = scripts.map(ScriptBytes::from).filter(|scripts| scripts.total() > 0);
        MeasuredTurn {
            usage: Usage { bytes: bytes as usize, tokens: tokens as usize, scripts },
            error,
        }
    }
}

impl From<MeasuredTurn> for LearnedTurn {
    fn from(MeasuredTurn { usage: Usage { bytes, tokens, scripts }, error }: MeasuredTurn) -> Self {
        let scripts = scripts.map(|scripts| scripts.0.map(|bytes| bytes as f64).into());
        LearnedTurn { bytes: bytes as i64, tokens: tokens as i64, error, scripts }
    }
}

/// Counts the tokens of a text.
#[napi(catch_unwind)]
pub fn count_tokens(text: JsText, tokenizer: TokenizerFields) -> i64 {
    Tokenizer::from(tokenizer).count(&text) as i64
}

/// Counts the tokens of a text that is given as UTF-8. What is not well-formed becomes U+FFFD.
#[napi(catch_unwind)]
pub fn count_tokens_of_bytes(text: &[u8], tokenizer: TokenizerFields) -> i64 {
    Tokenizer::from(tokenizer).count(&decode_text(text)) as i64
}

/// A text that is given as UTF-8. What is not well-formed becomes U+FFFD.
#[napi(catch_unwind)]
pub fn decode_text(text: &[u8]) -> String {
    // A copy comes first: another thread may be writing to shared memory.
    text_of(text.to_vec())
}

/// What an estimate has learned from one more turn. Without `bytes`, they are those of the text.
#[napi(catch_unwind)]
pub fn calibrate(
    bytes_per_token: f64,
    by_script: Option<ScriptRates>,
    turns: Vec<LearnedTurn>,
    tokens: i64,
    text: JsText,
    bytes: Option<i64>,
) -> LearnedEstimate {
    let scripts = Some(ScriptBytes::of(&text)).filter(|scripts| scripts.total() > 0);
    let bytes = bytes.map_or(text.len(), |bytes| bytes as usize);
    let usage = Usage { bytes, tokens: tokens as usize, scripts };
    let turns: Vec<MeasuredTurn> = turns.into_iter().map(MeasuredTurn::from).collect();
    let Learned { bytes_per_token, by_script, spread, turns } =
        learn(&estimate(bytes_per_token, by_script), &turns, usage);
    LearnedEstimate {
        bytes_per_token,
        by_script: by_script.map(ScriptNumbers::from),
        spread,
        turns: turns.into_iter().map(LearnedTurn::from).collect(),
    }
}
