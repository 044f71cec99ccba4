//! A plan in words and numbers: what was sent, and what was left out.

use crate::assemble::Request;
use crate::layout::SECTION_BREAK;
use crate::model::Part;
use crate::plan::{Body, Plan, PlannedSection};
use crate::structure::Finding;
use crate::transcript::Context;
use serde::Serialize;

/// At most so many dropped messages are read to be listed.
const MAX_DROPPED_LISTED: usize = 100;

/// At most so many lines that read as structure are listed.
const MAX_FINDINGS_LISTED: usize = 100;

/// What happened to a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Action {
    /// Nothing.
    Kept,
    /// Its text was cut.
    Shortened,
    /// Some of its items were dropped.
    Trimmed,
    /// All of it was dropped.
    Dropped,
}

/// A section before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SectionReport {
    /// Which part it is.
    pub name: Part,
    /// What happened to it.
    pub action: Action,
    /// Bytes with the title; absent if never measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_before: Option<usize>,
    /// Bytes with the title.
    pub bytes_after: usize,
    /// Messages or replies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items_before: Option<usize>,
    /// Messages or replies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items_after: Option<usize>,
}

/// A context message that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DroppedMessage {
    /// Its index in the conversation.
    pub index: usize,
    /// Its sender.
    pub from: String,
    /// What its line would have taken.
    pub bytes: usize,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Whom the prompt is for; only from a manager.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Whose layout it is.
    pub agent_type: &'static str,
    /// The budget.
    pub max_bytes: usize,
    /// Bytes of prompt and flag.
    pub total_bytes: usize,
    /// What everything would have taken; absent if some of it was never measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needed_bytes: Option<usize>,
    /// Bytes of the prompt.
    pub prompt_bytes: usize,
    /// Bytes of the flag.
    pub system_flag_bytes: usize,
    /// How many leading bytes of the prompt are those of the agent's previous prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stable_prefix_bytes: Option<usize>,
    /// Every section that had something in it, in prompt order.
    pub sections: Vec<SectionReport>,
    /// The newest dropped messages, newest first.
    pub dropped: Vec<DroppedMessage>,
    /// A sentence for everything that was dropped or cut.
    pub decisions: Vec<String>,
    /// Lines in messages that read as structure, in prompt order.
    pub findings: Vec<Finding>,
}

/// Tells the plan. Dropped messages are read for this, the newest ones only.
pub fn report<C: Context>(
    request: Request,
    plan: &Plan,
    context: &mut C,
) -> Result<Report, C::Error> {
    let first = plan.sections.iter().find_map(|section| match section.body {
        Body::Context { first, .. } => Some(first),
        _ => None,
    });
    let first = first.unwrap_or(0);
    let dropped = describe_dropped(first, context)?;
    let sections: Vec<_> =
        plan.sections.iter().map(|section| section_report(section, &dropped)).collect();
    let mut decisions = decisions(plan, context, &dropped);
    let needed_bytes = needed_bytes(plan, &sections);

    let oldest_kept = context.callers_index(first);
    let in_kept_messages = context.findings().iter().filter(|found| found.index >= oldest_kept);
    let mut findings: Vec<_> = in_kept_messages.cloned().collect();
    // Messages were read newest first, the lines of one from the top.
    findings.sort_by_key(|finding| (finding.index, finding.line));
    findings.extend_from_slice(&plan.findings);
    if findings.len() > MAX_FINDINGS_LISTED {
        let more = findings.len() - MAX_FINDINGS_LISTED;
        let lines = counted(more, "more line reads", "more lines read");
        decisions.push(format!("{lines} as structure than are listed"));
        findings.truncate(MAX_FINDINGS_LISTED);
    }

    Ok(Report {
        agent_id: request.agent_id.map(str::to_owned),
        agent_type: request.assembler.layout.agent_type,
        max_bytes: plan.max_bytes,
        total_bytes: plan.total_bytes(),
        needed_bytes,
        prompt_bytes: plan.prompt_bytes(),
        system_flag_bytes: plan.flag_bytes(),
        stable_prefix_bytes: None,
        sections,
        dropped,
        decisions,
        findings,
    })
}

