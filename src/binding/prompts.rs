//! Prompts of what a caller passes, in three steps, because messages are read only as far as they
//! are needed and no JavaScript runs inside a native call:
//!
//! 1. `beginAssembly` or `beginPrompt` takes everything but the messages, and says which message it
//!    needs first.
//! 2. `passMessage` takes that message, and says which one it needs next.
//! 3. `finishPrompt` makes the prompt, or `budgetTable` says what every budget would keep.
//!    `endPrompt` forgets a prompt that is not finished.
//!
//! A caller's getter may make other prompts between two steps, so those that are in progress are in
//! a list, each with a number. A `#[napi]` class would take 300 ns more for each message.

use super::assemblers::NativeAssembler;
use super::failure::json_of;
use super::fields::{
    AssemblerFields, AssemblerOptionFields, LayoutFields, MoreAssemblerFields, MorePromptFields,
    PartFields, PromptFields, parts_of,
};
use super::memory::JsBytes;
use super::messages::{ContentReader, PassedMessage};
use super::output::{Form, write};
use super::scratch;
use super::strings::JsString;
use crate::arrays::{Api, ArrayForm, Caching};
use crate::error::Error;
use crate::layout::Part;
use crate::layout::{LayoutDefinition, layout_of};
use crate::reading::{GivenRequest, Reading};
use crate::text;
use crate::tokens;
use crate::tokens::CountedText;
use napi::bindgen_prelude::Object;
use napi::{Env, Unknown};
use napi_derive::napi;
use std::cell::RefCell;

/// Contents are copied up to this size although JavaScript could join them: to make strings of what
/// stands between them costs more than to copy a little ASCII.
const WORTH_COPYING_BYTES: usize = 64 * 1024;

/// What a caller-supplied tokenizer counts once, to estimate the texts of layouts.
#[napi]
pub const LAYOUT_SAMPLE: &str = tokens::LAYOUT_SAMPLE;

/// A prompt that is in progress.
pub(super) enum Pending {
    /// A caller-supplied function has to count its texts first.
    Uncounted { request: Box<GivenRequest>, joins: bool },
    /// Its messages are being read.
    Reading { reading: Box<Reading>, contents: RefCell<ContentReader> },
}

thread_local! {
    pub(super) static PENDING: RefCell<Vec<Option<Pending>>> = const { RefCell::new(Vec::new()) };
}

/// In the place of an index: no message is needed.
const NOTHING: f64 = -1.0;

/// In the place of an index: a caller-supplied function has to count texts first.
#[napi]
pub const TEXTS_FIRST: f64 = -2.0;

/// Begins a prompt of an `AssemblerInput`, whose list has `count` messages. `joins` says that
/// JavaScript can join contents that stay with it.
#[napi(catch_unwind)]
pub fn begin_assembly(
    assembler: &NativeAssembler,
    input: AssemblerFields,
    more: Option<MoreAssemblerFields>,
    count: u32,
    report: bool,
    joins: bool,
) -> napi::Result<u32> {
    begin(input.request(more, &assembler.assembler, count, report)?, joins)
}

/// A request to a model's API.
#[napi(object, object_to_js = false)]
pub struct RequestFields {
    pub api: String,
    pub cache: String,
    #[napi(ts_type = "string | undefined")]
    pub model: Option<String>,
}

impl RequestFields {
    fn form(self, member: Option<String>) -> Option<ArrayForm> {
        Some(ArrayForm {
            api: Api::parse(&self.api)?,
            member,
            caching: Caching::parse(&self.cache).unwrap_or_default(),
            model: self.model,
            conversation: None,
        })
    }
}

/// The same for a `PromptInput`.
#[napi(catch_unwind)]
#[allow(clippy::too_many_arguments, reason = "an input with its assembler")]
pub fn begin_prompt(
    agent_type: Option<String>,
    layout: Option<LayoutFields>,
    options: Option<AssemblerOptionFields>,
    input: PromptFields,
    more: Option<MorePromptFields>,
    count: u32,
    report: bool,
    joins: bool,
    request: Option<RequestFields>,
) -> napi::Result<u32> {
    let layout = match layout {
        None => layout_of(&agent_type.unwrap_or_default()).into(),
        Some(layout) => {
            let layout = LayoutDefinition::from(layout).check("layout")?;
            if let Some(name) = agent_type.filter(|name| !layout.is_named(name)) {
                let expected = "left out, or a name of the layout that is given";
                return Err(Error::invalid_type("agentType", expected, format!("'{name}'")).into());
            }
            layout.into()
        }
    };
    let mut assembler = options.unwrap_or_default().assembler(layout)?;
    if let Some(form) = request.and_then(|request| request.form(input.recipient.clone())) {
        assembler = assembler.for_array(form);
    }
    begin(input.request(more, assembler, count, report)?, joins)
}

fn begin(request: GivenRequest, joins: bool) -> napi::Result<u32> {
    let budget = request.materials.tokens.as_ref();
    let is_counted = budget.is_some_and(|budget| budget.tokenizer.function().is_some());
    match is_counted {
        true => Ok(keep(Pending::Uncounted { request: Box::new(request), joins })),
        false => Ok(keep(start(request, joins)?)),
    }
}

fn start(mut request: GivenRequest, joins: bool) -> Result<Pending, Error> {
    let contents = ContentReader::like(request.materials.message.beginning());
    let worth_copying = if contents.expect_wide { 0 } else { WORTH_COPYING_BYTES };
    request.leave_contents_beyond = joins.then_some(worth_copying);
    request.buffer = scratch::bytes();
    let reading = Box::new(Reading::begin(request)?);
    Ok(Pending::Reading { reading, contents: RefCell::new(contents) })
}

