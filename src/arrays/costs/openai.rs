//! OpenAI, Chat Completions and Responses. Read on 2026-11-18.

use super::Costs;

/// - `request`, `message`: OpenAI Cookbook, "How to count tokens with Tiktoken": 3 tokens that begin
///   the answer; 3 for each message, and 1 for its role.
/// - `tools`, `tool`: the same page, for GPT-4o: 12 at the end of the definitions, 7 for each. The
///   definitions themselves are counted as JSON, which is longer than what the model is shown.
/// - `call`, `result`: not published for the API. In the open format of gpt-oss ("OpenAI Harmony
///   response format"), a call has 11 tokens besides name and arguments, and a result has 9.
/// - `image`: guide "Images and vision": 1,536 patches at most, 1.62 tokens each for GPT-4.1 mini.
pub const COSTS: Costs = Costs {
    request: 3,
    system: 4,
    tools: 12,
    tool: 7,
    message: 4,
    part: 1,
    call: 12,
    result: 12,
    image: 2489,
};
