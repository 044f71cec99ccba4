//! A request planned, and written in the form the caller asked for.

use super::border::{Border, Kind, Name, Script, Value};
use super::failure::Failure;
use super::joined::JoinedSink;
use super::reader::{integer, wrong};
use super::scratch;
use crate::budget::{self, Request};
use crate::debug;
use crate::error::Error;
use crate::plan::Plan;
use crate::render::{FixedSink, render};
use crate::report::{decisions, report};
use crate::transcript::Context;
use napi::{Env, Unknown};
use std::mem::MaybeUninit;

/// Makes `{ prompt, systemFlag }` with a Buffer, which it hands over to be filled.
static BUFFER_OUTPUT: Script = Script {
    name: Name::BufferOutput,
    source: "(() => {
        'use strict'
        const { allocUnsafe } = Buffer
        return (receive, bytes, systemFlag) => {
            const prompt = allocUnsafe(bytes)
            receive(prompt)
            return { prompt, systemFlag }
        }
    })()",
};

/// Makes `{ bytes, systemFlag }`.
static BYTES_OUTPUT: Script = Script {
    name: Name::BytesOutput,
    source: "'use strict'; (bytes, systemFlag) => ({ bytes, systemFlag })",
};

/// How the prompt is wanted.
#[derive(Clone, Copy)]
pub enum Form<'s> {
    /// `{ prompt: string, systemFlag }`
    Text,
    /// The same with `report`.
    Report,
    /// `{ prompt: Buffer, systemFlag }`
    Buffer,
    /// `{ bytes, systemFlag }`, the prompt in the caller's buffer.
    Into { buffer: Value<'s>, offset: Option<Value<'s>> },
}

impl<'s> Form<'s> {
    /// Into a buffer that napi-rs received.
    pub fn into(env: &'s Env, buffer: &Unknown<'s>, offset: Option<&Unknown<'s>>) -> Self {
        let border = Border::enter(env);
        Form::Into {
            buffer: border.received(buffer),
            offset: offset.map(|offset| border.received(offset)),
        }
    }
}

/// What comes of an assembly.
#[derive(Clone, Copy)]
pub struct Wanted<'s> {
    form: Form<'s>,
    debug: bool,
    /// See [`Wanted::bare`].
    bare: bool,
}

impl<'s> Wanted<'s> {
    /// The form, and whatever `DEBUG` asks for at this moment.
    pub fn new(border: Border<'s>, form: Form<'s>) -> Result<Self, Failure> {
        let debug = border.environment_variable("DEBUG")?;
        let debug = debug.is_some_and(|value| debug::is_wanted(&value));
        Ok(Wanted { form, debug, bare: false })
    }

    /// The form, for a door: it has read `DEBUG`, and puts a string or a number into an object
    /// by itself if there is no flag.
    pub fn bare(border: Border<'s>, form: Form<'s>, debug: Value<'s>) -> Result<Self, Failure> {
        let debug = match border.kind(debug)? {
            Kind::String => debug::is_wanted(&border.string(debug)?),
            _ => false,
        };
        Ok(Wanted { form, debug, bare: true })
    }

    /// An array where contents can be left instead of being copied, if nobody has to see bytes.
    pub fn contents<'i>(&self, border: Border<'i>) -> Result<Option<Value<'i>>, Failure> {
        let joined = matches!(self.form, Form::Text) && !self.debug;
        joined.then(|| border.array(0)).transpose()
    }

    /// Whether everything is looked at, not only what is needed for the prompt.
    pub fn report(&self) -> bool {
        matches!(self.form, Form::Report)
    }
}

/// For callers that do not remember prompts.
pub fn no_previous(_prompt: &[u8]) -> Option<usize> {
    None
}

