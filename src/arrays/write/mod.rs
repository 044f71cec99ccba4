//! Requests as JSON, one file per API. JavaScript parses it once.

mod ai_sdk;
mod anthropic;
mod gemini;
mod openai;
mod openai_chat;

use super::Api;
use super::apis::Joining;
use super::blocks::{Block, messages};
use super::cache::Marks;
use serde::Serialize;
use serde_json::value::RawValue;

/// What is written.
pub struct Contents<'b, 'p> {
    /// The system text.
    pub system: Option<&'b str>,
    /// Everything else, in order.
    pub blocks: &'b [Block<'p>],
    /// What is marked for the provider's cache.
    pub marks: Marks,
    /// The key of requests that begin alike.
    pub key: Option<String>,
}

impl<'b, 'p> Contents<'b, 'p> {
    /// The messages, each with the number of blocks before it.
    fn messages(&self, joining: Joining) -> impl Iterator<Item = (usize, &'b [Block<'p>])> {
        let mut before = 0;
        messages(self.blocks, joining).map(move |blocks| {
            before += blocks.len();
            (before - blocks.len(), blocks)
        })
    }
}

/// Writes a request.
pub fn write(api: Api, contents: &Contents) -> serde_json::Result<String> {
    match api {
        Api::Anthropic => anthropic::write(contents),
        Api::OpenAi => openai::write(contents),
        Api::OpenAiChat => openai_chat::write(contents),
        Api::Gemini => gemini::write(contents),
        Api::AiSdk => ai_sdk::write(contents),
    }
}

/// The arguments of a call, which are JSON already.
fn raw(input: &str) -> serde_json::Result<&RawValue> {
    serde_json::from_str(input)
}

/// What a tool said, for an API that has no field for failures.
fn output_text(output: &str, is_error: bool) -> String {
    [if is_error { super::blocks::ERROR } else { "" }, output].concat()
}

/// A message with its role.
#[derive(Serialize)]
struct Message<C> {
    role: &'static str,
    content: C,
}
