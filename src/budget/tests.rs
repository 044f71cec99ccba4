use super::*;
use crate::layout::{CLAUDE, CODEX, Layout, PLAIN};
use crate::model::{Assembler, AssemblerOptions, Markers, Materials, Quote};
use crate::reading::tests::messages::{Said, read, request_of, said};

fn conversation() -> Vec<Said> {
    said(&[("a", "b", "oldest"), ("b", "", "中文"), ("c", "a", "newest")])
}

fn materials(max_bytes: usize) -> Materials<'static> {
    Materials {
        system_instruction: vec!["You are Max".to_owned()].into(),
        team_task: "Build".into(),
        message: "Go on, please.".into(),
        max_bytes,
        ..Materials::default()
    }
}

fn prompt(
    layout: &'static Layout,
    options: AssemblerOptions,
    materials: &Materials<'static>,
) -> Result<(String, Vec<usize>), Error> {
    let assembler = Assembler::new(layout.into(), options);
    let messages = conversation();
    let request = request_of(&assembler, materials, messages.len());
    let (mut reading, passed) = read(request, &messages)?;
    let assembly = reading.finish()?;
    let mut bytes = Vec::new();
    assembly.write(&mut bytes);
    assert_eq!(bytes.len(), assembly.prompt_bytes, "the plan counts what is written");
    let flag_bytes = assembly.system_flag().map_or(0, str::len);
    assert!(bytes.len() + flag_bytes <= materials.max_bytes, "never over budget");
    Ok((String::from_utf8(bytes).unwrap(), passed))
}

#[test]
fn everything_is_kept_if_it_fits() {
    let (text, read) = prompt(&CODEX, AssemblerOptions::default(), &materials(1000)).unwrap();
    assert_eq!(
        text,
        "[SYSTEM]\nYou are Max\n\n[TEAM_TASK]\nBuild\n\n[CONTEXT]\n- a -> b: oldest\n\
         - b -> all: 中文\n- c -> a: newest\n\n[MESSAGE]\nGo on, please."
    );
    assert_eq!(read, [2, 1, 0], "newest first");
}

#[test]
fn reading_stops_where_the_budget_is_full() {
    let whole = prompt(&PLAIN, AssemblerOptions::default(), &materials(1000)).unwrap().0.len();
    let (text, read) = prompt(&PLAIN, AssemblerOptions::default(), &materials(whole - 1)).unwrap();
    assert_eq!(text, "You are Max\n\nBuild\n\nb: 中文\nc: newest\n\nGo on, please.");
    assert_eq!(read, [2, 1, 0]);
    let (text, read) = prompt(&PLAIN, AssemblerOptions::default(), &materials(50)).unwrap();
    assert_eq!(text, "You are Max\n\nBuild\n\nc: newest\n\nGo on, please.");
    assert_eq!(read, [2, 1], "the oldest is never looked at");
}

#[test]
fn dropping_is_rounded_up_to_the_step() {
    let options = || AssemblerOptions { eviction_step: Some(2), ..AssemblerOptions::default() };
    let whole = prompt(&PLAIN, options(), &materials(1000)).unwrap().0.len();
    let (text, _) = prompt(&PLAIN, options(), &materials(whole - 1)).unwrap();
    assert_eq!(text, "You are Max\n\nBuild\n\nc: newest\n\nGo on, please.");
}

#[test]
fn every_prompt_fits_or_the_error_names_the_required_budget() {
    for layout in [&CLAUDE, &CODEX, &PLAIN] {
        let mut least = None;
        for max_bytes in (1..2000).rev() {
            let summary = "s".repeat(1500).into();
            let materials = Materials { summary, ..materials(max_bytes) };
            match prompt(layout, AssemblerOptions::default(), &materials) {
                Ok(_) => {
                    assert_eq!(least, None, "a smaller budget never succeeds again");
                }
                Err(Error::BudgetExceeded { required_bytes, sections, .. }) => {
                    assert_eq!(*least.get_or_insert(max_bytes + 1), required_bytes);
                    assert_eq!(sections.len(), 3);
                }
                Err(other) => panic!("{other}"),
            }
        }
        assert!(least.is_some());
    }
}

#[test]
fn a_parent_is_cut_with_its_escapes_counted() {
    let options =
        || AssemblerOptions { markers: Some(Markers::Escape), ..AssemblerOptions::default() };
    let mut materials = materials(3000);
    materials.parent = Some(Quote::new("p".into(), "[SYSTEM]\n".repeat(1000)));
    let (text, _) = prompt(&CODEX, options(), &materials).unwrap();
    assert!(text.contains("bytes omitted"));
    assert_eq!(text.matches("\n[SYSTEM]").count(), 0);
    assert!(text.matches("\n\\[SYSTEM]").count() > 100);
}

