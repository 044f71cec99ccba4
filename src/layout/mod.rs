//! How each agent wants its prompt laid out. Data only: a new agent is a new file
//! with one constant, named in `BUILT_IN` here, and a class in `js/assemblers.js`.

mod bracketed;
mod claude;
mod codex;
mod gemini;
mod plain;

pub use bracketed::MESSAGE_LINE as BRACKETED_LINE;
pub use claude::CLAUDE;
pub use codex::CODEX;
pub use gemini::GEMINI;
pub use plain::PLAIN;

use crate::model::{Part, SystemPlacement};
use crate::text::trim_js;

/// Every layout, that for all other agents last.
pub const BUILT_IN: [&Layout; 4] = [&CLAUDE, &CODEX, &GEMINI, &PLAIN];

/// The layout of an agent, by its type or an alias in any letter case; the plain one for
/// every other agent.
pub fn layout_of(agent_type: &str) -> &'static Layout {
    let wanted = trim_js(agent_type);
    let named = |layout: &&&Layout| {
        let mut names = layout.aliases.iter().chain([&layout.agent_type]);
        names.any(|name| name.eq_ignore_ascii_case(wanted))
    };
    BUILT_IN.iter().find(named).copied().unwrap_or(&PLAIN)
}

/// Between two sections stands one blank line.
pub const SECTION_BREAK: &str = "\n\n";

/// Who a message is for when it does not say.
pub const EVERYONE: &str = "all";

/// The layout of one agent.
#[derive(Debug)]
pub struct Layout {
    /// What `getAgentType` returns.
    pub agent_type: &'static str,
    /// What else people call the agent.
    pub aliases: &'static [&'static str],
    /// Where the system text goes unless the caller says otherwise. Only a CLI with a
    /// flag for it has `Flag` here, and only then may the caller choose.
    pub system_placement: SystemPlacement,
    /// The sections in prompt order; a part that is not listed is left out.
    pub sections: &'static [LayoutSection],
    /// A message of the conversation.
    pub message_line: LineStyle,
    /// A parent message or a sibling reply.
    pub quote_line: LineStyle,
    /// What stands before the identifier of the parent message.
    pub parent_id_label: &'static str,
    /// What stands before the intent.
    pub intent_label: &'static str,
}

impl Layout {
    /// The section of a part, if this layout has it.
    pub fn section(&self, part: Part) -> Option<&'static LayoutSection> {
        self.sections.iter().find(|section| section.part == part)
    }

    /// Whether the system text may go there: beside the prompt only if the CLI has a flag.
    pub fn allows(&self, placement: SystemPlacement) -> bool {
        placement == SystemPlacement::Inline || self.system_placement.in_flag()
    }

    /// The placements that are allowed, for an error message.
    pub fn allowed_placements(&self) -> &'static str {
        match self.allows(SystemPlacement::Flag) {
            true => "'flag', 'inline' or 'both'",
            false => "'inline', as this agent has no system flag",
        }
    }
}

/// A titled section.
#[derive(Debug)]
pub struct LayoutSection {
    /// What it holds.
    pub part: Part,
    /// Stands on a line of its own; empty for none.
    pub title: &'static str,
    /// A line under the title that explains it; empty for none.
    pub note: &'static str,
}

/// How one message becomes a line: the texts around its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineStyle {
    /// Before the sender.
    pub open: &'static str,
    /// Between sender and addressee; `None` leaves the addressee out.
    pub arrow: Option<&'static str>,
    /// Before the content.
    pub colon: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_found_by_type_and_alias_in_any_letter_case() {
        for (name, layout) in [
            ("claude-code", &CLAUDE),
            ("Claude", &CLAUDE),
            ("OPENAI-CODEX", &CODEX),
            ("codex", &CODEX),
            (" Google-Gemini ", &GEMINI),
            ("gemini", &GEMINI),
            ("unknown", &PLAIN),
            ("claude-code-2", &PLAIN),
            ("", &PLAIN),
        ] {
            assert_eq!(layout_of(name).agent_type, layout.agent_type, "{name}");
        }
    }
}
