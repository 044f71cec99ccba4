//! Compares `buildPrompt` with the plain version: which messages a member may see, how much of them
//! and of everything else is kept, and which budget would have been enough.
#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use promptmason::Error;
use promptmason::budget;
use promptmason::prompt::role_line;
use promptmason::reading::Selection;
use promptmason_fuzz::check::{check_account, written};
use promptmason_fuzz::input::{Input, Message};
use promptmason_fuzz::marker::{marked, markers_in};
use promptmason_fuzz::reference::{self, Policy};
use promptmason_fuzz::text::text;
use promptmason_fuzz::visibility::{is_list, may_see};

const NAMES: [&str; 12] =
    ["max", "Max ", "sarah", "all", "张三", "a", "b", "a, b", "max，sarah", "x、max, b", "", ","];

struct Asked {
    input: Input,
    limit: usize,
    recipient: Option<&'static str>,
    share: Option<usize>,
}

fn asked(u: &mut Unstructured) -> Result<Asked> {
    let mut input = Input::arbitrary(u)?;
    // `buildPrompt` has no routes.
    input.materials.parent = None;
    input.materials.siblings = Vec::new();
    input.materials.parent_message_id = "".into();
    input.materials.intent = "".into();
    input.materials.role = role_line(&text(u, 6)?);
    input.gaps_before = Vec::new();
    for (number, Message(from, to, content)) in input.messages.iter_mut().enumerate() {
        (*from, *to) = (u.choose(&NAMES)?.to_string(), u.choose(&NAMES)?.to_string());
        *content = marked(number, content);
    }
    let recipient = if u.arbitrary()? { Some(*u.choose(&NAMES)?) } else { None };
    Ok(Asked {
        input,
        limit: u.int_in_range(0..=11)?,
        recipient,
        share: if u.arbitrary()? { Some(u.int_in_range(0..=5000)?) } else { None },
    })
}

/// The input, with the conversation reduced to the chosen messages.
fn chosen(
    Asked { input, limit, recipient, .. }: &Asked,
    is_visible: &dyn Fn(usize) -> bool,
) -> Input {
    let mut older = input.messages.len();
    let mut newest = Vec::new();
    while older > 0 && newest.len() < *limit {
        older -= 1;
        if recipient.is_none() || is_visible(older) {
            newest.insert(0, older);
        }
    }
    let mut chosen: Vec<usize> =
        input.pinned.iter().copied().filter(|at| *at < older && is_visible(*at)).collect();
    let window_start = chosen.len();
    chosen.extend(newest);
    let is_shown = |at: usize| recipient.is_none() || is_visible(at);
    let is_detached = |at: &usize| (chosen[at - 1] + 1..chosen[*at]).any(is_shown);
    Input {
        assembler: input.assembler.clone(),
        materials: input.materials.clone(),
        messages: chosen.iter().map(|at| input.messages[*at].clone()).collect(),
        pinned: (0..chosen.len()).filter(|at| input.pinned.contains(&chosen[*at])).collect(),
        gaps_before: (1..chosen.len())
            .filter(|at| *at <= window_start)
            .filter(is_detached)
            .collect(),
        window_start,
    }
}

fn check(asked: &Asked) {
    let Asked { input, limit, recipient, share } = asked;
    // If names look like lists, which names are known depends on how far the messages are read.
    let is_plain = input.messages.iter().all(|Message(from, ..)| !is_list(from));
    let is_visible = |at: usize| match recipient {
        None => true,
        Some(recipient) => may_see(recipient, &input.messages[at].0, &input.messages[at].1, &[]),
    };
    let shown = chosen(asked, &is_visible);
    let max_bytes = input.materials.max_bytes;
    let fits =
        |max_bytes: usize| reference::assemble(&shown, Policy::BuildPrompt(*share), max_bytes);
    let expected = fits(max_bytes).ok();
    let policy = budget::Policy::BuildPrompt { system_max_bytes: *share };
    for report in [false, true] {
        let selection = Selection {
            limit: *limit,
            recipient: recipient.map(str::to_owned),
            rest_is_covered: false,
        };
        let mut reading = input.read(policy, Some(selection), report).expect("messages");
        let assembly = match reading.finish() {
            Ok(assembly) => assembly,
            Err(Error::BudgetExceeded { system_max_bytes: Some(share), .. }) => {
                assert!(fits(usize::MAX / 4).is_err(), "{share} bytes suffice");
                continue;
            }
            Err(Error::BudgetExceeded { required_bytes, .. }) if is_plain => {
                assert_eq!(expected, None);
                assert!(required_bytes > max_bytes);
                assert!(fits(required_bytes).is_ok(), "{required_bytes} bytes suffice");
                let between = required_bytes - max_bytes;
                let tried = (0..8).map(|part| max_bytes + between * part / 8);
                tried.chain([required_bytes - 1]).for_each(|tried| {
                    assert!(fits(tried).is_err(), "{tried} of {required_bytes} bytes suffice")
                });
                continue;
            }
            Err(Error::BudgetExceeded { .. }) => continue,
            Err(error) => panic!("{error}"),
        };
        let (prompt, flag) = written(&assembly);
        if is_plain {
            assert_eq!(
                Some((&prompt, &flag)),
                expected.as_ref().map(|(prompt, flag)| (prompt, flag))
            );
        }
        let mut told = format!("{prompt}{flag}{}", assembly.debug_text(prompt.as_bytes()));
        if report {
            let report = assembly.report();
            assert_eq!(report.account.given_bytes, input.given_bytes());
            check_account(&report, &prompt, &flag);
            told += &serde_json::to_string(&report).unwrap();
        }
        for number in markers_in(&told) {
            assert!(is_visible(number), "message {number} is not for {recipient:?}");
        }
    }
}

fuzz_target!(|data: &[u8]| {
    if let Ok(asked) = asked(&mut Unstructured::new(data)) {
        check(&asked);
    }
});
