//! Gemini CLI: `tmp/<project>/chats/session-<time>-<session>.jsonl` in its configuration directory.
//!
//! 1. A line with an id replaces an earlier one with the same id, in its place.
//! 2. `$set` with `messages` replaces all of them, as after a resume; `$rewindTo` removes the
//!    message with this id and all after it.
//! 3. A call includes its result, which is repeated in the user's message that follows.
//! 4. Compaction is a `$set` with a new summary, an answer that the program wrote, and copies of
//!    the newest messages, with other ids.
//! 5. Messages that are no longer there were compacted, or taken back, as after an error.

mod state;

use super::assemble::{Entry, Group, Role};
use super::discover::{Naming, Place, files_in, project_root};
use super::elements::elements;
use super::format::{Format, Plan, PlannedBranch, examine};
use super::google::{Content, FunctionResponse, parts};
use super::lenient::{Json, Object, Text, list, parse, timestamp};
use super::lines::{Span, read_span};
use super::message::{BranchKind, Piece, Skipped, Timestamp};
use super::open::open;
use serde::Deserialize;
use state::State;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// How Gemini CLI keeps sessions.
pub static GEMINI: Format = Format {
    agent: "gemini",
    measured_on: "0.61.0",
    place: Place {
        variable: "GEMINI_CLI_HOME",
        below_variable: ".gemini",
        folder: ".gemini",
        files: &["tmp", "*", "chats", "*.jsonl"],
        naming: Naming::Beginning,
        is_by_directory: false,
    },
    plan,
    entry,
    summary,
    sub_agents,
};

/// What sub-agents did: `<session>/<id>.jsonl` beside the file of the session.
fn sub_agents(path: &Path, session: &str) -> Vec<PathBuf> {
    // It must not lead to another folder.
    let is_name = session.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let folder = path.parent().filter(|_| is_name && !session.is_empty());
    folder.map_or_else(Vec::new, |folder| files_in(&folder.join(session), "jsonl"))
}

/// Kinds of messages that only the user sees.
const KNOWN: &[&str] = &["info", "error", "warning"];

/// A summary is one of the first messages, and not longer than this.
const SUMMARY_AMONG: usize = 4;
const MOST_SUMMARY_BYTES: u64 = 1024 * 1024;

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Header {
    id: Text,
    #[serde(rename = "type")]
    kind: Text,
    model: Text,
    session_id: Text,
    start_time: Text,
    #[serde(rename = "$set")]
    set: Object<Set>,
    #[serde(rename = "$rewindTo")]
    rewind_to: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Set {
    messages: IsList,
}

/// Whether there is a list.
#[derive(Default)]
struct IsList(bool);

impl<'de> Deserialize<'de> for IsList {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer).map(|_| IsList(true))
    }
}

fn plan(path: &Path, skipped: &mut Skipped) -> io::Result<Plan> {
    let mut plan = Plan::default();
    let mut state = State::default();
    let mut file = open(path)?;
    let mut failure = None;
    examine(path, skipped, |span, header: Header, skipped| {
        let facts = &mut plan.facts;
        if facts.session.is_empty() {
            facts.session = header.session_id.0.clone().unwrap_or_default();
            facts.started_at = header.start_time.0.map(Timestamp::Text);
        }
        if let Some(id) = header.rewind_to.0 {
            state.rewind(&id);
        } else if let Some(id) = header.id.0 {
            facts.model = header.model.0.or(facts.model.take());
            add(&mut state, &id, header.kind.as_str(), span, skipped);
        } else if header.set.0.is_some_and(|set| set.messages.0)
            && let Err(error) = set_messages(&mut state, &mut file, span, skipped)
        {
            failure = Some(error);
        }
    })?;
    if let Some(error) = failure {
        return Err(error);
    }
    plan.facts.cwd = project_root(path);
    let mut shown: Vec<Span> = Vec::new();
    let ids: Vec<&String> =
        state.order.iter().flatten().filter(|id| state.said.contains_key(*id)).collect();
    for id in &ids {
        shown.extend(state.said.get(*id).map(|(_, span)| *span));
    }
    add_compacted(&mut plan, &state, &ids, shown, &mut file)?;
    Ok(plan)
}

fn add(state: &mut State, id: &str, kind: &str, span: Span, skipped: &mut Skipped) {
    if is_said(kind) {
        return state.put(id, span);
    }
    state.put_other(id);
    if !KNOWN.contains(&kind) {
        skipped.add_kind(kind, span.line);
    }
}

fn is_said(kind: &str) -> bool {
    kind == "user" || kind == "gemini"
}

