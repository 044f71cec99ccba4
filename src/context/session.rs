//! What each agent has been shown in the session that its CLI keeps by itself.
//!
//! 1. A prompt of a session is remembered until it is confirmed: only then what it showed counts
//!    as seen. A prompt that was never confirmed changes nothing. One that did not reach its
//!    caller is withdrawn: the prompt before it can still be confirmed.
//! 2. A message is seen if it was shown whole. What was dropped or cut comes again.
//! 3. Of system text, team task and summary, a fingerprint is kept: they come again when they are
//!    other ones.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// Indices of messages, as ascending ranges that do not touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexSet {
    ranges: Vec<Range<usize>>,
}

impl IndexSet {
    /// Adds all of a range.
    pub fn insert(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let first = self.ranges.partition_point(|known| known.end < range.start);
        let last = self.ranges.partition_point(|known| known.start <= range.end);
        let touched = &self.ranges[first..last];
        let start = touched.first().map_or(range.start, |known| known.start.min(range.start));
        let end = touched.last().map_or(range.end, |known| known.end.max(range.end));
        self.ranges.splice(first..last, std::iter::once(start..end));
    }

    /// Removes an index.
    pub fn remove(&mut self, index: usize) {
        let place = self.ranges.partition_point(|known| known.end <= index);
        let Some(known) = self.ranges.get(place).filter(|known| known.contains(&index)).cloned()
        else {
            return;
        };
        let rest = [known.start..index, index + 1..known.end];
        self.ranges.splice(place..=place, rest.into_iter().filter(|range| !range.is_empty()));
    }

    /// Removes an index, and counts those after it one less.
    pub fn close_up(&mut self, index: usize) {
        self.remove(index);
        let after = |at: usize| at - usize::from(at > index);
        let ranges = std::mem::take(&mut self.ranges);
        for range in ranges {
            self.insert(after(range.start)..after(range.end));
        }
    }

    /// Whether an index is among these.
    pub fn contains(&self, index: usize) -> bool {
        let place = self.ranges.partition_point(|known| known.end <= index);
        self.ranges.get(place).is_some_and(|known| known.contains(&index))
    }

    /// The ranges.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// The ranges between these, up to an end.
    pub fn gaps(&self, end: usize) -> impl Iterator<Item = Range<usize>> {
        let mut start = 0;
        let known = self.ranges.iter().cloned().chain(std::iter::once(end..end));
        known.filter_map(move |range| {
            let gap = start..range.start.min(end);
            start = range.end;
            (!gap.is_empty()).then_some(gap)
        })
    }
}

/// Tells one text from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(pub u128);

impl Fingerprint {
    /// The fingerprint of a text.
    pub fn of(text: &str) -> Self {
        let half = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            (salt, text).hash(&mut hasher);
            u128::from(hasher.finish())
        };
        Fingerprint(half(0) << 64 | half(1))
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
        for range in shown.messages.ranges {
            self.messages.insert(range);
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
        let ranges = |seen: &Seen| seen.messages.ranges.capacity() * size_of::<Range<usize>>();
        let ranges: usize = self.agents.values().flat_map(Session::all).map(ranges).sum();
        ranges + self.agents.len() * (size_of::<Session>() + size_of::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_indices_is_what_a_list_of_them_would_be() {
        // A plain list of booleans beside it, through a fixed sequence of changes.
        let mut set = IndexSet::default();
        let mut list = vec![false; 40];
        let mut number: u64 = 7;
        let mut next = |below: usize| {
            number = number.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (number >> 33) as usize % below
        };
        for _ in 0..2000 {
            let (start, length) = (next(40), next(6));
            match next(4) {
                0 | 1 => {
                    let range = start..(start + length).min(40);
                    list[range.clone()].fill(true);
                    set.insert(range);
                }
                2 => {
                    list[start] = false;
                    set.remove(start);
                }
                _ => {
                    list.remove(start);
                    list.push(false);
                    set.close_up(start);
                }
            }
            let shown: Vec<bool> = (0..40).map(|index| set.contains(index)).collect();
            assert_eq!(shown, list);
            let gaps: Vec<usize> = set.gaps(40).flatten().collect();
            let missing: Vec<usize> = (0..40).filter(|index| !list[*index]).collect();
            assert_eq!(gaps, missing);
            assert!(set.ranges().windows(2).all(|pair| pair[0].end < pair[1].start));
        }
    }

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
    fn fingerprints_tell_texts_apart() {
        assert_eq!(Fingerprint::of("a"), Fingerprint::of("a"));
        assert_ne!(Fingerprint::of("a"), Fingerprint::of("b"));
        assert_ne!(Fingerprint::of(""), Fingerprint::of("\0"));
    }
}
