//! How each agent wants its prompt laid out. This is only data: a new agent is one static, listed
//! in `BUILT_IN`. A caller's own layout is the same data.

mod bracketed;
mod definition;
mod fence;
mod gemini;
mod names;
mod part;
mod plain;
mod tools;

pub use bracketed::{ARROW as BRACKETED_ARROW, MESSAGE_LINE as BRACKETED_LINE};
pub use bracketed::{CLAUDE, CODEX, COPILOT, GROK, KILO, KIMI, OPENCODE, PI, QWEN};
pub use definition::{
    FenceDefinition, LayoutDefinition, LineDefinition, SectionDefinition, ToolDefinition,
};
pub(crate) use fence::FENCE;
pub use fence::{FENCE_PLACEHOLDER, FenceStyle};
pub use gemini::GEMINI;
pub use names::{Layouts, normalized};
pub use part::{Part, SystemPlacement};
pub use plain::PLAIN;
pub use tools::{TOOL_LINES, ToolLines};

use crate::text::trim_js;
use crate::tokens::Vocabulary;
use std::borrow::Cow;
use std::ops::Deref;
use std::rc::Rc;

/// Every built-in layout; the one for all other agents comes last.
pub const BUILT_IN: [&Layout; 11] =
    [&CLAUDE, &CODEX, &GEMINI, &OPENCODE, &QWEN, &COPILOT, &PI, &GROK, &KIMI, &KILO, &PLAIN];

/// The layout of an agent, by its type or an alias in any letter case; the plain one for
/// every other agent.
pub fn layout_of(agent_type: &str) -> &'static Layout {
    built_in(agent_type).unwrap_or(&PLAIN)
}

/// The built-in layout with this type or alias, in any letter case.
pub fn built_in(agent_type: &str) -> Option<&'static Layout> {
    let wanted = trim_js(agent_type);
    let is_wanted = |name: &str| name.eq_ignore_ascii_case(wanted);
    BUILT_IN.into_iter().find(|layout| layout.names().any(is_wanted))
}

/// A blank line separates two sections.
pub const SECTION_BREAK: &str = "\n\n";

/// The addressee of a message that names none.
pub const EVERYONE: &str = "all";

/// A text of a layout: built in, or a caller's own.
pub type LayoutText = Cow<'static, str>;

/// A built-in text.
pub const fn text(text: &'static str) -> LayoutText {
    Cow::Borrowed(text)
}

/// The layout of one agent.
#[derive(Debug)]
pub struct Layout {
    /// What `getAgentType` returns.
    pub agent_type: LayoutText,
    /// Other names for the agent.
    pub aliases: Cow<'static, [LayoutText]>,
    /// Where the system text goes unless the caller says otherwise. Only a CLI with a
    /// flag for it has `Flag` here, and only then may the caller choose.
    pub system_placement: SystemPlacement,
    /// The sections in prompt order; a part that is not listed is left out.
    pub sections: Cow<'static, [LayoutSection]>,
    /// A message of the conversation.
    pub message_line: LineStyle,
    /// A parent message or a sibling reply.
    pub quote_line: LineStyle,
    /// Who wrote the current message and whom it is for, on a line of its own under the title.
    pub sender_line: LineStyle,
    /// The lines of fenced prompts.
    pub fence: FenceStyle,
    /// The lines of tool calls and results.
    pub tools: ToolLines,
    /// What stands before the identifier of the parent message.
    pub parent_id_label: LayoutText,
    /// What stands before the intent.
    pub intent_label: LayoutText,
    /// What separates earlier messages of a session from new ones.
    pub session_notes: SessionNotes,
    /// What counts tokens unless the caller says otherwise: the vocabulary of the agent's models,
    /// if it is public.
    pub vocabulary: Option<Vocabulary>,
}

