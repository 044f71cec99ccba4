//! Gemini. Looked up on 2026-11-18.

use super::Costs;

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
