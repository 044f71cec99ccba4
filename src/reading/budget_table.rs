//! A table of what every budget would keep, for callers that cannot ask the core again.
//!
//! 1. A row says what the budgets in its range keep. Rows do not overlap, and nothing is said about
//!    budgets between two rows.
//! 2. While no text is cut, rows are contiguous, and each begins at the budget that its prompt
//!    needs: with one byte less, something else is dropped.
//! 3. Where texts are cut, every budget cuts elsewhere. There are evenly spaced rows of single
//!    budgets, and one wherever messages or replies change.
//! 4. With more messages than [`MAX_ROWS`], rows have gaps everywhere. So do rows in tokens, where
//!    what a prompt needs is not the sum of its lines.

use super::Reading;
use super::budgets::{AMPLE, BudgetRow};
use crate::budget::{Policy, can_cut_file};
use crate::error::Error;
use crate::layout::Part;
use crate::plan::{Body, PlannedSection};
use crate::text::{Text, trim_js};
use crate::tokens::BudgetUnit;
use serde::Serialize;

/// The same in tokens, whose fractions are counted.
const AMPLE_TOKENS: usize = 1 << 40;

/// The approximate maximum of rows in which no text is cut.
const MAX_ROWS: usize = 5000;

/// The number of evenly spaced rows in which texts are cut.
const CUT_ROWS: usize = 200;

/// How many budgets are tried at most where the system text's share follows the budget: one more
/// byte can mean one message less there.
const MAX_TRIED: usize = 8192;

/// How many bytes trial plans may copy in all: a plan may copy every text, so fewer budgets are
/// tried where texts are long.
const MAX_COPIED: usize = 1 << 28;

/// The number of evenly spaced rows in tokens.
const TOKEN_ROWS: usize = 300;

/// How many bytes may be counted in all: finding where to cut a text takes repeated counting.
const MAX_COUNTED: usize = 1 << 24;

/// What every budget would keep.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetTable {
    /// The unit of the budgets.
    pub unit: BudgetUnit,
    /// The smallest budget that suffices.
    pub required: usize,
    /// The row in which everything is kept.
    pub whole: BudgetRow,
    /// Every non-empty section, in prompt order.
    pub sections: Vec<Part>,
    /// Bytes of the lines above and below the conversation.
    pub context_heading_bytes: usize,
    /// The messages that can be shown, as indices into the caller's list, oldest first.
    pub indices: Vec<usize>,
    /// Bytes of their lines; empty if the layout has no place for them.
    pub line_bytes: Vec<usize>,
    /// Tokens of the same lines; empty if budgets are not counted in tokens.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub line_tokens: Vec<usize>,
    /// Which of the lines are pinned.
    pub pinned: Vec<usize>,
    /// The sizes of the texts that can be cut.
    pub texts: TextBytes,
    /// Bytes of the line below a summary, a parent and a message.
    pub ending_bytes: usize,
    /// What budgets keep, ascending.
    pub rows: Vec<BudgetRow>,
}

/// The sizes of texts that can be cut and that end their sections, apart from a line below them; 0
/// for those that do not.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextBytes {
    /// Of the summary.
    pub summary: usize,
    /// Of the parent message; 0 if it is escaped, because then another text is cut.
    pub parent: usize,
    /// Of the current message.
    pub message: usize,
    /// Of the instruction file.
    pub file: usize,
}

/// The row of a budget, or the place where it would be inserted.
fn place_of(rows: &[BudgetRow], budget: usize) -> Result<usize, usize> {
    let place = rows.partition_point(|row| row.to < budget);
    let is_there = rows.get(place).is_some_and(|row| row.from <= budget);
    if is_there { Ok(place) } else { Err(place) }
}

impl Reading {
    /// What every budget would keep, once all messages were read with an ample one. Includes a row
    /// for the budget `own`. Considers only bytes.
    pub fn budget_table(&mut self, own: usize) -> Result<BudgetTable, Error> {
        // Tokens that are only counted do not affect what is kept.
        self.inputs.materials.tokens = None;
        let mut rows = self.rows_with_whole_texts()?;
        let least_whole = rows.last().map_or(0, |row| row.from);
        rows.reverse();
        rows.splice(0..0, self.rows_with_cut_texts(least_whole)?);
        if let Err(place) = place_of(&rows, own) {
            rows.insert(place, self.at_budget(own)?);
        }
        self.table_with(BudgetUnit::Bytes, rows)
    }

