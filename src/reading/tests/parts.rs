//! Properties of every prompt of messages with tool calls: no call is shown without its result, and
//! every byte is accounted for, with the same total for every budget. `PARTS_RUNS` sets the number
//! of prompts.

use super::messages::request_of;
use super::random::Numbers;
use crate::account::Reason;
use crate::arrays::{Api, ArrayForm, Caching};
use crate::error::Error;
use crate::layout::{CLAUDE, CODEX, GEMINI, PLAIN};
use crate::model::TokenBudget;
use crate::model::{Assembler, AssemblerOptions, Markers, Materials};
use crate::parts::{MessagePart, PartKind};
use crate::reading::{GivenMessage, GivenRequest, Policy, Reading, Selection};
use crate::report::Report;
use crate::tokens::{BudgetUnit, Tokenizer, Vocabulary};

struct Parted {
    from: &'static str,
    to: &'static str,
    parts: Vec<MessagePart>,
}

impl GivenMessage for Parted {
    fn push_from(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        out.extend_from_slice(self.from.as_bytes());
        Ok(())
    }

    fn push_to(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        out.extend_from_slice(self.to.as_bytes());
        Ok(())
    }

    fn push_content(&self, _out: &mut Vec<u8>, _room: usize) -> Result<bool, Error> {
        Ok(true)
    }

    fn parts(&self) -> Option<&[MessagePart]> {
        Some(&self.parts)
    }
}

/// The number of prompts.
pub(crate) fn runs() -> u64 {
    let runs = std::env::var("PARTS_RUNS").ok().and_then(|runs| runs.parse().ok());
    runs.unwrap_or(1000)
}

/// Messages with calls and results, each distinguishable from all others in a prompt.
pub(crate) fn conversation(numbers: &mut Numbers, count: usize) -> Vec<Vec<MessagePart>> {
    let mut calls: Vec<usize> = Vec::new();
    let mut made = 0;
    let mut part = |numbers: &mut Numbers| {
        let words = numbers.text(12);
        let text = MessagePart { text: words, ..MessagePart::default() };
        match numbers.below(8) {
            0 | 1 => text,
            2 => MessagePart { kind: PartKind::Reasoning, ..text },
            3 => MessagePart {
                kind: PartKind::File,
                id: "text/plain".into(),
                data_bytes: numbers.below(50),
                ..MessagePart::default()
            },
            4 | 5 => {
                made += 1;
                calls.push(made);
                MessagePart {
                    kind: PartKind::Call,
                    id: made.to_string(),
                    name: format!("call{made}"),
                    text: "{}".into(),
                    ..MessagePart::default()
                }
            }
            _ if calls.is_empty() => text,
            _ => {
                let call = calls.swap_remove(numbers.below(calls.len()));
                let most = [12, 400][numbers.below(2)];
                MessagePart {
                    kind: PartKind::Result,
                    id: call.to_string(),
                    text: format!("<result{call}>{}", numbers.text(most)),
                    ..MessagePart::default()
                }
            }
        }
    };
    (0..count).map(|_| (0..1 + numbers.below(4)).map(|_| part(numbers)).collect()).collect()
}

/// The numbers after a word in a prompt, in order.
fn numbers_behind(prompt: &str, word: &str, end: char) -> Vec<usize> {
    let found = prompt.match_indices(word).filter_map(|(at, _)| {
        let (number, _) = prompt[at + word.len()..].split_once(end)?;
        number.parse().ok()
    });
    found.collect()
}

/// Which calls have a result somewhere.
pub(crate) fn answered<'p>(parts: impl Iterator<Item = &'p MessagePart>) -> Vec<usize> {
    let results = parts.filter(|part| part.kind == PartKind::Result);
    results.filter_map(|part| part.id.parse().ok()).collect()
}

/// Asserts that a prompt shows calls only with their results.
pub(crate) fn assert_pairs(prompt: &str, answered: &[usize], what: &str) {
    let calls = numbers_behind(prompt, "call", ' ');
    let calls: Vec<usize> = calls.into_iter().filter(|call| answered.contains(call)).collect();
    assert_eq!(calls, numbers_behind(prompt, "<result", '>'), "{what}:\n{prompt}");
}

/// Looks like a key.
const SECRET: &str = "AKIAABCDEFGHIJKLMNOP";

struct Inputs {
    assembler: Assembler,
    messages: Vec<Parted>,
    pinned: Vec<usize>,
    selection: Option<Selection>,
    is_assembler: bool,
    tokenizer: Option<Tokenizer>,
    redacts: bool,
}

