//! What `ContextManager` in `js/context-manager.js` calls.
//!
//! The state is borrowed only while no code of the caller's can run, so hooks, getters and
//! loggers may call the manager again.

#![allow(clippy::too_many_arguments, reason = "fields are passed by position, see js/fields.js")]

use super::failure::Failure;
use super::handles;
use super::node_api::{Kind, Scope, Value, native_function, run};
use super::read::conversation::{MessageFields, message_text, restore};
use super::read::fields::{Field, Object, check_string};
use super::read::input::instruction;
use super::read::options;
use super::scratch;
use super::write::output::OutputRequest;
use crate::context::manager::task_warning;
use crate::context::{
    Manager, ManagerOptions, MissingParent, RouteOptions, RouteView, Shown, TurnOptions, ids, store,
};
use crate::layout::layout_of;
use crate::model::Assembler;
use napi::{Env, Unknown};
use napi_derive::napi;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The beginning of the ids of messages; a number follows.
#[napi]
pub const ID_PREFIX: &str = ids::ID_PREFIX;

/// The version of snapshots.
#[napi]
pub const SNAPSHOT_VERSION: f64 = store::SNAPSHOT_VERSION;

/// What stands behind a `ContextManager`.
pub struct ManagerCell {
    manager: RefCell<Manager>,
    /// What the engine was told of the memory held here.
    told_bytes: Cell<usize>,
    /// Whether the last content had much in it that is not ASCII: the next one is read
    /// accordingly.
    expect_wide: Cell<bool>,
}

impl ManagerCell {
    /// Lets the garbage collector know how much memory a manager holds.
    fn tell_memory(&self, scope: Scope) {
        let bytes = self.manager.borrow().memory_bytes();
        let told = self.told_bytes.replace(bytes);
        if bytes != told {
            scope.adjust_external_memory(bytes as i64 - told as i64);
        }
    }
}

fn manager_of(scope: Scope, handle: Unknown) -> Result<Rc<ManagerCell>, Failure> {
    Field::new(scope, "manager", handle).handle()
}

fn number_of(scope: Scope, value: Unknown) -> Result<usize, Failure> {
    Ok(scope.number(value)? as usize)
}

fn optional_text<'s>(scope: Scope<'s>, text: Option<&str>) -> Result<Value<'s>, Failure> {
    text.map_or_else(|| scope.undefined(), |text| scope.utf8(text))
}

/// Makes a manager, and returns its handle. Hooks and the logger stay in JavaScript.
#[napi(ts_return_type = "number")]
pub fn create_manager<'s>(
    env: &'s Env,
    options: Unknown<'s>,
    on_message_added: Unknown<'s>,
    on_team_task_changed: Unknown<'s>,
    on_assembled: Unknown<'s>,
    logger: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let given = Field::new(scope, "options", options).object_or_empty()?;
        let field = |name, value| Field::new(scope, name, value).below("options");
        check_hook(field("onMessageAdded", on_message_added))?;
        check_hook(field("onTeamTaskChanged", on_team_task_changed))?;
        check_hook(field("onAssembled", on_assembled))?;
        check_logger(field("logger", logger))?;
        let defaults = ManagerOptions::default();
        let integer = |name, min, default| given.field(name)?.integer_or(min, default);
        let options = ManagerOptions {
            window_size: integer("contextWindowSize", 0, defaults.window_size)?,
            max_bytes: integer("maxBytes", 1, defaults.max_bytes)?,
            max_siblings: integer("defaultMaxSiblings", 0, defaults.max_siblings)?,
            reinsert_parent: given
                .field("defaultForceParentReinsertion")?
                .optional_boolean()?
                .unwrap_or(defaults.reinsert_parent),
            sibling_max_units: integer("siblingContentMaxLength", 0, defaults.sibling_max_units)?,
            parent_max_bytes: integer("parentReinsertionMaxBytes", 0, defaults.parent_max_bytes)?,
            eviction_step: integer("evictionStep", 0, defaults.eviction_step)?,
            strip_markers: given
                .field("stripMarkers")?
                .optional_boolean()?
                .unwrap_or(defaults.strip_markers),
            missing_parent: missing_parent_option(&given)?,
        };
        let manager = RefCell::new(Manager::new(options, assemblers(&given)?));
        let cell = ManagerCell { manager, told_bytes: Cell::new(0), expect_wide: Cell::new(false) };
        let handle = handles::add(cell);
        scope.double(handle as f64)
    })
}

fn missing_parent_option(options: &Object) -> Result<MissingParent, Failure> {
    let field = options.field("onMissingParent")?;
    match field.optional_string()? {
        None => Ok(MissingParent::default()),
        Some(name) => {
            MissingParent::parse(&name).ok_or_else(|| field.unknown(MissingParent::EXPECTED, &name))
        }
    }
}

