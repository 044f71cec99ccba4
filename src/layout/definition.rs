//! A layout as a caller writes it, and its conversion to a layout that can be used.
//!
//! 1. Every text of a layout is on one line, so that no title, mark or label can start a line that
//!    the layout does not have.
//! 2. What is not given is as in the built-in layouts.
//! 3. Errors name what is wrong by its path below the caller's name for the layout.

use super::names::normalized;
use super::{
    FENCE, FENCE_PLACEHOLDER, FenceStyle, Layout, LayoutSection, LayoutText, LineStyle,
    SENDER_LINE, SessionNotes, TOOL_LINES, ToolLines, bracketed,
};
use super::{Part, SystemPlacement};
use crate::error::Error;
use crate::text::{head, is_line_break, trim_js};
use std::collections::HashSet;

/// A layout as it was given. `None` means not given.
#[derive(Debug, Clone, Default)]
pub struct LayoutDefinition {
    /// What `getAgentType` returns.
    pub agent_type: String,
    /// Other names for the agent.
    pub aliases: Vec<String>,
    /// Where the system text goes: `inline` if not given.
    pub system_placement: Option<String>,
    /// The sections in prompt order.
    pub sections: Vec<SectionDefinition>,
    /// A message of the conversation.
    pub message_line: LineDefinition,
    /// A parent message or a sibling reply: as a message of the conversation, without addressee.
    pub quote_line: LineDefinition,
    /// Who wrote the current message and who it is for: [`SENDER_LINE`] if not given.
    pub sender_line: LineDefinition,
    /// The lines of fenced prompts: [`FENCE`] if not given.
    pub fence: FenceDefinition,
    /// The lines of tool calls and results: [`TOOL_LINES`] if not given.
    pub tools: ToolDefinition,
    /// What stands before the identifier of the parent message.
    pub parent_id_label: Option<String>,
    /// What stands before the intent.
    pub intent_label: Option<String>,
    /// Above earlier messages of a session.
    pub earlier_note: Option<String>,
    /// Between the earlier messages and the new ones.
    pub new_note: Option<String>,
}

/// The texts of fenced prompts as they were given.
#[derive(Debug, Clone, Default)]
pub struct FenceDefinition {
    /// The sentence at the top, with a placeholder in it.
    pub note: Option<String>,
    /// Right before the key.
    pub open: Option<String>,
    /// Between the key and a sender.
    pub from: Option<String>,
    /// Between sender and addressee.
    pub to: Option<String>,
    /// After the key, above a summary.
    pub summary: Option<String>,
    /// After the key, at the end of a section.
    pub end: Option<String>,
}

/// The texts of tool calls and results as they were given.
#[derive(Debug, Clone, Default)]
pub struct ToolDefinition {
    /// Before the name of a tool.
    pub call: Option<String>,
    /// Above a result.
    pub result: Option<String>,
    /// Above a failure.
    pub error: Option<String>,
}

/// A section as it was given.
#[derive(Debug, Clone, Default)]
pub struct SectionDefinition {
    /// The name of the part.
    pub part: String,
    /// No title if not given.
    pub title: Option<String>,
    /// No note if not given.
    pub note: Option<String>,
}

/// A style of lines as it was given.
#[derive(Debug, Clone, Default)]
pub struct LineDefinition {
    /// Nothing if not given.
    pub open: Option<String>,
    /// No addressee if not given.
    pub arrow: Option<String>,
    /// [`DEFAULT_COLON`] if not given.
    pub colon: Option<String>,
}

/// Between sender and content.
const DEFAULT_COLON: &str = ": ";

/// The most bytes of a wrong text that an error quotes.
const MAX_QUOTE_BYTES: usize = 80;

