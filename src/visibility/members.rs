//! The members of a kept conversation: who is known by which names.
//!
//! 1. A member has an id. Anyone who speaks with this id is the member, who is then also known by
//!    that speaker's name and display name. Nothing is forgotten: a renamed member is known by both
//!    names.
//! 2. A name means the member whose id it is. If it is nobody's id, it means the only member known
//!    by it.
//! 3. A name that several members share means none of them; only their ids do. A recipient asked
//!    for by the shared name sees messages to that name.

use super::names::{WholeNames, folded};
use std::collections::HashMap;

/// Who a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Who {
    /// A member, by number.
    Member(u32),
    /// Several members share this name.
    Shared(String),
    /// Nobody has spoken under this name.
    Unknown(String),
}

/// A name under which a member became known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedName {
    /// The member.
    pub member: u32,
    /// Folded for comparison.
    pub name: Box<str>,
    /// Whether nobody was known by it before.
    pub is_first: bool,
}

/// Everybody who has spoken.
#[derive(Debug, Default)]
pub struct Members {
    by_id: HashMap<Box<str>, u32>,
    /// By all other names; `None` for a name that several members share.
    by_name: HashMap<Box<str>, Option<u32>>,
    /// All names of each member, its id first; folded.
    names: Vec<Vec<Box<str>>>,
    /// Every name whose meaning changed, in order: learning them in this order leads to the same
    /// knowledge.
    pub learned: Vec<LearnedName>,
    /// Names that have separators in them.
    pub whole_names: WholeNames,
}

impl Members {
    /// Learns a speaker. Returns the number of the member.
    pub fn learn(&mut self, id: &str, names: [&str; 2]) -> u32 {
        let id = folded(id);
        let member = match self.by_id.get(id.as_str()) {
            Some(member) => *member,
            None => {
                let member = self.names.len() as u32;
                let is_first = !self.by_name.contains_key(id.as_str());
                self.by_id.insert(id.as_str().into(), member);
                self.names.push(vec![id.as_str().into()]);
                self.note(member, &id, is_first);
                member
            }
        };
        for name in names.map(folded) {
            if name.is_empty() || name == id {
                continue;
            }
            let Some(meant) = self.meant_after(&name, member) else { continue };
            let is_first = meant.is_some() && !self.by_id.contains_key(name.as_str());
            self.by_name.insert(name.as_str().into(), meant);
            if let Some(names) = self.names.get_mut(member as usize) {
                names.push(name.as_str().into());
            }
            self.note(member, &name, is_first);
        }
        member
    }

    /// Who a name other than an id means once this member has spoken under it; `None` if that is
    /// known already.
    fn meant_after(&self, name: &str, member: u32) -> Option<Option<u32>> {
        match self.by_name.get(name).copied() {
            None => Some(Some(member)),
            Some(Some(other)) if other != member => Some(None),
            Some(_) => None,
        }
    }

    fn note(&mut self, member: u32, name: &str, is_first: bool) {
        self.whole_names.learn(name);
        self.learned.push(LearnedName { member, name: name.into(), is_first });
    }

    /// Who a folded name means.
    pub fn who(&self, name: &str) -> Who {
        match (self.with_id(name), self.by_name.get(name)) {
            (Some(member), _) | (None, Some(Some(member))) => Who::Member(*member),
            (None, Some(None)) => Who::Shared(name.to_owned()),
            (None, None) => Who::Unknown(name.to_owned()),
        }
    }

    /// Every name with the same meaning as this one, the id first; folded.
    pub fn names_like<'m>(&'m self, name: &'m str) -> Vec<&'m str> {
        let who = self.who(name);
        let Who::Member(member) = who else { return vec![name] };
        let names = self.names.get(member as usize).into_iter().flatten();
        names.map(|name| &**name).filter(|name| self.who(name) == who).collect()
    }

    /// The member with this folded id.
    pub fn with_id(&self, id: &str) -> Option<&u32> {
        self.by_id.get(id)
    }

    /// The folded id of a member.
    pub fn id(&self, member: u32) -> &str {
        self.names.get(member as usize).and_then(|names| names.first()).map_or("", |id| id)
    }

    /// Approximate memory use in bytes.
    pub fn memory_bytes(&self) -> usize {
        let names = self.names.len() * 2 + self.by_name.len() + 2 * self.learned.len();
        names * (size_of::<(Box<str>, Option<u32>)>() + 16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_known_by_all_its_names() {
        let mut members = Members::default();
        assert_eq!(members.who("u1"), Who::Unknown("u1".into()));
        assert_eq!(members.learn("U1 ", ["Sarah", "Sarah L."]), 0);
        assert_eq!(members.learn("u2", ["Max", ""]), 1);
        assert_eq!(members.learn("u1", ["Sally", ""]), 0);
        for name in ["u1", "sarah", "sarah l.", "sally"] {
            assert_eq!(members.who(name), Who::Member(0), "{name}");
        }
        assert_eq!((members.id(0), members.id(9)), ("u1", ""));
    }

    #[test]
    fn an_id_takes_precedence_over_a_name_and_a_shared_name_means_nobody() {
        let mut members = Members::default();
        members.learn("u1", ["Sarah", "Engineer"]);
        members.learn("u2", ["Max", "Engineer"]);
        members.learn("max", ["Somebody", ""]);
        assert_eq!(members.who("max"), Who::Member(2));
        assert_eq!(members.who("engineer"), Who::Shared("engineer".into()));
        // A third member with that name changes nothing.
        let before = members.learned.len();
        members.learn("u3", ["Engineer", "Engineer"]);
        assert_eq!(members.who("engineer"), Who::Shared("engineer".into()));
        assert_eq!(members.learned.len(), before + 1);
        let is_first = |name: &str| {
            let learned = members.learned.iter().filter(|learned| &*learned.name == name);
            learned.map(|learned| learned.is_first).collect::<Vec<_>>()
        };
        assert_eq!(is_first("engineer"), [true, false]);
        assert_eq!(is_first("max"), [true, false]);
    }
}
