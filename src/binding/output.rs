//! A request planned, and written in the form the caller asked for.

use super::border::{Border, Kind, Value};
use super::failure::Failure;
use super::input::{integer, wrong};
use crate::budget::{self, Request, Step};
use crate::debug;
use crate::error::Error;
use crate::model::{Assembler, Materials};
use crate::plan::Plan;
use crate::render::{FixedSink, render};
use crate::report::{decisions, report};
use crate::transcript::{Context, MessageSource, Transcript};
use napi::{Env, Unknown};
use std::mem::MaybeUninit;

/// What is to be assembled.
pub struct Job<'a, S> {
    pub assembler: &'a Assembler,
    pub materials: &'a Materials,
    pub messages: S,
    pub policy: &'a [Step],
}

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

/// Plans and writes.
pub fn assemble<'s>(
    border: Border<'s>,
    job: Job<impl MessageSource<Error = Failure>>,
    form: Form<'s>,
) -> Result<Value<'s>, Failure> {
    let Job { assembler, materials, messages, policy } = job;
    let watch = matches!(form, Form::Report);
    let mut context = Transcript::new(assembler, messages, watch);
    let request = Request { assembler, materials, policy, watch };
    let plan = budget::plan(request, &mut context)?;

    let flag = match plan.system_flag() {
        Some(text) => border.utf8(text)?,
        None => border.undefined()?,
    };
    let result = match form {
        Form::Text => {
            let prompt = text(border, &plan, &context)?;
            border.object([("prompt", prompt), ("systemFlag", flag)])
        }
        Form::Report => {
            let prompt = text(border, &plan, &context)?;
            let report = border.plain(&report(assembler, &plan, &mut context)?)?;
            border.object([("prompt", prompt), ("systemFlag", flag), ("report", report)])
        }
        Form::Buffer => {
            let prompt =
                border.buffer(plan.prompt_bytes(), |memory| fill(memory, &plan, &context))?;
            border.object([("prompt", prompt), ("systemFlag", flag)])
        }
        Form::Into { buffer, offset } => {
            let bytes = write_into(border, buffer, offset, &plan, &context)?;
            border.object([("bytes", border.double(bytes as f64)?), ("systemFlag", flag)])
        }
    }?;
    if border.environment_variable("DEBUG")?.is_some_and(|value| debug::is_wanted(&value)) {
        let mut prompt = Vec::new();
        render(&plan, &context, &mut prompt);
        // Only what the plan knows: to look for more would read what was not sent.
        let decisions = decisions(&plan, &context, &[]);
        debug::write(&debug::describe(assembler.layout.agent_type, &plan, &prompt, &decisions));
    }
    Ok(result)
}

fn text<'s>(border: Border<'s>, plan: &Plan, context: &impl Context) -> Result<Value<'s>, Failure> {
    let mut bytes = Vec::with_capacity(plan.prompt_bytes());
    render(plan, context, &mut bytes);
    border.string_from_utf8(&bytes)
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
        Kind::Number => integer("offset", border.number(offset)?, 0),
        _ => Err(wrong(border, "offset", offset, "a number")),
    }
}
