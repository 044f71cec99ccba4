//! What is to be assembled, from JS values to the core's types.

use super::border::{Border, Kind, Name, Script, Value};
use super::failure::Failure;
use super::long_text;
use super::messages::JsMessages;
use super::options;
use super::reader::{Reader, Shape, shape};
use crate::layout::layout_of;
use crate::model::{Assembler, Materials, Quote};
use crate::prompt::{self, Selection};
use crate::text::Text;

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
