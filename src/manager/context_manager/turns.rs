//! Turns in the current conversation: what an agent sees, and what happens to a route whose parent
//! is missing.

use super::Manager;
use crate::error::Error;
use crate::layout::Part;
use crate::manager::options::{MissingParent, TurnOptions};
use crate::manager::route::{RouteView, Shown, routed};
use crate::manager::scope::{Scope, SessionScope};
use crate::manager::session::Seen;
use crate::manager::stored_messages::StoredFields;
use crate::manager::summary::Summary;
use crate::manager::turn::Turn;
use crate::model::{Assembler, Markers, Sender};
use crate::parts::unpaired;
use crate::structure::Finding;
use crate::text::Stretch;
use crate::visibility::folded;
use serde::Serialize;
use std::borrow::Cow;

/// What an agent sees in a turn, before it is laid out.
#[derive(Debug)]
pub struct TurnView<'c> {
    /// The messages before the current one, oldest first.
    pub context: Vec<Shown<'c>>,
    /// Their indices in the conversation.
    pub indices: Vec<usize>,
    /// Those of them that have parts.
    pub parted: Vec<PartedView<'c>>,
    /// Which of them are pinned.
    pub pinned: Vec<usize>,
    /// Before which of them messages are missing, if some are pinned.
    pub gaps_before: Vec<usize>,
    /// The message to act on.
    pub message: Cow<'c, str>,
    /// Who wrote it, if the prompt says so.
    pub sender: Option<Sender<'c>>,
    /// The key of the prompt, if it is fenced.
    pub fence_key: Option<&'c str>,
    /// The summary of older messages.
    pub summary: Option<&'c str>,
    /// The team task.
    pub team_task: Option<&'c str>,
    /// Set only for a route whose parent exists.
    pub route: Option<RouteView<'c>>,
}

/// A message with parts in a view.
#[derive(Debug, Clone, Serialize)]
pub struct PartedView<'c> {
    /// Its position among the messages of the view.
    pub position: usize,
    /// Its index in the conversation.
    pub index: usize,
    /// Its texts, without markers.
    pub texts: Vec<&'c str>,
}

impl Manager {
    /// The warning if the parent of a turn's route is missing or hidden from the recipient; an
    /// error if the caller chose that. Both cases look the same to a caller, so that nobody learns
    /// which it is.
    pub fn missing_parent(&self, options: &TurnOptions) -> Result<Option<String>, Error> {
        let Some(route) = &options.route else { return Ok(None) };
        let id = &route.parent_id;
        if self.conversation.find_visible(id, options.recipient.as_deref()).is_some() {
            return Ok(None);
        }
        self.check_missing_parent(id)?;
        let text =
            format!("[ContextManager] Parent message {id} not found, falling back to latest");
        Ok(Some(text))
    }

    pub(super) fn check_missing_parent(&self, id: &str) -> Result<(), Error> {
        match self.options.missing_parent {
            MissingParent::Latest => Ok(()),
            MissingParent::Throw => Err(Error::unknown_message(id)),
        }
    }

    /// What an agent sees in a turn.
    pub fn view<'c>(&'c self, options: &'c TurnOptions) -> Result<TurnView<'c>, Error> {
        let scope = Scope { in_session: false, ..self.scope(options, None) };
        let (turn, route) = self.resolve(options, &scope)?;
        // An assembler does not know what is outside the window, so the eviction step is applied
        // here: a prompt assembled from this view must equal that of the turn.
        let assembler = self.assembler(options.assembler)?;
        let step = self.eviction_step(assembler, self.window_size(options));
        let outside = turn.window.outside();
        let due = outside.next_multiple_of(step) - outside;
        let turn = if due > 0 { turn.without_oldest(&self.conversation, due) } else { turn };
        let is_fenced = assembler.markers() == Markers::Fence;
        Ok(TurnView {
            summary: self.summary(options).map(|summary| &*summary.text),
            context: (0..turn.lines())
                .map(|position| self.conversation.shown(turn.message_at(position)))
                .collect(),
            indices: (0..turn.lines()).map(|position| turn.message_at(position)).collect(),
            parted: (0..turn.lines())
                .filter_map(|position| self.parted_view(position, turn.message_at(position)))
                .collect(),
            pinned: turn.pinned.pins.positions().to_vec(),
            gaps_before: turn.pinned.pins.detached().to_vec(),
            message: self.message(&turn, assembler),
            sender: self.sender(options, assembler, &turn),
            fence_key: is_fenced.then(|| self.fence_key(options)).flatten(),
            team_task: self.conversation.team_task(),
            route,
        })
    }

