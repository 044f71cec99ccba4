//! What each agent has been shown in the session that its CLI keeps by itself.
//!
//! 1. A prompt of a session is remembered until it is confirmed: only then what it showed counts
//!    as seen. A prompt that was never confirmed changes nothing. One that did not reach its
//!    caller is withdrawn: the prompt before it can still be confirmed.
//! 2. A message is seen if it was shown whole. What was dropped or cut comes again.
//! 3. Of system text, team task and summary, a fingerprint is kept: they come again when they are
//!    other ones.

use super::index_set::IndexSet;
use crate::text::fnv1a_128;
use std::collections::HashMap;

/// Tells one text from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(u128);

/// What the stored form begins with: the name of the function.
const FINGERPRINT_PREFIX: &str = "fnv1a128:";

impl Fingerprint {
    /// The fingerprint of a text.
    pub fn of(text: &str) -> Self {
        Fingerprint(fnv1a_128(text.as_bytes()))
    }

    /// What [`Fingerprint::stored`] made; `None` for any other form, such as that of an older
    /// version: whatever it was made of does not count as the same text.
    pub fn parse(stored: &str) -> Option<Self> {
        let digits = stored.strip_prefix(FINGERPRINT_PREFIX)?;
        u128::from_str_radix(digits, 16).ok().map(Fingerprint)
    }

    /// The form in which snapshots have it.
    pub fn stored(self) -> String {
        format!("{FINGERPRINT_PREFIX}{:032x}", self.0)
    }
}

/// What an agent has been shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// Messages that were shown whole.
    pub messages: IndexSet,
    /// The newest message of the last confirmed prompt.
    pub newest: Option<usize>,
    /// Where the window of the session's first prompt began: what is older is shown only if it is
    /// pinned.
    pub floor: usize,
    /// The system text that was shown last.
    pub system: Option<Fingerprint>,
    /// The team task that was shown last.
    pub team_task: Option<Fingerprint>,
    /// The summary that was shown last.
    pub summary: Option<Fingerprint>,
}

impl Seen {
    /// Adds what a prompt showed.
    fn add(&mut self, shown: Seen) {
        for range in shown.messages.ranges() {
            self.messages.insert(range.clone());
        }
        self.newest = shown.newest.or(self.newest);
        self.system = shown.system.or(self.system);
        self.team_task = shown.team_task.or(self.team_task);
        self.summary = shown.summary.or(self.summary);
    }
}

/// A prompt that is not confirmed yet.
#[derive(Debug)]
struct Prompt {
    number: u64,
    shown: Seen,
}

/// The session of one agent.
#[derive(Debug, Default)]
struct Session {
    /// `None` until the first prompt is confirmed.
    seen: Option<Seen>,
    /// The last prompt, until it is confirmed.
    pending: Option<Prompt>,
    /// The one in whose place it is, for the case that it is withdrawn.
    replaced: Option<Prompt>,
}

impl Session {
    fn all_mut(&mut self) -> impl Iterator<Item = &mut Seen> {
        let prompts = self.pending.iter_mut().chain(&mut self.replaced);
        self.seen.iter_mut().chain(prompts.map(|prompt| &mut prompt.shown))
    }

    fn all(&self) -> impl Iterator<Item = &Seen> {
        let prompts = self.pending.iter().chain(&self.replaced);
        self.seen.iter().chain(prompts.map(|prompt| &prompt.shown))
    }
}

/// The sessions of all agents, by their ids.
#[derive(Debug, Default)]
pub struct Sessions {
    agents: HashMap<String, Session>,
}

impl Sessions {
    /// What an agent has been shown; `None` if nothing is confirmed.
    pub fn seen(&self, agent_id: &str) -> Option<&Seen> {
        self.agents.get(agent_id)?.seen.as_ref()
    }

    /// All agents with what they have been shown, in the order of their ids.
    pub fn all(&self) -> Vec<(&str, &Seen)> {
        let sessions = self.agents.iter();
        let confirmed = sessions.filter_map(|(id, one)| Some((id.as_str(), one.seen.as_ref()?)));
        let mut all: Vec<_> = confirmed.collect();
        all.sort_by_key(|(id, _)| *id);
        all
    }

