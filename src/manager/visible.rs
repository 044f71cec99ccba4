//! Which messages of a conversation each recipient may see, kept from turn to turn.
//!
//! 1. The rule is [`crate::visibility`]'s. Here is what it is asked about: the members, and the
//!    lists of addressees that occur, each by a number.
//! 2. For each recipient that was asked for lately, the visible messages are listed. A list is
//!    extended by the messages that were added since, so a turn does not look at older ones.
//! 3. What is learned of a member may change who is meant by an addressee. The lists for which
//!    that makes a difference are made anew.

use super::message::Envelope;
use crate::visibility::members::{Addressee, Members, Who};
use crate::visibility::{folded, may_be_a_list};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Lists are kept for so many recipients.
const MAX_RECIPIENTS: usize = 64;

/// Who wrote a message and whom it is for, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Concerned {
    /// The member who wrote it.
    pub sender: u32,
    /// The list of its addressees.
    pub audience: u32,
}

/// The members of a conversation, and what they may see of it.
#[derive(Debug, Default)]
pub struct Visibility {
    members: Members,
    /// Lists of addressees, by their numbers.
    audiences: Vec<Vec<Addressee>>,
    numbers: HashMap<Vec<Addressee>, u32>,
    /// In which lists of addressees a name occurs.
    with_name: HashMap<Box<str>, Vec<u32>>,
    /// What recipients may see, the one that was asked for last at the end.
    views: RefCell<Vec<RecipientView>>,
}

/// What one recipient may see.
#[derive(Debug)]
struct RecipientView {
    /// As names are compared.
    recipient: String,
    who: Who,
    /// How many changes of names are taken into account.
    changes: usize,
    /// For each list of addressees, whether the recipient is among them.
    is_addressed: Vec<bool>,
    /// The visible messages, oldest first.
    visible: Rc<Vec<u32>>,
    /// How many messages were looked at.
    looked_at: usize,
}

impl Visibility {
    /// Takes note of the speaker and the addressees of a message. Returns their numbers.
    #[cold]
    #[inline(never)]
    pub fn learn(&mut self, Envelope { speaker, addressees }: &Envelope) -> Concerned {
        let sender = self.members.learn(&speaker.id, [&speaker.name, &speaker.display_name]);
        let audience = match self.numbers.get(addressees) {
            Some(number) => *number,
            None => self.add_audience(addressees),
        };
        Concerned { sender, audience }
    }

    fn add_audience(&mut self, addressees: &[Addressee]) -> u32 {
        let number = self.audiences.len() as u32;
        self.audiences.push(addressees.to_vec());
        self.numbers.insert(addressees.to_vec(), number);
        for name in addressees.iter().flat_map(Addressee::names) {
            self.with_name.entry(name.into()).or_default().push(number);
        }
        number
    }

    /// The messages that a recipient may see, oldest first. `messages` has all of them.
    pub fn visible<M>(
        &self,
        recipient: &str,
        messages: &[M],
        concerned: impl Fn(&M) -> Concerned,
    ) -> Rc<Vec<u32>> {
        let recipient = folded(recipient);
        let mut views = self.views.borrow_mut();
        let known = views.iter().position(|view| view.recipient == recipient);
        let known = known.map(|at| views.remove(at)).filter(|view| self.is_valid(view));
        let mut view = known.unwrap_or_else(|| RecipientView {
            who: self.members.who(&recipient),
            recipient,
            changes: 0,
            is_addressed: Vec::new(),
            visible: Rc::default(),
            looked_at: 0,
        });
        self.extend(&mut view, messages, concerned);
        let visible = Rc::clone(&view.visible);
        if views.len() >= MAX_RECIPIENTS {
            views.remove(0);
        }
        views.push(view);
        visible
    }

    /// Every name of the member that this is a name of, its id first; as names are compared.
    pub fn names_like(&self, name: &str) -> Vec<String> {
        let name = folded(name);
        self.members.names_like(&name).into_iter().map(str::to_owned).collect()
    }

    /// The member with this id, if it has spoken. Another one who happens to have it as a name is
    /// not meant.
    pub fn member_with_id(&self, id: &str) -> Option<u32> {
        self.members.with_id(&folded(id))
    }

    /// Whether what was learned since makes no difference to a view.
    fn is_valid(&self, view: &RecipientView) -> bool {
        let is_same = |audience: &u32| {
            let before = view.is_addressed.get(*audience as usize);
            before.is_none_or(|before| *before == self.is_for(*audience, &view.who))
        };
        self.members.who(&view.recipient) == view.who
            && self.members.changed_after(view.changes).iter().all(|name| {
                // Other names of a list may be joined to one that has a separator in it.
                let audiences = self.with_name.get(name).map(Vec::as_slice).unwrap_or_default();
                !may_be_a_list(name) && audiences.iter().all(is_same)
            })
    }