    /// The same for token budgets within `max_bytes`, once all messages were read with ample
    /// budgets of both kinds.
    pub fn token_table(&mut self, max_bytes: usize, own: usize) -> Result<BudgetTable, Error> {
        let most = self.at_tokens(max_bytes, AMPLE_TOKENS)?;
        let needed = most.total_tokens.unwrap_or_default();
        let keeps_most = |row: BudgetRow| BudgetRow { from: most.from, to: most.to, ..row } == most;
        // The system text's share may follow the budget: half of it.
        let from = match keeps_most(self.at_tokens(max_bytes, needed)?) {
            true => needed,
            false => 2 * needed,
        };
        let mut rows: Vec<BudgetRow> = Vec::new();
        let mut row = self.at_tokens(max_bytes, 1)?;
        let texts = self.inputs.materials.texts().map(|(_, text)| text.len()).sum::<usize>();
        let count = (MAX_COUNTED / texts.max(1)).clamp(TOKEN_ROWS / 10, TOKEN_ROWS);
        let spacing = from.saturating_sub(row.to).div_ceil(count).max(1);
        while row.from < from {
            // A row that does not fit ends before one that does, if that is known.
            let is_next_known = !row.fits && row.total_tokens.is_some();
            let next = row.to + if is_next_known { 1 } else { spacing };
            rows.push(BudgetRow { to: row.to.min(from - 1), ..row });
            row = self.at_tokens(max_bytes, next)?;
        }
        rows.push(BudgetRow { from, ..most });
        if let Err(place) = place_of(&rows, own) {
            rows.insert(place, self.at_tokens(max_bytes, own)?);
        }
        // Everything fits, so every line was measured.
        let whole = self.at_tokens(AMPLE, AMPLE_TOKENS)?;
        let line_tokens = self.line_tokens()?;
        self.inputs.materials.tokens = None;
        let table = self.table_with(BudgetUnit::Tokens, rows)?;
        Ok(BudgetTable { whole, line_tokens, ..table })
    }

    /// Tokens of each line that the prompt shows, with the current budgets.
    fn line_tokens(&mut self) -> Result<Vec<usize>, Error> {
        self.plan_with(AMPLE, 1, |plan, lines| {
            let has_context = plan.sections.iter().any(|section| section.part == Part::Context);
            let Some(tokens) = plan.tokens.as_ref().filter(|_| has_context) else {
                return Vec::new();
            };
            let tokenizer = tokens.budget.tokenizer;
            // Counted as a report counts a dropped message.
            let units =
                |line| tokenizer.without_line_break(&lines.line_text(line), lines.line_units(line));
            (0..lines.len()).map(|line| tokenizer.tokens(units(line))).collect()
        })
    }

    fn table_with(&mut self, unit: BudgetUnit, rows: Vec<BudgetRow>) -> Result<BudgetTable, Error> {
        let required = rows.iter().find(|row| row.fits).map_or(0, |row| row.from);
        let whole = self.at_budget(AMPLE)?;
        Ok(BudgetTable { unit, required, whole, rows, ..self.described()? })
    }

    /// Rows in which no text is cut that is not always cut, descending.
    fn rows_with_whole_texts(&mut self) -> Result<Vec<BudgetRow>, Error> {
        let whole = self.at_budget(AMPLE)?;
        let share_ends = self.share_ends();
        let stride = match self.lines.len() > MAX_ROWS {
            true => whole.total_bytes / MAX_ROWS,
            false => 1,
        };
        let mut rows: Vec<BudgetRow> = Vec::new();
        let mut to = AMPLE;
        while to >= share_ends {
            let row = self.at_budget(to)?;
            if !row.fits || row.cuts != whole.cuts {
                break;
            }
            let from = self.fitting_from(&row).max(share_ends);
            rows.push(BudgetRow { from, ..row });
            match (from.saturating_sub(1)).min(to.saturating_sub(stride)) {
                0 => break,
                next => to = next,
            }
        }
        Ok(rows)
    }