    /// Remembers what a prompt showed, in the place of the last one's. No two prompts have the
    /// same number.
    pub fn prompted(&mut self, agent_id: &str, number: u64, shown: Seen) {
        let pending = Some(Prompt { number, shown });
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

    /// A prompt did not reach its caller, so it cannot be confirmed.
    pub fn withdraw(&mut self, agent_id: &str, number: u64) {
        let Some(session) = self.agents.get_mut(agent_id) else { return };
        let is_it = |prompt: &mut Prompt| prompt.number == number;
        if session.pending.take_if(is_it).is_some() {
            session.pending = session.replaced.take();
        } else {
            session.replaced.take_if(is_it);
        }
    }

    /// What the last prompt showed counts as seen. Returns false if there is no such prompt.
    pub fn confirm(&mut self, agent_id: &str) -> bool {
        let Some(session) = self.agents.get_mut(agent_id) else { return false };
        let Some(Prompt { shown, .. }) = session.pending.take() else { return false };
        session.replaced = None;
        match &mut session.seen {
            Some(seen) => seen.add(shown),
            None => session.seen = Some(shown),
        }
        true
    }

    /// Forgets a session. Returns false if there was none.
    pub fn forget(&mut self, agent_id: &str) -> bool {
        self.agents.remove(agent_id).is_some()
    }

    /// Puts a session of a snapshot in its place.
    pub fn restore(&mut self, agent_id: String, seen: Seen) {
        self.agents.insert(agent_id, Session { seen: Some(seen), ..Session::default() });
    }

    /// A message is shown otherwise than before: it is to be shown again.
    pub fn message_changed(&mut self, index: usize) {
        self.for_each(|seen| seen.messages.remove(index));
    }

    /// A message is gone.
    pub fn message_removed(&mut self, index: usize) {
        self.for_each(|seen| {
            seen.messages.close_up(index);
            seen.floor -= usize::from(index < seen.floor);
            seen.newest = match seen.newest {
                Some(newest) if newest >= index => newest.checked_sub(1),
                newest => newest,
            };
        });
    }

    fn for_each(&mut self, change: impl Fn(&mut Seen)) {
        for session in self.agents.values_mut() {
            session.all_mut().for_each(&change);
        }
    }

    /// About how many bytes of memory this takes.
    pub fn memory_bytes(&self) -> usize {
        let shown = self.agents.values().flat_map(Session::all);
        let ranges: usize = shown.map(|seen| seen.messages.memory_bytes()).sum();
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
        let shown = |range: Range<usize>, system: u128| {
            let mut messages = IndexSet::default();
            messages.insert(range.clone());
            let system = Some(Fingerprint(system)).filter(|found| found.0 > 0);
            Seen { messages, newest: range.last(), system, ..Seen::default() }
        };
        assert!(!sessions.confirm("max"));
        sessions.prompted("max", 1, shown(0..3, 1));
        assert_eq!(sessions.seen("max"), None);
        assert!(sessions.confirm("max") && !sessions.confirm("max"));
        sessions.prompted("max", 2, shown(3..9, 2));
        sessions.prompted("max", 3, shown(3..5, 0));
        assert!(sessions.confirm("max"));
        let seen = sessions.seen("max").unwrap();
        assert_eq!((seen.messages.ranges().first(), seen.newest), (Some(&(0..5)), Some(4)));
        assert_eq!(seen.system, Some(Fingerprint(1)));
        sessions.message_removed(4);
        sessions.message_changed(0);
        let seen = sessions.seen("max").unwrap();
        assert_eq!((seen.messages.ranges().first(), seen.newest), (Some(&(1..4)), Some(3)));
        assert!(sessions.forget("max") && !sessions.forget("max"));
        assert_eq!(sessions.seen("max"), None);
    }

    #[test]
    fn what_is_withdrawn_is_as_if_it_had_not_been_made() {
        let shown = |newest: usize| Seen { newest: Some(newest), ..Seen::default() };
        let mut sessions = Sessions::default();
        sessions.withdraw("max", 1);
        sessions.prompted("max", 1, shown(1));
        sessions.prompted("max", 2, shown(2));
        sessions.withdraw("max", 7);
        sessions.withdraw("sarah", 2);
        assert_eq!(sessions.pending("max"), Some(2));
        sessions.withdraw("max", 2);
        assert_eq!(sessions.pending("max"), Some(1));
        // Another one has come since: it stays, and what it replaced does not come back.
        sessions.prompted("max", 3, shown(3));
        sessions.withdraw("max", 1);
        assert_eq!(sessions.pending("max"), Some(3));
        sessions.withdraw("max", 3);
        assert_eq!(sessions.pending("max"), None);
        // What is confirmed stays so.
        sessions.prompted("max", 4, shown(4));
        sessions.prompted("max", 5, shown(5));
        assert!(sessions.confirm("max"));
        sessions.withdraw("max", 5);
        assert!(!sessions.confirm("max"));
        assert_eq!(sessions.seen("max").unwrap().newest, Some(5));
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
