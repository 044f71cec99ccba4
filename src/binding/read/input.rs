//! What is to be assembled, from JS values to the core's types.

use super::fields::Field;
use super::long_text;
use super::messages::JsMessages;
use super::tokenizer::{GivenTokenizer, count_materials};
use super::{layout, options};
use crate::binding::failure::Failure;
use crate::binding::node_api::{Kind, Scope, Value};
use crate::error::Error;
use crate::model::{Assembler, Materials, Quote, RoleLine, SeenParts};
use crate::prompt::{self, DEFAULT_CONTEXT_MESSAGES, DEFAULT_MAX_BYTES, Selection};
use crate::text::Text;

/// The fields of an `AssemblerInput`, as `js/fields.js` passes them.
pub struct AssemblerFields<'s> {
    pub input: Value<'s>,
    pub context_messages: Value<'s>,
    pub route_meta: Value<'s>,
    pub max_bytes: Value<'s>,
    pub parent_context: Value<'s>,
    pub current_message: Value<'s>,
    pub team_task: Value<'s>,
    pub summary: Value<'s>,
    pub system_instruction: Value<'s>,
    pub instruction_file_text: Value<'s>,
    pub sibling_context: Value<'s>,
    pub pinned: Value<'s>,
    pub gaps_before: Value<'s>,
    /// `buildPrompt`'s name for `systemInstruction`: using it here is a mistake.
    pub system_instruction_text: Value<'s>,
    pub max_tokens: Value<'s>,
    /// Tokenizers that are functions, by their numbers.
    pub functions: Value<'s>,
}

impl<'s> AssemblerFields<'s> {
    /// The materials, and the conversation still unread.
    pub fn read(
        &self,
        scope: Scope<'s>,
        messages: JsMessages<'s>,
        assembler: &Assembler,
        report: bool,
    ) -> Result<(Materials<'static>, JsMessages<'s>), Failure> {
        let field = |name, value| Field::new(scope, name, value);
        field("input", self.input).object()?;
        let context_messages = field("contextMessages", self.context_messages);
        let length = context_messages.array()?;
        let (parent_message_id, intent) = route_meta(field("routeMeta", self.route_meta))?;
        let max_bytes = field("maxBytes", self.max_bytes).integer(1)?;
        let parent = parent(field("parentContext", self.parent_context))?;
        let current_message = field("currentMessage", self.current_message);
        let max_tokens = field("maxTokens", self.max_tokens).optional_integer(1)?;
        let tokens = assembler.token_budget(max_tokens, None, report)?;
        let mut materials = Materials {
            // It is compared with the parent, and needed whole for that.
            message: match parent {
                None => message(current_message, max_bytes)?,
                Some(_) => current_message.string()?.into(),
            },
            team_task: field("teamTask", self.team_task).string_or_empty()?.into(),
            summary: field("summary", self.summary).string_or_empty()?.into(),
            system_instruction: instruction(
                field("systemInstruction", self.system_instruction),
                field("systemInstructionText", self.system_instruction_text),
            )?
            .into(),
            instruction_file: field("instructionFileText", self.instruction_file_text)
                .string_or_empty()?
                .into(),
            max_bytes,
            role: RoleLine::default(),
            team_task_cut_bytes: 0,
            parent,
            siblings: siblings(field("siblingContext", self.sibling_context))?,
            parent_message_id: parent_message_id.into(),
            intent: intent.into(),
            unused_routing_bytes: 0,
            seen: SeenParts::default(),
            tokens,
        };
        let number = materials.tokens.as_ref().and_then(|budget| budget.tokenizer.function());
        let function = match number {
            Some(number) => Some(scope.element(self.functions, number as u32)?),
            None => None,
        };
        count_by_function(scope, &mut materials, function)?;
        let messages = messages
            .of_array(self.context_messages, length, materials.message.beginning())
            .counted_by(function);
        let pinned = indices(field("pinned", self.pinned), length)?;
        let gaps_before = indices(field("gapsBefore", self.gaps_before), length)?;
        Ok((materials, messages.with_pinned(pinned, gaps_before)))
    }
}

/// What `buildPrompt` is asked for.
pub struct PromptRequest<'s> {
    pub assembler: Assembler,
    pub materials: Materials<'static>,
    pub messages: Selection<JsMessages<'s>>,
    pub system_max_bytes: Option<usize>,
}

/// The fields of a `PromptInput`, as `js/fields.js` passes them.
pub struct PromptFields<'s> {
    pub input: Value<'s>,
    pub agent_type: Value<'s>,
    pub layout: Value<'s>,
    pub options: Value<'s>,
    pub context_messages: Value<'s>,
    pub max_bytes: Value<'s>,
    pub max_context_messages: Value<'s>,
    pub recipient: Value<'s>,
    pub role_summary: Value<'s>,
    pub system_instruction_text: Value<'s>,
    pub message: Value<'s>,
    pub team_task: Value<'s>,
    pub summary: Value<'s>,
    pub instruction_file_text: Value<'s>,
    pub system_max_bytes: Value<'s>,
    pub pinned: Value<'s>,
    /// The assemblers' name for `systemInstructionText`: using it here is a mistake.
    pub system_instruction: Value<'s>,
    pub max_tokens: Value<'s>,
    pub tokenizer: Value<'s>,
}

