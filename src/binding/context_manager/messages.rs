//! Messages of a manager.

#![allow(clippy::too_many_arguments, reason = "fields are passed by position, see js/fields.js")]

use super::turns::numbers;
use super::{manager_of, number_of};
use crate::binding::node_api::{native_function, run};
use crate::binding::read::conversation::{MessageFields, is_pinned, message_text};
use crate::binding::read::fields::Field;
use crate::binding::scratch;
use crate::context::MessageText;
use napi::{Env, Unknown};
use napi_derive::napi;

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

/// Keeps how many tokens each function of the caller's has counted in a message.
#[napi(ts_return_type = "void")]
pub fn keep_message_tokens<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    index: Unknown<'s>,
    tokens: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let tokens = Field::new(scope, "tokens", tokens).integers()?;
        let tokens: Vec<u32> =
            tokens.into_iter().map(|count| u32::try_from(count).unwrap_or(u32::MAX)).collect();
        let index = number_of(scope, index)?;
        manager.manager.borrow_mut().conversation_mut().keep_counts(index, &tokens);
        scope.undefined()
    })
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
    pinned: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let message_id = Field::new(scope, "id", message_id).string()?;
        let pinned = is_pinned(scope, pinned)?;
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
        let text =
            MessageText { pinned, ..message_text(scope, content, parent_message_id, intent)? };
        let index = manager.manager.borrow_mut().update(&message_id, &envelope, &text)?;
        manager.tell_memory(scope);
        scope.double(index as f64)
    })
}

/// Whether a message is pinned, by its field: 1 or 0.
#[napi(ts_return_type = "number")]
pub fn read_pinned<'s>(env: &'s Env, pinned: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    run(env, |scope| scope.double(f64::from(is_pinned(scope, pinned)?)))
}

/// Pins the message with this id, or no longer. Returns its index.
#[napi(ts_return_type = "number")]
pub fn set_pinned<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    message_id: Unknown<'s>,
    pinned: bool,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let message_id = Field::new(scope, "id", message_id).string()?;
        let index = manager.manager.borrow_mut().set_pinned(&message_id, pinned)?;
        scope.double(index as f64)
    })
}

/// The indices of the pinned messages, ascending.
#[napi(ts_return_type = "number[]")]
pub fn pinned_messages<'s>(env: &'s Env, handle: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let manager = manager.manager.borrow();
        let pins = manager.conversation().pins().iter();
        numbers(scope, &pins.map(|index| *index as usize).collect::<Vec<_>>())
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