    fn is_for(&self, audience: u32, who: &Who) -> bool {
        let addressees = self.audiences.get(audience as usize);
        addressees.is_some_and(|addressees| self.members.is_for(addressees, who))
    }

    /// Looks at what was added since.
    fn extend<M>(
        &self,
        view: &mut RecipientView,
        messages: &[M],
        concerned: impl Fn(&M) -> Concerned,
    ) {
        let RecipientView { who, changes, is_addressed, visible, looked_at, .. } = view;
        *changes = self.members.changes();
        let new_audiences = is_addressed.len()..self.audiences.len();
        is_addressed.extend(new_audiences.map(|number| self.is_for(number as u32, who)));
        let added = messages.get(*looked_at..).unwrap_or_default();
        if added.is_empty() {
            return;
        }
        // A window of an earlier turn would keep its own copy; there is none between turns.
        let list = Rc::make_mut(visible);
        for (message, index) in added.iter().zip(*looked_at as u32..) {
            let Concerned { sender, audience } = concerned(message);
            let is_own = *who == Who::Member(sender);
            if is_own || is_addressed.get(audience as usize).copied().unwrap_or(false) {
                list.push(index);
            }
        }
        *looked_at = messages.len();
    }

    /// About how many bytes of memory this holds.
    pub fn memory_bytes(&self) -> usize {
        let of_view = |view: &RecipientView| {
            view.visible.capacity() * size_of::<u32>() + view.is_addressed.capacity()
        };
        let views: usize = self.views.borrow().iter().map(of_view).sum();
        // Each list of addressees is there twice, and its names a third time.
        let audiences = self.audiences.len() * 6 * size_of::<Addressee>();
        views + audiences + self.members.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manager::message::Speaker;

    struct Said(Vec<Concerned>, Visibility);

    impl Said {
        fn say(&mut self, id: &str, name: &str, to: &[&str]) {
            let speaker = Speaker { id: id.into(), name: name.into(), ..Speaker::default() };
            let addressees = to.iter().map(|name| Addressee::Text(name.to_string())).collect();
            let concerned = self.1.learn(&Envelope { speaker, addressees });
            self.0.push(concerned);
        }

        fn seen(&self, recipient: &str) -> Vec<u32> {
            self.1.visible(recipient, &self.0, |message| *message).to_vec()
        }
    }

    fn nothing_said() -> Said {
        Said(Vec::new(), Visibility::default())
    }

    #[test]
    fn views_follow_what_is_added_and_learned() {
        let mut said = nothing_said();
        said.say("kai", "", &["Sarah"]);
        said.say("kai", "", &["u1"]);
        said.say("kai", "", &[]);
        assert_eq!(said.seen("u1"), [1, 2]);
        assert_eq!(said.seen("SARAH "), [0, 2]);
        said.say("u1", "Sarah", &["kai"]);
        assert_eq!(said.seen("u1"), [0, 1, 2, 3]);
        assert_eq!(said.seen("sarah"), [0, 1, 2, 3]);
        said.say("u2", "Sarah", &["kai"]);
        assert_eq!(said.seen("u1"), [1, 2, 3], "now there are two of that name");
        assert_eq!(said.seen("sarah"), [0, 2]);
        assert_eq!(said.seen("u2"), [2, 4]);
        assert_eq!(said.seen("kai"), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_name_with_a_comma_that_is_learned_later_is_taken_into_account() {
        let mut said = nothing_said();
        said.say("kai", "", &["Smith, John"]);
        said.say("u1", "John", &["kai"]);
        assert_eq!(said.seen("john"), [0, 1]);
        said.say("u2", "Smith, John", &["kai"]);
        assert_eq!(said.seen("john"), [1]);
        assert_eq!(said.seen("u2"), [0, 2]);
    }

    #[test]
    fn views_are_extended_not_made_anew() {
        let mut said = nothing_said();
        for _ in 0..100 {
            said.say("kai", "", &["max"]);
        }
        assert_eq!(said.seen("max").len(), 100);
        said.say("kai", "", &["max"]);
        said.say("eve", "Eve", &["kai"]);
        let looked_at = std::cell::Cell::new(0);
        let concerned = |message: &Concerned| {
            looked_at.set(looked_at.get() + 1);
            *message
        };
        assert_eq!(said.1.visible("max", &said.0, concerned).len(), 101);
        assert_eq!(looked_at.get(), 2);
    }

    #[test]
    fn so_many_recipients_are_remembered_and_no_more() {
        let mut said = nothing_said();
        said.say("kai", "", &[]);
        for number in 0..3 * MAX_RECIPIENTS {
            assert_eq!(said.seen(&format!("m{number}")), [0]);
        }
        assert_eq!(said.1.views.borrow().len(), MAX_RECIPIENTS);
        assert!(said.1.memory_bytes() > 0);
    }
}
