//! Requests as JSON. Each API's own part is in its file in [`super::apis`].

use super::Api;
use super::apis::{Joining, ai_sdk, anthropic, gemini, openai};
use super::blocks::{Block, ERROR, messages};
use super::cache::Marks;
use super::json::Json;

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
    pub(super) fn messages(
        &self,
        joining: Joining,
    ) -> impl Iterator<Item = (usize, &'b [Block<'p>])> {
        let mut before = 0;
        messages(self.blocks, joining).map(move |blocks| {
            before += blocks.len();
            (before - blocks.len(), blocks)
        })
    }
}

/// Writes a request.
pub fn write(api: Api, contents: &Contents) -> serde_json::Result<String> {
    Json::written(|json| match api {
        Api::Anthropic => anthropic::write(contents, json),
        Api::OpenAi => openai::write_items(contents, json),
        Api::OpenAiChat => openai::write_chat(contents, json),
        Api::Gemini => gemini::write(contents, json),
        Api::AiSdk => ai_sdk::write(contents, json),
    })
}

/// What a tool said, for an API that has no field for failures.
pub(super) fn output_text(output: &str, is_error: bool) -> String {
    [if is_error { ERROR } else { "" }, output].concat()
}
