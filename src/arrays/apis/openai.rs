//! OpenAI, Chat Completions and Responses. Looked up on 2026-11-18, in copies of the pages.

use super::{CacheRules, Costs, Joining, Rules};
use crate::arrays::blocks::Block;
use crate::arrays::json::Json;
use crate::arrays::write::{Contents, output_text};
use crate::tokens::Vocabulary;

/// - `request`, `message`: OpenAI Cookbook, "How to count tokens with Tiktoken": 3 tokens that begin
///   the answer; 3 for each message, and 1 for its role.
/// - `tools`, `tool`: the same page, for GPT-4o: 12 at the end of the definitions, 7 for each. The
///   definitions themselves are counted as JSON, which is longer than what the model is shown.
/// - `image`: guide "Images and vision": 1,536 patches at most, 2.46 tokens each for GPT-4.1 nano,
///   which is the most.
/// - `call`, `result`: not published for the API. In the Harmony format of gpt-oss, a call has 13
///   tokens of o200k besides name and arguments, and a result has 11. Not measured at the API.
/// - `system`, `part`: not published. As a message, and one token.
pub const COSTS: Costs = Costs {
    request: 3,
    system: 4,
    tools: 12,
    tool: 7,
    message: 4,
    part: 1,
    call: 14,
    result: 12,
    image: 3779,
};

/// Responses: every item stands for itself.
///
/// - `max_name`: reference of function calling: letters, digits, `_` and `-`, at most 64.
/// - `max_id`: the reference of `call_id` says 1 to 64 characters.
/// - `vocabulary`: o200k is that of every model since GPT-4o.
/// - `cache`: guide "Prompt caching": what requests begin with is cached without being marked, from
///   1,024 tokens on. `prompt_cache_key` says which requests begin alike, so that they reach the same
///   machine. The API refuses one of more than 64 characters.
pub const RESPONSES_RULES: Rules = Rules {
    joining: Joining::Nothing,
    max_name: 64,
    name_marks: b"",
    max_id: 64,
    vocabulary: Some(Vocabulary::O200k),
    cache: CacheRules { has_key: true, ..CacheRules::NOTHING_TO_MARK },
};

/// Chat Completions: the same, but calls belong to a message of the assistant. `max_id`: the API
/// says "maximum length 40" of ids in `tool_calls`.
pub const CHAT_RULES: Rules = Rules { joining: Joining::Calls, max_id: 40, ..RESPONSES_RULES };

/// `instructions` and `input` of Responses.
pub fn write_items(contents: &Contents, json: &mut Json) {
    json.optional("instructions", contents.system);
    json.array_at("input", |json| {
        contents.blocks.iter().for_each(|block| json.object(|json| write_item(block, json)));
    });
    json.optional("prompt_cache_key", contents.key.as_deref());
}

fn write_item(block: &Block, json: &mut Json) {
    match block {
        Block::User(text) | Block::Assistant(text) => {
            json.field("role", if block.is_of_assistant() { "assistant" } else { "user" });
            json.field("content", text);
        }
        Block::Call { id, name, input } => {
            json.field("type", "function_call");
            json.field("call_id", id);
            json.field("name", name);
            json.field("arguments", input);
        }
        Block::Result { id, output, is_error, .. } => {
            json.field("type", "function_call_output");
            json.field("call_id", id);
            json.field("output", output_text(output, *is_error));
        }
    }
}

/// `messages` of Chat Completions.
pub fn write_chat(contents: &Contents, json: &mut Json) {
    json.array_at("messages", |json| {
        if let Some(text) = contents.system {
            json.object(|json| {
                json.field("role", "system");
                json.field("content", text);
            });
        }
        for (_, blocks) in contents.messages(Joining::Calls) {
            json.object(|json| write_message(blocks, json));
        }
    });
    json.optional("prompt_cache_key", contents.key.as_deref());
}

/// One text or one result; or calls, perhaps with a text before them.
fn write_message(blocks: &[Block], json: &mut Json) {
    match &blocks[0] {
        Block::User(text) => {
            json.field("role", "user");
            json.field("content", text);
        }
        Block::Result { id, output, is_error, .. } => {
            json.field("role", "tool");
            json.field("tool_call_id", id);
            json.field("content", output_text(output, *is_error));
        }
        Block::Assistant(_) | Block::Call { .. } => write_assistant(blocks, json),
    }
}

fn write_assistant(blocks: &[Block], json: &mut Json) {
    let said = blocks.iter().find_map(|block| match block {
        Block::Assistant(text) => Some(text),
        _ => None,
    });
    json.field("role", "assistant");
    json.field("content", said);
    if !blocks.iter().any(|block| matches!(block, Block::Call { .. })) {
        return;
    }
    json.array_at("tool_calls", |json| {
        for block in blocks {
            let Block::Call { id, name, input } = block else { continue };
            json.object(|json| {
                json.field("id", id);
                json.field("type", "function");
                json.object_at("function", |json| {
                    json.field("name", name);
                    json.field("arguments", input);
                });
            });
        }
    });
}
