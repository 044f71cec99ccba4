//! What is kept: the only place that decides.
//!
//! 1. Sections are measured as data; nothing is ever looked for in assembled text.
//! 2. Everything but the conversation is taken whole at first. The conversation then
//!    gets the room that is left, newest message first, and reading stops when it is full.
//! 3. If there is no room at all, the steps of the policy take away, each only as far as
//!    needed. What one step took is not given back when a later one takes more.
//! 4. Either the plan fits, or there is an error that says what would have been needed.

use crate::assemble::Request;
use crate::error::Error;
use crate::layout::SECTION_BREAK;
use crate::model::{Markers, Part, Quote, SystemPlacement};
use crate::plan::{Body, Plan, PlannedSection, heading_bytes};
use crate::structure::{Finding, NameField};
use crate::text::{
    Text, head_tail, is_shortened, min_cut_bytes, shorten, trim_js, without_line_breaks,
};
use crate::transcript::Context;
use std::borrow::Cow;

/// A parent message cut down to less than this tells too little: it is dropped instead.
const MIN_PARENT_BYTES: usize = 1024;

/// An instruction file is not cut below this to make room for other sections.
const MIN_FILE_BYTES: usize = 2048;

/// A way to save bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Drop whole context messages, oldest first.
    DropContext,
    /// Drop sibling replies, from the end of their list.
    DropSiblings,
    /// Shorten the parent message, then drop it.
    ShortenParent,
    /// Shorten the current message, but not below the assembler's least size.
    ShortenMessage,
    /// Shorten the instruction file until the system text is no larger than this.
    CapSystem {
        /// The most bytes that the system text may have; without it, half of the budget.
        max_bytes: Option<usize>,
    },
    /// Shorten the instruction file, but not below 2 KiB.
    ShortenFile,
}

/// The order in which the assemblers save bytes.
pub const ASSEMBLER_POLICY: &[Step] =
    &[Step::DropContext, Step::DropSiblings, Step::ShortenParent, Step::ShortenMessage];

/// Decides what is kept of the materials and of the conversation.
pub fn plan<'a, C>(request: Request<'a>, context: &mut C) -> Result<Plan<'a>, C::Error>
where
    C: Context,
    C::Error: From<Error>,
{
    let mut plan = Plan {
        sections: Vec::with_capacity(Part::ALL.len()),
        max_bytes: request.materials.max_bytes,
        findings: Vec::new(),
    };
    take_everything(&mut plan, request, context.len());
    let mut has_context = false;
    for step in request.policy {
        // Only the conversation is not taken whole at first; all other steps take away.
        if has_context && over(&plan) == 0 {
            return Ok(plan);
        }
        has_context |= *step == Step::DropContext;
        match step {
            Step::DropContext => keep_newest(&mut plan, request, context)?,
            Step::DropSiblings => drop_siblings(&mut plan),
            Step::ShortenParent => shorten_parent(&mut plan, request),
            Step::ShortenMessage => shorten_message(&mut plan, request),
            Step::CapSystem { max_bytes } => cap_system(&mut plan, request, *max_bytes),
            Step::ShortenFile => shorten_file(&mut plan, request),
        }
    }
    match over(&plan) {
        0 => Ok(plan),
        _ => Err(exceeded(&mut plan, request).into()),
    }
}

fn over(plan: &Plan) -> usize {
    plan.total_bytes().saturating_sub(plan.max_bytes)
}

/// The error for a plan that does not fit although every section is as small as the policy
/// allows with this budget.
fn exceeded(plan: &mut Plan, request: Request) -> Error {
    let max_bytes = plan.max_bytes;
    if request.policy.contains(&Step::ShortenMessage) {
        take_least_message(plan, request);
    }
    let required_bytes = match request.policy.first() {
        Some(Step::CapSystem { max_bytes }) => take_least_file(plan, request, *max_bytes),
        _ => plan.total_bytes(),
    };
    let sizes = plan.sections.iter().map(|section| (section.part, section.bytes()));
    Error::BudgetExceeded {
        required_bytes,
        max_bytes,
        sections: sizes.filter(|(_, bytes)| *bytes > 0).collect(),
    }
}

