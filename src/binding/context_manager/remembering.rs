//! Summaries, sessions, and what does not fit any more.

use super::{manager_of, number_of, optional_text};
use crate::binding::node_api::run;
use crate::binding::read::fields::Field;
use napi::{Env, Unknown};
use napi_derive::napi;

/// Sets the summary of all messages up to one.
#[napi(ts_return_type = "void")]
pub fn set_summary<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    summary: Unknown<'s>,
    up_to: Unknown<'s>,
    text: Unknown<'s>,
    recipient: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        Field::new(scope, "summary", summary).object()?;
        let field = |name, value| Field::new(scope, name, value).below("summary");
        let up_to = field("upTo", up_to).string()?;
        let text = field("text", text).string()?;
        let recipient = field("recipient", recipient).optional_string()?;
        let mut inner = manager.manager.borrow_mut();
        inner.conversation_mut().set_summary(&up_to, &text, recipient.as_deref())?;
        drop(inner);
        manager.tell_memory(scope);
        scope.undefined()
    })
}

/// The summary that a member sees, or the one for all: the id of the last message that it covers,
/// its text and its recipient.
#[napi(
    ts_return_type = "[upTo: string | undefined, text: string, recipient: string | undefined] | undefined"
)]
pub fn get_summary<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    recipient: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let recipient = Field::new(scope, "recipient", recipient).optional_string()?;
        let manager = manager.manager.borrow();
        let conversation = manager.conversation();
        let Some(summary) = conversation.summary_for(recipient.as_deref()) else {
            return scope.undefined();
        };
        let up_to = conversation.summary_up_to(summary);
        scope.array_of(&[
            optional_text(scope, up_to.as_deref())?,
            scope.utf8(summary.text())?,
            optional_text(scope, summary.recipient())?,
        ])
    })
}

/// Removes the summary for one member, or the one for all.
#[napi(ts_return_type = "void")]
pub fn clear_summary<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    recipient: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let recipient = Field::new(scope, "recipient", recipient).optional_string()?;
        manager.manager.borrow_mut().conversation_mut().clear_summary(recipient.as_deref());
        scope.undefined()
    })
}

/// The indices of the messages that a turn leaves out by window, step or budget.
#[napi(ts_return_type = "number[]")]
pub fn overflow_of_turn<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    turn: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let indices = manager.manager.borrow().overflow(number_of(scope, turn)?)?;
        super::turns::numbers(scope, &indices)
    })
}

/// What the last prompt of an agent's session showed counts as seen. Returns false if there is no
/// such prompt.
#[napi(ts_return_type = "boolean")]
pub fn confirm_session<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    agent_id: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let agent_id = Field::new(scope, "agentId", agent_id).string()?;
        let is_confirmed = manager.manager.borrow_mut().sessions_mut().confirm(&agent_id);
        manager.tell_memory(scope);
        scope.boolean(is_confirmed)
    })
}

/// The number of the prompt of an agent's session that can be confirmed.
#[napi(ts_return_type = "number | undefined")]
pub fn pending_prompt<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    agent_id: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let agent_id = Field::new(scope, "agentId", agent_id).string()?;
        let pending = manager.manager.borrow().sessions().pending(&agent_id);
        match pending {
            Some(number) => scope.double(number as f64),
            None => scope.undefined(),
        }
    })
}

/// A prompt of an agent's session did not reach its caller, so it cannot be confirmed.
#[napi(ts_return_type = "void")]
pub fn withdraw_prompt<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    agent_id: Unknown<'s>,
    prompt: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let agent_id = Field::new(scope, "agentId", agent_id).string()?;
        let prompt = number_of(scope, prompt)? as u64;
        manager.manager.borrow_mut().sessions_mut().withdraw(&agent_id, prompt);
        scope.undefined()
    })
}

/// Forgets the session of an agent. Returns false if there was none.
#[napi(ts_return_type = "boolean")]
pub fn forget_session<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    agent_id: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let agent_id = Field::new(scope, "agentId", agent_id).string()?;
        let was_there = manager.manager.borrow_mut().sessions_mut().forget(&agent_id);
        scope.boolean(was_there)
    })
}