impl Inputs {
    fn new(numbers: &mut Numbers) -> Self {
        let layout = [&CLAUDE, &CODEX, &GEMINI, &PLAIN][numbers.below(4)];
        let markers = [Markers::Verbatim, Markers::Escape, Markers::Fence][numbers.below(3)];
        let options = AssemblerOptions {
            markers: Some(markers),
            eviction_step: Some(1 + numbers.below(3)),
            tool_output_min_bytes: [None, Some(numbers.below(300))][numbers.below(2)],
            keeps_reasoning: numbers.below(3) == 0,
            ..AssemblerOptions::default()
        };
        let count = numbers.below(14);
        let (from, to) = (["a", "b", "c"], ["", "a", "all", "b"]);
        let messages = conversation(numbers, count).into_iter().map(|parts| Parted {
            from: from[numbers.below(3)],
            to: to[numbers.below(4)],
            parts,
        });
        let mut messages: Vec<Parted> = messages.collect();
        for part in messages.iter_mut().flat_map(|message| &mut message.parts) {
            if part.kind != PartKind::Call && numbers.below(3) == 0 {
                // What identifies a result is at its beginning, which a cut keeps.
                let end = part.text.len();
                let place =
                    if part.kind == PartKind::Result { end } else { [0, end][numbers.below(2)] };
                let secrets = [SECRET, " "].concat().repeat(1 + numbers.below(30));
                part.text.insert_str(place, &secrets);
            }
        }
        let is_assembler = numbers.below(2) == 0;
        let recipient = [None, Some("a".to_owned())][numbers.below(2)].clone();
        let selection = Selection { limit: numbers.below(16), recipient, rest_is_covered: false };
        let assembler = Assembler::new(layout.into(), options);
        let tokenizer = Tokenizer::Exact(Vocabulary::O200k);
        Inputs {
            assembler: assembler.with_key(Some("abcdef123456")).unwrap().into_owned(),
            messages,
            pinned: (0..count).filter(|_| numbers.below(6) == 0).collect(),
            selection: (!is_assembler).then_some(selection),
            is_assembler,
            tokenizer: (numbers.below(4) == 0).then_some(tokenizer),
            redacts: numbers.below(2) == 0,
        }
    }

    fn assemble(
        &self,
        max_bytes: usize,
        max_tokens: Option<usize>,
    ) -> Result<(String, Report), Error> {
        let tokens = self.tokenizer.map(|tokenizer| TokenBudget::new(tokenizer, max_tokens));
        let materials =
            Materials { message: "Go on.".into(), max_bytes, tokens, ..Materials::default() };
        let request = request_of(&self.assembler, &materials, self.messages.len());
        let mut reading = Reading::begin(GivenRequest {
            policy: match self.is_assembler {
                true => Policy::Assembler,
                false => Policy::BuildPrompt { system_max_bytes: None },
            },
            pinned: self.pinned.clone(),
            selection: self.selection.clone(),
            redacts: self.redacts,
            report: true,
            ..request
        })?;
        while let Some(index) = reading.wanted {
            reading.pass(&self.messages[index])?;
        }
        let assembly = reading.finish()?;
        let mut prompt = Vec::new();
        assembly.write(&mut prompt);
        Ok((String::from_utf8(prompt).unwrap(), assembly.report()))
    }
}

#[test]
fn no_prompt_shows_a_call_without_its_result_and_every_byte_is_accounted_for() {
    for seed in 0..runs() / 4 {
        let mut numbers = Numbers(seed);
        let inputs = Inputs::new(&mut numbers);
        let parts = inputs.messages.iter().flat_map(|message| &message.parts);
        let given: usize = parts.clone().map(|part| part.shown_bytes() + part.data_bytes).sum();
        let answered = answered(parts);
        // A recipient may see a call but not its result.
        let is_for_all = inputs.selection.as_ref().is_none_or(|one| one.recipient.is_none());
        let mut least = 1;
        for _ in 0..4 {
            let max_bytes = least + [numbers.below(500), numbers.below(9000)][numbers.below(2)];
            let max_tokens = inputs.tokenizer.map(|_| 40 + numbers.below(2000));
            let what = format!("seed {seed}, {max_bytes} bytes, {max_tokens:?} tokens");
            let (prompt, report) = match inputs.assemble(max_bytes, max_tokens) {
                Ok(made) => made,
                Err(Error::BudgetExceeded { required_bytes, tokens: None, .. }) => {
                    let made = inputs.assemble(required_bytes, None);
                    assert!(made.is_ok(), "{what}: {:?}", made.err());
                    assert!(inputs.assemble(required_bytes - 1, None).is_err(), "{what}");
                    least = required_bytes;
                    continue;
                }
                Err(_) => continue,
            };
            assert!(prompt.len() <= max_bytes, "{what}");
            assert!(!inputs.redacts || !prompt.contains(SECRET), "{what}");
            if let (Some(tokenizer), Some(most)) = (inputs.tokenizer, max_tokens) {
                let tokens = tokenizer.count(&prompt);
                assert!(tokens <= most, "{what}");
                assert_eq!(
                    report.tokens.as_ref().map(|it| it.total_tokens),
                    Some(tokens),
                    "{what}"
                );
            }
            if is_for_all {
                assert_pairs(&prompt, &answered, &what);
            }
            let (account, left_out) = (report.account, &report.left_out);
            assert_eq!(account.given_bytes, given + 6, "{what}\n{left_out:?}\n{prompt}");
            assert_eq!(account.sent_bytes + account.left_out_bytes, account.given_bytes, "{what}");
            let left_out = left_out.iter().map(|entry| entry.bytes);
            assert_eq!(left_out.sum::<usize>(), account.left_out_bytes, "{what}");
        }
    }
}

