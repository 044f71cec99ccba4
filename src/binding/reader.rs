//! Objects of the caller's, read field by field, with the path of what is wrong.

use super::border::{Border, Kind, Opened, Script, Value};
use super::failure::Failure;
use crate::error::Error;

/// The largest integer that JavaScript counts to without gaps.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// The fields of an object that is opened often: a script reads them all at once, in order.
pub struct Shape {
    pub script: Script,
    pub fields: &'static [&'static str],
}

/// A [`Shape`] of these fields.
macro_rules! shape {
    ($name:ident: $($field:ident),+) => {
        Shape {
            script: Script {
                name: Name::$name,
                source: concat!(
                    "'use strict'; (receive, object) => receive(",
                    $("object.", stringify!($field), ","),+,
                    ")"
                ),
            },
            fields: &[$(stringify!($field)),+],
        }
    };
}
pub(super) use shape;

impl Shape {
    /// A reader of an object whose fields have been read already, in order.
    pub fn read<'s>(
        &'static self,
        border: Border<'s>,
        object: Value<'s>,
        name: &str,
        path: &'static str,
        fields: &'s [Value<'s>],
    ) -> Result<Reader<'s, 'static>, Failure> {
        Ok(Reader::new(border, object, name, path)?.having_read(self.fields, fields))
    }

    /// Lets `work` read the fields of an object, which are named under `path`. What was made
    /// before, such as a `Value<'s>`, can be used by it and be answered with.
    pub fn open<'s>(
        &'static self,
        border: Border<'s>,
        object: Value<'s>,
        name: &str,
        path: &'static str,
        work: impl for<'i> FnOnce(Reader<'i, 'i>, Opened<'i, 's>) -> Result<Value<'i>, Failure>,
    ) -> Result<Value<'s>, Failure> {
        Reader::new(border, object, name, path)?;
        border.open(&self.script, &[object], |opened| {
            let reader = Reader { border: opened.border, object, path, names: &[], values: &[] };
            work(reader.having_read(self.fields, opened.fields), opened)
        })
    }
}

/// An object whose fields are being read, and how a caller would call it.
#[derive(Clone, Copy)]
pub struct Reader<'s, 'p> {
    pub border: Border<'s>,
    object: Value<'s>,
    path: &'p str,
    /// Those that have been read already, by name.
    names: &'static [&'static str],
    values: &'s [Value<'s>],
}

impl<'s, 'p> Reader<'s, 'p> {
    /// A reader of `object`, whose fields are named under `path` (at the top level: nothing).
    pub fn new(
        border: Border<'s>,
        object: Value<'s>,
        name: &str,
        path: &'p str,
    ) -> Result<Self, Failure> {
        match border.kind(object)? {
            Kind::Object => Ok(Reader { border, object, path, names: &[], values: &[] }),
            _ => Err(wrong(border, name, object, "an object")),
        }
    }

