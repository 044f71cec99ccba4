//! What the assembler classes of `js/assemblers.js` call.

use super::failure::Failure;
use super::handles;
use super::node_api::{Scope, Value, native_function, run};
use super::read::fields::Field;
use super::read::input::AssemblerFields;
use super::read::messages::JsMessages;
use super::read::tokenizer::GivenTokenizer;
use super::read::{layout, options};
use super::write::output::OutputRequest;
use crate::assemble::Request;
use crate::layout::LayoutRef;
use crate::model::Assembler;
use napi::{Env, Unknown};
use napi_derive::napi;

/// Makes an assembler for a known agent type, and returns its handle. If its tokenizer is a
/// function, that becomes the first element of `functions`.
#[napi(ts_return_type = "number")]
pub fn create_assembler<'s>(
    env: &'s Env,
    agent_type: Unknown<'s>,
    options: Unknown<'s>,
    functions: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let layout = layout::known(Field::new(scope, "agentType", agent_type))?;
        new_assembler(scope, layout, options, functions)
    })
}

/// The same for a layout of the caller's.
#[napi(ts_return_type = "number")]
pub fn create_layout_assembler<'s>(
    env: &'s Env,
    layout: Unknown<'s>,
    options: Unknown<'s>,
    functions: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let layout = layout::own(Field::new(scope, "layout", layout))?;
        new_assembler(scope, layout.into(), options, functions)
    })
}

fn new_assembler<'s>(
    scope: Scope<'s>,
    layout: LayoutRef,
    options: Unknown<'s>,
    functions: Unknown<'s>,
) -> Result<Value<'s>, Failure> {
    let options = Field::new(scope, "options", options);
    let (assembler, tokenizer) = options::assembler(layout, options, 0)?;
    if let Some(function) = tokenizer.and_then(GivenTokenizer::function) {
        scope.define_element(functions, 0, function)?;
    }
    scope.double(handles::add(assembler) as f64)
}

/// The agent type of an assembler's layout.
#[napi(ts_return_type = "string")]
pub fn agent_type_of_assembler<'s>(env: &'s Env, handle: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let assembler = Field::new(scope, "assembler", handle).handle::<Assembler>()?;
        scope.utf8(&assembler.layout.agent_type)
    })
}

/// Forgets an assembler.
#[napi(catch_unwind)]
pub fn release_assembler(handle: f64) {
    handles::remove::<Assembler>(handle as u64);
}

native_function! {
    /// Assembles an `AssemblerInput`, whose fields follow `input` in the order in which
    /// `js/fields.js` passes them. Returns what `form` says; the flag and the report are in `slots`.
    "assemble": Assemble,
    |
        scope,
        handle,
        form,
        target,
        offset,
        slots,
        visit,
        names,
        contents,
        functions,
        input,
        system_instruction,
        context_messages,
        route_meta,
        max_bytes,
        parent_context,
        current_message,
        team_task,
        summary,
        instruction_file_text,
        sibling_context,
        pinned,
        gaps_before,
        max_tokens,
        system_instruction_text,
    | {
        let assembler = Field::new(scope, "assembler", handle).handle::<Assembler>()?;
        let output = OutputRequest::new(scope, form, target, offset, slots)?;
        let fields = AssemblerFields {
            input,
            context_messages,
            route_meta,
            max_bytes,
            parent_context,
            current_message,
            team_task,
            summary,
            system_instruction,
            instruction_file_text,
            sibling_context,
            pinned,
            gaps_before,
            system_instruction_text,
            max_tokens,
            functions,
        };
        let messages = JsMessages::new(&output, visit, names, contents)?;
        let (materials, messages) = fields.read(scope, messages, &assembler, output.report)?;
        let request = Request::of_assembler(&assembler, &materials, output.report);
        let copied_bytes = messages.copied_bytes();
        output.assemble_messages(request, messages, copied_bytes)
    }
}
