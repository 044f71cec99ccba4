//! GitHub Copilot CLI: `session-state/<session>/events.jsonl` in its home directory.
//!
//! 1. `user.message`, `assistant.message` and `tool.execution_complete` are the conversation. What the
//!    user wrote is `content`; `transformedContent` is what goes to the model.
//! 2. Events of sub-agents have an `agentId`.
//! 3. `session.compaction_complete` has the summary of what was said before
//!    `session.compaction_start`: the turn continues meanwhile. `session.snapshot_rewind` takes
//!    events back.

use super::assemble::{Entry, Group, Role};
use super::discover::{Naming, Place};
use super::format::{Format, Plan, PlannedBranch, look};
use super::lenient::{Flag, Json, Object, Text, Texts, list, parse, timestamp};
use super::lines::Span;
use super::message::{BranchKind, Part, Skipped, Timestamp, json_string};
use serde::Deserialize;
use std::io;
use std::path::Path;

/// How Copilot keeps sessions.
pub static COPILOT: Format = Format {
    agent: "copilot",
    measured_on: "1.0.102",
    place: Place {
        variable: "COPILOT_HOME",
        below_variable: "",
        folder: ".copilot",
        files: &["session-state", "*", "events.jsonl"],
        naming: Naming::Folder,
        is_by_directory: false,
    },
    plan,
    entry,
    summary,
    sub_agents: |_, _| Vec::new(),
};

/// How the kinds of events that are not part of the conversation begin.
const KNOWN: &[&str] =
    &["abort", "assistant.", "hook.", "permission.", "session.", "subagent.", "system.", "tool."];

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Header {
    #[serde(rename = "type")]
    kind: Text,
    id: Text,
    agent_id: Text,
    timestamp: Text,
    data: Object<Data>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Data {
    session_id: Text,
    copilot_version: Text,
    context: Object<Context>,
    model: Text,
    success: Flag,
    up_to_event_id: Text,
    event_ids: Texts,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Context {
    cwd: Text,
}

/// An event of the conversation, with its id.
type Event = (String, Span);

fn plan(path: &Path, skipped: &mut Skipped) -> io::Result<Plan> {
    let mut plan = Plan::default();
    let mut events: Vec<Event> = Vec::new();
    // How many of them the summary being written covers.
    let mut compacted = 0;
    look(path, skipped, |span, header: Header, skipped| {
        let data = header.data.0.unwrap_or_default();
        let facts = &mut plan.facts;
        let id = header.id.0.unwrap_or_default();
        match header.kind.as_str() {
            "session.start" => {
                facts.session = data.session_id.0.unwrap_or_default();
                facts.version = data.copilot_version.0;
                facts.cwd = data.context.0.and_then(|context| context.cwd.0);
                facts.started_at = header.timestamp.0.map(Timestamp::Text);
            }
            "user.message" | "assistant.message" | "tool.execution_complete" => {
                facts.model = data.model.0.or(facts.model.take());
                match header.agent_id.0 {
                    Some(agent) => add_to_sub_agent(&mut plan.branches, agent, span),
                    None => events.push((id, span)),
                }
            }
            "session.compaction_start" if header.agent_id.0.is_none() => compacted = events.len(),
            "session.compaction_complete" if data.success.0 && header.agent_id.0.is_none() => {
                plan.summary = Some(span);
                plan.covered = compacted.min(events.len());
            }
            "session.snapshot_rewind" => {
                let gone = rewind(&mut events, &data.up_to_event_id, &data.event_ids.0);
                plan.covered = plan.covered.min(events.len());
                plan.branches.extend(gone);
            }
            kind if KNOWN.iter().any(|known| kind.starts_with(known)) => {}
            "" => skipped.add("without a type", span.line),
            kind => skipped.add(kind, span.line),
        }
    })?;
    plan.entries = events.into_iter().map(|(_, span)| span).collect();
    Ok(plan)
}

fn add_to_sub_agent(branches: &mut Vec<PlannedBranch>, id: String, span: Span) {
    let is_its =
        |branch: &&mut PlannedBranch| branch.kind == BranchKind::SubAgent && branch.id == id;
    match branches.iter_mut().find(is_its) {
        Some(branch) => branch.entries.push(span),
        None => {
            let kind = BranchKind::SubAgent;
            branches.push(PlannedBranch { kind, id, entries: vec![span] });
        }
    }
}

/// Takes events back: those that are listed, or all from one event on.
fn rewind(events: &mut Vec<Event>, from: &Text, listed: &[String]) -> Option<PlannedBranch> {
    let mut is_gone = false;
    let (kept, gone): (Vec<Event>, Vec<Event>) = events.drain(..).partition(|(id, _)| {
        is_gone = is_gone || from.is(id);
        if listed.is_empty() { !is_gone } else { !listed.contains(id) }
    });
    *events = kept;
    let (id, _) = gone.first()?.clone();
    let entries = gone.into_iter().map(|(_, span)| span).collect();
    Some(PlannedBranch { kind: BranchKind::Abandoned, id, entries })
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Said {
    #[serde(rename = "type")]
    kind: Text,
    id: Text,
    timestamp: Json,
    data: Object<Body>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Body {
    content: Text,
    reasoning_text: Text,
    tool_requests: Json,
    tool_call_id: Text,
    success: Option<bool>,
    result: Object<Outcome>,
    error: Object<Problem>,
    summary_content: Text,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Request {
    tool_call_id: Text,
    name: Text,
    arguments: Json,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Outcome {
    content: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Problem {
    message: Text,
}

fn entry(bytes: &[u8]) -> Option<Entry> {
    let said: Said = parse(bytes)?;
    let body = said.data.0?;
    let (role, parts) = match said.kind.as_str() {
        "user.message" => (Role::User, Part::text(body.content.0?).into_iter().collect()),
        "assistant.message" => {
            let calls = list::<Request>(&body.tool_requests).into_iter().map(|request| {
                Part::call(request.tool_call_id.as_str(), request.name.as_str(), request.arguments)
            });
            let said = [
                body.reasoning_text.0.and_then(Part::reasoning),
                body.content.0.and_then(Part::text),
            ];
            (Role::Agent, said.into_iter().chain(calls).flatten().collect())
        }
        _ => (Role::Agent, result(body).into_iter().collect()),
    };
    Some(Entry {
        id: said.id.0,
        timestamp: timestamp(&said.timestamp),
        role,
        group: Group::Own,
        parts,
        left_out_bytes: 0,
    })
}

fn result(body: Body) -> Option<Part> {
    let text = body.result.0.and_then(|result| result.content.0);
    let text = text.or_else(|| body.error.0.and_then(|error| error.message.0));
    let output = json_string(&text.unwrap_or_default());
    Part::result(body.tool_call_id.as_str(), Some(output), body.success == Some(false))
}

fn summary(bytes: &[u8]) -> Option<String> {
    let text = parse::<Said>(bytes)?.data.0?.summary_content.0?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
