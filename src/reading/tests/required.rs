//! What fits into one budget fits into every larger one, and errors name the smallest: compared
//! with a search through all budgets.

use super::properties::Inputs;
use super::random::Numbers;
use crate::error::{Error, ExceededTokens};
use crate::layout::SystemPlacement;
use crate::layout::{CLAUDE, CODEX, PLAIN, TOOL_LINES};
use crate::model::TokenBudget;
use crate::model::{Assembler, AssemblerOptions, Materials, Quote};
use crate::parts::{MessagePart, PartKind, Places, lay_out};
use crate::reading::Policy;
use crate::text::Stretch;
use crate::tokens::{BudgetUnit, Estimate, Tokenizer, Vocabulary};

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|value| value.parse().ok())
}

fn seeds(count: u64) -> impl Iterator<Item = u64> {
    let first = number("BUDGET_SEED").unwrap_or(0);
    first..first + number("BUDGET_RUNS").unwrap_or(count)
}

/// Inputs with texts mostly around the minimum sizes.
fn inputs(numbers: &mut Numbers) -> Inputs {
    let mut inputs = Inputs::new(numbers);
    let zalgo = |marks: usize| format!("e{}", "\u{301}".repeat(marks));
    let text = |numbers: &mut Numbers| match numbers.below(8) {
        0 => String::new(),
        1 => numbers.text(900),
        2 => "x".repeat(2000 + numbers.below(200)),
        3 => "word ".repeat(200 + numbers.below(900)),
        4 => "中文字。".repeat(numbers.below(500)),
        5 => zalgo(numbers.below(1500)) + &numbers.text(700) + &zalgo(numbers.below(1500)),
        6 => zalgo(numbers.below(90)).repeat(30),
        _ => "👨‍👩‍👧‍👦".repeat(numbers.below(120)),
    };
    inputs.materials.instruction_file = text(numbers).into();
    if numbers.below(2) == 0 {
        inputs.materials.system_instruction = vec![text(numbers)].into();
    }
    if numbers.below(2) == 0 {
        inputs.materials.message = text(numbers).into();
    }
    if numbers.below(2) == 0 {
        inputs.materials.summary = text(numbers).into();
    }
    if numbers.below(3) == 0 {
        let (message, stretches) = tool_trail(numbers, text);
        inputs.materials.message = message.into();
        inputs.materials.message_stretches = stretches;
    }
    if numbers.below(3) == 0 && inputs.policy == Policy::Assembler {
        let (content, stretches) = tool_trail(numbers, text);
        let quote = Quote::new("p".into(), content);
        inputs.materials.parent = Some(Quote { stretches, ..quote });
    }
    let options = &mut inputs.assembler.options;
    options.message_min_bytes = [None, Some(numbers.below(600))][numbers.below(2)];
    if inputs.assembler.layout.agent_type == CLAUDE.agent_type {
        let placements = [SystemPlacement::Flag, SystemPlacement::Inline, SystemPlacement::Both];
        options.system_placement = Some(placements[numbers.below(3)]);
    }
    inputs
}

/// A text of laid-out parts, and the calls and results in it.
fn tool_trail(
    numbers: &mut Numbers,
    text: impl Fn(&mut Numbers) -> String,
) -> (String, Vec<Stretch>) {
    let mut parts = Vec::new();
    for _ in 0..1 + numbers.below(4) {
        let part =
            |kind, text| MessagePart { kind, text, id: "1".into(), ..MessagePart::default() };
        match numbers.below(3) {
            0 => parts.push(part(PartKind::Text, text(numbers))),
            1 => parts.push(part(PartKind::Call, numbers.text(60))),
            _ => {
                parts.push(part(PartKind::Call, numbers.text(60)));
                parts.push(part(PartKind::Result, text(numbers)));
            }
        }
    }
    let texts = parts.iter().map(|part| (part, part.text.as_str()));
    (lay_out(&parts, &TOOL_LINES), Places::of(texts, &TOOL_LINES).stretches)
}

/// The smallest `maxBytes` or `maxTokens` that an error names; `None` if the error is about the
/// other unit.
fn required(error: Error, unit: BudgetUnit) -> Option<usize> {
    let Error::BudgetExceeded { unit: exceeded, required_bytes, tokens, .. } = error else {
        panic!("{error}");
    };
    let tokens = || tokens.and_then(|tokens| tokens.required_tokens);
    (exceeded == unit)
        .then(|| if unit == BudgetUnit::Bytes { required_bytes } else { tokens().unwrap() })
}

fn system_max_bytes(error: &Error) -> Option<usize> {
    match error {
        Error::BudgetExceeded { system_max_bytes, .. } => *system_max_bytes,
        error => panic!("{error}"),
    }
}

/// Budgets to try: all that are close to the smallest, and some others.
fn tried(numbers: &mut Numbers, required: usize, close: usize) -> Vec<usize> {
    let most = 2 * required + 200;
    let mut tried: Vec<usize> = (0..close).map(|_| 1 + numbers.below(most)).collect();
    tried.extend(required.saturating_sub(close / 2).max(1)..required + close);
    tried.extend([1, most, 1 << 20]);
    tried
}

