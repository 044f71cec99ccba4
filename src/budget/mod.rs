//! Decides what is kept; no other module does.
//!
//! 1. Sections are measured as data; assembled text is never searched.
//! 2. Everything but the conversation is first taken whole. The conversation then gets the
//!    remaining room, newest message first, and reading stops when it is full.
//! 3. If there is no room at all, the policy's steps remove text, each only as much as needed. What
//!    one step removed is not restored when a later one removes more.
//! 4. Either the plan fits, or an error says what would have been needed.
//! 5. What fits into a budget fits into every larger one: whether a step suffices depends on the
//!    least that it may leave, which no budget changes.
//!
//! - `conversation`: the messages before the current one;
//! - `exceeded`: the errors;
//! - `message`: the current message;
//! - `newest`: lines of which only the sizes are known;
//! - `quotes`: the parent message, the sibling replies and the routing data;
//! - `results`: tool results, shortened before messages are dropped;
//! - `summary`: the summary of earlier messages;
//! - `system`: the system text;
//! - `tokens`: the tokens of a plan, and cuts that save tokens; `context_tokens`: the room for the
//!   conversation in tokens.

mod context_tokens;
mod conversation;
mod exceeded;
mod message;
mod newest;
mod quotes;
mod request;
mod results;
mod summary;
mod system;
mod tokens;

use crate::conversation::{Lines, Room};
use crate::error::Error;
use crate::fence::Fence;
use crate::layout::{Part, SystemPlacement};
use crate::plan::{Body, Heading, KeptPieces, Plan, PlannedSection, PlannedTokens};
use crate::text::trim_js;
use crate::tokens::BudgetUnit;
use conversation::{keep_newest, room_in};
use exceeded::{exceeded, share_exceeded};
use message::{given_message, sender_line, shorten_message, whole_message};
pub use newest::newest_that_fit;
use quotes::{drop_siblings, parent_item, routing_lines, shorten_parent, sibling_items};
pub use request::Request;
use std::cell::Cell;
use summary::shorten_summary;
pub use system::can_cut_file;
use system::{cap_system, shorten_file};
use tokens::Over;
pub use tokens::{flag_tokens, prompt_tokens, section_tokens};

/// The order in which bytes are saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Assemblers: tool results, context messages, sibling replies, summary, parent, current
    /// message.
    Assembler,
    /// `buildPrompt`: the instruction file to its share, tool results, context messages, summary,
    /// instruction file. The current message is never cut.
    BuildPrompt {
        /// The most bytes for the system text. If unset, the share is half of the budget, or more
        /// if the least cut of the file needs more.
        system_max_bytes: Option<usize>,
    },
}

impl Policy {
    fn system_max_bytes(self) -> Option<usize> {
        match self {
            Policy::Assembler => None,
            Policy::BuildPrompt { system_max_bytes } => system_max_bytes,
        }
    }

    /// How to save bytes once all unpinned context messages are dropped.
    fn after_context(self) -> &'static [Saving] {
        match self {
            Policy::Assembler => &[
                Saving::DropSiblings,
                Saving::ShortenSummary,
                Saving::ShortenParent,
                Saving::ShortenMessage,
            ],
            Policy::BuildPrompt { .. } => &[Saving::ShortenSummary, Saving::ShortenFile],
        }
    }
}

/// A way to save bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Saving {
    /// Drop sibling replies, from the end of their list.
    DropSiblings,
    /// Shorten the summary, then drop it.
    ShortenSummary,
    /// Shorten the parent message, then drop it.
    ShortenParent,
    /// Shorten the current message, but not below the assembler's least size.
    ShortenMessage,
    /// Shorten the instruction file, but not below 2 KiB.
    ShortenFile,
}

/// A summary or a parent message cut below this says too little, so it is dropped instead.
const MIN_SHORTENED_BYTES: usize = 1024;

/// Decides what is kept of the materials and the conversation.
pub fn plan<'a>(request: Request<'a>, lines: &mut Lines) -> Result<Plan<'a>, Error> {
    let mut plan = plan_context(request, lines);
    if let Some(error) = share_exceeded(&plan, request) {
        return Err(error);
    }
    for saving in request.policy.after_context() {
        // Only the conversation is not taken whole at first; all other steps remove text.
        let over = Over::of(&plan);
        if over.is_none() {
            return Ok(plan);
        }
        plan.limited_by = Some(BudgetUnit::Bytes);
        match saving {
            Saving::DropSiblings => drop_siblings(&mut plan, over),
            Saving::ShortenSummary => shorten_summary(&mut plan, request, over),
            Saving::ShortenParent => shorten_parent(&mut plan, request, over),
            Saving::ShortenMessage => shorten_message(&mut plan, request, over),
            Saving::ShortenFile => shorten_file(&mut plan, request, over),
        }
    }
    match Over::of(&plan).is_none() {
        true => Ok(plan),
        false => Err(exceeded(plan, request)),
    }
}

/// The room for a conversation of this many lines, before any of them is read; `None` if the layout
/// has no place for the conversation.
pub fn room(request: Request, lines: usize) -> Option<Room> {
    room_in(&plan_others(request, lines, lines > 0), request)
}

