use crate::account::Reason;
use crate::error::Error;
use crate::layout::Layouts;
use crate::manager::context_manager::Manager;
use crate::manager::edit::LateRouting;
use crate::manager::memory::Memory;
use crate::manager::message::{Envelope, MessageText, Speaker};
use crate::manager::snapshot::{SnapshotHead, SnapshotMessage};
use crate::manager::{AgentDefaults, Agents, ManagerOptions, TurnOptions};
use crate::visibility::audience::Addressee;

fn new_manager() -> Manager {
    let agents = Agents::new(&Layouts::default(), Vec::new(), AgentDefaults::default());
    Manager::new(ManagerOptions::default(), agents)
}

fn text(content: &str) -> MessageText<'static> {
    MessageText { content: content.to_owned().into(), ..MessageText::default() }
}

/// An envelope by a member and its display name, to some names.
fn by(id: &str, display_name: &str, to: &[&str]) -> Envelope {
    let speaker = Speaker {
        id: id.into(),
        name: id.into(),
        display_name: display_name.into(),
        ..Speaker::default()
    };
    let addressees = to.iter().map(|name| Addressee::Text(name.to_string())).collect();
    Envelope { speaker, addressees, is_private: false }
}

fn say(manager: &mut Manager, envelope: &Envelope) -> String {
    let number = manager.add(envelope, &text("")).unwrap();
    let id = format!("msg-{number}");
    manager.update(&id, envelope, &text(&format!("<{number}>"))).unwrap();
    id
}

fn turn(agent: &str, recipient: Option<&str>) -> TurnOptions {
    TurnOptions {
        agent_id: agent.to_owned(),
        recipient: recipient.map(str::to_owned),
        session: true,
        ..TurnOptions::default()
    }
}

/// The numbers of the messages that a prompt shows, and of those that the session has according to
/// its account.
type Told = (Vec<usize>, Vec<usize>);

/// A prompt that waits to be confirmed.
fn prompt(manager: &mut Manager, agent: &str, recipient: Option<&str>) -> Result<Told, Error> {
    let count = manager.conversation.len();
    let made = manager.assemble_turn(&turn(agent, recipient), true, |assembly| {
        let mut prompt = Vec::new();
        assembly.write(&mut prompt);
        let prompt = String::from_utf8(prompt).unwrap();
        let mut shown: Vec<(usize, usize)> = (1..=count + 9)
            .filter_map(|number| Some((prompt.find(&format!("<{number}>"))?, number)))
            .collect();
        shown.sort_unstable();
        let report = assembly.report();
        let seen = report.left_out.iter().filter(|one| one.cause.reason == Reason::Seen);
        let numbers =
            seen.filter_map(|one| one.name.id.as_ref()?.strip_prefix("msg-")?.parse().ok());
        (shown.into_iter().map(|(_, number)| number).collect(), numbers.collect())
    });
    let (told, seen) = made?;
    manager.prompted(agent, seen.unwrap());
    Ok(told)
}

/// The same, and the CLI accepts it.
fn sent(manager: &mut Manager, agent: &str, recipient: Option<&str>) -> Vec<usize> {
    let (shown, _) = prompt(manager, agent, recipient).unwrap();
    assert!(manager.sessions.confirm(agent));
    shown
}

/// The first message is for somebody who is not known yet, and the session of `max` has the second.
fn waiting() -> Manager {
    let mut manager = new_manager();
    say(&mut manager, &by("lee", "", &["Ann"]));
    say(&mut manager, &by("lee", "", &[]));
    assert_eq!(sent(&mut manager, "max", Some("MAX ")), [2]);
    manager
}

#[test]
fn a_message_for_an_unknown_name_is_sent_once_the_recipient_speaks_under_it() {
    let mut manager = waiting();
    say(&mut manager, &by("max", "Ann", &[]));
    say(&mut manager, &by("lee", "", &[]));
    let (shown, seen) = prompt(&mut manager, "max", Some("MAX ")).unwrap();
    assert_eq!((shown, seen), (vec![1, 4], vec![2]));
    // It is sent again until a prompt with it is confirmed.
    assert_eq!(sent(&mut manager, "max", Some("max")), [1, 4]);
    say(&mut manager, &by("lee", "", &[]));
    let (shown, seen) = prompt(&mut manager, "max", Some("max")).unwrap();
    assert_eq!((shown, seen), (vec![5], vec![4, 3, 2, 1]));
}

