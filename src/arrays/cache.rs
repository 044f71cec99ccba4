//! What to mark for a provider's cache.
//!
//! A cache keeps the beginnings of requests. Where it must be told, a mark ends a part that the
//! member's next request begins with as well:
//!
//! 1. What changes least comes first: the system text, then task, summary and old pinned messages,
//!    then the conversation up to the newest message that reads the same in the next request. While
//!    messages are dropped every turn, there is no such message.
//! 2. A provider looks back only a limited number of blocks from a mark for cached text. Remaining
//!    marks go before that one, so that a member still finds its cached text after others have said
//!    a lot.
//! 3. No mark is placed below the model's minimum; for an unknown model, the largest minimum
//!    applies.
//! 4. Marks do not change what is shown, and cost nothing.

use super::Api;
use super::apis::Rules;
use super::blocks::Block;
use crate::text::{fnv1a_128, trim_js};
use serde::Serialize;

/// The rules of a provider's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheRules {
    /// The most marks per request.
    pub max_marks: usize,
    /// How many blocks the provider looks back from a mark.
    pub lookback: usize,
    /// The fewest tokens before a mark, by a part of the model's name.
    pub minimums: &'static [(&'static str, usize)],
    /// Whether a request carries a key shared by requests that begin alike.
    pub has_key: bool,
}

impl CacheRules {
    /// For a provider that caches by itself.
    pub const NOTHING_TO_MARK: CacheRules =
        CacheRules { max_marks: 0, lookback: 0, minimums: &[], has_key: false };

    fn of(api: Api, model: Option<&str>) -> &'static CacheRules {
        match (api, model) {
            // Its list may go to any provider.
            (Api::AiSdk, Some(model)) if model.to_ascii_lowercase().contains("claude") => {
                &Rules::of(Api::Anthropic).cache
            }
            _ => &Rules::of(api).cache,
        }
    }

    /// The fewest tokens before a mark. Model names come in many forms: `claude-opus-4-5-20251101`,
    /// `anthropic/claude-opus-4.5`, `us.anthropic.claude-opus-4-5-v1:0`.
    fn minimum(&self, model: Option<&str>) -> usize {
        let model = model.unwrap_or_default().to_ascii_lowercase().replace('.', "-");
        let named = self.minimums.iter().find(|(name, _)| {
            model.find(name).is_some_and(|at| !has_minor_version(&model[at + name.len()..]))
        });
        let largest = || self.minimums.iter().map(|(_, minimum)| *minimum).max();
        named.map(|(_, minimum)| *minimum).or_else(largest).unwrap_or_default()
    }
}

/// Whether the text after a model's name makes it another model: `opus-4` is not `opus-4-9`, but it
/// is `opus-4-20250514`.
fn has_minor_version(rest: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    digits(rest) > 0 || rest.strip_prefix('-').is_some_and(|rest| (1..=2).contains(&digits(rest)))
}

/// How the caller wants the cache used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Caching {
    /// Marks with the provider's default lifetime.
    #[default]
    Auto,
    /// No marks and no key.
    None,
    /// Marks that live for five minutes.
    FiveMinutes,
    /// Marks that live for an hour.
    OneHour,
}

impl Caching {
    /// Parses the value that callers use.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "auto" => Caching::Auto,
            "none" => Caching::None,
            "5m" => Caching::FiveMinutes,
            "1h" => Caching::OneHour,
            _ => return None,
        })
    }

    fn control(self) -> CacheControl {
        let ttl = match self {
            Caching::Auto | Caching::None => None,
            Caching::FiveMinutes => Some("5m"),
            Caching::OneHour => Some("1h"),
        };
        CacheControl { r#type: "ephemeral", ttl }
    }
}

/// A mark in Anthropic's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CacheControl {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl: Option<&'static str>,
}

/// Where the parts of a request end, counted in blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ends {
    /// Before the conversation's messages, except pinned ones older than the others.
    pub fixed: usize,
    /// Whether that is more than the title of the conversation.
    pub has_fixed_text: bool,
    /// After what the next request begins with as well; 0 if that is no more than `fixed`.
    pub stable: usize,
}

/// What is marked in a request.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Whether the system text is marked.
    system: bool,
    /// The marked blocks, ascending.
    blocks: Vec<usize>,
    control: Option<CacheControl>,
}

impl Marks {
    /// The mark of the system text.
    pub fn of_system(&self) -> Option<CacheControl> {
        self.control.filter(|_| self.system)
    }

    /// The mark of a block.
    pub fn of_block(&self, block: usize) -> Option<CacheControl> {
        self.control.filter(|_| self.blocks.binary_search(&block).is_ok())
    }
}

/// Decides what to mark.
pub fn marks(
    (api, caching, model): (Api, Caching, Option<&str>),
    system: Option<&str>,
    blocks: &[Block],
    ends: Ends,
) -> Marks {
    let rules = CacheRules::of(api, model);
    if caching == Caching::None || rules.max_marks == 0 {
        return Marks::default();
    }
    let Some(first) = first_allowed(rules.minimum(model), system, blocks, api) else {
        return Marks::default();
    };
    // With the AI SDK, a system text is a string and has no mark of its own.
    let system = first == 0 && api != Api::AiSdk;
    let mut left = rules.max_marks - usize::from(system);
    let mut ends_of_marks = Vec::with_capacity(left);
    if ends.has_fixed_text && ends.fixed >= first.max(1) {
        ends_of_marks.push(ends.fixed);
        left -= 1;
    }
    let stride = rules.lookback.saturating_sub(1).max(1);
    let in_conversation = (first.max(ends.fixed + 1)..=ends.stable).rev().step_by(stride);
    ends_of_marks.extend(in_conversation.take(left));
    ends_of_marks.sort_unstable();
    let blocks = ends_of_marks.into_iter().map(|end| end - 1).collect();
    Marks { system, blocks, control: Some(caching.control()) }
}

