//! Which messages a session has: for each message, whether it was shown as it reads now, or was left
//! out.
//!
//! 1. A session reads like a conversation: in order, each message once. So it has all messages
//!    before an end that its recipient may see, and only what differs from this is kept, as runs of
//!    marked messages. The runs do not grow from turn to turn, but with what was left out.
//! 2. Messages that the recipient may not see have passed unseen. If visibility changes, marks
//!    keep what the session has: a message that is visible only now is marked as lacking, and one
//!    that was shown and is hidden now as shown.
//! 3. A change takes time proportional to the number of runs after it, and several changes take no
//!    longer than the first of them.

use std::ops::Range;

/// In what respect the session does not simply have a message if its recipient may see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mark {
    /// It was left out for good.
    Missed,
    /// It was shown as it was before it changed.
    Changed,
    /// It was hidden from the recipient when newer ones were shown, and no longer is.
    Revealed,
    /// It was shown, whether or not the recipient may see it now.
    Shown,
}

/// What happened to a message of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A prompt showed it.
    Sent,
    /// A prompt left it out.
    Dropped,
    /// It reads differently now.
    Edited,
    /// The recipient may see it now.
    Revealed,
    /// The recipient may no longer see it.
    Hidden,
    /// Another recipient has the session, which was shown everything so far.
    Inherited,
    /// A prompt was made. What it could not show is hidden from the recipient or the agent's own.
    Passed,
}

impl Event {
    /// What happened to a message that was visible, or is now; `None` if both or neither.
    pub fn of_sight(saw: bool, sees: bool) -> Option<Self> {
        (saw != sees).then_some(if sees { Event::Revealed } else { Event::Hidden })
    }

    /// What happened to one message, for [`Ledger::record`].
    pub fn to(self, index: usize) -> (Range<usize>, Self) {
        (index..index + 1, self)
    }

    /// The mark of a message after the event.
    fn after(self, mark: Option<Mark>) -> Option<Mark> {
        match (self, mark) {
            (Event::Sent, _) => None,
            (Event::Dropped, _) => Some(Mark::Missed),
            (Event::Edited, None | Some(Mark::Shown)) => Some(Mark::Changed),
            (Event::Revealed, None | Some(Mark::Changed)) => Some(Mark::Revealed),
            (Event::Revealed, Some(Mark::Shown)) => None,
            (Event::Hidden | Event::Inherited, None) => Some(Mark::Shown),
            (Event::Hidden | Event::Passed, Some(Mark::Changed | Mark::Revealed)) => None,
            _ => mark,
        }
    }
}

/// Which messages a session has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    /// No message from here on was shown.
    pub end: usize,
    /// The end of the session's first prompt. What the agent wrote before belongs to another
    /// session.
    pub begun: usize,
    /// Where each run begins, ascending, with its mark. Neighbours differ, and messages before the
    /// first run have no mark.
    runs: Vec<(usize, Option<Mark>)>,
}

impl Ledger {
    /// A session that has the messages before an end.
    pub fn new(end: usize, begun: usize) -> Self {
        Ledger { end, begun, runs: Vec::new() }
    }

    /// Restores a ledger from its marked runs; `None` if they are not in order, or if one of them
    /// or the end of the first prompt is after the end.
    pub fn restore(end: usize, begun: usize, marked: &[(Range<usize>, Mark)]) -> Option<Self> {
        let bounds =
            |(run, mark): &(Range<usize>, Mark)| [(run.start, Some(*mark)), (run.end, None)];
        let mut ledger = Ledger { end, begun, runs: marked.iter().flat_map(bounds).collect() };
        let last = ledger.runs.last().map_or(0, |(start, _)| *start);
        let fits = ledger.runs.is_sorted_by_key(|(start, _)| *start) && last.max(begun) <= end;
        ledger.rewrite(0, std::iter::empty());
        (fits && !marked.iter().any(|(run, _)| run.is_empty())).then_some(ledger)
    }