/// Returns the number of the prompt.
fn keep(pending: Pending) -> u32 {
    PENDING.with_borrow_mut(|all| {
        let free = all.iter().position(Option::is_none).unwrap_or(all.len());
        match all.get_mut(free) {
            Some(place) => *place = Some(pending),
            None => all.push(Some(pending)),
        }
        free as u32
    })
}

/// The index of the message that is needed next; -1 if none is.
#[napi(catch_unwind)]
pub fn wanted_message(prompt: u32) -> f64 {
    PENDING.with_borrow(|all| match all.get(prompt as usize) {
        Some(Some(Pending::Reading { reading, .. })) => wanted(reading),
        Some(Some(Pending::Uncounted { .. })) => TEXTS_FIRST,
        _ => NOTHING,
    })
}

/// Whether a caller-supplied function has to count the tokens of the message that is needed next.
#[napi(catch_unwind)]
pub fn wants_tokens(prompt: u32) -> bool {
    PENDING.with_borrow(|all| match all.get(prompt as usize) {
        Some(Some(Pending::Reading { reading, .. })) => reading.wants_tokens(),
        _ => false,
    })
}

fn wanted(reading: &Reading) -> f64 {
    reading.wanted.map_or(NOTHING, |index| index as f64)
}

pub(super) fn take(prompt: u32) -> Result<Pending, Error> {
    let taken = PENDING.with_borrow_mut(|all| all.get_mut(prompt as usize)?.take());
    taken.ok_or_else(gone)
}

fn gone() -> Error {
    Error::Internal("the prompt is no longer under way".to_owned())
}

/// The texts, other than messages, that a caller-supplied function has to count, as JSON.
#[napi(catch_unwind)]
pub fn texts_to_count(prompt: u32) -> napi::Result<String> {
    PENDING.with_borrow(|all| match all.get(prompt as usize) {
        Some(Some(Pending::Uncounted { request, .. })) => {
            Ok(json_of(&texts_of(request).map(|(_, text)| text).collect::<Vec<_>>())?)
        }
        _ => Err(gone().into()),
    })
}

fn texts_of(request: &GivenRequest) -> impl Iterator<Item = (Part, &str)> {
    request.materials.texts().filter(|(_, text)| !text.is_empty())
}

/// Takes how many tokens each of these texts is.
#[napi(catch_unwind)]
pub fn count_texts(prompt: u32, tokens: Vec<f64>) -> napi::Result<()> {
    let Pending::Uncounted { mut request, joins } = take(prompt)? else {
        return Err(gone().into());
    };
    let counted = texts_of(&request).zip(tokens).map(|((part, text), tokens)| {
        (part, CountedText { bytes: text.len(), tokens: tokens as usize })
    });
    let counted = counted.collect();
    if let Some(budget) = &mut request.materials.tokens {
        budget.counted = counted;
    }
    let started = start(*request, joins)?;
    PENDING.with_borrow_mut(|all| all[prompt as usize] = Some(started));
    Ok(())
}

/// How many bytes of each end of a text are needed to shorten it.
#[napi(catch_unwind)]
pub fn needed_of_each_end(max_bytes: f64) -> f64 {
    text::needed_of_each_end(max_bytes as usize) as f64
}

/// The size of a text in UTF-8.
#[napi(catch_unwind)]
pub fn utf8_bytes(text: JsString) -> napi::Result<f64> {
    Ok(text.utf8_bytes()? as f64)
}

/// Takes the message that is needed. Returns the index of the one that is needed next; -1 if none
/// is.
#[napi(catch_unwind)]
pub fn pass_message(
    prompt: u32,
    from: JsString,
    to: JsString,
    content: JsString,
    names: Option<Vec<String>>,
    tokens: Option<f64>,
    parts: Option<Vec<PartFields>>,
) -> napi::Result<f64> {
    PENDING.with_borrow_mut(|all| {
        let Some(Some(Pending::Reading { reading, contents })) = all.get_mut(prompt as usize)
        else {
            return Err(gone().into());
        };
        let tokens = tokens.unwrap_or_default() as usize;
        let parts = parts.map(|parts| parts_of(Some(parts)));
        reading.pass(&PassedMessage { from, to, names, content, tokens, contents, parts })?;
        contents.get_mut().passed += 1;
        Ok(wanted(reading))
    })
}

/// Makes the prompt: a string, a Buffer, or the number of bytes that were written. Sets the
/// properties of `result` that [`write`] lists.
#[napi(catch_unwind, ts_return_type = "any")]
#[allow(clippy::too_many_arguments, reason = "the form is passed by position")]
pub fn finish_prompt<'e>(
    env: &'e Env,
    prompt: u32,
    buffer: bool,
    #[napi(ts_arg_type = "Uint8Array | undefined")] into: Option<JsBytes>,
    offset: f64,
    report: bool,
    debug: bool,
    result: Object,
) -> napi::Result<Unknown<'e>> {
    let Pending::Reading { mut reading, contents } = take(prompt)? else {
        return Err(gone().into());
    };
    let form = Form::new(buffer, into, offset, report, debug);
    let ContentReader { unrepaired, .. } = &*contents.borrow();
    let written = match reading.finish() {
        Ok(assembly) => write(env, &assembly, form, result, unrepaired, |_| None),
        Err(error) => Err(error.into()),
    };
    scratch::keep_bytes(reading.into_buffer());
    written
}

/// Forgets a prompt, because reading its messages has failed.
#[napi(catch_unwind)]
pub fn end_prompt(prompt: u32) {
    let _ = take(prompt);
}
