use super::*;
use std::ops::Range;

#[test]
fn only_confirmed_prompts_count_as_seen() {
    let mut sessions = Sessions::default();
    let shown = |missed: Range<usize>, end: usize| {
        let mut seen = Seen { end, begun: end, ..Seen::default() };
        seen.miss(missed);
        seen
    };
    assert!(!sessions.confirm("max"));
    sessions.prompted("max", 1, shown(0..0, 3));
    assert_eq!(sessions.seen("max"), None);
    assert!(sessions.confirm("max") && !sessions.confirm("max"));
    sessions.prompted("max", 2, shown(0..0, 9));
    sessions.prompted("max", 3, shown(3..4, 5));
    assert!(sessions.confirm("max"));
    let seen = sessions.seen("max").unwrap();
    assert_eq!((seen.newest(), seen.has_missed(3), seen.has_missed(2)), (Some(4), true, false));
    sessions.message_changed(0);
    sessions.message_changed(3);
    sessions.message_changed(7);
    sessions.message_removed(1);
    let seen = sessions.seen("max").unwrap();
    assert_eq!((seen.newest(), seen.has_missed(2), seen.has_missed(3)), (Some(3), true, false));
    let changed: Vec<usize> = seen.changed.iter().collect();
    assert_eq!(changed, [0], "what was left out stays so, changed or not");
    assert!(sessions.forget("max") && !sessions.forget("max"));
    assert_eq!(sessions.seen("max"), None);
}

#[test]
fn the_number_of_missed_runs_is_bounded() {
    let mut seen = Seen::default();
    for number in 0..10 * MAX_MISSED_RUNS {
        seen.end = 4 * number + 4;
        seen.miss(4 * number..4 * number + 2);
        seen.join_oldest_runs(&[3]);
    }
    assert_eq!(seen.missed.ranges().len(), MAX_MISSED_RUNS);
    let shown_later: Vec<usize> = seen.shown_later.iter().collect();
    assert_eq!(shown_later, [3], "it was shown, and is pinned");
    assert_eq!([0, 2, 3].map(|index| seen.has_missed(index)), [true, true, false]);
    let last = seen.end - 4;
    let newest = [last, last + 1, last + 2, last + 3].map(|index| seen.has_missed(index));
    assert_eq!(newest, [true, true, false, false]);
}

#[test]
fn a_withdrawn_prompt_leaves_no_trace() {
    let shown = |newest: usize| Seen { end: newest + 1, ..Seen::default() };
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
    assert_eq!(sessions.seen("max").unwrap().newest(), Some(5));
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
