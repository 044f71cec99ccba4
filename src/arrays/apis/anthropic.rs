//! Anthropic. Looked up on 2026-11-18, in copies of the pages.

use super::{CacheRules, Costs, Joining, Rules};
use crate::arrays::blocks::Block;
use crate::arrays::json::Json;
use crate::arrays::write::Contents;

/// - `tools`: guide "Tool use pricing and tokens": 530 tokens for Claude 3 Opus, which is the most in
///   the copy that was looked up. It does not list later models.
/// - `image`: Claude Opus 4.7 takes images of up to 2,576 pixels, about three times the 1,560 tokens
///   that were the most before. The exact maximum was not found: this is rounded up.
/// - `request`, `message`, `system`, `part`, `tool`, `call`, `result`: not published, and not measured
///   at the API. Estimates, on the high side: calls and results are thought of as wrapped in tags.
pub const COSTS: Costs = Costs {
    request: 3,
    system: 3,
    tools: 530,
    tool: 8,
    message: 5,
    part: 1,
    call: 32,
    result: 16,
    image: 4800,
};

/// - `joining`: reference of Messages: consecutive turns of one role are combined into one. Other
///   services with this form refuse them, so they are joined here.
/// - `max_name`, `max_id`: the API's errors quote the patterns `^[a-zA-Z0-9_-]{1,128}$` for names and
///   `^[a-zA-Z0-9_-]+$` for ids. Bedrock, which takes this form, has 64 for both.
pub const RULES: Rules = Rules {
    joining: Joining::Roles,
    max_name: 64,
    name_marks: b"",
    max_id: 64,
    vocabulary: None,
    cache: CACHE,
};

/// - `max_marks`, `lookback`: guide "Prompt caching": at most 4 marks, a fifth is an error. From each
///   one, 20 blocks back are compared with what was cached before.
/// - `minimums`: the same guide. Its figures have changed: these are as of 2026-10, and others who
///   have measured them write the same. Below them, a mark does nothing, without an error.
pub const CACHE: CacheRules = CacheRules {
    max_marks: 4,
    lookback: 20,
    minimums: &[
        ("opus-5", 512),
        ("fable-5", 512),
        ("mythos-5", 512),
        ("opus-4-8", 1024),
        ("sonnet-5", 1024),
        ("sonnet-4-6", 1024),
        ("sonnet-4-5", 1024),
        ("opus-4-1", 1024),
        ("opus-4", 1024),
        ("sonnet-4", 1024),
        ("3-7-sonnet", 1024),
        ("3-5-sonnet", 1024),
        ("3-opus", 1024),
        ("opus-4-7", 2048),
        ("3-5-haiku", 2048),
        ("3-haiku", 2048),
        ("opus-4-6", 4096),
        ("opus-4-5", 4096),
        ("haiku-4-5", 4096),
    ],
    has_key: false,
};

/// `system` and `messages` of Messages.
pub fn write(contents: &Contents, json: &mut Json) {
    let marks = &contents.marks;
    if let Some(text) = contents.system {
        json.array_at("system", |json| {
            json.object(|json| {
                json.field("type", "text");
                json.field("text", text);
                json.optional("cache_control", marks.of_system());
            });
        });
    }
    json.array_at("messages", |json| {
        for (before, blocks) in contents.messages(Joining::Roles) {
            json.object(|json| {
                json.field("role", if blocks[0].is_of_assistant() { "assistant" } else { "user" });
                json.array_at("content", |json| {
                    for (at, block) in blocks.iter().enumerate() {
                        json.object(|json| {
                            write_block(block, json);
                            json.optional("cache_control", marks.of_block(before + at));
                        });
                    }
                });
            });
        }
    });
}

fn write_block(block: &Block, json: &mut Json) {
    match block {
        Block::User(text) | Block::Assistant(text) => {
            json.field("type", "text");
            json.field("text", text);
        }
        Block::Call { id, name, input } => {
            json.field("type", "tool_use");
            json.field("id", id);
            json.field("name", name);
            json.raw("input", input);
        }
        Block::Result { id, output, is_error, .. } => {
            json.field("type", "tool_result");
            json.field("tool_use_id", id);
            json.field("content", output);
            json.optional("is_error", is_error.then_some(true));
        }
    }
}
