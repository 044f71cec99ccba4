//! A plan in words and numbers: what was sent, and what was left out.

mod fields;
mod fixed;

pub use fields::{Action, DroppedMessage, Report, SectionReport, TokenReport};

use crate::account::{Ledger, MAX_LISTED};
use crate::budget::{Request, flag_tokens, prompt_tokens, section_tokens};
use crate::conversation::{KeptMessages, Lines, UnkeptMessage};
use crate::layout::Part;
use crate::layout::SECTION_BREAK;
use crate::model::{Assembler, Quote};
use crate::plan::{Body, Plan, PlannedSection, PlannedTokens};
use crate::structure::Finding;
use crate::text::{counted, size};
use crate::tokens::BudgetUnit;
use fixed::enter_fixed_parts;

/// How many lines that read as structure are listed at most.
const MAX_FINDINGS_LISTED: usize = 100;

/// Reports on a plan. Dropped messages must be read already: the newest to be listed, the others to
/// be measured.
pub fn report(request: Request, plan: &Plan, lines: &Lines) -> Report {
    let kept = KeptMessages { read: true, ..kept_messages(plan, lines) };
    let described: Vec<UnkeptMessage> =
        listed(&kept, lines).map(|line| lines.describe(line)).collect();
    let ledger = ledger(request, plan, lines, &kept);

    let sections = plan.sections.iter().map(|section| {
        let reported = section_report(section, &described).with_earlier_cuts(request, &ledger);
        let budget = plan.tokens.as_ref().map(|tokens| tokens.budget);
        let tokens_after = budget.map(|budget| section_tokens(plan, budget, section));
        // All messages may be kept, but not all of their results.
        let has_all_bytes = reported.bytes_before == Some(reported.bytes_after);
        let is_whole = section.items_before == section.body.items() && has_all_bytes;
        let tokens_before = section.tokens_before.or(tokens_after.filter(|_| is_whole));
        SectionReport { tokens_before, tokens_after, ..reported }
    });
    let sections: Vec<_> = sections.collect();
    let mut decisions = decisions(request.assembler, plan, &ledger, &described);
    if ledger.unread > 0 {
        let messages = counted(ledger.unread, "message is", "messages are");
        decisions.push(format!("{messages} not measured, and missing in the account"));
    }
    let needed_bytes = needed_bytes(plan, &sections);
    let findings = findings(plan, lines, kept.first, &mut decisions);
    let dropped = described.iter().map(|message| DroppedMessage {
        name: message.name.clone(),
        bytes: message.line_bytes,
        tokens: message
            .line_units
            .zip(plan.tokens.as_ref())
            .map(|(units, tokens)| tokens.budget.tokenizer.tokens(units)),
        reason: kept.cause(message.position).reason,
    });

    Report {
        agent_id: request.agent_id.map(str::to_owned),
        agent_type: request.assembler.layout.agent_type.clone(),
        max_bytes: plan.max_bytes,
        total_bytes: plan.total_bytes(),
        needed_bytes,
        prompt_bytes: plan.prompt_bytes(),
        system_flag_bytes: plan.flag_bytes(),
        tokens: plan.tokens.as_ref().map(|tokens| token_report(plan, tokens)),
        limited_by: plan.limited_by,
        stable_prefix_bytes: None,
        session: request.session.cloned(),
        sections,
        dropped: dropped.collect(),
        left_out: ledger.left_out(),
        account: ledger.account(),
        decisions,
        findings,
    }
}

/// The tokens of a plan.
pub fn token_report(plan: &Plan, PlannedTokens { budget, .. }: &PlannedTokens) -> TokenReport {
    let (prompt_tokens, system_flag_tokens) =
        (prompt_tokens(plan, budget), flag_tokens(plan, budget));
    TokenReport {
        tokenizer: budget.tokenizer.name(),
        tokens_exact: budget.tokenizer.is_exact(),
        max_tokens: budget.max_tokens,
        total_tokens: prompt_tokens + system_flag_tokens,
        prompt_tokens,
        system_flag_tokens,
    }
}

/// A sentence for everything that was left out, as far as it is known without reading more
/// messages.
pub fn decisions_unread(request: Request, plan: &Plan, lines: &Lines) -> Vec<String> {
    let ledger = ledger(request, plan, lines, &kept_messages(plan, lines));
    decisions(request.assembler, plan, &ledger, &[])
}

/// What is kept of the conversation, if no dropped message was read.
pub fn kept_messages(plan: &Plan, lines: &Lines) -> KeptMessages {
    let section = plan.sections.iter().find_map(|section| match section.body {
        Body::Context { first, first_fitting, .. } => Some((first, first_fitting)),
        _ => None,
    });
    let (first, first_fitting) = section.unwrap_or((lines.len(), lines.len()));
    KeptMessages { first, first_fitting, in_layout: section.is_some(), read: false }
}

/// The dropped lines that are listed one by one, newest first.
pub fn listed(kept: &KeptMessages, lines: &Lines) -> impl Iterator<Item = usize> {
    let is_dropped = |line: &usize| !(kept.in_layout && lines.pins().contains(*line));
    (0..kept.first).rev().filter(is_dropped).take(MAX_LISTED)
}

fn ledger(request: Request, plan: &Plan, lines: &Lines, kept: &KeptMessages) -> Ledger {
    let mut ledger = lines.ledger(kept);
    enter_fixed_parts(&mut ledger, request, plan);
    ledger
}

