//! JS values to the core's types, field by field, with the path of what is wrong.

use super::border::{Border, Kind, Name, Opened, Script, Value};
use super::failure::Failure;
use super::long_text;
use super::messages::JsMessages;
use super::options;
use crate::error::Error;
use crate::layout::layout_of;
use crate::model::{Assembler, Materials, Quote};
use crate::prompt::{self, Selection};
use crate::text::Text;

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

/// The fields of an `AssemblerInput`.
pub static ASSEMBLER_INPUT: Shape = shape!(
    AssemblerInput: contextMessages, routeMeta, maxBytes, parentContext, currentMessage, teamTask,
    systemInstruction, instructionFileText, siblingContext
);

/// An assembler's input: the materials, and the conversation still unread.
pub fn assembler_input<'s>(
    reader: &Reader<'s, '_>,
) -> Result<(Materials<'static>, JsMessages<'s>), Failure> {
    let border = reader.border;
    let (messages, length) = reader.array("contextMessages")?;
    let (parent_message_id, intent) = route_meta(reader)?;
    let max_bytes = reader.integer("maxBytes", 1)?;
    let parent = parent(reader)?;
    let materials = Materials {
        // Compared with the parent, it is needed whole.
        message: match parent {
            None => message(reader, "currentMessage", max_bytes)?,
            Some(_) => reader.required_string("currentMessage")?.into(),
        },
        team_task: reader.string_or_empty("teamTask")?.into(),
        system_instruction: reader.strings("systemInstruction")?.into(),
        instruction_file: reader.string_or_empty("instructionFileText")?.into(),
        max_bytes,
        parent,
        siblings: siblings(reader)?,
        parent_message_id,
        intent,
    };
    let messages = JsMessages::new(border, messages, length, materials.message.beginning());
    Ok((materials, messages))
}

/// What `buildPrompt` is asked for.
pub struct PromptRequest<'s> {
    pub assembler: Assembler,
    pub materials: Materials<'static>,
    pub messages: Selection<JsMessages<'s>>,
    pub system_max_bytes: usize,
}

/// The fields of a `PromptInput`.
pub static PROMPT_INPUT: Shape = shape!(
    PromptInput: agentType, options, contextMessages, maxBytes, maxContextMessages, recipient,
    roleSummary, systemInstructionText, message, teamTask, instructionFileText, systemMaxBytes
);

/// `buildPrompt`'s input: as an assembler's, with the choice of the assembler in it.
pub fn prompt_input<'s>(reader: &Reader<'s, '_>) -> Result<PromptRequest<'s>, Failure> {
    let border = reader.border;
    let layout = layout_of(&reader.required_string("agentType")?);
    let options = reader.given("options")?.map(|(value, _)| value);
    let assembler = options::assembler(border, layout, options)?;

    let (messages, length) = reader.array("contextMessages")?;
    let max_bytes = reader.integer_or("maxBytes", 1, prompt::DEFAULT_MAX_BYTES)?;
    let limit = reader.integer_or("maxContextMessages", 0, prompt::DEFAULT_CONTEXT_MESSAGES)?;
    let recipient = reader.optional_string("recipient")?;
    let mut system_instruction = vec![prompt::role_line(&reader.string_or_empty("roleSummary")?)];
    system_instruction.extend(reader.strings("systemInstructionText")?);
    let materials = Materials {
        message: message(reader, "message", max_bytes)?,
        team_task: reader.string_or_empty("teamTask")?.into(),
        system_instruction: system_instruction.into(),
        instruction_file: reader.string_or_empty("instructionFileText")?.into(),
        max_bytes,
        ..Materials::default()
    };
    let system_max_bytes = reader.integer_or("systemMaxBytes", 0, max_bytes / 2)?;
    let messages = JsMessages::new(border, messages, length, materials.message.beginning());
    let messages = Selection::new(messages, limit, recipient.as_deref())?;
    Ok(PromptRequest { assembler, materials, messages, system_max_bytes })
}

/// The message to act on: whole, or of one that has to be cut anyway, its ends.
fn message(reader: &Reader, field: &str, max_bytes: usize) -> Result<Text<'static>, Failure> {
    match reader.field(field)? {
        (value, Kind::String) => long_text::read(reader.border, value, max_bytes),
        (value, _) => Err(reader.wrong(field, value, "a string")),
    }
}

fn parent(reader: &Reader) -> Result<Option<Quote>, Failure> {
    match reader.given("parentContext")? {
        None => Ok(None),
        Some((value, _)) => quote(reader.border, value, "parentContext").map(Some),
    }
}

fn siblings(reader: &Reader) -> Result<Vec<Quote>, Failure> {
    let Some((array, _)) = reader.given("siblingContext")? else { return Ok(Vec::new()) };
    let Some(length) = reader.border.array_length(array)? else {
        return Err(reader.wrong("siblingContext", array, "an array"));
    };
    let quotes = (0..length).map(|index| {
        let sibling = reader.border.element(array, index)?;
        quote(reader.border, sibling, &format!("siblingContext[{index}]"))
    });
    quotes.collect()
}

fn quote(border: Border, value: Value, path: &str) -> Result<Quote, Failure> {
    let reader = Reader::new(border, value, path, path)?;
    Ok(Quote { from: reader.required_string("from")?, content: reader.required_string("content")? })
}

/// Parent message and intent.
fn route_meta(reader: &Reader) -> Result<(String, String), Failure> {
    let Some((value, _)) = reader.given("routeMeta")? else { return Ok(Default::default()) };
    let meta = Reader::new(reader.border, value, "routeMeta", "routeMeta")?;
    Ok((meta.string_or_empty("parentMessageId")?, meta.string_or_empty("intent")?))
}
