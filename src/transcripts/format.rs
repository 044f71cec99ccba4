//! What the files of the CLIs have in common: each line of JSON is examined once for its kind and
//! place, and only those that are kept are read again.

use super::assemble::Entry;
use super::discover::Place;
use super::lines::{Line, Lines, Span};
use super::message::{BranchKind, Facts, Skipped};
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

/// How the transcripts of a CLI are read.
pub struct Format {
    /// The CLI.
    pub agent: &'static str,
    /// The version of the CLI that this was measured on.
    pub measured_on: &'static str,
    /// Where it keeps its sessions.
    pub place: Place,
    /// Finds what a file contains.
    pub plan: fn(&Path, &mut Skipped) -> io::Result<Plan>,
    /// What an entry says. `None` if it is not part of the conversation.
    pub entry: fn(&[u8]) -> Option<Entry>,
    /// What the entry with the summary says.
    pub summary: fn(&[u8]) -> Option<String>,
    /// The files of the sub-agents of the session in this file, which has this id.
    pub sub_agents: fn(&Path, &str) -> Vec<PathBuf>,
}

/// Where the messages are in a file.
#[derive(Debug, Default)]
pub struct Plan {
    /// What is known of the session.
    pub facts: Facts,
    /// The entries of the conversation, oldest first.
    pub entries: Vec<Span>,
    /// How many of them the summary covers.
    pub covered: usize,
    /// The entry that has the summary.
    pub summary: Option<Span>,
    /// Branches beside the conversation.
    pub branches: Vec<PlannedBranch>,
}

/// Where a branch beside the conversation is.
#[derive(Debug)]
pub struct PlannedBranch {
    /// What it is.
    pub kind: BranchKind,
    /// The sub-agent, or the first message.
    pub id: String,
    /// Its entries, oldest first.
    pub entries: Vec<Span>,
}

/// Branches, with those of sub-agents by their ids.
#[derive(Default)]
pub struct SubAgents {
    /// All of them, in the order of their first entries.
    pub branches: Vec<PlannedBranch>,
    places: HashMap<String, usize>,
}

impl SubAgents {
    /// Adds an entry to the branch of a sub-agent.
    pub fn add(&mut self, id: &str, entry: Span) {
        let known = self.places.get(id).copied();
        let at = known.unwrap_or_else(|| {
            let (kind, id) = (BranchKind::SubAgent, id.to_owned());
            self.places.insert(id.clone(), self.branches.len());
            self.branches.push(PlannedBranch { kind, id, entries: Vec::new() });
            self.branches.len() - 1
        });
        self.branches[at].entries.push(entry);
    }
}

/// Examines every line of a file.
pub fn examine<H: DeserializeOwned>(
    path: &Path,
    skipped: &mut Skipped,
    mut add: impl FnMut(Span, H, &mut Skipped),
) -> io::Result<()> {
    let mut lines = Lines::open(path)?;
    while let Some((span, (header, is_ended))) = lines.next(header::<H>)? {
        match header {
            Some(header) => add(span, header, skipped),
            None if is_ended => skipped.add("not JSON", span.line),
            // It is the last one, and may still be being written.
            None => skipped.add("incomplete", span.line),
        }
    }
    Ok(())
}

/// What is needed of a line, and whether the line is complete.
pub fn header<H: DeserializeOwned>(line: Line<'_>) -> (Option<H>, bool) {
    match line {
        Line::Held(bytes) => (super::lenient::parse(bytes), bytes.ends_with(b"\n")),
        // Only a whole object can be read to its end, so this cannot be half a line.
        Line::Long(stream) => (serde_json::from_reader(stream).ok(), true),
    }
}
