//! The system text: only the instruction file in it is ever shortened.

use super::tokens::{Over, cut_by, cut_to_fit, system_slack};
use crate::budget::Request;
use crate::layout::Part;
use crate::layout::SECTION_BREAK;
use crate::model::Materials;
use crate::plan::{Body, Plan};
use crate::text::{HeadTail, head_tail, least_cut, trim_js};

/// An instruction file is not cut below this: a prompt without its instructions is worse than an
/// error.
const MIN_FILE_BYTES: usize = 2048;

/// Cuts the file so that the system text keeps to its share of the budget: `max_bytes`, or else
/// half of each budget, but never below the least cut of the file.
pub(super) fn cap_system(plan: &mut Plan, request: Request, max_bytes: Option<usize>) {
    let Some((system_bytes, file_bytes)) = system_sizes(plan, request) else { return };
    let over = system_bytes.saturating_sub(max_bytes.unwrap_or(plan.max_bytes / 2));
    let slack = |plan: &Plan| system_slack(plan).filter(|_| max_bytes.is_none());
    let has_too_many_tokens = slack(plan).is_some_and(|slack| slack < 0);
    if over == 0 && !has_too_many_tokens || file_bytes == 0 {
        return;
    }
    let Some(least) = least_file(request.materials) else { return };
    let limited_by = plan.limited_by;
    let limit = file_bytes.saturating_sub(over.max(usize::from(has_too_many_tokens)));
    set_file(plan, request, &least);
    let slack_of_least = system_slack(plan);
    cut_to_fit(plan, (least.bytes(), limit), slack, |plan, limit| {
        cut_file(plan, request, &least, limit);
    });
    // If the least cut happens to have more tokens, it still decides whether a budget suffices.
    if system_slack(plan) > slack_of_least {
        set_file(plan, request, &least);
    }
    plan.kept.file_in_share = plan.kept.file;
    // A share is not the budget.
    plan.limited_by = limited_by;
}

/// Shortens the file further, but not below its least cut.
pub(super) fn shorten_file<'a>(plan: &mut Plan<'a>, request: Request<'a>, over: Over) {
    let Some((_, file_bytes)) = system_sizes(plan, request) else { return };
    let Some(least) = least_file(request.materials).filter(|_| file_bytes > 0) else { return };
    // With two copies, removing a byte from the file saves two bytes.
    let copies = request.assembler.system_placement().copies();
    let over = Over { bytes: over.bytes.div_ceil(copies), ..over };
    let is_cut = cut_by(over, plan, (least.bytes(), file_bytes), |plan, limit| {
        cut_file(plan, request, &least, limit);
    });
    let max_bytes = request.policy.system_max_bytes();
    // A file hardly longer than its least cut can have fewer tokens than the cut.
    if !is_cut && restore_file(plan, request, max_bytes) && !Over::of(plan).is_none() {
        set_file(plan, request, &least);
    }
}

/// Restores the whole file, unless that would exceed the system text's own share. Returns whether
/// it did.
pub(super) fn restore_file<'a>(
    plan: &mut Plan<'a>,
    request: Request<'a>,
    max_bytes: Option<usize>,
) -> bool {
    let whole = request.materials.system_text(&request.materials.instruction_file);
    if max_bytes.is_some_and(|most| whole.len() > most) {
        return false;
    }
    let Some(section) = plan.section_mut(Part::System) else { return false };
    section.set_body(Body::Text(whole));
    (plan.kept.file, plan.kept.file_in_share) = (None, None);
    true
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

/// Whether the instruction file is long enough to be cut.
pub fn can_cut_file(materials: &Materials) -> bool {
    least_file(materials).is_some()
}

/// The least cut of the file; `None` if it must not be cut at all.
fn least_file<'a>(materials: &'a Materials) -> Option<HeadTail<'a>> {
    let file = trim_js(&materials.instruction_file);
    least_cut(file, file, file.len(), MIN_FILE_BYTES)
}

/// Cuts the file to at most this many bytes. Always cuts the original, so that there is only one
/// omission line.
fn cut_file(plan: &mut Plan, request: Request, least: &HeadTail, max_bytes: usize) {
    let file = trim_js(&request.materials.instruction_file);
    if let Some(cut) = least.or_more(max_bytes, |limit| head_tail(file, limit)) {
        set_file(plan, request, &cut);
    }
}

fn set_file(plan: &mut Plan, request: Request, cut: &HeadTail) {
    plan.kept.file = Some(cut.end_bytes());
    if let Some(section) = plan.section_mut(Part::System) {
        let file = cut.parts().concat();
        section.set_body(Body::Text(request.materials.system_text(&file).into_owned().into()));
    }
}