impl LayoutDefinition {
    /// The layout, or the first thing that is wrong with it. `path` is what the caller calls it.
    pub fn check(self, path: &str) -> Result<Layout, Error> {
        let at = |field: &str| format!("{path}.{field}");
        let agent_type = name(self.agent_type, at("agentType"))?;
        let aliases = own_names(&agent_type, self.aliases, &at("aliases"))?;
        let sections = sections(self.sections, &at("sections"))?;
        let system_placement =
            system_placement(self.system_placement.as_deref(), &sections, at("systemPlacement"))?;
        let message_line = LineStyle {
            open: line(self.message_line.open, at("messageLine.open"), "")?,
            arrow: optional_line(self.message_line.arrow, at("messageLine.arrow"))?,
            colon: line(self.message_line.colon, at("messageLine.colon"), DEFAULT_COLON)?,
        };
        let quote_line = LineStyle {
            open: optional_line(self.quote_line.open, at("quoteLine.open"))?
                .unwrap_or_else(|| message_line.open.clone()),
            arrow: None,
            colon: optional_line(self.quote_line.colon, at("quoteLine.colon"))?
                .unwrap_or_else(|| message_line.colon.clone()),
        };
        let sender_line = LineStyle {
            open: optional_line(self.sender_line.open, at("senderLine.open"))?
                .unwrap_or(SENDER_LINE.open),
            arrow: optional_line(self.sender_line.arrow, at("senderLine.arrow"))?
                .or(SENDER_LINE.arrow),
            colon: optional_line(self.sender_line.colon, at("senderLine.colon"))?
                .unwrap_or(SENDER_LINE.colon),
        };
        Ok(Layout {
            agent_type,
            aliases: aliases.into(),
            system_placement,
            sections: sections.into(),
            message_line,
            quote_line,
            sender_line,
            fence: fence(self.fence, &at("fence"))?,
            tools: ToolLines {
                call: optional_line(self.tools.call, at("tools.call"))?.unwrap_or(TOOL_LINES.call),
                result: optional_line(self.tools.result, at("tools.result"))?
                    .unwrap_or(TOOL_LINES.result),
                error: optional_line(self.tools.error, at("tools.error"))?
                    .unwrap_or(TOOL_LINES.error),
            },
            parent_id_label: line(
                self.parent_id_label,
                at("labels.parentMessageId"),
                bracketed::PARENT_ID_LABEL,
            )?,
            intent_label: line(self.intent_label, at("labels.intent"), bracketed::INTENT_LABEL)?,
            session_notes: SessionNotes {
                earlier: line(self.earlier_note, at("notes.earlier"), bracketed::EARLIER_NOTE)?,
                new: line(self.new_note, at("notes.new"), bracketed::NEW_NOTE)?,
            },
            vocabulary: None,
        })
    }
}

/// A type or an alias.
fn name(name: String, path: String) -> Result<LayoutText, Error> {
    match trim_js(&name) {
        "" => Err(Error::invalid_type(path, "a name", quoted(&name))),
        _ => one_line(name, path),
    }
}

/// The aliases; none may be repeated or be the same as the type.
fn own_names(agent_type: &str, aliases: Vec<String>, path: &str) -> Result<Vec<LayoutText>, Error> {
    let mut names = HashSet::from([normalized(agent_type)]);
    let mut checked = Vec::with_capacity(aliases.len());
    for (index, alias) in aliases.into_iter().enumerate() {
        let path = format!("{path}[{index}]");
        let alias = name(alias, path.clone())?;
        if !names.insert(normalized(&alias)) {
            let expected = "a name that this layout does not have yet";
            return Err(Error::invalid_type(path, expected, quoted(&alias)));
        }
        checked.push(alias);
    }
    Ok(checked)
}