fn check_hook(hook: Field) -> Result<(), Failure> {
    match hook.kind()? {
        Kind::Undefined | Kind::Null | Kind::Function => Ok(()),
        _ => Err(hook.wrong("a function")),
    }
}

fn check_logger(logger: Field) -> Result<(), Failure> {
    match logger.kind()? {
        Kind::Undefined | Kind::Null | Kind::Object | Kind::Function => Ok(()),
        _ => Err(logger.wrong("an object")),
    }
}

fn assemblers(options: &Object) -> Result<Vec<(String, Assembler)>, Failure> {
    let by_type = options.field("assemblers")?.object_or_empty()?;
    let names = by_type.keys()?;
    let assemblers = names.into_iter().map(|agent_type| {
        let layout = layout_of(&agent_type);
        let given = by_type.own_field(&agent_type)?;
        let assembler =
            options::assembler(layout, Field::new(given.scope, "options", given.value))?;
        Ok((agent_type, assembler))
    });
    assemblers.collect()
}

/// Forgets a manager.
#[napi(ts_return_type = "void")]
pub fn release_manager<'s>(env: &'s Env, handle: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        if let Some(gone) = handles::remove::<ManagerCell>(scope.number(handle)? as u64) {
            scope.adjust_external_memory(-(gone.told_bytes.get() as i64));
        }
        scope.undefined()
    })
}

/// Checks a message and keeps its envelope, that is everything but its content, under a number.
#[napi(ts_return_type = "void")]
pub fn keep_envelope<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    envelope: Unknown<'s>,
    message: Unknown<'s>,
    content: Unknown<'s>,
    speaker: Unknown<'s>,
    id: Unknown<'s>,
    name: Unknown<'s>,
    display_name: Unknown<'s>,
    kind: Unknown<'s>,
    role_id: Unknown<'s>,
    role_name: Unknown<'s>,
    role_title: Unknown<'s>,
    routing: Unknown<'s>,
    resolved_addressees: Unknown<'s>,
    addressees: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let addressee_lists = [resolved_addressees, addressees];
        let fields = MessageFields {
            message,
            content,
            speaker,
            id,
            name,
            display_name,
            kind,
            role_id,
            role_name,
            role_title,
            routing,
            addressee_lists,
        };
        let read = fields.envelope(scope)?;
        manager.manager.borrow_mut().keep_envelope(number_of(scope, envelope)?, &read)?;
        scope.undefined()
    })
}

native_function! {
    /// Adds a message in an envelope that was kept. Returns the number in its id.
    "addMessage": AddMessage,
    |
        scope,
        handle,
        envelope,
        content,
        parent_message_id,
        intent,
    | {
        let manager = manager_of(scope, handle)?;
        let envelope = number_of(scope, envelope)?;
        let mut buffer = scratch::bytes();
        let content = scope.read_text(content, &mut buffer, &manager.expect_wide)?;
        let text = message_text(scope, content, parent_message_id, intent)?;
        let number = manager.manager.borrow_mut().add(envelope, &text)?;
        scratch::keep_bytes(buffer);
        manager.tell_memory(scope);
        scope.double(number as f64)
    }
}

/// Checks `message`, which is what the changes have made of the one with this id, and puts it in
/// its place. Returns its index.
#[napi(ts_return_type = "number")]
pub fn update_message<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    message_id: Unknown<'s>,
    changes: Unknown<'s>,
    changed_id: Unknown<'s>,
    message: Unknown<'s>,
    content: Unknown<'s>,
    speaker: Unknown<'s>,
    id: Unknown<'s>,
    name: Unknown<'s>,
    display_name: Unknown<'s>,
    kind: Unknown<'s>,
    role_id: Unknown<'s>,
    role_name: Unknown<'s>,
    role_title: Unknown<'s>,
    routing: Unknown<'s>,
    resolved_addressees: Unknown<'s>,
    addressees: Unknown<'s>,
    parent_message_id: Unknown<'s>,
    intent: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let message_id = Field::new(scope, "id", message_id).string()?;
        Field::new(scope, "changes", changes).object()?;
        let changed_id = Field::new(scope, "id", changed_id).below("changes");
        if let Some(given) = changed_id.optional_string()?.filter(|given| *given != message_id) {
            return Err(changed_id.unknown("the id of the message, which does not change", &given));
        }
        let addressee_lists = [resolved_addressees, addressees];
        let fields = MessageFields {
            message,
            content,
            speaker,
            id,
            name,
            display_name,
            kind,
            role_id,
            role_name,
            role_title,
            routing,
            addressee_lists,
        };
        let envelope = fields.envelope(scope)?;
        let content = scope.string(content)?.into();
        let text = message_text(scope, content, parent_message_id, intent)?;
        let index = manager.manager.borrow_mut().update(&message_id, &envelope, &text)?;
        manager.tell_memory(scope);
        scope.double(index as f64)
    })
}

