//! Messages of a manager.

use super::NativeManager;
use crate::binding::failure::json_of;
use crate::binding::fields::{MessageFields, RoutingFields, UnreadMessage, late_routing};
use crate::binding::scratch;
use crate::binding::strings::{JsString, is_wide};
use crate::error::Error;
use crate::manager::Manager;
use crate::manager::ids;
use crate::manager::message::MessageText;
use crate::visibility::folded;
use napi::Env;
use napi_derive::napi;
use std::borrow::Cow;

/// The beginning of the ids of messages; a number follows.
#[napi]
pub const ID_PREFIX: &str = ids::ID_PREFIX;

/// A name as names are compared.
#[napi(catch_unwind)]
pub fn folded_name(name: String) -> String {
    folded(&name)
}

#[napi]
impl NativeManager {
    /// Adds a message, under an id of the caller or the next one. Returns the number in the next one.
    #[napi(catch_unwind)]
    pub fn add_message(
        &mut self,
        env: Env,
        message: MessageFields,
        id: Option<String>,
    ) -> napi::Result<f64> {
        let UnreadMessage { envelope, content, text } = UnreadMessage::new(message);
        self.add_text(&env, content, text, |manager, text| match id {
            Some(id) => manager.add_with_id(&id, &envelope, text).map(|()| 0),
            None => manager.add(&envelope, text),
        })
    }

    /// Adds a message without parts that has speaker and addressees of the message at an index.
    /// Returns the number in its id.
    #[napi(catch_unwind)]
    pub fn add_like(
        &mut self,
        env: Env,
        earlier: f64,
        content: JsString,
        parent_id: Option<String>,
        intent: Option<String>,
    ) -> napi::Result<f64> {
        let text = MessageText { parent_id, intent, ..MessageText::default() };
        let earlier = earlier as usize;
        self.add_text(&env, content, text, |manager, text| manager.add_like(earlier, text))
    }

    fn add_text(
        &mut self,
        env: &Env,
        content: JsString,
        text: MessageText<'static>,
        add: impl FnOnce(&mut Manager, &MessageText) -> Result<u64, Error>,
    ) -> napi::Result<f64> {
        let mut bytes = scratch::bytes();
        content.append(&mut bytes, self.expect_wide)?;
        self.expect_wide = is_wide(bytes.as_slice());
        // The engine writes well-formed UTF-8, and to check that is faster than to convert it.
        let content =
            str::from_utf8(&bytes).map_or_else(|_| String::from_utf8_lossy(&bytes), Cow::from);
        let added = add(&mut self.manager.borrow_mut(), &MessageText { content, ..text });
        scratch::keep_bytes(bytes);
        self.tell_memory(env);
        Ok(added? as f64)
    }

    /// Puts a message in place of the one with this id. Returns its index.
    #[napi(catch_unwind)]
    pub fn update_message(
        &mut self,
        env: Env,
        id: String,
        message: MessageFields,
    ) -> napi::Result<f64> {
        let (envelope, text) = UnreadMessage::new(message).read(&mut self.expect_wide)?;
        let index = self.manager.borrow_mut().update(&id, &envelope, &text)?;
        self.tell_memory(&env);
        Ok(index as f64)
    }

    /// Takes a routing that came after its message was added.
    #[napi(catch_unwind)]
    pub fn address_message(&mut self, env: Env, index: f64, routing: RoutingFields) {
        self.manager.borrow_mut().address(index as usize, &late_routing(routing));
        self.tell_memory(&env);
    }

    /// Removes the message with this id. Returns the index that it had.
    #[napi(catch_unwind)]
    pub fn remove_message(&mut self, env: Env, id: String) -> napi::Result<f64> {
        let index = self.manager.borrow_mut().remove(&id)?;
        self.tell_memory(&env);
        Ok(index as f64)
    }

    /// The index of the message with this id.
    #[napi(catch_unwind)]
    pub fn find_message(&self, id: String) -> napi::Result<f64> {
        Ok(self.manager.borrow().conversation.index_of(&id)? as f64)
    }

    /// The index of the newest message that a member may see; with `ofOthers`, without what it wrote
    /// itself.
    #[napi(catch_unwind)]
    pub fn newest_message_for(&self, member: String, of_others: bool) -> Option<f64> {
        let newest = self.manager.borrow().conversation.newest_for(&member, of_others);
        newest.map(|index| index as f64)
    }

    /// Whether a member may see the message with this id.
    #[napi(catch_unwind)]
    pub fn may_see(&self, member: String, id: String) -> bool {
        self.manager.borrow().conversation.find_visible(&id, Some(&member)).is_some()
    }

    /// Whether a message is older than the present holder of a name.
    #[napi(catch_unwind)]
    pub fn is_before_member(&self, id: String, member: String) -> napi::Result<bool> {
        let conversation = &self.manager.borrow().conversation;
        Ok(conversation.is_before(conversation.index_of(&id)?, &member))
    }

    /// Pins the message with this id, or no longer. Returns its index.
    #[napi(catch_unwind)]
    pub fn set_pinned(&mut self, id: String, pinned: bool) -> napi::Result<f64> {
        Ok(self.manager.borrow_mut().conversation.set_pinned(&id, pinned)? as f64)
    }

    /// The indices of the pinned messages, ascending, as JSON.
    #[napi(catch_unwind)]
    pub fn pinned_messages(&self) -> napi::Result<String> {
        Ok(json_of(&self.manager.borrow().conversation.pins)?)
    }

    /// Keeps how many tokens each caller-supplied function has counted in a message.
    #[napi(catch_unwind)]
    pub fn keep_message_tokens(&mut self, index: f64, tokens: Vec<f64>) {
        let tokens: Vec<u32> = tokens.into_iter().map(|count| count as u32).collect();
        self.manager.borrow_mut().conversation.keep_counts(index as usize, &tokens);
    }
}