    /// The newest message of the last confirmed prompt.
    pub fn newest(&self) -> Option<usize> {
        self.end.checked_sub(1)
    }

    /// Records that messages up to another end were shown.
    pub fn extend(&mut self, end: usize) {
        if end > self.end {
            if self.runs.last().is_some_and(|(_, mark)| mark.is_some()) {
                self.runs.push((self.end, None));
            }
            self.end = end;
        }
    }

    /// Whether a message was left out, and has not been shown since.
    pub fn has_missed(&self, index: usize) -> bool {
        let run = self.runs.partition_point(|(start, _)| *start <= index).checked_sub(1);
        run.is_some_and(|run| self.runs[run].1 == Some(Mark::Missed))
    }

    /// The marked runs, ascending.
    pub fn marked(&self) -> impl Iterator<Item = (Range<usize>, Mark)> {
        let ends = self.runs.iter().skip(1).map(|(start, _)| *start).chain([self.end]);
        let runs = self.runs.iter().zip(ends);
        runs.filter_map(|((start, mark), end)| Some((*start..end, (*mark)?)))
    }

    /// The runs that were left out, ascending.
    pub fn missed(&self) -> impl Iterator<Item = Range<usize>> {
        self.marked().filter(|(_, mark)| *mark == Mark::Missed).map(|(run, _)| run)
    }

    /// Records what happened to ranges of messages, which are ascending and do not overlap. What
    /// happened to messages from the end on is ignored.
    pub fn record(&mut self, events: impl IntoIterator<Item = (Range<usize>, Event)>) {
        let mut events = events.into_iter().peekable();
        if let Some(from) = events.peek().map(|(range, _)| range.start) {
            self.rewrite(from, events);
        }
    }

    /// Rewrites the runs from a message on. Neighbours that have become equal are joined.
    fn rewrite(&mut self, from: usize, events: impl Iterator<Item = (Range<usize>, Event)>) {
        let kept = self.runs.partition_point(|(start, _)| *start < from).saturating_sub(1);
        let old = self.runs.split_off(kept);
        let mut at = old.first().map_or(from, |(start, _)| from.min(*start));
        let runs = std::mem::take(&mut self.runs);
        let mut new = Rewrite { old: &old, place: 0, runs };
        for (range, event) in events {
            let range = range.start.min(self.end)..range.end.min(self.end);
            new.copy(at..range.start, |mark| mark);
            new.copy(range.clone(), |mark| event.after(mark));
            at = range.end.max(at);
        }
        new.copy(at..self.end, |mark| mark);
        self.runs = new.runs;
    }

    /// Follows the removal of a message.
    pub fn close_up(&mut self, index: usize) {
        let starts = self.runs.iter_mut().map(|(start, _)| start);
        starts.for_each(|start| *start -= usize::from(index < *start));
        for end in [&mut self.end, &mut self.begun] {
            *end -= usize::from(index < *end);
        }
        self.rewrite(0, std::iter::empty());
    }

    /// Approximate memory use in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.runs.capacity() * size_of::<(usize, Option<Mark>)>()
    }
}

/// Runs that are being written.
struct Rewrite<'l> {
    old: &'l [(usize, Option<Mark>)],
    /// The first old run that has not begun.
    place: usize,
    runs: Vec<(usize, Option<Mark>)>,
}

impl Rewrite<'_> {
    /// Continues with a range, which follows those before.
    fn copy(&mut self, range: Range<usize>, after: impl Fn(Option<Mark>) -> Option<Mark>) {
        let mut start = range.start;
        while start < range.end {
            while self.old.get(self.place).is_some_and(|(begin, _)| *begin <= start) {
                self.place += 1;
            }
            let mark = after(self.place.checked_sub(1).and_then(|current| self.old[current].1));
            if self.runs.last().and_then(|(_, last)| *last) != mark {
                self.runs.push((start, mark));
            }
            start = self.old.get(self.place).map_or(range.end, |(next, _)| *next).min(range.end);
        }
    }
}

#[cfg(test)]
mod tests;
