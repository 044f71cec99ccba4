//! Gemini. Looked up on 2026-11-18.

use super::{CacheRules, Costs, Joining, Rules};
use crate::arrays::blocks::Block;
use crate::arrays::json::Json;
use crate::arrays::write::Contents;

/// - `image`: 1,120 tokens for Gemini 3 by default, by what others write of its guide "Media
///   resolution"; with `ULTRA_HIGH`, twice as many. Pass `fileTokens` for that, and for Gemini 2.5,
///   which counts tiles.
/// - everything else: not published, and not measured at the API. Estimates, on the high side.
pub const COSTS: Costs = Costs {
    request: 4,
    system: 5,
    tools: 12,
    tool: 7,
    message: 5,
    part: 1,
    call: 12,
    result: 12,
    image: 1120,
};

/// - `joining`: guide "Function calling": the responses to all calls of a turn are in the next turn.
///   Roles alternate in every example.
/// - `max_name`, `name_marks`: reference of `FunctionDeclaration`: letters, digits, `_`, `.` and `-`,
///   at most 64.
/// - `max_id`: ids are optional, and none is written: responses are in the order of their calls.
/// - `cache`: guide "Context caching": what requests begin with is cached without being marked.
pub const RULES: Rules = Rules {
    joining: Joining::Roles,
    max_name: 64,
    name_marks: b".",
    max_id: 64,
    vocabulary: None,
    cache: CacheRules::NOTHING_TO_MARK,
};

/// `systemInstruction` and `contents` of `generateContent`.
pub fn write(contents: &Contents, json: &mut Json) {
    if let Some(text) = contents.system {
        json.object_at("systemInstruction", |json| {
            json.array_at("parts", |json| json.object(|json| json.field("text", text)));
        });
    }
    json.array_at("contents", |json| {
        for (_, blocks) in contents.messages(Joining::Roles) {
            json.object(|json| {
                json.field("role", if blocks[0].is_of_assistant() { "model" } else { "user" });
                json.array_at("parts", |json| {
                    blocks.iter().for_each(|block| json.object(|json| write_block(block, json)));
                });
            });
        }
    });
}

fn write_block(block: &Block, json: &mut Json) {
    match block {
        Block::User(text) | Block::Assistant(text) => json.field("text", text),
        Block::Call { name, input, .. } => json.object_at("functionCall", |json| {
            json.field("name", name);
            json.raw("args", input);
        }),
        Block::Result { name, output, is_error, .. } => {
            json.object_at("functionResponse", |json| {
                json.field("name", name);
                let outcome = if *is_error { "error" } else { "output" };
                json.object_at("response", |json| json.field(outcome, output));
            });
        }
    }
}
