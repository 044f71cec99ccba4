//! What is done to a text, whoever wrote it: JavaScript's trim, cuts that never
//! split a character the reader sees, and lines.

mod cut;
mod trim;

pub use cut::{first_grapheme, head, shorten};
pub use trim::{is_js_whitespace, trim_js};
