//! `ContextManager`: the conversation lives in the core; the caller's own objects (messages,
//! hooks, logger) live in a hidden property of the manager, where the garbage collector sees
//! them: a hook that refers to its manager does not keep it alive.
//!
//! The core's state is borrowed only while no JavaScript can run, so hooks, getters and
//! loggers may call the manager again.

use super::assemblers::assemble_input;
use super::border::{Border, Kind, Value};
use super::conversation::{new_message, restore};
use super::failure::Failure;
use super::input::wrong;
use super::manager_options::{
    AgentOptions, ManagerOptions, RouteOptions, agent_options, manager_options, open_options,
    read_options, route_options,
};
use super::output::{self, Form, Wanted};
use crate::budget::{ASSEMBLER_POLICY, Request};
use crate::context::route::Shown;
use crate::context::{Conversation, RoutedTurn, StoredContext, Turn};
use crate::model::{Assembler, Materials, Quote};
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

    // ---- what an agent sees

    pub fn context_for_agent<'s>(
        &self,
        call: Call<'s>,
        asked: Asked<'s>,
    ) -> Result<Value<'s>, Failure> {
        asked.check(call.border)?;
        open_options(call.border, asked.options, |reader, _| {
            self.agent_view(reader.border, &agent_options(&reader, &self.options)?)
        })
    }

    fn agent_view<'s>(
        &self,
        border: Border<'s>,
        options: &AgentOptions<'s>,
    ) -> Result<Value<'s>, Failure> {
        let conversation = self.conversation.borrow();
        let turn = Turn::latest(&conversation, options.window_size, options.recipient.as_deref());
        self.view(border, &conversation, &turn, options)
    }

    pub fn context_for_route<'s>(
        &self,
        call: Call<'s>,
        asked: Asked<'s>,
    ) -> Result<Value<'s>, Failure> {
        asked.check(call.border)?;
        open_options(call.border, asked.options, |reader, _| {
            let options = route_options(&reader, asked.route, &self.options)?;
            self.route_view(Call { border: reader.border, this: call.this }, &options)
        })
    }

    fn route_view<'s>(
        &self,
        call: Call<'s>,
        options: &RouteOptions<'s>,
    ) -> Result<Value<'s>, Failure> {
        let border = call.border;
        let RouteOptions { agent, route, intent } = options;
        let found = {
            let conversation = self.conversation.borrow();
            match RoutedTurn::new(&conversation, route) {
                None => None,
                Some(routed) => {
                    let view = self.view(border, &conversation, &routed.turn, agent)?;
                    let parent = match &routed.parent {
                        Some(parent) => shown(border, parent)?,
                        None => border.undefined()?,
                    };
                    let siblings = border.array(routed.siblings.len())?;
                    for (index, sibling) in routed.siblings.iter().enumerate() {
                        border.set_element(siblings, index, shown(border, sibling)?)?;
                    }
                    let parent_id = border.utf8(&route.parent_id)?;
                    let meta = [("parentMessageId", parent_id), ("intent", *intent)];
                    border.set(view, "parentContext", parent)?;
                    border.set(view, "siblingContext", siblings)?;
                    border.set(view, "routeMeta", border.object(meta)?)?;
                    Some((view, parent_id, routed.siblings.len(), routed.siblings_in_all))
                }
            }
        };
        let (view, parent_id, count, in_all) = match found {
            Some(found) => found,
            None => {
                call.warn_missing_parent(&route.parent_id)?;
                let view = self.agent_view(border, agent)?;
                border.set(view, "siblingContext", border.array(0)?)?;
                (view, border.undefined()?, 0, 0)
            }
        };
        let meta = border.object([
            ("parentMessageId", parent_id),
            ("intent", *intent),
            ("targetMemberId", border.utf8(&route.target_id)?),
            ("siblingCount", border.double(count as f64)?),
            ("siblingTotalCount", border.double(in_all as f64)?),
            ("truncatedSiblings", border.boolean(in_all > count)?),
        ])?;
        border.set(view, "meta", meta)?;
        Ok(view)
    }

    /// An `AssemblerInput` of a turn.
    fn view<'s>(
        &self,
        border: Border<'s>,
        conversation: &Conversation,
        turn: &Turn,
        options: &AgentOptions<'s>,
    ) -> Result<Value<'s>, Failure> {
        let context = border.array(turn.window.len())?;
        for (position, index) in turn.window.iter().enumerate() {
            let message = conversation.message(index);
            border.nested(|border| {
                let message = Shown {
                    from: message.from.into(),
                    to: message.to,
                    content: message.content.into(),
                };
                border.set_element(context, position, shown(border, &message)?)
            })?;
        }
        let current = turn.message.map_or("", |index| conversation.message(index).content);
        let task = match conversation.team_task() {
            Some(task) => border.utf8(task)?,
            None => border.null()?,
        };
        border.object([
            ("contextMessages", context),
            ("currentMessage", border.utf8(current)?),
            ("teamTask", task),
            ("systemInstruction", options.given_instruction),
            ("instructionFileText", options.given_file),
            ("maxBytes", border.double(self.options.max_bytes as f64)?),
        ])
    }

    // ---- prompts

    pub fn assemble_prompt<'s>(
        &self,
        call: Call<'s>,
        agent_type: Value<'s>,
        input: Value<'s>,
    ) -> Result<Value<'s>, Failure> {
        if call.border.kind(agent_type)? != Kind::String {
            return Err(wrong(call.border, "agentType", agent_type, "a string"));
        }
        let assembler = self.assembler(call, agent_type)?;
        assemble_input(call.border, &assembler, input, Form::Text)
    }

    pub fn assemble_for_agent<'s>(
        &self,
        call: Call<'s>,
        asked: Asked<'s>,
        form: Form<'s>,
    ) -> Result<Value<'s>, Failure> {
        asked.check(call.border)?;
        open_options(call.border, asked.options, |reader, _| {
            let options = agent_options(&reader, &self.options)?;
            let call = Call { border: reader.border, this: call.this };
            self.assemble_latest(call, asked, &options, Wanted::new(call.border, form)?)
        })
    }

    /// The same with options whose fields are in `fields`, in their order.
    pub fn assemble_fields<'s>(
        &self,
        call: Call<'s>,
        asked: Asked<'s>,
        options: Value<'s>,
        fields: &'s [Value<'s>],
        form: Form<'s>,
    ) -> Result<Value<'s>, Failure> {
        asked.check(call.border)?;
        let reader = read_options(call.border, options, fields)?;
        let options = agent_options(&reader, &self.options)?;
        self.assemble_latest(call, asked, &options, Wanted::new(call.border, form)?.bare())
    }

    fn assemble_latest<'s>(
        &self,
        call: Call<'s>,
        asked: Asked<'s>,
        options: &AgentOptions,
        wanted: Wanted<'s>,
    ) -> Result<Value<'s>, Failure> {
        let assembler = self.assembler(call, asked.agent_type)?;
        let conversation = self.conversation.borrow();
        let turn = Turn::latest(&conversation, options.window_size, options.recipient.as_deref());
        let materials = self.materials(&conversation, &turn, options);
        self.assemble(call, asked.agent_id, assembler, &turn, materials, options, wanted)
    }

    pub fn assemble_for_route<'s>(
        &self,
        call: Call<'s>,
        asked: Asked<'s>,
        form: Form<'s>,
    ) -> Result<Value<'s>, Failure> {
        asked.check(call.border)?;
        open_options(call.border, asked.options, |reader, _| {
            let options = route_options(&reader, asked.route, &self.options)?;
            let call = Call { border: reader.border, this: call.this };
            self.assemble_routed(call, asked, &options, Wanted::new(call.border, form)?)
        })
    }

    fn assemble_routed<'s>(
        &self,
        call: Call<'s>,
        asked: Asked<'s>,
        options: &RouteOptions,
        wanted: Wanted<'s>,
    ) -> Result<Value<'s>, Failure> {
        let border = call.border;
        let RouteOptions { agent, route, intent } = options;
        let known = self.conversation.borrow().find(&route.parent_id).is_some();
        if !known {
            call.warn_missing_parent(&route.parent_id)?;
            return self.assemble_latest(call, asked, agent, wanted);
        }
        let assembler = self.assembler(call, asked.agent_type)?;
        let intent = match border.kind(*intent)? {
            Kind::String => border.string(*intent)?,
            _ => String::new(),
        };
        let conversation = self.conversation.borrow();
        let Some(routed) = RoutedTurn::new(&conversation, route) else {
            // A logger that clears the conversation: nothing is left to answer.
            drop(conversation);
            return self.assemble_latest(call, asked, agent, wanted);
        };
        let quote = |message: &Shown| Quote {
            from: message.from.as_ref().to_owned(),
            content: message.content.as_ref().to_owned(),
        };
        let materials = Materials {
            parent: routed.parent.as_ref().map(quote),
            siblings: routed.siblings.iter().map(quote).collect(),
            parent_message_id: route.parent_id.clone(),
            intent,
            ..self.materials(&conversation, &routed.turn, agent)
        };
        self.assemble(call, asked.agent_id, assembler, &routed.turn, materials, agent, wanted)
    }

    fn materials<'c>(
        &self,
        conversation: &'c Conversation,
        turn: &Turn,
        options: &'c AgentOptions,
    ) -> Materials<'c> {
        Materials {
            system_instruction: options.instruction.as_slice().into(),
            instruction_file: options.file.as_str().into(),
            team_task: conversation.team_task().unwrap_or_default().into(),
            message: turn.message.map_or("", |index| conversation.message(index).content).into(),
            max_bytes: self.options.max_bytes,
            ..Materials::default()
        }
    }

    #[expect(clippy::too_many_arguments, reason = "all of one assembly, named at both callers")]
    fn assemble<'s>(
        &self,
        call: Call<'s>,
        agent_id: Value<'s>,
        mut assembler: Assembler,
        turn: &Turn,
        materials: Materials,
        options: &AgentOptions,
        wanted: Wanted<'s>,
    ) -> Result<Value<'s>, Failure> {
        let step = self.options.eviction_step(&assembler, options.window_size);
        assembler.options.eviction_step = Some(step);
        let conversation = self.conversation.borrow();
        let watch = wanted.report();
        let mut context = StoredContext::new(&assembler, &conversation, &turn.window, watch);
        let request = Request {
            assembler: &assembler,
            materials: &materials,
            policy: ASSEMBLER_POLICY,
            watch,
        };
        let stable = |prompt: &[u8]| {
            // Only reports ask, so only they read the id.
            let agent_id = call.border.string(agent_id).ok()?;
            let previous = self.reported.borrow_mut().insert(agent_id, prompt.to_vec());
            previous.map(|previous| common_prefix(&previous, prompt))
        };
        output::assemble(call.border, request, &mut context, wanted, None, stable)
    }

    /// The assembler for an agent type, a string.
    fn assembler(&self, call: Call, agent_type: Value) -> Result<Assembler, Failure> {
        let border = call.border;
        let agent_type = border.string(agent_type)?;
        let (assembler, known) = self.options.assembler(&agent_type);
        if !known {
            call.warn(&format!(
                "[ContextManager] Unknown agentType \"{agent_type}\" \
                 (normalized: \"{}\"), using PlainTextAssembler",
                agent_type.trim().to_lowercase()
            ))?;
        }
        Ok(assembler)
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

fn shown<'s>(border: Border<'s>, message: &Shown) -> Result<Value<'s>, Failure> {
    border.object([
        ("from", border.utf8(&message.from)?),
        ("to", border.utf8(message.to)?),
        ("content", border.utf8(&message.content)?),
    ])
}

fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}
