//! OpenAI, Chat Completions and Responses. Looked up on 2026-11-18, in copies of the pages.

use super::{CacheRules, Costs, Joining, Rules};
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