impl Layout {
    /// The type and the aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [&self.agent_type].into_iter().chain(self.aliases.iter()).map(|name| &**name)
    }

    /// Whether this is its type or an alias, in any letter case.
    pub fn is_named(&self, name: &str) -> bool {
        let wanted = normalized(name);
        self.names().any(|name| normalized(name) == wanted)
    }

    /// Whether it has a section for a part.
    pub fn has(&self, part: Part) -> bool {
        self.sections.iter().any(|section| section.part == part)
    }

    /// Whether the system text may go there: outside the prompt only if the CLI has a flag for it.
    pub fn allows(&self, placement: SystemPlacement) -> bool {
        placement == SystemPlacement::Inline || self.system_placement.in_flag()
    }

    /// The allowed placements, for an error message.
    pub fn allowed_placements(&self) -> &'static str {
        match self.allows(SystemPlacement::Flag) {
            true => "'flag', 'inline' or 'both'",
            false => "'inline', as this agent has no system flag",
        }
    }
}

/// A titled section.
#[derive(Debug, Clone)]
pub struct LayoutSection {
    /// What it holds.
    pub part: Part,
    /// Stands on a line of its own; empty for none.
    pub title: LayoutText,
    /// A line under the title that explains it; empty for none.
    pub note: LayoutText,
}

impl LayoutSection {
    /// A section of a built-in layout, without a note.
    pub const fn titled(part: Part, title: &'static str) -> Self {
        LayoutSection { part, title: text(title), note: text("") }
    }
}

/// Lines among the messages that are sent to a session on top of what it has. Empty for none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionNotes {
    /// Above messages that are older than those the session has: pinned or changed ones.
    pub earlier: LayoutText,
    /// Between those and the new ones.
    pub new: LayoutText,
}

impl SessionNotes {
    /// Notes of a built-in layout.
    pub const fn new(earlier: &'static str, new: &'static str) -> Self {
        SessionNotes { earlier: text(earlier), new: text(new) }
    }
}

/// How one message becomes a line: the texts around its fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineStyle {
    /// Before the sender.
    pub open: LayoutText,
    /// Between sender and addressee; `None` leaves the addressee out.
    pub arrow: Option<LayoutText>,
    /// Before the content.
    pub colon: LayoutText,
}

impl LineStyle {
    /// A line of a built-in layout, without an addressee.
    pub const fn without_addressee(open: &'static str, colon: &'static str) -> Self {
        LineStyle { open: text(open), arrow: None, colon: text(colon) }
    }

    /// A line of a built-in layout, with an addressee.
    pub const fn with_addressee(
        open: &'static str,
        arrow: &'static str,
        colon: &'static str,
    ) -> Self {
        LineStyle { open: text(open), arrow: Some(text(arrow)), colon: text(colon) }
    }
}

/// Says in words who wrote the current message.
pub(crate) const SENDER_LINE: LineStyle = LineStyle::with_addressee("From ", " to ", ":");

/// A layout that is in use.
#[derive(Debug, Clone)]
pub enum LayoutRef {
    /// Built in.
    BuiltIn(&'static Layout),
    /// A caller's own.
    Own(Rc<Layout>),
}

impl Deref for LayoutRef {
    type Target = Layout;

    fn deref(&self) -> &Layout {
        match self {
            LayoutRef::BuiltIn(layout) => layout,
            LayoutRef::Own(layout) => layout,
        }
    }
}

impl From<&'static Layout> for LayoutRef {
    fn from(layout: &'static Layout) -> Self {
        LayoutRef::BuiltIn(layout)
    }
}

impl From<Layout> for LayoutRef {
    fn from(layout: Layout) -> Self {
        LayoutRef::Own(Rc::new(layout))
    }
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
            ("opencode", &OPENCODE),
            ("Qwen", &QWEN),
            ("qwen-code", &QWEN),
            ("copilot", &COPILOT),
            ("GitHub-Copilot", &COPILOT),
            ("Pi", &PI),
            ("grok", &GROK),
            ("kimi", &KIMI),
            ("Kimi-Code", &KIMI),
            ("kilo", &KILO),
            ("kilo-code", &KILO),
            ("unknown", &PLAIN),
            ("claude-code-2", &PLAIN),
            ("", &PLAIN),
        ] {
            assert_eq!(layout_of(name).agent_type, layout.agent_type, "{name}");
        }
    }
}
