//! What an agent sees in a turn, and its prompt.

use super::NativeManager;
use crate::binding::assemblers::NativeAssembler;
use crate::binding::failure::json_of;
use crate::binding::fields::TurnFields;
use crate::binding::memory::JsBytes;
use crate::binding::output::{Form, write};
use crate::layout::Part;
use crate::manager::{Manager, PartedView, RouteView, Shown, TurnOptions};
use crate::tokens::CountedText;
use napi::bindgen_prelude::Object;
use napi::{Env, Unknown};
use napi_derive::napi;
use serde::Serialize;
use std::cell::RefCell;
use std::rc::Rc;

/// A turn that JavaScript keeps as long as it is asked for with the same options.
#[napi]
pub struct NativeTurn {
    manager: Rc<RefCell<Manager>>,
    options: TurnOptions,
}

/// A message as an agent sees it.
#[derive(Serialize)]
struct ShownMessage<'m> {
    from: &'m str,
    to: &'m str,
    content: &'m str,
}

/// An `AssemblerInput`, without what the caller has passed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct View<'m> {
    context_messages: Vec<ShownMessage<'m>>,
    /// Their indices in the conversation.
    indices: &'m [usize],
    parted: &'m [PartedView<'m>],
    current_message: &'m str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_from: Option<&'m str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_to: Option<&'m str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    show_sender: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fence_key: Option<&'m str>,
    team_task: Option<&'m str>,
    max_bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'m str>,
    #[serde(skip_serializing_if = "<[usize]>::is_empty")]
    pinned: &'m [usize],
    #[serde(skip_serializing_if = "<[usize]>::is_empty")]
    gaps_before: &'m [usize],
    /// Only for a route whose parent is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    route: Option<ViewedRoute<'m>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ViewedRoute<'m> {
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<ShownMessage<'m>>,
    siblings: Vec<ShownMessage<'m>>,
    siblings_in_all: usize,
}

fn shown<'m>(message: &'m Shown<'m>) -> ShownMessage<'m> {
    ShownMessage { from: &message.from, to: message.to, content: &message.content }
}

#[napi]
impl NativeManager {
    /// A turn with these options.
    #[napi(catch_unwind)]
    pub fn turn(&self, fields: TurnFields) -> NativeTurn {
        let assembler = self.manager.borrow().agents.look_up(&fields.agent_type).assembler;
        NativeTurn { manager: Rc::clone(&self.manager), options: fields.options(assembler) }
    }

    /// An assembler like the one for an agent type.
    #[napi(catch_unwind)]
    pub fn assembler_for(&self, agent_type: String) -> napi::Result<NativeAssembler> {
        let manager = self.manager.borrow();
        let assembler = manager.own_assembler(manager.agents.look_up(&agent_type).assembler)?;
        Ok(NativeAssembler { assembler: Rc::new(assembler) })
    }
}

impl NativeTurn {
    /// Calls `work`, and keeps the key of the prompt if that succeeds.
    fn keeping_key<R>(
        &mut self,
        work: impl FnOnce(&Manager, &TurnOptions) -> napi::Result<R>,
    ) -> napi::Result<R> {
        let done = work(&self.manager.borrow(), &self.options);
        if let Some(key) = self.options.new_fence_key.take()
            && done.is_ok()
        {
            self.manager.borrow_mut().keep_fence_key(&self.options, key);
        }
        done
    }
}

