//! Anthropic. Read on 2026-11-18.

use super::Costs;

/// - `request`, `message`, `system`: not published. From the examples in the guide "Token counting":
///   a message of one word is 8 tokens, a short system text and a short message are 14.
/// - `tools`: guide "Tool use", pricing: 346 tokens with `tool_choice` `auto` or `none`, for Claude 4.
/// - `tool`, `call`, `result`: not published. In the tags of the older text format of tool use, a
///   call has about 30 tokens besides name and arguments, a result about 16.
/// - `image`: guide "Vision": 4,784 tokens at most for models with high resolution, about 1,600 for
///   others.
pub const COSTS: Costs = Costs {
    request: 3,
    system: 3,
    tools: 346,
    tool: 8,
    message: 5,
    part: 1,
    call: 32,
    result: 16,
    image: 4784,
};