/// Every section whole, except the conversation, of which nothing is read yet.
fn take_everything<'a>(plan: &mut Plan<'a>, request: Request<'a>, messages: usize) {
    let Request { assembler, materials, .. } = request;
    for declared in assembler.layout.sections {
        let part = declared.part;
        if !materials.may_have(part) {
            continue;
        }
        let body = match part {
            Part::System => Body::Text(materials.system_text(&materials.instruction_file)),
            Part::TeamTask => Body::Text(trim_js(&materials.team_task).into()),
            Part::Context => Body::Context { first: messages, count: messages, bytes: 0 },
            Part::Parent => Body::Items(parent_item(plan, request)),
            Part::Siblings => Body::Items(sibling_items(plan, request)),
            Part::Message => match &materials.message {
                Text::Whole(text) => Body::Text(trim_js(text).into()),
                Text::Ends(ends) => Body::Ends(ends),
            },
            Part::Routing => Body::Text(routing_lines(plan, request).into()),
        };
        let is_context = part == Part::Context;
        if body.bytes() == 0 && !(is_context && messages > 0) {
            continue;
        }
        let (title, note) = (assembler.title(declared), declared.note);
        let mut section = PlannedSection {
            part,
            title,
            note,
            heading_bytes: heading_bytes(title, note),
            placement: match part {
                Part::System => assembler.system_placement(),
                _ => SystemPlacement::Inline,
            },
            bytes_before: None,
            items_before: if is_context { Some(messages) } else { body.items() },
            body,
        };
        section.bytes_before = (!is_context).then(|| section.bytes());
        plan.sections.push(section);
    }
}

fn parent_item(plan: &mut Plan, request: Request) -> Vec<String> {
    let message = match &request.materials.message {
        Text::Whole(text) => trim_js(text),
        // Only read in part when there is no parent to compare it with.
        Text::Ends(_) => "",
    };
    let worth_showing = |quote: &&Quote| {
        let text = trim_js(&quote.content);
        !text.is_empty() && text != message && !is_shortened(text, message)
    };
    let parent = request.materials.parent.iter().find(worth_showing);
    parent
        .map(|quote| quote_item(plan, request, Part::Parent, 0, &quote.from, &quote.content))
        .into_iter()
        .collect()
}

fn sibling_items(plan: &mut Plan, request: Request) -> Vec<String> {
    let siblings = request.materials.siblings.iter().enumerate();
    siblings
        .map(|(index, quote)| {
            quote_item(plan, request, Part::Siblings, index, &quote.from, &quote.content)
        })
        .collect()
}

/// One line of the parent or siblings section; what reads as structure in it is listed,
/// and escaped if the caller wants that.
fn quote_item(
    plan: &mut Plan,
    request: Request,
    part: Part,
    index: usize,
    from: &str,
    content: &str,
) -> String {
    let assembler = request.assembler;
    let line = assembler.layout.quote_line;
    let from = listed_name(plan, part, index, NameField::From, from);
    let item = [line.open, &from, line.colon, content].concat();
    let escape = assembler.options.markers == Markers::Escape;
    if !escape && !request.list_findings {
        return item;
    }
    let structure = assembler.quote_structure();
    plan.findings.extend(structure.findings(part, index, &item, escape));
    if escape { structure.escape(&item).unwrap_or(item) } else { item }
}

/// A name as it stands in a line; if there were line breaks in it, it is listed.
fn listed_name<'n>(
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

fn routing_lines(plan: &mut Plan, request: Request) -> String {
    let layout = request.assembler.layout;
    let materials = request.materials;
    let fields = [
        (NameField::ParentMessageId, layout.parent_id_label, &materials.parent_message_id),
        (NameField::Intent, layout.intent_label, &materials.intent),
    ];
    let present = fields.into_iter().filter_map(|(field, label, value)| {
        let value = Some(trim_js(value)).filter(|value| !value.is_empty())?;
        let value = listed_name(plan, Part::Routing, 0, field, value);
        Some([label, &value].concat())
    });
    let lines: Vec<String> = present.collect();
    lines.join("\n")
}