/// A plan in which the conversation has the remaining room and what is kept of it is decided. It
/// may still exceed its budget.
pub fn plan_context<'a>(request: Request<'a>, lines: &mut Lines) -> Plan<'a> {
    let has_context = !lines.is_empty() || lines.has_announcements();
    let mut plan = plan_others(request, lines.len(), has_context);
    keep_newest(&mut plan, request, lines);
    plan
}

/// A plan of everything but the conversation.
fn plan_others(request: Request, lines: usize, has_context: bool) -> Plan {
    let mut plan = Plan {
        sections: Vec::with_capacity(Part::ALL.len()),
        top: request.assembler.fence.as_ref().map_or("", |fence| &fence.note),
        max_bytes: request.materials.max_bytes,
        findings: Vec::new(),
        kept: KeptPieces::default(),
        tokens: request.materials.tokens.as_ref().map(|budget| PlannedTokens {
            budget,
            max_tokens: budget.max_tokens.unwrap_or(usize::MAX),
            context_text: String::new(),
            prompt_tokens: None,
        }),
        limited_by: None,
        api: request.assembler.array.as_ref().map(|array| array.api),
    };
    take_everything(&mut plan, request, lines, has_context);
    if request.report {
        keep_tokens_before(&mut plan);
    }
    if let Policy::BuildPrompt { system_max_bytes } = request.policy {
        cap_system(&mut plan, request, system_max_bytes);
    }
    plan
}

/// Records the tokens of the sections before anything is cut, for a report.
fn keep_tokens_before(plan: &mut Plan) {
    let Some(budget) = plan.tokens.as_ref().map(|tokens| tokens.budget) else { return };
    let is_whole =
        |section: &PlannedSection| !matches!(section.body, Body::Context { .. } | Body::Ends(_));
    let tokens = plan
        .sections
        .iter()
        .map(|section| is_whole(section).then(|| section_tokens(plan, budget, section)));
    let tokens: Vec<Option<usize>> = tokens.collect();
    for (section, tokens) in plan.sections.iter_mut().zip(tokens) {
        section.tokens_before = tokens;
    }
}

/// Every section whole, except the conversation, of which nothing is read yet.
fn take_everything<'a>(
    plan: &mut Plan<'a>,
    request: Request<'a>,
    messages: usize,
    has_context: bool,
) {
    let Request { assembler, materials, .. } = request;
    for declared in assembler.layout.sections.iter() {
        let part = declared.part;
        if !materials.may_have(part) {
            continue;
        }
        let body = whole_body(plan, request, part, messages);
        if body.bytes() == 0 && !(part == Part::Context && has_context) {
            continue;
        }
        let is_message = part == Part::Message && given_message(request).bytes() > 0;
        let opening = match (part, assembler.fence.as_deref()) {
            (Part::Message, _) if is_message => sender_line(plan, request),
            (Part::Summary, Some(fence)) => fence.summary_line.clone(),
            _ => String::new(),
        };
        if !matches!(part, Part::Parent | Part::Siblings) {
            // Findings in quotes are listed with each quote.
            let found = materials.findings().filter(|found| found.part == part);
            plan.findings.extend(found.cloned());
        }
        let heading = Heading { title: assembler.title(declared), note: &declared.note, opening };
        let section = section_of(request, part, heading, body);
        if part == Part::Message && !is_message {
            // What was counted is the message that was given.
            section.body_units.set(None);
        }
        plan.sections.push(section);
    }
}

fn whole_body<'a>(
    plan: &mut Plan<'a>,
    request: Request<'a>,
    part: Part,
    messages: usize,
) -> Body<'a> {
    let materials = request.materials;
    match part {
        Part::System => Body::Text(materials.system_text(&materials.instruction_file)),
        Part::TeamTask => Body::Text(trim_js(&materials.team_task).into()),
        Part::Summary => Body::Text(trim_js(&materials.summary).into()),
        Part::Context => Body::Context {
            first: messages,
            first_fitting: messages,
            count: messages,
            kept: 0,
            gap_bytes: 0,
            bytes: 0,
            saved_bytes: 0,
            is_steady: false,
        },
        Part::Parent => Body::Items(parent_item(plan, request)),
        Part::Siblings => Body::Items(sibling_items(plan, request)),
        Part::Message => whole_message(request),
        Part::Routing => Body::Text(routing_lines(plan, request).into()),
    }
}

fn section_of<'a>(
    request: Request<'a>,
    part: Part,
    heading: Heading<'a>,
    body: Body<'a>,
) -> PlannedSection<'a> {
    let Request { assembler, materials, .. } = request;
    let fence = assembler.fence.as_deref().filter(|_| Fence::ends(part));
    let (is_context, bytes) = (part == Part::Context, body.bytes());
    let mut section = PlannedSection {
        part,
        heading,
        ending: fence.map_or("", |fence| &fence.end_line),
        placement: match part {
            Part::System if materials.system_in_flag_only => SystemPlacement::Flag,
            Part::System => assembler.system_placement(),
            _ => SystemPlacement::Inline,
        },
        bytes_before: None,
        body_units: Cell::new(match (&body, &materials.tokens) {
            (Body::Text(_) | Body::Items(_), Some(budget)) => budget.known(part),
            _ => None,
        }),
        body_bytes_before: bytes,
        tokens_before: None,
        items_before: match body {
            Body::Context { count, .. } => Some(count),
            _ => body.items(),
        },
        body,
    };
    section.bytes_before = (!is_context).then(|| section.bytes());
    section
}

#[cfg(test)]
mod tests;
