//! Anthropic. Looked up on 2026-11-18, in copies of the pages.

use super::Costs;

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