fn sections(given: Vec<SectionDefinition>, path: &str) -> Result<Vec<LayoutSection>, Error> {
    let mut sections: Vec<LayoutSection> = Vec::with_capacity(given.len());
    for (index, SectionDefinition { part, title, note }) in given.into_iter().enumerate() {
        let at = |field: &str| format!("{path}[{index}].{field}");
        let Some(known) = Part::parse(&part) else {
            let parts = format!("one of {}", Part::ALL.map(Part::name).join(", "));
            return Err(Error::invalid_type(at("part"), parts, quoted(&part)));
        };
        if let Some(first) = sections.iter().position(|section| section.part == known) {
            let expected = format!("a part that is not in {path}[{first}] already");
            return Err(Error::invalid_type(at("part"), expected, quoted(&part)));
        }
        sections.push(LayoutSection {
            part: known,
            title: line(title, at("title"), "")?,
            note: line(note, at("note"), "")?,
        });
    }
    let has = |part: Part| sections.iter().any(|section| section.part == part);
    if has(Part::Context) && !has(Part::Message) {
        let expected = "a list with the part message, because it has the part context";
        return Err(Error::invalid_type(path, expected, "one without it"));
    }
    Ok(sections)
}

/// The texts of fenced prompts. The word after the key tells what a line is, so these must differ.
fn fence(given: FenceDefinition, path: &str) -> Result<FenceStyle, Error> {
    let at = |field: &str| format!("{path}.{field}");
    let word = |given: Option<String>, field: &str, default: LayoutText| {
        let Some(word) = optional_line(given, at(field))? else { return Ok(default) };
        match trim_js(&word) {
            "" => Err(Error::invalid_type(at(field), "a text", quoted(&word))),
            trimmed => Ok(LayoutText::Owned(trimmed.to_owned())),
        }
    };
    let style = FenceStyle {
        note: optional_line(given.note, at("note"))?.unwrap_or(FENCE.note),
        open: optional_line(given.open, at("open"))?.unwrap_or(FENCE.open),
        from: word(given.from, "from", FENCE.from)?,
        to: word(given.to, "to", FENCE.to)?,
        summary: word(given.summary, "summary", FENCE.summary)?,
        end: word(given.end, "end", FENCE.end)?,
    };
    if !style.note.contains(FENCE_PLACEHOLDER) {
        let expected = format!("a text with {FENCE_PLACEHOLDER} in it");
        return Err(Error::invalid_type(at("note"), expected, quoted(&style.note)));
    }
    let others = [
        ("summary", &style.summary, [&style.from, &style.end]),
        ("end", &style.end, [&style.from, &style.from]),
    ];
    for (field, word, before) in others {
        if before.contains(&word) {
            let expected = "another text than those of the other lines";
            return Err(Error::invalid_type(at(field), expected, quoted(word)));
        }
    }
    Ok(style)
}

fn system_placement(
    given: Option<&str>,
    sections: &[LayoutSection],
    path: String,
) -> Result<SystemPlacement, Error> {
    let Some(name) = given else { return Ok(SystemPlacement::Inline) };
    let has_system = sections.iter().any(|section| section.part == Part::System);
    let expected = match SystemPlacement::parse(name) {
        Some(SystemPlacement::Inline) => return Ok(SystemPlacement::Inline),
        Some(SystemPlacement::Flag) if has_system => return Ok(SystemPlacement::Flag),
        // Parts that are not listed are left out: there would be nothing for the flag.
        Some(SystemPlacement::Flag) => "'inline' in a layout without a section for the part system",
        Some(SystemPlacement::Both) | None => "'flag' or 'inline'",
    };
    Err(Error::invalid_type(path, expected, quoted(name)))
}

fn line(given: Option<String>, path: String, default: &'static str) -> Result<LayoutText, Error> {
    Ok(optional_line(given, path)?.unwrap_or(LayoutText::Borrowed(default)))
}

fn optional_line(given: Option<String>, path: String) -> Result<Option<LayoutText>, Error> {
    given.map(|text| one_line(text, path)).transpose()
}

fn one_line(text: String, path: String) -> Result<LayoutText, Error> {
    match text.contains(is_line_break) {
        true => Err(Error::invalid_type(path, "a single line", quoted(&text))),
        false => Ok(text.into()),
    }
}

