//! Who a message is for: decided once, when its addressees are first read.
//!
//! 1. A name means the one who has it at that moment ([`Members::who`]). Joining, leaving or
//!    renaming later changes nothing.
//! 2. A name that nobody has at that moment waits. It means the first to speak under it afterwards,
//!    and until then a recipient who is asked for by it.
//! 3. A text may be a list. A known name with separators in it is matched whole first. Somebody who
//!    later speaks under such a name is meant if the text contains it and not all of its parts are
//!    decided yet.
//! 4. An addressee given as an object is one member. If one of its ids is known, that decides. If
//!    nobody has its ids yet, it waits for somebody to speak with one of them: a member who merely
//!    has the same name is not meant.

use super::members::{Members, Who};
use super::names::{folded, has_run, may_be_a_list, pieces};
use crate::layout::EVERYONE;
use serde::{Deserialize, Serialize};

/// Somebody a message is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Addressee {
    /// A name, or a list of names.
    Text(String),
    /// An object.
    Member {
        /// The name in prompts.
        shown: String,
        /// Its identifiers, best first.
        ids: Vec<String>,
        /// Another name for it.
        name: Option<String>,
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
}

/// Who a message is for. Names are folded for comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Audience {
    /// Whether it is for everyone.
    pub everyone: bool,
    /// Members, by number, ascending.
    pub members: Vec<u32>,
    /// Names that several members shared.
    pub shared: Vec<Box<str>>,
    /// Names that nobody had.
    pub waiting: Vec<Waiting>,
}

/// A name that nobody had.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged, expecting = "an object with text and open, or with ids and name")]
pub enum Waiting {
    /// A text, which may be a list.
    Text {
        /// All of it.
        text: Box<str>,
        /// The names in it that nobody had.
        open: Vec<Box<str>>,
    },
    /// An object.
    Member {
        /// Its ids.
        ids: Vec<Box<str>>,
        /// Its name, if nobody had it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<Box<str>>,
    },
}

impl Waiting {
    /// Whether this means somebody of whom only this name is known.
    fn means(&self, wanted: &str) -> bool {
        match self {
            Waiting::Text { text, open } => {
                let is_open = |name: &str| open.iter().any(|open| **open == *name);
                is_open(wanted)
                    || may_be_a_list(wanted) && pieces(wanted).any(is_open) && has_run(text, wanted)
            }
            Waiting::Member { ids, name } => ids.iter().chain(name).any(|known| **known == *wanted),
        }
    }

    /// Whether this means a member who first speaks under this name.
    fn means_speaker(&self, wanted: &str, is_id: bool) -> bool {
        match self {
            Waiting::Text { .. } => self.means(wanted),
            Waiting::Member { ids, name } => {
                let best = ids.first().or(name.as_ref()).map(|best| &**best);
                best == Some(wanted) || is_id && ids.iter().any(|id| **id == *wanted)
            }
        }
    }

    /// The names it waits for.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let (names, name) = match self {
            Waiting::Text { open, .. } => (open, None),
            Waiting::Member { ids, name } => (ids, name.as_ref().filter(|_| ids.is_empty())),
        };
        names.iter().chain(name).map(|name| &**name)
    }
}

impl Audience {
    /// Who these addressees mean now. A message without addressees is for everyone, or for nobody
    /// if it is private.
    pub fn decide(members: &Members, addressees: &[Addressee], is_private: bool) -> Self {
        let mut audience =
            Audience { everyone: addressees.is_empty() && !is_private, ..Audience::default() };
        for addressee in addressees {
            match addressee {
                Addressee::Text(text) => audience.add_text(members, text),
                Addressee::Member { ids, name, .. } => {
                    audience.add_member(members, ids, name.as_deref());
                }
            }
        }
        audience.sort();
        audience
    }

