//! The errors for a plan that does not fit although every section is as small as it may be.

use super::Policy;
use super::message::restore_message;
use super::system::restore_file;
use super::tokens::{flag_tokens, prompt_tokens, section_tokens, top_tokens};
use crate::budget::Request;
use crate::error::{Error, ExceededTokens};
use crate::layout::Part;
use crate::plan::{Body, Plan, PlannedSection};
use crate::tokens::BudgetUnit;
use std::iter;

/// Sizes of sections, in prompt order.
type Sections = Vec<(&'static str, usize)>;

/// The name of the line above all sections.
const TOP: &str = "fence";

/// A plan that larger budgets would have allowed.
struct Needed {
    bytes: usize,
    tokens: usize,
    bytes_of_sections: Sections,
    tokens_of_sections: Sections,
}

impl Needed {
    fn of(plan: &Plan) -> Self {
        let sections = plan.sections.iter();
        let bytes = sections.clone().map(|it| (name(it), it.bytes()));
        let mut needed = Needed {
            bytes: plan.total_bytes(),
            tokens: 0,
            bytes_of_sections: iter::once((TOP, plan.top_bytes())).chain(bytes).collect(),
            tokens_of_sections: Vec::new(),
        };
        if let Some(budget) = plan.tokens.as_ref().map(|tokens| tokens.budget) {
            needed.tokens = prompt_tokens(plan, budget).saturating_add(flag_tokens(plan, budget));
            let tokens = sections.map(|it| (name(it), section_tokens(plan, budget, it)));
            let top = (TOP, top_tokens(plan, budget));
            needed.tokens_of_sections = iter::once(top).chain(tokens).collect();
        }
        needed
    }
}

/// The error for a plan in which everything that may be dropped or cut was. It names the smallest
/// budget that would have sufficed.
pub(super) fn exceeded<'a>(mut plan: Plan<'a>, request: Request<'a>) -> Error {
    let max_bytes = plan.max_bytes;
    let max_tokens = request.materials.max_tokens();
    let mut all = vec![Needed::of(&plan)];
    // What is cut last was also tried whole: it can have fewer tokens than its least cut.
    let is_whole = match request.policy {
        Policy::Assembler => {
            restore_message(&mut plan, request);
            true
        }
        Policy::BuildPrompt { system_max_bytes } => {
            restore_file(&mut plan, request, system_max_bytes)
        }
    };
    if is_whole {
        all.push(Needed::of(&plan));
    }
    let fits_tokens = |needed: &&Needed| max_tokens.is_none_or(|most| needed.tokens <= most);
    let in_bytes = all.iter().filter(|needed| needed.bytes <= max_bytes);
    let in_tokens = all.iter().filter(fits_tokens);
    let fewest_bytes = in_tokens.min_by_key(|needed| needed.bytes);
    let fewest_bytes = fewest_bytes.or_else(|| all.iter().min_by_key(|needed| needed.bytes));
    let fewest_tokens = in_bytes.min_by_key(|needed| needed.tokens);
    let (unit, needed) = match (fewest_tokens, fewest_bytes) {
        (Some(needed), _) => (BudgetUnit::Tokens, needed),
        (None, Some(needed)) => (BudgetUnit::Bytes, needed),
        (None, None) => (BudgetUnit::Bytes, &all[0]),
    };
    let tokens = max_tokens.map(|max_tokens| ExceededTokens {
        required_tokens: (unit == BudgetUnit::Tokens).then_some(needed.tokens),
        max_tokens,
    });
    let sections = match unit {
        BudgetUnit::Bytes => &needed.bytes_of_sections,
        BudgetUnit::Tokens => &needed.tokens_of_sections,
    };
    Error::BudgetExceeded {
        required_bytes: needed.bytes,
        max_bytes,
        system_max_bytes: None,
        tokens,
        unit,
        sections: sections.iter().copied().filter(|(_, size)| *size > 0).collect(),
    }
}

/// The error for a system text that exceeds the caller's share for it although its file is as small
/// as it may be.
pub(super) fn share_exceeded(plan: &Plan, request: Request) -> Option<Error> {
    let most = request.policy.system_max_bytes()?;
    let bytes = plan.section(Part::System)?.body.bytes();
    let error = Error::BudgetExceeded {
        required_bytes: bytes,
        max_bytes: plan.max_bytes,
        system_max_bytes: Some(most),
        tokens: None,
        unit: BudgetUnit::Bytes,
        sections: vec![(Part::System.name(), bytes)],
    };
    (bytes > most).then_some(error)
}

/// The name of a section in an error.
fn name(section: &PlannedSection) -> &'static str {
    match section.body {
        // Everything that is not pinned was dropped.
        Body::Context { kept: 1.., .. } => "pinned",
        _ => section.part.name(),
    }
}