fn part(kind: PartKind, id: &str, text: &str) -> MessagePart {
    MessagePart { kind, id: id.into(), text: text.into(), ..MessagePart::default() }
}

fn by(from: &'static str, parts: Vec<MessagePart>) -> Parted {
    Parted { from, to: "", parts }
}

/// A prompt of these messages for [`CODEX`].
fn inputs_of(messages: Vec<Parted>, pinned: Vec<usize>, limit: Option<usize>) -> Inputs {
    Inputs {
        assembler: Assembler::new((&CODEX).into(), AssemblerOptions::default()),
        messages,
        pinned,
        selection: limit.map(|limit| Selection { limit, recipient: None, rest_is_covered: false }),
        is_assembler: limit.is_none(),
        tokenizer: None,
        redacts: false,
    }
}

#[test]
fn a_pinned_message_is_shown_whole_or_not_at_all() {
    let words = "word ".repeat(30);
    for unpaired in [part(PartKind::Call, "1", "{}"), part(PartKind::Result, "1", &words)] {
        let texts = ["an older one", "a newer one", "the newest"];
        let [older, newer, newest] =
            texts.map(|text| by("a", vec![part(PartKind::Text, "", text)]));
        let pinned = by("a", vec![part(PartKind::Text, "", "pinned"), unpaired.clone()]);
        let mut inputs = inputs_of(vec![older, pinned, newer, newest], vec![1], None);
        let mut least = None;
        for max_bytes in 1..500 {
            match inputs.assemble(max_bytes, None) {
                Ok((prompt, _)) => {
                    least = least.or(Some(max_bytes));
                    let shown = if unpaired.text == "{}" { "→  {}" } else { words.trim() };
                    assert!(prompt.contains(shown), "{max_bytes}: {prompt}");
                }
                Err(Error::BudgetExceeded { required_bytes, .. }) => {
                    assert!(required_bytes > max_bytes && least.is_none(), "{max_bytes}");
                }
                Err(error) => panic!("{error}"),
            }
        }
        inputs.tokenizer = Some(Tokenizer::Exact(Vocabulary::O200k));
        let fits: Vec<bool> =
            (1..120).map(|most| inputs.assemble(1000, Some(most)).is_ok()).collect();
        assert!(fits.is_sorted(), "what fits into one budget fits into every larger one");
    }
}

#[test]
fn a_pinned_call_is_shown_with_a_result_outside_the_window() {
    let call = by("a", vec![part(PartKind::Call, "1", "{}")]);
    let result = by("a", vec![part(PartKind::Result, "1", "found")]);
    let text = || by("a", vec![part(PartKind::Text, "", "Hello.")]);
    for (messages, pinned) in [
        (vec![call, result, text(), text()], 0),
        (vec![text(), by("a", vec![part(PartKind::Call, "2", "{}")]), text()], 1),
    ] {
        let is_answered = pinned == 0;
        let inputs = inputs_of(messages, vec![pinned], Some(1));
        let (prompt, report) = inputs.assemble(1000, None).unwrap();
        assert!(prompt.contains("→  {}"), "{prompt}");
        assert_eq!(prompt.contains("found"), is_answered, "{prompt}");
        assert_eq!(report.limited_by, None);
    }
}

#[test]
fn a_result_is_left_out_for_the_reason_of_its_call() {
    let call = by("a", vec![part(PartKind::Call, "1", "{}")]);
    let result = by("a", vec![part(PartKind::Result, "1", "found")]);
    let text = by("a", vec![part(PartKind::Text, "", "Hello.")]);
    let inputs = inputs_of(vec![call, result, text], Vec::new(), Some(2));
    let (prompt, report) = inputs.assemble(1000, None).unwrap();
    assert!(!prompt.contains("found"), "{prompt}");
    assert_eq!(report.limited_by, None);
    let causes = report.left_out.iter().map(|entry| (entry.cause.reason, entry.bytes));
    assert_eq!(causes.collect::<Vec<_>>(), [(Reason::Window, 2), (Reason::Window, 5)]);
    assert!(report.decisions[1].contains("have their calls outside"), "{:?}", report.decisions);
}

