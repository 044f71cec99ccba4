//! What the assembler classes of `js/assemblers.js` call.

use super::handles;
use super::node_api::{native_function, run};
use super::read::fields::Field;
use super::read::input::AssemblerFields;
use super::read::messages::JsMessages;
use super::read::{layout, options};
use super::write::output::OutputRequest;
use crate::assemble::Request;
use crate::model::Assembler;
use napi::{Env, Unknown};
use napi_derive::napi;

/// Makes an assembler for a known agent type, and returns its handle.
#[napi(ts_return_type = "number")]
pub fn create_assembler<'s>(
    env: &'s Env,
    agent_type: Unknown<'s>,
    options: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let layout = layout::known(Field::new(scope, "agentType", agent_type))?;
        let assembler = options::assembler(layout, Field::new(scope, "options", options))?;
        scope.double(handles::add(assembler) as f64)
    })
}

/// Makes an assembler for a layout of the caller's, and returns its handle.
#[napi(ts_return_type = "number")]
pub fn create_layout_assembler<'s>(
    env: &'s Env,
    layout: Unknown<'s>,
    options: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let layout = layout::own(Field::new(scope, "layout", layout))?;
        let assembler = options::assembler(layout.into(), Field::new(scope, "options", options))?;
        scope.double(handles::add(assembler) as f64)
    })
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
#[napi]
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
        };
        let messages = JsMessages::new(&output, visit, names, contents)?;
        let (materials, messages) = fields.read(scope, messages)?;
        let request = Request::of_assembler(&assembler, &materials, output.report);
        let copied_bytes = messages.copied_bytes();
        output.assemble_messages(request, messages, copied_bytes)
    }
}