/// Replaces all messages with those of a list, each with its own place.
fn set_messages(
    state: &mut State,
    file: &mut File,
    line: Span,
    skipped: &mut Skipped,
) -> io::Result<()> {
    file.seek(SeekFrom::Start(line.offset))?;
    let spans =
        elements(Read::by_ref(file).take(line.len), line.offset, line.line, &["$set", "messages"])?;
    let mut listed: Vec<(String, String, Span)> = Vec::new();
    for span in spans {
        file.seek(SeekFrom::Start(span.offset))?;
        let header = serde_json::from_reader(BufReader::new(Read::by_ref(file).take(span.len)));
        let header: Header = header.unwrap_or_default();
        match header.id.0 {
            Some(id) => listed.push((id, header.kind.0.unwrap_or_default(), span)),
            None => skipped.add("without an id", line.line),
        }
    }
    let mut is_compaction = false;
    for (id, _, span) in listed.iter().take(SUMMARY_AMONG) {
        let is_new = !state.said.contains_key(id) && span.len <= MOST_SUMMARY_BYTES;
        is_compaction = is_compaction || (is_new && summary(&read_span(file, *span)?).is_some());
    }
    if is_compaction {
        let said = listed.iter().filter(|(_, kind, _)| is_said(kind));
        let said: Vec<(String, Span)> = said.map(|(id, _, span)| (id.clone(), *span)).collect();
        state.find_copies(&said, file)?;
    }
    state.clear(is_compaction);
    for (id, kind, span) in listed {
        add(state, &id, &kind, span, skipped);
    }
    Ok(())
}

/// Divides what is no longer shown into what a summary covers and what was taken back.
fn add_compacted(
    plan: &mut Plan,
    state: &State,
    ids: &[&String],
    shown: Vec<Span>,
    file: &mut File,
) -> io::Result<()> {
    let mut summary_came = None;
    for (id, span) in ids.iter().zip(&shown).take(SUMMARY_AMONG) {
        if span.len <= MOST_SUMMARY_BYTES && summary(&read_span(file, *span)?).is_some() {
            summary_came = state.said.get(*id).map(|(came, _)| *came);
            plan.summary = Some(*span);
        }
    }
    let is_shown: HashSet<&String> = ids.iter().copied().collect();
    let mut gone: Vec<(usize, &String, Span)> = state
        .said
        .iter()
        .filter(|(id, _)| !is_shown.contains(id))
        .map(|(id, (came, span))| (*came, id, *span))
        .collect();
    gone.sort_by_key(|(came, ..)| *came);
    let (compacted, taken_back): (Vec<_>, Vec<_>) = gone.into_iter().partition(|(came, id, _)| {
        summary_came.is_some_and(|at| *came < at) && !state.taken_back.contains(*id)
    });
    plan.entries = compacted.iter().map(|(.., span)| *span).collect();
    plan.covered = plan.entries.len();
    plan.entries.extend(shown.into_iter().filter(|span| Some(*span) != plan.summary));
    if let Some((_, id, _)) = taken_back.first() {
        plan.branches.push(PlannedBranch {
            kind: BranchKind::Abandoned,
            id: (*id).clone(),
            entries: taken_back.iter().map(|(.., span)| *span).collect(),
        });
    }
    Ok(())
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Said {
    id: Text,
    #[serde(rename = "type")]
    kind: Text,
    timestamp: Json,
    content: Json,
    thoughts: Json,
    tool_calls: Json,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Thought {
    subject: Text,
    description: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ToolCall {
    id: Text,
    name: Text,
    args: Json,
    result: Json,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct ToolResult {
    function_response: Object<FunctionResponse>,
}

fn entry(bytes: &[u8]) -> Option<Entry> {
    let said: Said = parse(bytes)?;
    let is_user = said.kind.is("user");
    let content = Content { parts: said.content, ending: "" };
    if is_user && content.summary().is_some() {
        return None;
    }
    let mut all = parts(content, is_user);
    if !all.iter().any(|part| matches!(part, Piece::Reasoning { .. })) {
        let thoughts = list::<Thought>(&said.thoughts).into_iter().filter_map(thought);
        all.splice(0..0, thoughts.collect::<Vec<_>>());
    }
    let calls: HashSet<String> = all.iter().filter_map(call_id).map(str::to_owned).collect();
    for ToolCall { id, name, args, result } in list(&said.tool_calls) {
        let is_known = calls.contains(id.as_str());
        all.extend(Piece::call(id.as_str(), name.as_str(), args).filter(|_| !is_known));
        let results = list::<ToolResult>(&result).into_iter();
        all.extend(results.filter_map(|result| result.function_response.0?.part()));
    }
    Some(Entry {
        id: said.id.0,
        timestamp: timestamp(&said.timestamp),
        role: if is_user { Role::User } else { Role::Agent },
        group: Group::Own,
        parts: all,
    })
}

fn call_id(part: &Piece) -> Option<&str> {
    match part {
        Piece::ToolCall { id, .. } => Some(id),
        _ => None,
    }
}

fn thought(thought: Thought) -> Option<Piece> {
    let texts = [thought.subject.0, thought.description.0].into_iter().flatten();
    let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    Piece::reasoning(texts.join("\n"))
}

fn summary(bytes: &[u8]) -> Option<String> {
    let said: Said = parse(bytes)?;
    said.kind.is("user").then(|| Content { parts: said.content, ending: "" }.summary())?
}
