//! Codex: `sessions/YYYY/MM/DD/rollout-<time>-<session>.jsonl` in its home directory. A sub-agent
//! has its own file.
//!
//! 1. `response_item` lines are what goes to the model; `event_msg` lines repeat it.
//! 2. What the program adds is by `developer`, or by `user` with a kind of content other than
//!    `user.text`.
//! 3. `compacted` has the summary, and what the program continues with in place of everything
//!    before.

use super::assemble::{Entry, Group, Role};
use super::discover::{Naming, Place, files_below, files_in};
use super::format::{Format, Plan, PlannedBranch, examine, header};
use super::lenient::{Flag, Json, Object, Text, Texts, elements, list, parse, timestamp};
use super::lines::{Lines, Span};
use super::message::{BranchKind, Piece, Skipped, Timestamp, json_string, trimmed};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

/// How Codex keeps sessions.
pub static CODEX: Format = Format {
    agent: "codex",
    measured_on: "0.166.0",
    place: Place {
        variable: "CODEX_HOME",
        below_variable: "",
        folder: ".codex",
        files: &["sessions", "*", "*", "*", "*.jsonl"],
        naming: Naming::EndOfFile,
        is_by_directory: false,
    },
    plan,
    entry,
    summary,
    sub_agents,
};

/// The most later sessions that are examined.
const MOST_LATER_FILES: usize = 2000;

/// What sub-agents did: sessions that began later and name this one as theirs.
fn sub_agents(path: &Path, session: &str) -> Vec<PathBuf> {
    let mut later: Vec<PathBuf> = match sessions_of(path) {
        Some(sessions) => files_below(sessions, &["*", "*", "*", "*.jsonl"]),
        None => path.parent().map_or_else(Vec::new, |folder| files_in(folder, "jsonl")),
    };
    // Their names begin with the time.
    later.retain(|file| file.as_path() > path);
    later.sort();
    let mut threads = HashSet::from([session.to_owned()]);
    let is_of_session = |file: &PathBuf| {
        let Some(payload) = first_payload(file) else { return false };
        let is_its = payload.parent_thread_id.0.is_some_and(|parent| threads.contains(&parent));
        if is_its {
            threads.extend(payload.id.0);
        }
        is_its
    };
    later.into_iter().take(MOST_LATER_FILES).filter(is_of_session).collect()
}

/// The folder with all sessions, if a file is in `YYYY/MM/DD` below it.
fn sessions_of(path: &Path) -> Option<&Path> {
    let is_number = |folder: &Path| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut folders = path.ancestors().skip(1);
    let is_dated = folders.by_ref().take(3).filter(|folder| is_number(folder)).count() == 3;
    folders.next().filter(|_| is_dated)
}

fn first_payload(file: &Path) -> Option<PayloadHeader> {
    let (_, (first, _)) = Lines::open(file).ok()?.next(header::<Header>).ok()??;
    first?.payload.0
}

/// Kinds of lines that are not part of the conversation.
const KNOWN: &[&str] = &["event_msg", "token_usage_record", "world_state"];

/// Kinds of items that are part of it.
const ITEMS: &[&str] = &[
    "custom_tool_call",
    "custom_tool_call_output",
    "function_call",
    "function_call_output",
    "local_shell_call",
    "message",
    "reasoning",
    "web_search_call",
];

/// How messages of the user that earlier versions wrote themselves begin. They have no kind.
const WRITTEN_BY_PROGRAM: &[&str] = &[
    "# AGENTS.md instructions",
    "<environment_context>",
    "<permissions instructions>",
    "<skill>",
    "<subagent_notification>",
    "<turn_aborted>",
    "<user_instructions>",
    "<user_shell_command>",
];

/// What the program writes before a summary.
const BEFORE_SUMMARY: &str = "Another language model started to solve this problem";