    /// The same, with some fields that need not be looked up any more.
    pub fn having_read(self, names: &'static [&'static str], values: &'s [Value<'s>]) -> Self {
        Reader { names, values, ..self }
    }

    pub fn path(&self, field: &str) -> String {
        if self.path.is_empty() { field.to_owned() } else { format!("{}.{field}", self.path) }
    }

    /// The field and its kind.
    pub fn field(&self, field: &str) -> Result<(Value<'s>, Kind), Failure> {
        // Mostly it is the very same literal.
        let same = |name: &&str| std::ptr::eq(*name, field);
        let names = self.names;
        let read =
            names.iter().position(same).or_else(|| names.iter().position(|name| *name == field));
        let value = match read.and_then(|index| self.values.get(index)) {
            Some(value) => *value,
            None => self.border.named(self.object, field)?,
        };
        Ok((value, self.border.kind(value)?))
    }

    /// The field and its kind; `None` for undefined and null.
    pub fn given(&self, field: &str) -> Result<Option<(Value<'s>, Kind)>, Failure> {
        Ok(Some(self.field(field)?).filter(|(_, kind)| !kind.is_nothing()))
    }

    /// The error for a field that is not what it has to be.
    pub fn wrong(&self, field: &str, value: Value, expected: &str) -> Failure {
        wrong(self.border, self.path(field), value, expected)
    }

    pub fn required_string(&self, field: &str) -> Result<String, Failure> {
        match self.field(field)? {
            (value, Kind::String) => self.border.string(value),
            (value, _) => Err(self.wrong(field, value, "a string")),
        }
    }

    /// A string that may be missing, undefined or null.
    pub fn optional_string(&self, field: &str) -> Result<Option<String>, Failure> {
        match self.given(field)? {
            None => Ok(None),
            Some((value, Kind::String)) => self.border.string(value).map(Some),
            Some((value, _)) => Err(self.wrong(field, value, "a string")),
        }
    }

    /// A string that is empty if it is missing, undefined or null.
    pub fn string_or_empty(&self, field: &str) -> Result<String, Failure> {
        Ok(self.optional_string(field)?.unwrap_or_default())
    }

    /// A string or an array of strings, or nothing.
    pub fn strings(&self, field: &str) -> Result<Vec<String>, Failure> {
        let (value, kind) = self.field(field)?;
        self.strings_of(field, value, kind)
    }

    /// The same for a field that has been looked up.
    pub fn strings_of(
        &self,
        field: &str,
        value: Value<'s>,
        kind: Kind,
    ) -> Result<Vec<String>, Failure> {
        match kind {
            Kind::Undefined | Kind::Null => return Ok(Vec::new()),
            Kind::String => return Ok(vec![self.border.string(value)?]),
            _ => {}
        }
        let Some(length) = self.border.array_length(value)? else {
            return Err(self.wrong(field, value, "a string or an array of strings"));
        };
        let strings = (0..length).map(|index| {
            let element = self.border.element(value, index)?;
            match self.border.kind(element)? {
                Kind::String => self.border.string(element),
                _ => Err(self.wrong(&format!("{field}[{index}]"), element, "a string")),
            }
        });
        strings.collect()
    }

    /// A number that counts something and is at least `least`.
    pub fn integer(&self, field: &str, least: usize) -> Result<usize, Failure> {
        let (value, kind) = self.field(field)?;
        self.integer_of(field, value, kind, least)
    }

    /// The same for a number that may be missing.
    pub fn optional_integer(&self, field: &str, least: usize) -> Result<Option<usize>, Failure> {
        match self.given(field)? {
            None => Ok(None),
            Some((value, kind)) => self.integer_of(field, value, kind, least).map(Some),
        }
    }

    /// The same for a number that has a default.
    pub fn integer_or(&self, field: &str, least: usize, default: usize) -> Result<usize, Failure> {
        Ok(self.optional_integer(field, least)?.unwrap_or(default))
    }

    fn integer_of(
        &self,
        field: &str,
        value: Value<'s>,
        kind: Kind,
        least: usize,
    ) -> Result<usize, Failure> {
        match kind {
            Kind::Number => {
                integer(self.border, &self.path(field), self.border.number(value)?, least)
            }
            _ => Err(self.wrong(field, value, "a number")),
        }
    }

    /// A boolean that may be missing.
    pub fn boolean_or(&self, field: &str, default: bool) -> Result<bool, Failure> {
        match self.given(field)? {
            None => Ok(default),
            Some((value, Kind::Boolean)) => self.border.is_true(value),
            Some((value, _)) => Err(self.wrong(field, value, "a boolean")),
        }
    }

    /// An array, with its length.
    pub fn array(&self, field: &str) -> Result<(Value<'s>, u32), Failure> {
        let (value, _) = self.field(field)?;
        match self.border.array_length(value)? {
            Some(length) => Ok((value, length)),
            None => Err(self.wrong(field, value, "an array")),
        }
    }
}

/// Checks that a number counts something, and is at least `least`.
pub fn integer(border: Border, path: &str, number: f64, least: usize) -> Result<usize, Failure> {
    if number.fract() == 0.0 && number >= least as f64 && number <= MAX_SAFE_INTEGER {
        return Ok(number as usize);
    }
    let expected = if least == 0 { "a non-negative integer" } else { "a positive safe integer" };
    Err(Error::OutOfRange {
        path: path.to_owned(),
        expected: expected.to_owned(),
        got: border.number_text(number)?,
    }
    .into())
}

/// The error for a value that is not what it has to be.
pub fn wrong(border: Border, path: impl Into<String>, value: Value, expected: &str) -> Failure {
    match kind_name(border, value) {
        Ok(got) => Error::invalid_type(path, expected, got).into(),
        Err(failure) => failure,
    }
}

fn kind_name(border: Border, value: Value) -> Result<&'static str, Failure> {
    match border.kind(value)? {
        Kind::Object if border.array_length(value)?.is_some() => Ok("array"),
        kind => Ok(kind.name()),
    }
}
