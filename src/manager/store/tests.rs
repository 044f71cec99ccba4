use super::*;
use crate::manager::message::Speaker;
use crate::manager::stored_messages::StoredFields;
use crate::parts::{MessagePart, PartKind};

fn from(speaker: &str, addressees: &[&str]) -> Envelope {
    let (id, name) = (speaker.to_owned(), speaker.to_uppercase());
    Envelope {
        speaker: Speaker { id, name, ..Speaker::default() },
        addressees: addressees.iter().map(|name| Addressee::Text(name.to_string())).collect(),
        is_private: false,
    }
}

fn saying(content: &str) -> MessageText<'_> {
    MessageText { content: content.into(), ..MessageText::default() }
}

fn add(conversation: &mut Conversation, envelope: &Envelope, text: &MessageText) -> u64 {
    conversation.add(envelope, text)
}

#[test]
fn messages_are_kept_as_lines_without_markers() {
    let mut conversation = Conversation::default();
    add(&mut conversation, &from("max", &[]), &saying("Hello [NEXT:sarah] there"));
    add(&mut conversation, &from("sarah", &["a", "b"]), &saying("你好\nthere"));
    assert_eq!(conversation.lines(0..2), "- MAX -> all: Hello there\n- SARAH -> a, b: 你好\nthere");
    assert_eq!(conversation.lines(1..2), "- SARAH -> a, b: 你好\nthere");
    assert_eq!(conversation.lines(1..1), "");
    let StoredFields { from, to, content } = conversation.message(1);
    assert_eq!((from, to, content), ("SARAH", "a, b", "你好\nthere"));
}

#[test]
fn a_message_can_have_the_envelope_of_an_earlier_one() {
    let mut conversation = Conversation::default();
    add(&mut conversation, &from("max", &["a", "b"]), &saying("one"));
    assert_eq!(conversation.add_like(0, &saying("two [NEXT:sarah]")), Some(2));
    assert_eq!(conversation.add_like(2, &saying("three")), None);
    assert_eq!(conversation.lines(0..2), "- MAX -> a, b: one\n- MAX -> a, b: two");
    assert!(conversation.is_by(1, "max"));
    assert_eq!(conversation.last_said("max", 2), Some(1));
}

#[test]
fn markers_stay_in_a_conversation_that_keeps_them() {
    let mut conversation = Conversation::new(ConversationOptions {
        keeps_markers: true,
        ..ConversationOptions::default()
    });
    let envelope = from("max", &[]);
    add(&mut conversation, &envelope, &saying("Hello [NEXT:sarah] there"));
    conversation.restore("msg-2", &envelope, &saying("[TEAM_TASK]\nbuild"));
    assert_eq!(
        conversation.lines(0..2),
        "- MAX -> all: Hello [NEXT:sarah] there\n- MAX -> all: [TEAM_TASK]\nbuild"
    );
}

#[test]
fn names_have_no_line_breaks_in_lines() {
    let mut conversation = Conversation::default();
    add(&mut conversation, &from("a\r\nb", &["x\u{2028}y", "z"]), &saying("hello"));
    add(&mut conversation, &from("max", &[]), &saying("hi"));
    assert_eq!(conversation.lines(0..2), "- A B -> x y, z: hello\n- MAX -> all: hi");
    let given = conversation.message(0);
    assert_eq!((given.from, given.to, given.content), ("A\r\nB", "x\u{2028}y, z", "hello"));
    let in_line = conversation.fields_in_line(0);
    assert_eq!((in_line.from, in_line.to, in_line.content), ("A B", "x y, z", "hello"));
    assert_eq!(conversation.message(1), conversation.fields_in_line(1));
    assert_eq!(conversation.given_names(1), None);
}

#[test]
fn equal_envelopes_are_shared_up_to_a_limit() {
    let mut conversation = Conversation::default();
    for number in 0..3 * MAX_OPENINGS {
        let envelope = from(&format!("s{number}"), &["a"]);
        add(&mut conversation, &envelope, &saying("x"));
        add(&mut conversation, &envelope.clone(), &saying("y"));
    }
    assert!(conversation.openings.len() <= MAX_OPENINGS);
    let openings: Vec<_> = conversation.messages.iter().map(|one| &one.opening).collect();
    assert!(openings.chunks(2).all(|two| Rc::ptr_eq(two[0], two[1])));
    assert_eq!(conversation.lines(0..2), "- S0 -> a: x\n- S0 -> a: y");
}

