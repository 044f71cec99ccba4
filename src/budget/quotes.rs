//! The parent message, the sibling replies and the routing data.

use super::MIN_SHORTENED_BYTES;
use super::tokens::{Over, cut_by};
use crate::budget::Request;
use crate::layout::Part;
use crate::model::{Markers, Quote};
use crate::plan::{Body, Plan};
use crate::structure::{Finding, NameField};
use crate::text::{HeadTail, Stretched, trim_js, without_line_breaks};
use crate::tokens::BudgetUnit;
use std::borrow::Cow;

pub(super) fn parent_item(plan: &mut Plan, request: Request) -> Vec<String> {
    // The parent repeats the message only if the prompt shows the message.
    let is_repeated = request.assembler.layout.has(Part::Message)
        && match request.materials.keys.parent_repeats {
            // They were compared before keys were broken up: a shortened one may contain fewer of
            // them.
            Some(repeats) => repeats,
            None => request.materials.parent_repeats().unwrap_or(false),
        };
    let worth_showing = |quote: &&Quote| !trim_js(&quote.content).is_empty() && !is_repeated;
    let parent = request.materials.parent.iter().find(worth_showing);
    parent
        .map(|quote| quote_item(plan, request, Part::Parent, 0, &quote.from, &quote.content))
        .into_iter()
        .collect()
}

pub(super) fn sibling_items(plan: &mut Plan, request: Request) -> Vec<String> {
    let siblings = request.materials.siblings.iter().enumerate();
    siblings
        .map(|(index, quote)| {
            quote_item(plan, request, Part::Siblings, index, &quote.from, &quote.content)
        })
        .collect()
}

/// One line of the parent or siblings section. Lists what reads as structure in it, and escapes it
/// if the caller wants that.
fn quote_item(
    plan: &mut Plan,
    request: Request,
    part: Part,
    index: usize,
    from: &str,
    content: &str,
) -> String {
    let assembler = request.assembler;
    let line = assembler.quote_line();
    let from = listed_name(plan, part, index, NameField::From, from);
    let item = [&line.open, &from, &line.colon, content].concat();
    let markers = assembler.markers();
    let escape = markers == Markers::Escape;
    let is_of_this = |found: &&Finding| (found.part, found.index) == (part, index);
    plan.findings.extend(request.materials.findings().filter(is_of_this).cloned());
    if markers == Markers::Fence || !escape && !request.report {
        return item;
    }
    let structure = assembler.quote_structure();
    plan.findings.extend(structure.findings(part, index, &item, escape));
    if escape { structure.escape(&item).unwrap_or(item) } else { item }
}

/// A name as shown in a line; lists it if it contained line breaks.
pub(super) fn listed_name<'n>(
    plan: &mut Plan,
    part: Part,
    index: usize,
    field: NameField,
    name: &'n str,
) -> Cow<'n, str> {
    let line = without_line_breaks(name);
    if let Cow::Owned(_) = line {
        plan.findings.push(Finding::of_name(part, index, field, name));
    }
    line
}

pub(super) fn routing_lines(plan: &mut Plan, request: Request) -> String {
    let layout = &request.assembler.layout;
    let materials = request.materials;
    let fields = [
        (NameField::ParentMessageId, &layout.parent_id_label, &materials.parent_message_id),
        (NameField::Intent, &layout.intent_label, &materials.intent),
    ];
    let present = fields.into_iter().filter_map(|(field, label, value)| {
        let value = Some(trim_js(value)).filter(|value| !value.is_empty())?;
        let value = listed_name(plan, Part::Routing, 0, field, value);
        Some([&**label, &value].concat())
    });
    let lines: Vec<String> = present.collect();
    lines.join("\n")
}

