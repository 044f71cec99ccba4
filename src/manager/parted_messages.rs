//! The messages with parts of a conversation, and which results belong to which calls.

use crate::parts::{MessagePart, OpenCalls, PartKind, PartLosses, Place};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A message with parts.
#[derive(Debug, Default)]
pub(crate) struct Parted {
    /// Its parts, without markers.
    pub(super) given: Vec<MessagePart>,
    /// What its line shows, each result after its call, once asked for.
    pub(super) shown: OnceCell<Vec<MessagePart>>,
    /// What its line lacks.
    pub(crate) losses: PartLosses,
    /// How many of its calls have no result.
    pub(super) open_calls: usize,
}

impl Parted {
    /// Its texts.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let texts = self.given.iter().filter(|part| part.kind == PartKind::Text);
        texts.map(|part| part.text.as_str())
    }

    /// The ids of its calls and results.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        let tools = self.given.iter().filter(|part| part.is_of_tool());
        tools.map(|part| part.id.as_str())
    }
}

/// The calls and results with one id.
#[derive(Debug, Default)]
pub(super) struct SameId {
    /// All of them, ascending.
    pub(super) places: Vec<Place>,
    /// Calls without a result so far.
    open: OpenCalls,
}

/// All messages with parts.
#[derive(Debug, Default)]
pub(crate) struct PartedMessages {
    pub(super) by_index: BTreeMap<u32, Parted>,
    pub(super) by_id: HashMap<String, SameId>,
    /// Maps calls to their results.
    results: BTreeMap<Place, Place>,
    /// Maps results to their calls.
    calls: BTreeMap<Place, Place>,
    /// Messages whose lines changed because of other messages.
    pub(super) changed: Vec<usize>,
    /// The memory of all given parts.
    part_bytes: usize,
    /// An upper bound on the bytes of any result.
    pub(crate) longest_result: usize,
}

impl PartedMessages {
    /// A message with parts.
    pub(crate) fn get(&self, index: usize) -> Option<&Parted> {
        self.by_index.get(&(index as u32))
    }

    pub(super) fn part(&self, place: Place) -> Option<&MessagePart> {
        self.get(place.0)?.given.get(place.1)
    }

    /// Enters a message that is newer than all others. Returns the pairs of its results.
    pub(super) fn add(
        &mut self,
        index: usize,
        parted: Parted,
        may_pair: impl Fn(usize, usize) -> bool,
    ) -> Vec<(Place, Place)> {
        let mut pairs = Vec::new();
        for (nth, part) in parted.given.iter().enumerate().filter(|(_, part)| part.is_of_tool()) {
            let SameId { places, open } = self.by_id.entry(part.id.clone()).or_default();
            places.push((index, nth));
            let call = open.meet(part.kind, (index, nth), |call| may_pair(call, index));
            pairs.extend(call.map(|call| (call, (index, nth))));
        }
        self.insert(index, parted);
        pairs.iter().for_each(|(call, result)| self.pair(*call, *result));
        pairs
    }

    fn insert(&mut self, index: usize, mut parted: Parted) {
        let calls = parted.given.iter().filter(|part| part.kind == PartKind::Call);
        parted.open_calls = calls.count();
        self.part_bytes += parts_memory(&parted.given);
        self.by_index.insert(index as u32, parted);
    }

    fn pair(&mut self, call: Place, result: Place) {
        self.results.insert(call, result);
        self.calls.insert(result, call);
        if let Some(parted) = self.by_index.get_mut(&(call.0 as u32)) {
            parted.open_calls -= 1;
        }
    }

    /// Separates all calls and results with an id.
    pub(super) fn part_pairs(&mut self, id: &str) {
        let Some(SameId { places, open }) = self.by_id.get_mut(id) else { return };
        *open = OpenCalls::default();
        for call in places {
            let Some(result) = self.results.remove(call) else { continue };
            self.calls.remove(&result);
            if let Some(parted) = self.by_index.get_mut(&(call.0 as u32)) {
                parted.open_calls += 1;
            }
        }
    }

