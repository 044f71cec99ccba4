//! A conversation with its settings: `ContextManager` without the JavaScript.
//!
//! 1. Each prompt resolves its turn ([`TurnOptions`]) anew, because the conversation goes on.
//! 2. If a route names a message that is missing or hidden from the recipient, the turn answers the
//!    latest message that the recipient may see and [`Manager::missing_parent`] reports it, or the
//!    caller gets an error, depending on its choice.

mod tokens;
mod turns;

pub use self::turns::{PartedView, TurnView};
use super::agents::Agents;
use super::edit::{LateRouting, Updated};
use super::entries;
use super::fence_keys::FenceKeys;
use super::ids::{MAX_NUMBER, SnapshotIds};
use super::kept_lines::KeptLines;
use super::memory::{MemberRecord, Memory, SessionRecord};
use super::message::{Envelope, MessageText};
use super::options::{ManagerOptions, TurnOptions};
use super::reported::ReportedPrompts;
use super::route::{Repeated, RouteView};
use super::session::{Seen, Sessions};
use super::session_prompt::Fingerprints;
use super::sight::Sights;
use super::snapshot::{SnapshotHead, SnapshotMessage, TaskChange};
use super::store::Conversation;
use super::turn::Turn;
use crate::arrays::ArrayForm;
use crate::assemble::{Assembly, assemble};
use crate::budget::Policy;
use crate::budget::Request;
use crate::conversation::Lines;
use crate::error::Error;
use crate::model::{Assembler, Markers, Materials};
use crate::model::{SessionMode, SessionReport};
use crate::visibility::folded;
use std::borrow::Cow;
use std::collections::HashMap;

/// A conversation with its settings.
#[derive(Debug)]
pub struct Manager {
    /// The settings.
    pub options: ManagerOptions,
    /// The assembler of each agent type.
    pub agents: Agents,
    /// The messages and the team task.
    pub conversation: Conversation,
    /// The last reported prompt of each agent.
    pub reported: ReportedPrompts,
    /// What each agent has been shown.
    pub sessions: Sessions,
    /// How many session prompts were made.
    prompts: u64,
}

impl Manager {
    /// An empty conversation between these agents.
    pub fn new(options: ManagerOptions, agents: Agents) -> Self {
        Manager {
            conversation: Conversation::new(options.conversation),
            options,
            agents,
            reported: ReportedPrompts::default(),
            sessions: Sessions::default(),
            prompts: 0,
        }
    }

    /// Adds a message under an id that the caller chose.
    pub fn add_with_id(
        &mut self,
        id: &str,
        envelope: &Envelope,
        text: &MessageText,
    ) -> Result<(), Error> {
        if self.conversation.find(id).is_some() {
            let problem = format!("id {id:?} is already used by an earlier message");
            return Err(Error::invalid_message(problem));
        }
        SnapshotIds::default().check(id)?;
        self.conversation.restore(id, envelope, text);
        self.follow_changes();
        Ok(())
    }

    /// Applies a routing that arrived after its message. For sessions that already showed the
    /// message, this is no change.
    pub fn address(&mut self, index: usize, routing: &LateRouting) {
        self.conversation.address(index, routing);
        self.follow_changes();
    }

    /// Adds a message and returns the number in its id.
    pub fn add(&mut self, envelope: &Envelope, text: &MessageText) -> Result<u64, Error> {
        self.check_ids_left()?;
        let number = self.conversation.add(envelope, text);
        self.follow_changes();
        Ok(number)
    }

    /// Adds a message with the speaker and the addressees of an earlier one, and returns the number
    /// in its id.
    pub fn add_like(&mut self, earlier: usize, text: &MessageText) -> Result<u64, Error> {
        self.check_ids_left()?;
        let number = self.conversation.add_like(earlier, text);
        let number = number.ok_or_else(|| {
            Error::Internal(format!("there is no message {earlier} to take the names from"))
        })?;
        self.follow_changes();
        Ok(number)
    }

    fn check_ids_left(&self) -> Result<(), Error> {
        if self.conversation.has_ids_left() {
            return Ok(());
        }
        let problem = format!("cannot be added: the ids end at {MAX_NUMBER}");
        Err(Error::invalid_message(problem))
    }

