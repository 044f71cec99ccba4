//! Claude Code: `projects/<directory>/<session>.jsonl` in its configuration directory. Sub-agents
//! are in `<session>/subagents/agent-<id>.jsonl`.
//!
//! 1. Lines form a tree by `parentUuid` ([`Tree`]). The conversation ends at the newest line of the
//!    user or the agent.
//! 2. An answer has a line for each of its blocks, with the same `message.id`. If there are several
//!    calls, their results are beside the path.
//! 3. Compaction begins a new root, whose `logicalParentUuid` is the last line before it, and a
//!    line with the summary.

use super::assemble::{Entry, Group, Role};
use super::discover::{Naming, Place, files_in};
use super::format::{Format, Plan, SubAgents, examine};
use super::lenient::{
    Flag, Json, Object, Text, Texts, elements, is_string, list, parse, read, timestamp,
};
use super::lines::Span;
use super::message::{Facts, Piece, Skipped, json_string, trimmed};
use super::tree::Tree;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

/// How Claude Code keeps sessions.
pub static CLAUDE: Format = Format {
    agent: "claude",
    measured_on: "2.1.325",
    place: PLACE,
    plan,
    entry,
    summary,
    sub_agents,
};

const PLACE: Place = Place {
    variable: "CLAUDE_CONFIG_DIR",
    below_variable: "",
    folder: ".claude",
    files: &["projects", "*", "*.jsonl"],
    naming: Naming::File,
    is_by_directory: true,
};

/// What sub-agents did: `<session>/subagents/agent-<id>.jsonl`.
fn sub_agents(path: &Path, _: &str) -> Vec<PathBuf> {
    files_in(&path.with_extension("").join("subagents"), "jsonl")
}

/// Kinds of lines that are not part of the conversation.
const KNOWN: &[&str] = &[
    "agent-name",
    "agent-setting",
    "ai-title",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "atis-latch",
    "attachment",
    "cost-state",
    "custom-title",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "progress",
    "queue-operation",
    "summary",
    "system",
    "tag",
    "tools-used",
];

/// How lines of the user that the program wrote begin.
const WRITTEN_BY_PROGRAM: &[&str] = &[
    "<bash-input>",
    "<bash-stderr>",
    "<bash-stdout>",
    "<command-message>",
    "<command-name>",
    "<local-command-caveat>",
    "<local-command-stderr>",
    "<local-command-stdout>",
    "<system-reminder>",
    "<task-notification>",
    "[Request interrupted by user",
];