/// The beginning of a caller's text, for an error.
pub(super) fn quoted(text: &str) -> String {
    match head(text, MAX_QUOTE_BYTES) {
        whole if whole.len() == text.len() => format!("'{text}'"),
        beginning => format!("'{beginning}…'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{BUILT_IN, PLAIN};

    fn section(part: &str) -> SectionDefinition {
        SectionDefinition { part: part.to_owned(), ..SectionDefinition::default() }
    }

    fn definition() -> LayoutDefinition {
        LayoutDefinition {
            agent_type: "mine".to_owned(),
            sections: vec![section("system"), section("context"), section("message")],
            ..LayoutDefinition::default()
        }
    }

    /// The definition that would produce a layout.
    fn defined(layout: &Layout) -> LayoutDefinition {
        let line = |style: &LineStyle| LineDefinition {
            open: Some(style.open.to_string()),
            arrow: style.arrow.as_ref().map(ToString::to_string),
            colon: Some(style.colon.to_string()),
        };
        let sections = layout.sections.iter().map(|section| SectionDefinition {
            part: section.part.name().to_owned(),
            title: Some(section.title.to_string()),
            note: Some(section.note.to_string()),
        });
        let placement = if layout.system_placement.in_flag() { "flag" } else { "inline" };
        LayoutDefinition {
            agent_type: layout.agent_type.to_string(),
            aliases: layout.aliases.iter().map(ToString::to_string).collect(),
            system_placement: Some(placement.to_owned()),
            sections: sections.collect(),
            message_line: line(&layout.message_line),
            quote_line: line(&layout.quote_line),
            sender_line: line(&layout.sender_line),
            fence: FenceDefinition {
                note: Some(layout.fence.note.to_string()),
                open: Some(layout.fence.open.to_string()),
                from: Some(layout.fence.from.to_string()),
                to: Some(layout.fence.to.to_string()),
                summary: Some(layout.fence.summary.to_string()),
                end: Some(layout.fence.end.to_string()),
            },
            tools: ToolDefinition {
                call: Some(layout.tools.call.to_string()),
                result: Some(layout.tools.result.to_string()),
                error: Some(layout.tools.error.to_string()),
            },
            parent_id_label: Some(layout.parent_id_label.to_string()),
            intent_label: Some(layout.intent_label.to_string()),
            earlier_note: Some(layout.session_notes.earlier.to_string()),
            new_note: Some(layout.session_notes.new.to_string()),
        }
    }

    #[test]
    fn every_built_in_layout_can_be_written_as_a_definition() {
        for layout in BUILT_IN {
            // Callers set the tokenizer in the assembler's options.
            let vocabulary = layout.vocabulary;
            let own = Layout { vocabulary, ..defined(layout).check("layout").unwrap() };
            assert_eq!(format!("{own:?}"), format!("{layout:?}"));
        }
    }

    #[test]
    fn missing_fields_default_to_plain_text() {
        let layout = definition().check("layout").unwrap();
        assert_eq!(layout.message_line, PLAIN.message_line);
        assert_eq!(layout.quote_line, PLAIN.quote_line);
        assert_eq!(layout.sender_line, PLAIN.sender_line);
        assert_eq!(layout.system_placement, SystemPlacement::Inline);
        assert_eq!(
            (&*layout.parent_id_label, &*layout.intent_label),
            ("parentMessageId: ", "intent: ")
        );
    }

    #[test]
    fn quotes_look_like_messages_without_an_addressee() {
        let text = |text: &str| Some(text.to_owned());
        let message_line =
            LineDefinition { open: text("* "), arrow: text(" to "), colon: text(" | ") };
        let given = |quote_line| LayoutDefinition {
            message_line: message_line.clone(),
            quote_line,
            ..definition()
        };
        let quote = given(LineDefinition::default()).check("layout").unwrap().quote_line;
        assert_eq!(quote, LineStyle::without_addressee("* ", " | "));
        let quote_line = LineDefinition { open: text("> "), ..LineDefinition::default() };
        let quote = given(quote_line).check("layout").unwrap().quote_line;
        assert_eq!(quote, LineStyle::without_addressee("> ", " | "));
    }
}
