//! The inputs of assemblers and of `buildPrompt`.

use super::{Texts, TokenizerFields, count, optional_count, texts};
use crate::binding::strings::{JsString, JsText};
use crate::budget::Policy;
use crate::error::Error;
use crate::model::{Assembler, Materials, Quote, Sender};
use crate::prompt::{DEFAULT_CONTEXT_MESSAGES, DEFAULT_MAX_BYTES, role_line};
use crate::reading::{GivenRequest, Selection};
use crate::text::{Ends, Text, trim_js};
use crate::tokens::Tokenizer;
use napi_derive::napi;
use std::borrow::Cow;
use std::rc::Rc;

/// An `AssemblerInput`, without its messages.
#[napi(object, object_to_js = false)]
pub struct AssemblerFields {
    pub current_message: JsString,
    pub team_task: Option<JsText>,
    pub system_instruction: Option<Texts>,
    pub instruction_file_text: Option<JsText>,
    pub max_bytes: f64,
}

/// What most of them have not. It is a struct of its own, because each property takes 150 ns to read.
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

/// A `PromptInput`, without its messages and its assembler.
#[napi(object, object_to_js = false)]
pub struct PromptFields {
    pub message: JsString,
    pub team_task: Option<JsText>,
    pub system_instruction_text: Option<Texts>,
    pub instruction_file_text: Option<JsText>,
    pub max_bytes: Option<f64>,
    pub max_context_messages: Option<f64>,
    pub recipient: Option<String>,
}

/// What most of them have not.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct MorePromptFields {
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
}

/// A text of megabytes, of which a prompt can take only the ends.
#[napi(object, object_to_js = false)]
pub struct EndFields {
    pub beginning: JsText,
    pub end: JsText,
    /// Of the whole text.
    pub bytes: f64,
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

impl AssemblerFields {
    /// What is to be read and assembled.
    pub fn request(
        self,
        more: Option<MoreAssemblerFields>,
        assembler: &Rc<Assembler>,
        count_of_messages: u32,
        report: bool,
    ) -> Result<GivenRequest, Error> {
        let more = more.unwrap_or_default();
        let assembler = match assembler.with_key(more.fence_key.as_deref())? {
            Cow::Borrowed(_) => Rc::clone(assembler),
            Cow::Owned(fenced) => Rc::new(fenced),
        };
        let max_bytes = count(self.max_bytes);
        let tokens = assembler.token_budget(optional_count(more.max_tokens), None, report)?;
        let covered = optional_count(more.summary_covers);
        let route = more.route_meta;
        let (parent_message_id, intent) =
            route.map_or_else(Default::default, |route| (route.parent_message_id, route.intent));
        let siblings = more.sibling_context.unwrap_or_default().into_iter();
        let min_bytes = assembler.message_min_bytes();
        let message = message(self.current_message, more.ends, max_bytes, &assembler, min_bytes)?;
        let names = (more.message_from, more.message_to);
        let sender = sender(&assembler, more.show_sender, &message, names)?;
        let mut materials = Materials {
            message,
            sender,
            team_task: text(self.team_task).into(),
            summary: text(more.summary).into(),
            system_instruction: texts(self.system_instruction).into(),
            instruction_file: text(self.instruction_file_text).into(),
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
        materials.break_up_keys(&assembler);
        Ok(GivenRequest {
            assembler,
            materials,
            policy: Policy::Assembler,
            count: count_of_messages as usize,
            pinned: indices(more.pinned),
            gaps_before: indices(more.gaps_before),
            selection: covered.map(|covered| Selection {
                limit: (count_of_messages as usize).saturating_sub(covered),
                recipient: None,
                rest_is_covered: true,
            }),
            redacts,
            report,
            leave_contents_beyond: None,
            buffer: Vec::new(),
        })
    }
}

impl PromptFields {
    /// What is to be read and assembled.
    pub fn request(
        self,
        more: Option<MorePromptFields>,
        assembler: Assembler,
        count_of_messages: u32,
        report: bool,
    ) -> Result<GivenRequest, Error> {
        let more = more.unwrap_or_default();
        let assembler = assembler.with_key(more.fence_key.as_deref())?.into_owned();
        let max_bytes = self.max_bytes.map_or(DEFAULT_MAX_BYTES, count);
        let tokenizer = more.tokenizer.map(Tokenizer::from);
        let max_tokens = optional_count(more.max_tokens);
        let tokens = assembler.token_budget(max_tokens, tokenizer, report)?;
        let message = message(self.message, more.ends, max_bytes, &assembler, 0)?;
        let sender = sender(&assembler, None, &message, (more.message_from, more.message_to))?;
        let mut materials = Materials {
            message,
            sender,
            team_task: text(self.team_task).into(),
            summary: text(more.summary).into(),
            role: role_line(&text(more.role_summary)),
            system_instruction: texts(self.system_instruction_text).into(),
            instruction_file: text(self.instruction_file_text).into(),
            max_bytes,
            tokens,
            ..Materials::default()
        };
        materials.break_up_keys(&assembler);
        Ok(GivenRequest {
            assembler: Rc::new(assembler),
            materials,
            policy: Policy::BuildPrompt { system_max_bytes: optional_count(more.system_max_bytes) },
            count: count_of_messages as usize,
            pinned: indices(more.pinned),
            gaps_before: Vec::new(),
            selection: Some(Selection {
                limit: self.max_context_messages.map_or(DEFAULT_CONTEXT_MESSAGES, count),
                recipient: self.recipient,
                rest_is_covered: false,
            }),
            redacts: false,
            report,
            leave_contents_beyond: None,
            buffer: Vec::new(),
        })
    }
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

/// The message to act on: whole, or its ends. In a fenced prompt, keys are looked for in all of it.
fn message(
    whole: JsString,
    ends: Option<EndFields>,
    max_bytes: usize,
    assembler: &Assembler,
    min_bytes: usize,
) -> Result<Text<'static>, Error> {
    if let Some(EndFields { beginning, end, bytes }) = ends.filter(|_| assembler.fence.is_none()) {
        let ends = Ends::new(beginning.into(), end.into(), count(bytes), max_bytes, min_bytes);
        if let Some(ends) = ends {
            return Ok(Text::Ends(ends));
        }
    }
    Ok(whole.read()?.into())
}