/// The index of the message with this id.
#[napi(ts_return_type = "number")]
pub fn find_message<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    message_id: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let message_id = Field::new(scope, "id", message_id).string()?;
        let index = manager.manager.borrow().index_of(&message_id)?;
        scope.double(index as f64)
    })
}

/// Removes the message with this id. Returns the index that it had.
#[napi(ts_return_type = "number")]
pub fn remove_message<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    message_id: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let message_id = Field::new(scope, "id", message_id).string()?;
        let index = manager.manager.borrow_mut().remove(&message_id)?;
        manager.tell_memory(scope);
        scope.double(index as f64)
    })
}

/// Sets what the team works on. Returns a warning if it was cut.
#[napi(ts_return_type = "string | undefined")]
pub fn set_team_task<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    task: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let field = Field::new(scope, "task", task);
        let task = match field.kind()? {
            Kind::String => Some(field.string()?),
            Kind::Undefined | Kind::Null => None,
            _ => return Err(field.wrong("a string or null")),
        };
        let warning = manager.manager.borrow_mut().set_team_task(task.as_deref());
        optional_text(scope, warning.as_deref())
    })
}

/// What the team works on, or null.
#[napi(ts_return_type = "string | null")]
pub fn team_task<'s>(env: &'s Env, handle: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let manager = manager.manager.borrow();
        task_value(scope, manager.conversation().team_task())
    })
}

fn task_value<'s>(scope: Scope<'s>, task: Option<&str>) -> Result<Value<'s>, Failure> {
    task.map_or_else(|| scope.null(), |task| scope.utf8(task))
}

/// Forgets messages, team task and numbering.
#[napi(ts_return_type = "void")]
pub fn clear_manager<'s>(env: &'s Env, handle: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let empty = manager.manager.borrow().empty_conversation();
        manager.manager.borrow_mut().replace(empty);
        manager.tell_memory(scope);
        scope.undefined()
    })
}

/// Replaces the conversation by a snapshot, whose messages `copyMessage` copies. Returns a
/// warning if the team task was cut.
#[napi(ts_return_type = "string | undefined")]
pub fn import_snapshot<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    snapshot: Unknown<'s>,
    copy_message: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let empty = manager.manager.borrow().empty_conversation();
        let restored = restore(scope, empty, snapshot, copy_message)?;
        manager.manager.borrow_mut().replace(restored.conversation);
        manager.tell_memory(scope);
        optional_text(scope, restored.task_cut.map(task_warning).as_deref())
    })
}

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
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        check_string(Field::new(scope, "agentId", agent_id))?;
        Field::new(scope, "options", options).object_or_empty()?;
        let field = |name, value| Field::new(scope, name, value).below("options");
        let in_route = |name, value| Field::new(scope, name, value).below("route");
        if is_routed {
            Field::new(scope, "route", route).object()?;
        }
        let options = TurnOptions {
            assembler: number_of(scope, assembler)?,
            instruction: instruction(
                field("systemInstruction", system_instruction),
                field("systemInstructionText", system_instruction_text),
            )?,
            file: field("instructionFileText", instruction_file_text).string_or_empty()?,
            window_size: field("windowSizeOverride", window_size_override).optional_integer(0)?,
            recipient: field("recipient", recipient).optional_string()?,
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

/// What an agent sees in a turn that was kept: message, team task, budget, sender, addressee and
/// content of each context message, and for a route whose parent is there, the same of the
/// parent, of the siblings, and how many siblings there are in all.
#[napi(
    ts_return_type = "[message: string, teamTask: string | null, maxBytes: number, context: string[], parent?: string[], siblings?: string[], siblingsInAll?: number]"
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
            task_value(scope, view.team_task)?,
            scope.double(manager.options().max_bytes as f64)?,
            shown_values(scope, &view.context)?,
        ];
        if let Some(RouteView { parent, siblings, siblings_in_all }) = &view.route {
            values.push(shown_values(scope, parent.as_slice())?);
            values.push(shown_values(scope, siblings)?);
            values.push(scope.double(*siblings_in_all as f64)?);
        }
        scope.array_of(&values)
    })
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
        let result = written??;
        if let (Some(agent_id), Some(prompt)) = (agent_id, reported) {
            cell.manager.borrow_mut().keep_reported(agent_id, prompt);
            cell.tell_memory(scope);
        }
        Ok(result)
    }
}