impl<'s> PromptFields<'s> {
    pub fn read(
        &self,
        scope: Scope<'s>,
        messages: JsMessages<'s>,
        report: bool,
    ) -> Result<PromptRequest<'s>, Failure> {
        let field = |name, value| Field::new(scope, name, value);
        field("input", self.input).object()?;
        let layout = layout::own_or_of_type(
            field("layout", self.layout),
            field("agentType", self.agent_type),
        )?;
        let (assembler, of_options) =
            options::assembler(layout, field("options", self.options), 0)?;
        let given = GivenTokenizer::read(field("tokenizer", self.tokenizer))?;
        let tokenizer = given.map(|given| given.tokenizer(scope, 0)).transpose()?;
        let max_tokens = field("maxTokens", self.max_tokens).optional_integer(1)?;
        let tokens = assembler.token_budget(max_tokens, tokenizer, report)?;
        let length = field("contextMessages", self.context_messages).array()?;
        let max_bytes = field("maxBytes", self.max_bytes).integer_or(1, DEFAULT_MAX_BYTES)?;
        let limit = field("maxContextMessages", self.max_context_messages)
            .integer_or(0, DEFAULT_CONTEXT_MESSAGES)?;
        let recipient = field("recipient", self.recipient).optional_string()?;
        let role_summary = field("roleSummary", self.role_summary).string_or_empty()?;
        let instruction = instruction(
            field("systemInstructionText", self.system_instruction_text),
            field("systemInstruction", self.system_instruction),
        )?;
        let mut materials = Materials {
            message: message(field("message", self.message), max_bytes)?,
            team_task: field("teamTask", self.team_task).string_or_empty()?.into(),
            summary: field("summary", self.summary).string_or_empty()?.into(),
            role: prompt::role_line(&role_summary),
            system_instruction: instruction.into(),
            instruction_file: field("instructionFileText", self.instruction_file_text)
                .string_or_empty()?
                .into(),
            max_bytes,
            tokens,
            ..Materials::default()
        };
        let system_max_bytes =
            field("systemMaxBytes", self.system_max_bytes).optional_integer(0)?;
        let number = materials.tokens.as_ref().and_then(|budget| budget.tokenizer.function());
        let function = given.or(of_options).and_then(GivenTokenizer::function);
        let function = function.filter(|_| number.is_some());
        count_by_function(scope, &mut materials, function)?;
        let messages = messages
            .of_array(self.context_messages, length, materials.message.beginning())
            .counted_by(function);
        let pinned = indices(field("pinned", self.pinned), length)?;
        let messages = messages.with_pinned(pinned, Vec::new());
        let messages = Selection::new(messages, limit, recipient.as_deref())?;
        Ok(PromptRequest { assembler, materials, messages, system_max_bytes })
    }
}

/// Has a tokenizer that is a function count the materials.
fn count_by_function(
    scope: Scope,
    materials: &mut Materials,
    function: Option<Value>,
) -> Result<(), Failure> {
    let Some(function) = function else { return Ok(()) };
    let counted = count_materials(scope, function, materials)?;
    if let Some(budget) = &mut materials.tokens {
        budget.counted = counted;
    }
    Ok(())
}

/// An instruction; an error if it was given under the name that another function has for it.
pub fn instruction(right: Field, misnamed: Field) -> Result<Vec<String>, Failure> {
    if right.given()?.is_none() && misnamed.given()?.is_some() {
        return Err(Error::misnamed_field(misnamed.path(), right.path()).into());
    }
    right.strings()
}

/// Indices into `contextMessages`, ascending, each once.
fn indices(field: Field, length: u32) -> Result<Vec<usize>, Failure> {
    if field.given()?.is_none() {
        return Ok(Vec::new());
    }
    let mut indices = Vec::new();
    for element in field.elements("an array")? {
        let element = element?;
        let index = element.field().integer(0)?;
        if index >= length as usize {
            let path = element.field().path();
            return Err(Error::not_an_index(path, "contextMessages", index).into());
        }
        indices.push(index);
    }
    indices.sort_unstable();
    indices.dedup();
    Ok(indices)
}

/// The message to act on: whole, or of one that has to be cut anyway, its ends.
fn message(field: Field, max_bytes: usize) -> Result<Text<'static>, Failure> {
    match field.kind()? {
        Kind::String => long_text::read(field.scope, field.value, max_bytes),
        _ => Err(field.wrong("a string")),
    }
}

fn parent(field: Field) -> Result<Option<Quote>, Failure> {
    field.given()?.map(quote).transpose()
}

fn siblings(field: Field) -> Result<Vec<Quote>, Failure> {
    let Some(given) = field.given()? else { return Ok(Vec::new()) };
    given.elements("an array")?.map(|element| quote(element?.field())).collect()
}

fn quote(field: Field) -> Result<Quote, Failure> {
    let quoted = field.object()?;
    Ok(Quote::new(quoted.field("from")?.string()?, quoted.field("content")?.string()?))
}

/// Parent message and intent.
fn route_meta(field: Field) -> Result<(String, String), Failure> {
    let meta = field.object_or_empty()?;
    let parent_id = meta.field("parentMessageId")?.string_or_empty()?;
    Ok((parent_id, meta.field("intent")?.string_or_empty()?))
}
