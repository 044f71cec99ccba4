//! The summary of what was said before.

use super::tokens::{Over, cut_plan_to_fit};
use super::{MIN_SHORTENED_BYTES, shortened};
use crate::assemble::Request;
use crate::model::Part;
use crate::plan::{Body, Plan};
use crate::text::{EndBytes, trim_js};
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
    let is_cut = cut_plan_to_fit(plan, (MIN_SHORTENED_BYTES, limit), |plan, limit| {
        let Some((text, kept)) = shortened(summary, limit) else { return false };
        set_summary(plan, text, kept);
        true
    });
    if !is_cut {
        set_summary(plan, String::new(), EndBytes::default());
    }
}

fn set_summary(plan: &mut Plan, text: String, kept: EndBytes) {
    plan.kept.summary = Some(kept);
    if let Some(section) = plan.section_mut(Part::Summary) {
        section.set_body(Body::Text(text.into()));
    }
}