    /// Tells sessions which messages changed because of others, and whose visibility has changed.
    fn follow_changes(&mut self) {
        if self.conversation.visibility.sights.are_stale() {
            self.follow_sights();
        }
        for index in self.conversation.take_changed() {
            self.sessions.message_changed(index);
        }
    }

    /// Tells sessions what their recipients may see only now, or no longer.
    pub(super) fn follow_sights(&mut self) {
        let recipients = self.sessions.recipients();
        for change in self.conversation.visibility.sight_changes(&recipients) {
            self.sessions.sight_changed(&change);
        }
    }

    /// Replaces the message with this id and returns its index.
    pub fn update(
        &mut self,
        id: &str,
        envelope: &Envelope,
        text: &MessageText,
    ) -> Result<usize, Error> {
        let Updated { index, is_shown_otherwise } = self.conversation.update(id, envelope, text)?;
        // Agents that saw the same line need not see it again.
        if is_shown_otherwise {
            self.sessions.message_changed(index);
        }
        self.follow_changes();
        Ok(index)
    }

    /// Removes the message with this id and returns its former index.
    pub fn remove(&mut self, id: &str) -> Result<usize, Error> {
        let index = self.conversation.remove(id)?;
        self.sessions.message_removed(index);
        self.follow_changes();
        Ok(index)
    }

    /// Removes a member. Anyone who later uses its id or one of its names is somebody else and does
    /// not inherit its private messages, summary, key or session.
    pub fn remove_member(&mut self, member: &str) {
        let names = self.conversation.visibility.names_like(member);
        self.conversation.clear_summary(Some(member));
        for name in &names {
            self.conversation.fence_keys.forget(name);
        }
        self.sessions.forget_all(|agent_id| names.contains(&folded(agent_id)));
        self.reported.forget_all(|agent_id| names.contains(&folded(agent_id)));
        let messages = self.conversation.len();
        self.conversation.visibility.depart(member, messages);
        self.follow_changes();
    }

    /// Sets the team task. Returns a warning if it had to be cut.
    pub fn set_team_task(&mut self, task: Option<&str>) -> Option<String> {
        self.conversation.set_team_task(task).map(task_warning)
    }

    /// An empty conversation with the settings of this manager, for [`Manager::replace`].
    pub fn empty_conversation(&self) -> Conversation {
        Conversation::new(self.options.conversation)
    }

    /// Replaces the conversation.
    pub fn replace(&mut self, conversation: Conversation) {
        self.conversation = conversation;
        self.reported = ReportedPrompts::default();
        self.sessions = Sessions::default();
    }

    /// Adds the messages of a snapshot that begins where this conversation ends.
    pub fn append(
        &mut self,
        head: &SnapshotHead,
        messages: &[SnapshotMessage],
    ) -> Result<TaskChange, Error> {
        let here = self.conversation.len();
        let added = messages.iter().enumerate();
        let added: HashMap<&str, usize> =
            added.map(|(place, message)| (message.id.as_str(), here + place)).collect();
        let find = |id: &str| self.conversation.find(id).or_else(|| added.get(id).copied());
        let memory = head.memory.check(find)?;
        let task = self.conversation.append(head, messages)?;
        self.sessions = self.conversation.take_memory(memory);
        // A snapshot's sessions already know what changed.
        drop(self.conversation.take_changed());
        self.conversation.visibility.sights = Sights::default();
        self.follow_sights();
        self.follow_changes();
        Ok(task)
    }

    /// Replaces the conversation with that of a whole snapshot, whose messages are already
    /// restored.
    pub fn restore(
        &mut self,
        head: &SnapshotHead,
        mut conversation: Conversation,
    ) -> Result<TaskChange, Error> {
        let memory = head.memory.check(|id| conversation.find(id))?;
        let task = conversation.restore_state(head)?;
        let sessions = conversation.take_memory(memory);
        drop(conversation.take_changed());
        self.replace(conversation);
        self.sessions = sessions;
        self.follow_sights();
        Ok(task)
    }

