pub(crate) mod messages;
pub(crate) mod parts;
mod properties;

pub(crate) mod random;
mod required;

use super::choosing::Choosing;
use super::*;
use crate::conversation::Chosen;
use crate::layout::{CODEX, PLAIN};
use crate::model::{AssemblerOptions, Quote};
use messages::{Said, read, read_together, request_of, said};
use std::collections::BTreeSet;

/// Which messages are chosen, and which were read.
fn choose(messages: &[Said], limit: usize, recipient: Option<&str>) -> (Chosen, Vec<usize>) {
    let selection =
        Selection { limit, recipient: recipient.map(str::to_owned), rest_is_covered: false };
    let mut choosing = Choosing::new(selection, messages.len(), &[]);
    let mut passed = Vec::new();
    while let Some(index) = choosing.wanted() {
        passed.push(index);
        choosing.pass(&messages[index]).unwrap();
    }
    (choosing.chosen().0, passed)
}

#[test]
fn only_the_newest_visible_messages_are_chosen_and_read() {
    let messages = said(&[
        ("a", "x", "0"),
        ("a", "", "1"),
        ("a", "b", "2"),
        ("x", "b", "3"),
        ("a", "all", "4"),
    ]);
    let (chosen, passed) = choose(&messages, 2, Some("x"));
    assert_eq!((chosen.indices, passed), (vec![3, 4], vec![4, 3]));
    let (chosen, _) = choose(&messages, 9, Some("X "));
    assert_eq!(chosen.indices, [0, 1, 3, 4]);
    let (chosen, passed) = choose(&messages, 0, None);
    assert!(chosen.indices.is_empty() && passed.is_empty());
    assert_eq!(choose(&messages, 2, None).0.indices, [3, 4]);
}

#[test]
fn messages_for_others_are_reported_as_a_total() {
    let messages = said(&[("a", "x", "0"), ("a", "b", "secret"), ("x", "b", "3")]);
    let assembler = Assembler::new((&PLAIN).into(), AssemblerOptions::default());
    let materials = Materials { max_bytes: 1000, ..Materials::default() };
    let selection =
        Some(Selection { limit: 9, recipient: Some("X ".into()), rest_is_covered: false });
    let request = request_of(&assembler, &materials, messages.len());
    let request = GivenRequest { selection, report: true, ..request };
    let (mut reading, passed) = read(request, &messages).unwrap();
    assert_eq!(passed, [2, 1, 0, 2, 0, 1, 2, 1, 0]);
    let report = reading.finish().unwrap().report();
    assert_eq!(report.decisions, ["[CONTEXT] 1 message is not for X"]);
    assert_eq!(report.account.left_out_bytes, 6);
    assert_eq!(report.account.sent_bytes, 2);
}

#[test]
fn senders_with_commas_do_not_multiply_the_rounds() {
    const COUNT: usize = 2000;
    // Each message is for the sender of the previous one, which is read later.
    let name = |number: usize| format!("n{number}, r");
    let messages: Vec<Said> =
        (0..COUNT).map(|at| (name(at), name(at.wrapping_sub(1)), "x".into())).collect();
    let (chosen, passed) = choose(&messages, 2, Some("r"));
    assert_eq!(chosen.indices, [0]);
    assert!(passed.len() < 8 * COUNT);
}

#[test]
fn a_sender_with_a_comma_in_its_name_is_one_addressee() {
    let messages = said(&[
        ("max", "Smith, John", "secret"),
        ("max", "all", "1"),
        ("Smith, John", "max", "2"),
        ("max", "Smith, John", "secret, too"),
    ]);
    assert_eq!(choose(&messages, 9, Some("John")).0.indices, [1]);
    assert_eq!(choose(&messages, 2, Some("smith, john")).0.indices, [2, 3]);
}

