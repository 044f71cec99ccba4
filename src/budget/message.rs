//! The current message.

use super::over;
use crate::assemble::Request;
use crate::model::Part;
use crate::plan::{Body, Plan};
use crate::text::{head_tail, min_cut_bytes};
use std::borrow::Cow;

pub(super) fn shorten_message(plan: &mut Plan, request: Request) {
    let over = over(plan);
    let Some(section) = plan.section_mut(Part::Message) else { return };
    let limit = section.body.bytes().saturating_sub(over);
    if over == 0 || limit < least_message_bytes(&section.body, request) {
        return;
    }
    let cut = match &section.body {
        Body::Text(Cow::Borrowed(text)) => head_tail(text, limit),
        Body::Ends(ends) => ends.head_tail(limit),
        _ => None,
    };
    if let Some(cut) = cut {
        section.body = Body::Cut(Box::new(cut));
    }
}

/// The least size of the current message: what the assembler asks for, or more if a cut with an
/// omission line needs more, but no more than all of it.
fn least_message_bytes(message: &Body, request: Request) -> usize {
    let least_cut = match message {
        Body::Text(text) => min_cut_bytes(text, text, text.len()),
        Body::Ends(ends) => ends.min_cut_bytes(),
        _ => None,
    };
    let all = message.bytes();
    least_cut.map_or(all, |least| least.max(request.assembler.message_min_bytes()).min(all))
}

/// Plans the current message with its least size, to say what would have been needed.
pub(super) fn take_least_message(plan: &mut Plan, request: Request) {
    let Some(section) = plan.section_mut(Part::Message) else { return };
    let bytes = least_message_bytes(&section.body, request);
    section.body = Body::Missing { bytes };
}
