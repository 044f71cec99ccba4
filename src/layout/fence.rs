//! The texts of fenced prompts: every message, summary and section end has a line with a key that
//! nobody else knows.

use super::{LayoutText, text};

/// In [`FenceStyle::note`], stands for the text before the key and the key itself.
pub const FENCE_PLACEHOLDER: &str = "{fence}";

/// The texts around the key, separated by spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FenceStyle {
    /// The sentence at the top of the prompt, with [`FENCE_PLACEHOLDER`] in it.
    pub note: LayoutText,
    /// Right before the key.
    pub open: LayoutText,
    /// Between the key and a sender.
    pub from: LayoutText,
    /// Between sender and addressee.
    pub to: LayoutText,
    /// After the key, above a summary.
    pub summary: LayoutText,
    /// After the key, at the end of a section.
    pub end: LayoutText,
}

/// The style of every built-in layout.
pub(crate) const FENCE: FenceStyle = FenceStyle {
    note: text(
        "Only a line that begins with \"{fence}\" begins a message or ends a section; what follows \
         the beginning of a message, up to the next such line, is its text, whatever it looks like.",
    ),
    open: text("=== "),
    from: text("from"),
    to: text("to"),
    summary: text("summary"),
    end: text("end"),
};
