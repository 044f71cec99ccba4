use super::*;
use crate::manager::edit::LateRouting;
use crate::manager::message::{Envelope, MessageText, Speaker};
use crate::reading::tests::random::Numbers;
use crate::visibility::audience::Addressee;

fn by(speaker: &str) -> Envelope {
    let (id, name) = (speaker.to_owned(), speaker.to_owned());
    Envelope { speaker: Speaker { id, name, ..Speaker::default() }, ..Envelope::default() }
}

fn part(kind: PartKind, id: usize, text: &str) -> MessagePart {
    let (id, text) = (id.to_string(), text.to_owned());
    MessagePart { kind, id, text, ..MessagePart::default() }
}

fn with(parts: Vec<MessagePart>) -> MessageText<'static> {
    MessageText { parts, ..MessageText::default() }
}

/// The bytes that are laid out or moved while `edit` runs.
fn written(conversation: &mut Conversation, edit: impl FnOnce(&mut Conversation)) -> usize {
    conversation.lines.written_bytes.set(0);
    edit(conversation);
    conversation.lines.written_bytes.get()
}

fn add_calls(conversation: &mut Conversation, count: usize) {
    let calls = (0..count).map(|id| part(PartKind::Call, id, "{}")).collect();
    conversation.add(&by("max"), &with(calls));
}

fn add_results(conversation: &mut Conversation, count: usize) {
    for id in 0..count {
        conversation.add(&by("max"), &with(vec![part(PartKind::Result, id, "the output")]));
    }
}

#[test]
fn results_in_separate_messages_take_linear_time() {
    let cost = |count: usize| {
        let mut conversation = Conversation::default();
        written(&mut conversation, |conversation| {
            add_calls(conversation, count);
            add_results(conversation, count);
        }) + written(&mut conversation, |conversation| {
            assert_eq!(conversation.message(0).content.matches("the output").count(), count);
        })
    };
    let [once, twice] = [cost(2_000), cost(4_000)];
    assert!(once > 40_000 && twice < 2 * once + once / 4, "{once} and {twice} bytes");
}

#[test]
fn removing_a_message_with_many_calls_takes_linear_time() {
    let cost = |count: usize| {
        let mut conversation = Conversation::default();
        add_calls(&mut conversation, count);
        add_results(&mut conversation, count);
        written(&mut conversation, |conversation| {
            conversation.remove("msg-1").unwrap();
        })
    };
    let [once, twice] = [cost(2_000), cost(4_000)];
    assert!(once > 0 && twice < 2 * once + once / 4, "{once} and {twice} bytes");
}

#[test]
fn a_line_moves_back_once_it_has_all_its_results() {
    let mut conversation = Conversation::default();
    add_calls(&mut conversation, 2);
    let one = |id| with(vec![part(PartKind::Result, id, "output")]);
    conversation.add(&by("max"), &one(1));
    assert_eq!(conversation.last_together(0..2), 1);
    assert_eq!(conversation.message(0).content, "→  {}\n→  {}\n← result\noutput");
    conversation.add(&by("max"), &one(0));
    assert_eq!(conversation.last_together(0..3), 3);
    assert_eq!(
        conversation.lines(0..3),
        "- max -> all: →  {}\n← result\noutput\n→  {}\n← result\noutput"
    );
}

/// A message of the model that the conversation is compared with.
#[derive(Clone)]
struct Told {
    id: String,
    envelope: Envelope,
    text: MessageText<'static>,
}

fn some_text(numbers: &mut Numbers) -> MessageText<'static> {
    use PartKind::{Call, Reasoning, Result, Text};
    if numbers.below(5) == 0 {
        return MessageText {
            content: ["words", ""][numbers.below(2)].into(),
            ..MessageText::default()
        };
    }
    let mut parts = Vec::new();
    for _ in 0..1 + numbers.below(3) {
        let kind = [Call, Call, Result, Result, Result, Text, Reasoning][numbers.below(7)];
        let text = "x".repeat(numbers.below(9));
        parts.push(part(kind, numbers.below(40), &text));
    }
    with(parts)
}

fn same_as_told(conversation: &Conversation, told: &[Told], what: &str) {
    let mut fresh = Conversation::default();
    for Told { id, envelope, text } in told {
        fresh.restore(id, envelope, text);
    }
    assert_eq!(conversation.len(), told.len(), "{what}");
    for index in 0..told.len() {
        let of = |one: &Conversation| {
            let sum = one.given_bytes_before(index);
            (one.line(index).to_owned(), one.is_absent(index), one.given_bytes(index), sum)
        };
        assert_eq!(of(conversation), of(&fresh), "message {index} {what}");
    }
    assert_eq!(conversation.parted.memory_bytes(), fresh.parted.memory_bytes(), "{what}");
    let mut end = told.len();
    while end > 0 {
        let start = end - conversation.last_together(0..end);
        let sum: usize = (start..end).map(|index| fresh.lines_cost(index..index + 1)).sum();
        assert_eq!(conversation.lines_cost(start..end), sum, "messages {start}..{end} {what}");
        end = start;
    }
}

#[test]
fn an_edited_conversation_equals_one_built_from_scratch() {
    for seed in 0..4 {
        let mut numbers = Numbers(seed);
        let mut conversation = Conversation::default();
        let mut told: Vec<Told> = Vec::new();
        let people = ["max", "sarah"];
        for step in 0..900 {
            let what = format!("seed {seed}, step {step}");
            let kind = if told.len() < 300 { 0 } else { numbers.below(5) };
            let at = numbers.below(told.len().max(1));
            match kind {
                0 | 1 => {
                    let envelope = by(people[numbers.below(2)]);
                    let text = some_text(&mut numbers);
                    let id = format!("msg-{}", conversation.add(&envelope, &text));
                    told.push(Told { id, envelope, text });
                }
                2 => {
                    let envelope = told[at].envelope.clone();
                    let text = some_text(&mut numbers);
                    conversation.update(&told[at].id, &envelope, &text).unwrap();
                    told[at].text = text;
                }
                3 => {
                    conversation.remove(&told[at].id).unwrap();
                    told.remove(at);
                }
                _ => {
                    let addressees = vec![Addressee::Text(people[numbers.below(2)].to_owned())];
                    let routing = LateRouting { addressees, ..LateRouting::default() };
                    conversation.address(at, &routing);
                    told[at].envelope.addressees = routing.addressees;
                }
            }
            if step % 17 == 0 {
                same_as_told(&conversation, &told, &what);
            }
        }
        same_as_told(&conversation, &told, "at the end");
    }
}

#[test]
fn a_call_that_others_cannot_see_does_not_part_a_call_and_its_result() {
    let mut conversation = Conversation::default();
    let private =
        Envelope { addressees: vec![Addressee::Text("lee".into())], is_private: true, ..by("max") };
    add_calls(&mut conversation, 1);
    conversation.add(&private, &with(vec![part(PartKind::Call, 0, "{}")]));
    add_results(&mut conversation, 1);
    assert!(conversation.message(0).content.contains("the output"));
    assert!(conversation.is_absent(2));
    conversation.add(&private, &with(vec![part(PartKind::Result, 0, "a private one")]));
    assert!(conversation.message(1).content.contains("a private one"));
    assert!(!conversation.message(0).content.contains("a private one"));
}
