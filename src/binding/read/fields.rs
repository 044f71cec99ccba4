//! Values of the caller's, with the path that an error names.

use crate::binding::failure::Failure;
use crate::binding::handles::{self, Handled};
use crate::binding::node_api::{Kind, Scope, Value};
use crate::error::Error;
use std::rc::Rc;

/// The largest integer that JavaScript counts to without gaps.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// A value and how the caller would write it: `name`, or `parent.name`.
#[derive(Clone, Copy)]
pub struct Field<'s, 'p> {
    pub scope: Scope<'s>,
    pub value: Value<'s>,
    parent: &'p str,
    name: &'p str,
}

impl<'s, 'p> Field<'s, 'p> {
    /// A value that was passed by position.
    pub fn new(scope: Scope<'s>, name: &'p str, value: Value<'s>) -> Self {
        Field { scope, value, parent: "", name }
    }

    /// The same below `parent`, such as `options`.
    pub fn below(self, parent: &'p str) -> Self {
        Field { parent, ..self }
    }

    pub fn path(&self) -> String {
        match self.parent {
            "" => self.name.to_owned(),
            parent => format!("{parent}.{}", self.name),
        }
    }

    pub fn kind(&self) -> Result<Kind, Failure> {
        self.scope.kind(self.value)
    }

    /// The field, unless it is undefined or null.
    pub fn given(self) -> Result<Option<Self>, Failure> {
        Ok((!self.kind()?.is_nothing()).then_some(self))
    }

    /// What the value is, for an error message.
    pub fn described(&self) -> Result<String, Failure> {
        got(self.scope, self.value)
    }

    /// The error for a value that is not what it has to be.
    pub fn wrong(&self, expected: &str) -> Failure {
        match self.described() {
            Ok(got) => Error::invalid_type(self.path(), expected, got).into(),
            Err(failure) => failure,
        }
    }

    /// The error for a string that is not one of those that are known.
    pub fn unknown(&self, expected: &str, got: &str) -> Failure {
        Error::invalid_type(self.path(), expected, format!("'{got}'")).into()
    }

    pub fn string(&self) -> Result<String, Failure> {
        match self.kind()? {
            Kind::String => self.scope.string(self.value),
            _ => Err(self.wrong("a string")),
        }
    }

    pub fn optional_string(self) -> Result<Option<String>, Failure> {
        self.given()?.map(|given| given.string()).transpose()
    }

    pub fn string_or_empty(self) -> Result<String, Failure> {
        Ok(self.optional_string()?.unwrap_or_default())
    }

    /// The name or the path of a program.
    pub fn program(&self) -> Result<String, Failure> {
        let name = self.string()?;
        match name.is_empty() || name.contains('\0') {
            true => Err(self.unknown("the name of a program", &name)),
            false => Ok(name),
        }
    }

    /// A string or an array of strings, or nothing.
    pub fn strings(self) -> Result<Vec<String>, Failure> {
        match self.kind()? {
            Kind::Undefined | Kind::Null => Ok(Vec::new()),
            Kind::String => Ok(vec![self.scope.string(self.value)?]),
            _ => self.string_array("a string or an array of strings"),
        }
    }

    /// The strings of an array.
    pub fn string_array(&self, expected: &str) -> Result<Vec<String>, Failure> {
        self.elements(expected)?.map(|element| element?.string()).collect()
    }