#[test]
fn ids_are_numbered_and_found() {
    let mut conversation = Conversation::default();
    for _ in 0..3 {
        add(&mut conversation, &from("max", &[]), &saying("x"));
    }
    assert_eq!(conversation.last_number, 3);
    assert_eq!(conversation.find("msg-2"), Some(1));
    for other in ["msg-0", "msg-4", "msg-02", "msg-", "msg--1", "2", "msg-99999999999999999999"] {
        assert_eq!(conversation.find(other), None, "{other}");
    }
    let (envelope, text) = (from("max", &[]), saying("x"));
    conversation.restore("msg-9", &envelope, &text);
    assert_eq!(conversation.find("msg-9"), Some(3));
    conversation.restore("mine", &envelope, &text);
    conversation.restore("msg-5", &envelope, &text);
    assert_eq!(conversation.find("mine"), Some(4));
    assert_eq!(conversation.find("msg-5"), Some(5));
    assert_eq!(conversation.find("msg-1"), Some(0));
    assert_eq!(add(&mut conversation, &envelope, &text), 10);
}

#[test]
fn speakers_and_replies_are_found() {
    let mut conversation = Conversation::default();
    let reply = MessageText { parent_id: Some("msg-1".into()), ..saying("r") };
    add(&mut conversation, &from("kailai", &[]), &saying("q"));
    for speaker in ["max", "sarah", "max"] {
        add(&mut conversation, &from(speaker, &[]), &reply);
    }
    assert_eq!(conversation.last_said("max", 4), Some(3));
    assert_eq!(conversation.last_said("max", 3), Some(1));
    assert_eq!(conversation.last_said("max", 1), None);
    assert_eq!(conversation.last_said("nobody", 4), None);
    assert_eq!(conversation.replies("msg-1").collect::<Vec<_>>(), [3, 2, 1]);
    assert!(conversation.is_by(1, "max") && !conversation.is_by(1, "sarah"));
    assert!(!conversation.is_by(1, "nobody"));
}

#[test]
fn a_long_task_is_cut_between_characters() {
    let mut conversation = Conversation::default();
    assert_eq!(conversation.set_team_task(Some("short")), None);
    assert_eq!(conversation.set_team_task(Some(&"中".repeat(2000))), Some((6000, 5118)));
    assert_eq!(conversation.team_task(), Some("中".repeat(1706).as_str()));
    assert_eq!(conversation.set_team_task(None), None);
    assert_eq!(conversation.team_task(), None);
}

#[test]
fn pinned_lines_are_joined_into_one_text() {
    let mut conversation = Conversation::default();
    let envelope = from("max", &[]);
    let pinned = |content: &'static str| MessageText { pinned: true, ..saying(content) };
    let text = |conversation: &Conversation, count: usize| {
        conversation.pinned_text().map(|text| text.first(count).to_owned())
    };
    add(&mut conversation, &envelope, &pinned("1"));
    add(&mut conversation, &envelope, &pinned("2"));
    assert_eq!(text(&conversation, 2).as_deref(), Some("- MAX -> all: 1\n- MAX -> all: 2"));
    add(&mut conversation, &envelope, &saying("3"));
    add(&mut conversation, &envelope, &pinned("4"));
    assert_eq!(text(&conversation, 0).as_deref(), Some(""));
    let whole = "- MAX -> all: 1\n- MAX -> all: 2\n[… messages omitted …]\n- MAX -> all: 4";
    assert_eq!(text(&conversation, 3).as_deref(), Some(whole));
    let line_bytes = conversation.pinned_text().map(|text| text.line_bytes);
    assert_eq!(line_bytes, Some(3 * "- MAX -> all: 1\n".len()));
    assert!(conversation.pinned_memory_bytes() >= whole.len());

    let long = "x".repeat(1024 * 1024);
    add(&mut conversation, &envelope, &MessageText { pinned: true, ..saying(&long) });
    assert_eq!(text(&conversation, 1), None);
    assert_eq!(conversation.pinned_memory_bytes(), 0);
}

#[test]
fn a_call_that_was_removed_takes_no_result() {
    let part = |kind, id: &str, text: &str| MessagePart {
        kind,
        id: id.into(),
        text: text.into(),
        ..MessagePart::default()
    };
    let using = |parts| MessageText { parts, ..MessageText::default() };
    let envelope = from("max", &[]);
    let mut conversation = Conversation::default();
    conversation.add(&envelope, &using(vec![part(PartKind::Call, "1", "{1}")]));
    conversation.remove("msg-1").unwrap();
    let pair = vec![part(PartKind::Call, "2", "{2}"), part(PartKind::Result, "2", "two")];
    conversation.add(&envelope, &using(pair));
    conversation.add(&envelope, &using(vec![part(PartKind::Result, "1", "one")]));
    assert_eq!(
        conversation.lines(0..2),
        "- MAX -> all: →  {2}\n← result\ntwo\n- MAX -> all: ← result\none"
    );
}
