//! `instructions` and `input` of OpenAI's Responses.

use super::{Contents, Message, output_text};
use crate::arrays::blocks::Block;
use serde::Serialize;

#[derive(Serialize)]
struct Request<'b> {
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'b str>,
    input: Vec<Item<'b>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<&'b str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Item<'b> {
    Message(Message<&'b str>),
    Tool(Tool<'b>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Tool<'b> {
    FunctionCall { call_id: &'b str, name: &'b str, arguments: &'b str },
    FunctionCallOutput { call_id: &'b str, output: String },
}

pub fn write(contents: &Contents) -> serde_json::Result<String> {
    serde_json::to_string(&Request {
        instructions: contents.system,
        input: contents.blocks.iter().map(item).collect(),
        prompt_cache_key: contents.key.as_deref(),
    })
}

fn item<'b>(block: &'b Block) -> Item<'b> {
    match block {
        Block::User(content) => Item::Message(Message { role: "user", content }),
        Block::Assistant(content) => Item::Message(Message { role: "assistant", content }),
        Block::Call { id, name, input } => {
            Item::Tool(Tool::FunctionCall { call_id: id, name, arguments: input })
        }
        Block::Result { id, output, is_error, .. } => Item::Tool(Tool::FunctionCallOutput {
            call_id: id,
            output: output_text(output, *is_error),
        }),
    }
}
