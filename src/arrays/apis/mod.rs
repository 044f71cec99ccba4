//! Each API in a file of its own: what it counts besides texts, what a request may look like, and how one
//! is written.
//!
//! Each file gives the source of its figures. Providers publish few of the costs; the others are
//! estimates on the high side, so that budgets hold, and were not measured at the APIs.

pub(super) mod ai_sdk;
pub(super) mod anthropic;
pub(super) mod gemini;
pub(super) mod openai;

use super::Api;
use super::cache::CacheRules;
use crate::tokens::Vocabulary;

/// What a request to an API may look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// What is joined into one message.
    pub joining: Joining,
    /// The longest name of a tool, in characters.
    pub max_name: usize,
    /// Characters allowed in a tool name besides letters, digits, `_` and `-`.
    pub name_marks: &'static [u8],
    /// The longest id of a call, in characters.
    pub max_id: usize,
    /// The default vocabulary for counting tokens.
    pub vocabulary: Option<Vocabulary>,
    /// The rules of the provider's cache.
    pub cache: CacheRules,
}

impl Rules {
    /// The rules of an API.
    pub const fn of(api: Api) -> &'static Rules {
        match api {
            Api::Anthropic => &anthropic::RULES,
            Api::OpenAi => &openai::RESPONSES_RULES,
            Api::OpenAiChat => &openai::CHAT_RULES,
            Api::Gemini => &gemini::RULES,
            Api::AiSdk => &ai_sdk::RULES,
        }
    }

    /// Whether a tool may have this name.
    pub fn allow_name(&self, name: &str) -> bool {
        let is_allowed = |byte: u8| {
            byte.is_ascii_alphanumeric() || b"_-".contains(&byte) || self.name_marks.contains(&byte)
        };
        (1..=self.max_name).contains(&name.len()) && name.bytes().all(is_allowed)
    }
}

/// Which neighbours are joined into one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joining {
    /// All of one role, so that roles alternate. Tool results count as the user's.
    Roles,
    /// The same, but tool results have a role of their own.
    RolesAndResults,
    /// Tool calls, and the text before them.
    Calls,
    /// None.
    Nothing,
}

/// Tokens around the texts of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Costs {
    /// Each request, including what makes the model answer.
    pub request: usize,
    /// A system text beside the messages.
    pub system: usize,
    /// Each request that has tools.
    pub tools: usize,
    /// Each tool of a request, besides its definition.
    pub tool: usize,
    /// Each message.
    pub message: usize,
    /// Each part of a message.
    pub part: usize,
    /// Each tool call, besides its name and arguments.
    pub call: usize,
    /// Each tool result, besides its text.
    pub result: usize,
    /// Each image, whatever its size: the maximum.
    pub image: usize,
}

/// The numbers of things that have a cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shape {
    /// Messages.
    pub messages: usize,
    /// Parts of messages that are neither calls nor results.
    pub parts: usize,
    /// Tool calls.
    pub calls: usize,
    /// Tool results.
    pub results: usize,
    /// Images.
    pub images: usize,
}

impl Costs {
    /// What an API counts besides texts.
    pub fn of(api: Api) -> &'static Costs {
        match api {
            Api::Anthropic => &anthropic::COSTS,
            Api::OpenAi | Api::OpenAiChat => &openai::COSTS,
            Api::Gemini => &gemini::COSTS,
            Api::AiSdk => &ai_sdk::COSTS,
        }
    }

    /// The tokens of messages besides their texts.
    pub fn around(&self, shape: &Shape) -> usize {
        let Shape { messages, parts, calls, results, images } = *shape;
        [
            (messages, self.message),
            (parts, self.part),
            (calls, self.call),
            (results, self.result),
            (images, self.image),
        ]
        .into_iter()
        .fold(0, |sum, (count, cost)| usize::saturating_add(sum, count.saturating_mul(cost)))
    }

    /// The larger of each cost.
    const fn or_more(self, other: Costs) -> Costs {
        Costs {
            request: larger(self.request, other.request),
            system: larger(self.system, other.system),
            tools: larger(self.tools, other.tools),
            tool: larger(self.tool, other.tool),
            message: larger(self.message, other.message),
            part: larger(self.part, other.part),
            call: larger(self.call, other.call),
            result: larger(self.result, other.result),
            image: larger(self.image, other.image),
        }
    }
}

const fn larger(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ai_sdk_costs_at_least_as_much_as_every_provider() {
        let sdk = Costs::of(Api::AiSdk);
        for api in Api::ALL {
            assert_eq!(sdk.or_more(*Costs::of(api)), *sdk, "{api:?}");
        }
    }

    #[test]
    fn each_message_part_and_tool_block_is_counted() {
        let costs = Costs::of(Api::OpenAiChat);
        let shape = Shape { messages: 3, parts: 2, calls: 1, results: 1, images: 1 };
        let expected = 3 * costs.message + 2 * costs.part + costs.call + costs.result + costs.image;
        assert_eq!(costs.around(&shape), expected);
        assert_eq!(costs.around(&Shape { messages: usize::MAX, ..shape }), usize::MAX);
    }
}
