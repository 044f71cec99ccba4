//! Arbitrary snapshots: each is refused, or restored so that the next snapshot is the same.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use promptmason::layout::Layouts;
use promptmason::manager::decided::DecidedRecords;
use promptmason::manager::ids::SnapshotIds;
use promptmason::manager::memory::Memory;
use promptmason::manager::snapshot::{SnapshotHead, SnapshotMessage};
use promptmason::manager::{
    AgentDefaults, Agents, Envelope, Manager, ManagerOptions, MessageText, Speaker,
};
use promptmason_fuzz::text::{name, text};
use serde_json::{Value, json};

const IDS: [&str; 8] =
    ["msg-1", "msg-2", "msg-3", "msg-4", "msg-007", "own", "msg-9007199254740993", ""];

fn id(u: &mut Unstructured) -> arbitrary::Result<String> {
    if u.ratio(1, 12)? { name(u) } else { u.choose(&IDS[..4]).map(|id| (*id).to_owned()) }
}

/// A value where a string is expected.
fn value(u: &mut Unstructured) -> arbitrary::Result<Value> {
    Ok(match u.int_in_range(0..=19)? {
        0 => Value::Null,
        1 => json!(u.arbitrary::<i64>()?),
        2 => json!([]),
        3 => json!({}),
        4..=6 => json!(text(u, 3)?),
        7 => json!("0a1b2c"),
        _ => json!(id(u)?),
    })
}

fn values<T>(
    u: &mut Unstructured,
    mut make: impl FnMut(&mut Unstructured) -> arbitrary::Result<T>,
) -> arbitrary::Result<Vec<T>> {
    (0..u.int_in_range(0..=3)?).map(|_| make(u)).collect()
}

/// Pins, summaries and sessions, often with something wrong in them.
fn memory(u: &mut Unstructured) -> arbitrary::Result<String> {
    if u.ratio(1, 10)? {
        return Ok(
            String::from_utf8_lossy(u.peek_bytes(u.len().min(60)).unwrap_or_default()).into_owned()
        );
    }
    let mut memory = json!({});
    if u.arbitrary()? {
        memory["pinned"] = values(u, value)?.into();
    }
    if u.arbitrary()? {
        let summary = |u: &mut Unstructured| {
            Ok(
                json!({ "upTo": value(u)?, "text": text(u, 3)?, "recipient": if u.arbitrary()? { value(u)? } else { Value::Null } }),
            )
        };
        memory["summaries"] = values(u, summary)?.into();
    }
    if u.arbitrary()? {
        let session = |u: &mut Unstructured| {
            let seen = values(u, |u| Ok(json!([value(u)?, value(u)?])))?;
            Ok(
                json!({ "agentId": value(u)?, "seen": seen, "since": value(u)?, "after": value(u)?, "system": value(u)? }),
            )
        };
        memory["sessions"] = values(u, session)?.into();
    }
    Ok(memory.to_string())
}

/// Visibility in a snapshot that may come from anybody.
fn decided(u: &mut Unstructured) -> arbitrary::Result<String> {
    let names = values(u, |u| Ok(json!([value(u)?, value(u)?])))?;
    let audience = |u: &mut Unstructured| {
        let (members, shared) = (values(u, value)?, values(u, value)?);
        let waiting = values(u, |u| match u.arbitrary()? {
            true => Ok(json!({ "text": value(u)?, "open": values(u, value)? })),
            false => Ok(json!({ "ids": values(u, value)?, "name": value(u)? })),
        })?;
        let everyone: bool = u.arbitrary()?;
        Ok(
            json!({ "id": value(u)?, "everyone": everyone, "members": members, "shared": shared, "waiting": waiting }),
        )
    };
    Ok(json!({ "names": names, "audiences": values(u, audience)? }).to_string())
}

fn head(u: &mut Unstructured, after: Option<String>) -> arbitrary::Result<Option<SnapshotHead>> {
    let Ok(memory) = Memory::from_json(&memory(u)?) else { return Ok(None) };
    let team_task = if u.arbitrary()? { Some(text(u, 40)?) } else { None };
    let last_number = u.ratio(1, 3)?.then_some(u.int_in_range(0..=20)?);
    let Ok(decided) = DecidedRecords::from_json(&decided(u)?) else { return Ok(None) };
    Ok(Some(SnapshotHead { after, team_task, last_number, memory, decided, late: Vec::new() }))
}

fn speaker(id: String) -> Speaker {
    Speaker { name: id.clone(), id, ..Speaker::default() }
}

fn messages(u: &mut Unstructured) -> arbitrary::Result<Vec<SnapshotMessage>> {
    let mut ids = SnapshotIds::default();
    let mut messages = Vec::new();
    for _ in 0..u.int_in_range(0..=5)? {
        let id = id(u)?;
        let speaker = speaker(name(u)?);
        if speaker.id.is_empty() || ids.check(&id).is_err() {
            continue;
        }
        let text = MessageText {
            content: text(u, 6)?.into(),
            pinned: u.arbitrary()?,
            ..MessageText::default()
        };
        messages.push(SnapshotMessage {
            id,
            envelope: Envelope { speaker, ..Envelope::default() },
            text,
        });
    }
    Ok(messages)
}

fn manager() -> Manager {
    Manager::new(
        ManagerOptions::default(),
        Agents::new(&Layouts::default(), Vec::new(), AgentDefaults::default()),
    )
}

fn ids_of(manager: &Manager) -> Vec<String> {
    (0..manager.conversation.len()).map(|index| manager.conversation.id(index)).collect()
}

fn check(data: &[u8]) -> arbitrary::Result<()> {
    let mut u = Unstructured::new(data);
    let mut restored = manager();
    let Some(first) = head(&mut u, None)? else { return Ok(()) };
    let mut conversation = restored.empty_conversation();
    for SnapshotMessage { id, envelope, text } in messages(&mut u)? {
        conversation.restore(&id, &envelope, &text);
    }
    if restored.restore(&first, conversation).is_err() {
        assert_eq!(restored.conversation.len(), 0);
        return Ok(());
    }

    // A refused snapshot changes nothing.
    let after = if u.arbitrary()? { ids_of(&restored).pop() } else { Some(id(&mut u)?) };
    if let Some(next) = head(&mut u, after)? {
        let (ids, memory) = (ids_of(&restored), restored.memory(true));
        if restored.append(&next, &messages(&mut u)?).is_err() {
            assert_eq!((ids_of(&restored), restored.memory(true)), (ids, memory));
        }
    }

    // Restoring the next snapshot gives the same one.
    let memory = restored.memory(true);
    let json = serde_json::to_string(&memory).expect("JSON");
    let parsed = Memory::from_json(&json).expect("our own");
    assert_eq!(parsed, memory);
    let mut copy = manager();
    let mut conversation = copy.empty_conversation();
    for index in 0..restored.conversation.len() {
        let message = restored.conversation.message(index);
        let speaker = speaker("x".to_owned());
        let text =
            MessageText { content: message.content.to_owned().into(), ..MessageText::default() };
        conversation.restore(
            &restored.conversation.id(index),
            &Envelope { speaker, ..Envelope::default() },
            &text,
        );
    }
    let head = SnapshotHead {
        memory: parsed,
        last_number: restored.conversation.removed_last_number(),
        ..SnapshotHead::default()
    };
    copy.restore(&head, conversation).expect("our own snapshot");
    assert_eq!((ids_of(&copy), copy.memory(true)), (ids_of(&restored), memory));
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    // Too few bytes to build an input.
    let _ = check(data);
});
