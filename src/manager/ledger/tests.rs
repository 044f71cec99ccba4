use super::*;
use crate::reading::tests::random::Numbers;

const EVENTS: [Event; 7] = [
    Event::Sent,
    Event::Dropped,
    Event::Edited,
    Event::Revealed,
    Event::Hidden,
    Event::Inherited,
    Event::Passed,
];

/// Compares a ledger with a plain list of marks over random events.
fn play(seed: u64) {
    let mut numbers = Numbers(seed);
    let mut ledger = Ledger::default();
    let mut list: Vec<Option<Mark>> = Vec::new();
    for _ in 0..200 {
        match numbers.below(8) {
            0 | 1 => {
                list.resize(list.len() + numbers.below(4), None);
                ledger.extend(list.len());
            }
            2 if !list.is_empty() => {
                let index = numbers.below(list.len() + 2);
                if index < list.len() {
                    list.remove(index);
                }
                ledger.close_up(index);
            }
            _ => {
                let mut events = Vec::new();
                let mut at = numbers.below(4);
                while at < list.len() + 2 {
                    let end = at + numbers.below(4);
                    let event = EVENTS[numbers.below(EVENTS.len())];
                    for mark in list.iter_mut().take(end).skip(at) {
                        *mark = event.after(*mark);
                    }
                    events.push((at..end, event));
                    at = end + numbers.below(5);
                }
                ledger.record(events);
            }
        }
        assert_eq!(ledger.end, list.len(), "seed {seed}");
        let is_missed = (0..list.len()).map(|index| ledger.has_missed(index));
        assert!(is_missed.eq(list.iter().map(|mark| *mark == Some(Mark::Missed))), "seed {seed}");
        let mut marks = vec![None; list.len()];
        ledger.marked().for_each(|(run, mark)| marks[run].fill(Some(mark)));
        assert_eq!(marks, list, "seed {seed}");
        let marked: Vec<_> = ledger.marked().collect();
        let neighbours = marked.windows(2);
        assert!(
            neighbours.clone().all(|two| two[0].0.end < two[1].0.start || two[0].1 != two[1].1)
        );
        assert_eq!(Ledger::restore(list.len(), 0, &marked), Some(ledger.clone()), "seed {seed}");
    }
}

#[test]
fn a_ledger_equals_a_list_of_marks() {
    (0..200).for_each(|seed| play(seed * 0x9E37_79B9 + 1));
}

#[test]
fn runs_do_not_grow_with_what_was_shown() {
    let mut ledger = Ledger::new(10, 10);
    for turn in 0..1000 {
        ledger.extend(10 + 2 * turn);
        ledger.record([(0..ledger.end, Event::Passed)]);
    }
    assert_eq!(ledger.memory_bytes(), 0);
    // Nor with messages that are hidden and seen again.
    ledger.record((0..1000).map(|index| (2 * index..2 * index + 1, Event::Hidden)));
    assert_eq!(ledger.marked().count(), 1000);
    ledger.record((0..1000).map(|index| (2 * index..2 * index + 1, Event::Revealed)));
    assert_eq!(ledger, Ledger::new(ledger.end, 10));
}

#[test]
fn runs_out_of_order_are_not_restored() {
    let missed = |start, end| (start..end, Mark::Missed);
    let ledger = Ledger::restore(5, 3, &[missed(0, 1), missed(1, 2), missed(4, 5)]).unwrap();
    assert_eq!(ledger.missed().collect::<Vec<_>>(), [0..2, 4..5]);
    assert_eq!((ledger.newest(), ledger.begun), (Some(4), 3));
    assert!(ledger.has_missed(1) && !ledger.has_missed(2));
    let wrong: [&[_]; 5] = [
        &[missed(1, 2), missed(0, 1)],
        &[missed(0, 2), missed(1, 3)],
        &[missed(2, 2)],
        &[missed(4, 6)],
        &[missed(6, 7)],
    ];
    for marked in wrong {
        assert_eq!(Ledger::restore(5, 3, marked), None, "{marked:?}");
    }
    assert_eq!(Ledger::restore(5, 6, &[]), None);
}