#[test]
fn a_recipient_that_turns_out_to_be_a_member_is_sent_what_is_for_that_member() {
    let mut manager = new_manager();
    say(&mut manager, &by("u1", "", &["lee"]));
    say(&mut manager, &by("lee", "", &["u1"]));
    say(&mut manager, &by("lee", "", &["kim"]));
    say(&mut manager, &by("lee", "", &[]));
    for agent in ["agent-1", "agent-2"] {
        assert_eq!(sent(&mut manager, agent, Some("Max")), [4]);
    }
    assert_eq!(sent(&mut manager, "kim", Some("kim")), [3, 4]);
    say(&mut manager, &by("u1", "Max", &[]));
    for agent in ["agent-1", "agent-2"] {
        assert_eq!(sent(&mut manager, agent, Some("Max")), [1, 2, 5], "each session has it once");
    }
    assert_eq!(sent(&mut manager, "kim", Some("kim")), [5]);
}

#[test]
fn messages_shown_without_a_recipient_are_not_sent_again() {
    let mut manager = new_manager();
    say(&mut manager, &by("lee", "", &["Ann"]));
    say(&mut manager, &by("lee", "", &[]));
    assert_eq!(sent(&mut manager, "max", None), [1, 2]);
    assert_eq!(sent(&mut manager, "kim", None), [1, 2]);
    say(&mut manager, &by("lee", "", &["Ann"]));
    say(&mut manager, &by("lee", "", &[]));
    // From here on, the prompts of max are limited.
    assert_eq!(sent(&mut manager, "max", Some("max")), [4]);
    assert_eq!(sent(&mut manager, "kim", None), [3, 4]);
    say(&mut manager, &by("max", "Ann", &[]));
    say(&mut manager, &by("lee", "", &[]));
    assert_eq!(sent(&mut manager, "max", Some("max")), [3, 6]);
    assert_eq!(sent(&mut manager, "kim", None), [5, 6]);
}

#[test]
fn pending_prompts_keep_track_of_revealed_messages() {
    // The first prompt of a session, the second one, and one that replaced another.
    for prompts in 1..=3 {
        for is_withdrawn in [false, true] {
            let mut manager = new_manager();
            say(&mut manager, &by("lee", "", &["Ann"]));
            for number in 1..=prompts {
                say(&mut manager, &by("lee", "", &[]));
                prompt(&mut manager, "max", Some("max")).unwrap();
                if (prompts, number) == (2, 1) {
                    assert!(manager.sessions.confirm("max"));
                }
            }
            say(&mut manager, &by("max", "Ann", &[]));
            let newest = say(&mut manager, &by("lee", "", &[]));
            if is_withdrawn {
                let number = manager.sessions.pending("max").unwrap();
                manager.sessions.withdraw("max", number);
            }
            manager.sessions.confirm("max");
            let shown = sent(&mut manager, "max", Some("max"));
            assert_eq!(shown[0], 1, "{prompts} {is_withdrawn}");
            assert_eq!(format!("msg-{}", shown.last().unwrap()), newest);
            say(&mut manager, &by("lee", "", &[]));
            assert_eq!(sent(&mut manager, "max", Some("max")).len(), 1);
        }
    }
}

#[test]
fn a_readdressed_message_is_sent_only_to_its_new_addressees() {
    let private = |to: &[&str]| Envelope { is_private: true, ..by("lee", "", to) };
    let late = LateRouting { addressees: private(&["max"]).addressees, ..LateRouting::default() };
    let readdress: [&dyn Fn(&mut Manager); 4] = [
        &|manager| manager.address(0, &late),
        &|manager| _ = manager.update("msg-1", &private(&["max"]), &text("<1>")).unwrap(),
        &|manager| {
            let envelope = Envelope { is_private: true, ..by("max", "", &[]) };
            manager.update("msg-1", &envelope, &text("<1>")).unwrap();
        },
        &|manager| _ = manager.update("msg-1", &by("lee", "", &["max"]), &text("<1>")).unwrap(),
    ];
    for (number, readdress) in readdress.iter().enumerate() {
        let mut manager = new_manager();
        say(&mut manager, &private(&[]));
        say(&mut manager, &by("lee", "", &[]));
        // The agent is not the member: what the member wrote is new to it.
        assert_eq!(sent(&mut manager, "agent", Some("max")), [2]);
        assert_eq!(sent(&mut manager, "kim", Some("kim")), [2]);
        readdress(&mut manager);
        // It is the newest message that was not shown, so it is the one to act on.
        assert_eq!(sent(&mut manager, "agent", Some("max")), [1], "{number}");
        let nothing = Err(Error::NothingToSend("agent".to_owned()));
        assert_eq!(prompt(&mut manager, "agent", Some("max")), nothing);
        assert!(prompt(&mut manager, "kim", Some("kim")).is_err(), "{number}");
        say(&mut manager, &by("lee", "", &[]));
        assert_eq!(sent(&mut manager, "agent", Some("max")), [3]);
        assert_eq!(sent(&mut manager, "kim", Some("kim")), [3]);
    }
}

