//! A transcript as callers get it. It is passed to JavaScript as JSON.

use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// What a CLI stored of a session.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Transcript {
    /// What is known of the session.
    #[serde(flatten)]
    pub facts: Facts,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The summary of its oldest messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// Branches beside the conversation.
    pub branches: Vec<Branch>,
    /// What the budget left out.
    pub omitted: Omitted,
    /// What was not understood.
    pub skipped: Vec<SkippedEntries>,
}

/// What a CLI stored about a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Facts {
    /// Its id.
    pub session: String,
    /// The directory that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The model that answered last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The version of the CLI that wrote it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// When it was begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
}

/// A time as a CLI writes it: a string, or milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Timestamp {
    /// Such as `2026-11-18T04:35:45.235Z`.
    Text(String),
    /// Milliseconds.
    Milliseconds(f64),
}

/// Who speaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Speaker {
    /// `user`, or the name of the agent.
    pub id: String,
    /// `human` or `ai`.
    #[serde(rename = "type")]
    pub kind: &'static str,
}

/// A message of a transcript.
#[derive(Debug, Serialize)]
pub struct Message {
    /// Its id, unique in the transcript.
    pub id: String,
    /// When it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    /// Who wrote it.
    pub speaker: Speaker,
    /// What it says and does. JavaScript makes its content from this.
    pub parts: Vec<Piece>,
}

/// A piece of a message.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Piece {
    /// What somebody says.
    Text {
        /// What it says.
        text: String,
    },
    /// What a model thought before answering.
    Reasoning {
        /// What it thought.
        text: String,
    },
    /// A tool call.
    ToolCall {
        /// Which call it is.
        id: String,
        /// The tool.
        name: String,
        /// Its arguments.
        input: Box<RawValue>,
    },
    /// What a tool returned.
    ToolResult {
        /// Which call it answers.
        id: String,
        /// What the tool returned.
        output: Box<RawValue>,
        /// Whether the tool failed.
        #[serde(rename = "isError", skip_serializing_if = "is_false")]
        is_error: bool,
    },
    /// A file.
    File {
        /// Its name.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Such as `image/png`.
        #[serde(rename = "mediaType")]
        media_type: String,
        /// The file in base64, if it is given.
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<String>,
        /// Otherwise, where it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<String>,
    },
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Piece {
    /// A text, unless it is empty.
    pub fn text(text: impl Into<String>) -> Option<Piece> {
        Some(text.into()).filter(|text: &String| !text.is_empty()).map(|text| Piece::Text { text })
    }

    /// What a model thought, unless it is empty.
    pub fn reasoning(text: impl Into<String>) -> Option<Piece> {
        let text = Some(text.into()).filter(|text: &String| !text.is_empty());
        text.map(|text| Piece::Reasoning { text })
    }

    /// A call, unless it has no id or no name.
    pub fn call(id: &str, name: &str, input: Option<Box<RawValue>>) -> Option<Piece> {
        if id.is_empty() || name.is_empty() {
            return None;
        }
        let input =
            input.filter(|input| input.get() != "null").map(shallow).unwrap_or_else(nothing);
        Some(Piece::ToolCall { id: id.to_owned(), name: name.to_owned(), input })
    }

    /// A result, unless it has no id.
    pub fn result(id: &str, output: Option<Box<RawValue>>, is_error: bool) -> Option<Piece> {
        let output = output.map_or_else(|| json_string(""), shallow);
        (!id.is_empty()).then(|| Piece::ToolResult { id: id.to_owned(), output, is_error })
    }

    /// A file at a URL, or inside one: `data:image/png;base64,…`. An image, if it has no type.
    pub fn file_at(name: Option<String>, media_type: Option<String>, url: String) -> Piece {
        let inline = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
        let data = inline.map(|(_, data)| data.to_owned());
        let media_type =
            media_type.unwrap_or_else(|| inline.map_or("image", |(of, _)| of).to_owned());
        Piece::File { name, media_type, url: Some(url).filter(|_| data.is_none()), data }
    }

    /// How much of the budget it takes.
    pub fn bytes(&self) -> usize {
        match self {
            Piece::Text { text } | Piece::Reasoning { text } => text.len(),
            Piece::ToolCall { id, name, input } => id.len() + name.len() + input.get().len(),
            Piece::ToolResult { id, output, .. } => id.len() + output.get().len(),
            Piece::File { name, media_type, data, url } => {
                let optional = [name, data, url].into_iter().flatten();
                media_type.len() + optional.map(String::len).sum::<usize>()
            }
        }
    }
}

/// A text without white space around it, unless nothing is left.
pub fn trimmed(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// How many levels of lists and objects callers get. JavaScript cannot write deeper ones as JSON.
const DEEPEST: usize = 64;

/// The value, or its text if it is nested too deeply.
fn shallow(value: Box<RawValue>) -> Box<RawValue> {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in value.get().bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if deepest > DEEPEST { json_string(value.get()) } else { value }
}

/// A string as JSON.
pub fn json_string(text: &str) -> Box<RawValue> {
    serde_json::value::to_raw_value(text).unwrap_or_else(|_| nothing())
}

/// An object without fields.
fn nothing() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// The summary of the oldest messages.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// What it says.
    pub text: String,
    /// How many messages it covers.
    pub covers: usize,
}

/// A branch beside the conversation.
#[derive(Debug, Serialize)]
pub struct Branch {
    /// What it is.
    pub kind: BranchKind,
    /// The sub-agent, or the first message.
    pub id: String,
    /// What was said there.
    pub messages: Vec<Message>,
}

/// Why messages are beside the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BranchKind {
    /// The user went back to an earlier point.
    Abandoned,
    /// Another agent did it.
    SubAgent,
}

/// What the budget left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Omitted {
    /// Messages.
    pub messages: usize,
    /// Their bytes.
    pub bytes: usize,
}

/// Entries of one kind that were not understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SkippedEntries {
    /// What the entry calls itself.
    pub kind: String,
    /// How many there are.
    pub count: usize,
    /// The line of the first.
    pub first_line: usize,
}

/// Counts what is not understood.
#[derive(Debug, Default)]
pub struct Skipped(BTreeMap<String, (usize, usize)>);

/// How many kinds are counted by name; a forged transcript may have any number of them.
const MOST_KINDS: usize = 100;
/// The most bytes of the name of a kind.
const MOST_KIND_BYTES: usize = 80;

impl Skipped {
    /// Counts one entry of an unknown kind.
    pub fn add_kind(&mut self, kind: &str, line: usize) {
        self.add(if kind.is_empty() { "without a type" } else { kind }, line);
    }

    /// Counts one entry.
    pub fn add(&mut self, kind: &str, line: usize) {
        let kind: String = kind.chars().take(MOST_KIND_BYTES / 4).collect();
        let kind = if self.0.len() < MOST_KINDS || self.0.contains_key(&kind) {
            kind
        } else {
            "other kinds".to_owned()
        };
        let (count, first) = self.0.entry(kind).or_insert((0, line));
        *count += 1;
        *first = (*first).min(line);
    }

    /// All of them, by their first line.
    pub fn into_entries(self) -> Vec<SkippedEntries> {
        let entry = |(kind, (count, first_line))| SkippedEntries { kind, count, first_line };
        let mut entries: Vec<_> = self.0.into_iter().map(entry).collect();
        entries.sort_by_key(|entry| entry.first_line);
        entries
    }
}
