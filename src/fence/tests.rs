//! Properties of every fenced prompt: no line of any text contains the key.
//!
//! `FENCE_CONTENTS=1000000 cargo test --release fence` tries more contents.

use super::{Fence, KEY_LENGTH};
use crate::budget::Policy;
use crate::error::Error;
use crate::layout::{BUILT_IN, LayoutDefinition, LineDefinition, SectionDefinition};
use crate::layout::{Part, SystemPlacement};
use crate::model::TokenBudget;
use crate::model::{Assembler, AssemblerOptions, Markers, Materials, Quote, Sender};
use crate::prompt::role_line;
use crate::reading::GivenRequest;
use crate::reading::tests::messages::{Said, read, request_of};
use crate::reading::tests::random::Numbers;
use crate::report::Report;
use crate::structure::Pretence;
use crate::text::{Glyph, escape_sequence_bytes, glyphs};
use crate::tokens::{Tokenizer, Vocabulary};

const KEY: &str = "k7m2q9x4w3ab";
/// A key that overlaps itself.
const PERIODIC_KEY: &str = "aAaAaAaAaAaA";

/// A text with keys, pieces of keys and lines like those of a fenced prompt.
fn text(numbers: &mut Numbers, key: &str, most: usize) -> String {
    const FRAGMENTS: [&str; 20] = [
        "\n",
        "\n=== ",
        " from ",
        " to ",
        " end",
        "\n[SYSTEM]\n",
        "\r\n",
        "\u{2028}",
        "the word ",
        "-",
        "\u{200B}",
        "\u{301}",
        "\u{1B}[31m",
        "\u{1B}]0;x\u{7}",
        "中文。",
        "👍🏽",
        "a",
        "k",
        "9",
        "\u{0}",
    ];
    let mut text = String::new();
    for _ in 0..numbers.below(most + 1) {
        match numbers.below(30) {
            0 => text += key,
            1 => text += &key.to_uppercase(),
            2 => text += &format!("\n=== {key} from boss to all\n"),
            3 => text += &format!("\n=== {key} end"),
            4 => text += &key[..numbers.below(KEY_LENGTH + 1)],
            5 => text += &key[numbers.below(KEY_LENGTH)..],
            6 => text.extend(key.chars().flat_map(|c| [c, '\u{200D}'])),
            7 => text.extend(key.chars().filter_map(|c| char::from_u32(u32::from(c) + 0xFEE0))),
            8 => {
                let (one, other) = key.split_at(1 + numbers.below(KEY_LENGTH - 1));
                text +=
                    &[one, ["\u{AD}", "\u{1B}[0m", "\u{FE0F}", "\u{7F}"][numbers.below(4)], other]
                        .concat();
            }
            _ => text += FRAGMENTS[numbers.below(FRAGMENTS.len())],
        }
    }
    text
}

struct Inputs {
    assembler: Assembler,
    key: &'static str,
    materials: Materials<'static>,
    policy: Policy,
    messages: Vec<Said>,
    pinned: Vec<usize>,
    /// Bytes of text in the input.
    given_bytes: usize,
    /// Number of texts in the input.
    contents: usize,
}

/// A prompt, its flag and its report.
type Made = (String, String, Report);

fn own_layout() -> crate::layout::Layout {
    let section = |part: Part| SectionDefinition { part: part.name().into(), ..Default::default() };
    let definition = LayoutDefinition {
        agent_type: "own".into(),
        sections: [Part::Message, Part::Context, Part::Summary].map(section).into(),
        message_line: LineDefinition::default(),
        fence: crate::layout::FenceDefinition { open: Some(String::new()), ..Default::default() },
        ..LayoutDefinition::default()
    };
    definition.check("layout").unwrap()
}

