//! The summary of earlier messages.

use super::MIN_SHORTENED_BYTES;
use super::tokens::{Over, cut_by};
use crate::budget::Request;
use crate::layout::Part;
use crate::plan::{Body, Plan};
use crate::text::{EndBytes, HeadTail, head_tail, least_cut, trim_js};

pub(super) fn shorten_summary(plan: &mut Plan, request: Request, over: Over) {
    let Some(section) = plan.section(Part::Summary) else { return };
    let whole = section.body.bytes();
    let summary = trim_js(&request.materials.summary);
    let least = least_cut(summary, summary, summary.len(), MIN_SHORTENED_BYTES);
    let is_cut = least.is_some_and(|least| {
        cut_by(over, plan, (least.bytes(), whole), |plan, limit| {
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