    /// Pairs all calls and results with an id.
    pub(super) fn find_pairs(&mut self, id: &str, may_pair: impl Fn(usize, usize) -> bool) {
        let Some(mut same) = self.by_id.remove(id) else { return };
        for place in &same.places {
            let Some(part) = self.part(*place) else { continue };
            let call = same.open.meet(part.kind, *place, |call| may_pair(call, place.0));
            if let Some(call) = call {
                self.pair(call, *place);
            }
        }
        if !same.places.is_empty() {
            self.by_id.insert(id.to_owned(), same);
        }
    }

    /// Replaces the parts of a message whose calls and results are not paired.
    pub(super) fn replace(&mut self, index: usize, parted: Option<Parted>) {
        let old = self.by_index.remove(&(index as u32));
        self.part_bytes -= old.as_ref().map_or(0, |old| parts_memory(&old.given));
        for id in old.iter().flat_map(Parted::ids).collect::<BTreeSet<_>>() {
            if let Some(same) = self.by_id.get_mut(id) {
                same.places.retain(|place| place.0 != index);
            }
        }
        let Some(parted) = parted else { return };
        for (nth, part) in parted.given.iter().enumerate().filter(|(_, part)| part.is_of_tool()) {
            self.by_id.entry(part.id.clone()).or_default().places.push((index, nth));
        }
        for id in parted.ids().collect::<BTreeSet<_>>() {
            if let Some(same) = self.by_id.get_mut(id) {
                same.places.sort_unstable();
            }
        }
        self.insert(index, parted);
    }

    /// What a message shows of its parts and later results.
    pub(super) fn to_show(&self, index: usize, keeps_reasoning: bool) -> Vec<MessagePart> {
        let given = self.get(index).map_or(&[][..], |parted| &parted.given);
        let mut shown = Vec::with_capacity(given.len());
        for (nth, part) in given.iter().enumerate() {
            match part.kind {
                PartKind::Reasoning if !keeps_reasoning => {}
                PartKind::Result if self.calls.contains_key(&(index, nth)) => {}
                _ => {
                    shown.push(part.clone());
                    let result = self.results.get(&(index, nth));
                    shown.extend(result.and_then(|place| self.part(*place)).cloned());
                }
            }
        }
        shown
    }

    /// Whether a message has nothing to show because its results are shown with their calls.
    pub(super) fn has_only_moved(&self, index: usize, keeps_reasoning: bool) -> bool {
        let given = self.get(index).map_or(&[][..], |parted| &parted.given);
        let mut has_moved = false;
        let mut all = given.iter().enumerate().filter(|(nth, part)| {
            let is_moved = self.calls.contains_key(&(index, *nth));
            has_moved |= is_moved;
            !is_moved && (part.kind != PartKind::Reasoning || keeps_reasoning)
        });
        all.next().is_none() && has_moved
    }

    /// Follows the removal of a message that has no parts any more.
    pub(super) fn close_up(&mut self, index: usize) {
        let later = self.by_index.split_off(&(index as u32));
        self.by_index.extend(later.into_iter().map(|(at, parted)| (at - 1, parted)));
        let moved = |(at, nth): Place| (at - usize::from(at > index), nth);
        for SameId { places, open } in self.by_id.values_mut() {
            places.iter_mut().chain(open.places_mut()).for_each(|place| *place = moved(*place));
        }
        for pairs in [&mut self.results, &mut self.calls] {
            let all = std::mem::take(pairs).into_iter();
            *pairs = all.map(|(from, to)| (moved(from), moved(to))).collect();
        }
        self.changed.iter_mut().for_each(|at| *at -= usize::from(*at > index));
    }

    /// Approximate memory use in bytes. Asked for after every change, so it does not look at the
    /// messages.
    pub(super) fn memory_bytes(&self) -> usize {
        // What a message shows is a second copy.
        2 * self.part_bytes + 2 * (self.results.len() + self.calls.len()) * size_of::<Place>()
    }
}

fn parts_memory(parts: &[MessagePart]) -> usize {
    parts.iter().map(|part| size_of::<MessagePart>() + part.text.capacity()).sum()
}
