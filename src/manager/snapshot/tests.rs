use super::*;
use crate::manager::message::Speaker;

fn message(id: &str) -> SnapshotMessage {
    let speaker = Speaker { id: "max".into(), name: "Max".into(), ..Speaker::default() };
    SnapshotMessage {
        id: id.to_owned(),
        envelope: Envelope { speaker, ..Envelope::default() },
        text: MessageText { content: format!("content of {id}").into(), ..MessageText::default() },
    }
}

fn messages(ids: &[&str]) -> Vec<SnapshotMessage> {
    ids.iter().map(|id| message(id)).collect()
}

fn after(id: &str) -> SnapshotHead {
    SnapshotHead { after: Some(id.to_owned()), ..SnapshotHead::default() }
}

fn numbered_to(number: u64) -> SnapshotHead {
    SnapshotHead { last_number: Some(number), ..SnapshotHead::default() }
}

fn conversation(ids: &[&str]) -> Conversation {
    let mut conversation = Conversation::default();
    for SnapshotMessage { id, envelope, text } in messages(ids) {
        conversation.restore(&id, &envelope, &text);
    }
    conversation
}

fn ids(conversation: &Conversation) -> Vec<String> {
    (0..conversation.len()).map(|index| conversation.id(index)).collect()
}

fn all_lines(conversation: &Conversation) -> String {
    conversation.lines(0..conversation.len()).to_owned()
}

/// The error if appending is refused. The conversation must be unchanged.
fn refused(here: &[&str], head: &SnapshotHead, added: &[&str]) -> String {
    let mut conversation = conversation(here);
    let last_number = conversation.last_number;
    let before = all_lines(&conversation);
    let error = conversation.append(head, &messages(added)).unwrap_err();
    assert_eq!(error.code(), "ERR_INVALID_SNAPSHOT");
    assert_eq!(ids(&conversation), here);
    assert_eq!((all_lines(&conversation), conversation.last_number), (before, last_number));
    error.to_string()
}

#[test]
fn a_snapshot_that_begins_at_the_end_of_the_conversation_is_appended() {
    let cases: [(&[&str], Option<&str>, &[&str]); 9] = [
        (&[], None, &["msg-1", "msg-2"]),
        (&[], None, &["msg-4", "mine", "msg-9"]),
        (&["msg-1"], None, &["msg-2", "msg-4"]),
        (&["msg-1"], None, &[]),
        (&["msg-1"], Some("msg-1"), &[]),
        (&["msg-1"], Some("msg-1"), &["msg-2"]),
        (&["msg-1", "msg-2"], Some("msg-2"), &["msg-7", "yours", "msg-8"]),
        (&["msg-9", "mine"], Some("mine"), &["msg-10"]),
        (&["mine"], Some("mine"), &["yours", "msg-1"]),
    ];
    for (here, begin, added) in cases {
        let mut appended = conversation(here);
        let head = begin.map_or_else(SnapshotHead::default, after);
        assert!(appended.append(&head, &messages(added)).is_ok(), "{here:?} {begin:?} {added:?}");
        let whole = conversation(&[here, added].concat());
        assert_eq!(ids(&appended), ids(&whole));
        assert_eq!(all_lines(&appended), all_lines(&whole));
        assert_eq!(appended.last_number, whole.last_number);
        for (index, id) in ids(&whole).iter().enumerate() {
            assert_eq!(appended.find(id), Some(index), "{id}");
        }
    }
}

#[test]
fn a_gap_is_refused() {
    let none = SnapshotHead::default();
    assert!(refused(&[], &after("msg-1"), &["msg-2"]).contains("there is no message here"));
    let problem = refused(&["msg-1"], &after("msg-2"), &["msg-3"]);
    assert!(problem.contains("after \"msg-2\", but the last message here is \"msg-1\""));
    refused(&["msg-1", "msg-2"], &after("msg-1"), &["msg-2"]);
    refused(&["msg-1", "mine"], &after("msg-1"), &["msg-2"]);
    refused(&["msg-1"], &after(""), &["msg-2"]);
    let problem = refused(&["msg-1"], &none, &["msg-3"]);
    assert!(problem.contains("messages[0]") && problem.contains("the next one is \"msg-2\""));
    refused(&["msg-1"], &none, &["mine"]);
    refused(&["mine"], &none, &["yours"]);
}