/// A sentence for everything that was left out, as far as the plan alone knows, and more
/// exactly with the `dropped` messages.
pub fn decisions(plan: &Plan, context: &impl Context, dropped: &[DroppedMessage]) -> Vec<String> {
    let left = plan.max_bytes - plan.total_bytes();
    let sections = plan.sections.iter().map(|section| section_report(section, dropped));
    let of_sections = sections.filter_map(|section| decision(&section, dropped, left));
    context.notes().into_iter().chain(of_sections).collect()
}

fn needed_bytes(plan: &Plan, sections: &[SectionReport]) -> Option<usize> {
    let bytes: Option<usize> = sections.iter().map(|section| section.bytes_before).sum();
    let in_prompt = plan.sections.iter().filter(|section| section.placement.in_prompt()).count();
    Some(bytes? + SECTION_BREAK.len() * in_prompt.saturating_sub(1))
}

fn describe_dropped<C: Context>(
    first: usize,
    context: &mut C,
) -> Result<Vec<DroppedMessage>, C::Error> {
    let newest_first = (0..first).rev().take(MAX_DROPPED_LISTED);
    newest_first
        .map(|index| {
            let (from, bytes) = context.describe(index)?;
            Ok(DroppedMessage { index: context.callers_index(index), from, bytes })
        })
        .collect()
}

fn section_report(section: &PlannedSection, dropped: &[DroppedMessage]) -> SectionReport {
    let bytes_after = section.bytes();
    let bytes_before = section.bytes_before.or_else(|| conversation_bytes(section, dropped));
    let items_after = section.body.items();
    let action = if bytes_after == 0 {
        Action::Dropped
    } else if items_after != section.items_before {
        Action::Trimmed
    } else if bytes_before.is_some_and(|before| before != bytes_after) {
        Action::Shortened
    } else {
        Action::Kept
    };
    SectionReport {
        name: section.part,
        action,
        bytes_before,
        bytes_after,
        items_before: section.items_before,
        items_after,
    }
}

/// The size of the whole conversation, if every message of it has been read by now.
fn conversation_bytes(section: &PlannedSection, dropped: &[DroppedMessage]) -> Option<usize> {
    let Body::Context { first, count, bytes } = section.body else { return None };
    let lines: usize = dropped.iter().map(|message| message.bytes + 1).sum();
    let all_read = dropped.len() == first;
    let last_break = usize::from(first == count);
    all_read.then(|| section.heading_bytes + bytes + lines - last_break)
}

fn decision(section: &SectionReport, dropped: &[DroppedMessage], left: usize) -> Option<String> {
    let of_bytes = section.bytes_before.map(|before| format!(" of {}", size(before)));
    let of_bytes = of_bytes.unwrap_or_default();
    let items = match section.name {
        Part::Context => section.items_before.map(|count| counted(count, "message", "messages")),
        Part::Siblings => section.items_before.map(|count| counted(count, "reply", "replies")),
        _ => None,
    };
    let what = match (section.action, items) {
        (Action::Kept, _) => return None,
        (Action::Trimmed, items) => {
            let kept = section.items_after.unwrap_or(0);
            // It is joined by a line break.
            let next = dropped.first().map(|next| next.bytes + 1);
            let next = next.filter(|next| section.name == Part::Context && *next > left);
            let why = next
                .map(|next| format!(": the next one needs {}, {} left", size(next), size(left)));
            format!("trimmed to {kept} of {}{}", items.unwrap_or_default(), why.unwrap_or_default())
        }
        (Action::Dropped, Some(items)) => format!("dropped, all {items}"),
        (Action::Dropped, None) => format!("dropped, all{of_bytes}"),
        (Action::Shortened, _) => format!("shortened to {}{of_bytes}", size(section.bytes_after)),
    };
    Some(format!("{} {what}", section.name.tag()))
}

/// A number with its noun.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A size for people: exact below a kilobyte, else to a tenth of its unit.
fn size(bytes: usize) -> String {
    const UNITS: [(usize, &str); 2] = [(1 << 20, "MB"), (1 << 10, "KB")];
    match UNITS.into_iter().find(|(unit, _)| bytes >= *unit) {
        None => counted(bytes, "byte", "bytes"),
        Some((unit, name)) => {
            let tenths = bytes * 10 / unit;
            match tenths % 10 {
                0 => format!("{} {name}", tenths / 10),
                tenth => format!("{}.{tenth} {name}", tenths / 10),
            }
        }
    }
}