    fn add_text(&mut self, members: &Members, text: &str) {
        let text = folded(text);
        let mut open: Vec<Box<str>> = Vec::new();
        for name in members.whole_names.names_in(&text) {
            match members.who(name) {
                _ if name == EVERYONE => self.everyone = true,
                Who::Unknown(name) => open.push(name.into()),
                who => self.add(who),
            }
        }
        if !open.is_empty() {
            open.sort();
            open.dedup();
            self.waiting.push(Waiting::Text { text: text.into(), open });
        }
    }

    fn add_member(&mut self, members: &Members, ids: &[String], name: Option<&str>) {
        let ids: Vec<String> = ids.iter().map(|id| folded(id)).collect();
        let name = name.map(folded);
        if ids.iter().chain(&name).all(|name| name == EVERYONE) {
            self.everyone = true;
        } else if let Some(member) = ids.iter().find_map(|id| members.with_id(id)) {
            self.members.push(*member);
        } else if let Some(best) = ids.first().or(name.as_ref()) {
            let unknown = |name: &String| match members.who(name) {
                Who::Unknown(name) => Some(name.into()),
                _ => None,
            };
            match members.who(best) {
                Who::Unknown(_) => self.waiting.push(Waiting::Member {
                    ids: ids.iter().filter_map(unknown).collect(),
                    name: name.as_ref().and_then(unknown),
                }),
                who => self.add(who),
            }
        }
    }

    fn add(&mut self, who: Who) {
        match who {
            Who::Member(member) => self.members.push(member),
            Who::Shared(name) => self.shared.push(name.into()),
            Who::Unknown(_) => {}
        }
    }

    fn sort(&mut self) {
        self.members.sort_unstable();
        self.members.dedup();
        self.shared.sort();
        self.shared.dedup();
    }

    /// Whether the message is for somebody.
    pub fn is_for(&self, who: &Who) -> bool {
        self.everyone
            || match who {
                Who::Member(member) => self.members.binary_search(member).is_ok(),
                Who::Shared(name) => self.shared.iter().any(|shared| **shared == **name),
                Who::Unknown(name) => {
                    !name.is_empty() && self.waiting.iter().any(|waiting| waiting.means(name))
                }
            }
    }

    /// Called when somebody speaks under a name that nobody had. Returns whether the message is for
    /// them.
    pub fn bind(&mut self, name: &str, is_id: bool, member: u32) -> bool {
        let before = self.waiting.len();
        let mut is_meant = false;
        self.waiting.retain_mut(|waiting| {
            if !waiting.means_speaker(name, is_id) {
                return true;
            }
            is_meant = true;
            let Waiting::Text { open, .. } = waiting else { return false };
            open.retain(|open| **open != *name && !pieces(name).any(|piece| **open == *piece));
            !open.is_empty()
        });
        if is_meant {
            self.members.push(member);
            self.sort();
        }
        debug_assert!(self.waiting.len() <= before);
        is_meant
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str) -> Addressee {
        Addressee::Text(name.into())
    }

    fn object(ids: &[&str], name: &str) -> Addressee {
        let ids: Vec<String> = ids.iter().map(|name| name.to_string()).collect();
        Addressee::Member { shown: String::new(), ids, name: Some(name.into()) }
    }

    fn known(members: &[(&str, &str)]) -> Members {
        let mut known = Members::default();
        for (id, name) in members {
            known.learn(id, [name, ""]);
        }
        known
    }

