//! What `js/explain/` calls.

use super::failure::json_of;
use super::prompts::{Pending, take};
use super::scratch;
use crate::error::Error;
use napi_derive::napi;

/// What every budget would keep of a prompt whose messages were all passed with an ample one, as
/// JSON. Takes the place of `finishPrompt`. There is a row for the budget `max_bytes`.
#[napi(catch_unwind)]
pub fn budget_table(prompt: u32, max_bytes: f64) -> napi::Result<String> {
    let Pending::Reading { mut reading, .. } = take(prompt)? else {
        return Err(Error::Internal("the texts of the prompt are not counted".to_owned()).into());
    };
    let table = reading.budget_table(max_bytes as usize);
    scratch::keep_bytes(reading.into_buffer());
    Ok(json_of(&table?)?)
}
