//! Tokenizers, and the texts that they count.

use super::fields::{Field, Object};
use crate::binding::failure::Failure;
use crate::binding::node_api::Kind;
use crate::tokens::{Estimate, SCRIPTS, Tokenizer, Vocabulary};
use std::borrow::Cow;
use std::cell::Cell;

/// What is accepted as a tokenizer. A function is called in JavaScript and does not come here.
const EXPECTED: &str = "'o200k', 'cl100k', { bytesPerToken } or a function";

/// A vocabulary by its name, or an estimate.
pub fn read_tokenizer(field: Field) -> Result<Tokenizer, Failure> {
    match field.kind()? {
        Kind::String => {
            let name = field.string()?;
            let found = Vocabulary::parse(&name).ok_or_else(|| field.unknown(EXPECTED, &name));
            found.map(Tokenizer::Exact)
        }
        Kind::Object => read_estimate(&field.object()?).map(Tokenizer::Estimate),
        _ => Err(field.wrong(EXPECTED)),
    }
}

/// `{ bytesPerToken, byScript }`.
pub fn read_estimate(given: &Object) -> Result<Estimate, Failure> {
    let bytes_per_token = given.field("bytesPerToken")?;
    let estimate = Estimate::new(bytes_per_token.number()?, &bytes_per_token.path())?;
    let field = given.field("byScript")?;
    let Some(field) = field.given()? else { return Ok(estimate) };
    let by_script = field.object()?;
    let mut rates = [None; SCRIPTS.len()];
    for (rate, script) in rates.iter_mut().zip(SCRIPTS) {
        let field = by_script.field(script.name())?;
        *rate = field.given()?.map(|given| given.number()).transpose()?;
    }
    Ok(estimate.with_scripts(rates, &field.path())?)
}

thread_local! {
    /// Whether the last text was mostly beyond ASCII.
    static EXPECT_WIDE: Cell<bool> = const { Cell::new(false) };
}

/// A text, given as a string or as UTF-8 bytes. What is not well-formed becomes U+FFFD.
pub fn read_text<'b>(field: Field, buffer: &'b mut Vec<u8>) -> Result<Cow<'b, str>, Failure> {
    match field.kind()? {
        Kind::String => EXPECT_WIDE.with(|wide| field.scope.read_text(field.value, buffer, wide)),
        Kind::Object if field.scope.append_uint8_array(field.value, buffer)? => {
            Ok(String::from_utf8_lossy(buffer))
        }
        _ => Err(field.wrong("a string or a Uint8Array")),
    }
}
