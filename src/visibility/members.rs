//! The members of a conversation that is kept: who is known by which names.
//!
//! 1. A member has an id. Whoever speaks with this id is the member, and is from then on also
//!    known by the name and the display name of that speaker.
//! 2. A name means the member whose id it is. If it is nobody's id, it means the member who is
//!    known by it, if there is just one.
//! 3. A name that several members share means none of them: they are known by their ids. A
//!    message to that name is seen by a recipient who is asked for by the same name.
//! 4. An addressee that is an object is one member. If one of its fields is an id that is
//!    known, that decides. If it has an id that is not known, no member is meant who happens to
//!    have the same name.

use super::{folded, names_in, pieces_in};
use crate::layout::EVERYONE;
use crate::text::trim_js;
use std::collections::HashMap;

/// Somebody whom a message is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Addressee {
    /// A name, or a list of names.
    Text(String),
    /// An object.
    Member {
        /// The name in prompts.
        shown: String,
        /// All its names, the one that identifies it best first.
        names: Vec<String>,
    },
}

impl Addressee {
    /// The name in prompts.
    pub fn shown(&self) -> &str {
        match self {
            Addressee::Text(text) => text,
            Addressee::Member { shown, .. } => shown,
        }
    }

    /// Every name on which it depends who this is, as names are compared.
    pub fn names(&self) -> Vec<String> {
        match self {
            Addressee::Text(text) => names_in(text, 1, |_| false),
            Addressee::Member { names, .. } => names.iter().map(|name| folded(name)).collect(),
        }
    }
}

/// Whom a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Who {
    /// A member, by number.
    Member(u32),
    /// Somebody of whom only this name is known, or a name that several share.
    Name(String),
}

/// Everybody who has spoken.
#[derive(Debug, Default)]
pub struct Members {
    by_id: HashMap<Box<str>, u32>,
    /// By all other names; `None` for a name that several members share.
    by_name: HashMap<Box<str>, Option<u32>>,
    /// Every name whose meaning has changed, in that order.
    changed: Vec<Box<str>>,
    /// All names of each member, its id first.
    names: Vec<Vec<Box<str>>>,
    most_pieces: usize,
}

impl Members {
    /// Takes note of a speaker. Returns the number of the member.
    pub fn learn(&mut self, id: &str, names: [&str; 2]) -> u32 {
        let id = folded(id);
        let member = match self.by_id.get(id.as_str()) {
            Some(member) => *member,
            None => {
                let member = self.by_id.len() as u32;
                self.by_id.insert(id.as_str().into(), member);
                self.names.push(vec![id.as_str().into()]);
                self.note_change(&id);
                member
            }
        };
        for name in names.map(folded) {
            if name.is_empty() || name == id {
                continue;
            }
            let known = self.by_name.get(name.as_str()).copied();
            let meant = match known {
                None => Some(member),
                Some(same) if same == Some(member) => continue,
                Some(None) => continue,
                Some(Some(_)) => None,
            };
            self.by_name.insert(name.as_str().into(), meant);
            if let Some(names) = self.names.get_mut(member as usize) {
                names.push(name.as_str().into());
            }
            self.note_change(&name);
        }
        member
    }

    fn note_change(&mut self, name: &str) {
        self.most_pieces = self.most_pieces.max(pieces_in(name));
        self.changed.push(name.into());
    }

    /// Every name whose meaning has changed after the first `count` changes.
    pub fn changed_after(&self, count: usize) -> &[Box<str>] {
        self.changed.get(count..).unwrap_or_default()
    }

    /// How many changes there were.
    pub fn changes(&self) -> usize {
        self.changed.len()
    }

    /// Whom a name means; as names are compared.
    pub fn who(&self, name: &str) -> Who {
        match self.member(name) {
            Some(member) => Who::Member(member),
            None => Who::Name(name.to_owned()),
        }
    }

    /// Every name that means the same as this one, an id first; as names are compared.
    pub fn names_like<'m>(&'m self, name: &'m str) -> Vec<&'m str> {
        let Some(member) = self.member(name) else { return vec![name] };
        let names = self.names.get(member as usize).into_iter().flatten();
        names.map(|name| &**name).filter(|name| self.member(name) == Some(member)).collect()
    }

    /// The member with this id; as names are compared.
    pub fn with_id(&self, id: &str) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    fn member(&self, name: &str) -> Option<u32> {
        self.with_id(name).or_else(|| self.by_name.get(name).copied().flatten())
    }

    /// Whether a message to these addressees is for somebody.
    pub fn is_for(&self, addressees: &[Addressee], who: &Who) -> bool {
        let is_everyone = addressees.iter().all(|addressee| trim_js(addressee.shown()).is_empty());
        is_everyone || addressees.iter().any(|addressee| self.is_addressed(addressee, who))
    }