#[test]
fn a_revealed_message_that_is_hidden_or_removed_is_not_sent() {
    let mut manager = waiting();
    say(&mut manager, &by("lee", "", &["Ann"]));
    say(&mut manager, &by("lee", "", &["Ann"]));
    say(&mut manager, &by("lee", "", &[]));
    assert_eq!(sent(&mut manager, "max", Some("max")), [5]);
    say(&mut manager, &by("max", "Ann", &[]));
    manager.remove("msg-1").unwrap();
    manager.update("msg-3", &by("lee", "", &["kim"]), &text("<3>")).unwrap();
    say(&mut manager, &by("lee", "", &[]));
    assert_eq!(sent(&mut manager, "max", Some("max")), [4, 7]);
}

#[test]
fn a_shown_message_is_not_sent_again_when_it_becomes_visible_again() {
    let mut manager = new_manager();
    say(&mut manager, &by("lee", "Max", &["Ann"]));
    say(&mut manager, &by("lee", "", &["Bob"]));
    assert_eq!(sent(&mut manager, "max", Some("max")), [1, 2], "lee is called Max");
    say(&mut manager, &by("kim", "Max", &[]));
    assert_eq!(sent(&mut manager, "max", Some("max")), [3], "now nobody is meant");
    say(&mut manager, &by("lee", "", &["Ann"]));
    say(&mut manager, &by("lee", "", &[]));
    assert_eq!(sent(&mut manager, "max", Some("max")), [5]);
    // One of the hidden messages is changed in the meantime.
    manager.update("msg-2", &by("lee", "", &["Bob"]), &text("<2>, changed")).unwrap();
    say(&mut manager, &by("max", "Ann", &[]));
    say(&mut manager, &by("max", "Bob", &[]));
    say(&mut manager, &by("lee", "", &[]));
    assert_eq!(sent(&mut manager, "max", Some("max")), [2, 4, 8]);
}

#[test]
fn a_revealed_message_that_does_not_fit_is_not_sent_later() {
    let mut manager = waiting();
    let long = text(&format!("<1> {}", "long ".repeat(20)));
    manager.update("msg-1", &by("lee", "", &["Ann"]), &long).unwrap();
    say(&mut manager, &by("max", "Ann", &[]));
    say(&mut manager, &by("lee", "", &[]));
    let whole = manager.options.max_bytes;
    let made = manager.assemble_turn(&turn("max", Some("max")), false, |assembly| {
        let mut prompt = Vec::new();
        assembly.write(&mut prompt);
        prompt.len()
    });
    manager.options.max_bytes = made.unwrap().0 - 1;
    assert_eq!(sent(&mut manager, "max", Some("max")), [4]);
    manager.options.max_bytes = whole;
    say(&mut manager, &by("lee", "", &[]));
    assert_eq!(prompt(&mut manager, "max", Some("max")), Ok((vec![5], vec![4, 3, 2])));
    assert_eq!(manager.overflow(&turn("max", Some("max"))), Ok(vec![0]));
}