/// Gives the conversation the room that is left, newest message first.
fn keep_newest<C: Context>(
    plan: &mut Plan,
    request: Request,
    context: &mut C,
) -> Result<(), C::Error> {
    let others = plan.total_bytes();
    let has_others = plan.written().next().is_some();
    let max_bytes = plan.max_bytes;
    let Some(section) = plan.section_mut(Part::Context) else {
        return Ok(());
    };
    let frame = section.heading_bytes + if has_others { SECTION_BREAK.len() } else { 0 };

    let count = context.len();
    let fitting = match max_bytes.checked_sub(others + frame) {
        Some(room) => context.fit_newest(room)?,
        None => 0,
    };

    let step = request.eviction_step.max(1);
    let outside = context.outside();
    let dropped = (outside + count - fitting).next_multiple_of(step);
    let first = (dropped - outside).min(count);
    let bytes = context.bytes_from(first);
    section.body = Body::Context { first, count, bytes };
    if first == 0 {
        section.bytes_before = Some(section.bytes());
    }
    Ok(())
}

fn drop_siblings(plan: &mut Plan) {
    let over = over(plan);
    let Some(section) = plan.section_mut(Part::Siblings) else { return };
    let Body::Items(items) = &mut section.body else { return };
    let mut saved = 0;
    while saved < over
        && let Some(item) = items.pop()
    {
        saved += item.len() + 1;
    }
    let kept = items.len();
    plan.findings.retain(|finding| finding.part != Part::Siblings || finding.index < kept);
}

fn shorten_parent(plan: &mut Plan, request: Request) {
    let over = over(plan);
    let Some(quote) = &request.materials.parent else { return };
    let Some(section) = plan.section_mut(Part::Parent) else { return };
    if over == 0 {
        return;
    }
    let line = request.assembler.layout.quote_line;
    let from_bytes = without_line_breaks(&quote.from).len();
    let item_limit = section.body.bytes().saturating_sub(over);
    let mut content_limit =
        item_limit.saturating_sub(line.open.len() + from_bytes + line.colon.len());
    let mut kept = Vec::new();
    while content_limit >= MIN_PARENT_BYTES
        && let Some(content) = shorten(&quote.content, content_limit)
        && content.len() >= MIN_PARENT_BYTES
    {
        plan.findings.retain(|finding| finding.part != Part::Parent);
        let item = quote_item(plan, request, Part::Parent, 0, &quote.from, &content);
        if item.len() <= item_limit {
            kept.push(item);
            break;
        }
        // Escaping comes after the cut, because a cut can make a line begin elsewhere;
        // what it added has to be cut away too.
        content_limit = content_limit.saturating_sub(item.len() - item_limit);
    }
    if kept.is_empty() {
        plan.findings.retain(|finding| finding.part != Part::Parent);
    }
    if let Some(section) = plan.section_mut(Part::Parent) {
        section.body = Body::Items(kept);
    }
}

