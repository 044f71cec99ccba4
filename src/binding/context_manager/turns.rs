//! What an agent sees in a turn, and its prompt.

#![allow(clippy::too_many_arguments, reason = "fields are passed by position, see js/fields.js")]

use super::{manager_of, number_of, optional_text, task_value};
use crate::binding::failure::Failure;
use crate::binding::handles;
use crate::binding::node_api::{Scope, Value, native_function, run};
use crate::binding::read::fields::{Field, check_string};
use crate::binding::read::input::instruction;
use crate::binding::read::tokenizer::read_tokenizer;
use crate::binding::write::output::OutputRequest;
use crate::context::{RouteOptions, RouteView, Shown, TurnOptions};
use crate::model::Part;
use crate::tokens::CountedText;
use napi::{Env, Unknown};
use napi_derive::napi;

/// Looks an agent type up. Returns the number of its assembler, or an array of that and of a
/// warning if the type is not known.
#[napi(ts_return_type = "number | [assembler: number, warning: string]")]
pub fn look_up_agent<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    agent_id: Unknown<'s>,
    agent_type: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        check_string(Field::new(scope, "agentId", agent_id))?;
        let agent_type = Field::new(scope, "agentType", agent_type).string()?;
        let found = manager.manager.borrow().look_up_agent(&agent_type);
        let assembler = scope.double(found.assembler as f64)?;
        match found.warning {
            None => Ok(assembler),
            Some(warning) => scope.array_of(&[assembler, scope.utf8(&warning)?]),
        }
    })
}

/// The handle of a new assembler like the one that a manager has for an agent.
#[napi(ts_return_type = "number")]
pub fn assembler_of_agent<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    assembler: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let number = number_of(scope, assembler)?;
        let assembler = manager.manager.borrow().assembler(number)?.clone();
        scope.double(handles::add(assembler) as f64)
    })
}

/// Keeps what a turn is asked for with, under a number. The fields of the options are in the
/// order in which `js/fields.js` passes them.
#[napi(ts_return_type = "void")]
pub fn keep_turn<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    turn: Unknown<'s>,
    agent_id: Unknown<'s>,
    assembler: Unknown<'s>,
    is_routed: bool,
    route: Unknown<'s>,
    parent_message_id: Unknown<'s>,
    target_member_id: Unknown<'s>,
    intent: Unknown<'s>,
    options: Unknown<'s>,
    system_instruction: Unknown<'s>,
    instruction_file_text: Unknown<'s>,
    window_size_override: Unknown<'s>,
    recipient: Unknown<'s>,
    max_siblings: Unknown<'s>,
    force_parent_reinsertion: Unknown<'s>,
    system_instruction_text: Unknown<'s>,
    session: Unknown<'s>,
    max_tokens: Unknown<'s>,
    tokenizer: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let agent_id = Field::new(scope, "agentId", agent_id).string()?;
        Field::new(scope, "options", options).object_or_empty()?;
        let field = |name, value| Field::new(scope, name, value).below("options");
        let in_route = |name, value| Field::new(scope, name, value).below("route");
        if is_routed {
            Field::new(scope, "route", route).object()?;
        }
        let options = TurnOptions {
            assembler: number_of(scope, assembler)?,
            agent_id,
            session: is_delta(field("session", session))?,
            instruction: instruction(
                field("systemInstruction", system_instruction),
                field("systemInstructionText", system_instruction_text),
            )?,
            file: field("instructionFileText", instruction_file_text).string_or_empty()?,
            window_size: field("windowSizeOverride", window_size_override).optional_integer(0)?,
            recipient: field("recipient", recipient).optional_string()?,
            max_tokens: field("maxTokens", max_tokens).optional_integer(1)?,
            tokenizer: field("tokenizer", tokenizer).given()?.map(read_tokenizer).transpose()?,
            counted: Vec::new(),
            route: match is_routed {
                true => Some(RouteOptions {
                    intent: in_route("intent", intent).optional_string()?,
                    parent_id: in_route("parentMessageId", parent_message_id).string_or_empty()?,
                    target_id: in_route("targetMemberId", target_member_id).string_or_empty()?,
                    max_siblings: field("maxSiblings", max_siblings).optional_integer(0)?,
                    reinsert_parent: field("forceParentReinsertion", force_parent_reinsertion)
                        .optional_boolean()?,
                }),
                false => None,
            },
        };
        manager.manager.borrow_mut().keep_turn(number_of(scope, turn)?, options)?;
        scope.undefined()
    })
}

