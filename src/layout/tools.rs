//! The texts of tool calls and their results inside a message.

use super::{LayoutText, text};

/// What begins the lines of tool calls and results. In a call, the name of the tool and its
/// arguments follow; the text of a result stands below its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolLines {
    /// Before the name of a tool that is called.
    pub call: LayoutText,
    /// Above what a tool returned.
    pub result: LayoutText,
    /// The same, if the tool failed.
    pub error: LayoutText,
}

/// The lines of every built-in layout. Managers store messages with them.
pub const TOOL_LINES: ToolLines =
    ToolLines { call: text("→ "), result: text("← result"), error: text("← error") };
