//! The current message.

use super::quotes::listed_name;
use super::tokens::{Over, cut_by};
use crate::arrays::GO_ON;
use crate::budget::Request;
use crate::layout::Part;
use crate::layout::{EVERYONE, LineStyle};
use crate::model::Sender;
use crate::plan::{Body, Plan};
use crate::structure::NameField;
use crate::text::{HeadTail, Stretched, Text, trim_js};

/// Shortens the message, but not below its least cut. If that is still too much, the message keeps
/// the least cut, for the error.
pub(super) fn shorten_message<'a>(plan: &mut Plan<'a>, request: Request<'a>, over: Over) {
    let Some(section) = plan.section(Part::Message) else { return };
    let whole = section.body.bytes();
    let Some(least) = least_message(request) else { return };
    cut_by(over, plan, (least.bytes(), whole), |plan, limit| {
        if let Some(cut) = least.or_more(limit, |limit| message_cut(request, limit)) {
            set_message(plan, Body::Cut(Box::new(cut)));
        }
    });
}

/// The current message before it is cut. A request to an API has one in any case.
pub(super) fn whole_message<'a>(request: Request<'a>) -> Body<'a> {
    match given_message(request) {
        body if body.bytes() == 0 && request.assembler.array.is_some() => Body::Text(GO_ON.into()),
        body => body,
    }
}

/// The message that the caller gave.
pub(super) fn given_message<'a>(request: Request<'a>) -> Body<'a> {
    match &request.materials.message {
        Text::Whole(text) => Body::Text(trim_js(text).into()),
        Text::Ends(ends) => Body::Ends(ends),
    }
}

/// The line that names the author of the current message; empty if the prompt has none.
pub(super) fn sender_line(plan: &mut Plan, request: Request) -> String {
    let Some(Sender { from, to }) = &request.materials.sender else { return String::new() };
    let from = listed_name(plan, Part::Message, 0, NameField::From, from);
    let to = listed_name(plan, Part::Message, 0, NameField::To, to);
    let to = if to.is_empty() { EVERYONE } else { &*to };
    let LineStyle { open, arrow, colon } = request.assembler.sender_line();
    let (arrow, to) = arrow.as_deref().map_or(("", ""), |arrow| (arrow, to));
    [open, &*from, arrow, to, colon.trim_end_matches('\n')].concat()
}

fn message_cut<'a>(request: Request<'a>, limit: usize) -> Option<HeadTail<'a>> {
    match &request.materials.message {
        Text::Whole(text) => whole(request, text).head_tail(limit),
        Text::Ends(ends) => ends.head_tail(limit),
    }
}

fn whole<'a>(request: Request<'a>, text: &'a str) -> Stretched<'a> {
    Stretched::trimmed(text, &request.materials.message_stretches)
}

/// The smallest cut that the assembler allows; `None` if the message must not be cut at all.
fn least_message<'a>(request: Request<'a>) -> Option<HeadTail<'a>> {
    let min_bytes = request.assembler.message_min_bytes();
    match &request.materials.message {
        Text::Whole(text) => whole(request, text).least_cut(min_bytes),
        Text::Ends(ends) => ends.least_cut(min_bytes),
    }
}

fn set_message<'a>(plan: &mut Plan<'a>, body: Body<'a>) {
    if let Some(section) = plan.section_mut(Part::Message) {
        section.set_body(body);
    }
}

/// Restores the whole message.
pub(super) fn restore_message<'a>(plan: &mut Plan<'a>, request: Request<'a>) {
    set_message(plan, whole_message(request));
}
