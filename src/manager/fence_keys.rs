//! The keys of fenced prompts, one per member, made once.
//!
//! 1. The member is the one the prompt is for: the recipient, or else the agent. Every name of the
//!    member leads to the same key ([`owned`](super::owned)). Anyone who takes the same name later,
//!    or the name of a departed member, gets another one.
//! 2. No two members share a key: one who knew another's key could forge lines in its prompts.
//! 3. Keys are random, so the caller makes them.

use super::context_manager::Manager;
use super::options::TurnOptions;
use super::owned::Owned;
use crate::error::Error;
use crate::fence::Key;
use crate::model::Markers;
use crate::visibility::folded;
use crate::visibility::members::Members;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

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
pub struct FenceKeys(Owned<String>);

impl FenceKeys {
    /// Checks the keys of a snapshot.
    pub fn restore(records: &[FenceKeyRecord]) -> Result<Self, Error> {
        let mut keys = FenceKeys::default();
        let mut taken = HashSet::new();
        for (index, FenceKeyRecord { member, key }) in records.iter().enumerate() {
            let problem = if Key::new(key).is_none() {
                "key must be 12 letters and digits".to_owned()
            } else if !taken.insert(key.to_ascii_lowercase()) {
                "another member has the same key".to_owned()
            } else if keys.0.keep(folded(member), key.clone()).is_some() {
                format!("there are two keys for {member:?}")
            } else {
                continue;
            };
            return Err(Error::invalid_snapshot(format!("fenceKeys[{index}]: {problem}")));
        }
        Ok(keys)
    }

    /// Adds newer keys. They replace existing keys of the same members.
    pub fn add(&mut self, newer: FenceKeys) {
        let is_new = |key: &String| newer.0.iter().any(|(_, new)| new == key);
        self.0.retain(|key| !is_new(key));
        self.0.extend(newer.0);
    }

    /// All keys, for a snapshot.
    pub fn records(&self) -> Vec<FenceKeyRecord> {
        self.0.iter().map(|(owner, key)| FenceKeyRecord::new(owner, key)).collect()
    }

    /// The key of a name (folded), for a snapshot.
    pub fn record(&self, name: &str) -> Option<FenceKeyRecord> {
        self.0.of(name).map(|key| FenceKeyRecord::new(name, key))
    }

    /// Forgets the key of a name (folded).
    pub fn forget(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// Passes keys to those who have spoken since `names_before` names were known.
    pub(super) fn follow(&mut self, members: &Members, names_before: usize) {
        self.0.follow(members, names_before, |_, _| false);
    }

    /// Approximate memory use in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.0.iter().map(|(owner, key)| owner.len() + key.len() + 96).sum()
    }
}

impl FenceKeyRecord {
    fn new(member: &str, key: &str) -> Self {
        FenceKeyRecord { member: member.to_owned(), key: key.to_owned() }
    }
}

impl Manager {
    /// The key of a turn's prompt, if there is one.
    pub fn fence_key<'k>(&'k self, options: &'k TurnOptions) -> Option<&'k str> {
        let known = self.conversation.fence_keys.0.of(&self.key_owner(options));
        known.or(options.new_fence_key.as_ref()).map(String::as_str)
    }

    /// Whether a turn's prompt is fenced but its member has no key yet.
    pub fn lacks_fence_key(&self, options: &TurnOptions) -> Result<bool, Error> {
        let is_fenced = self.assembler(options.assembler)?.markers() == Markers::Fence;
        Ok(is_fenced && self.fence_key(options).is_none())
    }

    /// Stores the key of a member whose prompt was made with it.
    pub fn keep_fence_key(&mut self, options: &TurnOptions, key: String) {
        let owner = self.key_owner(options);
        self.conversation.fence_keys.0.keep(owner, key);
    }

    fn key_owner(&self, options: &TurnOptions) -> String {
        self.conversation.owner(options.recipient.as_deref().unwrap_or(&options.agent_id))
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
        let mut members = Members::default();
        let mut learn = |id: &str, name: &str| {
            let before = members.learned.len();
            members.learn(id, [name, ""]);
            keys.follow(&members, before);
            keys.records()
        };
        learn("u1", "SARAH");
        learn("u2", "nobody");
        assert_eq!(learn("max", ""), [record("max", OTHER), record("u1", ONE)]);
        assert_eq!(learn("u2", "max"), [record("max", OTHER), record("u1", ONE)]);
        learn("u3", "shared");
        learn("u4", "shared");
        keys.0.keep("shared".to_owned(), ONE.to_owned());
        let before = members.learned.len();
        members.learn("shared", ["", ""]);
        keys.follow(&members, before);
        assert!(keys.record("shared").is_none(), "it was for two others");
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
