//! What other budgets would keep of a prompt whose messages were read with an ample one.

use super::Reading;
use crate::budget::Request;
use crate::budget::{self, section_tokens};
use crate::conversation::Lines;
use crate::error::Error;
use crate::layout::Part;
use crate::plan::{Body, Plan, PlannedSection};
use crate::report::{kept_messages, token_report};
use crate::text::EndBytes;
use serde::Serialize;

/// Any prompt fits into this, and JavaScript can represent it.
pub(super) const AMPLE: usize = (1 << 53) - 1;

/// What a range of budgets keeps.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetRow {
    /// The smallest of the budgets.
    pub from: usize,
    /// The largest of them.
    pub to: usize,
    /// Whether everything required fits. If not, the sizes are those of what is required.
    pub fits: bool,
    /// Bytes of prompt and flag.
    pub total_bytes: usize,
    /// Tokens of prompt and flag, if they are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<usize>,
    /// The oldest line of the window that is kept; lines are numbered in message order.
    pub first: usize,
    /// The oldest line for which there was room.
    pub first_fitting: usize,
    /// How many messages are kept, including pinned ones.
    pub messages: usize,
    /// How many sibling replies are kept.
    pub siblings: usize,
    /// Bytes in prompt and flag of every non-empty section, in prompt order.
    pub sections: Vec<usize>,
    /// Tokens of the same sections, each counted separately; empty if they are not counted. For the
    /// conversation, the sum of its lines: joining them may save a few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub section_tokens: Vec<usize>,
    /// What is left of cut texts.
    #[serde(skip_serializing_if = "CutRow::is_empty")]
    pub cuts: CutRow,
}

impl BudgetRow {
    /// What differs between budgets, apart from where texts are cut.
    pub(super) fn kept(&self) -> (bool, usize, usize, usize) {
        (self.fits, self.first, self.first_fitting, self.siblings)
    }
}

/// What is left of cut texts; absent for those not cut.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CutRow {
    /// Of the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<EndBytes>,
    /// Of the parent message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<EndBytes>,
    /// Of the current message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<EndBytes>,
    /// Of the instruction file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<EndBytes>,
    /// Lines with shortened tool results, and their bytes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<(usize, usize)>,
}

impl CutRow {
    fn of(plan: &Plan, lines: &Lines) -> Self {
        let of_part = |part: Part| plan.sections.iter().find(|section| section.part == part);
        let emptied = |section: &PlannedSection| section.body.bytes() == 0;
        CutRow {
            summary: plan.kept.summary,
            parent: match of_part(Part::Parent).is_some_and(emptied) {
                true => Some(EndBytes::default()),
                false => plan.kept.parent,
            },
            message: of_part(Part::Message).and_then(|section| match &section.body {
                Body::Cut(cut) => Some(cut.end_bytes()),
                _ => None,
            }),
            file: plan.kept.file,
            results: lines.short_line_bytes().collect(),
        }
    }

    fn is_empty(&self) -> bool {
        *self == CutRow::default()
    }
}

impl Reading {
    /// What another budget would keep. Unread messages do not fit. If the budget does not suffice,
    /// the row extends to the next one that does.
    pub fn at_budget(&mut self, max_bytes: usize) -> Result<BudgetRow, Error> {
        let eviction_step = self.inputs.request().eviction_step;
        match self.plan_with(max_bytes, eviction_step, row_of) {
            Ok(row) => Ok(BudgetRow { from: max_bytes, to: max_bytes, ..row }),
            Err(Error::BudgetExceeded { required_bytes, sections, .. }) => {
                let required = |part: Part| {
                    // Everything that is not pinned was dropped.
                    let name = if part == Part::Context { "pinned" } else { part.name() };
                    let section = sections.iter().find(|it| it.0 == name);
                    section.map_or(0, |(_, bytes)| *bytes)
                };
                let row = self.plan_with(AMPLE, eviction_step, |plan, lines| BudgetRow {
                    messages: lines.pins().positions().len(),
                    sections: plan.sections.iter().map(|section| required(section.part)).collect(),
                    ..BudgetRow::default()
                })?;
                let to = required_bytes.saturating_sub(1).max(max_bytes);
                Ok(BudgetRow { from: max_bytes, to, total_bytes: required_bytes, ..row })
            }
            Err(error) => Err(error),
        }
    }

