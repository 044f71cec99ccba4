//! Summaries, and what each agent's session has been shown.

use super::NativeManager;
use crate::binding::failure::json_of;
use crate::error::Error;
use crate::manager::session::Seen;
use napi::Env;
use napi_derive::napi;
use serde::Serialize;

/// A summary.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownSummary<'m> {
    /// The id of the last message that it covers.
    up_to: Option<String>,
    text: &'m str,
    /// The only member who sees it.
    #[serde(skip_serializing_if = "Option::is_none")]
    recipient: Option<&'m str>,
}

#[napi]
impl NativeManager {
    /// Sets the summary of all messages up to one.
    #[napi(catch_unwind)]
    pub fn set_summary(
        &mut self,
        env: Env,
        up_to: String,
        text: String,
        recipient: Option<String>,
    ) -> napi::Result<()> {
        let mut manager = self.manager.borrow_mut();
        manager.conversation.set_summary(&up_to, &text, recipient.as_deref())?;
        drop(manager);
        self.tell_memory(&env);
        Ok(())
    }

    /// The summary that a member sees, or the one for all, as JSON.
    #[napi(catch_unwind)]
    pub fn get_summary(&self, recipient: Option<String>) -> napi::Result<String> {
        let manager = self.manager.borrow();
        let conversation = &manager.conversation;
        let summary = conversation.summary_for(recipient.as_deref());
        Ok(json_of(&summary.map(|summary| ShownSummary {
            up_to: conversation.summary_up_to(summary),
            text: &summary.text,
            recipient: summary.recipient.as_deref(),
        }))?)
    }

    /// Removes the summary for one member, or the one for all.
    #[napi(catch_unwind)]
    pub fn clear_summary(&mut self, recipient: Option<String>) {
        self.manager.borrow_mut().conversation.clear_summary(recipient.as_deref());
    }

    /// A member leaves. Whoever has its id or a name of it later is somebody else.
    #[napi(catch_unwind)]
    pub fn remove_member(&mut self, member: String) {
        self.manager.borrow_mut().remove_member(&member);
    }

    /// What the last prompt of an agent's session showed counts as seen. Returns false if there is
    /// no such prompt.
    #[napi(catch_unwind)]
    pub fn confirm_session(&mut self, env: Env, agent_id: String) -> bool {
        let is_confirmed = self.manager.borrow_mut().sessions.confirm(&agent_id);
        self.tell_memory(&env);
        is_confirmed
    }

    /// All messages count as seen by an agent, whose session has them already.
    #[napi(catch_unwind)]
    pub fn session_has_all(&mut self, agent_id: String) {
        let mut manager = self.manager.borrow_mut();
        let seen = Seen::up_to(manager.conversation.len());
        manager.sessions.restore(agent_id, seen);
    }

    /// What is remembered of one member, as JSON: its session, and the key of its prompts.
    #[napi(catch_unwind)]
    pub fn member_record(&self, member: String) -> napi::Result<String> {
        Ok(json_of(&self.manager.borrow().member_record(&member))?)
    }

    /// Remembers what a record says of one member, and nothing else of it.
    #[napi(catch_unwind)]
    pub fn restore_member(&mut self, env: Env, member: String, record: String) -> napi::Result<()> {
        let record = serde_json::from_str(&record).map_err(|error| {
            Error::invalid_snapshot(format!("the record of {member:?}: {error}"))
        })?;
        self.manager.borrow_mut().restore_member(&member, record)?;
        self.tell_memory(&env);
        Ok(())
    }

    /// Forgets the session of an agent. Returns false if there was none.
    #[napi(catch_unwind)]
    pub fn forget_session(&mut self, agent_id: String) -> bool {
        self.manager.borrow_mut().sessions.forget(&agent_id)
    }

    /// The number of the prompt of an agent's session that can be confirmed.
    #[napi(catch_unwind)]
    pub fn pending_prompt(&self, agent_id: String) -> Option<f64> {
        self.manager.borrow().sessions.pending(&agent_id).map(|number| number as f64)
    }

    /// A prompt of an agent's session did not reach its caller, so it cannot be confirmed.
    #[napi(catch_unwind)]
    pub fn withdraw_prompt(&mut self, agent_id: String, prompt: f64) {
        self.manager.borrow_mut().sessions.withdraw(&agent_id, prompt as u64);
    }
}
