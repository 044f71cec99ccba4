//! Qwen Code: `projects/<directory>/chats/<session>.jsonl` in its configuration directory.
//!
//! 1. Lines form a tree by `parentUuid` ([`Tree`]). The conversation ends at the newest line of the
//!    user or the agent, or that of the third rule.
//! 2. The program adds two line breaks at the end of what the user said.
//! 3. A line of the subtype `chat_compression` has what the program continues with: the summary,
//!    and the newest call with its result, if the turn continues.

use super::assemble::{Entry, Group, Role};
use super::discover::{Naming, Place, files_in};
use super::format::{Format, Plan, examine};
use super::google::{Content, parts};
use super::lenient::{Json, Object, Text, list, parse, timestamp};
use super::lines::{Span, read_span};
use super::message::{Skipped, Timestamp};
use super::tree::Tree;
use serde::Deserialize;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// How Qwen Code keeps sessions.
pub static QWEN: Format =
    Format { agent: "qwen", measured_on: "0.24.4", place: PLACE, plan, entry, summary, sub_agents };

const PLACE: Place = Place {
    variable: "",
    below_variable: "",
    folder: ".qwen",
    files: &["projects", "*", "chats", "*.jsonl"],
    naming: Naming::File,
    is_by_directory: true,
};

/// What sub-agents did: `subagents/<session>/agent-<id>.jsonl` beside `chats`.
fn sub_agents(path: &Path, _: &str) -> Vec<PathBuf> {
    let project = path.parent().and_then(Path::parent);
    let folder = project.zip(path.file_stem()).map(|(of, stem)| of.join("subagents").join(stem));
    folder.map_or_else(Vec::new, |folder| files_in(&folder, "jsonl"))
}

const COMPRESSION: &str = "chat_compression";

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Header {
    #[serde(rename = "type")]
    kind: Text,
    subtype: Text,
    uuid: Text,
    parent_uuid: Text,
    session_id: Text,
    timestamp: Text,
    cwd: Text,
    version: Text,
    model: Text,
}

struct Node {
    span: Span,
    uuid: String,
    is_said: bool,
    is_agent: bool,
    is_compression: bool,
}

fn plan(path: &Path, skipped: &mut Skipped) -> io::Result<Plan> {
    let mut plan = Plan::default();
    let mut nodes: Vec<Node> = Vec::new();
    let mut tree = Tree::default();
    examine(path, skipped, |span, header: Header, skipped| {
        let facts = &mut plan.facts;
        let kind = header.kind.as_str();
        let is_said = matches!(kind, "user" | "assistant" | "tool_result");
        let is_known = is_said || kind == "system";
        if !is_known {
            skipped.add_kind(kind, span.line);
        } else if facts.session.is_empty() {
            facts.session = header.session_id.0.unwrap_or_default();
            facts.started_at = header.timestamp.0.map(Timestamp::Text);
            facts.cwd = header.cwd.0;
        }
        facts.version = header.version.0.or(facts.version.take());
        facts.model = header.model.0.or(facts.model.take());
        let uuid = header.uuid.0.unwrap_or_default();
        tree.add(&uuid, header.parent_uuid.0.as_deref(), is_known);
        nodes.push(Node {
            span,
            uuid,
            is_said,
            is_agent: kind == "assistant",
            is_compression: is_known && header.subtype.is(COMPRESSION),
        });
    })?;
    conversation(&nodes, &tree, &mut plan);
    if let Some(span) = plan.summary.filter(|span| span.len <= MOST_COMPRESSED_BYTES)
        && goes_on_with_call(&read_span(&mut File::open(path)?, span)?)
    {
        let mut entries = plan.entries[..plan.covered].iter();
        let is_agent = |entry: &Span| {
            // Both are in the order of the file.
            let found = nodes.binary_search_by_key(&entry.offset, |node| node.span.offset);
            found.is_ok_and(|at| nodes[at].is_agent)
        };
        plan.covered = entries.rposition(is_agent).unwrap_or(plan.covered);
    }
    Ok(plan)
}

/// A line with a summary is examined up to this size.
const MOST_COMPRESSED_BYTES: u64 = 1024 * 1024;

/// Whether the program continues in the middle of a turn.
fn goes_on_with_call(bytes: &[u8]) -> bool {
    let compression = parse::<Said>(bytes).and_then(|said| said.system_payload.0);
    let history = compression.map(|compression| list::<Content>(&compression.compressed_history));
    history.is_some_and(|history| history.iter().any(Content::has_call))
}

fn conversation(nodes: &[Node], tree: &Tree, plan: &mut Plan) {
    let on_path = tree.path_to(nodes.iter().rposition(|node| node.is_said || node.is_compression));
    for (node, _) in nodes.iter().zip(&on_path).filter(|(_, on_path)| **on_path) {
        if node.is_compression {
            plan.covered = plan.entries.len();
            plan.summary = Some(node.span);
        } else if node.is_said {
            plan.entries.push(node.span);
        }
    }
    let said = |at: usize| nodes[at].is_said.then(|| (nodes[at].uuid.as_str(), nodes[at].span));
    plan.branches = tree.abandoned(&on_path, said);
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Said {
    #[serde(rename = "type")]
    kind: Text,
    uuid: Text,
    timestamp: Json,
    provenance: Text,
    message: Object<Content>,
    system_payload: Object<Compression>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Compression {
    compressed_history: Json,
}

/// The `provenance` of messages that count as the user's. Earlier versions give none.
const WRITTEN_BY_USER: &[&str] = &["", "real_user", "tool_result"];

fn entry(bytes: &[u8]) -> Option<Entry> {
    let said: Said = parse(bytes)?;
    let is_agent = said.kind.is("assistant");
    if !is_agent && !WRITTEN_BY_USER.contains(&said.provenance.as_str()) {
        return None;
    }
    let mut message = said.message.0?;
    if said.kind.is("user") {
        message.ending = "\n\n";
    }
    Some(Entry {
        id: said.uuid.0,
        timestamp: timestamp(&said.timestamp),
        role: if is_agent { Role::Agent } else { Role::User },
        group: Group::Own,
        parts: parts(message, !is_agent),
    })
}

fn summary(bytes: &[u8]) -> Option<String> {
    let compression = parse::<Said>(bytes)?.system_payload.0?;
    list::<Content>(&compression.compressed_history).iter().find_map(Content::summary)
}