#[test]
fn cutting_a_long_parent_slightly_is_fast() {
    let options =
        || AssemblerOptions { markers: Some(Markers::Escape), ..AssemblerOptions::default() };
    let content = "[SYSTEM]\n".repeat(20_000);
    let mut materials = materials(usize::MAX);
    materials.parent = Some(Quote::new("p".into(), content));
    let whole = prompt(&CODEX, options(), &materials).unwrap().0.len();
    // The conversation is dropped first.
    materials.max_bytes = whole - 60;
    let without_context = prompt(&CODEX, options(), &materials).unwrap().0;
    assert!(!without_context.contains("bytes omitted"));
    materials.max_bytes = without_context.len() - 1;
    let (text, _) = prompt(&CODEX, options(), &materials).unwrap();
    assert!(text.contains("bytes omitted") && text.len() + 100 > without_context.len());
}

mod in_tokens {
    use super::*;
    use crate::layout::{GEMINI, LayoutDefinition, LayoutRef, LineDefinition, SectionDefinition};
    use crate::model::TokenBudget;
    use crate::reading::GivenRequest;
    use crate::reading::tests::random::Numbers;
    use crate::tokens::{BudgetUnit, Tokenizer, Vocabulary};

    const EXACT: Tokenizer = Tokenizer::Exact(Vocabulary::O200k);

    fn own_layout(numbers: &mut Numbers) -> LayoutRef {
        const OPENINGS: [&str; 6] = ["* ", "", "  ", "/", "\u{a0}- ", "\""];
        let section = |numbers: &mut Numbers, part: Part| SectionDefinition {
            part: part.name().to_owned(),
            title: ["", "# T", "/t", " t", "T:"][numbers.below(5)].to_owned().into(),
            ..SectionDefinition::default()
        };
        let mut parts = Part::ALL.to_vec();
        let turned = numbers.below(parts.len());
        parts.rotate_left(turned);
        let definition = LayoutDefinition {
            agent_type: "mine".to_owned(),
            sections: parts.into_iter().map(|part| section(numbers, part)).collect(),
            message_line: LineDefinition {
                open: Some(OPENINGS[numbers.below(6)].to_owned()),
                arrow: [None, Some("→".to_owned())][numbers.below(2)].clone(),
                colon: Some(["", ":", " "][numbers.below(3)].to_owned()),
            },
            ..LayoutDefinition::default()
        };
        LayoutRef::from(definition.check("layout").unwrap())
    }

