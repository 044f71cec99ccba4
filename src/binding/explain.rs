//! What `js/explain/` calls.

use super::node_api::run;
use super::read::fields::Field;
use super::read::tokenizer::read_text;
use super::scratch;
use crate::text::grapheme_runs;
use napi::{Env, Unknown};
use napi_derive::napi;

/// The sizes of a text's graphemes as runs of one size, as JSON: `[[size, count], …]`.
#[napi(ts_return_type = "string")]
pub fn grapheme_sizes<'s>(env: &'s Env, text: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let mut buffer = scratch::bytes();
        let runs = grapheme_runs(&read_text(Field::new(scope, "text", text), &mut buffer)?);
        scratch::keep_bytes(buffer);
        let runs: Vec<String> =
            runs.iter().map(|(size, count)| format!("[{size},{count}]")).collect();
        scope.utf8(&format!("[{}]", runs.join(",")))
    })
}
