//! What JavaScript passes, as structs with the names of its tables in `lib/checks/`, and the core's
//! types made of them. JavaScript has checked the types of all values; rules that need the core's
//! data, such as which placements a layout allows, are the core's.

mod assembler;
mod layout;
mod message;
mod prompt;
mod tokenizer;
mod turn;

pub use assembler::AssemblerOptionFields;
pub use layout::LayoutFields;
pub use message::{
    MessageFields, PartFields, RoutingFields, UnreadMessage, late_routing, parts_of,
};
pub use prompt::{MoreAssemblerFields, MorePromptFields, assembler_request, prompt_request};
pub use tokenizer::{ScriptRates, TokenizerFields, estimate};
pub use turn::TurnFields;

use super::strings::JsText;
use napi::bindgen_prelude::Either;
use napi_derive::napi;

/// One text, or several.
pub type Texts = Either<JsText, Vec<JsText>>;

/// The same, in the declarations of native functions.
#[napi(js_name = "Texts")]
#[expect(dead_code, reason = "binding.d.ts learns from it what `Texts` are")]
pub type DeclaredTexts = Either<String, Vec<String>>;

/// The texts of an instruction.
pub fn texts(given: Option<Texts>) -> Vec<String> {
    match given {
        None => Vec::new(),
        Some(Either::A(text)) => vec![text.into()],
        Some(Either::B(texts)) => texts.into_iter().map(String::from).collect(),
    }
}

/// A number that JavaScript has checked: a non-negative integer.
pub fn count(number: f64) -> usize {
    number as usize
}

/// The same for one that may be missing.
pub fn optional_count(number: Option<f64>) -> Option<usize> {
    number.map(count)
}
