//! Tokens of a plan, and cuts that save them.
//!
//! 1. The prompt is one text and is counted as one: sections are counted separately and joined,
//!    recounting the text around a joint where sizes do not add up. The flag is a separate text.
//! 2. Texts are cut by bytes. The size that fits a number of tokens is found by trying: cut, count,
//!    and try another size between one that fits and one that does not.

use crate::arrays::Api;
use crate::arrays::apis::{Costs, Shape};
use crate::arrays::blocks::separator;
use crate::layout::Part;
use crate::layout::SECTION_BREAK;
use crate::model::TokenBudget;
use crate::plan::{Body, Plan, PlannedSection};
use crate::tokens::{BudgetUnit, JoinedBackwards, Tokenizer};
use std::borrow::Cow;

/// More units than any budget has, for a text that was not read whole.
const TOO_MANY: u64 = u64::MAX / 4;

/// The search for a limit stops at this precision.
const CLOSE_BYTES: usize = 4;

/// By how much a plan exceeds its budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Over {
    pub bytes: usize,
    pub tokens: usize,
}

impl Over {
    pub fn of(plan: &Plan) -> Self {
        Over {
            bytes: plan.total_bytes().saturating_sub(plan.max_bytes),
            tokens: slack(plan).map_or(0, |slack| usize::try_from(-slack).unwrap_or(0)),
        }
    }

    pub fn is_none(self) -> bool {
        self.bytes == 0 && self.tokens == 0
    }
}

/// How many tokens the plan leaves; negative if it exceeds the budget. `None` without a token
/// budget.
fn slack(plan: &Plan) -> Option<i64> {
    let tokens = plan.tokens.as_ref()?;
    let (prompt, flag) = (prompt_tokens(plan, tokens.budget), flag_tokens(plan, tokens.budget));
    Some(difference(tokens.max_tokens, prompt.saturating_add(flag)))
}

fn difference(most: usize, tokens: usize) -> i64 {
    let number = |tokens: usize| i64::try_from(tokens).unwrap_or(i64::MAX);
    number(most).saturating_sub(number(tokens))
}

/// Tokens of the prompt.
pub fn prompt_tokens(plan: &Plan, budget: &TokenBudget) -> usize {
    if let Some(known) = plan.tokens.as_ref().and_then(|tokens| tokens.prompt_tokens) {
        return known;
    }
    if let Some(api) = plan.api {
        return budget.tokenizer.tokens(units_of_request(plan, budget, api));
    }
    let mut joined = JoinedBackwards::new(budget.tokenizer);
    prepend_sections(plan, budget, plan.sections.iter(), &mut joined);
    if plan.written().next().is_some() {
        prepend_top(plan, budget, &mut joined);
    }
    budget.tokenizer.tokens(joined.units())
}

/// Tokens of the flag.
pub fn flag_tokens(plan: &Plan, budget: &TokenBudget) -> usize {
    let flags = plan.sections.iter().filter(|section| section.flag_bytes() > 0);
    let around = plan.api.map_or(0, |api| Costs::of(api).system);
    let tokens = |section| budget.tokenizer.tokens(body_units(plan, budget, section));
    flags.map(|section| tokens(section).saturating_add(around)).sum()
}

/// The units of a request without its system text: its blocks are separate texts, and the API
/// counts what is around them.
fn units_of_request(plan: &Plan, budget: &TokenBudget, api: Api) -> u64 {
    let context = plan.written().find(|section| section.part == Part::Context);
    let lines = context.map_or(0, |section| {
        let frame = units_of_frame(section, budget, api);
        frame.saturating_add(body_units(plan, budget, section))
    });
    lines.saturating_add(units_besides_context(plan, budget, api))
}

/// Like [`units_of_request`], without the conversation.
pub(super) fn units_besides_context(plan: &Plan, budget: &TokenBudget, api: Api) -> u64 {
    let tokenizer = budget.tokenizer;
    let block = units_around_text(budget, api);
    let request = tokenizer.units_within(Costs::of(api).request);
    let top = units_of_top(plan, budget);
    let others = plan.written().filter(|section| section.part != Part::Context);
    let units = others.map(|section| {
        let mut joined = JoinedBackwards::new(tokenizer);
        prepend_section(plan, budget, section, &mut joined);
        joined.units().saturating_add(block)
    });
    units.fold(request.saturating_add(top), u64::saturating_add)
}

/// The units of the blocks above and below the conversation.
pub(super) fn units_of_frame(section: &PlannedSection, budget: &TokenBudget, api: Api) -> u64 {
    let block = units_around_text(budget, api);
    let heading: Vec<&str> = section.heading.lines().collect();
    let texts = [heading.join("\n"), section.ending.to_owned()];
    let texts = texts.iter().filter(|text| !text.is_empty());
    texts.map(|text| budget.tokenizer.measure(text).saturating_add(block)).sum()
}

