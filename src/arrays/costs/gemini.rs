//! Gemini. Read on 2026-11-18.

use super::Costs;

/// - `request`, `message`, `system`: not published. In the open chat format of Gemma, of the same
///   maker, a message has 5 tokens besides its text, and 4 begin the text and the answer.
/// - `tools`, `tool`, `call`, `result`: not published. As many as OpenAI's.
/// - `image`: guide "Media resolution": 1,120 tokens for Gemini 3 by default. For Gemini 2.5, 258 for
///   each tile.
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
