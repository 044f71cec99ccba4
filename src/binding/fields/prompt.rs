//! The inputs of assemblers and of `buildPrompt`.

use super::{TokenizerFields, count, optional_count};
use crate::binding::passed::Header;
use crate::binding::strings::{JsString, JsText};
use crate::budget::Policy;
use crate::error::Error;
use crate::model::{Assembler, Materials, Quote, Sender};
use crate::prompt::role_line;
use crate::reading::{GivenRequest, Passed, Selection};
use crate::text::{Ends, Text, trim_js};
use crate::tokens::Tokenizer;
use napi_derive::napi;
use std::borrow::Cow;
use std::rc::Rc;

/// What most `AssemblerInput`s do not have.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct MoreAssemblerFields {
    /// The ends of a message of megabytes. If they suffice, the rest of it is not read.
    pub ends: Option<EndFields>,
    pub summary: Option<JsText>,
    pub max_tokens: Option<f64>,
    pub parent_context: Option<QuoteFields>,
    pub sibling_context: Option<Vec<QuoteFields>>,
    pub route_meta: Option<RouteMetaFields>,
    pub pinned: Option<Vec<u32>>,
    pub gaps_before: Option<Vec<u32>>,
    pub message_from: Option<String>,
    pub message_to: Option<String>,
    pub fence_key: Option<String>,
    pub show_sender: Option<bool>,
    pub summary_covers: Option<f64>,
    /// Whether secrets are replaced, in everything but the system text. Messages must have parts.
    pub redact: Option<bool>,
    /// The most bytes of the parent.
    pub parent_max_bytes: Option<f64>,
    /// Messages of the session that are not in the list.
    pub outside: Option<OutsideFields>,
}

/// The same of `PromptInput`s.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct MorePromptFields {
    pub recipient: Option<String>,
    /// The ends of a message of megabytes. If they suffice, the rest of it is not read.
    pub ends: Option<EndFields>,
    pub summary: Option<JsText>,
    pub max_tokens: Option<f64>,
    pub tokenizer: Option<TokenizerFields>,
    pub role_summary: Option<JsText>,
    pub system_max_bytes: Option<f64>,
    pub pinned: Option<Vec<u32>>,
    pub message_from: Option<String>,
    pub message_to: Option<String>,
    pub fence_key: Option<String>,
    pub show_sender: Option<bool>,
}

/// A text of megabytes, of which a prompt can take only the ends.
#[napi(object, object_to_js = false)]
pub struct EndFields {
    pub beginning: JsText,
    pub end: JsText,
    /// Of the whole text.
    pub bytes: f64,
    pub whole: JsString,
}

/// Messages that nobody passes, because they are outside of what the prompt is made of.
#[napi(object, object_to_js = false)]
pub struct OutsideFields {
    pub count: f64,
    pub bytes: f64,
}

/// A parent message or a sibling reply.
#[napi(object, object_to_js = false)]
pub struct QuoteFields {
    pub from: String,
    pub content: JsText,
}

/// Routing data.
#[napi(object, object_to_js = false)]
pub struct RouteMetaFields {
    pub parent_message_id: String,
    pub intent: String,
}

/// The texts that every input may have.
struct FixedTexts {
    message: String,
    team_task: String,
    instruction_file: String,
    system_instruction: Vec<String>,
}

impl FixedTexts {
    fn of(header: Header, passed: &Passed) -> Result<Self, Error> {
        let [message, team_task, instruction_file] = [0, 1, 2].map(|at| passed.text_at(at));
        let instructions = (0..header.instructions()).map(|at| passed.text_at(3 + at));
        Ok(FixedTexts {
            message: message?,
            team_task: team_task?,
            instruction_file: instruction_file?,
            system_instruction: instructions.collect::<Result<_, _>>()?,
        })
    }
}

/// What is to be read and assembled for an `AssemblerInput`.
pub fn assembler_request(
    assembler: &Rc<Assembler>,
    header: Header,
    passed: &Passed,
    more: Option<MoreAssemblerFields>,
) -> Result<GivenRequest, Error> {
    let more = more.unwrap_or_default();
    let assembler = with_key(assembler, more.fence_key.as_deref())?;
    let max_bytes = header.max_bytes();
    let max_tokens = optional_count(more.max_tokens);
    let tokens = assembler.token_budget(max_tokens, None, header.report())?;
    let fixed = FixedTexts::of(header, passed)?;
    let covered = optional_count(more.summary_covers);
    let route = more.route_meta;
    let (parent_message_id, intent) =
        route.map_or_else(Default::default, |route| (route.parent_message_id, route.intent));
    let siblings = more.sibling_context.unwrap_or_default().into_iter();
    let min_bytes = assembler.message_min_bytes();
    let is_disarmed = assembler.disarms_message(more.show_sender);
    let message = message(fixed.message, more.ends, max_bytes, min_bytes, is_disarmed)?;
    let names = (more.message_from, more.message_to);
    let sender = sender(&assembler, more.show_sender, &message, names)?;
    let mut materials = Materials {
        message,
        sender,
        team_task: fixed.team_task.into(),
        summary: text(more.summary).into(),
        system_instruction: fixed.system_instruction.into(),
        instruction_file: fixed.instruction_file.into(),
        parent: more.parent_context.map(quote),
        siblings: siblings.map(quote).collect(),
        outside: more.outside.map(|outside| (count(outside.count), count(outside.bytes))),
        parent_message_id: parent_message_id.into(),
        intent: intent.into(),
        max_bytes,
        tokens,
        ..Materials::default()
    };
    let redacts = more.redact == Some(true);
    if redacts {
        materials.redact();
    }
    if let Some(max_bytes) = optional_count(more.parent_max_bytes) {
        materials.limit_parent(max_bytes);
    }
    materials.disarm(&assembler);
    Ok(GivenRequest {
        assembler,
        materials,
        policy: Policy::Assembler,
        count: header.count(),
        pinned: indices(more.pinned),
        gaps_before: indices(more.gaps_before),
        selection: covered.map(|covered| Selection {
            limit: header.count().saturating_sub(covered),
            recipient: None,
            rest_is_covered: true,
        }),
        redacts,
        report: header.report(),
        is_string: header.is_string(),
        buffer: Vec::new(),
    })
}

