//! What an agent sees, assembled in one step.

use super::options::{
    AgentOptions, RouteOptions, agent_options, open_options, read_options, route_options,
};
use super::{Asked, Call, Manager};
use crate::binding::assemblers::assemble_input;
use crate::binding::border::{Kind, Value};
use crate::binding::failure::Failure;
use crate::binding::output::{self, Form, Wanted};
use crate::binding::reader::wrong;
use crate::budget::{ASSEMBLER_POLICY, Request};
use crate::context::route::Shown;
use crate::context::{Conversation, RoutedTurn, StoredContext, Turn};
use crate::model::{Assembler, Materials, Quote};
use crate::text::trim_js;

impl Manager {
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
        wanted: Wanted<'s>,
    ) -> Result<Value<'s>, Failure> {
        asked.check(call.border)?;
        let reader = read_options(call.border, options, fields)?;
        let options = agent_options(&reader, &self.options)?;
        self.assemble_latest(call, asked, &options, wanted)
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
                trim_js(&agent_type).to_lowercase()
            ))?;
        }
        Ok(assembler)
    }
}

fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}