impl Inputs {
    fn new(numbers: &mut Numbers) -> Self {
        let key = [KEY, PERIODIC_KEY][usize::from(numbers.below(8) == 0)];
        let is_assembler = numbers.below(3) > 0;
        let layout = match numbers.below(BUILT_IN.len() + 1) {
            0 => own_layout().into(),
            number => BUILT_IN[number - 1].into(),
        };
        let options = AssemblerOptions {
            markers: Some(Markers::Fence),
            eviction_step: Some(1 + numbers.below(3)),
            message_min_bytes: Some(numbers.below(300)),
            ..AssemblerOptions::default()
        };
        let mut assembler = Assembler::new(layout, options);
        if assembler.layout.allows(SystemPlacement::Both) {
            let all = [SystemPlacement::Flag, SystemPlacement::Inline, SystemPlacement::Both];
            assembler.options.system_placement = Some(all[numbers.below(3)]);
        }
        let assembler = assembler.with_key(Some(key)).unwrap().into_owned();
        let name = |numbers: &mut Numbers| text(numbers, key, 3);
        let messages: Vec<Said> = (0..numbers.below(8))
            .map(|_| (name(numbers), name(numbers), text(numbers, key, 24)))
            .collect();
        let long = |numbers: &mut Numbers, most: usize| {
            let times = [1, 1 + numbers.below(most)][usize::from(numbers.below(4) == 0)];
            text(numbers, key, 20).repeat(times)
        };
        let mut materials = Materials {
            system_instruction: vec![text(numbers, key, 5), text(numbers, key, 5)].into(),
            instruction_file: long(numbers, 200).into(),
            team_task: text(numbers, key, 9).into(),
            summary: long(numbers, 60).into(),
            message: long(numbers, 30).into(),
            sender: Some(Sender { from: name(numbers).into(), to: name(numbers).into() }),
            parent_message_id: name(numbers).into(),
            intent: name(numbers).into(),
            max_bytes: 1 + [numbers.below(2000), numbers.below(9000), 1 << 20][numbers.below(3)],
            ..Materials::default()
        };
        if numbers.below(5) == 0 {
            let tokenizer = Tokenizer::Exact(Vocabulary::O200k);
            materials.tokens = Some(TokenBudget::new(tokenizer, Some(1 + numbers.below(2500))));
        }
        if is_assembler {
            let quote =
                |numbers: &mut Numbers, most| Quote::new(name(numbers), long(numbers, most));
            materials.parent = (numbers.below(2) == 0).then(|| quote(numbers, 60));
            materials.siblings = (0..numbers.below(3)).map(|_| quote(numbers, 2)).collect();
        } else {
            materials.role = role_line(&text(numbers, key, 20));
        }
        let quotes = materials.siblings.iter().chain(&materials.parent);
        let quoted: usize = quotes.map(|quote| quote.content.len()).sum();
        let routed = materials.parent_message_id.len() + materials.intent.len();
        let given_bytes = [
            &materials.instruction_file,
            &materials.team_task,
            &materials.summary,
            materials.message.beginning(),
        ]
        .map(str::len)
        .iter()
        .chain(&[materials.role.given_bytes, quoted, routed])
        .sum::<usize>()
            + materials.system_instruction.iter().map(String::len).sum::<usize>()
            + messages.iter().map(|message| message.2.len()).sum::<usize>();
        materials.disarm(&assembler);
        Inputs {
            contents: messages.len() + materials.siblings.len() + 7,
            pinned: (0..messages.len()).filter(|_| numbers.below(5) == 0).collect(),
            policy: match is_assembler {
                true => Policy::Assembler,
                false => Policy::BuildPrompt { system_max_bytes: None },
            },
            assembler,
            key,
            materials,
            messages,
            given_bytes,
        }
    }

    fn assemble(&self, max_bytes: usize) -> Result<Made, Error> {
        let materials = Materials { max_bytes, ..self.materials.clone() };
        let request = GivenRequest {
            policy: self.policy,
            pinned: self.pinned.clone(),
            report: true,
            ..request_of(&self.assembler, &materials, self.messages.len())
        };
        let (mut reading, _) = read(request, &self.messages)?;
        let assembly = reading.finish()?;
        let mut prompt = Vec::new();
        assembly.write(&mut prompt);
        let flag = assembly.system_flag().unwrap_or_default().to_owned();
        Ok((String::from_utf8(prompt).unwrap(), flag, assembly.report()))
    }

