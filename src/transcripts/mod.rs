//! Reads what agent CLIs stored of their sessions.
//!
//! 1. Files are only read, never written.
//! 2. A file is read twice: once for the kind and the place of every line ([`lines`], [`format`]),
//!    once for what is kept ([`assemble`]). So memory holds what is kept and the longest line that
//!    is read, whatever the size of the file.
//! 3. What a program added by itself is not part of the conversation. What is not understood is
//!    counted, and is never an error.
//! 4. What we know about a CLI is in the file with its name, with the version that it was measured
//!    on.

mod assemble;
mod claude;
mod codex;
mod copilot;
pub mod discover;
mod elements;
mod format;
mod gemini;
mod google;
mod lenient;
mod lines;
mod message;
mod open;
mod opencode;
mod qwen;
mod tree;

pub use format::Format;
pub use message::{Message, Piece, Transcript};

use crate::error::Error;
use assemble::{Builder, EntryReader, Ids, Newest, Speakers, count};
use format::{Plan, PlannedBranch};
use lines::read_span;
use message::{Branch, BranchKind, Omitted, Skipped, Speaker, Summary};
use open::open;

use std::io;
use std::path::Path;

/// Entries up to this size are read, however small the budget: most of a line is not its text.
const LEAST_LONGEST_BYTES: usize = 1024 * 1024;

/// All formats.
pub static FORMATS: [&Format; 6] = [
    &claude::CLAUDE,
    &codex::CODEX,
    &gemini::GEMINI,
    &opencode::OPENCODE,
    &qwen::QWEN,
    &copilot::COPILOT,
];

/// How the transcripts of a CLI are read.
pub fn format_of(agent: &str) -> Option<&'static Format> {
    FORMATS.into_iter().find(|format| format.agent == agent)
}

/// Reads a transcript, with at most `max_bytes` of messages.
pub fn read(format: &Format, path: &Path, max_bytes: usize) -> Result<Transcript, Error> {
    read_files(format, path, max_bytes).map_err(|error| Error::UnreadableFile {
        file: path.to_string_lossy().into_owned(),
        problem: error.to_string(),
        remedy: "pass the file of a session, which you can read".to_owned(),
    })
}

fn read_files(format: &Format, path: &Path, max_bytes: usize) -> io::Result<Transcript> {
    let mut skipped = Skipped::default();
    let plan = (format.plan)(path, &mut skipped)?;
    let mut reader = EntryReader {
        file: open(path)?,
        entry: &format.entry,
        room: max_bytes,
        longest: max_bytes.max(LEAST_LONGEST_BYTES),
    };
    let summary = summary(format, &plan, &mut reader)?;
    let mut ids = Ids::default();
    let (user, agent) = (speaker("user", "human"), speaker(format.agent, "ai"));
    let mut builder = Builder::new(Speakers { user: &user, agent: &agent }, &mut ids);
    let Newest { kept, left_out } = reader.newest(&plan.entries, &mut skipped)?;
    let mut covers = None;
    for (place, entry) in kept {
        if place >= plan.covered && covers.is_none() {
            covers = Some(builder.len());
        }
        builder.add(entry);
    }
    let covers = covers.unwrap_or_else(|| builder.len());
    let messages = builder.finish();
    let mut omitted = count(left_out);

    let mut branches = Vec::new();
    for branch in plan.branches {
        branches.extend(read_branch(
            branch,
            &agent,
            &mut reader,
            &mut ids,
            &mut omitted,
            &mut skipped,
        )?);
    }
    for file in (format.sub_agents)(path, &plan.facts.session) {
        branches.extend(sub_agent(format, &file, &agent, &mut reader, &mut ids, &mut omitted)?);
    }
    Ok(Transcript {
        facts: plan.facts,
        messages,
        summary: summary.map(|text| Summary { text, covers }),
        branches,
        omitted,
        skipped: skipped.into_entries(),
    })
}

fn speaker(id: &str, kind: &'static str) -> Speaker {
    Speaker { id: id.to_owned(), kind }
}

/// The summary of the oldest messages. It counts against the budget as they would.
fn summary(
    format: &Format,
    plan: &Plan,
    reader: &mut EntryReader<'_>,
) -> io::Result<Option<String>> {
    let Some(span) = plan.summary.filter(|span| span.len <= reader.longest as u64) else {
        return Ok(None);
    };
    let summary = (format.summary)(&read_span(&mut reader.file, span)?);
    let summary = summary.filter(|text| text.len() <= reader.room);
    reader.room -= summary.as_ref().map_or(0, String::len);
    Ok(summary)
}

/// The messages of a branch, if there is room for some of them.
fn read_branch(
    branch: PlannedBranch,
    agent: &Speaker,
    reader: &mut EntryReader<'_>,
    ids: &mut Ids,
    omitted: &mut Omitted,
    skipped: &mut Skipped,
) -> io::Result<Option<Branch>> {
    let PlannedBranch { kind, id, entries } = branch;
    let Newest { kept, left_out } = reader.newest(&entries, skipped)?;
    let left_out = count(left_out);
    omitted.messages += left_out.messages;
    omitted.bytes += left_out.bytes;
    let (user, agent) = match kind {
        BranchKind::Abandoned => (speaker("user", "human"), agent.clone()),
        // The agent gives it its task.
        BranchKind::SubAgent => (agent.clone(), speaker(&format!("{}/{id}", agent.id), "ai")),
    };
    let mut builder = Builder::new(Speakers { user: &user, agent: &agent }, ids);
    for (_, entry) in kept {
        builder.add(entry);
    }
    let messages = builder.finish();
    Ok((!messages.is_empty()).then_some(Branch { kind, id, messages }))
}

/// What a sub-agent did, from its own file.
fn sub_agent(
    format: &Format,
    path: &Path,
    agent: &Speaker,
    reader: &mut EntryReader<'_>,
    ids: &mut Ids,
    omitted: &mut Omitted,
) -> io::Result<Option<Branch>> {
    // What is not understood there is not counted: its lines are in another file.
    let mut skipped = Skipped::default();
    let Ok(plan) = (format.plan)(path, &mut skipped) else { return Ok(None) };
    let Ok(file) = open(path) else { return Ok(None) };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let own = Some(plan.facts.session).filter(|id| !id.is_empty() && stem.ends_with(id.as_str()));
    let beside = plan.branches.into_iter().flat_map(|branch| branch.entries);
    let branch = PlannedBranch {
        kind: BranchKind::SubAgent,
        id: own.unwrap_or_else(|| stem.strip_prefix("agent-").unwrap_or(&stem).to_owned()),
        entries: plan.entries.into_iter().chain(beside).collect(),
    };
    let mut own =
        EntryReader { file, entry: reader.entry, room: reader.room, longest: reader.longest };
    let read = read_branch(branch, agent, &mut own, ids, omitted, &mut skipped);
    reader.room = own.room;
    read
}
