//! What each agent has been shown in the session that its CLI keeps.
//!
//! 1. A session prompt is pending until it is confirmed; only then does its content count as seen.
//!    A prompt that is never confirmed changes nothing. One that did not reach its caller is
//!    withdrawn, and the prompt before it can still be confirmed.
//! 2. The [`Ledger`] says which messages the session has. A prompt shows what it lacks of what the
//!    recipient may see now. Three kinds of messages are sent even after newer ones: missed messages
//!    that are pinned, changed messages, and revealed ones, which were hidden from the recipient
//!    before.
//! 3. What the session has depends on what its recipient could see when prompts were made. So a
//!    prompt for another recipient first compares what the two may see.
//! 4. System text, team task and summary are kept as fingerprints: each is sent again when it
//!    changes.

use super::ledger::{Event, Ledger};
use super::sight::SightChange;
use crate::text::fnv1a_128;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// A hash that distinguishes texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(u128);

/// The prefix of the stored form: the name of the hash function.
const FINGERPRINT_PREFIX: &str = "fnv1a128:";

impl Fingerprint {
    /// The fingerprint of a text.
    pub fn of(text: &str) -> Self {
        Fingerprint(fnv1a_128(text.as_bytes()))
    }

    /// Parses the output of [`Fingerprint::stored`]; `None` for any other form, such as an older
    /// version's, which then never counts as the same text.
    pub fn parse(stored: &str) -> Option<Self> {
        let digits = stored.strip_prefix(FINGERPRINT_PREFIX)?;
        u128::from_str_radix(digits, 16).ok().map(Fingerprint)
    }

    /// The form used in snapshots.
    pub fn stored(self) -> String {
        format!("{FINGERPRINT_PREFIX}{:032x}", self.0)
    }
}

/// What an agent has been shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// The messages.
    pub ledger: Ledger,
    /// The recipient of the last prompt, folded; `None` if nothing was hidden from it.
    pub recipient: Option<String>,
    /// The system text last shown in a prompt.
    pub system: Option<Fingerprint>,
    /// The team task last shown.
    pub team_task: Option<Fingerprint>,
    /// The summary last shown.
    pub summary: Option<Fingerprint>,
}

impl Seen {
    /// Everything up to an end.
    pub fn up_to(end: usize) -> Self {
        Seen { ledger: Ledger::new(end, 0), ..Seen::default() }
    }

    /// The same for prompts with another recipient (folded). `visible_to` lists what a recipient
    /// may see.
    pub fn for_recipient(
        &self,
        recipient: Option<String>,
        visible_to: impl Fn(&str) -> Rc<Vec<u32>>,
    ) -> Self {
        let mut seen = Seen { recipient, ..self.clone() };
        let lists = [&self.recipient, &seen.recipient];
        let [before, now] = lists.map(|one| one.as_deref().map(&visible_to));
        let end = self.ledger.end;
        let Some(before) = before else {
            seen.ledger.record([(0..end, Event::Inherited)]);
            return seen;
        };
        let is_in = |list: &[u32], index: usize| list.binary_search(&(index as u32)).is_ok();
        let event = |index: usize| {
            let sees = now.as_ref().is_none_or(|now| is_in(now, index));
            Some(Event::of_sight(is_in(&before, index), sees)?.to(index))
        };
        seen.ledger.record((0..end).filter_map(event));
        seen
    }

    fn memory_bytes(&self) -> usize {
        self.recipient.as_ref().map_or(0, String::capacity) + self.ledger.memory_bytes()
    }
}

/// A prompt that is not confirmed yet.
#[derive(Debug)]
struct Prompt {
    number: u64,
    /// What the agent will have seen once it is confirmed.
    seen: Seen,
}

/// The session of one agent.
#[derive(Debug, Default)]
struct Session {
    /// `None` until the first prompt is confirmed.
    seen: Option<Seen>,
    /// The last prompt, until it is confirmed.
    pending: Option<Prompt>,
    /// The prompt that it replaced, in case it is withdrawn.
    replaced: Option<Prompt>,
}

impl Session {
    fn all_mut(&mut self) -> impl Iterator<Item = &mut Seen> {
        let prompts = self.pending.iter_mut().chain(&mut self.replaced);
        self.seen.iter_mut().chain(prompts.map(|prompt| &mut prompt.seen))
    }

    fn all(&self) -> impl Iterator<Item = &Seen> {
        let prompts = self.pending.iter().chain(&self.replaced);
        self.seen.iter().chain(prompts.map(|prompt| &prompt.seen))
    }
}