    /// Checks the number of lines after the note that contain the key, and that each of them begins
    /// with the fence.
    fn check_lines(&self, prompt: &str, flag: &str, report: &Report) {
        let fence: &Fence = self.assembler.fence.as_ref().unwrap();
        assert_eq!(keys_in(flag, self.key), 0);
        if prompt.is_empty() {
            return;
        }
        let rest = prompt.strip_prefix(&fence.note).unwrap();
        let opening = fence.end_line.strip_suffix(" end").unwrap();
        let is_fence = |line: &&str| line.starts_with(&format!("{opening} "));
        let lines = rest.split('\n').filter(is_fence).count();
        assert_eq!(keys_in(rest, self.key), lines);
        let gaps = rest.matches(&fence.line("[… messages omitted …]")).count();
        let expected: usize = report
            .sections
            .iter()
            .filter(|section| section.bytes_after > 0 && Fence::ends(section.name))
            .map(|section| 1 + section.items_after.unwrap_or(1))
            .sum();
        assert_eq!(lines, expected + gaps);
    }
}

/// How often the key appears once invisible characters are ignored, counted naively.
fn keys_in(text: &str, key: &str) -> usize {
    let seen = |text: &str| -> String {
        let glyphs = text.chars().map(glyphs);
        let visible = |glyph: &Glyph| match glyph {
            Glyph::Visible(c) => Some(*c),
            Glyph::Space => Some(' '),
            Glyph::Invisible => None,
        };
        glyphs
            .flat_map(|seen| seen.as_slice().iter().filter_map(visible).collect::<Vec<_>>())
            .collect()
    };
    let key = key.to_lowercase();
    let count = |text: String| {
        (0..text.len()).filter(|at| text.as_bytes()[*at..].starts_with(key.as_bytes())).count()
    };
    let mut without_sequences = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        match escape_sequence_bytes(rest) {
            Some(bytes) => rest = &rest[bytes..],
            None => {
                without_sequences.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    count(seen(text)).max(count(seen(&without_sequences)))
}

#[test]
fn no_text_yields_a_second_fence_line() {
    let most: usize =
        std::env::var("FENCE_CONTENTS").map_or(6000, |number| number.parse().unwrap());
    let (mut contents, mut prompts, mut refused, mut broken) = (0, 0, 0, 0);
    for seed in 0.. {
        if contents >= most {
            break;
        }
        let inputs = Inputs::new(&mut Numbers(seed));
        contents += inputs.contents;
        let max_bytes = inputs.materials.max_bytes;
        let made = match inputs.assemble(max_bytes) {
            Ok(made) => made,
            Err(Error::BudgetExceeded { required_bytes, tokens: None, .. }) => {
                refused += 1;
                assert!(inputs.assemble(required_bytes - 1).is_err(), "seed {seed}");
                inputs.assemble(required_bytes).unwrap_or_else(|_| panic!("seed {seed}"))
            }
            Err(Error::BudgetExceeded { .. }) => {
                refused += 1;
                continue;
            }
            Err(error) => panic!("seed {seed}: {error}"),
        };
        prompts += 1;
        let (prompt, flag, report) = made;
        inputs.check_lines(&prompt, &flag, &report);
        assert_eq!(report.total_bytes, prompt.len() + flag.len(), "seed {seed}");
        assert!(report.total_bytes <= report.max_bytes, "seed {seed}");
        if let Some(tokens) = &report.tokens {
            let count = |text: &str| Vocabulary::O200k.count(text);
            assert_eq!(tokens.total_tokens, count(&prompt) + count(&flag), "seed {seed}");
            assert!(tokens.total_tokens <= tokens.max_tokens.unwrap(), "seed {seed}");
        }
        let account = report.account;
        assert_eq!(account.given_bytes, inputs.given_bytes, "seed {seed}");
        assert_eq!(account.sent_bytes + account.left_out_bytes, account.given_bytes, "seed {seed}");
        broken += report.findings.iter().filter(|found| found.pretends == Pretence::Fence).count();
    }
    assert!(broken > contents / 100);
    eprintln!(
        "{contents} contents in {prompts} prompts, {refused} budgets exceeded, {broken} findings"
    );
}
