//! The exported `ContextManager` class: its methods, as JavaScript calls them.

#![allow(clippy::too_many_arguments, reason = "the arguments are those of the JS methods")]

use super::border::{Border, Name, Value};
use super::failure::Failure;
use super::instances::Numbered;
use super::manager::{Asked, Call, Manager};
use super::output::Form;
use napi::bindgen_prelude::{ObjectFinalize, This};
use napi::{Env, Unknown};
use napi_derive::napi;
use std::panic::AssertUnwindSafe;

/// The single owner of a conversation's messages and team task. Texts cross the border to
/// Rust once, when they are added; a prompt costs what it contains, however long the
/// conversation is.
#[napi(custom_finalize)]
pub struct ContextManager {
    // A panic is caught at each method; the manager holds no half-done change then, because
    // it changes its state in single steps.
    manager: AssertUnwindSafe<Numbered<Manager>>,
}

impl ObjectFinalize for ContextManager {
    fn finalize(self, env: Env) -> napi::Result<()> {
        self.manager.thing.finalize(Border::enter(&env));
        Ok(())
    }
}

/// Does the work of a method.
fn answer<'s>(
    env: &'s Env,
    this: &This<'s>,
    work: impl FnOnce(Call<'s>) -> Result<Value<'s>, Failure>,
) -> napi::Result<Unknown<'s>> {
    Border::enter(env).answer(|border| work(Call { border, this: border.received_this(this) }))
}

/// What an agent's prompt or context was asked for with.
fn asked<'s>(
    call: Call<'s>,
    agent: [&Unknown<'s>; 2],
    route: Option<&Unknown<'s>>,
    options: Option<&Unknown<'s>>,
) -> Asked<'s> {
    let [agent_id, agent_type] = agent.map(|value| call.border.received(value));
    let value = |value: &Unknown<'s>| call.border.received(value);
    Asked { agent_id, agent_type, route: route.map(value), options: options.map(value) }
}

#[napi]
impl ContextManager {
    /// An empty conversation.
    #[napi(constructor, catch_unwind, ts_args_type = "options?: ContextManagerOptions")]
    pub fn new(env: Env, this: This, options: Option<Unknown>) -> napi::Result<Self> {
        let border = Border::enter(&env);
        let options = options.as_ref().map(|value| border.received(value));
        let manager = border.instance(&this, "addMessage").and_then(|this| {
            let manager = Numbered::new(Manager::new(Call { border, this }, options)?);
            let number = border.double(manager.number as f64)?;
            border.run_kept(Name::NumberManager, &[this, number])?;
            Ok(manager)
        });
        match manager {
            Ok(manager) => Ok(ContextManager { manager: AssertUnwindSafe(manager) }),
            Err(failure) => Err(failure.throw(border)),
        }
    }