    fn is_addressed(&self, addressee: &Addressee, who: &Who) -> bool {
        let is_meant = |name: &str| match (self.member(name), who) {
            (Some(meant), Who::Member(member)) => meant == *member,
            (None, Who::Name(wanted)) => wanted == name,
            _ => false,
        };
        match addressee {
            Addressee::Text(text) => {
                let asked = if let Who::Name(name) = who { name.as_str() } else { "" };
                let is_name = |name: &str| {
                    name == asked
                        || self.by_id.contains_key(name)
                        || self.by_name.contains_key(name)
                };
                let most_pieces = self.most_pieces.max(pieces_in(asked));
                let names = names_in(text, most_pieces, is_name);
                names.iter().any(|name| name == EVERYONE || is_meant(name))
            }
            Addressee::Member { names, .. } => {
                let names: Vec<String> = names.iter().map(|name| folded(name)).collect();
                if names.iter().all(|name| name == EVERYONE) {
                    return true;
                }
                let known = names.iter().find_map(|name| self.by_id.get(name.as_str()));
                if let Some(known) = known {
                    return *who == Who::Member(*known);
                }
                let [best, others @ ..] = names.as_slice() else { return false };
                // Of somebody who is not known, any name will do that nobody else has.
                let is_unknown = self.member(best).is_none();
                let is_free = |name: &str| !self.by_name.contains_key(name);
                is_meant(best)
                    || is_unknown && others.iter().any(|name| is_free(name) && is_meant(name))
            }
        }
    }

    /// About how many bytes of memory this holds.
    pub fn memory_bytes(&self) -> usize {
        let names = self.by_id.len() + self.by_name.len() + 2 * self.changed.len();
        names * (size_of::<(Box<str>, Option<u32>)>() + 16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str) -> Addressee {
        Addressee::Text(name.into())
    }

    fn object(names: &[&str]) -> Addressee {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        Addressee::Member { shown: names[0].clone(), names }
    }

    /// Which of these recipients see a message to an addressee.
    fn seen_by<'r>(members: &Members, to: Addressee, recipients: &[&'r str]) -> Vec<&'r str> {
        let sees = |name: &&&str| members.is_for(std::slice::from_ref(&to), &members.who(name));
        recipients.iter().filter(sees).copied().collect()
    }

    #[test]
    fn a_member_is_known_by_all_its_names() {
        let mut members = Members::default();
        assert_eq!(members.who("u1"), Who::Name("u1".into()));
        assert_eq!(members.learn("U1 ", ["Sarah", "Sarah L."]), 0);
        assert_eq!(members.learn("u2", ["Max", ""]), 1);
        for name in ["u1", "sarah", "sarah l."] {
            assert_eq!(members.who(name), Who::Member(0), "{name}");
        }
        for to in ["u1", " SARAH", "max, Sarah l.", "x、u1"] {
            assert_eq!(seen_by(&members, text(to), &["u1", "sarah", "eve"]), ["u1", "sarah"]);
        }
        assert_eq!(seen_by(&members, text("ALL"), &["u1", "eve"]), ["u1", "eve"]);
        assert!(members.is_for(&[], &Who::Name(String::new())));
    }

    #[test]
    fn an_id_goes_before_a_name_and_a_shared_name_means_nobody() {
        let mut members = Members::default();
        members.learn("u1", ["Sarah", "Engineer"]);
        members.learn("u2", ["Max", "Engineer"]);
        members.learn("max", ["Somebody", ""]);
        let all = ["u1", "u2", "max", "engineer"];
        assert_eq!(seen_by(&members, text("max"), &all), ["max"]);
        assert_eq!(seen_by(&members, text("Engineer"), &all), ["engineer"]);
        assert_eq!(members.who("engineer"), Who::Name("engineer".into()));
        // The third one changes nothing more.
        members.learn("u3", ["Engineer", "Engineer"]);
        assert_eq!(seen_by(&members, text("Engineer"), &all), ["engineer"]);
    }

    #[test]
    fn a_known_name_with_a_comma_is_no_list() {
        let mut members = Members::default();
        members.learn("u1", ["John", ""]);
        assert_eq!(
            seen_by(&members, text("Smith, John"), &["u1", "smith, john"]),
            ["u1", "smith, john"]
        );
        members.learn("u2", ["Smith, John", ""]);
        let both = ["u1", "u2", "john", "smith, john"];
        assert_eq!(seen_by(&members, text("Smith, John"), &both), ["u2", "smith, john"]);
        assert_eq!(seen_by(&members, text("x，Smith, John"), &both), ["u2", "smith, john"]);
    }

    #[test]
    fn an_object_is_one_member() {
        let mut members = Members::default();
        members.learn("u1", ["Sarah", ""]);
        let all = ["u1", "sarah", "u3", "sally"];
        assert_eq!(seen_by(&members, object(&["u1", "x"]), &all), ["u1", "sarah"]);
        assert_eq!(seen_by(&members, object(&["row-7", "u1"]), &all), ["u1", "sarah"]);
        assert_eq!(seen_by(&members, object(&["u3", "Sarah"]), &all), ["u3"]);
        assert_eq!(seen_by(&members, object(&["u3", "Sally"]), &all), ["u3", "sally"]);
        assert_eq!(seen_by(&members, object(&["Sarah"]), &all), ["u1", "sarah"]);
        assert_eq!(seen_by(&members, object(&["Sally, u3"]), &["u3", "sally, u3"]), ["sally, u3"]);
        assert_eq!(seen_by(&members, object(&["all"]), &all), all);
        assert_eq!(seen_by(&members, object(&["u3", "all"]), &all), ["u3"]);
    }

    #[test]
    fn changes_are_noted_once() {
        let mut members = Members::default();
        members.learn("a", ["x", "A"]);
        members.learn("a", ["x", ""]);
        members.learn("b", ["x", ""]);
        members.learn("c", ["x", ""]);
        let changed: Vec<&str> = members.changed_after(0).iter().map(|name| &**name).collect();
        assert_eq!(changed, ["a", "x", "b", "x", "c"]);
        assert!(members.changed_after(members.changes()).is_empty());
    }
}