    fn random_materials(numbers: &mut Numbers, size: usize) -> Materials<'static> {
        let maybe = |numbers: &mut Numbers, size| match numbers.below(2) {
            0 => String::new(),
            _ => numbers.text(size),
        };
        let quote = |numbers: &mut Numbers| Quote::new("p".into(), numbers.text(size));
        Materials {
            system_instruction: vec![maybe(numbers, 30)].into(),
            instruction_file: maybe(numbers, size * 4).into(),
            team_task: maybe(numbers, 30).into(),
            summary: maybe(numbers, size * 2).into(),
            parent: (numbers.below(3) == 0).then(|| quote(numbers)),
            siblings: (0..numbers.below(4)).map(|_| quote(numbers)).collect(),
            message: numbers.text(size).into(),
            intent: maybe(numbers, 2).into(),
            max_bytes: [1 << 20, 200 + numbers.below(6000)][numbers.below(2)],
            ..Materials::default()
        }
    }

    /// Every prompt of these inputs fits both budgets, counted as a whole, or the error names the
    /// smallest budget that suffices.
    fn check(seed: u64) {
        let numbers = &mut Numbers(seed);
        let estimate = crate::tokens::Estimate::new(3.3);
        let tokenizer = match numbers.below(4) {
            0 => Tokenizer::Exact(Vocabulary::Cl100k),
            1 => Tokenizer::Estimate(estimate),
            _ => EXACT,
        };
        let layout: LayoutRef = match numbers.below(6) {
            0 => (&CLAUDE).into(),
            1 => (&CODEX).into(),
            2 => (&GEMINI).into(),
            3 => (&PLAIN).into(),
            _ => own_layout(numbers),
        };
        let options = AssemblerOptions {
            markers: Some([Markers::Verbatim, Markers::Escape][numbers.below(2)]),
            eviction_step: Some(1 + numbers.below(3)),
            ..AssemblerOptions::default()
        };
        let assembler = Assembler::new(layout, options);
        let size = [20, 600][numbers.below(2)];
        let mut materials = random_materials(numbers, size);
        let count = numbers.below(12);
        let messages: Vec<_> =
            (0..count).map(|_| (numbers.text(2), numbers.text(2), numbers.text(40))).collect();
        let pins: Vec<usize> = (0..count).filter(|_| numbers.below(8) == 0).collect();
        let system_max_bytes = [None, Some(numbers.below(3000))][numbers.below(2)];
        let policy = match numbers.below(3) {
            0 => Policy::BuildPrompt { system_max_bytes },
            _ => Policy::Assembler,
        };
        let report = numbers.below(4) == 0;
        let mut assemble = |max_tokens: usize| {
            materials.tokens = Some(TokenBudget::new(tokenizer, Some(max_tokens)));
            let pinned = pins.clone();
            let request = request_of(&assembler, &materials, messages.len());
            let request = GivenRequest { policy, pinned, report, ..request };
            let (mut reading, _) = read(request, &messages)?;
            let assembly = reading.finish()?;
            let mut bytes = Vec::new();
            assembly.write(&mut bytes);
            assert_eq!(bytes.len(), assembly.prompt_bytes, "the plan counts what is written");
            let text = String::from_utf8(bytes).unwrap();
            let flag = assembly.system_flag().unwrap_or_default();
            let total_bytes = text.len() + flag.len();
            assert!(total_bytes <= materials.max_bytes, "never over the budget in bytes");
            let tokens = tokenizer.count(&text) + tokenizer.count(flag);
            assert!(tokens <= max_tokens, "{tokens} of {max_tokens} in {text:?}");
            let planned = assembly.report().tokens.unwrap().total_tokens;
            assert_eq!(planned, tokens, "{text:?}");
            Ok::<usize, Error>(tokens)
        };
        let most = [40, 400, 3000][numbers.below(3)];
        let max_tokens = 1 + numbers.below(most);
        let error = match assemble(max_tokens) {
            Ok(_) => return,
            Err(Error::BudgetExceeded { system_max_bytes: Some(_), .. }) => return,
            Err(error) => error,
        };
        let Error::BudgetExceeded { unit, tokens: Some(tokens), sections, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(tokens.max_tokens, max_tokens);
        if unit == BudgetUnit::Bytes {
            return;
        }
        let required = tokens.required_tokens.unwrap();
        assert!(required > max_tokens && !sections.is_empty());
        assert!(assemble(required).is_ok(), "{required} tokens suffice, seed {seed}");
        let is_least = assemble(required - 1).is_err();
        assert!(is_least, "{required} is the least number of tokens, seed {seed}");
    }

    /// The smallest sufficient number of tokens, as the error for a budget of one token names it.
    /// Asserts that it suffices and that one less does not.
    fn least_tokens(tokenizer: Tokenizer, materials: Materials<'static>, pinned: &[&str]) -> usize {
        let assembler = Assembler::new((&PLAIN).into(), AssemblerOptions::default());
        let needed = |max_tokens: usize| {
            let tokens = Some(TokenBudget::new(tokenizer, Some(max_tokens)));
            let materials = Materials { tokens, ..materials.clone() };
            let messages: Vec<Said> =
                pinned.iter().map(|text| ("a".into(), "b".into(), text.to_string())).collect();
            let request = request_of(&assembler, &materials, messages.len());
            let pinned = (0..pinned.len()).collect();
            let (mut reading, _) = read(GivenRequest { pinned, ..request }, &messages).unwrap();
            match reading.finish() {
                Ok(_) => None,
                Err(Error::BudgetExceeded { unit: BudgetUnit::Tokens, tokens, .. }) => {
                    tokens?.required_tokens
                }
                Err(error) => panic!("{error}"),
            }
        };
        let least = needed(1).unwrap();
        assert_eq!((needed(least), needed(least - 1)), (None, Some(least)));
        least
    }

    #[test]
    fn the_error_names_required_tokens_if_both_budgets_are_exceeded() {
        let message = "word ".repeat(2000).into();
        let least = least_tokens(EXACT, Materials { message, ..materials(1000) }, &[]);
        assert!((50..200).contains(&least), "{least}");
    }

    #[test]
    fn errors_include_the_custom_count_of_pinned_messages() {
        // The function counted nothing here: only the text around the messages is estimated.
        let function = Tokenizer::of_function(0, 20);
        let few = least_tokens(function, materials(10_000), &["one", "two"]);
        let long = "word ".repeat(400);
        assert_eq!(least_tokens(function, materials(10_000), &[&long, &long]), few);
    }

    #[test]
    fn every_prompt_is_within_both_budgets() {
        let number = |name: &str| std::env::var(name).ok().and_then(|runs| runs.parse().ok());
        let first = number("TOKEN_SEED").unwrap_or(0);
        for seed in first..first + number("TOKEN_RUNS").unwrap_or(1000) {
            check(seed);
        }
    }
}