    /// Stores a message under the next id (`msg-1`, `msg-2`, …), calls `onMessageAdded`, and
    /// returns the full message. Every field that was given is kept.
    #[napi(
        catch_unwind,
        ts_args_type = "message: NewConversationMessage",
        ts_return_type = "ConversationMessage"
    )]
    pub fn add_message<'s>(
        &self,
        env: &'s Env,
        this: This<'s>,
        _message: Unknown<'s>,
    ) -> napi::Result<Unknown<'s>> {
        // The door is the only way in; this is what the types are made of.
        answer(env, &this, |_| Err(Failure::panicked()))
    }

    /// All messages, oldest first, in a new array.
    #[napi(catch_unwind, ts_return_type = "ConversationMessage[]")]
    pub fn get_messages<'s>(&self, env: &'s Env, this: This<'s>) -> napi::Result<Unknown<'s>> {
        answer(env, &this, |call| self.manager.thing.messages(call))
    }

    /// The message that was added last, or null.
    #[napi(catch_unwind, ts_return_type = "ConversationMessage | null")]
    pub fn get_latest_message<'s>(
        &self,
        env: &'s Env,
        this: This<'s>,
    ) -> napi::Result<Unknown<'s>> {
        answer(env, &this, |call| self.manager.thing.latest_message(call))
    }

    /// Sets what the team works on, cut to 5 KiB with a warning, and calls
    /// `onTeamTaskChanged`. Null removes it.
    #[napi(catch_unwind, ts_args_type = "task: string | null", ts_return_type = "void")]
    pub fn set_team_task<'s>(
        &self,
        env: &'s Env,
        this: This<'s>,
        task: Unknown<'s>,
    ) -> napi::Result<Unknown<'s>> {
        answer(env, &this, |call| {
            self.manager.thing.set_team_task(call, call.border.received(&task))?;
            call.border.undefined()
        })
    }

    /// What the team works on, or null.
    #[napi(catch_unwind, ts_return_type = "string | null")]
    pub fn get_team_task<'s>(&self, env: &'s Env, this: This<'s>) -> napi::Result<Unknown<'s>> {
        answer(env, &this, |call| self.manager.thing.team_task(call))
    }

    /// What an agent sees in its turn, as input for an assembler: the latest message, and
    /// the window before it.
    #[napi(
        catch_unwind,
        ts_args_type = "agentId: string, agentType: AgentType, options?: AgentContextOptions",
        ts_return_type = "AssemblerInput"
    )]
    pub fn get_context_for_agent<'s>(
        &self,
        env: &'s Env,
        this: This<'s>,
        agent_id: Unknown<'s>,
        agent_type: Unknown<'s>,
        options: Option<Unknown<'s>>,
    ) -> napi::Result<Unknown<'s>> {
        answer(env, &this, |call| {
            let asked = asked(call, [&agent_id, &agent_type], None, options.as_ref());
            self.manager.thing.context_for_agent(call, asked)
        })
    }

    /// What an agent sees that answers a given message: that message, the window before it,
    /// and the other replies to it.
    #[napi(
        catch_unwind,
        ts_args_type = "agentId: string, agentType: AgentType, route: RoutingItem, options?: RouteContextOptions",
        ts_return_type = "RouteContextResult"
    )]
    pub fn get_context_for_route<'s>(
        &self,
        env: &'s Env,
        this: This<'s>,
        agent_id: Unknown<'s>,
        agent_type: Unknown<'s>,
        route: Unknown<'s>,
        options: Option<Unknown<'s>>,
    ) -> napi::Result<Unknown<'s>> {
        answer(env, &this, |call| {
            let asked = asked(call, [&agent_id, &agent_type], Some(&route), options.as_ref());
            self.manager.thing.context_for_route(call, asked)
        })
    }

    /// The prompt of an input, in the layout of the agent type. An unknown type is warned of
    /// and gets plain text.
    #[napi(
        catch_unwind,
        ts_args_type = "agentType: AgentType, input: AssemblerInput",
        ts_return_type = "AssemblerOutput"
    )]
    pub fn assemble_prompt<'s>(
        &self,
        env: &'s Env,
        this: This<'s>,
        agent_type: Unknown<'s>,
        input: Unknown<'s>,
    ) -> napi::Result<Unknown<'s>> {
        answer(env, &this, |call| {
            let border = call.border;
            self.manager.thing.assemble_prompt(
                call,
                border.received(&agent_type),
                border.received(&input),
            )
        })
    }

    /// `getContextForAgent` and `assemblePrompt` in one step: the prompt as a string.
    #[napi(
        catch_unwind,
        ts_args_type = "agentId: string, agentType: AgentType, options?: AgentContextOptions",
        ts_return_type = "AssemblerOutput"
    )]
    pub fn assemble_for_agent<'s>(
        &self,
        env: &'s Env,
        this: This<'s>,
        agent_id: Unknown<'s>,
        agent_type: Unknown<'s>,
        options: Option<Unknown<'s>>,
    ) -> napi::Result<Unknown<'s>> {
        answer(env, &this, |call| {
            let asked = asked(call, [&agent_id, &agent_type], None, options.as_ref());
            self.manager.thing.assemble_for_agent(call, asked, Form::Text)
        })
    }

    /// `getContextForAgent` and `assemblePrompt` in one step: the prompt as a string, and a report with `stablePrefixBytes`.
    #[napi(
        catch_unwind,
        ts_args_type = "agentId: string, agentType: AgentType, options?: AgentContextOptions",
        ts_return_type = "AssemblerReportOutput"
    )]
    pub fn assemble_for_agent_with_report<'s>(
        &self,
        env: &'s Env,
        this: This<'s>,
        agent_id: Unknown<'s>,
        agent_type: Unknown<'s>,
        options: Option<Unknown<'s>>,
    ) -> napi::Result<Unknown<'s>> {
        answer(env, &this, |call| {
            let asked = asked(call, [&agent_id, &agent_type], None, options.as_ref());
            self.manager.thing.assemble_for_agent(call, asked, Form::Report)
        })
    }

    /// `getContextForAgent` and `assemblePrompt` in one step: the prompt as UTF-8 bytes, ready for `child.stdin.write`.
    #[napi(
        catch_unwind,
        ts_args_type = "agentId: string, agentType: AgentType, options?: AgentContextOptions",
        ts_return_type = "AssemblerBufferOutput"
    )]
    pub fn assemble_for_agent_to_buffer<'s>(
        &self,
        env: &'s Env,
        this: This<'s>,
        agent_id: Unknown<'s>,
        agent_type: Unknown<'s>,
        options: Option<Unknown<'s>>,
    ) -> napi::Result<Unknown<'s>> {
        answer(env, &this, |call| {
            let asked = asked(call, [&agent_id, &agent_type], None, options.as_ref());
            self.manager.thing.assemble_for_agent(call, asked, Form::Buffer)
        })
    }

    /// `getContextForAgent` and `assemblePrompt` in one step: the prompt written into `buffer`, from `offset` on; if it does not fit, nothing is
    /// written and the `ERR_OUT_OF_RANGE` error has `requiredBytes`.
    #[napi(
        catch_unwind,
        ts_args_type = "agentId: string, agentType: AgentType, options: AgentContextOptions | null | undefined, buffer: Uint8Array, offset?: number",
        ts_return_type = "AssemblerIntoOutput"
    )]
    pub fn assemble_for_agent_into<'s>(
        &self,
        env: &'s Env,
        this: This<'s>,
        agent_id: Unknown<'s>,
        agent_type: Unknown<'s>,
        options: Option<Unknown<'s>>,
        buffer: Unknown<'s>,
        offset: Option<Unknown<'s>>,
    ) -> napi::Result<Unknown<'s>> {
        answer(env, &this, |call| {
            let asked = asked(call, [&agent_id, &agent_type], None, options.as_ref());
            self.manager.thing.assemble_for_agent(
                call,
                asked,
                Form::into(env, &buffer, offset.as_ref()),
            )
        })
    }

    /// `getContextForRoute` and `assemblePrompt` in one step: the prompt as a string.
    #[napi(
        catch_unwind,
        ts_args_type = "agentId: string, agentType: AgentType, route: RoutingItem, options?: RouteContextOptions",
        ts_return_type = "AssemblerOutput"
    )]
    pub fn assemble_for_route<'s>(
        &self,
        env: &'s Env,
        this: This<'s>,
        agent_id: Unknown<'s>,
        agent_type: Unknown<'s>,
        route: Unknown<'s>,
        options: Option<Unknown<'s>>,
    ) -> napi::Result<Unknown<'s>> {
        answer(env, &this, |call| {
            let asked = asked(call, [&agent_id, &agent_type], Some(&route), options.as_ref());
            self.manager.thing.assemble_for_route(call, asked, Form::Text)
        })
    }

    /// `getContextForRoute` and `assemblePrompt` in one step: the prompt as a string, and a report with `stablePrefixBytes`.
    #[napi(
        catch_unwind,
        ts_args_type = "agentId: string, agentType: AgentType, route: RoutingItem, options?: RouteContextOptions",
        ts_return_type = "AssemblerReportOutput"
    )]
    pub fn assemble_for_route_with_report<'s>(
        &self,
        env: &'s Env,
        this: This<'s>,
        agent_id: Unknown<'s>,
        agent_type: Unknown<'s>,
        route: Unknown<'s>,
        options: Option<Unknown<'s>>,
    ) -> napi::Result<Unknown<'s>> {
        answer(env, &this, |call| {
            let asked = asked(call, [&agent_id, &agent_type], Some(&route), options.as_ref());
            self.manager.thing.assemble_for_route(call, asked, Form::Report)
        })
    }

    /// `getContextForRoute` and `assemblePrompt` in one step: the prompt as UTF-8 bytes, ready for `child.stdin.write`.
    #[napi(
        catch_unwind,
        ts_args_type = "agentId: string, agentType: AgentType, route: RoutingItem, options?: RouteContextOptions",
        ts_return_type = "AssemblerBufferOutput"
    )]
    pub fn assemble_for_route_to_buffer<'s>(
        &self,
        env: &'s Env,
        this: This<'s>,
        agent_id: Unknown<'s>,
        agent_type: Unknown<'s>,
        route: Unknown<'s>,
        options: Option<Unknown<'s>>,
    ) -> napi::Result<Unknown<'s>> {
        answer(env, &this, |call| {
            let asked = asked(call, [&agent_id, &agent_type], Some(&route), options.as_ref());
            self.manager.thing.assemble_for_route(call, asked, Form::Buffer)
        })
    }

    /// `getContextForRoute` and `assemblePrompt` in one step: the prompt written into `buffer`, from `offset` on; if it does not fit, nothing is
    /// written and the `ERR_OUT_OF_RANGE` error has `requiredBytes`.
    #[napi(
        catch_unwind,
        ts_args_type = "agentId: string, agentType: AgentType, route: RoutingItem, options: RouteContextOptions | null | undefined, buffer: Uint8Array, offset?: number",
        ts_return_type = "AssemblerIntoOutput"
    )]
    pub fn assemble_for_route_into<'s>(
        &self,
        env: &'s Env,
        this: This<'s>,
        agent_id: Unknown<'s>,
        agent_type: Unknown<'s>,
        route: Unknown<'s>,
        options: Option<Unknown<'s>>,
        buffer: Unknown<'s>,
        offset: Option<Unknown<'s>>,
    ) -> napi::Result<Unknown<'s>> {
        answer(env, &this, |call| {
            let asked = asked(call, [&agent_id, &agent_type], Some(&route), options.as_ref());
            self.manager.thing.assemble_for_route(
                call,
                asked,
                Form::into(env, &buffer, offset.as_ref()),
            )
        })
    }

    /// Forgets messages, team task and numbering, and calls `onTeamTaskChanged(null)`.
    #[napi(catch_unwind, ts_return_type = "void")]
    pub fn clear<'s>(&self, env: &'s Env, this: This<'s>) -> napi::Result<Unknown<'s>> {
        answer(env, &this, |call| {
            self.manager.thing.clear(call)?;
            call.border.undefined()
        })
    }

    /// The conversation for safekeeping, ready for `JSON.stringify`.
    #[napi(catch_unwind, ts_return_type = "ContextSnapshot")]
    pub fn export_snapshot<'s>(&self, env: &'s Env, this: This<'s>) -> napi::Result<Unknown<'s>> {
        answer(env, &this, |call| self.manager.thing.export_snapshot(call))
    }

    /// Replaces the conversation by a snapshot, also one that went through JSON, and calls
    /// `onTeamTaskChanged`. A snapshot that is not valid changes nothing.
    #[napi(catch_unwind, ts_args_type = "snapshot: ContextSnapshot", ts_return_type = "void")]
    pub fn import_snapshot<'s>(
        &self,
        env: &'s Env,
        this: This<'s>,
        snapshot: Unknown<'s>,
    ) -> napi::Result<Unknown<'s>> {
        answer(env, &this, |call| {
            self.manager.thing.import_snapshot(call, call.border.received(&snapshot))?;
            call.border.undefined()
        })
    }
}
