use super::*;
use crate::manager::ledger::Mark;
use std::ops::Range;

fn run(start: usize, end: usize, event: Event) -> (Range<usize>, Event) {
    (start..end, event)
}

#[test]
fn only_confirmed_prompts_count_as_seen() {
    let mut sessions = Sessions::default();
    let shown = |missed: Range<usize>, end: usize| {
        let mut seen = Seen::up_to(end);
        seen.ledger.record([(missed, Event::Dropped)]);
        seen
    };
    assert!(!sessions.confirm("max"));
    sessions.prompted("max", 1, shown(0..0, 3));
    assert_eq!(sessions.seen("max"), None);
    assert!(sessions.confirm("max") && !sessions.confirm("max"));
    sessions.prompted("max", 2, shown(0..0, 9));
    sessions.prompted("max", 3, shown(3..4, 5));
    assert!(sessions.confirm("max"));
    let marked = |sessions: &Sessions| {
        let ledger = &sessions.seen("max").unwrap().ledger;
        (ledger.newest(), ledger.marked().collect::<Vec<_>>())
    };
    assert_eq!(marked(&sessions), (Some(4), vec![(3..4, Mark::Missed)]));
    for index in [0, 3, 7] {
        sessions.message_changed(index);
    }
    sessions.message_removed(1);
    // What was left out stays so, changed or not.
    assert_eq!(marked(&sessions), (Some(3), vec![(0..1, Mark::Changed), (2..3, Mark::Missed)]));
    assert!(sessions.forget("max") && !sessions.forget("max"));
    assert_eq!(sessions.seen("max"), None);
}

#[test]
fn a_session_that_another_recipient_takes_over_keeps_what_it_was_shown() {
    let lists = |recipient: &str| {
        Rc::new(match recipient {
            "max" => vec![0, 1, 3, 5, 7],
            _ => vec![1, 2, 4, 5, 7, 8],
        })
    };
    let mut seen = Seen { recipient: Some("max".into()), ..Seen::up_to(7) };
    seen.ledger.record([run(1, 2, Event::Dropped)]);
    let marked = |recipient: Option<&str>, seen: &Seen| {
        let seen = seen.for_recipient(recipient.map(str::to_owned), lists);
        assert_eq!(seen.recipient.as_deref(), recipient);
        seen.ledger.marked().collect::<Vec<_>>()
    };
    let [missed, revealed, shown] = [Mark::Missed, Mark::Revealed, Mark::Shown];
    let kim = [(0..1, shown), (1..2, missed), (2..3, revealed), (3..4, shown), (4..5, revealed)];
    assert_eq!(marked(Some("kim"), &seen), kim);
    let all = [(1..2, missed), (2..3, revealed), (4..5, revealed), (6..7, revealed)];
    assert_eq!(marked(None, &seen), all);
    seen.recipient = None;
    assert_eq!(marked(Some("kim"), &seen), [(0..1, shown), (1..2, missed), (2..7, shown)]);
}

#[test]
fn a_withdrawn_prompt_leaves_no_trace() {
    let shown = |newest: usize| Seen::up_to(newest + 1);
    let mut sessions = Sessions::default();
    sessions.withdraw("max", 1);
    sessions.prompted("max", 1, shown(1));
    sessions.prompted("max", 2, shown(2));
    sessions.withdraw("max", 7);
    sessions.withdraw("sarah", 2);
    assert_eq!(sessions.pending("max"), Some(2));
    sessions.withdraw("max", 2);
    assert_eq!(sessions.pending("max"), Some(1));
    // A newer prompt has arrived: it stays, and the one it replaced does not come back.
    sessions.prompted("max", 3, shown(3));
    sessions.withdraw("max", 1);
    assert_eq!(sessions.pending("max"), Some(3));
    sessions.withdraw("max", 3);
    assert_eq!(sessions.pending("max"), None);
    // A confirmed prompt stays confirmed.
    sessions.prompted("max", 4, shown(4));
    sessions.prompted("max", 5, shown(5));
    assert!(sessions.confirm("max"));
    sessions.withdraw("max", 5);
    assert!(!sessions.confirm("max"));
    assert_eq!(sessions.seen("max").unwrap().ledger.newest(), Some(5));
}

#[test]
fn fingerprints_are_stored_with_the_name_of_their_function() {
    let stored = Fingerprint::of("a").stored();
    assert_eq!(stored, "fnv1a128:d228cb696f1a8caf78912b704e4a8964");
    assert_eq!(Fingerprint::parse(&stored), Some(Fingerprint::of("a")));
    for other in ["", "d228cb696f1a8caf78912b704e4a8964", "fnv1a128:x", "sha256:00"] {
        assert_eq!(Fingerprint::parse(other), None, "{other}");
    }
}

#[test]
fn different_texts_have_different_fingerprints() {
    assert_eq!(Fingerprint::of("a"), Fingerprint::of("a"));
    assert_ne!(Fingerprint::of("a"), Fingerprint::of("b"));
    assert_ne!(Fingerprint::of(""), Fingerprint::of("\0"));
}
