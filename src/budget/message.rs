//! The current message.

use super::quotes::listed_name;
use super::tokens::{Over, cut_plan_to_fit};
use crate::assemble::Request;
use crate::layout::{EVERYONE, LineStyle};
use crate::model::{Part, Sender};
use crate::plan::{Body, Plan};
use crate::structure::NameField;
use crate::text::{Text, head_tail, min_cut_bytes, trim_js};
use crate::tokens::BudgetUnit;

pub(super) fn shorten_message<'a>(plan: &mut Plan<'a>, request: Request<'a>) {
    let over = Over::of(plan);
    let Some(section) = plan.section_mut(Part::Message) else { return };
    let all = section.body.bytes();
    let limit = all.saturating_sub(over.bytes.max(usize::from(over.tokens > 0)));
    let least = least_message_bytes(&section.body, request);
    if over.is_none() || limit < least || least == all || !is_whole(&section.body) {
        return;
    }
    plan.limited_by = Some(BudgetUnit::Bytes);
    let is_cut = cut_plan_to_fit(plan, (least, limit), |plan, limit| cut(plan, request, limit));
    if !is_cut {
        set_message(plan, whole_message(request));
    }
}

/// The current message before it is cut.
pub(super) fn whole_message<'a>(request: Request<'a>) -> Body<'a> {
    match &request.materials.message {
        Text::Whole(text) => Body::Text(trim_js(text).into()),
        Text::Ends(ends) => Body::Ends(ends),
    }
}

/// The line that says who wrote the current message; empty if the prompt does not.
pub(super) fn sender_line(plan: &mut Plan, request: Request) -> String {
    let Some(Sender { from, to }) = &request.materials.sender else { return String::new() };
    let from = listed_name(plan, Part::Message, 0, NameField::From, from);
    let to = listed_name(plan, Part::Message, 0, NameField::To, to);
    let to = if to.is_empty() { EVERYONE } else { &*to };
    let LineStyle { open, arrow, colon } = &request.assembler.layout.sender_line;
    let (arrow, to) = arrow.as_deref().map_or(("", ""), |arrow| (arrow, to));
    [open, &*from, arrow, to, colon].concat()
}

fn is_whole(body: &Body) -> bool {
    matches!(body, Body::Text(_) | Body::Ends(_))
}

/// Cuts the message to so many bytes; false if it cannot be cut so.
fn cut<'a>(plan: &mut Plan<'a>, request: Request<'a>, limit: usize) -> bool {
    let cut = match &request.materials.message {
        Text::Whole(text) => head_tail(trim_js(text), limit),
        Text::Ends(ends) => ends.head_tail(limit),
    };
    let cut = cut.map(|cut| Body::Cut(Box::new(cut)));
    cut.is_some_and(|cut| set_message(plan, cut))
}

fn set_message<'a>(plan: &mut Plan<'a>, body: Body<'a>) -> bool {
    let section = plan.section_mut(Part::Message);
    section.map(|section| section.set_body(body)).is_some()
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
    section.set_body(Body::Missing(bytes));
}

/// Plans the current message as it would be with the smallest budget in tokens that suffices, and
/// returns that budget: one token less does not. Hardly ever is that another one than with the
/// message at its least size: a longer cut can have fewer tokens.
pub(super) fn take_fewest_tokens<'a>(plan: &mut Plan<'a>, request: Request<'a>) -> usize {
    let max_tokens = request.materials.max_tokens().unwrap_or_default();
    let message = plan.section(Part::Message).map(|section| &section.body);
    let Some(message) = message.filter(|body| is_whole(body)) else {
        return max_tokens + Over::of(plan).tokens;
    };
    let least = least_message_bytes(message, request);
    if least < message.bytes() {
        cut(plan, request, least);
    }
    let mut required = max_tokens + Over::of(plan).tokens;
    let mut suffices = |max_tokens: usize| {
        set_message(plan, whole_message(request));
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