/// What the program writes before and after a summary.
const BEFORE_SUMMARY: &str = "The summary below covers the earlier portion of the conversation.";
const AFTER_SUMMARY: &[&str] = &[
    "\n\nIf you need specific details from before compaction",
    "\nContinue the conversation from where it left off",
    "\nPlease continue the conversation from where",
];

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Header {
    #[serde(rename = "type")]
    kind: Text,
    uuid: Text,
    parent_uuid: Text,
    logical_parent_uuid: Text,
    is_sidechain: Flag,
    agent_id: Text,
    is_compact_summary: Flag,
    subtype: Text,
    session_id: Text,
    cwd: Text,
    version: Text,
    timestamp: Text,
    message: Object<MessageHeader>,
    compact_metadata: Object<CompactMetadata>,
    #[serde(rename = "sourceToolAssistantUUID")]
    source_tool_assistant_uuid: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct MessageHeader {
    id: Text,
    model: Text,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct CompactMetadata {
    preserved_messages: Object<Preserved>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Preserved {
    uuids: Texts,
}

/// A line of the tree.
struct Node {
    span: Span,
    uuid: String,
    /// Which answer it is a block of.
    message: Option<String>,
    /// The line with the call that this line has the result of.
    source: Option<usize>,
    is_said: bool,
    is_summary: bool,
    is_boundary: bool,
    preserved: Vec<String>,
}

fn plan(path: &Path, skipped: &mut Skipped) -> io::Result<Plan> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut tree = Tree::default();
    let mut sub_agents = SubAgents::default();
    let mut facts = Facts::default();
    examine(path, skipped, |span, header: Header, skipped| {
        let kind = header.kind.as_str();
        let is_said = kind == "user" || kind == "assistant";
        let is_known = is_said || KNOWN.contains(&kind);
        if !is_known {
            skipped.add_kind(kind, span.line);
        }
        // A sub-agent's own file contains nothing else.
        if facts.session.is_empty() {
            facts.session = header.session_id.as_str().to_owned();
        }
        if is_said && header.is_sidechain.0 {
            sub_agents.add(header.agent_id.as_str(), span);
        }
        let Some(uuid) = header.uuid.0.filter(|_| !header.is_sidechain.0) else { return };
        if is_said {
            add_facts(&mut facts, &header.cwd, &header.version, &header.timestamp);
        }
        let message = header.message.0.unwrap_or_default();
        facts.model =
            message.model.0.filter(|model| !model.starts_with('<')).or(facts.model.take());
        let preserved = header.compact_metadata.0.and_then(|data| data.preserved_messages.0);
        let parent = header.parent_uuid.0.or(header.logical_parent_uuid.0);
        let source = header.source_tool_assistant_uuid.0.and_then(|uuid| tree.find(&uuid));
        tree.add(&uuid, parent.as_deref(), is_known);
        nodes.push(Node {
            span,
            uuid,
            message: message.id.0,
            is_said,
            source,
            is_summary: header.is_compact_summary.0,
            is_boundary: header.subtype.is("compact_boundary"),
            preserved: preserved.map(|kept| kept.uuids.0).unwrap_or_default(),
        });
    })?;
    let mut plan = conversation(&nodes, &tree);
    plan.branches.extend(sub_agents.branches);
    plan.facts = facts;
    Ok(plan)
}

/// The directory and the time of the first line that has them, and the version of the last.
fn add_facts(facts: &mut Facts, cwd: &Text, version: &Text, time: &Text) {
    facts.cwd = facts.cwd.take().or_else(|| cwd.0.clone());
    facts.version = version.0.clone().or(facts.version.take());
    let time = time.0.clone().map(super::message::Timestamp::Text);
    facts.started_at = facts.started_at.take().or(time);
}

fn conversation(nodes: &[Node], tree: &Tree) -> Plan {
    let mut on_path = tree.path_to(nodes.iter().rposition(|node| node.is_said));
    let answers: HashSet<&str> = (0..nodes.len())
        .filter(|at| on_path[*at])
        .filter_map(|at| nodes[at].message.as_deref())
        .collect();
    // Other blocks of the same answers, and results of their calls.
    for (at, node) in nodes.iter().enumerate() {
        let is_block = node.message.as_deref().is_some_and(|id| answers.contains(id));
        let is_result = node.source.is_some_and(|of| on_path[of]);
        on_path[at] = on_path[at] || is_block || is_result;
    }
    let said = |at: usize| nodes[at].is_said && !nodes[at].is_summary;
    let path: Vec<usize> = (0..nodes.len()).filter(|at| on_path[*at] && said(*at)).collect();
    let boundary = (0..nodes.len()).rev().find(|at| on_path[*at] && nodes[*at].is_boundary);
    let covered = boundary.map_or(0, |at| {
        let preserved: HashSet<&String> = nodes[at].preserved.iter().collect();
        let is_covered = |place: &&usize| **place < at && !preserved.contains(&nodes[**place].uuid);
        path.iter().take_while(is_covered).count()
    });
    let is_summary = |at: &usize| on_path[*at] && nodes[*at].is_summary;
    let summary = (0..nodes.len()).rev().find(is_summary).filter(|_| boundary.is_some());
    let beside = |at: usize| said(at).then(|| (nodes[at].uuid.as_str(), nodes[at].span));
    Plan {
        facts: Facts::default(),
        entries: path.iter().map(|at| nodes[*at].span).collect(),
        covered,
        summary: summary.map(|at| nodes[at].span),
        branches: tree.abandoned(&on_path, beside),
    }
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Said {
    #[serde(rename = "type")]
    kind: Text,
    uuid: Text,
    timestamp: Json,
    is_meta: Flag,
    is_api_error_message: Flag,
    prompt_source: Text,
    message: Object<MessageBody>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct MessageBody {
    id: Text,
    model: Text,
    content: Json,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Block {
    #[serde(rename = "type")]
    kind: Text,
    text: Text,
    thinking: Text,
    id: Text,
    name: Text,
    input: Json,
    tool_use_id: Text,
    content: Json,
    is_error: Flag,
    source: Object<Source>,
    title: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Source {
    media_type: Text,
    data: Text,
    url: Text,
}

fn entry(bytes: &[u8]) -> Option<Entry> {
    let said: Said = parse(bytes)?;
    let message = said.message.0?;
    let is_user = said.kind.is("user");
    let is_own = said.is_meta.0 || said.is_api_error_message.0 || message.model.is("<synthetic>");
    if is_own || (is_user && said.prompt_source.is("system")) {
        return None;
    }
    let parts: Vec<Piece> = match read::<String>(&message.content) {
        Some(text) => Piece::text(text).into_iter().collect(),
        None => list::<Block>(&message.content).into_iter().filter_map(part).collect(),
    };
    let parts = parts.into_iter().filter(|part| !is_user || !is_of_program(part)).collect();
    Some(Entry {
        id: said.uuid.0,
        timestamp: timestamp(&said.timestamp),
        role: if is_user { Role::User } else { Role::Agent },
        group: message.id.0.map_or(Group::Own, Group::Named),
        parts,
    })
}

fn is_of_program(part: &Piece) -> bool {
    let Piece::Text { text } = part else { return false };
    WRITTEN_BY_PROGRAM.iter().any(|opening| text.trim_start().starts_with(opening))
}

fn part(block: Block) -> Option<Piece> {
    match block.kind.as_str() {
        "text" => Piece::text(block.text.0?),
        "thinking" => Piece::reasoning(block.thinking.0?),
        "tool_use" | "server_tool_use" => {
            Piece::call(block.id.as_str(), block.name.as_str(), block.input)
        }
        "tool_result" => {
            let output = block.content.map(output);
            Piece::result(block.tool_use_id.as_str(), output, block.is_error.0)
        }
        "image" | "document" => file(block),
        _ => None,
    }
}

fn file(block: Block) -> Option<Piece> {
    let source = block.source.0?;
    let media_type = source.media_type.0.unwrap_or_else(|| block.kind.as_str().to_owned());
    let (data, url) = (source.data.0, source.url.0);
    (data.is_some() || url.is_some()).then(|| Piece::File {
        name: block.title.0,
        media_type,
        url: url.filter(|_| data.is_none()),
        data,
    })
}

/// What a tool returned: a text, or blocks of which only the texts are kept. Images are named.
fn output(content: Box<RawValue>) -> Box<RawValue> {
    if is_string(&content) {
        return content;
    }
    let blocks: Vec<Block> = elements(&content);
    let texts = blocks.into_iter().map(|block| match (block.text.0, block.source.0) {
        (Some(text), _) => text,
        (None, Some(source)) => {
            format!("[{} {}]", block.kind.as_str(), source.media_type.as_str())
        }
        (None, None) => format!("[{}]", block.kind.as_str()),
    });
    json_string(&texts.collect::<Vec<_>>().join("\n"))
}

fn summary(bytes: &[u8]) -> Option<String> {
    let said: Said = parse(bytes)?;
    let text: String = read(&said.message.0?.content)?;
    let text = text.split_once(BEFORE_SUMMARY).map_or(text.as_str(), |(_, after)| after);
    let end = AFTER_SUMMARY.iter().filter_map(|after| text.find(after)).min();
    let text = &text[..end.unwrap_or(text.len())];
    // What the program tells the model about tools.
    let own = text.find("<system-reminder>").zip(text.find("</system-reminder>"));
    let text = match own.filter(|(from, to)| from < to) {
        Some((from, to)) => [&text[..from], &text[to + "</system-reminder>".len()..]].concat(),
        None => text.to_owned(),
    };
    trimmed(&text)
}