    /// The elements of an array, each with the function that reads it under its own path.
    pub fn elements(
        &self,
        expected: &str,
    ) -> Result<impl Iterator<Item = Result<Element<'s>, Failure>>, Failure> {
        let Some(length) = self.scope.array_length(self.value)? else {
            return Err(self.wrong(expected));
        };
        let (scope, array, path) = (self.scope, self.value, self.path());
        Ok((0..length).map(move |index| {
            let value = scope.element(array, index)?;
            Ok(Element { scope, value, path: format!("{path}[{index}]") })
        }))
    }

    /// A number that counts something and is at least `min`.
    pub fn integer(&self, min: usize) -> Result<usize, Failure> {
        let number = self.number()?;
        if number.fract() == 0.0 && number >= min as f64 && number <= MAX_SAFE_INTEGER {
            return Ok(number as usize);
        }
        let expected = if min == 0 { "a non-negative integer" } else { "a positive safe integer" };
        let (path, expected) = (self.path(), expected.to_owned());
        Err(Error::OutOfRange { path, expected, got: self.scope.printed(self.value)? }.into())
    }

    /// The numbers of an array, each of which counts something.
    pub fn integers(&self) -> Result<Vec<usize>, Failure> {
        self.elements("an array")?.map(|element| element?.field().integer(0)).collect()
    }

    /// A number of any kind.
    pub fn number(&self) -> Result<f64, Failure> {
        self.scope.optional_number(self.value)?.ok_or_else(|| self.wrong("a number"))
    }

    pub fn optional_integer(self, min: usize) -> Result<Option<usize>, Failure> {
        self.given()?.map(|given| given.integer(min)).transpose()
    }

    pub fn integer_or(self, min: usize, default: usize) -> Result<usize, Failure> {
        Ok(self.optional_integer(min)?.unwrap_or(default))
    }

    pub fn optional_boolean(self) -> Result<Option<bool>, Failure> {
        let Some(given) = self.given()? else { return Ok(None) };
        match given.kind()? {
            Kind::Boolean => self.scope.boolean_of(self.value).map(Some),
            _ => Err(self.wrong("a boolean")),
        }
    }

    /// An array, with its length.
    pub fn array(&self) -> Result<u32, Failure> {
        self.scope.array_length(self.value)?.ok_or_else(|| self.wrong("an array"))
    }

    /// The object whose properties are read.
    pub fn object(&self) -> Result<Object<'s>, Failure> {
        match self.kind()? {
            Kind::Object => {
                Ok(Object { scope: self.scope, value: Some(self.value), path: self.path() })
            }
            _ => Err(self.wrong("an object")),
        }
    }

    /// The same; undefined and null are an object without properties.
    pub fn object_or_empty(self) -> Result<Object<'s>, Failure> {
        match self.given()? {
            Some(given) => given.object(),
            None => Ok(Object { scope: self.scope, value: None, path: self.path() }),
        }
    }

    /// What stands behind a handle of the JavaScript side.
    pub fn handle<T: Handled>(&self) -> Result<Rc<T>, Failure> {
        let found = handles::get(self.scope.number(self.value)? as u64);
        let gone = || Error::Internal(format!("{} is no longer there", self.name));
        found.ok_or_else(|| gone().into())
    }
}

/// An element of an array.
pub struct Element<'s> {
    scope: Scope<'s>,
    value: Value<'s>,
    path: String,
}

impl<'s> Element<'s> {
    pub fn field(&self) -> Field<'s, '_> {
        Field::new(self.scope, &self.path, self.value)
    }

    pub fn string(&self) -> Result<String, Failure> {
        self.field().string()
    }
}

/// An object whose properties are read one by one: for what is read rarely.
pub struct Object<'s> {
    pub scope: Scope<'s>,
    /// `None` for an object that was not given.
    value: Option<Value<'s>>,
    path: String,
}

impl<'s> Object<'s> {
    /// The same, with its properties named without a path.
    pub fn at_top_level(self) -> Self {
        Object { path: String::new(), ..self }
    }

    pub fn field<'p>(&'p self, name: &'p str) -> Result<Field<'s, 'p>, Failure> {
        let value = match self.value {
            Some(object) => self.scope.named(object, name)?,
            None => self.scope.undefined()?,
        };
        Ok(Field::new(self.scope, name, value).below(&self.path))
    }

    /// A property of the object itself; undefined if it only inherits one of this name.
    pub fn own_field<'p>(&'p self, name: &'p str) -> Result<Field<'s, 'p>, Failure> {
        let value = match self.value {
            Some(object) => self.scope.own(object, name)?,
            None => self.scope.undefined()?,
        };
        Ok(Field::new(self.scope, name, value).below(&self.path))
    }

    /// Refuses a key that means nothing here, so that a slip of the pen is not ignored.
    pub fn check_keys(&self, known: &[&str]) -> Result<(), Failure> {
        let unknown = self.keys()?.into_iter().find(|key| !known.contains(&key.as_str()));
        match unknown {
            None => Ok(()),
            Some(key) => {
                let expected = format!("an object with keys of {}", known.join(", "));
                Err(Error::invalid_type(&*self.path, expected, format!("'{key}'")).into())
            }
        }
    }

    /// The object's own keys. Their values are read with [`Object::own_field`].
    pub fn keys(&self) -> Result<Vec<String>, Failure> {
        self.value.map_or_else(|| Ok(Vec::new()), |object| self.scope.keys(object))
    }
}

/// Checks that a value is a string, without reading it.
pub fn check_string(field: Field) -> Result<(), Failure> {
    match field.kind()? {
        Kind::String => Ok(()),
        _ => Err(field.wrong("a string")),
    }
}

/// What a value is, for an error message. What is easily mistaken for something else is named.
fn got(scope: Scope, value: Value) -> Result<String, Failure> {
    let kind = scope.kind(value)?;
    if kind != Kind::Object {
        return Ok(kind.name().to_owned());
    }
    if scope.array_length(value)?.is_some() {
        return Ok("array".to_owned());
    }
    let name = match scope.class_name(value)?.as_str() {
        "[object Promise]" => "a Promise: did you forget to await it?",
        "[object Map]" => "a Map",
        "[object Set]" => "a Set",
        _ => kind.name(),
    };
    Ok(name.to_owned())
}
