//! Tokens: how many a text is, and which part of a text is how many.
//!
//! ```text
//!  text ──► split ──► pieces ──► cache ──► merge ──► tokens
//!           one pattern          pieces    the vocabulary's
//!           per vocabulary       of late   tables
//! ```
//!
//! - [`Tokenizer`]: what counts: an exact vocabulary, or an estimate;
//! - `vocabulary`: [`Vocabulary`], which counts exactly as OpenAI's own tokenizer does;
//! - `classes`, `split`: the pieces of a text, which are counted one by one;
//! - `unpack`, `tables`: a vocabulary, compressed in the binary and unpacked on first use;
//! - `merge`, `short`, `row`: how many tokens a piece is; `cache`: pieces that were counted lately;
//!   `remembered`: whole texts that were;
//! - `joint`: where texts can be joined so that their counts add up; `backwards`: the count of
//!   texts that are joined anywhere, from the last to the first;
//! - `estimate`, `script`: counts by the size of a text, for models without a public vocabulary;
//!   `learn`: how an estimate is corrected.

mod backwards;
mod cache;
mod classes;
mod estimate;
mod joint;
mod learn;
mod merge;
mod remembered;
mod row;
mod script;
mod short;
mod split;
mod tables;
#[cfg(test)]
mod tests;
mod tokenizer;
mod unpack;
mod vocabulary;

pub use backwards::JoinedBackwards;
pub use estimate::Estimate;
pub use learn::{Learned, MeasuredTurn, Usage, learn};
pub use script::{SCRIPTS, Script, ScriptBytes};
pub use tokenizer::{LAYOUT_SAMPLE, Tokenizer};
pub use vocabulary::{MOST_TOKEN_BYTES, Vocabulary};

/// What a budget is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub enum BudgetUnit {
    /// UTF-8 bytes.
    Bytes,
    /// Tokens.
    Tokens,
}

/// A text that a caller-supplied function has counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CountedText {
    /// The size of the text.
    pub bytes: usize,
    /// How many tokens it is.
    pub tokens: usize,
}