/// Keeps what functions of the caller's have counted of a turn's texts: for each function, the
/// bytes and tokens of the system text, the team task and the summary.
#[napi(ts_return_type = "void")]
pub fn keep_turn_tokens<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    turn: Unknown<'s>,
    counted: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    const PARTS: [Part; 3] = [Part::System, Part::TeamTask, Part::Summary];
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let numbers = Field::new(scope, "counted", counted).integers()?;
        let by_function = numbers.chunks(2 * PARTS.len()).map(|numbers| {
            let texts =
                numbers.chunks_exact(2).map(|pair| CountedText { bytes: pair[0], tokens: pair[1] });
            PARTS.into_iter().zip(texts).collect()
        });
        let turn = number_of(scope, turn)?;
        manager.manager.borrow_mut().keep_turn_tokens(turn, by_function.collect());
        scope.undefined()
    })
}

/// Whether only what the agent has not been shown is asked for.
fn is_delta(session: Field) -> Result<bool, Failure> {
    match session.optional_string()?.as_deref() {
        None => Ok(false),
        Some("delta") => Ok(true),
        Some(other) => Err(session.unknown("'delta'", other)),
    }
}

/// A warning if the parent of a turn's route is not there.
#[napi(ts_return_type = "string | undefined")]
pub fn missing_parent<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    turn: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let warning = manager.manager.borrow().missing_parent(number_of(scope, turn)?)?;
        optional_text(scope, warning.as_deref())
    })
}

/// What an agent sees in a turn that was kept: message, summary, team task, budgets, sender, addressee and
/// content of each context message, and for a route whose parent is there, the same of the
/// parent, of the siblings, and how many siblings there are in all.
#[napi(
    ts_return_type = "[message: string, summary: string | undefined, teamTask: string | null, maxBytes: number, maxTokens: number | undefined, context: string[], pinned: number[], gapsBefore: number[], parent?: string[], siblings?: string[], siblingsInAll?: number]"
)]
pub fn view_turn<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    turn: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let manager = manager.manager.borrow();
        let view = manager.view(number_of(scope, turn)?)?;
        let mut values = vec![
            scope.utf8(view.message)?,
            optional_text(scope, view.summary)?,
            task_value(scope, view.team_task)?,
            scope.double(manager.options().max_bytes as f64)?,
            match manager.max_tokens(number_of(scope, turn)?)? {
                Some(max_tokens) => scope.double(max_tokens as f64)?,
                None => scope.undefined()?,
            },
            shown_values(scope, &view.context)?,
            numbers(scope, &view.pinned)?,
            numbers(scope, &view.gaps_before)?,
        ];
        if let Some(RouteView { parent, siblings, siblings_in_all }) = &view.route {
            values.push(shown_values(scope, parent.as_slice())?);
            let siblings: Vec<Shown> = siblings.iter().map(|one| one.shown.clone()).collect();
            values.push(shown_values(scope, &siblings)?);
            values.push(scope.double(*siblings_in_all as f64)?);
        }
        scope.array_of(&values)
    })
}

/// Numbers as an array.
pub(super) fn numbers<'s>(scope: Scope<'s>, numbers: &[usize]) -> Result<Value<'s>, Failure> {
    let values = numbers.iter().map(|number| scope.double(*number as f64));
    scope.array_of(&values.collect::<Result<Vec<_>, _>>()?)
}

/// Sender, addressee and content of each message, one after the other.
fn shown_values<'s>(scope: Scope<'s>, messages: &[Shown]) -> Result<Value<'s>, Failure> {
    let fields = messages.iter().flat_map(|message| [&*message.from, message.to, &message.content]);
    let array = scope.array(messages.len() * 3)?;
    for (index, field) in fields.enumerate() {
        scope.nested(|scope| scope.define_element(array, index, scope.utf8(field)?))?;
    }
    Ok(array)
}

native_function! {
    /// Assembles a turn that was kept. Returns what `form` says; the flag and the report are in
    /// `slots`.
    "assembleTurn": AssembleTurn,
    |
        scope,
        handle,
        turn,
        agent_id,
        form,
        target,
        offset,
        slots,
    | {
        let cell = manager_of(scope, handle)?;
        let turn = number_of(scope, turn)?;
        let output = OutputRequest::new(scope, form, target, offset, slots)?;
        // Most prompts need no id, so it is not read for them.
        let agent_id = match output.report || output.debug {
            true => Some(scope.string(agent_id)?),
            false => None,
        };
        let manager = cell.manager.borrow();
        let mut reported = None;
        let written =
            manager.assemble_turn(turn, agent_id.as_deref(), output.report, |assembly| {
                output.write(assembly, |prompt| {
                    reported = Some(prompt.to_vec());
                    manager.stable_prefix(agent_id.as_deref()?, prompt)
                })
            });
        drop(manager);
        let (result, shown) = written?;
        let result = result?;
        if let Some(shown) = shown {
            cell.manager.borrow_mut().prompted(turn, shown)?;
        }
        if let (Some(agent_id), Some(prompt)) = (agent_id, reported) {
            cell.manager.borrow_mut().keep_reported(agent_id, prompt);
            cell.tell_memory(scope);
        }
        Ok(result)
    }
}
