//! The AI SDK, which sends a list to any provider.

use super::{CacheRules, Costs, Joining, Rules, anthropic, gemini, openai};

/// The largest of each cost, because any provider is possible.
pub const COSTS: Costs = anthropic::COSTS.or_more(openai::COSTS).or_more(gemini::COSTS);

/// What every provider accepts.
pub const RULES: Rules = Rules {
    joining: Joining::RolesAndResults,
    max_id: openai::CHAT_RULES.max_id,
    // What to mark depends on the provider: see `CacheRules`.
    cache: CacheRules::NOTHING_TO_MARK,
    ..anthropic::RULES
};
