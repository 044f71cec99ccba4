//! `system` and `messages` of the AI SDK.

use super::{Contents, Message, raw};
use crate::arrays::apis::Joining;
use crate::arrays::blocks::Block;
use crate::arrays::cache::{CacheControl, Marks};
use serde::Serialize;
use serde_json::value::RawValue;

#[derive(Serialize)]
struct Request<'b> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<&'b str>,
    messages: Vec<Message<Vec<Part<'b>>>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Part<'b> {
    #[serde(flatten)]
    kind: Kind<'b>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_options: Option<ProviderOptions>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
enum Kind<'b> {
    Text { text: &'b str },
    ToolCall { tool_call_id: &'b str, tool_name: &'b str, input: &'b RawValue },
    ToolResult { tool_call_id: &'b str, tool_name: &'b str, output: Output<'b> },
}

#[derive(Serialize)]
struct ProviderOptions {
    anthropic: AnthropicOptions,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AnthropicOptions {
    cache_control: CacheControl,
}

#[derive(Serialize)]
struct Output<'b> {
    r#type: &'static str,
    value: &'b str,
}

pub fn write(contents: &Contents) -> serde_json::Result<String> {
    let messages = contents.messages(Joining::RolesAndResults);
    let messages: serde_json::Result<Vec<_>> =
        messages.map(|(before, blocks)| message(before, blocks, &contents.marks)).collect();
    serde_json::to_string(&Request { system: contents.system, messages: messages? })
}

fn message<'b>(
    before: usize,
    blocks: &'b [Block],
    marks: &Marks,
) -> serde_json::Result<Message<Vec<Part<'b>>>> {
    let role = match blocks.first() {
        Some(Block::Assistant(_) | Block::Call { .. }) => "assistant",
        Some(Block::Result { .. }) => "tool",
        _ => "user",
    };
    let part = |(at, block)| {
        let mark = marks.of_block(before + at);
        let anthropic = mark.map(|cache_control| AnthropicOptions { cache_control });
        let provider_options = anthropic.map(|anthropic| ProviderOptions { anthropic });
        Ok(Part { kind: kind(block)?, provider_options })
    };
    let content: serde_json::Result<Vec<_>> = blocks.iter().enumerate().map(part).collect();
    Ok(Message { role, content: content? })
}

fn kind<'b>(block: &'b Block) -> serde_json::Result<Kind<'b>> {
    Ok(match block {
        Block::User(text) | Block::Assistant(text) => Kind::Text { text },
        Block::Call { id, name, input } => {
            Kind::ToolCall { tool_call_id: id, tool_name: name, input: raw(input)? }
        }
        Block::Result { id, name, output, is_error } => Kind::ToolResult {
            tool_call_id: id,
            tool_name: name,
            output: Output { r#type: if *is_error { "error-text" } else { "text" }, value: output },
        },
    })
}
