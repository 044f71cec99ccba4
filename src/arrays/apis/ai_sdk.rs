//! The AI SDK, which sends a list to any provider.

use super::{CacheRules, Costs, Joining, Rules, anthropic, gemini, openai};
use crate::arrays::blocks::Block;
use crate::arrays::cache::CacheControl;
use crate::arrays::json::Json;
use crate::arrays::write::Contents;

/// The largest of each cost, because any provider is possible.
pub const COSTS: Costs = anthropic::COSTS.or_more(openai::COSTS).or_more(gemini::COSTS);

/// What every provider accepts.
pub const RULES: Rules = Rules {
    joining: Joining::RolesAndResults,
    max_id: openai::CHAT_RULES.max_id,
    // What to mark depends on the provider: see `CacheRules`.
    cache: CacheRules::NOTHING_TO_MARK,
    ..anthropic::RULES
};

/// `system` and `messages`.
pub fn write(contents: &Contents, json: &mut Json) {
    json.optional("system", contents.system);
    json.array_at("messages", |json| {
        for (before, blocks) in contents.messages(Joining::RolesAndResults) {
            json.object(|json| {
                json.field(
                    "role",
                    match blocks[0] {
                        Block::Assistant(_) | Block::Call { .. } => "assistant",
                        Block::Result { .. } => "tool",
                        Block::User(_) => "user",
                    },
                );
                json.array_at("content", |json| {
                    for (at, block) in blocks.iter().enumerate() {
                        let mark = contents.marks.of_block(before + at);
                        json.object(|json| write_block(block, mark, json));
                    }
                });
            });
        }
    });
}

fn write_block(block: &Block, mark: Option<CacheControl>, json: &mut Json) {
    match block {
        Block::User(text) | Block::Assistant(text) => {
            json.field("type", "text");
            json.field("text", text);
        }
        Block::Call { id, name, input } => {
            json.field("type", "tool-call");
            json.field("toolCallId", id);
            json.field("toolName", name);
            json.raw("input", input);
        }
        Block::Result { id, name, output, is_error } => {
            json.field("type", "tool-result");
            json.field("toolCallId", id);
            json.field("toolName", name);
            json.object_at("output", |json| {
                json.field("type", if *is_error { "error-text" } else { "text" });
                json.field("value", output);
            });
        }
    }
    if mark.is_some() {
        json.object_at("providerOptions", |json| {
            json.object_at("anthropic", |json| json.optional("cacheControl", mark));
        });
    }
}