#[test]
fn an_overlap_or_a_different_order_is_refused() {
    let problem = refused(&["msg-1", "msg-2"], &after("msg-2"), &["msg-3", "msg-1"]);
    assert!(problem.ends_with("messages[1]: id \"msg-1\" already exists"), "{problem}");
    refused(&["mine", "msg-2"], &after("msg-2"), &["msg-3", "mine"]);
    refused(&["msg-1"], &SnapshotHead::default(), &["msg-1", "msg-2"]);
    let problem = refused(&["msg-1", "msg-4"], &after("msg-4"), &["msg-5", "msg-3"]);
    assert!(problem.contains("messages[1]") && problem.contains("to \"msg-5\""), "{problem}");
    refused(&["msg-1", "msg-4"], &after("msg-4"), &["msg-3"]);
    refused(&[], &SnapshotHead::default(), &["msg-2", "msg-1"]);
}

#[test]
fn an_id_that_was_used_before_is_refused() {
    let mut diverged = conversation(&["msg-1", "msg-2"]);
    diverged.remove("msg-2").unwrap();
    assert!(diverged.append(&after("msg-1"), &messages(&["msg-2"])).is_err());
    assert!(diverged.append(&SnapshotHead::default(), &messages(&["msg-2"])).is_err());
    assert!(diverged.append(&after("msg-1"), &messages(&["msg-3"])).is_ok());
    diverged.remove("msg-1").unwrap();
    diverged.remove("msg-3").unwrap();
    assert!(diverged.append(&SnapshotHead::default(), &messages(&["msg-1"])).is_err());
}

#[test]
fn a_partial_snapshot_is_not_restored_as_a_whole() {
    let mut restored = conversation(&["msg-2"]);
    let problem = restored.restore_state(&after("msg-1")).unwrap_err().to_string();
    assert!(problem.contains("append"), "{problem}");
    assert!(restored.restore_state(&SnapshotHead::default()).is_ok());
}

#[test]
fn numbering_continues_after_a_removed_message() {
    let mut original = conversation(&["msg-1", "msg-2", "msg-3"]);
    assert_eq!(original.removed_last_number(), None);
    original.remove("msg-2").unwrap();
    assert_eq!(original.removed_last_number(), None);
    original.remove("msg-3").unwrap();
    assert_eq!(original.removed_last_number(), Some(3));
    assert_eq!(Conversation::default().removed_last_number(), None);
    assert_eq!(conversation(&["mine"]).removed_last_number(), None);
    assert_eq!(conversation(&["msg-7", "msg-3", "mine"]).removed_last_number(), None);

    let mut restored = conversation(&["msg-1"]);
    restored.restore_state(&numbered_to(3)).unwrap();
    assert_eq!(restored.last_number, 3);
    assert_eq!(restored.removed_last_number(), Some(3));
    let mut appended = conversation(&["msg-1"]);
    appended.append(&SnapshotHead { after: Some("msg-1".into()), ..numbered_to(3) }, &[]).unwrap();
    assert_eq!(appended.last_number, 3);
    assert_eq!(appended.find("msg-1"), Some(0));
}

#[test]
fn numbering_cannot_go_back_or_exceed_its_maximum() {
    for number in [1, MAX_NUMBER + 1, u64::MAX] {
        assert!(conversation(&["msg-2"]).restore_state(&numbered_to(number)).is_err(), "{number}");
        refused(&["msg-2"], &numbered_to(number), &[]);
        refused(&[], &numbered_to(number), &["msg-2"]);
    }
    assert!(conversation(&["msg-2"]).restore_state(&numbered_to(MAX_NUMBER)).is_ok());
    assert!(conversation(&["msg-2"]).append(&numbered_to(2), &[]).is_ok());
}

#[test]
fn the_task_comes_from_the_snapshot() {
    let with_task = |task: Option<&str>| SnapshotHead {
        team_task: task.map(str::to_owned),
        ..SnapshotHead::default()
    };
    let mut conversation = conversation(&["msg-1"]);
    let mut set = |task| conversation.append(&with_task(task), &[]).unwrap();
    assert!(set(Some("a")).is_other);
    assert!(!set(Some("a")).is_other);
    assert!(set(None).is_other);
    assert!(!set(None).is_other);
    let long = "x".repeat(6000);
    assert_eq!(set(Some(&long)), TaskChange { is_other: true, cut: Some((6000, 5120)) });
    assert_eq!(set(Some(&long)), TaskChange { is_other: false, cut: Some((6000, 5120)) });
}
