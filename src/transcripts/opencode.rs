//! opencode: a database in its data directory. This reads the output of its own `export`: one
//! document with `info`, and `messages` with their parts.
//!
//! 1. A part of the type `tool` is a call with its result.
//! 2. A message of the user with a part of the type `compaction` is followed by the summary, which
//!    has `summary: true`.
//! 3. Texts with `synthetic` or `ignored` are not by the user, or not for the model.

use super::assemble::{Entry, Group, Role};
use super::discover::{Naming, Place, files_in};
use super::elements::elements;
use super::format::{Format, Plan};
use super::lenient::{Flag, Json, Object, Text, list, parse, timestamp};
use super::lines::Span;
use super::message::{Piece, Skipped, Timestamp, json_string, trimmed};
use super::open::open;
use serde::Deserialize;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// How opencode exports sessions.
pub static OPENCODE: Format = Format {
    agent: "opencode",
    measured_on: "1.18.33",
    // Its program lists them.
    place: Place {
        variable: "XDG_DATA_HOME",
        below_variable: "opencode",
        folder: ".local/share/opencode",
        files: &["opencode.db"],
        naming: Naming::File,
        is_by_directory: false,
    },
    plan,
    entry,
    summary,
    sub_agents: |path, _| files_in(&path.with_extension(SUB_AGENTS), "json"),
};

/// Sub-agents have their own sessions, whose exports are in a folder beside that of the session.
const SUB_AGENTS: &str = "sub-agents";

#[derive(Deserialize, Default)]
#[serde(default)]
struct Document {
    info: Object<SessionInfo>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct SessionInfo {
    id: Text,
    directory: Text,
    version: Text,
    time: Object<Times>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Times {
    created: Option<f64>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Header {
    info: Object<MessageInfo>,
    parts: PartKinds,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct MessageInfo {
    role: Text,
    #[serde(rename = "modelID")]
    model_id: Text,
    summary: Flag,
}

/// Whether a part is a request to compact.
#[derive(Default)]
struct PartKinds(bool);

impl<'de> Deserialize<'de> for PartKinds {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct Kind {
            #[serde(rename = "type")]
            kind: Text,
        }
        let parts: Vec<Object<Kind>> = Vec::deserialize(deserializer)?;
        let is_compaction =
            |part: &Object<Kind>| part.0.as_ref().is_some_and(|part| part.kind.is("compaction"));
        Ok(PartKinds(parts.iter().any(is_compaction)))
    }
}

fn plan(path: &Path, skipped: &mut Skipped) -> io::Result<Plan> {
    let mut plan = Plan::default();
    let mut file = open(path)?;
    let document: Document =
        serde_json::from_reader(BufReader::new(&mut file)).unwrap_or_else(|_| {
            skipped.add("not JSON", 1);
            Document::default()
        });
    let info = document.info.0.unwrap_or_default();
    plan.facts.session = info.id.0.unwrap_or_default();
    plan.facts.cwd = info.directory.0;
    plan.facts.version = info.version.0;
    let created = info.time.0.and_then(|time| time.created);
    plan.facts.started_at = created.map(Timestamp::Milliseconds);
    file.seek(SeekFrom::Start(0))?;
    let spans = elements(&mut file, 0, 1, &["messages"])?;
    for (at, span) in spans.into_iter().enumerate() {
        let span = Span { line: at + 1, ..span };
        file.seek(SeekFrom::Start(span.offset))?;
        let header = serde_json::from_reader(BufReader::new((&mut file).take(span.len)));
        let Ok(header) = header.map(|header: Header| header) else {
            skipped.add("not JSON", span.line);
            continue;
        };
        let info = header.info.0.unwrap_or_default();
        plan.facts.model = info.model_id.0.or(plan.facts.model.take());
        if info.summary.0 {
            plan.summary = Some(span);
            plan.covered = plan.entries.len();
        } else if !matches!(info.role.as_str(), "user" | "assistant") {
            skipped.add(
                if info.role.as_str().is_empty() { "without a role" } else { info.role.as_str() },
                span.line,
            );
        } else if !header.parts.0 {
            plan.entries.push(span);
        }
    }
    Ok(plan)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Said {
    info: Object<Info>,
    parts: Json,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Info {
    id: Text,
    role: Text,
    time: Object<Created>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Created {
    created: Json,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct StoredPart {
    #[serde(rename = "type")]
    kind: Text,
    text: Text,
    synthetic: Flag,
    ignored: Flag,
    tool: Text,
    #[serde(rename = "callID")]
    call_id: Text,
    state: Object<State>,
    mime: Text,
    filename: Text,
    url: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct State {
    status: Text,
    input: Json,
    output: Text,
    error: Text,
}

fn entry(bytes: &[u8]) -> Option<Entry> {
    let said: Said = parse(bytes)?;
    let info = said.info.0?;
    let stored = list::<StoredPart>(&said.parts).into_iter();
    Some(Entry {
        id: info.id.0,
        timestamp: info.time.0.and_then(|time| timestamp(&time.created)),
        role: if info.role.is("user") { Role::User } else { Role::Agent },
        group: Group::Own,
        parts: stored.flat_map(parts).collect(),
    })
}

fn parts(stored: StoredPart) -> Vec<Piece> {
    let one = match stored.kind.as_str() {
        "text" if stored.synthetic.0 || stored.ignored.0 => None,
        "text" => stored.text.0.and_then(Piece::text),
        "reasoning" => stored.text.0.and_then(Piece::reasoning),
        "file" => {
            let media_type = Some(stored.mime.0.unwrap_or_default());
            stored.url.0.map(|url| Piece::file_at(stored.filename.0, media_type, url))
        }
        "tool" => {
            let (id, state) = (stored.call_id.as_str(), stored.state.0.unwrap_or_default());
            let call = Piece::call(id, stored.tool.as_str(), state.input);
            let result = match state.status.as_str() {
                "completed" => Some((state.output.0.unwrap_or_default(), false)),
                "error" => Some((state.error.0.unwrap_or_default(), true)),
                _ => None,
            };
            let result = result
                .and_then(|(text, is_error)| Piece::result(id, Some(json_string(&text)), is_error));
            return call.into_iter().chain(result).collect();
        }
        _ => None,
    };
    one.into_iter().collect()
}

fn summary(bytes: &[u8]) -> Option<String> {
    let texts = entry(bytes)?.parts.into_iter().filter_map(|part| match part {
        Piece::Text { text } => Some(text),
        _ => None,
    });
    let text = texts.collect::<Vec<_>>().join("\n\n");
    trimmed(&text)
}
