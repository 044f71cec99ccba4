use super::*;
use crate::manager::message::Speaker;

struct Said(Visibility);

impl Said {
    fn say(&mut self, id: &str, name: &str, to: &[&str]) {
        let speaker = Speaker { id: id.into(), name: name.into(), ..Speaker::default() };
        let addressees = to.iter().map(|name| Addressee::Text(name.to_string())).collect();
        let concerned = self.0.learn(&Envelope { speaker, addressees, is_private: false });
        self.0.push(concerned);
    }

    fn seen(&self, recipient: &str) -> Vec<u32> {
        self.0.visible(recipient).to_vec()
    }
}

fn nothing_said() -> Said {
    Said(Visibility::default())
}

#[test]
fn views_follow_new_messages_and_names() {
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
    said.say("kai", "", &["Sarah"]);
    assert_eq!(said.seen("u1"), [0, 1, 2, 3], "what was decided stays");
    assert_eq!(said.seen("sarah"), [2, 5], "now there are two of that name");
    assert_eq!(said.seen("u2"), [2, 4]);
    said.say("Sarah", "", &["kai"]);
    assert_eq!(said.seen("sarah"), [2, 6]);
    assert_eq!(said.seen("kai"), [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_name_with_a_comma_that_is_learned_later_is_matched() {
    let mut said = nothing_said();
    said.say("kai", "", &["x, Smith, John"]);
    said.say("kai", "", &["John"]);
    assert_eq!((said.seen("john"), said.seen("smith, john")), (vec![0, 1], vec![0]));
    said.say("u2", "Smith, John", &["kai"]);
    said.say("u1", "John", &["kai"]);
    assert_eq!(said.seen("john"), [1, 3]);
    assert_eq!(said.seen("u2"), [0, 2]);
}

#[test]
fn lists_follow_a_readdressed_message() {
    let mut said = nothing_said();
    for _ in 0..3 {
        said.say("kai", "", &[]);
    }
    assert_eq!((said.seen("a"), said.seen("b")), (vec![0, 1, 2], vec![0, 1, 2]));
    for name in ["a", "b"] {
        let audience = said.0.decide(&[Addressee::Text(name.into())], false);
        said.0.readdress(1, Concerned { audience, ..said.0.concerned(1) });
    }
    assert_eq!((said.seen("a"), said.seen("b")), (vec![0, 2], vec![0, 1, 2]));
    assert_eq!(said.seen("kai"), [0, 1, 2]);
}

#[test]
fn lists_follow_a_departure_under_a_name_that_is_learned_or_shared_later() {
    let mut said = nothing_said();
    said.say("kai", "", &["u2"]);
    said.0.depart("max", 1);
    said.say("kai", "", &["u2"]);
    assert_eq!(said.seen("u2"), [0, 1]);
    said.say("u2", "Max", &["kai"]);
    assert_eq!(said.seen("u2"), [1, 2], "the first message was for another Max");
    said.say("u3", "Max", &["kai"]);
    assert_eq!(said.seen("u2"), [0, 1, 2], "the name means nobody now");
}

#[test]
fn a_team_sees_messages_that_are_not_private() {
    let mut said = Said(Visibility::new(true));
    said.say("kai", "", &["a"]);
    said.say("kai", "", &["a"]);
    assert_eq!(said.seen("b"), [0, 1]);
    said.0.readdress(1, Concerned { is_private: true, ..said.0.concerned(1) });
    assert_eq!((said.seen("a"), said.seen("b")), (vec![0, 1], vec![0]));
    assert_eq!(said.seen("kai"), [0, 1]);
}

#[test]
fn lists_follow_the_removal_of_a_message() {
    let mut said = nothing_said();
    for to in ["a", "b", "ann", "a", "ann"] {
        said.say("kai", "", &[to]);
    }
    assert_eq!((said.seen("a"), said.seen("ann")), (vec![0, 3], vec![2, 4]));
    said.0.message_removed(1);
    assert_eq!((said.seen("a"), said.seen("ann")), (vec![0, 2], vec![1, 3]));
    said.0.message_removed(1);
    said.say("a", "ann", &["kai"]);
    assert_eq!(said.seen("a"), [0, 1, 2, 3]);
}

#[test]
fn lists_are_followed_and_not_rebuilt() {
    let mut said = nothing_said();
    for number in 0..100 {
        said.say("kai", "", &["max", &format!("name {number}")]);
    }
    said.say("kai", "", &["ann"]);
    said.say("max", "", &["kai"]);
    assert_eq!(said.seen("max").len(), 101);
    said.0.examined.set(0);
    for (count, name) in [(1, "ann"), (2, "name 7"), (3, "somebody")] {
        said.say("max", name, &["kai"]);
        // The message to ann is for max from now on.
        assert_eq!(said.seen("max").len(), 102 + count, "{name}");
        assert_eq!(said.0.examined.get(), count);
    }
}

#[test]
fn a_list_that_gets_many_messages_at_once_is_made_anew() {
    let mut said = nothing_said();
    said.say("max", "", &["kai"]);
    for number in 0..10 * MAX_FOLLOWED {
        said.say("kai", "", &[["ann", "lee"][number % 2]]);
    }
    assert_eq!(said.seen("max"), [0]);
    said.say("max", "Ann", &["kai"]);
    let seen = said.seen("max");
    assert_eq!(seen.len(), 2 + 5 * MAX_FOLLOWED);
    assert!(seen.is_sorted() && said.seen("lee").len() == 5 * MAX_FOLLOWED);
}

#[test]
fn the_number_of_cached_recipients_is_limited() {
    let mut said = nothing_said();
    said.say("kai", "", &[]);
    for number in 0..3 * MAX_RECIPIENTS {
        assert_eq!(said.seen(&format!("m{number}")), [0]);
    }
    assert_eq!(said.0.views.borrow().len(), MAX_RECIPIENTS);
    assert!(said.0.memory_bytes() > 0);
}