#[derive(Deserialize, Default)]
#[serde(default)]
struct Header {
    #[serde(rename = "type")]
    kind: Text,
    timestamp: Text,
    payload: Object<PayloadHeader>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct PayloadHeader {
    #[serde(rename = "type")]
    kind: Text,
    id: Text,
    role: Text,
    cwd: Text,
    cli_version: Text,
    model: Text,
    num_turns: Option<usize>,
    parent_thread_id: Text,
}

fn plan(path: &Path, skipped: &mut Skipped) -> io::Result<Plan> {
    let mut plan = Plan::default();
    // Where the user's messages begin, for turns that are taken back.
    let mut turns: Vec<usize> = Vec::new();
    examine(path, skipped, |span, header: Header, skipped| {
        let payload = header.payload.0.unwrap_or_default();
        let facts = &mut plan.facts;
        match header.kind.as_str() {
            // A fork contains the lines of the session that it began with, after its own first
            // line.
            "session_meta" if facts.session.is_empty() => {
                facts.session = payload.id.0.unwrap_or_default();
                facts.cwd = payload.cwd.0;
                facts.version = payload.cli_version.0;
                facts.started_at = header.timestamp.0.map(Timestamp::Text);
            }
            "session_meta" => {}
            "turn_context" => {
                facts.model = payload.model.0.or(facts.model.take());
                turns.push(plan.entries.len());
            }
            "compacted" => {
                plan.summary = Some(span);
                plan.covered = plan.entries.len();
            }
            "event_msg" if payload.kind.is("thread_rolled_back") => {
                take_back(&mut plan, &mut turns, payload.num_turns.unwrap_or(0));
            }
            "response_item" if ITEMS.contains(&payload.kind.as_str()) => {
                if !matches!(payload.role.as_str(), "developer" | "system") {
                    plan.entries.push(span);
                }
            }
            "response_item" => {
                skipped.add(&format!("response_item {}", payload.kind.as_str()), span.line)
            }
            kind if KNOWN.contains(&kind) => {}
            kind => skipped.add_kind(kind, span.line),
        }
    })?;
    Ok(plan)
}

/// Removes the newest turns from the conversation.
fn take_back(plan: &mut Plan, turns: &mut Vec<usize>, count: usize) {
    let Some(first) = turns.len().checked_sub(count).filter(|_| count > 0) else { return };
    let from = turns[first].min(plan.entries.len());
    turns.truncate(first);
    let entries: Vec<Span> = plan.entries.split_off(from);
    plan.covered = plan.covered.min(from);
    let id = format!("rollback-{}", plan.branches.len() + 1);
    plan.branches.push(PlannedBranch { kind: BranchKind::Abandoned, id, entries });
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Item {
    timestamp: Json,
    payload: Object<Payload>,
    metadata: Object<Metadata>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Metadata {
    compaction_output: Flag,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Payload {
    #[serde(rename = "type")]
    kind: Text,
    id: Text,
    role: Text,
    content: Json,
    summary: Json,
    name: Text,
    arguments: Text,
    input: Json,
    action: Json,
    call_id: Text,
    output: Json,
    message: Text,
    #[serde(rename = "internal_chat_message_metadata_passthrough")]
    details: Object<Details>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Details {
    content_item_kinds: Texts,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Content {
    text: Text,
    image_url: Text,
}

fn entry(bytes: &[u8]) -> Option<Entry> {
    let item: Item = parse(bytes)?;
    if item.metadata.0.unwrap_or_default().compaction_output.0 {
        return None;
    }
    let payload = item.payload.0?;
    let is_user = payload.role.is("user");
    let id = payload.id.0.clone();
    Some(Entry {
        id,
        timestamp: timestamp(&item.timestamp),
        role: if is_user { Role::User } else { Role::Agent },
        group: if is_user { Group::Own } else { Group::UntilResult },
        parts: parts(payload, is_user),
    })
}

fn parts(payload: Payload, is_user: bool) -> Vec<Piece> {
    let call_id = payload.call_id.as_str();
    let one: Option<Piece> = match payload.kind.as_str() {
        "message" => return said(&payload, is_user),
        "reasoning" => {
            let texts: Vec<String> = [&payload.summary, &payload.content]
                .into_iter()
                .flat_map(list::<Content>)
                .filter_map(|content| content.text.0)
                .collect();
            Piece::reasoning(texts.join("\n\n"))
        }
        "function_call" => {
            Piece::call(call_id, payload.name.as_str(), arguments(payload.arguments))
        }
        "custom_tool_call" => Piece::call(call_id, payload.name.as_str(), payload.input),
        "local_shell_call" => Piece::call(call_id, "local_shell", payload.action),
        // The provider answers it itself: there is no result.
        "web_search_call" => Piece::call(payload.id.as_str(), "web_search", payload.action),
        "function_call_output" | "custom_tool_call_output" => {
            Piece::result(call_id, payload.output.map(output), false)
        }
        _ => None,
    };
    one.into_iter().collect()
}

fn said(payload: &Payload, is_user: bool) -> Vec<Piece> {
    let kinds = payload.details.0.as_ref().map_or(&[][..], |details| &details.content_item_kinds.0);
    let is_own = |at: usize, text: &str| match kinds.get(at) {
        Some(kind) => !kind.starts_with("user."),
        None => WRITTEN_BY_PROGRAM.iter().any(|opening| text.starts_with(opening)),
    };
    let contents = list::<Content>(&payload.content).into_iter().enumerate();
    let part = |(at, content): (usize, Content)| match (content.text.0, content.image_url.0) {
        (Some(text), _) if is_user && is_own(at, &text) => None,
        (Some(text), _) => Piece::text(text),
        (None, Some(url)) => Some(Piece::file_at(None, None, url)),
        (None, None) => None,
    };
    contents.filter_map(part).collect()
}

/// Arguments are JSON in a string.
fn arguments(given: Text) -> Json {
    let text = given.0?;
    Some(RawValue::from_string(text.clone()).unwrap_or_else(|_| json_string(&text)))
}

/// A result is a text, a list of contents, or an object with one.
fn output(given: Box<RawValue>) -> Box<RawValue> {
    let texts: Vec<String> =
        elements::<Content>(&given).into_iter().filter_map(|content| content.text.0).collect();
    if texts.is_empty() { given } else { json_string(&texts.join("\n")) }
}

fn summary(bytes: &[u8]) -> Option<String> {
    let text = parse::<Item>(bytes)?.payload.0?.message.0?;
    let own = text.starts_with(BEFORE_SUMMARY);
    let text = if own { text.split_once('\n').map_or("", |(_, after)| after) } else { &text };
    trimmed(text)
}
