//! What a turn is asked for with.

use super::{Texts, TokenizerFields, optional_count, texts};
use crate::arrays::{Api, Caching};
use crate::binding::strings::JsText;
use crate::manager::{RouteOptions, TurnOptions};
use crate::tokens::Tokenizer;
use napi_derive::napi;

/// The options of `assembleForAgent` and its like.
#[napi(object, object_to_js = false)]
pub struct TurnFields {
    pub agent_id: String,
    pub agent_type: String,
    pub system_instruction: Option<Texts>,
    pub instruction_file_text: Option<JsText>,
    pub window_size_override: Option<f64>,
    pub recipient: Option<String>,
    pub session: Option<String>,
    pub show_sender: Option<bool>,
    pub max_tokens: Option<f64>,
    pub tokenizer: Option<TokenizerFields>,
    pub max_siblings: Option<f64>,
    pub force_parent_reinsertion: Option<bool>,
    pub route: Option<RouteFields>,
    /// The name of an API whose request is made.
    pub api: Option<String>,
    pub cache: Option<String>,
    pub model: Option<String>,
}

/// A route.
#[napi(object, object_to_js = false)]
pub struct RouteFields {
    pub parent_message_id: String,
    pub target_member_id: String,
    pub intent: Option<String>,
}

impl TurnFields {
    /// The options of a turn that an assembler makes.
    pub fn options(self, assembler: usize) -> TurnOptions {
        let (max_siblings, reinsert_parent) = (self.max_siblings, self.force_parent_reinsertion);
        TurnOptions {
            assembler,
            agent_id: self.agent_id,
            // The only other value is its absence.
            session: self.session.is_some(),
            instruction: texts(self.system_instruction),
            file: self.instruction_file_text.map(String::from).unwrap_or_default(),
            window_size: optional_count(self.window_size_override),
            recipient: self.recipient,
            show_sender: self.show_sender,
            max_tokens: optional_count(self.max_tokens),
            tokenizer: self.tokenizer.map(Tokenizer::from),
            api: self.api.as_deref().and_then(Api::parse),
            caching: self.cache.as_deref().and_then(Caching::parse).unwrap_or_default(),
            model: self.model,
            new_fence_key: None,
            counted: Vec::new(),
            route: self.route.map(|route| RouteOptions {
                parent_id: route.parent_message_id,
                target_id: route.target_member_id,
                intent: route.intent,
                max_siblings: optional_count(max_siblings),
                reinsert_parent,
            }),
        }
    }
}
