//! OpenAI, Chat Completions and Responses. Looked up on 2026-11-18, in copies of the pages.

use super::Costs;

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
