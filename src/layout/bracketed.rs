//! Agents with bracketed titles. They differ in their names, and in where the system text goes.

use super::{FENCE, Layout, LayoutSection, LayoutText, LineStyle, SessionNotes, TOOL_LINES, text};
use super::{Part, SystemPlacement};
use crate::tokens::Vocabulary;
use std::borrow::Cow;

/// Claude Code: the system text goes beside the prompt, to `--append-system-prompt`.
pub static CLAUDE: Layout =
    layout("claude-code", const { &[text("claude")] }, SystemPlacement::Flag, None);

/// Codex: everything in one prompt.
pub static CODEX: Layout = layout(
    "openai-codex",
    const { &[text("codex")] },
    SystemPlacement::Inline,
    Some(Vocabulary::O200k),
);

/// GitHub Copilot: like Codex.
pub static COPILOT: Layout =
    layout("github-copilot", const { &[text("copilot")] }, SystemPlacement::Inline, None);

/// Grok: like Codex.
pub static GROK: Layout = layout("grok", &[], SystemPlacement::Inline, None);

/// Kilo Code: like Codex.
pub static KILO: Layout =
    layout("kilo-code", const { &[text("kilo")] }, SystemPlacement::Inline, None);

/// Kimi Code: like Codex.
pub static KIMI: Layout =
    layout("kimi-code", const { &[text("kimi")] }, SystemPlacement::Inline, None);

/// OpenCode: like Codex.
pub static OPENCODE: Layout = layout("opencode", &[], SystemPlacement::Inline, None);

/// pi: like Codex.
pub static PI: Layout = layout("pi", &[], SystemPlacement::Inline, None);

/// Qwen Code: like Codex.
pub static QWEN: Layout =
    layout("qwen-code", const { &[text("qwen")] }, SystemPlacement::Inline, None);

const fn layout(
    agent_type: &'static str,
    aliases: &'static [LayoutText],
    system_placement: SystemPlacement,
    vocabulary: Option<Vocabulary>,
) -> Layout {
    Layout {
        agent_type: text(agent_type),
        aliases: Cow::Borrowed(aliases),
        system_placement,
        sections: Cow::Borrowed(SECTIONS),
        message_line: MESSAGE_LINE,
        quote_line: LineStyle::without_addressee("- ", ": "),
        sender_line: LineStyle::with_addressee("(from ", " to ", ")"),
        fence: FENCE,
        tools: TOOL_LINES,
        parent_id_label: text(PARENT_ID_LABEL),
        intent_label: text(INTENT_LABEL),
        session_notes: SessionNotes::new(EARLIER_NOTE, NEW_NOTE),
        vocabulary,
    }
}

const SECTIONS: &[LayoutSection] = &[
    section(Part::System, ""),
    section(Part::TeamTask, ""),
    section(Part::Summary, ""),
    section(Part::Context, ""),
    section(Part::Parent, "(the message you are replying to, repeated for context)"),
    section(Part::Siblings, "(other replies to that message, newest first; do not repeat them)"),
    section(Part::Message, ""),
    section(Part::Routing, ""),
];

/// A message of the conversation.
pub const MESSAGE_LINE: LineStyle = LineStyle::with_addressee("- ", ARROW, ": ");
/// Between sender and addressee.
pub const ARROW: &str = " -> ";
/// Before the identifier of the parent message.
pub(super) const PARENT_ID_LABEL: &str = "parentMessageId: ";
/// Before the intent.
pub(super) const INTENT_LABEL: &str = "intent: ";
/// Above earlier messages of a session.
pub(super) const EARLIER_NOTE: &str = "(earlier messages, pinned or changed since)";
/// Between the earlier messages and the new ones.
pub(super) const NEW_NOTE: &str = "(new messages)";

const fn section(part: Part, note: &'static str) -> LayoutSection {
    LayoutSection { part, title: text(part.tag()), note: text(note) }
}
