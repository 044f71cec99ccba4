//! `system` and `messages` of Anthropic's Messages.

use super::{Contents, Message, raw};
use crate::arrays::apis::Joining;
use crate::arrays::blocks::Block;
use crate::arrays::cache::{CacheControl, Marks};
use serde::Serialize;
use serde_json::value::RawValue;

#[derive(Serialize)]
struct Request<'b> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<Vec<Content<'b>>>,
    messages: Vec<Message<Vec<Content<'b>>>>,
}

#[derive(Serialize)]
struct Content<'b> {
    #[serde(flatten)]
    kind: Kind<'b>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Kind<'b> {
    Text {
        text: &'b str,
    },
    ToolUse {
        id: &'b str,
        name: &'b str,
        input: &'b RawValue,
    },
    ToolResult {
        tool_use_id: &'b str,
        content: &'b str,
        #[serde(skip_serializing_if = "Option::is_none")]
        is_error: Option<bool>,
    },
}

pub fn write(contents: &Contents) -> serde_json::Result<String> {
    let marks = &contents.marks;
    let messages = contents.messages(Joining::Roles);
    let messages: serde_json::Result<Vec<_>> =
        messages.map(|(before, blocks)| message(before, blocks, marks)).collect();
    let system = contents
        .system
        .map(|text| vec![Content { kind: Kind::Text { text }, cache_control: marks.of_system() }]);
    serde_json::to_string(&Request { system, messages: messages? })
}

fn message<'b>(
    before: usize,
    blocks: &'b [Block],
    marks: &Marks,
) -> serde_json::Result<Message<Vec<Content<'b>>>> {
    let role = match blocks.first() {
        Some(Block::Assistant(_) | Block::Call { .. }) => "assistant",
        _ => "user",
    };
    let content = |(at, block)| {
        Ok(Content { kind: kind(block)?, cache_control: marks.of_block(before + at) })
    };
    let content: serde_json::Result<Vec<_>> = blocks.iter().enumerate().map(content).collect();
    Ok(Message { role, content: content? })
}

fn kind<'b>(block: &'b Block) -> serde_json::Result<Kind<'b>> {
    Ok(match block {
        Block::User(text) | Block::Assistant(text) => Kind::Text { text },
        Block::Call { id, name, input } => Kind::ToolUse { id, name, input: raw(input)? },
        Block::Result { id, output, is_error, .. } => Kind::ToolResult {
            tool_use_id: id,
            content: output,
            is_error: is_error.then_some(true),
        },
    })
}
