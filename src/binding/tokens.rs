//! What `js/tokens.js` calls.

use super::failure::Failure;
use super::node_api::{Kind, native_function, run};
use super::read::fields::{Field, Object};
use super::read::tokenizer::{read_estimate, read_text, read_tokenizer};
use super::scratch;
use crate::error::Error;
use crate::tokens::{Learned, SCRIPTS, Script, ScriptBytes, Turn, Usage, learn};
use napi::{Env, Unknown};
use napi_derive::napi;
use serde::Serialize;
use serde::ser::Serializer;

native_function! {
    /// Counts the tokens of a text.
    "countTokens": CountTokens,
    |scope, text, tokenizer| {
        let tokenizer = read_tokenizer(Field::new(scope, "tokenizer", tokenizer))?;
        let mut buffer = scratch::bytes();
        let tokens = tokenizer.count(&read_text(Field::new(scope, "text", text), &mut buffer)?);
        scratch::keep_bytes(buffer);
        scope.double(tokens as f64)
    }
}

/// A text that was given as UTF-8 bytes, as a string.
#[napi(ts_return_type = "string")]
pub fn decode_text<'s>(env: &'s Env, text: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let mut buffer = scratch::bytes();
        let text = scope.utf8(&read_text(Field::new(scope, "text", text), &mut buffer)?)?;
        scratch::keep_bytes(buffer);
        Ok(text)
    })
}

/// Refuses what a tokenizer of the caller's has returned: no non-negative integer.
#[napi(ts_return_type = "never")]
pub fn refuse_token_count<'s>(env: &'s Env, returned: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let field = Field::new(scope, "the result of tokenizer", returned);
        let got = match field.kind()? {
            Kind::Number => scope.printed(returned)?,
            _ => field.described()?,
        };
        let (path, expected) = (field.path(), "a non-negative integer".to_owned());
        Err(Error::OutOfRange { path, expected, got }.into())
    })
}

/// What an estimate has learned from one more turn, as JSON.
#[napi(ts_return_type = "string")]
pub fn calibrate<'s>(
    env: &'s Env,
    tokenizer: Unknown<'s>,
    usage: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let field = Field::new(scope, "tokenizer", tokenizer);
        if field.kind()? != Kind::Object {
            return Err(field.wrong("an estimate, such as { bytesPerToken: 4 }"));
        }
        let given = field.object()?;
        let estimate = read_estimate(&given)?;
        let turns = turns_of(given.field("turns")?)?;
        let usage = usage_of(&Field::new(scope, "usage", usage).object()?)?;
        scope.utf8(&json_of(&learn(&estimate, &turns, usage)))
    })
}

fn usage_of(given: &Object) -> Result<Usage, Failure> {
    let tokens = given.field("tokens")?.integer(1)?;
    let mut buffer = scratch::bytes();
    let text = match given.field("text")?.given()? {
        None => "".into(),
        Some(text) => read_text(text, &mut buffer)?,
    };
    let scripts = Some(ScriptBytes::of(&text)).filter(|scripts| scripts.total() > 0);
    scratch::keep_bytes(buffer);
    let bytes = given.field("bytes")?;
    let bytes = match (bytes.given()?, scripts) {
        (None, Some(scripts)) => scripts.total(),
        _ => bytes.integer(1)?,
    };
    Ok(Usage { bytes, tokens, scripts })
}

/// The turns that [`calibrate`] has returned before.
fn turns_of(field: Field) -> Result<Vec<Turn>, Failure> {
    let Some(field) = field.given()? else { return Ok(Vec::new()) };
    let turn = |element: Field| {
        let turn = element.object()?;
        let usage = Usage {
            bytes: turn.field("bytes")?.integer(1)?,
            tokens: turn.field("tokens")?.integer(1)?,
            scripts: scripts_of(turn.field("scripts")?)?,
        };
        Ok(Turn { usage, error: turn.field("error")?.finite_number()? })
    };
    field.elements("an array")?.map(|element| turn(element?.field())).collect()
}

fn scripts_of(field: Field) -> Result<Option<ScriptBytes>, Failure> {
    let Some(field) = field.given()? else { return Ok(None) };
    let given = field.object()?;
    let mut bytes = ScriptBytes::default();
    for script in SCRIPTS {
        bytes.0[script as usize] = given.field(script.name())?.integer_or(0, 0)?;
    }
    Ok(Some(bytes).filter(|bytes| bytes.total() > 0))
}

/// Values by the names of the scripts.
struct ByScript<T>([T; SCRIPTS.len()]);

impl<T: Serialize> Serialize for ByScript<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(SCRIPTS.into_iter().map(Script::name).zip(&self.0))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LearnedJson {
    bytes_per_token: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    by_script: Option<ByScript<f64>>,
    spread: f64,
    turns: Vec<TurnJson>,
}

#[derive(Serialize)]
struct TurnJson {
    bytes: usize,
    tokens: usize,
    error: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    scripts: Option<ByScript<usize>>,
}

fn json_of(learned: &Learned) -> String {
    let turns = learned.turns.iter().map(|Turn { usage, error }| TurnJson {
        bytes: usage.bytes,
        tokens: usage.tokens,
        error: *error,
        scripts: usage.scripts.map(|scripts| ByScript(scripts.0)),
    });
    let json = LearnedJson {
        bytes_per_token: learned.bytes_per_token,
        by_script: learned.by_script.map(ByScript),
        spread: learned.spread,
        turns: turns.collect(),
    };
    // Strings and finite numbers can always be written as JSON.
    serde_json::to_string(&json).unwrap_or_default()
}
