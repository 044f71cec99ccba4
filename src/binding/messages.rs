//! The caller's message array, as the core reads it: one message at a time, straight
//! into the core's buffer.

use super::border::{Border, Kind, Value};
use super::failure::Failure;
use super::input::wrong;
use crate::transcript::{Fields, MessageSource};

/// A JS array of messages, none of them read yet.
pub struct JsMessages<'s> {
    border: Border<'s>,
    array: Value<'s>,
    length: u32,
    keys: Keys<'s>,
}

/// Property keys, made once per call.
#[derive(Clone, Copy)]
struct Keys<'s> {
    from: Value<'s>,
    to: Value<'s>,
    content: Value<'s>,
}

impl<'s> JsMessages<'s> {
    pub fn new(border: Border<'s>, array: Value<'s>, length: u32) -> Result<Self, Failure> {
        let keys = Keys {
            from: border.key("from")?,
            to: border.key("to")?,
            content: border.key("content")?,
        };
        Ok(JsMessages { border, array, length, keys })
    }
}

impl MessageSource for JsMessages<'_> {
    type Error = Failure;

    fn len(&self) -> usize {
        self.length as usize
    }

    fn visit<R>(
        &self,
        index: usize,
        read: impl FnOnce(&dyn Fields<Error = Failure>) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        self.border.nested(|border| {
            let object = border.element(self.array, index as u32)?;
            if border.kind(object)? != Kind::Object {
                let path = format!("contextMessages[{index}]");
                return Err(wrong(border, path, object, "an object"));
            }
            read(&JsMessage { border, object, index, keys: self.keys })
        })
    }
}

struct JsMessage<'s, 'k> {
    border: Border<'s>,
    object: Value<'s>,
    index: usize,
    keys: Keys<'k>,
}

impl<'s> JsMessage<'s, '_> {
    fn required(&self, key: Value, name: &str) -> Result<Value<'s>, Failure> {
        let value = self.border.get(self.object, key)?;
        match self.border.kind(value)? {
            Kind::String => Ok(value),
            _ => Err(self.not_a_string(value, name)),
        }
    }

    fn not_a_string(&self, value: Value, name: &str) -> Failure {
        let path = format!("contextMessages[{}].{name}", self.index);
        wrong(self.border, path, value, "a string")
    }
}

impl Fields for JsMessage<'_, '_> {
    type Error = Failure;

    fn push_from(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
        let from = self.required(self.keys.from, "from")?;
        self.border.append_utf8(from, out, usize::MAX).map(drop)
    }

    fn push_to(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
        let to = self.border.get(self.object, self.keys.to)?;
        match self.border.kind(to)? {
            Kind::Undefined | Kind::Null => Ok(()),
            Kind::String => self.border.append_utf8(to, out, usize::MAX).map(drop),
            _ => Err(self.not_a_string(to, "to")),
        }
    }

    fn push_content(&self, out: &mut Vec<u8>, room: usize) -> Result<bool, Failure> {
        let content = self.required(self.keys.content, "content")?;
        self.border.append_utf8(content, out, room)
    }
}
