//! Lists of messages in the forms of model APIs.
//!
//! - [`Api`]: which API it is;
//! - [`apis`]: the rules and costs of each API, with source and date, and its part of writing, one file
//!   each;
//! - [`steps`]: what belongs together in a list that is already in an API's form; [`list`]: how much of
//!   it fits into a budget;
//! - [`cache`]: what to mark for a provider's cache;
//! - [`blocks`]: what the messages of a request are made of; `layout`: its titles and lines;
//! - [`write`]: a request as JSON.

pub mod apis;
pub mod blocks;
pub mod cache;
mod json;
mod layout;
pub mod list;
pub mod steps;
pub mod write;

pub use cache::Caching;
pub use layout::{GO_ON, layout, title};

/// The API, or the library in front of several, that defines the form of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// Anthropic's Messages API.
    Anthropic,
    /// OpenAI's Responses API.
    OpenAi,
    /// OpenAI's Chat Completions API.
    OpenAiChat,
    /// Gemini's `generateContent`.
    Gemini,
    /// The AI SDK's `ModelMessage`.
    AiSdk,
}

impl Api {
    /// All of them.
    pub const ALL: [Api; 5] =
        [Api::Anthropic, Api::OpenAi, Api::OpenAiChat, Api::Gemini, Api::AiSdk];

    /// The name that callers use.
    pub fn name(self) -> &'static str {
        match self {
            Api::Anthropic => "anthropic",
            Api::OpenAi => "openai",
            Api::OpenAiChat => "openai-chat",
            Api::Gemini => "gemini",
            Api::AiSdk => "ai-sdk",
        }
    }

    /// The API with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|api| api.name() == name)
    }
}

/// The form of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayForm {
    /// The API that it is for.
    pub api: Api,
    /// The member whose messages are the assistant's.
    pub member: Option<String>,
    /// How the provider's cache is used.
    pub caching: Caching,
    /// The model of the request, if the caller names it.
    pub model: Option<String>,
    /// What distinguishes the conversation from others, if known.
    pub conversation: Option<String>,
}
