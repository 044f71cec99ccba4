//! What belongs to one member each: its summary, and the key of its prompts.
//!
//! 1. The owner is decided when it is kept, as for messages: the member who has the name, by its id.
//!    Somebody who later joins under another member's name does not get it.
//! 2. A name that nobody has yet stands for the first to speak under it.
//! 3. A name that several members share stands for all of them, until it is the id of somebody, for
//!    whom it was not meant.

use crate::visibility::folded;
use crate::visibility::members::{Members, Who};
use std::collections::BTreeMap;

/// One `T` for each of some members.
#[derive(Debug)]
pub(super) struct Owned<T> {
    /// By the id of the member, or by a name that is nobody's; folded.
    by_owner: BTreeMap<String, T>,
}

impl<T> Default for Owned<T> {
    fn default() -> Self {
        Owned { by_owner: BTreeMap::new() }
    }
}

/// The owner of what is kept for a name.
pub(super) fn owner(members: &Members, name: &str) -> String {
    match members.who(&folded(name)) {
        Who::Member(member) => members.id(member).to_owned(),
        Who::Shared(name) | Who::Unknown(name) => name,
    }
}

impl<T> Owned<T> {
    pub fn of(&self, owner: &str) -> Option<&T> {
        self.by_owner.get(owner)
    }

    pub fn keep(&mut self, owner: String, thing: T) -> Option<T> {
        self.by_owner.insert(owner, thing)
    }

    pub fn remove(&mut self, owner: &str) {
        self.by_owner.remove(owner);
    }

    pub fn retain(&mut self, is_kept: impl Fn(&T) -> bool) {
        self.by_owner.retain(|_, thing| is_kept(thing));
    }

    pub fn extend(&mut self, others: Owned<T>) {
        self.by_owner.extend(others.by_owner);
    }

    /// All of them, by owner.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.by_owner.iter().map(|(owner, thing)| (owner.as_str(), thing))
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.by_owner.values_mut()
    }

    /// Passes things to those who have spoken since `names_before` names were known. `is_better`
    /// says whether something replaces what its new owner has.
    pub fn follow(
        &mut self,
        members: &Members,
        names_before: usize,
        is_better: impl Fn(&T, &T) -> bool,
    ) {
        if self.by_owner.is_empty() {
            return;
        }
        for learned in members.learned.iter().skip(names_before) {
            let id = members.id(learned.member);
            match (learned.is_first, *learned.name == *id) {
                (true, true) | (false, false) => {}
                (false, true) => self.remove(id),
                (true, false) => {
                    let Some(thing) = self.by_owner.remove(&*learned.name) else { continue };
                    if self.of(id).is_none_or(|own| is_better(&thing, own)) {
                        self.keep(id.to_owned(), thing);
                    }
                }
            }
        }
    }
}