/// The same for a `PromptInput`.
pub fn prompt_request(
    assembler: &Rc<Assembler>,
    header: Header,
    passed: &Passed,
    more: Option<MorePromptFields>,
) -> Result<GivenRequest, Error> {
    let more = more.unwrap_or_default();
    let names_members = more.recipient.is_some() || more.message_from.is_some();
    let assembler = with_key(&assembler.for_prompt(names_members), more.fence_key.as_deref())?;
    let max_bytes = header.max_bytes();
    let tokenizer = more.tokenizer.map(Tokenizer::from);
    let max_tokens = optional_count(more.max_tokens);
    let tokens = assembler.token_budget(max_tokens, tokenizer, header.report())?;
    let fixed = FixedTexts::of(header, passed)?;
    let is_disarmed = assembler.disarms_message(more.show_sender);
    let message = message(fixed.message, more.ends, max_bytes, 0, is_disarmed)?;
    let names = (more.message_from, more.message_to);
    let sender = sender(&assembler, more.show_sender, &message, names)?;
    let mut materials = Materials {
        message,
        sender,
        team_task: fixed.team_task.into(),
        summary: text(more.summary).into(),
        role: role_line(&text(more.role_summary)),
        system_instruction: fixed.system_instruction.into(),
        instruction_file: fixed.instruction_file.into(),
        max_bytes,
        tokens,
        ..Materials::default()
    };
    materials.disarm(&assembler);
    Ok(GivenRequest {
        assembler,
        materials,
        policy: Policy::BuildPrompt { system_max_bytes: optional_count(more.system_max_bytes) },
        count: header.count(),
        pinned: indices(more.pinned),
        gaps_before: Vec::new(),
        selection: Some(Selection {
            limit: header.max_messages(),
            recipient: more.recipient,
            rest_is_covered: false,
        }),
        redacts: false,
        report: header.report(),
        is_string: header.is_string(),
        buffer: Vec::new(),
    })
}

fn with_key(assembler: &Rc<Assembler>, key: Option<&str>) -> Result<Rc<Assembler>, Error> {
    Ok(match assembler.with_key(key)? {
        Cow::Borrowed(_) => Rc::clone(assembler),
        Cow::Owned(fenced) => Rc::new(fenced),
    })
}

fn text(text: Option<JsText>) -> String {
    text.map(String::from).unwrap_or_default()
}

fn quote(QuoteFields { from, content }: QuoteFields) -> Quote {
    Quote::new(from, content.into())
}

/// Ascending, each once.
fn indices(given: Option<Vec<u32>>) -> Vec<usize> {
    let mut indices: Vec<usize> =
        given.unwrap_or_default().into_iter().map(|index| index as usize).collect();
    indices.sort_unstable();
    indices.dedup();
    indices
}

/// Who wrote the message, if the prompt says so. Only without a message, nobody need have.
fn sender(
    assembler: &Assembler,
    show_sender: Option<bool>,
    message: &Text,
    (from, to): (Option<String>, Option<String>),
) -> Result<Option<Sender<'static>>, Error> {
    if !assembler.shows_sender(show_sender) {
        return Ok(None);
    }
    let is_there = !trim_js(message.beginning()).is_empty();
    match from {
        Some(from) => Ok(Some(Sender { from: from.into(), to: to.unwrap_or_default().into() })),
        None if is_there && assembler.needs_sender(show_sender) => {
            let expected = match assembler.fence {
                Some(_) => "a string, because markers is 'fence'",
                None => "a string, because showSender is true",
            };
            Err(Error::invalid_type("messageFrom", expected, "undefined"))
        }
        None => Ok(None),
    }
}

/// The message to act on: whole, or its ends if only they are needed.
fn message(
    whole: String,
    ends: Option<EndFields>,
    max_bytes: usize,
    min_bytes: usize,
    is_disarmed: bool,
) -> Result<Text<'static>, Error> {
    let Some(EndFields { beginning, end, bytes, whole }) = ends else { return Ok(whole.into()) };
    if !is_disarmed {
        let ends = Ends::new(beginning.into(), end.into(), count(bytes), max_bytes, min_bytes);
        if let Some(ends) = ends {
            return Ok(Text::Ends(ends));
        }
    }
    Ok(whole.read()?.into())
}
