//! What other budgets would keep of a prompt whose messages were read with an ample one.

use super::Reading;
use crate::budget;
use crate::error::Error;
use crate::model::Part;
use crate::plan::{Body, Plan, PlannedSection};
use crate::report::{kept_messages, token_report};
use crate::text::EndBytes;
use serde::Serialize;

/// At most so many budgets are tried where the share of the system text follows the budget.
const MAX_TRIED: usize = 8192;

/// What a budget keeps.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetRow {
    /// The budget.
    pub max_bytes: usize,
    /// Whether everything that has to be sent fits. If not, there is nothing else here.
    pub fits: bool,
    /// Bytes of prompt and flag.
    pub total_bytes: usize,
    /// Bytes of the prompt.
    pub prompt_bytes: usize,
    /// Bytes of the flag.
    pub system_flag_bytes: usize,
    /// Tokens of prompt and flag, if they are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<usize>,
    /// The oldest line of the window that is kept; lines are numbered as messages are shown.
    pub first: usize,
    /// The oldest line for which there was room.
    pub first_fitting: usize,
    /// The message of that line in the caller's list; absent if the window is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_index: Option<usize>,
    /// Messages that are kept besides, because they are pinned.
    pub pinned: Vec<usize>,
    /// How many sibling replies are kept.
    pub siblings: usize,
    /// Every section that had something in it, in prompt order.
    pub sections: Vec<SectionRow>,
    /// What is left of texts that were cut.
    pub cuts: CutRow,
}

/// The sizes of a section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SectionRow {
    /// Which part it is.
    pub name: Part,
    /// Bytes in the prompt.
    pub prompt_bytes: usize,
    /// Bytes in the flag.
    pub flag_bytes: usize,
}

/// What is left of texts that were cut; absent for those that were not.
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
}

impl Reading {
    /// What another budget would keep. Messages that were not read do not fit. Tokens have to be
    /// counted by the request, if there is to be a budget of them.
    pub fn at_budget(
        &mut self,
        max_bytes: usize,
        max_tokens: Option<usize>,
    ) -> Result<BudgetRow, Error> {
        let capped_before = self.inputs.capped.take();
        let materials = &mut self.inputs.materials;
        let bytes_before = std::mem::replace(&mut materials.max_bytes, max_bytes);
        let tokens = materials.tokens.as_mut();
        let tokens_before = tokens.map(|it| std::mem::replace(&mut it.max_tokens, max_tokens));
        let row = match budget::plan(self.inputs.request(), &mut self.lines) {
            Ok(plan) => Ok(BudgetRow { max_bytes, ..self.row(&plan) }),
            Err(Error::BudgetExceeded { .. }) => {
                Ok(BudgetRow { max_bytes, ..BudgetRow::default() })
            }
            Err(error) => Err(error),
        };
        let materials = &mut self.inputs.materials;
        materials.max_bytes = bytes_before;
        if let (Some(tokens), Some(before)) = (&mut materials.tokens, tokens_before) {
            tokens.max_tokens = before;
        }
        self.inputs.capped = capped_before;
        row
    }

    fn row(&self, plan: &Plan) -> BudgetRow {
        let kept = kept_messages(plan, &self.lines);
        let pins = self.lines.pins();
        let run = kept.first..pins.window().end;
        let pinned = pins.positions().iter().filter(|line| !run.contains(line));
        let of_part = |part: Part| plan.sections.iter().find(|section| section.part == part);
        let emptied = |section: &PlannedSection| section.body.bytes() == 0;
        let sections = plan.sections.iter().map(|section| SectionRow {
            name: section.part,
            prompt_bytes: section.prompt_bytes(),
            flag_bytes: section.flag_bytes(),
        });
        BudgetRow {
            max_bytes: plan.max_bytes,
            fits: true,
            total_bytes: plan.total_bytes(),
            prompt_bytes: plan.prompt_bytes(),
            system_flag_bytes: plan.flag_bytes(),
            total_tokens: plan.tokens.as_ref().map(|it| token_report(plan, it).total_tokens),
            first: kept.first,
            first_fitting: kept.first_fitting,
            first_index: (!run.is_empty()).then(|| self.lines.index(kept.first)),
            pinned: pinned.filter(|_| kept.in_layout).map(|line| self.lines.index(*line)).collect(),
            siblings: of_part(Part::Siblings).and_then(|it| it.body.items()).unwrap_or(0),
            sections: sections.collect(),
            cuts: CutRow {
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
            },
        }
    }

    /// The budgets in bytes, ascending, from each of which on other messages or replies are kept
    /// than with one byte less; the first of them is the smallest that suffices. Where the share of
    /// the system text follows the budget, a byte more can be a message less, so budgets are tried
    /// one by one there, or in steps if they are many.
    pub fn budgets_of_change(&mut self) -> Result<Vec<usize>, Error> {
        let ample = self.at_budget(usize::MAX / 4, None)?;
        let system = ample.sections.iter().find(|section| section.name == Part::System);
        let share_ends = match self.inputs.policy {
            budget::Policy::BuildPrompt { system_max_bytes: None } => {
                2 * system.map_or(0, |section| section.prompt_bytes.max(section.flag_bytes))
            }
            _ => 0,
        };
        let stride = (share_ends / MAX_TRIED).max(1);
        let tried = (0..share_ends).step_by(stride).chain([share_ends, ample.total_bytes]);
        let mut changes = Vec::new();
        let mut last = (0, self.kept_at(0)?);
        for budget in tried.filter(|budget| *budget > 0) {
            if budget > last.0 {
                let next = (budget, self.kept_at(budget)?);
                self.changes_between(last, next, &mut changes)?;
                last = next;
            }
        }
        Ok(changes)
    }

    /// Finds changes between two budgets, if more bytes are never a message less.
    fn changes_between(
        &mut self,
        (low, kept_low): (usize, RowKey),
        (high, kept_high): (usize, RowKey),
        changes: &mut Vec<usize>,
    ) -> Result<(), Error> {
        if kept_low == kept_high {
            return Ok(());
        }
        if high - low == 1 {
            changes.push(high);
            return Ok(());
        }
        let middle = low + (high - low) / 2;
        let kept = self.kept_at(middle)?;
        self.changes_between((low, kept_low), (middle, kept), changes)?;
        self.changes_between((middle, kept), (high, kept_high), changes)
    }

    fn kept_at(&mut self, max_bytes: usize) -> Result<RowKey, Error> {
        let row = self.at_budget(max_bytes, None)?;
        Ok(RowKey { fits: row.fits, first: row.first, siblings: row.siblings })
    }
}

/// What changes from budget to budget.
#[derive(Clone, Copy, PartialEq, Eq)]
struct RowKey {
    fits: bool,
    first: usize,
    siblings: usize,
}