fn decisions(
    assembler: &Assembler,
    plan: &Plan,
    ledger: &Ledger,
    dropped: &[UnkeptMessage],
) -> Vec<String> {
    let why = next_message(plan, dropped).unwrap_or_default();
    let sections = plan.sections.iter().map(|section| section_report(section, dropped));
    let of_sections =
        sections.filter_map(|section| Some((section.name, decision(&section, &why)?)));
    let sentences = ledger.sentences().into_iter().chain(of_sections);
    sentences.map(|(part, sentence)| format!("{} {sentence}", assembler.tag(part))).collect()
}

/// Lines in kept messages that read as structure, in prompt order. Adds a sentence if there are
/// more than are listed.
fn findings(plan: &Plan, lines: &Lines, first: usize, decisions: &mut Vec<String>) -> Vec<Finding> {
    let mut findings: Vec<_> = lines.findings(first).cloned().collect();
    // Messages were read newest first, but the lines of each from the top.
    findings.sort_by_key(|finding| (finding.index, finding.line));
    findings.extend_from_slice(&plan.findings);
    // Each layout has its own order.
    let position = |part| plan.sections.iter().position(|section| section.part == part);
    findings.sort_by_key(|finding| position(finding.part));
    if findings.len() > MAX_FINDINGS_LISTED {
        let more = findings.len() - MAX_FINDINGS_LISTED;
        let lines = counted(more, "more line reads", "more lines read");
        decisions.push(format!("{lines} as structure than are listed"));
        findings.truncate(MAX_FINDINGS_LISTED);
    }
    findings
}

fn needed_bytes(plan: &Plan, sections: &[SectionReport]) -> Option<usize> {
    let bytes: Option<usize> = sections.iter().map(|section| section.bytes_before).sum();
    let in_prompt = plan.sections.iter().filter(|section| section.placement.in_prompt()).count();
    let top = if in_prompt > 0 { plan.top_bytes() } else { 0 };
    Some(bytes? + top + SECTION_BREAK.len() * in_prompt.saturating_sub(1))
}

fn section_report(section: &PlannedSection, dropped: &[UnkeptMessage]) -> SectionReport {
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
        tokens_before: None,
        tokens_after: None,
        items_before: section.items_before,
        items_after,
    }
}

impl SectionReport {
    /// Adds what was cut from its texts before planning.
    fn with_earlier_cuts(self, request: Request, ledger: &Ledger) -> Self {
        let materials = request.materials;
        let (cut_bytes, inserted_bytes) = match self.name {
            // Only the plan cuts the instruction file.
            Part::System => {
                let copies = request.assembler.system_placement().copies();
                (materials.role.cut_bytes * copies, 0)
            }
            Part::Siblings => {
                let inserted = |quote: &Quote| quote.content.len() - quote.own_bytes;
                (ledger.bytes_cut_from(self.name), materials.siblings.iter().map(inserted).sum())
            }
            part => (ledger.bytes_cut_from(part), ledger.mark_bytes(part)),
        };
        if cut_bytes == 0 {
            return self;
        }
        let action = match self.action {
            Action::Kept => Action::Shortened,
            action => action,
        };
        let bytes_before = self.bytes_before.map(|bytes| bytes + cut_bytes - inserted_bytes);
        SectionReport { action, bytes_before, ..self }
    }
}

/// The size of the whole conversation, if every message has been read.
fn conversation_bytes(section: &PlannedSection, dropped: &[UnkeptMessage]) -> Option<usize> {
    let Body::Context { count, kept, gap_bytes, bytes, saved_bytes, .. } = section.body else {
        return None;
    };
    let lines: usize = dropped.iter().map(|message| message.line_bytes + 1).sum();
    let all_read = dropped.len() == count - kept;
    let last_break = usize::from(bytes == 0);
    all_read.then(|| section.frame_bytes() + bytes + saved_bytes + lines - gap_bytes - last_break)
}

/// Why there was no room for the next message, if that is known.
fn next_message(plan: &Plan, dropped: &[UnkeptMessage]) -> Option<String> {
    let next = dropped.first()?;
    let (needed, left) = match (plan.limited_by, &plan.tokens) {
        (Some(BudgetUnit::Tokens), Some(tokens)) => {
            let PlannedTokens { budget, max_tokens, .. } = tokens;
            let total = prompt_tokens(plan, budget) + flag_tokens(plan, budget);
            let (needed, left) = (budget.tokenizer.tokens(next.line_units?), max_tokens - total);
            let shown = |count: usize| counted(count, "token", "tokens");
            (needed > left).then(|| (shown(needed), shown(left)))?
        }
        _ => {
            // A line break joins it.
            let (needed, left) = (next.line_bytes + 1, plan.max_bytes - plan.total_bytes());
            (needed > left).then(|| (size(needed), size(left)))?
        }
    };
    Some(format!(": the next one needs {needed}, {left} left"))
}

fn decision(section: &SectionReport, why: &str) -> Option<String> {
    let of_bytes = section.bytes_before.map(|before| format!(" of {}", size(before)));
    let of_bytes = of_bytes.unwrap_or_default();
    let items = match section.name {
        Part::Context => section.items_before.map(|count| counted(count, "message", "messages")),
        Part::Siblings => section.items_before.map(|count| counted(count, "reply", "replies")),
        _ => None,
    };
    Some(match (section.action, items) {
        (Action::Kept, _) => return None,
        (Action::Trimmed, items) => {
            let kept = section.items_after.unwrap_or(0);
            let why = if section.name == Part::Context { why } else { "" };
            format!("trimmed to {kept} of {}{why}", items.unwrap_or_default())
        }
        (Action::Dropped, Some(items)) => format!("dropped, all {items}"),
        (Action::Dropped, None) => format!("dropped, all{of_bytes}"),
        (Action::Shortened, _) => format!("shortened to {}{of_bytes}", size(section.bytes_after)),
    })
}
