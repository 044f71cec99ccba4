use super::*;
use crate::manager::message::Speaker;

struct Said(Vec<Concerned>, Visibility);

impl Said {
    fn say(&mut self, id: &str, name: &str, to: &[&str]) {
        let speaker = Speaker { id: id.into(), name: name.into(), ..Speaker::default() };
        let addressees = to.iter().map(|name| Addressee::Text(name.to_string())).collect();
        let concerned = self.1.learn(&Envelope { speaker, addressees, is_private: false });
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
    for name in ["a", "b"].repeat(MAX_CHANGES) {
        let before = said.0[1];
        said.0[1].audience = said.1.decide(&[Addressee::Text(name.into())], false);
        said.1.readdressed(1, before);
    }
    assert_eq!((said.seen("a"), said.seen("b")), (vec![0, 2], vec![0, 1, 2]));
    assert!(said.1.changes.len() <= MAX_CHANGES);
    assert_eq!(said.seen("kai"), [0, 1, 2]);
}

#[test]
fn lists_follow_a_departure_under_a_name_that_is_learned_or_shared_later() {
    let mut said = nothing_said();
    said.say("kai", "", &["u2"]);
    said.1.depart("max", 1);
    said.say("kai", "", &["u2"]);
    assert_eq!(said.seen("u2"), [0, 1]);
    said.say("u2", "Max", &["kai"]);
    assert_eq!(said.seen("u2"), [1, 2], "the first message was for another Max");
    said.say("u3", "Max", &["kai"]);
    assert_eq!(said.seen("u2"), [0, 1, 2], "the name means nobody now");
}

#[test]
fn a_team_sees_messages_that_are_not_private() {
    let mut said = Said(Vec::new(), Visibility::new(true));
    said.say("kai", "", &["a"]);
    said.say("kai", "", &["a"]);
    said.0[1].is_private = true;
    assert_eq!((said.seen("a"), said.seen("b")), (vec![0, 1], vec![0]));
    assert_eq!(said.seen("kai"), [0, 1]);
}

#[test]
fn views_are_extended_and_not_rebuilt() {
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
fn the_number_of_cached_recipients_is_limited() {
    let mut said = nothing_said();
    said.say("kai", "", &[]);
    for number in 0..3 * MAX_RECIPIENTS {
        assert_eq!(said.seen(&format!("m{number}")), [0]);
    }
    assert_eq!(said.1.views.borrow().len(), MAX_RECIPIENTS);
    assert!(said.1.memory_bytes() > 0);
}
