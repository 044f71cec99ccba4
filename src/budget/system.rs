//! The system text: only the instruction file in it is ever shortened.

use super::over;
use crate::assemble::Request;
use crate::layout::SECTION_BREAK;
use crate::model::Part;
use crate::plan::{Body, Plan};
use crate::text::{head_tail, shorten_counting, trim_js};

/// An instruction file is not cut below this to make room for other sections.
const MIN_FILE_BYTES: usize = 2048;

pub(super) fn cap_system(plan: &mut Plan, request: Request, max_bytes: Option<usize>) {
    let Some((system_bytes, file_bytes)) = system_sizes(plan, request) else { return };
    let over = system_bytes.saturating_sub(max_bytes.unwrap_or(plan.max_bytes / 2));
    if over > 0 {
        // What cannot be cut to its share is left out.
        let limit = file_bytes.saturating_sub(over);
        let (file, kept) = shortened_file(request, limit).unwrap_or_default();
        set_file(plan, request, &file, kept);
        plan.kept.file_in_share = Some(kept);
    }
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
            section.body = Body::Missing { bytes: system_bytes(file_bytes) };
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
    let over = over(plan);
    // With two copies, a byte less in the file is two bytes less in all.
    let copies = request.assembler.system_placement().copies();
    let limit = file_bytes.saturating_sub(over.div_ceil(copies));
    if over > 0
        && let Some((file, kept)) =
            shortened_file(request, limit.max(MIN_FILE_BYTES.min(file_bytes)))
    {
        set_file(plan, request, &file, kept);
    }
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

/// The file in at most so many bytes, and how many of them are its own. It is cut anew each time,
/// so that however often it is cut there is one omission line in it.
fn shortened_file(request: Request, max_bytes: usize) -> Option<(String, usize)> {
    shorten_counting(trim_js(&request.materials.instruction_file), max_bytes)
}

fn set_file(plan: &mut Plan, request: Request, file: &str, kept: usize) {
    plan.kept.file = Some(kept);
    if let Some(section) = plan.section_mut(Part::System) {
        section.body = Body::Text(request.materials.system_text(file).into_owned().into());
    }
}