#[test]
fn what_fits_into_one_budget_in_bytes_fits_into_every_larger_one() {
    let mut exceeded = 0;
    for seed in seeds(80) {
        let numbers = &mut Numbers(seed);
        let mut inputs = inputs(numbers);
        if let Err(error) = inputs.assemble(1 << 20, false) {
            // With this much room, only the caller's own share can be exceeded.
            let share = system_max_bytes(&error).unwrap();
            let least = required(error, BudgetUnit::Bytes).unwrap();
            assert!(least > share, "seed {seed}");
            let mut with = |system_max_bytes: usize| {
                let system_max_bytes = Some(system_max_bytes);
                inputs.policy = Policy::BuildPrompt { system_max_bytes };
                inputs.assemble(1 << 20, false).is_ok()
            };
            assert!(!with(least - 1) && with(least), "seed {seed}: {least}");
        }
        let Err(error) = inputs.assemble(1, false) else { continue };
        let least = required(error, BudgetUnit::Bytes).unwrap();
        exceeded += 1;
        for budget in tried(numbers, least, 100) {
            match inputs.assemble(budget, false) {
                Ok((prompt, flag, _)) => {
                    assert!(budget >= least, "seed {seed}: {budget} of {least}");
                    assert!(prompt.len() + flag.len() <= budget, "seed {seed}");
                }
                Err(error) => {
                    assert!(budget < least, "seed {seed}: {budget} of {least}");
                    assert_eq!(required(error, BudgetUnit::Bytes), Some(least), "seed {seed}");
                }
            }
        }
    }
    assert!(exceeded > 20);
}

#[test]
fn what_fits_into_one_budget_in_tokens_fits_into_every_larger_one() {
    let mut exceeded = 0;
    for seed in seeds(6) {
        let numbers = &mut Numbers(seed);
        let mut inputs = inputs(numbers);
        let tokenizer = match numbers.below(3) {
            0 => Tokenizer::Estimate(Estimate::new(3.3)),
            1 => Tokenizer::Exact(Vocabulary::Cl100k),
            _ => Tokenizer::Exact(Vocabulary::O200k),
        };
        let mut assemble = |max_bytes: usize, max_tokens: usize| {
            inputs.materials.tokens = Some(TokenBudget::new(tokenizer, Some(max_tokens)));
            let (prompt, flag, _) = inputs.assemble(max_bytes, false)?;
            let tokens = tokenizer.count(&prompt) + tokenizer.count(&flag);
            assert!(tokens <= max_tokens && prompt.len() + flag.len() <= max_bytes, "seed {seed}");
            Ok::<(), Error>(())
        };
        // The smallest budget in bytes, with any number of tokens.
        let max_bytes = match assemble(1, 1 << 30) {
            Ok(()) => 1,
            Err(error) if system_max_bytes(&error).is_some() => continue,
            Err(error) => required(error, BudgetUnit::Bytes).unwrap(),
        };
        for max_bytes in [max_bytes, max_bytes + 1, max_bytes + numbers.below(900), 1 << 20] {
            let Err(error) = assemble(max_bytes, 1) else { continue };
            let least = required(error, BudgetUnit::Tokens).unwrap();
            exceeded += 1;
            for budget in tried(numbers, least, 16) {
                match assemble(max_bytes, budget) {
                    Ok(()) => assert!(budget >= least, "seed {seed}: {budget} of {least}"),
                    Err(error) => {
                        assert!(budget < least, "seed {seed}: {budget} of {least}, {max_bytes}");
                        let required = required(error, BudgetUnit::Tokens);
                        assert_eq!(required, Some(least), "seed {seed}: {budget}, {max_bytes}");
                    }
                }
            }
            // It also fits with more bytes.
            for more in [1, 2, 3, 10, 100, 1000, 1 << 20] {
                assert!(
                    assemble(max_bytes + more, least).is_ok(),
                    "seed {seed}: {more} more bytes"
                );
            }
        }
    }
    assert!(exceeded > 10);
}

#[test]
fn the_instruction_file_is_kept_as_the_budget_grows() {
    // Limited to half of the budget, the file was once dropped at some larger budgets.
    let materials = Materials {
        system_instruction: vec!["i".repeat(5000)].into(),
        instruction_file: "f".repeat(3000).into(),
        message: "m".repeat(5080).into(),
        ..Materials::default()
    };
    for layout in [&CODEX, &CLAUDE, &PLAIN] {
        let mut inputs = inputs(&mut Numbers(1));
        inputs.assembler = Assembler::new(layout.into(), AssemblerOptions::default());
        inputs.materials = materials.clone();
        inputs.policy = Policy::BuildPrompt { system_max_bytes: None };
        let inputs = inputs.without_messages();
        let least = required(inputs.assemble(1, false).unwrap_err(), BudgetUnit::Bytes).unwrap();
        for budget in 10_000..14_000 {
            match inputs.assemble(budget, false) {
                Ok((prompt, flag, _)) => {
                    assert!(budget >= least);
                    let rest = [prompt, flag].concat().replace('m', "");
                    assert!(rest.matches('f').count() > 1900, "the file is there");
                }
                Err(_) => assert!(budget < least),
            }
        }
    }
}

#[test]
fn required_tokens_are_given_only_if_tokens_are_exceeded() {
    let mut inputs = inputs(&mut Numbers(1)).without_messages();
    inputs.policy = Policy::Assembler;
    inputs.materials = Materials { message: "word ".repeat(500).into(), ..Materials::default() };
    let tokenizer = Tokenizer::Exact(Vocabulary::O200k);
    inputs.materials.tokens = Some(TokenBudget::new(tokenizer, Some(10)));
    let Err(Error::BudgetExceeded { unit, tokens, .. }) = inputs.assemble(10, false) else {
        panic!("it fits");
    };
    assert_eq!(unit, BudgetUnit::Bytes);
    assert_eq!(tokens, Some(ExceededTokens { required_tokens: None, max_tokens: 10 }));
}
