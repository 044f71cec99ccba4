//! `ContextManager`: the conversation lives in the core; the caller's own objects (messages,
//! hooks, logger) live in a hidden property of the manager, where the garbage collector sees
//! them: a hook that refers to its manager does not keep it alive.
//!
//! The core's state is borrowed only while no JavaScript can run, so hooks, getters and
//! loggers may call the manager again.

mod options;
mod prompts;
mod views;

use super::border::{Border, Kind, Value};
use super::conversation::{new_message, restore};
use super::failure::Failure;
use super::reader::wrong;
use crate::context::Conversation;
use options::{ManagerOptions, manager_options};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// The name of the hidden property. `doors.js` knows it too.
const HELD: &str = "_held";

/// Everything of a manager that is not an object of the caller's.
pub struct Manager {
    options: ManagerOptions,
    conversation: RefCell<Conversation>,
    /// The prompt that was last reported for each agent.
    reported: RefCell<HashMap<String, Vec<u8>>>,
    /// What the engine was told of the memory held here.
    told_bytes: Cell<usize>,
}

/// A call of a method: the border, and the manager as JavaScript sees it.
#[derive(Clone, Copy)]
pub struct Call<'s> {
    pub border: Border<'s>,
    pub this: Value<'s>,
}

impl Manager {
    pub fn new(call: Call, options: Option<Value>) -> Result<Self, Failure> {
        let Call { border, this } = call;
        let (options, held) = manager_options(border, options)?;
        border.set(held, "messages", border.array(0)?)?;
        border.hide(this, HELD, held)?;
        Ok(Manager {
            options,
            conversation: RefCell::default(),
            reported: RefCell::default(),
            told_bytes: Cell::new(0),
        })
    }

    // ---- messages

    /// Adds a message whose fields have been read, see `new_message`, and answers its id. The
    /// door keeps the caller's object.
    pub fn add_message<'s>(
        &self,
        border: Border<'s>,
        message: Value<'s>,
        fields: &'s [Value<'s>],
    ) -> Result<Value<'s>, Failure> {
        let new = new_message(border, message, fields)?;
        let mut conversation = self.conversation.borrow_mut();
        let id = conversation.next_id();
        conversation.add(&new);
        drop(conversation);
        self.tell_memory(border);
        border.utf8(&id)
    }

    pub fn messages<'s>(&self, call: Call<'s>) -> Result<Value<'s>, Failure> {
        call.border.copy_array(call.held("messages")?)
    }

    pub fn latest_message<'s>(&self, call: Call<'s>) -> Result<Value<'s>, Failure> {
        match self.conversation.borrow().len().checked_sub(1) {
            Some(latest) => call.border.element(call.held("messages")?, latest as u32),
            None => call.border.null(),
        }
    }

    // ---- the team task

    pub fn set_team_task(&self, call: Call, task: Value) -> Result<(), Failure> {
        let border = call.border;
        let task = match border.kind(task)? {
            Kind::String => Some(border.string(task)?),
            Kind::Undefined | Kind::Null => None,
            _ => return Err(wrong(border, "task", task, "a string or null")),
        };
        let cut = self.conversation.borrow_mut().set_team_task(task.as_deref());
        self.team_task_changed(call, cut)
    }

    pub fn team_task<'s>(&self, call: Call<'s>) -> Result<Value<'s>, Failure> {
        match self.conversation.borrow().team_task() {
            Some(task) => call.border.utf8(task),
            None => call.border.null(),
        }
    }

    fn team_task_changed(&self, call: Call, cut: Option<(usize, usize)>) -> Result<(), Failure> {
        if let Some((before, after)) = cut {
            call.warn(&format!(
                "[ContextManager] TeamTask exceeded 5KB limit ({before} bytes), \
                 truncated to {after} bytes"
            ))?;
        }
        call.hook("onTeamTaskChanged", self.team_task(call)?)
    }

    // ---- lifecycle

    pub fn clear(&self, call: Call) -> Result<(), Failure> {
        self.replace(call, Conversation::default(), call.border.array(0)?)?;
        self.team_task_changed(call, None)
    }

    pub fn export_snapshot<'s>(&self, call: Call<'s>) -> Result<Value<'s>, Failure> {
        let border = call.border;
        border.object([
            ("messages", self.messages(call)?),
            ("teamTask", self.team_task(call)?),
            ("timestamp", border.now()?),
            ("version", border.double(1.0)?),
        ])
    }

    pub fn import_snapshot(&self, call: Call, snapshot: Value) -> Result<(), Failure> {
        let restored = restore(call.border, snapshot)?;
        self.replace(call, restored.conversation, restored.messages)?;
        self.team_task_changed(call, restored.task_cut)
    }

    fn replace(
        &self,
        call: Call,
        conversation: Conversation,
        messages: Value,
    ) -> Result<(), Failure> {
        call.border.set(call.held_object()?, "messages", messages)?;
        *self.conversation.borrow_mut() = conversation;
        self.reported.borrow_mut().clear();
        self.tell_memory(call.border);
        Ok(())
    }

    /// Lets the garbage collector know what a manager weighs.
    fn tell_memory(&self, border: Border) {
        let bytes = self.conversation.borrow().memory_bytes();
        let told = self.told_bytes.replace(bytes);
        if bytes != told {
            border.adjust_external_memory(bytes as i64 - told as i64);
        }
    }

    /// The engine forgets what it was told: the manager is gone.
    pub fn finalize(&self, border: Border) {
        border.adjust_external_memory(-(self.told_bytes.get() as i64));
    }
}

/// What an agent's prompt or context is asked for with.
#[derive(Clone, Copy)]
pub struct Asked<'s> {
    pub agent_id: Value<'s>,
    pub agent_type: Value<'s>,
    pub route: Option<Value<'s>>,
    pub options: Option<Value<'s>>,
}

impl<'s> Asked<'s> {
    /// For an agent, without a route and without options.
    pub fn of_agent(agent_id: Value<'s>, agent_type: Value<'s>) -> Self {
        Asked { agent_id, agent_type, route: None, options: None }
    }

    /// Both must be strings.
    fn check(&self, border: Border) -> Result<(), Failure> {
        for (name, value) in [("agentId", self.agent_id), ("agentType", self.agent_type)] {
            if border.kind(value)? != Kind::String {
                return Err(wrong(border, name, value, "a string"));
            }
        }
        Ok(())
    }
}

impl<'s> Call<'s> {
    fn held_object(self) -> Result<Value<'s>, Failure> {
        self.border.named(self.this, HELD)
    }

    fn held(self, name: &str) -> Result<Value<'s>, Failure> {
        self.border.named(self.held_object()?, name)
    }

    fn hook(self, name: &str, argument: Value) -> Result<(), Failure> {
        self.border.call_method_if_any(self.held_object()?, name, argument)
    }

    fn warn(self, text: &str) -> Result<(), Failure> {
        let text = self.border.utf8(text)?;
        let logger = self.held("logger")?;
        match self.border.kind(logger)? {
            Kind::Object | Kind::Function => self.border.call_method_if_any(logger, "warn", text),
            _ => {
                self.border.call_method_if_any(self.border.global_object("console")?, "warn", text)
            }
        }
    }

    fn warn_missing_parent(self, id: &str) -> Result<(), Failure> {
        self.warn(&format!(
            "[ContextManager] Parent message {id} not found, falling back to latest"
        ))
    }
}