/// Plans and writes. Runs no JavaScript of the caller's. In `contents` are those that the context
/// has not copied. A report tells how much of the prompt is the same as in the previous one, if
/// `stable_prefix` knows.
pub fn assemble<'s>(
    border: Border<'s>,
    request: Request,
    context: &mut impl Context<Error = impl Into<Failure> + From<Error>>,
    wanted: Wanted<'s>,
    contents: Option<Value<'s>>,
    stable_prefix: impl FnOnce(&[u8]) -> Option<usize>,
) -> Result<Value<'s>, Failure> {
    let plan = budget::plan(request, context).map_err(Into::into)?;

    let flag = match plan.system_flag() {
        Some(text) => border.utf8(text)?,
        None => border.undefined()?,
    };
    let bare = wanted.bare && plan.system_flag().is_none();
    let result = match wanted.form {
        Form::Text => {
            let mut text = JoinedSink::new(border, contents);
            render(&plan, context, &mut text);
            text.finish(flag, bare)
        }
        Form::Report => {
            let mut report = report(request.assembler, &plan, context).map_err(Into::into)?;
            let prompt = with_bytes(&plan, context, |bytes| {
                report.stable_prefix_bytes = stable_prefix(bytes);
                border.string_from_utf8(bytes)
            })?;
            let report = border.plain(&report)?;
            border.object([("prompt", prompt), ("systemFlag", flag), ("report", report)])
        }
        Form::Buffer => {
            let bytes = border.double(plan.prompt_bytes() as f64)?;
            border.open(&BUFFER_OUTPUT, &[bytes, flag], |opened| {
                let border = opened.border;
                let [buffer, ..] = opened.fields else { return Err(Failure::panicked()) };
                let filled =
                    border.with_uint8_array(*buffer, |memory| fill(memory, &plan, context))?;
                // Only if somebody has replaced what makes Buffers.
                filled.ok_or_else(Failure::panicked)?;
                border.undefined()
            })
        }
        Form::Into { buffer, offset } => {
            let bytes = write_into(border, buffer, offset, &plan, context)?;
            let bytes = border.double(bytes as f64)?;
            if bare { Ok(bytes) } else { border.run(&BYTES_OUTPUT, &[bytes, flag]) }
        }
    }?;
    if wanted.debug {
        // Only what the plan knows: to look for more would read what was not sent.
        let decisions = decisions(&plan, context, &[]);
        let agent_type = request.assembler.layout.agent_type;
        with_bytes(&plan, context, |bytes| {
            debug::write(&debug::describe(agent_type, &plan, bytes, &decisions));
        });
    }
    Ok(result)
}

/// Lets `read` see the prompt as bytes.
fn with_bytes<R>(plan: &Plan, context: &impl Context, read: impl FnOnce(&[u8]) -> R) -> R {
    let mut bytes = scratch::bytes();
    bytes.reserve(plan.prompt_bytes());
    render(plan, context, &mut bytes);
    let result = read(&bytes);
    scratch::keep_bytes(bytes);
    result
}

/// Writes the prompt into memory of exactly its size.
fn fill(memory: &mut [MaybeUninit<u8>], plan: &Plan, context: &impl Context) {
    let mut sink = FixedSink::new(memory);
    render(plan, context, &mut sink);
    assert!(sink.is_full(), "a plan counts exactly the bytes it writes");
}

fn write_into<'s>(
    border: Border<'s>,
    buffer: Value<'s>,
    offset: Option<Value<'s>>,
    plan: &Plan,
    context: &impl Context,
) -> Result<usize, Failure> {
    let offset = read_offset(border, offset)?;
    let required_bytes = plan.prompt_bytes();
    // All JavaScript that could detach the buffer has run by now.
    let written = border.with_uint8_array(buffer, |memory| {
        let available_bytes = memory.len().saturating_sub(offset);
        if offset > memory.len() || required_bytes > available_bytes {
            return Err(Error::BufferTooSmall { required_bytes, available_bytes, offset });
        }
        fill(&mut memory[offset..offset + required_bytes], plan, context);
        Ok(required_bytes)
    })?;
    match written {
        Some(result) => Ok(result?),
        None => Err(wrong(border, "buffer", buffer, "a Buffer or Uint8Array")),
    }
}

fn read_offset<'s>(border: Border<'s>, offset: Option<Value<'s>>) -> Result<usize, Failure> {
    let Some(offset) = offset else { return Ok(0) };
    match border.kind(offset)? {
        Kind::Undefined => Ok(0),
        Kind::Number => integer(border, "offset", border.number(offset)?, 0),
        _ => Err(wrong(border, "offset", offset, "a number")),
    }
}
