//! `messages` of OpenAI's Chat Completions.

use super::{Contents, output_text};
use crate::arrays::apis::Joining;
use crate::arrays::blocks::Block;
use serde::Serialize;

#[derive(Serialize)]
struct Request<'b> {
    messages: Vec<ChatMessage<'b>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<&'b str>,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum ChatMessage<'b> {
    System {
        content: &'b str,
    },
    User {
        content: &'b str,
    },
    Assistant {
        content: Option<&'b str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall<'b>>,
    },
    Tool {
        tool_call_id: &'b str,
        content: String,
    },
}

#[derive(Serialize)]
struct ToolCall<'b> {
    id: &'b str,
    r#type: &'static str,
    function: Function<'b>,
}

#[derive(Serialize)]
struct Function<'b> {
    name: &'b str,
    arguments: &'b str,
}

pub fn write(contents: &Contents) -> serde_json::Result<String> {
    let system = contents.system.map(|content| ChatMessage::System { content });
    let messages = contents.messages(Joining::Calls).map(|(_, blocks)| message(blocks));
    serde_json::to_string(&Request {
        messages: system.into_iter().chain(messages).collect(),
        prompt_cache_key: contents.key.as_deref(),
    })
}

/// One text or one result; or calls, perhaps with a text before them.
fn message<'b>(blocks: &'b [Block]) -> ChatMessage<'b> {
    let mut said = None;
    let mut tool_calls = Vec::new();
    for block in blocks {
        match block {
            Block::User(content) => return ChatMessage::User { content },
            Block::Result { id, output, is_error, .. } => {
                let content = output_text(output, *is_error);
                return ChatMessage::Tool { tool_call_id: id, content };
            }
            Block::Assistant(content) => said = Some(content.as_ref()),
            Block::Call { id, name, input } => {
                let function = Function { name, arguments: input };
                tool_calls.push(ToolCall { id, r#type: "function", function });
            }
        }
    }
    ChatMessage::Assistant { content: said, tool_calls }
}
