//! Gemini. Looked up on 2026-11-18.

use super::{CacheRules, Costs, Joining, Rules};

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
