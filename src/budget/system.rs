//! The system text: only the instruction file in it is ever shortened.

use super::tokens::{Over, cut_plan_to_fit, cut_to_fit, system_slack};
use crate::assemble::Request;
use crate::layout::SECTION_BREAK;
use crate::model::Part;
use crate::plan::{Body, Plan};
use crate::text::{EndBytes, head_tail, min_cut_bytes, shorten_counting, trim_js};
use crate::tokens::BudgetUnit;

/// An instruction file is not cut below this to make room for other sections.
const MIN_FILE_BYTES: usize = 2048;

/// A system text that was cut to its share. To find it takes counting it again and again, so it is
/// found once for a prompt that is planned twice.
pub struct CappedSystem {
    text: String,
    kept: EndBytes,
    units: Option<u64>,
}

impl CappedSystem {
    /// What [`cap_system`] made, if it cut anything.
    pub(super) fn of(plan: &Plan) -> Option<Self> {
        let kept = plan.kept.file?;
        let section = plan.section(Part::System)?;
        let Body::Text(text) = &section.body else { return None };
        Some(CappedSystem { text: text.to_string(), kept, units: section.body_units.get() })
    }

    /// Does what [`cap_system`] did.
    pub(super) fn put_into<'a>(&'a self, plan: &mut Plan<'a>) {
        if let Some(section) = plan.section_mut(Part::System) {
            section.set_body(Body::Text(self.text.as_str().into()));
            section.body_units.set(self.units);
        }
        (plan.kept.file, plan.kept.file_in_share) = (Some(self.kept), Some(self.kept));
    }
}

/// Cuts the file so that the system text keeps to its share of the budget: to `max_bytes`, or else
/// to half of each budget.
pub(super) fn cap_system(plan: &mut Plan, request: Request, max_bytes: Option<usize>) {
    let Some((system_bytes, file_bytes)) = system_sizes(plan, request) else { return };
    let over = system_bytes.saturating_sub(max_bytes.unwrap_or(plan.max_bytes / 2));
    let slack = |plan: &Plan| system_slack(plan).filter(|_| max_bytes.is_none());
    let has_too_many_tokens = slack(plan).is_some_and(|slack| slack < 0);
    if over == 0 && !has_too_many_tokens || file_bytes == 0 {
        return;
    }
    let limited_by = plan.limited_by;
    // What cannot be cut to its share is left out.
    let limit = file_bytes.saturating_sub(over.max(usize::from(has_too_many_tokens)));
    let least = least_cut(trim_js(&request.materials.instruction_file)).unwrap_or(file_bytes);
    let is_cut = cut_to_fit(plan, (least, limit), slack, |plan, limit| {
        let Some((file, kept)) = shortened_file(request, limit) else { return false };
        set_file(plan, request, &file, kept);
        true
    });
    if !is_cut {
        set_file(plan, request, "", EndBytes::default());
    }
    plan.kept.file_in_share = plan.kept.file;
    // A share is not the budget.
    plan.limited_by = limited_by;
}

/// Plans the system text as it would be with the smallest budget that suffices, and returns that
/// budget. The share of the system text may follow the budget, and a cut falls between
/// graphemes, so budgets are tried: between one with no file at all and one with the least of it
/// there are a few thousand. Only with graphemes of kilobytes there are more, and then the search
/// takes it that a larger budget is never worse.
pub(super) fn take_least_file(
    plan: &mut Plan,
    request: Request,
    system_max_bytes: Option<usize>,
) -> usize {
    const MAX_TRIED: usize = 8 * MIN_FILE_BYTES;
    let materials = request.materials;
    let file = trim_js(&materials.instruction_file);
    let instruction_bytes = materials.instruction_text().len();
    let system_bytes = |file_bytes: usize| match (instruction_bytes, file_bytes) {
        (0, file_bytes) => file_bytes,
        (instruction_bytes, 0) => instruction_bytes,
        (instruction_bytes, file_bytes) => instruction_bytes + SECTION_BREAK.len() + file_bytes,
    };
    let cut_bytes = |limit: usize| match limit >= file.len() {
        true => Some(file.len()),
        false => head_tail(file, limit).map(|cut| cut.bytes()),
    };
    let mut total_with = |file_bytes: usize| {
        if let Some(section) = plan.section_mut(Part::System) {
            section.set_body(Body::Missing(system_bytes(file_bytes)));
        }
        plan.total_bytes()
    };
    let least = total_with(0).max(materials.max_bytes + 1);
    let least_file =
        cut_bytes(MIN_FILE_BYTES.min(file.len())).map_or(file.len(), |_| MIN_FILE_BYTES);
    let most = total_with(least_file.min(file.len())).max(least);

    let copies = request.assembler.system_placement().copies();
    let mut suffices = |budget: usize| {
        let share = system_max_bytes.unwrap_or(budget / 2);
        let over_share = system_bytes(file.len()).saturating_sub(share);
        let capped = cut_bytes(file.len().saturating_sub(over_share)).unwrap_or(0);
        let over = total_with(capped).saturating_sub(budget);
        let limit = capped.saturating_sub(over.div_ceil(copies)).max(MIN_FILE_BYTES.min(capped));
        over == 0 || total_with(cut_bytes(limit).unwrap_or(capped)) <= budget
    };
    let mut tried = least..most;
    if most - least > MAX_TRIED && !suffices(least) {
        while tried.len() > 1 {
            let middle = tried.start + tried.len() / 2;
            if suffices(middle) { tried.end = middle } else { tried.start = middle }
        }
        tried = tried.end..tried.end;
    }
    let required = tried.clone().find(|budget| suffices(*budget)).unwrap_or(tried.end);
    suffices(required);
    required
}

