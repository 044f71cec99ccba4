//! What each agent has been shown in the session that its CLI keeps.
//!
//! 1. A session prompt is pending until it is confirmed; only then does its content count as seen.
//!    A prompt that is never confirmed changes nothing. One that did not reach its caller is
//!    withdrawn, and the prompt before it can still be confirmed.
//! 2. A session reads like a conversation: in order, each message once. So it holds all messages
//!    before an end, except those left out for good ([`Seen::missed`]). This does not grow from
//!    turn to turn.
//! 3. Three kinds of messages are sent even after newer ones: missed messages that are pinned,
//!    changed messages, and revealed ones, which were hidden from the recipient before.
//! 4. System text, team task and summary are kept as fingerprints: each is sent again when it
//!    changes.

use super::index_set::IndexSet;
use crate::text::fnv1a_128;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

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

/// How many runs of missed messages are kept apart at most.
pub const MAX_MISSED_RUNS: usize = 64;

/// What an agent has been shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// All messages before this one were shown or never will be, except pinned, changed or revealed
    /// ones.
    pub end: usize,
    /// The end of the session's first prompt. What the agent wrote before belongs to another
    /// session.
    pub begun: usize,
    /// Runs of messages that were left out. They may include messages that the agent wrote or may
    /// not see; those are recognised without this set.
    pub missed: IndexSet,
    /// Messages of these runs that were shown later because they were pinned.
    pub shown_later: IndexSet,
    /// Messages changed since they were shown.
    pub changed: IndexSet,
    /// Messages that the recipient may see only now.
    pub revealed: IndexSet,
    /// Messages that were shown and that the recipient may no longer see. If it may see them again,
    /// they are not sent again.
    pub hidden: IndexSet,
    /// The recipient of the last prompt, folded; `None` if nothing was hidden from it.
    pub recipient: Option<String>,
    /// Messages before this one were shown when prompts had no recipient.
    pub unfiltered: usize,
    /// The system text last shown in a prompt.
    pub system: Option<Fingerprint>,
    /// The team task last shown.
    pub team_task: Option<Fingerprint>,
    /// The summary last shown.
    pub summary: Option<Fingerprint>,
}

impl Seen {
    /// The newest message of the last confirmed prompt.
    pub fn newest(&self) -> Option<usize> {
        self.end.checked_sub(1)
    }

    /// Whether a message was left out, and has not been shown since.
    pub fn has_missed(&self, index: usize) -> bool {
        self.missed.contains(index) && !self.shown_later.contains(index)
    }

    /// Records that a run of messages was left out.
    pub fn miss(&mut self, run: Range<usize>) {
        self.missed.insert(run);
    }

    /// Records that an old message was shown.
    pub fn show_later(&mut self, index: usize) {
        if self.missed.contains(index) {
            self.shown_later.insert(index..index + 1);
        }
    }

    /// Keeps the number of runs small by merging the oldest ones. What was shown between them then
    /// counts as missed, except pins, so that these are not sent again.
    pub fn join_oldest_runs(&mut self, pins: &[u32]) {
        while let [first, second, ..] = self.missed.ranges()
            && self.missed.ranges().len() > MAX_MISSED_RUNS
        {
            let between = first.end..second.start;
            let pinned = pins.partition_point(|pin| (*pin as usize) < between.start);
            let pinned = pins[pinned..].iter().map(|pin| *pin as usize);
            for pin in pinned.take_while(|pin| *pin < between.end) {
                self.shown_later.insert(pin..pin + 1);
            }
            self.missed.insert(between);
        }
    }

    /// Records that a message reads differently now. A missed message stays missed.
    fn change(&mut self, index: usize) {
        if index < self.end && !self.has_missed(index) {
            self.changed.insert(index..index + 1);
            // Once it can be seen again, it is another text.
            self.hidden.remove(index);
        }
    }

    /// Records that the recipient may see a message only now. A missed message stays missed.
    fn reveal(&mut self, index: usize) {
        if self.hidden.contains(index) {
            self.hidden.remove(index);
        } else if self.is_filtered(index) {
            self.revealed.insert(index..index + 1);
        }
    }

    /// Records that the recipient may no longer see a message.
    fn hide(&mut self, index: usize) {
        if self.revealed.contains(index) {
            self.revealed.remove(index);
        } else if self.is_filtered(index) && !self.changed.contains(index) {
            self.hidden.insert(index..index + 1);
        }
    }

    /// Whether the session has passed a message, and has been shown it if the recipient could see
    /// it.
    fn is_filtered(&self, index: usize) -> bool {
        (self.unfiltered..self.end).contains(&index) && !self.has_missed(index)
    }

    fn close_up(&mut self, index: usize) {
        let Seen { missed, shown_later, changed, revealed, hidden, .. } = self;
        for set in [missed, shown_later, changed, revealed, hidden] {
            set.close_up(index);
        }
        for end in [&mut self.end, &mut self.begun, &mut self.unfiltered] {
            *end -= usize::from(index < *end);
        }
    }

    fn memory_bytes(&self) -> usize {
        let Seen { missed, shown_later, changed, revealed, hidden, .. } = self;
        let sets = [missed, shown_later, changed, revealed, hidden];
        let recipient = self.recipient.as_ref().map_or(0, String::capacity);
        recipient + sets.into_iter().map(IndexSet::memory_bytes).sum::<usize>()
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
        self.for_each(|seen| seen.change(index));
    }

    /// The recipients of all sessions, folded.
    pub fn recipients(&self) -> BTreeSet<&str> {
        let all = self.agents.values().flat_map(Session::all);
        all.filter_map(|seen| seen.recipient.as_deref()).collect()
    }

    /// Records that a recipient (folded) may see some messages only now, and others no longer.
    pub fn sight_changed(&mut self, recipient: &str, revealed: &[usize], hidden: &[usize]) {
        let all = self.agents.values_mut().flat_map(Session::all_mut);
        for seen in all.filter(|seen| seen.recipient.as_deref() == Some(recipient)) {
            revealed.iter().for_each(|index| seen.reveal(*index));
            hidden.iter().for_each(|index| seen.hide(*index));
        }
    }

    /// Follows the removal of a message.
    pub fn message_removed(&mut self, index: usize) {
        self.for_each(|seen| seen.close_up(index));
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