/// The sessions of all agents, by id.
#[derive(Debug, Default)]
pub struct Sessions {
    agents: HashMap<String, Session>,
}

impl Sessions {
    /// What an agent has been shown; `None` if nothing is confirmed.
    pub fn seen(&self, agent_id: &str) -> Option<&Seen> {
        self.agents.get(agent_id)?.seen.as_ref()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.agents.is_empty()
    }

    /// All agents with what they have been shown, ordered by id.
    pub fn all(&self) -> Vec<(&str, &Seen)> {
        let sessions = self.agents.iter();
        let confirmed = sessions.filter_map(|(id, one)| Some((id.as_str(), one.seen.as_ref()?)));
        let mut all: Vec<_> = confirmed.collect();
        all.sort_by_key(|(id, _)| *id);
        all
    }

    /// Remembers what an agent will have seen once a prompt is confirmed, replacing the last
    /// prompt. No two prompts have the same number.
    pub fn prompted(&mut self, agent_id: &str, number: u64, seen: Seen) {
        let pending = Some(Prompt { number, seen });
        match self.agents.get_mut(agent_id) {
            Some(session) => session.replaced = std::mem::replace(&mut session.pending, pending),
            None => {
                let session = Session { pending, ..Session::default() };
                self.agents.insert(agent_id.to_owned(), session);
            }
        }
    }

    /// The number of the prompt that can be confirmed.
    pub fn pending(&self, agent_id: &str) -> Option<u64> {
        Some(self.agents.get(agent_id)?.pending.as_ref()?.number)
    }

    /// Withdraws a prompt that did not reach its caller, so that it cannot be confirmed.
    pub fn withdraw(&mut self, agent_id: &str, number: u64) {
        let Some(session) = self.agents.get_mut(agent_id) else { return };
        let is_it = |prompt: &mut Prompt| prompt.number == number;
        if session.pending.take_if(is_it).is_some() {
            session.pending = session.replaced.take();
        } else {
            session.replaced.take_if(is_it);
        }
    }

    /// Counts the content of the last prompt as seen. Returns false if there is no such prompt.
    pub fn confirm(&mut self, agent_id: &str) -> bool {
        let Some(session) = self.agents.get_mut(agent_id) else { return false };
        let Some(Prompt { seen, .. }) = session.pending.take() else { return false };
        session.replaced = None;
        session.seen = Some(seen);
        true
    }

    /// Forgets a session. Returns false if there was none.
    pub fn forget(&mut self, agent_id: &str) -> bool {
        self.agents.remove(agent_id).is_some()
    }

    /// Forgets the sessions of some agents.
    pub fn forget_all(&mut self, is_meant: impl Fn(&str) -> bool) {
        self.agents.retain(|agent_id, _| !is_meant(agent_id));
    }

    /// Restores a session from a snapshot.
    pub fn restore(&mut self, agent_id: String, seen: Seen) {
        self.agents.insert(agent_id, Session { seen: Some(seen), ..Session::default() });
    }

    /// Records that a message reads differently now: agents who saw it must be shown it again.
    pub fn message_changed(&mut self, index: usize) {
        self.for_each(|seen| seen.ledger.record([Event::Edited.to(index)]));
    }

    /// The recipients of all sessions, folded.
    pub fn recipients(&self) -> BTreeSet<&str> {
        let all = self.agents.values().flat_map(Session::all);
        all.filter_map(|seen| seen.recipient.as_deref()).collect()
    }

    /// Records that a recipient may see some messages only now, and others no longer.
    pub fn sight_changed(&mut self, SightChange { recipient, messages }: &SightChange) {
        self.for_each(|seen| {
            if seen.recipient.as_ref() == Some(recipient) {
                seen.ledger.record(messages.iter().cloned());
            }
        });
    }

    /// Follows the removal of a message.
    pub fn message_removed(&mut self, index: usize) {
        self.for_each(|seen| seen.ledger.close_up(index));
    }

    fn for_each(&mut self, change: impl Fn(&mut Seen)) {
        for session in self.agents.values_mut() {
            session.all_mut().for_each(&change);
        }
    }

    /// Approximate memory use in bytes.
    pub fn memory_bytes(&self) -> usize {
        let shown = self.agents.values().flat_map(Session::all);
        let ranges: usize = shown.map(Seen::memory_bytes).sum();
        ranges + self.agents.len() * (size_of::<Session>() + size_of::<String>())
    }
}

#[cfg(test)]
mod tests;
