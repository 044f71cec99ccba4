//! What an agent sees, as input for an assembler.

use super::options::{AgentOptions, RouteOptions, agent_options, open_options, route_options};
use super::{Asked, Call, Manager};
use crate::binding::border::{Border, Value};
use crate::binding::failure::Failure;
use crate::context::route::Shown;
use crate::context::{Conversation, RoutedTurn, Turn};

impl Manager {
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
}

fn shown<'s>(border: Border<'s>, message: &Shown) -> Result<Value<'s>, Failure> {
    border.object([
        ("from", border.utf8(&message.from)?),
        ("to", border.utf8(message.to)?),
        ("content", border.utf8(&message.content)?),
    ])
}
