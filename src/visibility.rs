//! Who may see which message; no other module decides it.
//!
//! 1. A message is visible to its sender and to everyone it is addressed to. A message addressed to
//!    `all`, or to nobody in particular, is visible to everyone.
//! 2. [`names`] defines how names compare and how a list of them is read. Nobody has a blank name.
//! 3. Messages that a caller passes have only names: see [`Recipient`]. In a kept conversation, a
//!    member has an id and other names: see [`members`]. There, who an addressee means is decided
//!    once and kept: see [`audience`].

pub mod audience;
pub mod members;
pub mod names;

use crate::layout::EVERYONE;
use crate::text::trim_js;
use names::WholeNames;
pub use names::folded;

/// Who a message is for, in the form of a caller's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressedTo {
    /// A name, or a list of names; blank for everyone.
    Text(String),
    /// The elements of an array, each a single name; empty for everyone.
    Names(Vec<String>),
}

/// A reader of a conversation that the caller passes. Only the names in the messages are known.
#[derive(Debug)]
pub struct Recipient {
    name: String,
    /// Names of the reader and the senders that have separators in them.
    whole_names: WholeNames,
}

impl Recipient {
    /// The reader with this name.
    pub fn new(name: &str) -> Self {
        let name = folded(name);
        let mut whole_names = WholeNames::default();
        whole_names.learn(&name);
        Recipient { name, whole_names }
    }

    /// Learns a sender. Returns whether an examined message may now have to be read differently.
    pub fn learn(&mut self, sender: &str) -> bool {
        names::may_be_a_list(sender) && self.whole_names.learn(&folded(sender))
    }

    /// Whether this reader may see a message.
    pub fn may_see(&self, from: &str, to: &AddressedTo) -> bool {
        let is_mine = |name: &str| !name.is_empty() && name == self.name;
        let is_for_me = |name: &str| is_mine(name) || name == EVERYONE;
        let is_addressed = match to {
            AddressedTo::Text(text) if trim_js(text).is_empty() => true,
            AddressedTo::Text(text) => {
                let list = folded(text);
                self.whole_names.names_in(&list).into_iter().any(is_for_me)
            }
            AddressedTo::Names(names) if names.is_empty() => true,
            AddressedTo::Names(names) => names.iter().any(|name| is_for_me(&folded(name))),
        };
        is_addressed || is_mine(&folded(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_see(recipient: &str, from: &str, to: &str) -> bool {
        Recipient::new(recipient).may_see(from, &AddressedTo::Text(to.into()))
    }

    #[test]
    fn a_message_is_visible_to_its_sender_and_addressees() {
        for (from, to, seen) in [
            ("max", "", true),
            ("max", "all", true),
            ("max", " ALL ", true),
            ("max", "sarah", true),
            ("max", "carol, SARAH", true),
            ("max", "carol，sarah", true),
            ("max", "carol、 Sarah", true),
            ("max", "carol，all", true),
            ("Sarah ", "max", true),
            ("max", "carol", false),
            ("max", "sarahs, carol", false),
            ("max", ",", false),
        ] {
            assert_eq!(may_see("Sarah", from, to), seen, "{from} -> {to}");
        }
        assert!(!may_see("", "", "max"), "a blank name is nobody's");
        assert!(!may_see(" ", "max", "a, ,b"));
    }

    #[test]
    fn a_name_with_a_comma_is_matched_whole_first() {
        assert!(may_see("smith, john", "max", "Smith, John"));
        assert!(may_see("Smith, John", "max", "max, Smith, John, sarah"));
        assert!(!may_see("Smith, John", "max", "Smith"));
        assert!(!may_see("Smith, John", "max", "John, Smith"));
        assert!(may_see("john", "max", "Smith, John"), "nobody is known by the whole");

        let mut john = Recipient::new("john");
        assert!(!john.learn("Sarah"));
        assert!(john.learn("SMITH, John"));
        assert!(!john.learn("smith, john"), "it is known already");
        let sees = |to: &str| john.may_see("max", &AddressedTo::Text(to.into()));
        assert!(!sees("Smith, John"));
        assert!(!sees("max, Smith, John"));
        assert!(sees("Smith, John, John"));
    }

    #[test]
    fn an_element_of_an_array_is_one_name() {
        let sees = |recipient: &str, names: &[&str]| {
            let names = names.iter().map(|name| name.to_string()).collect();
            Recipient::new(recipient).may_see("max", &AddressedTo::Names(names))
        };
        assert!(sees("john", &["Smith, John", "JOHN "]));
        assert!(!sees("john", &["Smith, John"]));
        assert!(sees("smith, john", &["Smith, John"]));
        assert!(sees("john", &["x", "All"]));
        assert!(sees("john", &[]));
    }

    #[test]
    fn a_long_list_is_read_quickly() {
        let list = "a, b, ".repeat(20_000);
        assert!(!may_see("Smith, John", "max", &list));
        assert!(!may_see(&format!("{list}c"), "max", &list));
        assert!(may_see(&list, "max", &list));
    }
}