    /// The smallest budget that keeps the same as a row without cuts: what it needs, or, if the
    /// eviction step dropped more, what it would need without the step.
    fn fitting_from(&mut self, row: &BudgetRow) -> usize {
        if row.first == row.first_fitting {
            return row.total_bytes;
        }
        let each = self.plan_with(row.to, 1, |plan, _| plan.total_bytes());
        each.map_or(row.to, |bytes| bytes.clamp(row.total_bytes, row.to))
    }

    /// The budget from which on the system text's share exceeds the text itself.
    fn share_ends(&self) -> usize {
        let materials = &self.inputs.materials;
        match self.inputs.policy {
            Policy::BuildPrompt { system_max_bytes: None } if can_cut_file(materials) => {
                2 * materials.system_text(&materials.instruction_file).len()
            }
            _ => 0,
        }
    }

    /// Rows for budgets below `end`, ascending.
    fn rows_with_cut_texts(&mut self, end: usize) -> Result<Vec<BudgetRow>, Error> {
        let mut row = self.at_budget(1)?;
        let range = end.saturating_sub(row.to);
        let most_tried = (MAX_COPIED / end.max(1)).clamp(CUT_ROWS / 10, MAX_TRIED);
        let spacing = range.div_ceil(CUT_ROWS.min(most_tried));
        let stride = match self.share_ends() {
            0 => spacing,
            _ => range.div_ceil(most_tried),
        };
        let mut rows: Vec<BudgetRow> = Vec::new();
        let mut due = 0;
        while row.from < end {
            let to = row.to.min(end - 1);
            let next = if row.fits { to + stride.max(1) } else { to + 1 };
            let kept = row.kept();
            if row.from >= due || rows.last().is_some_and(|last| last.kept() != kept) {
                due = row.from + spacing;
                rows.push(BudgetRow { to, ..row.clone() });
            }
            if next >= end {
                break;
            }
            row = self.first_change(row, next)?;
        }
        Ok(rows)
    }

    /// The row of the first budget up to `end` that keeps other messages or replies than `row`,
    /// assuming they change once; the row of `end` if they do not change.
    fn first_change(&mut self, row: BudgetRow, end: usize) -> Result<BudgetRow, Error> {
        let (mut last_same, mut next) = (row.to, self.at_budget(end)?);
        while next.kept() != row.kept() && next.from - last_same > 1 {
            let middle = self.at_budget(last_same + (next.from - last_same) / 2)?;
            match middle.kept() == row.kept() {
                true => last_same = middle.to,
                false => next = middle,
            }
        }
        Ok(next)
    }

    /// The contents of a table apart from budgets.
    fn described(&mut self) -> Result<BudgetTable, Error> {
        let materials = &self.inputs.materials;
        let summary = trim_js(&materials.summary).len();
        let file = trim_js(&materials.instruction_file).len();
        let message = match &materials.message {
            Text::Whole(text) => trim_js(text).len(),
            Text::Ends(ends) => ends.bytes(),
        };
        let parent = materials.parent.as_ref().map(|quote| quote.content.clone());
        let parent = parent.unwrap_or_default();
        let fence = self.inputs.assembler.fence.clone();
        self.plan_with(AMPLE, 1, |plan, lines| {
            let of_part = |part| plan.sections.iter().find(|section| section.part == part);
            let context = of_part(Part::Context);
            let is_whole = |section: &PlannedSection| match &section.body {
                Body::Items(items) => items.iter().all(|item| item.ends_with(&parent)),
                _ => false,
            };
            let has_parent = of_part(Part::Parent).is_some_and(is_whole);
            let shown = context.map_or(0, |_| lines.len());
            BudgetTable {
                unit: BudgetUnit::Bytes,
                required: 0,
                whole: BudgetRow::default(),
                sections: plan.sections.iter().map(|section| section.part).collect(),
                context_heading_bytes: context.map_or(0, PlannedSection::frame_bytes),
                indices: (0..lines.len()).map(|line| lines.index(line)).collect(),
                line_bytes: (0..shown).map(|line| lines.line_bytes(line)).collect(),
                line_tokens: Vec::new(),
                pinned: lines.pins().positions().to_vec(),
                texts: TextBytes {
                    summary,
                    parent: if has_parent { parent.len() } else { 0 },
                    message,
                    file,
                },
                ending_bytes: fence.map_or(0, |fence| fence.end_line.len() + 1),
                rows: Vec::new(),
            }
        })
    }
}
