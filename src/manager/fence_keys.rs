//! The keys of fenced prompts: one for each member, made once.
//!
//! 1. A member is who the prompt is for: the recipient, or else the agent. Whatever name of a member
//!    is used, its key is the same.
//! 2. No two members have the same key: whoever knew that of another could forge lines in its prompts.
//! 3. Keys are random, so they are not made here.

use super::context_manager::Manager;
use super::options::TurnOptions;
use crate::error::Error;
use crate::fence::Key;
use crate::model::Markers;
use crate::visibility::folded;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// A key as a snapshot has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub struct FenceKeyRecord {
    /// Whose key it is: the name under which it was made.
    pub member: String,
    /// The key.
    pub key: String,
}

/// The keys of all members.
#[derive(Debug, Default)]
pub struct FenceKeys {
    /// By the name under which they were made, as names are compared.
    by_member: BTreeMap<String, FenceKeyRecord>,
}

impl FenceKeys {
    /// Checks what a snapshot has.
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

    /// Takes these keys besides those that are there. Of a member who has one in both, it is the new
    /// one.
    pub fn add(&mut self, newer: FenceKeys) {
        let is_new = |key: &str| newer.by_member.values().any(|record| record.key == key);
        self.by_member.retain(|_, record| !is_new(&record.key));
        self.by_member.extend(newer.by_member);
    }

    /// All keys, for a snapshot.
    pub fn records(&self) -> Vec<FenceKeyRecord> {
        self.by_member.values().cloned().collect()
    }

    fn keep(&mut self, member: &str, key: String) {
        let record = FenceKeyRecord { member: member.to_owned(), key };
        self.by_member.insert(folded(member), record);
    }

    /// The key of the member who has these names, as names are compared, the one that was used
    /// first.
    fn find(&self, names: &[String]) -> Option<&str> {
        let record = names.iter().find_map(|name| self.by_member.get(name))?;
        Some(&record.key)
    }

    /// About how many bytes of memory this takes.
    pub fn memory_bytes(&self) -> usize {
        let records = self.by_member.values();
        records.map(|record| 3 * record.member.len() + record.key.len() + 96).sum()
    }
}

impl Manager {
    /// The key of a turn's prompt, if there is one.
    pub fn fence_key(&self, options: &TurnOptions) -> Option<&str> {
        let member = member_of(options);
        let own = self.fence_keys.find(&[folded(member)]);
        own.or_else(|| self.fence_keys.find(&self.conversation.visibility.names_like(member)))
    }

    /// Whether a turn's prompt is fenced and its member has no key yet.
    pub fn lacks_fence_key(&self, options: &TurnOptions) -> Result<bool, Error> {
        let is_fenced = self.assembler(options.assembler)?.markers() == Markers::Fence;
        Ok(is_fenced && self.fence_key(options).is_none())
    }

    /// Gives the member of a turn its key.
    pub fn keep_fence_key(&mut self, options: &TurnOptions, key: String) {
        self.fence_keys.keep(member_of(options), key);
    }
}

/// Who a prompt is for.
fn member_of(options: &TurnOptions) -> &str {
    options.recipient.as_deref().unwrap_or(&options.agent_id)
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
    fn a_member_has_one_key_under_all_its_names() {
        let keys = FenceKeys::restore(&[record("Sarah", ONE), record("max", OTHER)]).unwrap();
        let find =
            |names: &[&str]| keys.find(&names.iter().map(|name| folded(name)).collect::<Vec<_>>());
        assert_eq!(find(&[" SARAH"]), Some(ONE));
        assert_eq!(find(&["u1", "Sarah"]), Some(ONE));
        assert_eq!(find(&["u1"]), None);
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
