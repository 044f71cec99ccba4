//! JSON as text, written piece by piece. JavaScript parses it once.

use serde::Serialize;
use serde::ser::Error;
use serde_json::value::RawValue;

/// JSON that is being written.
#[derive(Debug, Default)]
pub struct Json {
    text: Vec<u8>,
    /// Whether what comes next is the first in its object or array.
    is_first: bool,
    error: Option<serde_json::Error>,
}

impl Json {
    /// What an object with these fields is as text.
    pub fn written(fields: impl FnOnce(&mut Json)) -> serde_json::Result<String> {
        let mut json = Json { is_first: true, ..Json::default() };
        json.object(fields);
        match json.error {
            Some(error) => Err(error),
            None => String::from_utf8(json.text).map_err(serde_json::Error::custom),
        }
    }

    /// An object, as the next element.
    pub fn object(&mut self, fields: impl FnOnce(&mut Json)) {
        self.within(b'{', fields, b'}');
    }

    /// A field with an object.
    pub fn object_at(&mut self, name: &str, fields: impl FnOnce(&mut Json)) {
        self.name(name);
        self.object(fields);
    }

    /// A field with an array.
    pub fn array_at(&mut self, name: &str, elements: impl FnOnce(&mut Json)) {
        self.name(name);
        self.within(b'[', elements, b']');
    }

    /// A field.
    pub fn field(&mut self, name: &str, value: impl Serialize) {
        self.name(name);
        self.value(value);
    }

    /// A field, if there is a value.
    pub fn optional(&mut self, name: &str, value: Option<impl Serialize>) {
        if let Some(value) = value {
            self.field(name, value);
        }
    }

    /// A field whose value is JSON already.
    pub fn raw(&mut self, name: &str, json: &str) {
        match serde_json::from_str::<&RawValue>(json) {
            Ok(value) => self.field(name, value),
            Err(error) => self.error = Some(error),
        }
    }

    fn name(&mut self, name: &str) {
        self.value(name);
        self.text.push(b':');
        self.is_first = true;
    }

    fn value(&mut self, value: impl Serialize) {
        self.separate();
        if let Err(error) = serde_json::to_writer(&mut self.text, &value) {
            self.error = Some(error);
        }
    }

    fn within(&mut self, open: u8, contents: impl FnOnce(&mut Json), close: u8) {
        self.separate();
        self.text.push(open);
        self.is_first = true;
        contents(self);
        self.text.push(close);
        self.is_first = false;
    }

    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.text.push(b',');
        }
    }
}