    fn parted_view(&self, position: usize, index: usize) -> Option<PartedView<'_>> {
        let texts = self.conversation.parted.get(index)?.texts().collect();
        Some(PartedView { position, index, texts })
    }

    pub(super) fn message(&self, turn: &Turn, assembler: &Assembler) -> Cow<'_, str> {
        let content = |index| self.conversation.content_with(index, &assembler.layout.tools);
        turn.message.map_or("".into(), content)
    }

    /// The tool calls and results in the message of a turn.
    pub(super) fn message_stretches(&self, turn: &Turn, assembler: &Assembler) -> Vec<Stretch> {
        let tools = &assembler.layout.tools;
        turn.message.map_or_else(Vec::new, |index| self.conversation.stretches(index, tools))
    }

    /// Tool calls without results, and results without calls, in the message of a turn and in what
    /// its route quotes.
    pub(super) fn unpaired(&self, turn: &Turn, route: Option<&RouteView>) -> Vec<Finding> {
        let findings = |(part, position, index): (Part, usize, usize)| {
            let shown = self.conversation.shown_parts(index).unwrap_or_default();
            unpaired(shown).into_iter().map(move |one| Finding::of_part(part, position, one))
        };
        let message = turn.message.map(|index| (Part::Message, 0, index));
        let repeated = route.and_then(|route| route.parent.as_ref());
        let parent = repeated.and(turn.message).map(|index| (Part::Parent, 0, index));
        let siblings = route.into_iter().flat_map(|route| &route.siblings).enumerate();
        let siblings =
            siblings.map(|(position, sibling)| (Part::Siblings, position, sibling.index));
        message.into_iter().chain(parent).chain(siblings).flat_map(findings).collect()
    }

    /// Who wrote the message of a turn, if its prompt says so.
    pub(super) fn sender(
        &self,
        options: &TurnOptions,
        assembler: &Assembler,
        turn: &Turn,
    ) -> Option<Sender<'_>> {
        let message = turn.message.filter(|_| assembler.shows_sender(options.show_sender))?;
        let StoredFields { from, to, .. } = self.conversation.message(message);
        Some(Sender { from: from.into(), to: to.into() })
    }

    pub(super) fn window_size(&self, options: &TurnOptions) -> usize {
        options.window_size.unwrap_or(self.options.window_size)
    }

    /// The eviction step, capped: one larger than the window would at times drop all of it.
    pub(super) fn eviction_step(&self, assembler: &Assembler, window_size: usize) -> usize {
        let step = assembler.options.eviction_step.unwrap_or(self.options.eviction_step);
        step.min(window_size).max(1)
    }

    /// The summary that the member of a turn sees.
    pub(super) fn summary(&self, options: &TurnOptions) -> Option<&Summary> {
        let member = options.recipient.as_deref().unwrap_or(&options.agent_id);
        self.conversation.summary_for(Some(member))
    }

    /// What the agent of a turn has been shown, if the turn belongs to its session.
    pub(super) fn seen(&self, options: &TurnOptions) -> Option<Cow<'_, Seen>> {
        let seen = options.session.then(|| self.sessions.seen(&options.agent_id))??;
        let recipient = options.recipient.as_deref().map(folded);
        if seen.recipient == recipient {
            return Some(Cow::Borrowed(seen));
        }
        let visible_to = |recipient: &str| self.conversation.visible_to(recipient);
        Some(Cow::Owned(seen.for_recipient(recipient, visible_to)))
    }

    /// What the agent of a turn may be shown. `seen` is what it has been shown.
    pub(super) fn scope<'o>(&self, options: &'o TurnOptions, seen: Option<&'o Seen>) -> Scope<'o> {
        let own = || self.conversation.member_with_id(&options.agent_id);
        Scope {
            recipient: options.recipient.as_deref(),
            covered: self.summary(options).map_or(0, |summary| summary.covered),
            in_session: options.session,
            session: seen.map(|seen| SessionScope { own: own(), seen }),
        }
    }

    pub(super) fn resolve(
        &self,
        options: &TurnOptions,
        scope: &Scope,
    ) -> Result<(Turn, Option<RouteView<'_>>), Error> {
        let window_size = self.window_size(options);
        if let Some(route) = &options.route {
            let tools = &self.assembler(options.assembler)?.layout.tools;
            match routed(&self.conversation, tools, route, window_size, scope, &self.options) {
                Some((turn, view)) => return Ok((turn, Some(view))),
                None => self.check_missing_parent(&route.parent_id)?,
            }
        }
        let turn = match scope.session {
            None => match self.newest_of_others(options, scope) {
                Some(message) => Turn::answer(&self.conversation, message, window_size, scope),
                None => Turn::latest(&self.conversation, window_size, scope),
            },
            Some(session) => Turn::delta(&self.conversation, scope, session, None)
                .ok_or_else(|| Error::NothingToSend(options.agent_id.clone()))?,
        };
        Ok((turn, None))
    }

    /// The newest message that the agent of a session did not write, if newer ones are its own: it
    /// must not act on its own words.
    fn newest_of_others(&self, options: &TurnOptions, scope: &Scope) -> Option<usize> {
        if !scope.in_session {
            return None;
        }
        let all = 0..self.conversation.len();
        let candidates = scope.candidates_in(&self.conversation, all).rev();
        let mut visible = candidates.filter(|index| !self.conversation.is_absent(*index));
        // Before that, somebody else had the same id.
        let since = self.conversation.visibility.since(&options.agent_id);
        let is_own =
            |index: &usize| *index >= since && self.conversation.is_by(*index, &options.agent_id);
        visible.next().filter(is_own)?;
        visible.find(|index| !is_own(index))
    }
}
