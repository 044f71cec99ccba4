//! Fenced prompts: every message, summary and section end has a line with a key.
//!
//! 1. Recognising every text that imitates structure is a race that cannot be won. A line with a
//!    key that nobody else knows cannot be imitated, so anything may stand between two such lines.
//! 2. The key belongs to one member of one conversation, and does not change from turn to turn. It
//!    is random, and the caller supplies it.
//! 3. A member may quote its own prompt, and then others know its key. So wherever a text from the
//!    caller contains the key, the key is broken up ([`key`]): in a prompt, and in the flag, only
//!    lines of the layout contain it.
//! 4. What was broken up is listed as a finding. The hyphens are not given text, so the account
//!    does not count them (`model`).

mod key;

pub use key::{BREAK, Broken, KEY_LENGTH, Key};

use crate::layout::Part;
use crate::layout::{FENCE_PLACEHOLDER, FenceStyle, LayoutText, LineStyle};
use crate::structure::{Finding, NameField, lines_with};

/// The lines of a fenced prompt.
#[derive(Debug, Clone)]
pub struct Fence {
    key: Key,
    /// The sentence at the top.
    pub note: String,
    /// What stands before a message of the conversation, and before the current one.
    pub message_line: LineStyle,
    /// The same before a parent message or a sibling reply.
    pub quote_line: LineStyle,
    /// Above a summary.
    pub summary_line: String,
    /// At the end of a section.
    pub end_line: String,
    /// The text before the key, and the key.
    opening: String,
}

impl Fence {
    /// The lines of a layout with a key; `None` if it is not a key.
    pub fn new(style: &FenceStyle, key: &str) -> Option<Self> {
        let key = Key::new(key)?;
        let opening = [&style.open, key.as_str()].concat();
        let from: LayoutText = format!("{opening} {} ", style.from).into();
        let line = |arrow| LineStyle { open: from.clone(), arrow, colon: "\n".into() };
        Some(Fence {
            note: style.note.replace(FENCE_PLACEHOLDER, &opening),
            message_line: line(Some(format!(" {} ", style.to).into())),
            quote_line: line(None),
            summary_line: format!("{opening} {}", style.summary),
            end_line: format!("{opening} {}", style.end),
            key,
            opening,
        })
    }

    /// A line of the layout that stands among messages.
    pub fn line(&self, text: &str) -> String {
        format!("{} {text}", self.opening)
    }

    /// Whether a section with this part holds messages or a summary, so that a line ends it.
    pub fn ends(part: Part) -> bool {
        match part {
            Part::Summary | Part::Context | Part::Parent | Part::Siblings | Part::Message => true,
            Part::System | Part::TeamTask | Part::Routing => false,
        }
    }

    /// A text with its keys broken up; `None` if it has none.
    pub fn break_up(&self, text: &str) -> Option<Broken> {
        self.key.break_up(text)
    }

    /// A message of the conversation with the keys in its names and content broken up, and the
    /// findings for them; `None` if there are none.
    pub fn break_up_line(&self, index: usize, line: &str) -> Option<(String, Vec<Finding>)> {
        let LineStyle { open, arrow, .. } = &self.message_line;
        let given = line.strip_prefix(&**open)?;
        let Broken { text, before } = self.break_up(given)?;
        let (names, content) = given.split_once('\n').unwrap_or((given, ""));
        let (from, to) =
            names.rsplit_once(arrow.as_deref().unwrap_or_default()).unwrap_or((names, ""));
        let in_names = before.partition_point(|at| *at < names.len());
        let in_from = before[..in_names].partition_point(|at| *at < from.len());
        let mut findings = Vec::new();
        let mut of_name = |field: NameField, name: &str, count: usize| {
            findings.extend(
                (count > 0).then(|| Finding::of_key(Part::Context, index, Some(field), 1, name)),
            );
        };
        of_name(NameField::From, from, in_from);
        of_name(NameField::To, to, in_names - in_from);
        let skipped = names.len() + 1;
        let in_content: Vec<usize> = before[in_names..].iter().map(|at| at - skipped).collect();
        findings.extend(findings_in(Part::Context, index, content, &in_content));
        Some(([open, text.as_str()].concat(), findings))
    }
}

/// The lines of a text in which a key was broken up before one of these bytes.
pub(crate) fn findings_in<'t>(
    part: Part,
    index: usize,
    text: &'t str,
    before: &'t [usize],
) -> impl Iterator<Item = Finding> {
    lines_with(text, before)
        .map(move |(number, line)| Finding::of_key(part, index, None, number, line))
}

#[cfg(test)]
mod tests;