    /// What another token budget would keep within `max_bytes`. If it does not suffice, the row
    /// extends to the next one that does, and has no section sizes.
    pub fn at_tokens(&mut self, max_bytes: usize, max_tokens: usize) -> Result<BudgetRow, Error> {
        if let Some(tokens) = &mut self.inputs.materials.tokens {
            tokens.max_tokens = Some(max_tokens);
        }
        let eviction_step = self.inputs.request().eviction_step;
        match self.plan_with(max_bytes, eviction_step, row_of) {
            Ok(row) => Ok(BudgetRow { from: max_tokens, to: max_tokens, ..row }),
            Err(Error::BudgetExceeded { required_bytes, tokens, .. }) => {
                let total_tokens = tokens.and_then(|tokens| tokens.required_tokens);
                let to = total_tokens.map_or(0, |tokens| tokens.saturating_sub(1)).max(max_tokens);
                let row = BudgetRow { total_bytes: required_bytes, ..BudgetRow::default() };
                Ok(BudgetRow { from: max_tokens, to, total_tokens, ..row })
            }
            Err(error) => Err(error),
        }
    }

    /// Plans with another budget and eviction step, and passes the plan to `see`.
    pub(super) fn plan_with<T>(
        &mut self,
        max_bytes: usize,
        eviction_step: usize,
        see: impl FnOnce(&Plan, &Lines) -> T,
    ) -> Result<T, Error> {
        let materials = &mut self.inputs.materials;
        let bytes_before = std::mem::replace(&mut materials.max_bytes, max_bytes);
        let request = Request { eviction_step, ..self.inputs.request() };
        let planned = budget::plan(request, &mut self.lines);
        let seen = planned.map(|plan| see(&plan, &self.lines));
        self.inputs.materials.max_bytes = bytes_before;
        seen
    }
}

fn row_of(plan: &Plan, lines: &Lines) -> BudgetRow {
    let kept = kept_messages(plan, lines);
    let items = |part: Part| {
        let section = plan.sections.iter().find(|section| section.part == part);
        section.and_then(|section| section.body.items()).unwrap_or(0)
    };
    BudgetRow {
        fits: true,
        total_bytes: plan.total_bytes(),
        total_tokens: plan.tokens.as_ref().map(|it| token_report(plan, it).total_tokens),
        first: kept.first,
        first_fitting: kept.first_fitting,
        messages: items(Part::Context),
        siblings: items(Part::Siblings),
        sections: plan.sections.iter().map(PlannedSection::bytes).collect(),
        section_tokens: tokens_of_sections(plan, lines),
        cuts: CutRow::of(plan, lines),
        ..BudgetRow::default()
    }
}

fn tokens_of_sections(plan: &Plan, lines: &Lines) -> Vec<usize> {
    let Some(tokens) = &plan.tokens else { return Vec::new() };
    let budget = tokens.budget;
    let tokens_of = |section: &PlannedSection| match section.body {
        // A plan holds the text of the conversation only where it must be examined.
        Body::Context { first, .. } if tokens.context_text.is_empty() => {
            let pinned = lines.pins().positions().iter().copied().filter(|line| *line < first);
            let units = pinned.chain(first..lines.len()).map(|line| lines.line_units(line));
            let units = units.fold(0, u64::saturating_add);
            budget.tokenizer.tokens(units) + section_tokens(plan, budget, section)
        }
        _ => section_tokens(plan, budget, section),
    };
    plan.sections.iter().map(tokens_of).collect()
}