pub(super) fn shorten_file(plan: &mut Plan, request: Request) {
    let Some((_, file_bytes)) = system_sizes(plan, request) else { return };
    let over = Over::of(plan);
    if over.is_none() || file_bytes == 0 {
        return;
    }
    // With two copies, a byte less in the file is two bytes less in all.
    let copies = request.assembler.system_placement().copies();
    let saved = over.bytes.div_ceil(copies).max(usize::from(over.tokens > 0));
    let least = MIN_FILE_BYTES.min(file_bytes);
    let limit = file_bytes.saturating_sub(saved).max(least);
    plan.limited_by = Some(BudgetUnit::Bytes);
    cut_plan_to_fit(plan, (least, limit), |plan, limit| {
        let Some((file, kept)) = shortened_file(request, limit) else { return false };
        set_file(plan, request, &file, kept);
        true
    });
}

/// Plans the system text as it would be with the smallest budget in tokens that suffices, and
/// returns that budget: one token less does not. Its share may follow the budget, so budgets are
/// tried. Returns `None` if none suffices: with more tokens, it is over the budget in bytes.
pub(super) fn take_least_tokens<'a>(
    plan: &mut Plan<'a>,
    request: Request<'a>,
    system_max_bytes: Option<usize>,
) -> Option<usize> {
    let mut suffices = |max_tokens: usize| {
        let whole = request.materials.system_text(&request.materials.instruction_file);
        if let Some(section) = plan.section_mut(Part::System) {
            section.set_body(Body::Text(whole));
        }
        if let Some(tokens) = &mut plan.tokens {
            tokens.max_tokens = max_tokens;
        }
        cap_system(plan, request, system_max_bytes);
        shorten_file(plan, request);
        Over::of(plan).is_none()
    };
    if !suffices(usize::MAX) {
        return None;
    }
    let mut exceeded = request.materials.max_tokens().unwrap_or_default();
    let mut enough = exceeded.saturating_mul(2).max(1024);
    while !suffices(enough) {
        (exceeded, enough) = (enough, enough.saturating_mul(2));
    }
    while enough - exceeded > 1 {
        let middle = exceeded + (enough - exceeded) / 2;
        if suffices(middle) { enough = middle } else { exceeded = middle }
    }
    suffices(enough);
    Some(enough)
}

/// Bytes of the system text as planned so far, and of the instruction file in it.
fn system_sizes(plan: &mut Plan, request: Request) -> Option<(usize, usize)> {
    let system_bytes = plan.section_mut(Part::System)?.body.bytes();
    let instruction_bytes = request.materials.instruction_text().len();
    let file_bytes = match instruction_bytes {
        0 => system_bytes,
        _ => system_bytes.checked_sub(instruction_bytes + SECTION_BREAK.len())?,
    };
    Some((system_bytes, file_bytes))
}

/// The file in at most so many bytes, and what of it that is. It is cut anew each time,
/// so that however often it is cut there is one omission line in it.
fn shortened_file(request: Request, max_bytes: usize) -> Option<(String, EndBytes)> {
    shorten_counting(trim_js(&request.materials.instruction_file), max_bytes)
}

fn set_file(plan: &mut Plan, request: Request, file: &str, kept: EndBytes) {
    plan.kept.file = Some(kept);
    if let Some(section) = plan.section_mut(Part::System) {
        section.set_body(Body::Text(request.materials.system_text(file).into_owned().into()));
    }
}

/// The least size to which a file can be cut.
fn least_cut(file: &str) -> Option<usize> {
    min_cut_bytes(file, file, file.len())
}
