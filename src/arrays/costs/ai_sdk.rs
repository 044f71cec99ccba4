//! The AI SDK, which sends a list to any provider.

use super::{Costs, anthropic, gemini, openai};

/// Whatever the provider is: of each cost the largest.
pub const COSTS: Costs = anthropic::COSTS.or_more(openai::COSTS).or_more(gemini::COSTS);
