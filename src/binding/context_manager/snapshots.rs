//! Snapshots of a manager.

use super::{json_of, manager_of};
use crate::binding::node_api::run;
use crate::binding::read::fields::Field;
use crate::binding::read::snapshot::read_snapshot;
use crate::context::manager::task_warning;
use napi::{Env, Unknown};
use napi_derive::napi;

/// The index of the first message of a snapshot, which begins after the message with the id
/// `after`, or with the conversation.
#[napi(ts_return_type = "number")]
pub fn snapshot_start<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    options: Unknown<'s>,
    after: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        Field::new(scope, "options", options).object_or_empty()?;
        let start = match Field::new(scope, "after", after).below("options").optional_string()? {
            Some(after) => manager.manager.borrow().index_of(&after)? + 1,
            None => 0,
        };
        scope.double(start as f64)
    })
}

/// The highest number that was given out in an id, if that message was removed.
#[napi(ts_return_type = "number | undefined")]
pub fn removed_last_number<'s>(env: &'s Env, handle: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let number = manager.manager.borrow().conversation().removed_last_number();
        number.map_or_else(|| scope.undefined(), |number| scope.double(number as f64))
    })
}

/// Pins, summaries and sessions as JSON. `withPins` lists the pinned messages.
#[napi(ts_return_type = "string")]
pub fn snapshot_memory<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    with_pins: bool,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let memory = manager.manager.borrow().memory(with_pins);
        scope.utf8(&json_of(&memory)?)
    })
}

/// Replaces the conversation by a snapshot, or appends it. `copyMessage` copies a message. When
/// all were read, and before anything is appended, `makeRoom` is called. Returns whether the team
/// task is another one than before, and a warning if it was cut.
#[napi(ts_return_type = "[isOtherTask: boolean, warning?: string]")]
pub fn import_snapshot<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    options: Unknown<'s>,
    append: Unknown<'s>,
    snapshot: Unknown<'s>,
    copy_message: Unknown<'s>,
    make_room: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        Field::new(scope, "options", options).object_or_empty()?;
        let append = Field::new(scope, "append", append).below("options").optional_boolean()?;
        let task = if append.unwrap_or(false) {
            let mut messages = Vec::new();
            let head =
                read_snapshot(scope, snapshot, copy_message, |message| messages.push(message))?;
            scope.call_function(scope.undefined()?, make_room, &[])?;
            manager.manager.borrow_mut().append(&head, &messages)?
        } else {
            let mut conversation = manager.manager.borrow().empty_conversation();
            let head = read_snapshot(scope, snapshot, copy_message, |message| {
                conversation.restore(&message.id, &message.envelope, &message.text);
            })?;
            manager.manager.borrow_mut().restore(&head, conversation)?
        };
        manager.tell_memory(scope);
        let mut values = vec![scope.boolean(task.is_other)?];
        if let Some(cut) = task.cut {
            values.push(scope.utf8(&task_warning(cut))?);
        }
        scope.array_of(&values)
    })
}
