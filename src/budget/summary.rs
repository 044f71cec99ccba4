//! The summary of earlier messages.

use super::MIN_SHORTENED_BYTES;
use super::tokens::{Over, cut_plan_to_fit};
use crate::budget::Request;
use crate::layout::Part;
use crate::plan::{Body, Plan};
use crate::text::{EndBytes, HeadTail, head_tail, least_cut, trim_js};
use crate::tokens::BudgetUnit;

pub(super) fn shorten_summary(plan: &mut Plan, request: Request) {
    let over = Over::of(plan);
    let Some(section) = plan.section_mut(Part::Summary) else { return };
    if over.is_none() {
        return;
    }
    let all = section.body.bytes();
    let limit = all.saturating_sub(over.bytes.max(usize::from(over.tokens > 0)));
    plan.limited_by = Some(BudgetUnit::Bytes);
    let summary = trim_js(&request.materials.summary);
    let least = least_cut(summary, summary, summary.len(), MIN_SHORTENED_BYTES);
    let is_cut = least.is_some_and(|least| {
        cut_plan_to_fit(plan, (least.bytes(), limit), |plan, limit| {
            set_summary(plan, least.or_more(limit, |limit| head_tail(summary, limit)).as_ref());
        })
    });
    if !is_cut {
        plan.findings.retain(|finding| finding.part != Part::Summary);
        set_summary(plan, None);
    }
}

fn set_summary(plan: &mut Plan, cut: Option<&HeadTail>) {
    plan.kept.summary = Some(cut.map_or(EndBytes::default(), HeadTail::end_bytes));
    let text = cut.map_or(String::new(), |cut| cut.parts().concat());
    if let Some(section) = plan.section_mut(Part::Summary) {
        section.set_body(Body::Text(text.into()));
    }
}