/// The units of the top line by itself: with the blank line below it, or as a block of a request.
fn units_of_top(plan: &Plan, budget: &TokenBudget) -> u64 {
    match plan.api {
        Some(api) if !plan.top.is_empty() => {
            budget.tokenizer.measure(plan.top).saturating_add(units_around_text(budget, api))
        }
        _ => budget.tokenizer.measure(&top_text(plan)),
    }
}

/// Tokens of the top line by itself.
pub fn top_tokens(plan: &Plan, budget: &TokenBudget) -> usize {
    budget.tokenizer.tokens(units_of_top(plan, budget))
}

/// What an API counts around a text that may be a message of its own.
fn units_around_text(budget: &TokenBudget, api: Api) -> u64 {
    let shape = Shape { messages: 1, parts: 1, ..Shape::default() };
    let around = budget.tokenizer.units_within(Costs::of(api).around(&shape));
    around.saturating_add(budget.tokenizer.measure(separator(api)))
}

/// Tokens of a section's text by itself, in the flag and in the prompt.
pub fn section_tokens(plan: &Plan, budget: &TokenBudget, section: &PlannedSection) -> usize {
    let mut joined = JoinedBackwards::new(budget.tokenizer);
    match plan.api.filter(|_| section.part == Part::Context) {
        _ if section.prompt_bytes() == 0 => {}
        Some(api) => {
            joined.prepend_exact(units_of_frame(section, budget, api));
            joined.prepend_exact(body_units(plan, budget, section));
        }
        None => prepend_section(plan, budget, section, &mut joined),
    }
    let flag = match section.placement.in_flag() {
        true => budget.tokenizer.tokens(body_units(plan, budget, section)),
        false => 0,
    };
    budget.tokenizer.tokens(joined.units()).saturating_add(flag)
}

/// Prepends sections to the joined text, with blank lines between. `is_followed` says whether the
/// joined text contains anything yet.
pub(super) fn prepend_sections<'p, 'a: 'p>(
    plan: &Plan<'a>,
    budget: &TokenBudget,
    sections: impl DoubleEndedIterator<Item = &'p PlannedSection<'a>>,
    joined: &mut JoinedBackwards,
) {
    let mut is_followed = false;
    let section_break = budget.tokenizer.measure(SECTION_BREAK);
    for section in sections.filter(|section| section.prompt_bytes() > 0).rev() {
        if is_followed {
            joined.prepend(SECTION_BREAK, section_break);
        }
        prepend_section(plan, budget, section, joined);
        is_followed = true;
    }
}

/// Prepends the top line to the joined text.
pub(super) fn prepend_top(plan: &Plan, budget: &TokenBudget, joined: &mut JoinedBackwards) {
    let top = top_text(plan);
    joined.prepend(&top, budget.tokenizer.measure(&top));
}

/// The top line with the blank line below it; empty if there is none.
pub(super) fn top_text(plan: &Plan) -> String {
    if plan.top.is_empty() { String::new() } else { [plan.top, SECTION_BREAK].concat() }
}

fn prepend_section(
    plan: &Plan,
    budget: &TokenBudget,
    section: &PlannedSection,
    joined: &mut JoinedBackwards,
) {
    let ending = ending_text(section);
    joined.prepend(&ending, budget.tokenizer.measure(&ending));
    let units = body_units(plan, budget, section);
    joined.prepend(&body_text(plan, section), units);
    let heading = heading_text(section);
    joined.prepend(&heading, budget.tokenizer.measure(&heading));
}

/// The lines above the body, with their line breaks.
pub(super) fn heading_text(section: &PlannedSection) -> String {
    section.heading.lines().flat_map(|line| [line, "\n"]).collect()
}

/// The line below the body, with the line break before it.
pub(super) fn ending_text(section: &PlannedSection) -> String {
    if section.ending.is_empty() { String::new() } else { ["\n", section.ending].concat() }
}

/// The text of sections that are in the prompt, with blank lines between.
pub(super) fn text_of(plan: &Plan, sections: &[PlannedSection]) -> String {
    let written = sections.iter().filter(|section| section.prompt_bytes() > 0);
    let texts = written
        .map(|section| heading_text(section) + &body_text(plan, section) + &ending_text(section));
    texts.collect::<Vec<_>>().join(SECTION_BREAK)
}

/// The body as one text. Incomplete only for a text that was not read whole.
fn body_text<'p>(plan: &'p Plan, section: &'p PlannedSection) -> Cow<'p, str> {
    match &section.body {
        Body::Text(text) => text.as_ref().into(),
        Body::Cut(cut) => cut.parts().concat().into(),
        Body::Items(items) => items.join("\n").into(),
        Body::Context { .. } => context_text(plan).into(),
        Body::Ends(_) => "".into(),
    }
}

