//! The current message.

use super::tokens::{Over, cut_plan_to_fit};
use crate::assemble::Request;
use crate::model::Part;
use crate::plan::{Body, Plan};
use crate::text::{Ends, head_tail, min_cut_bytes};
use crate::tokens::BudgetUnit;
use std::borrow::Cow;

pub(super) fn shorten_message(plan: &mut Plan, request: Request) {
    let over = Over::of(plan);
    let Some(section) = plan.section_mut(Part::Message) else { return };
    let all = section.body.bytes();
    let limit = all.saturating_sub(over.bytes.max(usize::from(over.tokens > 0)));
    let least = least_message_bytes(&section.body, request);
    if over.is_none() || limit < least || least == all {
        return;
    }
    let Some(text) = WholeMessage::of(&section.body) else { return };
    plan.limited_by = Some(BudgetUnit::Bytes);
    let is_cut = cut_plan_to_fit(plan, (least, limit), |plan, limit| text.cut(plan, limit));
    if !is_cut {
        text.restore(plan);
    }
}

/// The current message before it is cut.
enum WholeMessage<'a> {
    Whole(&'a str),
    Ends(&'a Ends),
}

impl<'a> WholeMessage<'a> {
    fn of(body: &Body<'a>) -> Option<Self> {
        match body {
            Body::Text(Cow::Borrowed(text)) => Some(WholeMessage::Whole(text)),
            Body::Ends(ends) => Some(WholeMessage::Ends(ends)),
            _ => None,
        }
    }

    /// Cuts it to so many bytes; false if it cannot be cut so.
    fn cut(&self, plan: &mut Plan<'a>, limit: usize) -> bool {
        let cut = match self {
            WholeMessage::Whole(text) => head_tail(text, limit),
            WholeMessage::Ends(ends) => ends.head_tail(limit),
        };
        let section = plan.section_mut(Part::Message);
        match (cut, section) {
            (Some(cut), Some(section)) => {
                section.set_body(Body::Cut(Box::new(cut)));
                true
            }
            _ => false,
        }
    }

    fn restore(&self, plan: &mut Plan<'a>) {
        if let Some(section) = plan.section_mut(Part::Message) {
            section.set_body(match self {
                WholeMessage::Whole(text) => Body::Text(Cow::Borrowed(text)),
                WholeMessage::Ends(ends) => Body::Ends(ends),
            });
        }
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

/// The bytes of the plan if the current message had its least size.
pub(super) fn bytes_with_least_message(plan: &Plan, request: Request) -> usize {
    let saved = plan
        .section(Part::Message)
        .map_or(0, |section| section.body.bytes() - least_message_bytes(&section.body, request));
    plan.total_bytes() - saved
}

/// Plans the current message with its least size, to say what would have been needed.
pub(super) fn take_least_message(plan: &mut Plan, request: Request) {
    let Some(section) = plan.section_mut(Part::Message) else { return };
    let bytes = least_message_bytes(&section.body, request);
    section.set_body(Body::Missing { bytes });
}

/// Plans the current message as it would be with the smallest budget in tokens that suffices, and
/// returns that budget: one token less does not. Hardly ever is that another one than with the
/// message at its least size: a longer cut can have fewer tokens.
pub(super) fn take_fewest_tokens(plan: &mut Plan, request: Request) -> usize {
    let max_tokens = request.materials.max_tokens().unwrap_or_default();
    let message = plan.section_mut(Part::Message);
    let whole = message.as_ref().and_then(|section| WholeMessage::of(&section.body));
    if let (Some(section), Some(whole)) = (message, &whole) {
        let least = least_message_bytes(&section.body, request);
        if least < section.body.bytes() {
            whole.cut(plan, least);
        }
    }
    let mut required = max_tokens + Over::of(plan).tokens;
    let Some(whole) = whole else { return required };
    let mut suffices = |max_tokens: usize| {
        whole.restore(plan);
        if let Some(tokens) = &mut plan.tokens {
            tokens.max_tokens = max_tokens;
        }
        shorten_message(plan, request);
        Over::of(plan).is_none()
    };
    while required > max_tokens + 1 && suffices(required - 1) {
        required -= 1;
    }
    suffices(required);
    required
}
