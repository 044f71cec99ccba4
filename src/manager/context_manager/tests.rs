//! What holds for every session: what is confirmed is not shown again, and nothing is lost.

use super::*;
use crate::layout::Layouts;
use crate::manager::AgentDefaults;
use crate::manager::message::Speaker;
use crate::reading::tests::random::Numbers;
use crate::visibility::members::Addressee;
use std::collections::BTreeSet;

fn manager(numbers: &mut Numbers) -> Manager {
    let options = ManagerOptions {
        window_size: 50,
        max_bytes: [100_000, 400 + numbers.below(2000)][numbers.below(2)],
        eviction_step: 1 + numbers.below(2),
        ..ManagerOptions::default()
    };
    Manager::new(options, Agents::new(&Layouts::default(), Vec::new(), AgentDefaults::default()))
}

fn add(manager: &mut Manager, numbers: &mut Numbers) {
    let speaker = ["kai", "lee"][numbers.below(2)].to_owned();
    let to = ["all", "max", "sarah"][numbers.below(3)].to_owned();
    let envelope = Envelope {
        speaker: Speaker { name: speaker.clone(), id: speaker, ..Speaker::default() },
        addressees: vec![Addressee::Text(to)],
    };
    let content = format!("#{}# {}.", manager.conversation.len(), numbers.text(9));
    let text = MessageText {
        content: content.into(),
        pinned: numbers.below(9) == 0,
        ..MessageText::default()
    };
    manager.add(&envelope, &text).unwrap();
}

fn is_visible(manager: &Manager, index: usize, recipient: &str) -> bool {
    manager.conversation.visible_to(recipient).contains(&(index as u32))
}

#[test]
fn in_a_session_every_visible_message_is_shown_once_or_accounted_for() {
    for seed in 0..150 {
        let numbers = &mut Numbers(seed);
        let mut manager = manager(numbers);
        let mut confirmed: BTreeSet<usize> = BTreeSet::new();
        add(&mut manager, numbers);
        for _ in 0..30 {
            if numbers.below(3) > 0 {
                add(&mut manager, numbers);
                continue;
            }
            let turn = TurnOptions {
                assembler: manager.agents.look_up("codex").assembler,
                agent_id: "max".into(),
                recipient: Some("max".into()),
                session: true,
                ..TurnOptions::default()
            };
            let made = manager.assemble_turn(&turn, true, |assembly| {
                let mut prompt = Vec::new();
                assembly.write(&mut prompt);
                (String::from_utf8(prompt).unwrap(), assembly.report())
            });
            let Ok(((prompt, report), seen)) = made else { continue };
            assert_eq!(report.account.sent_bytes + report.account.left_out_bytes, {
                report.account.given_bytes
            });
            let count = manager.conversation.len();
            let shown: BTreeSet<usize> =
                (0..count).filter(|at| prompt.contains(&format!("#{at}# "))).collect();
            assert!(shown.iter().all(|at| is_visible(&manager, *at, "max")), "seed {seed}");
            // The message to act on comes in any case.
            let current = manager.conversation.visible_to("max").last().map(|at| *at as usize);
            let again: Vec<_> =
                shown.intersection(&confirmed).filter(|at| Some(**at) != current).collect();
            assert!(again.is_empty(), "seed {seed}: {again:?}");
            let left_out: BTreeSet<usize> =
                report.left_out.iter().filter_map(|entry| entry.name.index).collect();
            let missing: Vec<usize> = (0..count)
                .filter(|at| is_visible(&manager, *at, "max") && !confirmed.contains(at))
                .filter(|at| !shown.contains(at) && !left_out.contains(at))
                .collect();
            assert!(missing.is_empty(), "seed {seed}: {missing:?}");
            let seen = seen.unwrap();
            assert!(seen.messages.ranges().iter().cloned().flatten().all(|at| shown.contains(&at)));
            manager.prompted("max", seen);
            if numbers.below(3) > 0 {
                assert!(manager.sessions.confirm("max"));
                let seen = &manager.sessions.seen("max").unwrap().messages;
                confirmed = seen.ranges().iter().cloned().flatten().collect();
            }
        }
    }
}
