//! Which result belongs to which call.

use super::{MessagePart, PartKind};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// A part of a message: the index of the message and of the part.
pub(crate) type Place = (usize, usize);

/// Calls with one id that have no result so far, while messages are examined from the oldest.
#[derive(Debug, Default)]
pub(crate) struct OpenCalls {
    places: Vec<Place>,
}

impl OpenCalls {
    /// Examines the next call or result. Returns the call that a result belongs to: the newest one
    /// whose message `may_pair` allows, so that calls that others cannot see change nothing.
    pub fn meet(
        &mut self,
        kind: PartKind,
        place: Place,
        may_pair: impl Fn(usize) -> bool,
    ) -> Option<Place> {
        match kind {
            PartKind::Call => {
                self.places.push(place);
                None
            }
            PartKind::Result => {
                let newest = self.places.iter().rposition(|call| may_pair(call.0))?;
                Some(self.places.remove(newest))
            }
            _ => None,
        }
    }

    /// The calls, oldest first.
    pub fn places_mut(&mut self) -> impl Iterator<Item = &mut Place> {
        self.places.iter_mut()
    }
}

/// Results without a call so far, while messages are examined from the newest.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// By message, each with its place among the results of the message.
    by_id: HashMap<String, BTreeMap<usize, VecDeque<(usize, MessagePart)>>>,
    /// How many there are.
    count: usize,
}

/// The outcome for one message with parts.
#[derive(Debug, Default)]
pub(crate) struct Paired {
    /// What it shows: its parts, each result after its call.
    pub shown: Vec<MessagePart>,
    /// Results of calls in older messages.
    pub results: Vec<MessagePart>,
    /// The shown results of newer messages: the ids of their calls, and their messages.
    pub taken: Vec<(String, usize)>,
    /// The same results with their sizes.
    pub moved: Vec<(usize, usize)>,
}

impl Answers {
    /// Finds the results of a message's calls, without taking them yet.
    pub fn pair(&self, message: usize, parts: &[MessagePart]) -> Paired {
        let mut own: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut answers: HashMap<usize, MessagePart> = HashMap::new();
        let mut placed = vec![false; parts.len()];
        // For each id, the free results of newer messages, in order.
        let mut newer = HashMap::new();
        let mut paired = Paired::default();
        for (nth, part) in parts.iter().enumerate().rev() {
            match part.kind {
                PartKind::Result => own.entry(&part.id).or_default().push(nth),
                PartKind::Call => {
                    if let Some(result) = own.get_mut(&*part.id).and_then(Vec::pop) {
                        placed[result] = true;
                        answers.insert(nth, parts[result].clone());
                        continue;
                    }
                    let free = newer.entry(part.id.as_str()).or_insert_with(|| {
                        let results = self.by_id.get(&part.id).into_iter();
                        let newer = results.flat_map(|all| all.range(message + 1..));
                        newer.flat_map(|(from, results)| results.iter().map(|(_, it)| (*from, it)))
                    });
                    if let Some((from, result)) = free.next() {
                        paired.taken.push((part.id.clone(), from));
                        paired.moved.push((from, result.shown_bytes()));
                        answers.insert(nth, result.clone());
                    }
                }
                _ => {}
            }
        }
        for (nth, part) in parts.iter().enumerate() {
            match part.kind {
                PartKind::Result if placed[nth] => {}
                PartKind::Result => paired.results.push(part.clone()),
                _ => {
                    paired.shown.push(part.clone());
                    paired.shown.extend(answers.remove(&nth));
                }
            }
        }
        paired
    }

    /// Takes the newer results that a message shows, and keeps its own results for older messages.
    pub fn settle(&mut self, message: usize, paired: &mut Paired) {
        for (id, from) in paired.taken.drain(..) {
            let Some(all) = self.by_id.get_mut(&id) else { continue };
            if let Some(results) = all.get_mut(&from) {
                self.count -= usize::from(results.pop_front().is_some());
                if results.is_empty() {
                    all.remove(&from);
                }
            }
        }
        for (nth, result) in paired.results.drain(..).enumerate() {
            let all = self.by_id.entry(result.id.clone()).or_default();
            all.entry(message).or_default().push_back((nth, result));
            self.count += 1;
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The results whose calls were not found, by the messages that brought them, in the order of each
    /// message.
    pub fn left(&self) -> BTreeMap<usize, Vec<&MessagePart>> {
        let mut left: BTreeMap<usize, BTreeMap<usize, &MessagePart>> = BTreeMap::new();
        for (message, results) in self.by_id.values().flatten() {
            let placed = results.iter().map(|(nth, result)| (*nth, result));
            left.entry(*message).or_default().extend(placed);
        }
        let in_order = |(message, results): (usize, BTreeMap<usize, _>)| {
            (message, results.into_values().collect())
        };
        left.into_iter().map(in_order).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_without_calls_keep_their_order() {
        let ids = ["z", "a", "m", "a", "b", "y", "c"];
        let result = |(nth, id): (usize, &&str)| MessagePart {
            kind: PartKind::Result,
            id: id.to_string(),
            text: nth.to_string(),
            ..MessagePart::default()
        };
        let parts: Vec<MessagePart> = ids.iter().enumerate().map(result).collect();
        let mut answers = Answers::default();
        let mut paired = answers.pair(3, &parts);
        answers.settle(3, &mut paired);
        let left = answers.left();
        assert_eq!(left.keys().collect::<Vec<_>>(), [&3]);
        assert!(
            left[&3].iter().map(|part| part.text.as_str()).eq(["0", "1", "2", "3", "4", "5", "6"])
        );
    }
}