fn shorten_message(plan: &mut Plan, request: Request) {
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
fn take_least_message(plan: &mut Plan, request: Request) {
    let Some(section) = plan.section_mut(Part::Message) else { return };
    let bytes = least_message_bytes(&section.body, request);
    section.body = Body::Missing { bytes };
}

fn cap_system(plan: &mut Plan, request: Request, max_bytes: Option<usize>) {
    let Some((system_bytes, file_bytes)) = system_sizes(plan, request) else { return };
    let over = system_bytes.saturating_sub(max_bytes.unwrap_or(plan.max_bytes / 2));
    if over > 0 {
        // What cannot be cut to its share is left out.
        let file = shortened_file(request, file_bytes.saturating_sub(over)).unwrap_or_default();
        set_file(plan, request, &file);
    }
}

/// Plans the system text as it would be with the smallest budget that suffices, and returns that
/// budget. The share of the system text may follow the budget, and a cut falls between
/// graphemes, so budgets are tried: between one with no file at all and one with the least of it
/// there are a few thousand. Only with graphemes of kilobytes there are more, and then the search
/// takes it that a larger budget is never worse.
fn take_least_file(plan: &mut Plan, request: Request, system_max_bytes: Option<usize>) -> usize {
    const MAX_TRIED: usize = 8 * MIN_FILE_BYTES;
    let materials = request.materials;
    let file = trim_js(&materials.instruction_file);
    let instruction_bytes = materials.instruction_text().len();
    let system_bytes = |file_bytes: usize| match (instruction_bytes, file_bytes) {
        (0, file_bytes) => file_bytes,
        (instruction_bytes, 0) => instruction_bytes,
        (instruction_bytes, file_bytes) => instruction_bytes + SECTION_BREAK.len() + file_bytes,
    };
    let cut_bytes = |limit: usize| match limit >= file.len() {
        true => Some(file.len()),
        false => head_tail(file, limit).map(|cut| cut.bytes()),
    };
    let mut total_with = |file_bytes: usize| {
        if let Some(section) = plan.section_mut(Part::System) {
            section.body = Body::Missing { bytes: system_bytes(file_bytes) };
        }
        plan.total_bytes()
    };
    let least = total_with(0).max(materials.max_bytes + 1);
    let least_file =
        cut_bytes(MIN_FILE_BYTES.min(file.len())).map_or(file.len(), |_| MIN_FILE_BYTES);
    let most = total_with(least_file.min(file.len())).max(least);

    let copies = copies_of_system(request);
    let mut suffices = |budget: usize| {
        let share = system_max_bytes.unwrap_or(budget / 2);
        let over_share = system_bytes(file.len()).saturating_sub(share);
        let capped = cut_bytes(file.len().saturating_sub(over_share)).unwrap_or(0);
        let over = total_with(capped).saturating_sub(budget);
        let limit = capped.saturating_sub(over.div_ceil(copies)).max(MIN_FILE_BYTES.min(capped));
        over == 0 || total_with(cut_bytes(limit).unwrap_or(capped)) <= budget
    };
    let mut tried = least..most;
    if most - least > MAX_TRIED && !suffices(least) {
        while tried.len() > 1 {
            let middle = tried.start + tried.len() / 2;
            if suffices(middle) { tried.end = middle } else { tried.start = middle }
        }
        tried = tried.end..tried.end;
    }
    let required = tried.clone().find(|budget| suffices(*budget)).unwrap_or(tried.end);
    suffices(required);
    required
}

fn copies_of_system(request: Request) -> usize {
    match request.assembler.system_placement() {
        SystemPlacement::Both => 2,
        SystemPlacement::Flag | SystemPlacement::Inline => 1,
    }
}

fn shorten_file(plan: &mut Plan, request: Request) {
    let Some((_, file_bytes)) = system_sizes(plan, request) else { return };
    let over = over(plan);
    // With two copies, a byte less in the file is two bytes less in all.
    let copies = copies_of_system(request);
    let limit = file_bytes.saturating_sub(over.div_ceil(copies));
    if over > 0
        && let Some(file) = shortened_file(request, limit.max(MIN_FILE_BYTES.min(file_bytes)))
    {
        set_file(plan, request, &file);
    }
}

/// Bytes of the system text as planned so far, and of the instruction file in it.
fn system_sizes(plan: &mut Plan, request: Request) -> Option<(usize, usize)> {
    let system_bytes = plan.section_mut(Part::System)?.body.bytes();
    let instruction_bytes = request.materials.instruction_text().len();
    let file_bytes = match instruction_bytes {
        0 => system_bytes,
        _ => system_bytes.checked_sub(instruction_bytes + SECTION_BREAK.len())?,
    };
    Some((system_bytes, file_bytes))
}

/// The file in at most so many bytes. It is cut anew each time, so that however often it is cut
/// there is one omission line in it.
fn shortened_file(request: Request, max_bytes: usize) -> Option<String> {
    shorten(trim_js(&request.materials.instruction_file), max_bytes)
}

fn set_file(plan: &mut Plan, request: Request, file: &str) {
    if let Some(section) = plan.section_mut(Part::System) {
        section.body = Body::Text(request.materials.system_text(file).into_owned().into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{CLAUDE, CODEX, Layout, PLAIN};
    use crate::model::{Assembler, AssemblerOptions, Materials};
    use crate::render::render;
    use crate::transcript::Transcript;
    use crate::transcript::testing::InMemoryMessages;

    fn conversation() -> InMemoryMessages {
        InMemoryMessages {
            messages: vec![("a", "b", "oldest"), ("b", "", "中文"), ("c", "a", "newest")],
            ..InMemoryMessages::default()
        }
    }

    fn materials(max_bytes: usize) -> Materials<'static> {
        Materials {
            system_instruction: vec!["You are Max".to_owned()].into(),
            team_task: "Build".into(),
            message: "Go on, please.".into(),
            max_bytes,
            ..Materials::default()
        }
    }

    fn prompt(
        layout: &'static Layout,
        options: AssemblerOptions,
        materials: &Materials,
    ) -> Result<(String, Vec<usize>), Error> {
        let assembler = Assembler { layout, options };
        let mut context = Transcript::new(&assembler, conversation(), Vec::new(), false);
        let request = Request::of_assembler(&assembler, materials, false);
        let plan = plan(request, &mut context)?;
        let mut bytes = Vec::new();
        render(&plan, &context, &mut bytes);
        assert_eq!(bytes.len(), plan.prompt_bytes(), "the plan counts what is written");
        assert!(plan.total_bytes() <= materials.max_bytes, "never over budget");
        let read = context.into_source().read.into_inner();
        Ok((String::from_utf8(bytes).unwrap(), read))
    }

    #[test]
    fn everything_is_kept_while_it_fits() {
        let (text, read) = prompt(&CODEX, AssemblerOptions::default(), &materials(1000)).unwrap();
        assert_eq!(
            text,
            "[SYSTEM]\nYou are Max\n\n[TEAM_TASK]\nBuild\n\n[CONTEXT]\n- a -> b: oldest\n\
             - b -> all: 中文\n- c -> a: newest\n\n[MESSAGE]\nGo on, please."
        );
        assert_eq!(read, [2, 1, 0], "newest first");
    }

    #[test]
    fn reading_stops_where_the_budget_is_full() {
        let whole = prompt(&PLAIN, AssemblerOptions::default(), &materials(1000)).unwrap().0.len();
        let (text, read) =
            prompt(&PLAIN, AssemblerOptions::default(), &materials(whole - 1)).unwrap();
        assert_eq!(text, "You are Max\n\nBuild\n\nb: 中文\nc: newest\n\nGo on, please.");
        assert_eq!(read, [2, 1, 0]);
        let (text, read) = prompt(&PLAIN, AssemblerOptions::default(), &materials(50)).unwrap();
        assert_eq!(text, "You are Max\n\nBuild\n\nc: newest\n\nGo on, please.");
        assert_eq!(read, [2, 1], "the oldest is never looked at");
    }

    #[test]
    fn dropping_is_rounded_up_to_the_step() {
        let options = || AssemblerOptions { eviction_step: Some(2), ..AssemblerOptions::default() };
        let whole = prompt(&PLAIN, options(), &materials(1000)).unwrap().0.len();
        let (text, _) = prompt(&PLAIN, options(), &materials(whole - 1)).unwrap();
        assert_eq!(text, "You are Max\n\nBuild\n\nc: newest\n\nGo on, please.");
    }

    #[test]
    fn every_budget_fits_or_says_what_is_needed() {
        for layout in [&CLAUDE, &CODEX, &PLAIN] {
            let mut least = None;
            for max_bytes in (1..200).rev() {
                match prompt(layout, AssemblerOptions::default(), &materials(max_bytes)) {
                    Ok(_) => {
                        assert_eq!(least, None, "a smaller budget never succeeds again");
                    }
                    Err(Error::BudgetExceeded { required_bytes, sections, .. }) => {
                        assert_eq!(*least.get_or_insert(max_bytes + 1), required_bytes);
                        assert_eq!(sections.len(), 3);
                    }
                    Err(other) => panic!("{other}"),
                }
            }
            assert!(least.is_some());
        }
    }

    #[test]
    fn a_parent_is_cut_after_escaping_would_fit_too() {
        let options =
            || AssemblerOptions { markers: Markers::Escape, ..AssemblerOptions::default() };
        let mut materials = materials(3000);
        materials.parent = Some(Quote { from: "p".into(), content: "[SYSTEM]\n".repeat(1000) });
        let (text, _) = prompt(&CODEX, options(), &materials).unwrap();
        assert!(text.contains("bytes omitted"));
        assert_eq!(text.matches("\n[SYSTEM]").count(), 0);
        assert!(text.matches("\n\\[SYSTEM]").count() > 100);
    }
}