    /// Which of these recipients see a message to an addressee.
    fn seen_by<'r>(members: &Members, to: Addressee, recipients: &[&'r str]) -> Vec<&'r str> {
        let audience = Audience::decide(members, &[to], false);
        let sees = |name: &&&str| audience.is_for(&members.who(name));
        recipients.iter().filter(sees).copied().collect()
    }

    #[test]
    fn a_string_addresses_the_members_with_its_names() {
        let members = known(&[("u1", "Sarah"), ("u2", "Max"), ("u3", "Max"), ("max", "")]);
        let all = ["u1", "sarah", "u2", "u3", "max", "eve"];
        assert_eq!(seen_by(&members, text(" SARAH"), &all), ["u1", "sarah"]);
        assert_eq!(seen_by(&members, text("x、u1，Eve"), &all), ["u1", "sarah", "eve"]);
        assert_eq!(seen_by(&members, text("Max"), &all), ["max"]);
        assert_eq!(seen_by(&members, text("ALL"), &all), all);
        assert_eq!(seen_by(&members, text(","), &[",", "eve", ""]), [""; 0]);
        let everyone = Audience::decide(&members, &[], false);
        assert!(everyone.is_for(&Who::Unknown(String::new())));
        assert_eq!(Audience::decide(&members, &[], true), Audience::default());
    }

    #[test]
    fn a_name_with_a_comma_is_matched_whole_first() {
        let members = known(&[("u1", "John")]);
        let both = ["u1", "smith", "smith, john"];
        assert_eq!(seen_by(&members, text("Smith, John"), &both), both);
        let members = known(&[("u1", "John"), ("u2", "Smith, John")]);
        assert_eq!(seen_by(&members, text("Smith, John"), &["u1", "u2", "smith"]), ["u2"]);
        assert_eq!(seen_by(&members, text("x，Smith, John"), &["u1", "u2", "x"]), ["u2", "x"]);
    }

    #[test]
    fn an_object_addresses_one_member() {
        let members = known(&[("u1", "Sarah")]);
        let all = ["u1", "sarah", "u3", "sally"];
        assert_eq!(seen_by(&members, object(&["u1"], "x"), &all), ["u1", "sarah"]);
        assert_eq!(seen_by(&members, object(&["row-7", "u1"], "x"), &all), ["u1", "sarah"]);
        assert_eq!(seen_by(&members, object(&["u3"], "Sarah"), &all), ["u3"]);
        assert_eq!(seen_by(&members, object(&["u3"], "u1"), &all), ["u3"]);
        assert_eq!(seen_by(&members, object(&["u3"], "Sally"), &all), ["u3", "sally"]);
        assert_eq!(seen_by(&members, object(&[], "Sarah"), &all), ["u1", "sarah"]);
        let comma = object(&[], "Sally, u3");
        assert_eq!(seen_by(&members, comma, &["u3", "sally, u3"]), ["sally, u3"]);
        assert_eq!(seen_by(&members, object(&[], "all"), &all), all);
        assert_eq!(seen_by(&members, object(&["u3"], "all"), &all), ["u3"]);
    }

    #[test]
    fn an_unknown_name_waits_for_its_first_speaker() {
        let bound = |to: Addressee, name: &str, is_id: bool| {
            let mut audience = Audience::decide(&known(&[("u1", "John")]), &[to], false);
            audience.bind(name, is_id, 7).then_some((audience.members, audience.waiting.len()))
        };
        assert_eq!(bound(text("Sarah"), "sarah", false), Some((vec![7], 0)));
        assert_eq!(bound(text("Sarah, Max"), "max", true), Some((vec![7], 1)));
        assert_eq!(bound(text("Sarah, Max"), "sarah, max", true), Some((vec![7], 0)));
        assert_eq!(bound(text("a, b, c"), "b, c", true), Some((vec![7], 1)));
        assert_eq!(bound(text("Smith, John"), "smith, john", true), Some((vec![0, 7], 0)));
        assert_eq!(bound(text("John"), "john", true), None, "it is decided");
        assert_eq!(bound(object(&["u3", "x"], "Sally"), "u3", false), Some((vec![7], 0)));
        assert_eq!(bound(object(&["u3", "x"], "Sally"), "x", true), Some((vec![7], 0)));
        assert_eq!(bound(object(&["u3", "x"], "Sally"), "x", false), None);
        assert_eq!(bound(object(&["u3"], "Sally"), "sally", true), None);
        assert_eq!(bound(object(&[], "Sally"), "sally", false), Some((vec![7], 0)));
    }
}