#[test]
fn messages_are_passed_in_few_steps_and_only_as_far_as_they_can_fit() {
    const MAX_BYTES: usize = 4000;
    let assembler = Assembler::new((&CODEX).into(), AssemblerOptions::default());
    let materials = Materials { max_bytes: MAX_BYTES, message: "m".into(), ..Materials::default() };
    for (text, most_steps) in [("plain ", 2), ("中文", 4), ("mixed 中文 ", 4)] {
        let messages: Vec<Said> =
            (0..5000).map(|at| ("a".into(), "b".into(), text.repeat(1 + at % 7))).collect();
        for (report, selection) in [(false, None), (true, None), (false, Some(3000))] {
            let selection =
                selection.map(|limit| Selection { limit, recipient: None, rest_is_covered: false });
            let request = || GivenRequest {
                report,
                selection: selection.clone(),
                ..request_of(&assembler, &materials, 5000)
            };
            let (_, one_by_one) = read(request(), &messages).unwrap();
            let (_, together, steps) = read_together(request(), &messages).unwrap();
            assert!(steps <= most_steps, "{text}: {steps}");
            assert!(one_by_one.iter().all(|index| together.contains(index)));
            if text.is_ascii() {
                let exactly: BTreeSet<usize> = one_by_one.into_iter().collect();
                assert_eq!(together, exactly, "{text}");
            } else {
                // Every unit has a byte, so no more than these can fit.
                assert!(
                    report || together.len() * text.len() < 4 * MAX_BYTES,
                    "{text}: {}",
                    together.len()
                );
            }
        }
    }
}

/// What a prompt with another budget keeps, found by assembling it.
fn row_of(request: GivenRequest, messages: &[Said]) -> Option<(usize, Vec<usize>)> {
    let (mut reading, _) = read(GivenRequest { report: true, ..request }, messages).unwrap();
    let report = reading.finish().ok()?.report();
    let sections = report.sections.iter().map(|section| section.bytes_after);
    Some((report.total_bytes, sections.collect()))
}

#[test]
fn each_row_of_a_budget_table_is_what_its_budgets_keep() {
    let messages: Vec<Said> =
        (0..12).map(|at| ("a".into(), "b".into(), "word ".repeat(at * 7 % 11))).collect();
    let long = |word: &str| word.repeat(400);
    let cases = [
        (Policy::Assembler, vec![2, 7], 1),
        (Policy::Assembler, vec![], 5),
        (Policy::Assembler, vec![1, 3, 4], 3),
        (Policy::BuildPrompt { system_max_bytes: None }, vec![], 1),
        (Policy::BuildPrompt { system_max_bytes: Some(2900) }, vec![], 2),
    ];
    for (policy, pinned, step) in cases {
        let options = AssemblerOptions { eviction_step: Some(step), ..AssemblerOptions::default() };
        let assembler = Assembler::new((&CODEX).into(), options);
        let materials = Materials {
            instruction_file: long("rule é ").into(),
            summary: long("sum ").into(),
            message: long("m").into(),
            siblings: vec![Quote::new("x".into(), "y".into()), Quote::new("z".into(), long("q"))],
            ..Materials::default()
        };
        let request = |max_bytes: usize| GivenRequest {
            policy,
            pinned: pinned.clone(),
            ..request_of(&assembler, &Materials { max_bytes, ..materials.clone() }, messages.len())
        };
        let (mut reading, _) = read(request(1 << 20), &messages).unwrap();
        let table = reading.budget_table(1234).unwrap();
        assert!(table.rows.iter().any(|row| (row.from..=row.to).contains(&1234)));
        assert!(table.rows.is_sorted_by(|row, next| row.to < next.from));
        for row in &table.rows {
            let middle = row.from + (row.to - row.from) / 2;
            for budget in [row.from, middle, row.to] {
                let at_budget = reading.at_budget(budget).unwrap();
                let expected = BudgetRow { from: row.from, to: row.to, ..at_budget };
                assert_eq!(*row, expected, "{policy:?} {step} at {budget}");
            }
            let told = row.fits.then(|| (row.total_bytes, row.sections.clone()));
            assert_eq!(told, row_of(request(row.from), &messages), "{policy:?} {}", row.from);
        }
        let whole = table.rows.last().unwrap();
        let uncut = table.rows.iter().skip_while(|row| row.cuts != whole.cuts || !row.fits);
        let is_next = |row: &&BudgetRow, next: &&BudgetRow| row.to + 1 == next.from;
        assert!(uncut.is_sorted_by(is_next));
        assert!(reading.at_budget(table.required).unwrap().fits);
        assert!(!reading.at_budget(table.required - 1).unwrap().fits);

        // Every change of what is kept begins a row.
        let mut last = reading.at_budget(1).unwrap();
        while last.to + 1 < whole.from {
            let row = reading.at_budget(last.to + 1).unwrap();
            let is_change = row.kept() != last.kept();
            let begins = table.rows.iter().any(|told| told.from == row.from);
            assert!(!is_change || begins, "{policy:?} {step} at {}", row.from);
            last = row;
        }
    }
}