fn context_text<'p>(plan: &'p Plan) -> &'p str {
    plan.tokens.as_ref().map_or("", |tokens| &tokens.context_text)
}

/// The units of a body, counted once.
fn body_units(plan: &Plan, budget: &TokenBudget, section: &PlannedSection) -> u64 {
    if let Some(units) = section.body_units.get() {
        return units;
    }
    let tokenizer = budget.tokenizer;
    let units = match (&section.body, tokenizer) {
        (Body::Ends(_), _) => TOO_MANY,
        (body, Tokenizer::Function { .. }) if section.part != Part::Context => {
            units_by_function(budget, section, body.bytes())
        }
        (_, _) => tokenizer.measure(&body_text(plan, section)),
    };
    section.body_units.set(Some(units));
    let is_whole = match &section.body {
        Body::Text(_) | Body::Items(_) => section.body.bytes() == section.body_bytes_before,
        _ => false,
    };
    if is_whole && budget.known(section.part).is_none() {
        budget.remember(section.part, units);
    }
    units
}

/// What a caller-supplied function counted, in proportion to what is left of the text.
fn units_by_function(budget: &TokenBudget, section: &PlannedSection, bytes: usize) -> u64 {
    let whole = section.body_bytes_before.max(1);
    let units = budget.tokenizer.measure_counted(whole, budget.counted(section.part));
    let share = u128::from(units) * bytes as u128;
    u64::try_from(share.div_ceil(whole as u128)).unwrap_or(TOO_MANY)
}

/// Makes a cut as large as a byte limit and the tokens of the plan allow. `cut` cuts to at most
/// this many bytes; `slack` says how many tokens are left then.
///
/// The least cut decides whether one fits: a longer one can have fewer tokens by chance, but would
/// not be found with a larger budget. If it does not fit, the plan keeps the least cut and the
/// result is false.
pub(super) fn cut_to_fit<'a>(
    plan: &mut Plan<'a>,
    (least, most): (usize, usize),
    slack: impl Fn(&Plan<'a>) -> Option<i64>,
    mut cut: impl FnMut(&mut Plan<'a>, usize),
) -> bool {
    let counts_tokens = slack(plan).is_some();
    if most < least || counts_tokens {
        cut(plan, least);
    }
    let room = slack(plan).filter(|_| counts_tokens).unwrap_or(0);
    if room < 0 {
        plan.limited_by = Some(BudgetUnit::Tokens);
    }
    if most < least || room < 0 {
        return false;
    }
    cut(plan, most);
    let Some(over) = slack(plan).filter(|slack| *slack < 0) else { return true };
    plan.limited_by = Some(BudgetUnit::Tokens);
    let mut fits = (least, room);
    let mut exceeds = (most, over);
    let mut is_middle = false;
    while fits.1 > 0 && exceeds.0 - fits.0 > CLOSE_BYTES {
        let width = (exceeds.0 - fits.0) as i128;
        let share = match is_middle {
            true => width / 2,
            // Tokens grow nearly in proportion to bytes.
            false => width * i128::from(fits.1) / (i128::from(fits.1) - i128::from(exceeds.1)),
        };
        let limit = fits.0 + (share.clamp(1, width - 1)) as usize;
        cut(plan, limit);
        let room = slack(plan).unwrap_or(0);
        let (before, after) = if room >= 0 { (&mut fits, room) } else { (&mut exceeds, room) };
        // If a guess hardly narrows the range, the next one is its middle.
        is_middle = !is_middle && (limit.abs_diff(before.0) as i128) < width / 4;
        *before = (limit, after);
    }
    cut(plan, fits.0);
    true
}

/// Cuts a text of `whole` bytes by as much as the plan exceeds its budgets. If not even the least
/// cut fits, the plan keeps that and the result is false.
pub(super) fn cut_by<'a>(
    over: Over,
    plan: &mut Plan<'a>,
    (least, whole): (usize, usize),
    cut: impl FnMut(&mut Plan<'a>, usize),
) -> bool {
    let most = whole.saturating_sub(over.bytes.max(usize::from(over.tokens > 0)));
    cut_to_fit(plan, (least, most), slack, cut)
}

/// How many tokens the system text leaves in half of the budget; `None` without a token budget.
pub(super) fn system_slack(plan: &Plan) -> Option<i64> {
    let tokens = plan.tokens.as_ref()?;
    let section = plan.section(Part::System)?;
    let units = body_units(plan, tokens.budget, section);
    Some(difference(tokens.max_tokens / 2, tokens.budget.tokenizer.tokens(units)))
}
