//! Tokenizers, and properties of prompts with a budget in tokens.

use arbitrary::{Result, Unstructured};
use promptmason::layout::Part;
use promptmason::model::Materials;
use promptmason::model::TokenBudget;
use promptmason::report::Report;
use promptmason::tokens::CountedText;
use promptmason::tokens::{Estimate, Tokenizer, Vocabulary};

/// A tokenizer of any kind.
pub fn tokenizer(u: &mut Unstructured) -> Result<Tokenizer> {
    let rate = |u: &mut Unstructured| Ok(f64::from(u.int_in_range(1..=80_u8)?) / 10.0);
    Ok(match u.int_in_range(0..=5)? {
        0 => Tokenizer::Estimate(Estimate::new(rate(u)?)),
        1 => {
            let rates = [Some(rate(u)?), None, Some(rate(u)?), Some(rate(u)?)];
            Tokenizer::Estimate(Estimate::new(rate(u)?).with_scripts(rates))
        }
        2 => Tokenizer::of_function(0, u.int_in_range(0..=40)?),
        3 => Tokenizer::Exact(Vocabulary::Cl100k),
        _ => Tokenizer::Exact(Vocabulary::O200k),
    })
}

/// Stands in for a caller-supplied counting function.
pub fn count_by_function(text: &str) -> usize {
    text.len().div_ceil(3)
}

/// A budget for these materials, with their counts if the tokenizer is a caller-supplied function.
pub fn budget(tokenizer: Tokenizer, max_tokens: usize, materials: &Materials) -> TokenBudget {
    let count = |(part, text): (Part, &str)| {
        (part, CountedText { bytes: text.len(), tokens: count_by_function(text) })
    };
    let mut budget = TokenBudget::new(tokenizer, Some(max_tokens));
    if tokenizer.function().is_some() {
        budget.counted = materials.texts().map(count).collect();
    }
    budget
}

/// Checks that prompt and flag are within the budget, counted as whole texts, and that the report
/// has these counts. Counts of a caller-supplied function need not add up, so for these only the
/// report is checked.
pub fn check_tokens(
    tokenizer: Tokenizer,
    max_tokens: usize,
    prompt: &str,
    flag: &str,
    report: Option<&Report>,
) {
    let counted = (tokenizer.count(prompt), tokenizer.count(flag));
    let is_counted = tokenizer.function().is_none();
    if is_counted {
        assert!(
            counted.0 + counted.1 <= max_tokens,
            "{counted:?} of {max_tokens} tokens in {prompt:?} and {flag:?}"
        );
    }
    let Some(report) = report else { return };
    let tokens = report.tokens.as_ref().expect("tokens are counted");
    assert_eq!(tokens.total_tokens, tokens.prompt_tokens + tokens.system_flag_tokens);
    assert!(tokens.total_tokens <= max_tokens);
    assert_eq!(tokens.max_tokens, Some(max_tokens));
    if is_counted {
        assert_eq!(
            (tokens.prompt_tokens, tokens.system_flag_tokens),
            counted,
            "{prompt:?} and {flag:?}"
        );
    }
}