    /// Pins, summaries and sessions for a snapshot. `with_pins` lists the pinned messages, for a
    /// snapshot that does not contain all messages.
    pub fn memory(&self, with_pins: bool) -> Memory {
        Memory::of(&self.conversation, &self.sessions, with_pins)
    }

    /// What is remembered of one member, for a log of changes.
    pub fn member_record(&self, member: &str) -> MemberRecord {
        let seen = self.sessions.seen(member);
        MemberRecord {
            session: seen.map(|seen| SessionRecord::of(&self.conversation, member, seen)),
            fence_key: self.conversation.fence_keys.record(&folded(member)),
        }
    }

    /// Remembers this of one member instead.
    pub fn restore_member(&mut self, member: &str, record: MemberRecord) -> Result<(), Error> {
        let find = |id: &str| self.conversation.find(id);
        let session = record.session.as_ref().map(|session| session.read(find)).transpose()?;
        let fence_keys = FenceKeys::restore(record.fence_key.as_slice())?;
        self.sessions.forget(member);
        self.conversation.fence_keys.forget(&folded(member));
        self.conversation.fence_keys.add(fence_keys);
        if let Some(seen) = session {
            if let Some(recipient) = &seen.recipient {
                self.conversation.visibility.follow_sight(recipient);
            }
            self.sessions.restore(member.to_owned(), seen);
        }
        Ok(())
    }

    /// The assembler with a number that [`Agents::look_up`] returned.
    pub fn assembler(&self, number: usize) -> Result<&Assembler, Error> {
        let assembler = self.agents.assembler(number);
        assembler.ok_or_else(|| Error::Internal(format!("there is no assembler {number}")))
    }

