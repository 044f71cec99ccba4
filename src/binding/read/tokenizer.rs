//! Tokenizers, and the texts that they count.

use super::fields::{Field, Object};
use crate::binding::failure::Failure;
use crate::binding::node_api::{Kind, Scope, Value};
use crate::error::Error;
use crate::model::{Materials, Part};
use crate::tokens::{CountedText, Estimate, LAYOUT_SAMPLE, SCRIPTS, Tokenizer, Vocabulary};

/// What is accepted as a tokenizer.
const EXPECTED: &str = "'o200k', 'cl100k', { bytesPerToken } or a function";

/// A tokenizer as a caller gives it.
#[derive(Clone, Copy)]
pub enum GivenTokenizer<'s> {
    /// One of ours.
    Ours(Tokenizer),
    /// A function that counts.
    Function(Value<'s>),
}

impl<'s> GivenTokenizer<'s> {
    /// The tokenizer of a field, if one is given.
    pub fn read(field: Field<'s, '_>) -> Result<Option<Self>, Failure> {
        match field.kind()? {
            Kind::Undefined | Kind::Null => Ok(None),
            Kind::Function => Ok(Some(GivenTokenizer::Function(field.value))),
            _ => read_tokenizer(field).map(|ours| Some(GivenTokenizer::Ours(ours))),
        }
    }

    /// The function, if it is one.
    pub fn function(self) -> Option<Value<'s>> {
        match self {
            GivenTokenizer::Ours(_) => None,
            GivenTokenizer::Function(function) => Some(function),
        }
    }

    /// What the core counts with. A function is asked once how many tokens the texts of a layout
    /// are; `number` tells it apart from others.
    pub fn tokenizer(self, scope: Scope<'s>, number: usize) -> Result<Tokenizer, Failure> {
        let function = match self {
            GivenTokenizer::Ours(ours) => return Ok(ours),
            GivenTokenizer::Function(function) => function,
        };
        let tokens = call_tokenizer(scope, function, scope.utf8(LAYOUT_SAMPLE)?)?;
        Ok(Tokenizer::of_function(number, tokens))
    }
}

/// How many tokens a text is, by a function of the caller's. Its own exception passes through.
pub fn call_tokenizer<'s>(
    scope: Scope<'s>,
    function: Value,
    text: Value,
) -> Result<usize, Failure> {
    let returned = scope.call_function(scope.undefined()?, function, &[text])?;
    let field = Field::new(scope, "the result of tokenizer", returned);
    match field.kind()? {
        Kind::Number => field.integer(0),
        _ => {
            let (path, expected) = (field.path(), "a non-negative integer".to_owned());
            Err(Error::OutOfRange { path, expected, got: field.described()? }.into())
        }
    }
}

/// Has a function of the caller's count every text of the materials, once each.
pub fn count_materials(
    scope: Scope,
    function: Value,
    materials: &Materials,
) -> Result<Vec<(Part, CountedText)>, Failure> {
    let count =
        |text: &str| scope.nested(|scope| call_tokenizer(scope, function, scope.utf8(text)?));
    let mut counted = Vec::new();
    for (part, text) in materials.texts() {
        if !text.is_empty() {
            counted.push((part, CountedText { bytes: text.len(), tokens: count(text)? }));
        }
    }
    Ok(counted)
}

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