#[test]
fn a_snapshot_keeps_revealed_messages() {
    let mut manager = waiting();
    say(&mut manager, &by("lee", "", &["Ann"]));
    say(&mut manager, &by("lee", "", &[]));
    let envelopes =
        [by("lee", "", &["Ann"]), by("lee", "", &[]), by("lee", "", &["Ann"]), by("lee", "", &[])];
    let message = |number: usize, envelope: &Envelope| SnapshotMessage {
        id: format!("msg-{number}"),
        envelope: envelope.clone(),
        text: text(&format!("<{number}>")),
    };
    let head = |manager: &Manager, after: Option<&str>| {
        let json = serde_json::to_string(&manager.memory(after.is_some())).unwrap();
        SnapshotHead {
            after: after.map(str::to_owned),
            memory: Memory::from_json(&json).unwrap(),
            ..SnapshotHead::default()
        }
    };
    let restored = |manager: &Manager, envelopes: &[Envelope]| {
        let mut next = new_manager();
        let mut conversation = next.empty_conversation();
        for (index, envelope) in envelopes.iter().enumerate() {
            let SnapshotMessage { id, envelope, text } = message(index + 1, envelope);
            conversation.restore(&id, &envelope, &text);
        }
        next.restore(&head(manager, None), conversation).unwrap();
        assert_eq!(next.memory(true), manager.memory(true));
        next
    };
    // Restored before the name is known.
    let mut early = restored(&manager, &envelopes);
    say(&mut early, &by("max", "Ann", &[]));
    // Restored afterwards, from a whole snapshot and from two parts.
    say(&mut manager, &by("max", "Ann", &[]));
    let all = [&envelopes[..], &[by("max", "Ann", &[])]].concat();
    let whole = restored(&manager, &all);
    let mut appended = new_manager();
    for (index, envelope) in envelopes.iter().enumerate() {
        appended.add(envelope, &text(&format!("<{}>", index + 1))).unwrap();
    }
    appended.append(&head(&manager, Some("msg-4")), &[message(5, &all[4])]).unwrap();
    assert_eq!(appended.memory(true), manager.memory(true));
    for mut manager in [early, whole, appended, manager] {
        // The third message is new to the session and for it, like the fourth one.
        assert_eq!(sent(&mut manager, "max", Some("max")), [1, 3, 4]);
    }
}

#[test]
fn a_session_whose_recipient_turns_out_to_have_left_is_not_sent_again_what_it_was_shown() {
    let mut manager = new_manager();
    say(&mut manager, &by("u2", "", &[]));
    say(&mut manager, &by("lee", "", &["u2"]));
    say(&mut manager, &by("lee", "", &[]));
    assert_eq!(sent(&mut manager, "agent", Some("u2")), [1, 2, 3]);
    manager.remove_member("max");
    say(&mut manager, &by("u2", "Max", &[]));
    assert!(!manager.conversation.visible_to("u2").contains(&1), "it was for another Max");
    assert_eq!(sent(&mut manager, "agent", Some("u2")), [4]);
    // The name comes to mean nobody.
    say(&mut manager, &by("u3", "Max", &[]));
    let (shown, seen) = prompt(&mut manager, "agent", Some("u2")).unwrap();
    assert_eq!((shown, seen), (vec![5], vec![4, 3, 2, 1]));
}

#[test]
fn what_a_member_could_see_before_it_left_is_not_sent_to_its_successor() {
    let mut manager = new_manager();
    say(&mut manager, &by("lee", "", &["max"]));
    say(&mut manager, &by("lee", "", &["kim"]));
    say(&mut manager, &by("lee", "", &[]));
    assert_eq!(sent(&mut manager, "agent", Some("max")), [1, 3]);
    manager.remove_member("max");
    manager.remove("msg-2").unwrap();
    say(&mut manager, &by("lee", "", &["max"]));
    let (shown, seen) = prompt(&mut manager, "agent", Some("max")).unwrap();
    assert_eq!((shown, seen), (vec![4], vec![3]));
}

#[test]
fn a_session_lacks_what_its_former_recipient_could_not_see() {
    let mut manager = new_manager();
    say(&mut manager, &by("lee", "", &["kim"]));
    say(&mut manager, &by("lee", "", &["max"]));
    say(&mut manager, &by("lee", "", &["ann"]));
    say(&mut manager, &by("lee", "", &[]));
    assert_eq!(sent(&mut manager, "agent", Some("max")), [2, 4]);
    assert_eq!(sent(&mut manager, "agent", Some("kim")), [1]);
    assert!(prompt(&mut manager, "agent", Some("MAX")).is_err());
    assert_eq!(sent(&mut manager, "agent", None), [3]);
    assert!(prompt(&mut manager, "agent", Some("max")).is_err());
}

#[test]
fn an_ordinary_message_is_not_followed() {
    let mut manager = waiting();
    let mut is_followed = |envelope: &Envelope| {
        manager.conversation.add(envelope, &text("x"));
        let is_stale = manager.conversation.visibility.sights.are_stale();
        manager.follow_sights();
        assert!(!manager.conversation.visibility.sights.are_stale());
        is_stale
    };
    assert!(!is_followed(&by("lee", "", &["Ann"])), "it teaches no name");
    assert!(is_followed(&by("kim", "", &[])));
    assert!(!is_followed(&by("kim", "", &[])));
    let mut without_session = new_manager();
    without_session.conversation.add(&by("max", "Ann", &[]), &text("x"));
    assert!(!without_session.conversation.visibility.sights.are_stale());
}
