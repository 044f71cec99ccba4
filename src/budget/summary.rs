//! The summary of what was said before.

use super::{over, shortened};
use crate::assemble::Request;
use crate::model::Part;
use crate::plan::{Body, Plan};
use crate::text::trim_js;

pub(super) fn shorten_summary(plan: &mut Plan, request: Request) {
    let over = over(plan);
    let Some(section) = plan.section_mut(Part::Summary) else { return };
    if over == 0 {
        return;
    }
    let limit = section.body.bytes().saturating_sub(over);
    let (summary, kept) = shortened(trim_js(&request.materials.summary), limit).unwrap_or_default();
    section.body = Body::Text(summary.into());
    plan.kept.summary = Some(kept);
}
