//! What is done to a text, whoever wrote it: JavaScript's trim, cuts that never
//! split a character the reader sees, and lines.

mod cut;
mod one_line;
mod trim;

pub use cut::{first_grapheme, head, shorten, shorten_ends};
pub use one_line::one_line;
pub use trim::{is_js_whitespace, trim_js};