/// The approximate bytes per token of prose or code; other scripts have fewer. An estimate, so that
/// a request is the same whether tokens are counted or not: a mark below the minimum does no harm.
const BYTES_PER_TOKEN: usize = 4;

/// How many blocks precede the first mark that is not below the minimum; `None` if no block reaches
/// it.
fn first_allowed(
    minimum: usize,
    system: Option<&str>,
    blocks: &[Block],
    api: Api,
) -> Option<usize> {
    let system = system.unwrap_or_default();
    let mut bytes = system.len();
    let least = minimum.saturating_mul(BYTES_PER_TOKEN);
    if bytes >= least && !trim_js(system).is_empty() {
        return Some(0);
    }
    let reaches = |block: &Block| {
        bytes += block.counted(api).iter().map(|text| text.len()).sum::<usize>();
        bytes >= least
    };
    blocks.iter().position(reaches).map(|index| index + 1)
}

/// The key of requests that begin alike: those of one member in one conversation. It reveals
/// nothing about its inputs.
pub fn key((api, caching, model): (Api, Caching, Option<&str>), parts: &[&str]) -> Option<String> {
    if caching == Caching::None || !CacheRules::of(api, model).has_key {
        return None;
    }
    // Sizes are included so that the boundaries between parts are unambiguous.
    let sized: String = parts.iter().map(|part| format!("{}:{part}", part.len())).collect();
    Some(format!("promptmason-{:032x}", fnv1a_128(sized.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANTHROPIC: &CacheRules = &Rules::of(Api::Anthropic).cache;

    #[test]
    fn models_are_found_in_any_spelling() {
        for (model, minimum) in [
            ("claude-opus-4-5", 4096),
            ("claude-opus-4-5-20251101", 4096),
            ("anthropic/claude-opus-4.5", 4096),
            ("us.anthropic.claude-haiku-4-5-20251001-v1:0", 4096),
            ("claude-opus-4-20250514", 1024),
            ("claude-opus-4-1-20250805", 1024),
            ("claude-opus-4@20250514", 1024),
            ("Claude-Sonnet-4-5", 1024),
            ("claude-3-5-haiku-latest", 2048),
            ("claude-opus-5", 512),
            // Unknown models get the largest minimum.
            ("claude-opus-4-9", 4096),
            ("claude-opus-55", 4096),
            ("claude-opus-5-1", 4096),
            ("my-gateway", 4096),
            ("", 4096),
        ] {
            assert_eq!(ANTHROPIC.minimum(Some(model)), minimum, "{model}");
        }
        assert_eq!(ANTHROPIC.minimum(None), 4096);
    }

    fn texts(count: usize) -> Vec<Block<'static>> {
        // 512 tokens each, estimated by bytes.
        (0..count).map(|_| Block::User("x".repeat(2048).into())).collect()
    }

    fn marked(system: Option<&str>, count: usize, ends: Ends) -> (bool, Vec<usize>) {
        let wanted = (Api::Anthropic, Caching::Auto, Some("claude-opus-4-5"));
        let Marks { system, blocks, .. } = marks(wanted, system, &texts(count), ends);
        (system, blocks)
    }

    #[test]
    fn the_most_stable_content_is_marked_first() {
        let system = "s".repeat(4 * 4096);
        let ends = Ends { fixed: 2, has_fixed_text: true, stable: 100 };
        assert_eq!(marked(Some(&system), 100, ends), (true, vec![1, 80, 99]));
        let untitled = Ends { has_fixed_text: false, ..ends };
        assert_eq!(marked(Some(&system), 100, untitled), (true, vec![61, 80, 99]));
        assert_eq!(marked(None, 100, untitled), (false, vec![42, 61, 80, 99]));
        // Content that changes is not marked.
        assert_eq!(marked(None, 100, Ends { stable: 30, ..untitled }), (false, vec![10, 29]));
    }

    #[test]
    fn nothing_is_marked_below_the_minimum() {
        let ends = |stable| Ends { fixed: 1, has_fixed_text: true, stable };
        assert_eq!(marked(None, 7, ends(7)), (false, vec![]));
        assert_eq!(marked(None, 8, ends(8)), (false, vec![7]));
        assert_eq!(marked(Some("short"), 30, ends(30)), (false, vec![10, 29]));
        assert_eq!(marked(Some(&"s".repeat(4 * 4095)), 1, ends(1)), (false, vec![0]));
        assert_eq!(marked(None, 0, Ends::default()), (false, vec![]));
    }

    #[test]
    fn keys_fit_the_limit_and_differ() {
        let openai = (Api::OpenAi, Caching::Auto, None);
        let one = key(openai, &["sarah", "ab"]).unwrap_or_default();
        assert_eq!(one.len(), 44);
        assert_ne!(Some(one), key(openai, &["saraha", "b"]));
        assert_eq!(key((Api::OpenAi, Caching::None, None), &["sarah"]), None);
        assert_eq!(key((Api::Gemini, Caching::Auto, None), &["sarah"]), None);
    }
}