#[test]
fn a_message_with_only_an_unpaired_result_is_dropped_like_any_other() {
    let result = by("a", vec![part(PartKind::Result, "1", &"word ".repeat(40))]);
    let text = by("a", vec![part(PartKind::Text, "", "Hello.")]);
    let inputs = inputs_of(vec![result, text], Vec::new(), Some(5));
    let (prompt, whole) = inputs.assemble(1000, None).unwrap();
    assert!(prompt.contains("word"), "{prompt}");
    let (prompt, report) = inputs.assemble(100, None).unwrap();
    assert!(!prompt.contains("word"), "{prompt}");
    assert_eq!(report.dropped.len(), 1);
    assert_eq!(report.limited_by, Some(BudgetUnit::Bytes));
    assert_eq!(report.needed_bytes, Some(whole.total_bytes));
}

#[test]
fn results_are_shortened_if_the_newest_messages_fill_the_budget_to_the_byte() {
    let call = part(PartKind::Call, "1", "{}");
    let result = part(PartKind::Result, "1", &"line\n".repeat(200));
    let older = by("a", vec![part(PartKind::Text, "", "An older one.")]);
    let inputs = inputs_of(vec![older, by("a", vec![call, result])], Vec::new(), None);
    let (_, whole) = inputs.assemble(4000, None).unwrap();
    let mut is_shown = false;
    for max_bytes in 400..whole.total_bytes {
        let (prompt, _) = inputs.assemble(max_bytes, None).unwrap();
        let has_older = prompt.contains("An older one.");
        assert!(has_older || !is_shown, "{max_bytes}");
        is_shown |= has_older;
    }
    assert!(is_shown);
}

#[test]
fn a_message_whose_results_are_shown_elsewhere_has_no_tokens() {
    let call = by("a", vec![part(PartKind::Call, "1", "{}")]);
    let result = by("a", vec![part(PartKind::Result, "1", "found")]);
    let text = || by("a", vec![part(PartKind::Text, "", "Hello.")]);
    let mut inputs = inputs_of(vec![text(), call, result, text()], vec![1], None);
    let tokenizer = Tokenizer::Exact(Vocabulary::O200k);
    inputs.tokenizer = Some(tokenizer);
    let (whole, report) = inputs.assemble(1000, Some(1000)).unwrap();
    let tokens = tokenizer.count(&whole);
    assert_eq!(report.tokens.unwrap().total_tokens, tokens);
    let (prompt, report) = inputs.assemble(1000, Some(tokens)).unwrap();
    assert_eq!((prompt, report.limited_by), (whole, None));
}

#[test]
fn errors_name_the_smallest_token_budget_in_every_form() {
    let mut exceeded = 0;
    for seed in 0..runs() / 10 {
        let mut numbers = Numbers(seed);
        let mut inputs = Inputs::new(&mut numbers);
        let apis = [Api::Anthropic, Api::OpenAi, Api::OpenAiChat, Api::Gemini, Api::AiSdk];
        let api = apis[numbers.below(5)];
        if numbers.below(4) > 0 {
            let form = ArrayForm {
                api,
                member: Some("a".into()),
                caching: Caching::default(),
                model: None,
                conversation: None,
            };
            let assembler = inputs.assembler.for_array(form);
            inputs.assembler = assembler.with_key(Some("abcdef123456")).unwrap().into_owned();
        }
        inputs.tokenizer = Some(Tokenizer::Exact(Vocabulary::O200k));
        let required = |max_tokens: usize| match inputs.assemble(1 << 20, Some(max_tokens)) {
            Ok(_) => None,
            Err(Error::BudgetExceeded { tokens, .. }) => tokens.unwrap().required_tokens,
            Err(error) => panic!("{error}"),
        };
        let Some(least) = required(1) else { continue };
        exceeded += 1;
        assert_eq!(required(least), None, "seed {seed}: {least}");
        for tried in [least - 1, 1 + numbers.below(least - 1), least / 2 + 1] {
            assert_eq!(required(tried), Some(least), "seed {seed}: {tried}");
        }
        for more in [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, numbers.below(3000)] {
            assert_eq!(required(least + more), None, "seed {seed}: {least} + {more}");
        }
    }
    assert!(exceeded > 10);
}