#[napi]
impl NativeTurn {
    /// Makes the prompt: a string, a Buffer, or the number of bytes that were written. Sets the
    /// properties of `result` that [`write`] lists.
    #[napi(catch_unwind, ts_return_type = "any")]
    #[allow(clippy::too_many_arguments, reason = "the form is passed by position")]
    pub fn assemble<'e>(
        &mut self,
        env: &'e Env,
        buffer: bool,
        #[napi(ts_arg_type = "Uint8Array | undefined")] into: Option<JsBytes>,
        offset: f64,
        report: bool,
        debug: bool,
        result: Object,
    ) -> napi::Result<Unknown<'e>> {
        let form = Form::new(buffer, into, offset, report, debug);
        let mut reported = None;
        let (written, seen) = self.keeping_key(|manager, options| {
            let (written, seen) = manager.assemble_turn(options, report, |assembly| {
                write(env, &assembly, form, result, |prompt| {
                    reported = Some(prompt.to_vec());
                    manager.reported.stable_prefix(&options.agent_id, prompt)
                })
            })?;
            Ok((written?, seen))
        })?;
        let agent_id = &self.options.agent_id;
        if let Some(seen) = seen {
            self.manager.borrow_mut().prompted(agent_id, seen);
        }
        if let Some(prompt) = reported {
            self.manager.borrow_mut().reported.keep(agent_id.clone(), prompt);
        }
        Ok(written)
    }

    /// Keeps what caller-supplied functions have counted of the texts: for each function, the bytes
    /// and tokens of the system text, the team task and the summary.
    #[napi(catch_unwind)]
    pub fn keep_tokens(&mut self, counted: Vec<f64>) {
        const PARTS: [Part; 3] = [Part::System, Part::TeamTask, Part::Summary];
        let by_function = counted.chunks(2 * PARTS.len()).map(|numbers| {
            let texts = numbers
                .chunks_exact(2)
                .map(|pair| CountedText { bytes: pair[0] as usize, tokens: pair[1] as usize });
            PARTS.into_iter().zip(texts).collect()
        });
        self.options.counted = by_function.collect();
    }

    /// Whether the prompt is fenced and its member has no key yet.
    #[napi(catch_unwind)]
    pub fn lacks_fence_key(&self) -> napi::Result<bool> {
        Ok(self.manager.borrow().lacks_fence_key(&self.options)?)
    }

    /// Gives the member its key if the next call succeeds.
    #[napi(catch_unwind)]
    pub fn offer_fence_key(&mut self, key: String) {
        self.options.new_fence_key = Some(key);
    }

    /// A warning if the parent of the route is not there.
    #[napi(catch_unwind)]
    pub fn missing_parent(&self) -> napi::Result<Option<String>> {
        Ok(self.manager.borrow().missing_parent(&self.options)?)
    }

    /// What the agent sees, as JSON.
    #[napi(catch_unwind)]
    pub fn view(&mut self) -> napi::Result<String> {
        self.keeping_key(|manager, options| {
            let view = manager.view(options)?;
            let route = view.route.as_ref();
            Ok(json_of(&View {
                context_messages: view.context.iter().map(shown).collect(),
                indices: &view.indices,
                parted: &view.parted,
                current_message: &view.message,
                message_from: view.sender.as_ref().map(|sender| &*sender.from),
                message_to: view.sender.as_ref().map(|sender| &*sender.to),
                show_sender: options.show_sender,
                fence_key: view.fence_key,
                team_task: view.team_task,
                max_bytes: manager.options.max_bytes,
                max_tokens: manager.max_tokens(options),
                summary: view.summary,
                pinned: &view.pinned,
                gaps_before: &view.gaps_before,
                route: route.map(|RouteView { parent, siblings, siblings_in_all }| ViewedRoute {
                    parent: parent.as_ref().map(|parent| shown(&parent.shown)),
                    siblings: siblings.iter().map(|sibling| shown(&sibling.shown)).collect(),
                    siblings_in_all: *siblings_in_all,
                }),
            })?)
        })
    }

    /// The indices of the messages that the turn leaves out by window, step or budget, as JSON.
    #[napi(catch_unwind)]
    pub fn overflow(&mut self) -> napi::Result<String> {
        let overflow = self.manager.borrow().overflow(&self.options);
        self.options.new_fence_key = None;
        Ok(json_of(&overflow?)?)
    }
}