pub(super) fn drop_siblings(plan: &mut Plan, over: Over) {
    let Some(section) = plan.section_mut(Part::Siblings) else { return };
    let Body::Items(items) = &mut section.body else { return };
    let mut all = std::mem::take(items);
    let mut saved = 0;
    while saved < over.bytes
        && let Some(item) = all.pop()
    {
        saved += item.len() + 1;
    }
    let kept = if plan.tokens.is_some() { most_that_fit(plan, &all) } else { all.len() };
    all.truncate(kept);
    set_items(plan, Part::Siblings, all);
    plan.findings.retain(|finding| finding.part != Part::Siblings || finding.index < kept);
}

/// How many of these replies fit into the token budget; 0 if it is exceeded even without them.
fn most_that_fit(plan: &mut Plan, all: &[String]) -> usize {
    let mut fits = |kept: usize| {
        set_items(plan, Part::Siblings, all[..kept].to_vec());
        Over::of(plan).tokens == 0
    };
    let is_any = fits(0);
    if is_any && fits(all.len()) {
        return all.len();
    }
    let (mut fitting, mut too_many) = (0, if is_any { all.len() } else { 0 });
    while too_many.saturating_sub(fitting) > 1 {
        let middle = fitting + (too_many - fitting) / 2;
        if fits(middle) { fitting = middle } else { too_many = middle }
    }
    plan.limited_by = Some(BudgetUnit::Tokens);
    fitting
}

fn set_items(plan: &mut Plan, part: Part, items: Vec<String>) {
    if let Some(section) = plan.section_mut(part) {
        section.set_body(Body::Items(items));
    }
}

pub(super) fn shorten_parent(plan: &mut Plan, request: Request, over: Over) {
    let Some(quote) = &request.materials.parent else { return };
    let Some(section) = plan.section(Part::Parent) else { return };
    let whole = section.body.bytes();
    let content = Stretched::new(&quote.content, &quote.stretches);
    let is_cut = content.least_cut(MIN_SHORTENED_BYTES).is_some_and(|least| {
        let least_bytes = set_parent(plan, request, quote, &least);
        cut_by(over, plan, (least_bytes, whole), |plan, limit| {
            cut_parent(plan, request, quote, &least, limit);
        })
    });
    if !is_cut {
        plan.findings.retain(|finding| finding.part != Part::Parent);
        plan.kept.parent = None;
        set_items(plan, Part::Parent, Vec::new());
    }
}

/// Cuts the line of the parent message to at most `item_limit` bytes, but not below its least cut.
fn cut_parent(
    plan: &mut Plan,
    request: Request,
    quote: &Quote,
    least: &HeadTail,
    item_limit: usize,
) {
    // Start below the full content: otherwise what escaping added would be cut away a byte at a
    // time.
    let content_limit = item_limit.saturating_sub(opening_bytes(request, quote));
    let mut content_limit = content_limit.min(quote.content.len() - 1);
    let content = Stretched::new(&quote.content, &quote.stretches);
    while let Some(cut) = least.or_more(content_limit, |limit| content.head_tail(limit)) {
        let item_bytes = set_parent(plan, request, quote, &cut);
        if item_bytes <= item_limit {
            return;
        }
        // Escaping comes after the cut, because a cut can make a line begin elsewhere; what it
        // added has to be cut away, too.
        content_limit = content_limit.saturating_sub(item_bytes - item_limit);
    }
    set_parent(plan, request, quote, least);
}

/// Plans the line of the parent message with this cut of its content. Returns its size.
fn set_parent(plan: &mut Plan, request: Request, quote: &Quote, cut: &HeadTail) -> usize {
    plan.findings.retain(|finding| finding.part != Part::Parent);
    let item = quote_item(plan, request, Part::Parent, 0, &quote.from, &cut.parts().concat());
    let bytes = item.len();
    plan.kept.parent = Some(cut.end_bytes());
    set_items(plan, Part::Parent, vec![item]);
    bytes
}

/// The size of a quoted line up to its content.
fn opening_bytes(request: Request, quote: &Quote) -> usize {
    let line = request.assembler.quote_line();
    line.open.len() + without_line_breaks(&quote.from).len() + line.colon.len()
}