    /// The assembler of a turn.
    fn turn_assembler(&self, options: &TurnOptions) -> Result<Cow<'_, Assembler>, Error> {
        let assembler = self.assembler(options.assembler)?;
        Ok(match options.api {
            None => Cow::Borrowed(assembler),
            Some(api) => Cow::Owned(assembler.for_array(ArrayForm {
                api,
                member: Some(options.agent_id.clone()),
                caching: options.caching,
                model: options.model.clone(),
                conversation: self.beginning(options),
            })),
        })
    }

    /// How the conversation begins for an agent, regardless of how much a turn shows. Distinguishes
    /// it from other conversations.
    fn beginning(&self, options: &TurnOptions) -> Option<String> {
        const MAX_BYTES: usize = 1024;
        let first = match &options.recipient {
            Some(recipient) => *self.conversation.visible_to(recipient).first()? as usize,
            None => 0,
        };
        let line = (first < self.conversation.len()).then(|| self.conversation.line(first))?;
        Some(line[..line.floor_char_boundary(MAX_BYTES)].to_owned())
    }

    /// Assembles a turn and passes the result to `write`. Reports and debug output name the agent.
    /// Also returns what the agent will have seen once this session prompt is confirmed, for
    /// [`Manager::prompted`].
    pub fn assemble_turn<R>(
        &self,
        options: &TurnOptions,
        report: bool,
        write: impl FnOnce(Assembly<'_>) -> R,
    ) -> Result<(R, Option<Seen>), Error> {
        let assembler = self.turn_assembler(options)?;
        let is_fenced = assembler.markers() == Markers::Fence;
        let assembler =
            assembler.with_key(if is_fenced { self.fence_key(options) } else { None })?;
        let assembler = &*assembler;
        let seen = self.seen(options);
        let scope = self.scope(options, seen.as_deref());
        let session = options.session.then(|| SessionReport {
            mode: if seen.is_some() { SessionMode::Delta } else { SessionMode::Whole },
            since: seen
                .as_ref()
                .and_then(|seen| seen.ledger.newest())
                .map(|newest| self.conversation.id(newest)),
        });
        let (turn, route) = self.resolve(options, &scope)?;
        let mut materials = Materials {
            system_instruction: options.instruction.as_slice().into(),
            instruction_file: options.file.as_str().into(),
            team_task: self.conversation.team_task().unwrap_or_default().into(),
            team_task_cut_bytes: self.conversation.task_cut_bytes,
            message: self.message(&turn, assembler).into(),
            message_stretches: self.message_stretches(&turn, assembler),
            sender: self.sender(options, assembler, &turn),
            summary: self.summary(options).map_or("", |summary| &summary.text).into(),
            max_bytes: self.options.max_bytes,
            tokens: self.token_budget(options, assembler, &turn, report)?,
            ..Materials::default()
        };
        if report {
            materials.unpaired = self.unpaired(&turn, route.as_ref());
        }
        if let Some(given) = &options.route {
            let intent = given.intent.as_deref().unwrap_or_default();
            match route {
                Some(RouteView { parent, siblings, .. }) => {
                    let quoted = siblings.into_iter();
                    materials.parent = parent.map(Repeated::into_quote);
                    materials.siblings =
                        quoted.map(|sibling| sibling.into_quote(&self.conversation)).collect();
                    materials.parent_message_id = given.parent_id.as_str().into();
                    materials.intent = intent.into();
                }
                None => materials.unused_routing_bytes = given.parent_id.len() + intent.len(),
            }
        }
        let texts = options.session.then(|| Fingerprints::of(&materials));
        if let (Some(texts), Some(session)) = (&texts, scope.session) {
            let placement = assembler.system_placement();
            texts.leave_out_seen(&mut materials, &self.conversation, &scope, session, placement);
        }
        materials.disarm(assembler);
        let style = assembler.message_line();
        let tools = &assembler.layout.tools;
        let kept = KeptLines::new(&self.conversation, &turn, scope, style, tools);
        let mut lines = Lines::kept(assembler, kept, report);
        self.use_known_counts(&materials, &mut lines, &turn, assembler);
        let request = Request {
            assembler,
            materials: &materials,
            policy: Policy::Assembler,
            eviction_step: match scope.session {
                // What a delta leaves out is never sent later, and no cache holds its beginning.
                Some(_) => 1,
                None => self.eviction_step(assembler, self.window_size(options)),
            },
            report,
            agent_id: Some(&options.agent_id),
            session: session.as_ref(),
        };
        let assembly = assemble(request, &mut lines)?;
        let seen = texts
            .map(|texts| texts.seen_after(assembly.shown(), &self.conversation, &scope, &turn));
        Ok((write(assembly), seen))
    }

    /// Remembers what an agent will have seen once the last prompt of its session is confirmed.
    pub fn prompted(&mut self, agent_id: &str, seen: Seen) {
        self.prompts += 1;
        if let Some(recipient) = &seen.recipient {
            self.conversation.visibility.follow_sight(recipient);
        }
        self.sessions.prompted(agent_id, self.prompts, seen);
    }

    /// The messages that a turn leaves out because of window, step or budget and that no summary
    /// covers, oldest first.
    pub fn overflow(&self, options: &TurnOptions) -> Result<Vec<usize>, Error> {
        let seen = self.seen(options);
        let scope = self.scope(options, seen.as_deref());
        let turn = match self.resolve(options, &scope) {
            // What was left out before still has to be summarised.
            Err(Error::NothingToSend(_)) => {
                let turn = Turn::default();
                return Ok(entries::overflow(&self.conversation, &turn, &scope, 0));
            }
            turn => turn?.0,
        };
        let (first, _) = self.assemble_turn(options, false, |assembly| assembly.shown().first)?;
        Ok(first.map_or_else(Vec::new, |first| {
            entries::overflow(&self.conversation, &turn, &scope, first)
        }))
    }

    /// Approximate memory use in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.conversation.memory_bytes()
            + self.reported.memory_bytes()
            + self.sessions.memory_bytes()
    }

    /// A standalone copy of the assembler with a number that [`Agents::look_up`] returned, using
    /// the eviction step of this conversation's turns.
    pub fn own_assembler(&self, number: usize) -> Result<Assembler, Error> {
        let mut assembler = self.assembler(number)?.clone();
        let step = self.eviction_step(&assembler, self.options.window_size);
        assembler.options.eviction_step = Some(step);
        Ok(assembler)
    }
}

/// The warning about a team task that was cut from one size to another.
pub fn task_warning((before, after): (usize, usize)) -> String {
    format!(
        "[ContextManager] TeamTask exceeded 5KB limit ({before} bytes), truncated to {after} bytes"
    )
}

#[cfg(test)]
mod tests;
