//! Snapshots as callers have them, to what the core restores or appends.

use super::conversation::{MessageFields, is_pinned, message_text};
use super::fields::{Field, Object};
use crate::binding::failure::Failure;
use crate::binding::node_api::{Kind, Scope, Value};
use crate::context::MessageText;
use crate::context::ids::SnapshotIds;
use crate::context::memory::Memory;
use crate::context::snapshot::{SNAPSHOT_VERSION, SnapshotHead, SnapshotMessage, SnapshotState};
use crate::error::Error;

/// Checks all of a snapshot that can be checked without the conversation. Its messages go to
/// `receive`, one after another; the rest is returned. `copy_message` is the function of
/// `js/snapshot.js` that copies a message and returns what is to be read of the copy.
pub fn read_snapshot<'s>(
    scope: Scope<'s>,
    snapshot: Value<'s>,
    copy_message: Value<'s>,
    mut receive: impl FnMut(SnapshotMessage),
) -> Result<SnapshotHead, Failure> {
    let snapshot =
        Field::new(scope, "snapshot", snapshot).object().map_err(as_snapshot_error)?.at_top_level();
    let version = snapshot.field("version")?;
    let is_known =
        version.kind()? == Kind::Number && scope.number(version.value)? == SNAPSHOT_VERSION;
    if !is_known {
        let problem = format!("version must be {SNAPSHOT_VERSION}");
        return Err(Error::invalid_snapshot(problem).into());
    }
    let given = snapshot.field("messages")?;
    let length = given.array().map_err(as_snapshot_error)?;
    let head = read_head(&snapshot).map_err(as_snapshot_error)?;

    let mut ids = SnapshotIds::default();
    for index in 0..length {
        let message = scope
            .nested(|scope| {
                let message = scope.element(given.value, index)?;
                let copy = scope.call_function(scope.undefined()?, copy_message, &[message])?;
                let message = read_message(scope, copy)?;
                ids.check(&message.id)?;
                Ok(message)
            })
            .map_err(|failure| in_message(index, failure))?;
        receive(message);
    }
    Ok(head)
}

fn read_head(snapshot: &Object) -> Result<SnapshotHead, Failure> {
    let last_number = snapshot.field("lastNumber")?.optional_integer(1)?;
    Ok(SnapshotHead {
        after: snapshot.field("after")?.optional_string()?,
        state: SnapshotState {
            team_task: snapshot.field("teamTask")?.optional_string()?,
            last_number: last_number.map(|number| number as u64),
            memory: read_memory(snapshot.field("memory")?)?,
        },
    })
}

/// Pins, summaries and sessions, of which `js/snapshot.js` has made JSON.
fn read_memory(field: Field) -> Result<Memory, Failure> {
    let Some(json) = field.optional_string()? else { return Ok(Memory::default()) };
    Ok(Memory::from_json(&json)?)
}

fn read_message<'s>(scope: Scope<'s>, copy: Value<'s>) -> Result<SnapshotMessage, Failure> {
    let message = Field::new(scope, "message", copy).object()?.at_top_level();
    check_timestamp(&message)?;
    let id = message.field("id")?.string()?;
    let fields = MessageFields::of_object(scope, copy)?;
    let envelope = fields.envelope(scope)?;
    let routing = Field::new(scope, "routing", fields.routing);
    let nothing = scope.undefined()?;
    let (parent_id, intent) = match routing.kind()? {
        Kind::Object => {
            (scope.named(routing.value, "parentMessageId")?, scope.named(routing.value, "intent")?)
        }
        _ => (nothing, nothing),
    };
    let content = scope.string(fields.content)?.into();
    let pinned = is_pinned(scope, message.field("pinned")?.value)?;
    let text = MessageText { pinned, ..message_text(scope, content, parent_id, intent)? };
    Ok(SnapshotMessage { id, envelope, text })
}

/// `js/snapshot.js` has made a Date of what can be one.
fn check_timestamp(message: &Object) -> Result<(), Failure> {
    let timestamp = message.field("timestamp")?;
    match timestamp.given()? {
        Some(given) if !message.scope.is_valid_date(given.value)? => Err(given.wrong("a date")),
        _ => Ok(()),
    }
}

fn as_snapshot_error(failure: Failure) -> Failure {
    match failure {
        Failure::Ours(Error::InvalidSnapshot { problem }) => {
            Error::invalid_snapshot(problem).into()
        }
        Failure::Ours(error) => Error::invalid_snapshot(error.to_string()).into(),
        other => other,
    }
}

fn in_message(index: u32, failure: Failure) -> Failure {
    match failure {
        Failure::Ours(error) => {
            let problem = error.to_string();
            let problem = problem.strip_prefix("Message ").unwrap_or(&problem);
            Error::invalid_snapshot(format!("messages[{index}]: {problem}")).into()
        }
        other => other,
    }
}
