//! What `lib/explain/` calls.

use super::failure::json_of;
use super::prompts::{Pending, take};
use super::scratch;
use crate::error::Error;
use napi_derive::napi;

/// What every budget would keep of a prompt whose messages were all passed with an ample one, as
/// JSON. Takes the place of `finishPrompt`. There is a row for the budget of the prompt: for
/// `max_tokens` if that is set, else for `max_bytes`.
#[napi(catch_unwind)]
pub fn budget_table(prompt: u32, max_bytes: f64, max_tokens: Option<f64>) -> napi::Result<String> {
    let Pending::Reading { mut reading, .. } = take(prompt)? else {
        return Err(Error::Internal("the texts of the prompt are not counted".to_owned()).into());
    };
    let max_bytes = max_bytes as usize;
    let table = match max_tokens {
        Some(max_tokens) => reading.token_table(max_bytes, max_tokens as usize),
        None => reading.budget_table(max_bytes),
    };
    scratch::keep_bytes(reading.into_buffer());
    Ok(json_of(&table?)?)
}
