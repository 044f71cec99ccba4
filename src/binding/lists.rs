//! What `lib/lists/` calls.

use super::fields::{TokenizerFields, count};
use super::strings::JsText;
use crate::arrays::Api;
use crate::arrays::apis::Shape;
use crate::arrays::list::{ListBudget, Measured};
use crate::error::Error;
use crate::tokens::Tokenizer;
use napi_derive::napi;

/// How many of what has a cost there is.
#[napi(object, object_to_js = false)]
pub struct ListShape {
    pub messages: u32,
    pub parts: u32,
    pub calls: u32,
    pub results: u32,
    pub images: u32,
    /// Tokens that JavaScript has counted.
    pub tokens: f64,
}

/// What of a list is kept.
#[napi(object, object_from_js = false)]
pub struct KeptOfList {
    /// How many of the newest steps are kept.
    pub steps: u32,
    /// The tokens of the request.
    pub tokens: i64,
}

/// A budget for a list.
#[napi]
pub struct NativeListBudget {
    budget: ListBudget,
}

#[napi]
impl NativeListBudget {
    #[napi(constructor, catch_unwind)]
    pub fn new(api: String, tokenizer: TokenizerFields, max_tokens: f64) -> napi::Result<Self> {
        let Some(api) = Api::parse(&api) else {
            return Err(Error::Internal(format!("there is no API {api}")).into());
        };
        let budget = ListBudget::new(api, Tokenizer::from(tokenizer), count(max_tokens));
        Ok(NativeListBudget { budget })
    }

    /// Counts a system text beside the messages.
    #[napi(catch_unwind)]
    pub fn add_system(&mut self, texts: Vec<JsText>, shape: ListShape) {
        self.budget.add_system(&measured(&texts, &shape));
    }

    /// Counts a message that stays.
    #[napi(catch_unwind)]
    pub fn add_staying(&mut self, texts: Vec<JsText>, shape: ListShape) {
        self.budget.add_staying(&measured(&texts, &shape));
    }

    /// Counts the definitions of this many tools.
    #[napi(catch_unwind)]
    pub fn add_tools(&mut self, tools: u32, texts: Vec<JsText>, shape: ListShape) {
        self.budget.add_tools(tools as usize, &measured(&texts, &shape));
    }

    /// Names the opening of the turn whose steps are offered next. Returns whether more may fit.
    #[napi(catch_unwind)]
    pub fn open_turn(&mut self, texts: Vec<JsText>, shape: ListShape) -> bool {
        self.budget.open_turn(&measured(&texts, &shape))
    }

    /// Offers a step. Returns whether more may fit.
    #[napi(catch_unwind)]
    pub fn offer(&mut self, texts: Vec<JsText>, shape: ListShape) -> bool {
        self.budget.offer(&measured(&texts, &shape))
    }

    /// Offers the opening of the turn. Returns whether more may fit.
    #[napi(catch_unwind)]
    pub fn offer_opening(&mut self) -> bool {
        self.budget.offer_opening()
    }

    /// What is kept.
    #[napi(catch_unwind)]
    pub fn finish(&self) -> napi::Result<KeptOfList> {
        let (steps, tokens) = self.budget.finish()?;
        Ok(KeptOfList { steps: steps as u32, tokens: tokens as i64 })
    }
}

fn measured<'t>(texts: &'t [JsText], shape: &ListShape) -> Measured<'t, JsText> {
    let ListShape { messages, parts, calls, results, images, tokens } = *shape;
    let [messages, parts, calls, results, images] =
        [messages, parts, calls, results, images].map(|number| number as usize);
    let shape = Shape { messages, parts, calls, results, images };
    Measured { texts, shape, tokens: count(tokens) }
}
