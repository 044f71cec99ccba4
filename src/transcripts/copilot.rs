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
use super::format::{Format, Plan, PlannedBranch, SubAgents, examine};
use super::lenient::{Flag, Json, Object, Text, Texts, list, parse, timestamp};
use super::lines::Span;
use super::message::{BranchKind, Piece, Skipped, Timestamp, json_string, trimmed};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
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

fn plan(path: &Path, skipped: &mut Skipped) -> io::Result<Plan> {
    let mut plan = Plan::default();
    let mut events = Events::default();
    let mut branches = SubAgents::default();
    // Which events the summary being written covers, and the last one: those before these numbers.
    let (mut compacted, mut covered) = (0, 0);
    examine(path, skipped, |span, header: Header, skipped| {
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
                    Some(agent) => branches.add(&agent, span),
                    None => events.add(id, span),
                }
            }
            "session.compaction_start" if header.agent_id.0.is_none() => compacted = events.next,
            "session.compaction_complete" if data.success.0 && header.agent_id.0.is_none() => {
                plan.summary = Some(span);
                covered = compacted;
            }
            "session.snapshot_rewind" => {
                branches.branches.extend(events.rewind(&data.up_to_event_id, &data.event_ids.0));
            }
            kind if KNOWN.iter().any(|known| kind.starts_with(known)) => {}
            kind => skipped.add_kind(kind, span.line),
        }
    })?;
    plan.covered = events.all.range(..covered).count();
    plan.entries = events.all.into_values().map(|(_, span)| span).collect();
    plan.branches = branches.branches;
    Ok(plan)
}

/// The events of the conversation, by their numbers.
#[derive(Default)]
struct Events {
    all: BTreeMap<usize, (String, Span)>,
    /// The number of the next event.
    next: usize,
    /// The number of the first event with each id.
    numbers: HashMap<String, usize>,
}

impl Events {
    fn add(&mut self, id: String, span: Span) {
        if !id.is_empty() {
            self.numbers.entry(id.clone()).or_insert(self.next);
        }
        self.all.insert(self.next, (id, span));
        self.next += 1;
    }

    /// Takes events back: those that are listed, or all from one event on.
    fn rewind(&mut self, from: &Text, listed: &[String]) -> Option<PlannedBranch> {
        let mut gone: Vec<usize> = match self.numbers.get(from.as_str()) {
            Some(from) if listed.is_empty() => self.all.range(*from..).map(|(at, _)| *at).collect(),
            _ => listed.iter().filter_map(|id| self.numbers.get(id).copied()).collect(),
        };
        gone.sort_unstable();
        let gone: Vec<_> = gone.into_iter().filter_map(|at| self.all.remove(&at)).collect();
        for (id, _) in &gone {
            self.numbers.remove(id);
        }
        let (id, _) = gone.first()?.clone();
        let entries = gone.into_iter().map(|(_, span)| span).collect();
        Some(PlannedBranch { kind: BranchKind::Abandoned, id, entries })
    }
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
        "user.message" => (Role::User, Piece::text(body.content.0?).into_iter().collect()),
        "assistant.message" => {
            let calls = list::<Request>(&body.tool_requests).into_iter().map(|request| {
                Piece::call(request.tool_call_id.as_str(), request.name.as_str(), request.arguments)
            });
            let said = [
                body.reasoning_text.0.and_then(Piece::reasoning),
                body.content.0.and_then(Piece::text),
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
    })
}

fn result(body: Body) -> Option<Piece> {
    let text = body.result.0.and_then(|result| result.content.0);
    let text = text.or_else(|| body.error.0.and_then(|error| error.message.0));
    let output = json_string(&text.unwrap_or_default());
    Piece::result(body.tool_call_id.as_str(), Some(output), body.success == Some(false))
}

fn summary(bytes: &[u8]) -> Option<String> {
    let text = parse::<Said>(bytes)?.data.0?.summary_content.0?;
    trimmed(&text)
}
