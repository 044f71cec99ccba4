//! What each agent has been shown in the session that its CLI keeps.
//!
//! 1. A session prompt is pending until it is confirmed; only then does its content count as seen.
//!    A prompt that is never confirmed changes nothing. One that did not reach its caller is
//!    withdrawn, and the prompt before it can still be confirmed.
//! 2. A session reads like a conversation: in order, each message once. So it holds all messages
//!    before an end, except those left out for good ([`Seen::missed`]). This does not grow from
//!    turn to turn.
//! 3. Two kinds of messages are sent even after newer ones: missed messages that are pinned, and
//!    changed messages.
//! 4. System text, team task and summary are kept as fingerprints: each is sent again when it
//!    changes.

use super::index_set::IndexSet;
use crate::text::fnv1a_128;
use std::collections::HashMap;
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
    /// All messages before this one were shown or never will be, except pinned or changed ones.
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
        }
    }

    fn close_up(&mut self, index: usize) {
        for set in [&mut self.missed, &mut self.shown_later, &mut self.changed] {
            set.close_up(index);
        }
        for end in [&mut self.end, &mut self.begun] {
            *end -= usize::from(index < *end);
        }
    }

    fn memory_bytes(&self) -> usize {
        let sets = [&self.missed, &self.shown_later, &self.changed];
        sets.into_iter().map(IndexSet::memory_bytes).sum()
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
mod tests {
    use super::*;
    use std::ops::Range;

    #[test]
    fn only_what_is_confirmed_is_seen() {
        let mut sessions = Sessions::default();
        let shown = |missed: Range<usize>, end: usize| {
            let mut seen = Seen { end, begun: end, ..Seen::default() };
            seen.miss(missed);
            seen
        };
        assert!(!sessions.confirm("max"));
        sessions.prompted("max", 1, shown(0..0, 3));
        assert_eq!(sessions.seen("max"), None);
        assert!(sessions.confirm("max") && !sessions.confirm("max"));
        sessions.prompted("max", 2, shown(0..0, 9));
        sessions.prompted("max", 3, shown(3..4, 5));
        assert!(sessions.confirm("max"));
        let seen = sessions.seen("max").unwrap();
        assert_eq!((seen.newest(), seen.has_missed(3), seen.has_missed(2)), (Some(4), true, false));
        sessions.message_changed(0);
        sessions.message_changed(3);
        sessions.message_changed(7);
        sessions.message_removed(1);
        let seen = sessions.seen("max").unwrap();
        assert_eq!((seen.newest(), seen.has_missed(2), seen.has_missed(3)), (Some(3), true, false));
        let changed: Vec<usize> = seen.changed.iter().collect();
        assert_eq!(changed, [0], "what was left out stays so, changed or not");
        assert!(sessions.forget("max") && !sessions.forget("max"));
        assert_eq!(sessions.seen("max"), None);
    }

    #[test]
    fn the_number_of_missed_runs_is_bounded() {
        let mut seen = Seen::default();
        for number in 0..10 * MAX_MISSED_RUNS {
            seen.end = 4 * number + 4;
            seen.miss(4 * number..4 * number + 2);
            seen.join_oldest_runs(&[3]);
        }
        assert_eq!(seen.missed.ranges().len(), MAX_MISSED_RUNS);
        let shown_later: Vec<usize> = seen.shown_later.iter().collect();
        assert_eq!(shown_later, [3], "it was shown, and is pinned");
        assert_eq!([0, 2, 3].map(|index| seen.has_missed(index)), [true, true, false]);
        let last = seen.end - 4;
        let newest = [last, last + 1, last + 2, last + 3].map(|index| seen.has_missed(index));
        assert_eq!(newest, [true, true, false, false]);
    }

    #[test]
    fn what_is_withdrawn_is_as_if_it_had_not_been_made() {
        let shown = |newest: usize| Seen { end: newest + 1, ..Seen::default() };
        let mut sessions = Sessions::default();
        sessions.withdraw("max", 1);
        sessions.prompted("max", 1, shown(1));
        sessions.prompted("max", 2, shown(2));
        sessions.withdraw("max", 7);
        sessions.withdraw("sarah", 2);
        assert_eq!(sessions.pending("max"), Some(2));
        sessions.withdraw("max", 2);
        assert_eq!(sessions.pending("max"), Some(1));
        // A newer prompt has arrived: it stays, and the one it replaced does not come back.
        sessions.prompted("max", 3, shown(3));
        sessions.withdraw("max", 1);
        assert_eq!(sessions.pending("max"), Some(3));
        sessions.withdraw("max", 3);
        assert_eq!(sessions.pending("max"), None);
        // A confirmed prompt stays confirmed.
        sessions.prompted("max", 4, shown(4));
        sessions.prompted("max", 5, shown(5));
        assert!(sessions.confirm("max"));
        sessions.withdraw("max", 5);
        assert!(!sessions.confirm("max"));
        assert_eq!(sessions.seen("max").unwrap().newest(), Some(5));
    }

    #[test]
    fn fingerprints_are_stored_with_the_name_of_their_function() {
        let stored = Fingerprint::of("a").stored();
        assert_eq!(stored, "fnv1a128:d228cb696f1a8caf78912b704e4a8964");
        assert_eq!(Fingerprint::parse(&stored), Some(Fingerprint::of("a")));
        for other in ["", "d228cb696f1a8caf78912b704e4a8964", "fnv1a128:x", "sha256:00"] {
            assert_eq!(Fingerprint::parse(other), None, "{other}");
        }
    }

    #[test]
    fn fingerprints_tell_texts_apart() {
        assert_eq!(Fingerprint::of("a"), Fingerprint::of("a"));
        assert_ne!(Fingerprint::of("a"), Fingerprint::of("b"));
        assert_ne!(Fingerprint::of(""), Fingerprint::of("\0"));
    }
}
