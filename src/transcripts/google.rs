//! Contents in the form of Gemini's API, as Gemini CLI and Qwen Code store them.

use super::lenient::{Flag, Json, Object, Text, list, read};
use super::message::Piece;
use serde::Deserialize;

/// What somebody said: a list of parts, or a text.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Content {
    /// Its parts.
    pub parts: Json,
    /// What the program adds at the end of a text.
    #[serde(skip)]
    pub ending: &'static str,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct ContentPart {
    text: Text,
    thought: Flag,
    function_call: Object<FunctionCall>,
    function_response: Object<FunctionResponse>,
    inline_data: Object<Blob>,
    file_data: Object<Blob>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct FunctionCall {
    id: Text,
    name: Text,
    args: Json,
}

/// What a tool returned.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct FunctionResponse {
    id: Text,
    response: Json,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Blob {
    mime_type: Text,
    display_name: Text,
    data: Text,
    file_uri: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Response {
    output: Json,
    error: Json,
}

/// How texts of the user that the programs wrote begin.
const WRITTEN_BY_PROGRAM: &[&str] =
    &["<session_context>", "<system-reminder>", "<task-notification>"];

/// The model's answer to a summary, which the programs write.
const ANSWER_TO_SUMMARY: &str = "Got it. Thanks for the additional context!";

/// How a summary begins and ends.
const SUMMARY: (&str, &str) = ("<state_snapshot>", "</state_snapshot>");

impl Content {
    /// Whether it contains a tool call.
    pub fn has_call(&self) -> bool {
        let parts = list::<ContentPart>(&self.parts);
        parts.iter().any(|part| part.function_call.0.is_some())
    }

    /// The summary in it, if there is one.
    pub fn summary(&self) -> Option<String> {
        let texts = list::<ContentPart>(&self.parts).into_iter().filter_map(|part| part.text.0);
        texts.chain(read::<String>(&self.parts)).find_map(|text| summary_in(&text))
    }
}

/// The summary in a text.
fn summary_in(text: &str) -> Option<String> {
    let (_, after) = text.split_once(SUMMARY.0)?;
    Some(after.split_once(SUMMARY.1).map_or(after, |(inside, _)| inside).trim().to_owned())
}

/// What a content says.
pub fn parts(content: Content, is_user: bool) -> Vec<Piece> {
    let ending = content.ending;
    let said = |text: String| {
        let is_own = WRITTEN_BY_PROGRAM.iter().any(|opening| text.starts_with(opening));
        if (is_user && is_own) || (!is_user && text == ANSWER_TO_SUMMARY) {
            None
        } else {
            Piece::text(text.strip_suffix(ending).unwrap_or(&text))
        }
    };
    if let Some(text) = read::<String>(&content.parts) {
        return said(text).into_iter().collect();
    }
    let part = |part: ContentPart| {
        if let Some(call) = part.function_call.0 {
            return call.part();
        }
        if let Some(response) = part.function_response.0 {
            return response.part();
        }
        if let Some(blob) = part.inline_data.0.or(part.file_data.0) {
            return blob.part();
        }
        let text = part.text.0?;
        if part.thought.0 { Piece::reasoning(text) } else { said(text) }
    };
    list::<ContentPart>(&content.parts).into_iter().filter_map(part).collect()
}

impl FunctionCall {
    fn part(self) -> Option<Piece> {
        Piece::call(self.id.as_str(), self.name.as_str(), self.args)
    }
}

impl FunctionResponse {
    /// As a part.
    pub fn part(self) -> Option<Piece> {
        let Response { output, error } = read(&self.response).unwrap_or_default();
        let is_error = output.is_none() && error.is_some();
        Piece::result(self.id.as_str(), output.or(error).or(self.response), is_error)
    }
}

impl Blob {
    fn part(self) -> Option<Piece> {
        let (name, media_type) = (self.display_name.0, self.mime_type.0.unwrap_or_default());
        let (data, url) = (self.data.0, self.file_uri.0);
        let url = url.filter(|_| data.is_none());
        (data.is_some() || url.is_some()).then_some(Piece::File { name, media_type, data, url })
    }
}
