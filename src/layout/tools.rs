//! The texts of tool calls and their results inside a message.

use super::{LayoutText, text};

/// What begins the lines of tool calls and results. A call goes on with the name of the tool and its
/// arguments; what a result says stands below its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolLines {
    /// Before the name of a tool that is called.
    pub call: LayoutText,
    /// Above what a tool has returned.
    pub result: LayoutText,
    /// The same if the tool has failed.
    pub error: LayoutText,
}

/// Those of every layout that is compiled in. Managers store messages with them.
pub const TOOL_LINES: ToolLines =
    ToolLines { call: text("→ "), result: text("← result"), error: text("← error") };
