//! The keys of fenced prompts, one per member, made once.
//!
//! 1. The member is the one the prompt is for: the recipient, or else the agent. The key is stored
//!    under the id of a member who has spoken, so every name of the member leads to the same key. A
//!    name that nobody has yet stands for the first to speak under it, and so does its key. Anyone
//!    who takes the same name later, or the name of a departed member, gets another key.
//! 2. No two members share a key: one who knew another's key could forge lines in its prompts.
//! 3. Keys are random, so the caller makes them.

use super::context_manager::Manager;
use super::options::TurnOptions;
use crate::error::Error;
use crate::fence::Key;
use crate::model::Markers;
use crate::visibility::folded;
use crate::visibility::members::Who;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// A key in a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub struct FenceKeyRecord {
    /// The owner: the id of a member, or a name under which nobody has spoken.
    pub member: String,
    /// The key.
    pub key: String,
}

/// The keys of all members.
#[derive(Debug, Default)]
pub struct FenceKeys {
    /// Keyed by id or unclaimed name, both folded for comparison.
    by_member: BTreeMap<String, FenceKeyRecord>,
}

impl FenceKeys {
    /// Checks the keys of a snapshot.
    pub fn restore(records: &[FenceKeyRecord]) -> Result<Self, Error> {
        let mut keys = FenceKeys::default();
        let mut taken = HashSet::new();
        for (index, record) in records.iter().enumerate() {
            let problem = if Key::new(&record.key).is_none() {
                "key must be 12 letters and digits".to_owned()
            } else if !taken.insert(record.key.to_ascii_lowercase()) {
                "another member has the same key".to_owned()
            } else if keys.by_member.insert(folded(&record.member), record.clone()).is_some() {
                format!("there are two keys for {:?}", record.member)
            } else {
                continue;
            };
            return Err(Error::invalid_snapshot(format!("fenceKeys[{index}]: {problem}")));
        }
        Ok(keys)
    }

    /// Adds newer keys. They replace existing keys of the same members.
    pub fn add(&mut self, newer: FenceKeys) {
        let is_new = |key: &str| newer.by_member.values().any(|record| record.key == key);
        self.by_member.retain(|_, record| !is_new(&record.key));
        self.by_member.extend(newer.by_member);
    }

    /// All keys, for a snapshot.
    pub fn records(&self) -> Vec<FenceKeyRecord> {
        self.by_member.values().cloned().collect()
    }

    /// The key of a member (folded), for a snapshot.
    pub fn record(&self, member: &str) -> Option<&FenceKeyRecord> {
        self.by_member.get(member)
    }

    /// Forgets the key of a name (folded).
    pub fn forget(&mut self, name: &str) {
        self.by_member.remove(name);
    }

    fn keep(&mut self, member: &str, key: String) {
        let record = FenceKeyRecord { member: member.to_owned(), key };
        self.by_member.insert(folded(member), record);
    }

    /// Called when somebody first speaks under this name: its key passes to the member, unless the
    /// member already has one. Both arguments are folded.
    fn settle(&mut self, name: &str, id: &str) {
        if name == id {
            return;
        }
        let Some(record) = self.by_member.remove(name) else { return };
        let own = self.by_member.entry(id.to_owned());
        own.or_insert(FenceKeyRecord { member: id.to_owned(), ..record });
    }

    /// Approximate memory use in bytes.
    pub fn memory_bytes(&self) -> usize {
        let records = self.by_member.values();
        records.map(|record| 3 * record.member.len() + record.key.len() + 96).sum()
    }
}

impl Manager {
    /// The key of a turn's prompt, if there is one.
    pub fn fence_key<'k>(&'k self, options: &'k TurnOptions) -> Option<&'k str> {
        let record = self.fence_keys.by_member.get(&folded(&self.key_owner(options)));
        record.map(|record| &record.key).or(options.new_fence_key.as_ref()).map(String::as_str)
    }

    /// Whether a turn's prompt is fenced but its member has no key yet.
    pub fn lacks_fence_key(&self, options: &TurnOptions) -> Result<bool, Error> {
        let is_fenced = self.assembler(options.assembler)?.markers() == Markers::Fence;
        Ok(is_fenced && self.fence_key(options).is_none())
    }

    /// Stores the key of a member whose prompt was made with it.
    pub fn keep_fence_key(&mut self, options: &TurnOptions, key: String) {
        let owner = self.key_owner(options);
        self.fence_keys.keep(&owner, key);
    }

    /// Passes keys to those who have spoken since `names_before` names were known.
    pub(super) fn settle_fence_keys(&mut self, names_before: usize) {
        let members = &self.conversation.visibility.members;
        let learned = members.learned.iter().skip(names_before);
        for learned in learned.filter(|learned| learned.is_first) {
            self.fence_keys.settle(&learned.name, members.id(learned.member));
        }
    }

    /// The owner of a prompt's key: the id of a member who has spoken, or else the name.
    fn key_owner(&self, options: &TurnOptions) -> String {
        let member = options.recipient.as_deref().unwrap_or(&options.agent_id);
        let members = &self.conversation.visibility.members;
        match members.who(&folded(member)) {
            Who::Member(member) => members.id(member).to_owned(),
            Who::Shared(_) | Who::Unknown(_) => member.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(member: &str, key: &str) -> FenceKeyRecord {
        FenceKeyRecord { member: member.to_owned(), key: key.to_owned() }
    }

    const ONE: &str = "aaaaaaaaaaa1";
    const OTHER: &str = "aaaaaaaaaaa2";

    #[test]
    fn a_key_belongs_to_the_first_speaker_with_its_name() {
        let mut keys = FenceKeys::restore(&[record("Sarah", ONE), record("max", OTHER)]).unwrap();
        keys.settle("sarah", "u1");
        keys.settle("nobody", "u2");
        keys.settle("max", "max");
        assert_eq!(keys.records(), [record("max", OTHER), record("u1", ONE)]);
        keys.settle("max", "u1");
        assert_eq!(keys.records(), [record("u1", ONE)], "it has one");
    }

    #[test]
    fn no_two_members_have_the_same_key() {
        for (records, problem) in [
            ([record("a", ONE), record("b", "AAAAAAAAAAA1")], "fenceKeys[1]: another member"),
            ([record("a", ONE), record(" A", OTHER)], "fenceKeys[1]: there are two keys for"),
            ([record("a", "short"), record("b", ONE)], "fenceKeys[0]: key must be 12 letters"),
        ] {
            let error = FenceKeys::restore(&records).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
        let mut keys = FenceKeys::restore(&[record("a", ONE), record("b", OTHER)]).unwrap();
        keys.add(FenceKeys::restore(&[record("c", ONE)]).unwrap());
        assert_eq!(keys.records(), [record("b", OTHER), record("c", ONE)]);
    }
}
