//! Message text that pretends to be structure: a line that reads as a title or as
//! another message of the layout it stands in.
//!
//! 1. Only what begins a line can pretend. Everything after a line break can, and every kind of
//!    line break counts, because a model sees them all as one. The first line of a message begins
//!    with its sender: it is a message line anyway, but in some layouts it can read as a title,
//!    such as that of a sender called `System` under the title `System:`.
//! 2. What reads the same is the same ([`pattern`]): letter case, kinds of white space, look-alike
//!    characters, invisible characters and escape sequences make no difference. Flagging a harmless
//!    line is better than missing a forged one.
//! 3. Escaping puts one backslash before such a line: before its first character that is neither
//!    white space nor invisible, or before its first escape sequence, whichever comes first. A line
//!    that already has backslashes there gets one more, so removing one restores the text exactly.
//!    If one more backslash turns the line into another title, it gets as many as it takes.
//! 4. In a fenced prompt ([`crate::fence`]) nothing is escaped: only the key can pretend.
//! 5. Names stay on one line: a line break in a name becomes a space when the line is assembled,
//!    whatever the options, and is listed here as a finding.

mod pattern;
mod prose;

use crate::layout::LineStyle;
use crate::layout::Part;
use crate::parts::{MessagePart, PartKind};
use crate::text::{head, is_blank, is_introducer, is_line_break};
use pattern::LinePattern;
use serde::Serialize;

/// The most bytes of a line that a finding quotes.
const MAX_QUOTE_BYTES: usize = 120;

/// What a line pretends to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Pretence {
    /// The title of a section.
    Title,
    /// A message by somebody.
    Message,
    /// A line of its own, because of a line break in a name.
    LineBreak,
    /// A line of a fenced prompt, because it contains the key.
    Fence,
    /// A tool call that was never answered.
    Call,
    /// A tool result without a call.
    Result,
}

/// Which field is meant, if it is not the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum NameField {
    /// The sender of a message.
    From,
    /// Who a message is for.
    To,
    /// The identifier of the message that is being answered.
    ParentMessageId,
    /// What the sender wants with the route.
    Intent,
}

/// A line inside a message that reads as structure, or a name with a line break in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The section that it stands in.
    pub part: Part,
    /// Which message: its index in the list it came from; 0 for the parent, the current message and the
    /// routing data.
    pub index: usize,
    /// Which field, if it is not the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<NameField>,
    /// The line inside the message, counted from 1; for a name, that of its line break.
    pub line: usize,
    /// What it pretends to be.
    pub pretends: Pretence,
    /// The line or the name itself as it was given, or its beginning.
    pub text: String,
    /// Whether it was made harmless.
    pub escaped: bool,
}

impl Finding {
    /// A tool call without a result, or a result without a call.
    pub fn of_part(section: Part, index: usize, part: &MessagePart) -> Self {
        let pretends = match part.kind {
            PartKind::Result => Pretence::Result,
            _ => Pretence::Call,
        };
        let text = format!("{} {}", part.id, part.name);
        let text = head(text.trim_end(), MAX_QUOTE_BYTES).to_owned();
        Finding { part: section, index, field: None, line: 1, pretends, text, escaped: false }
    }

    /// A name that had a line break in it, which is now a space.
    pub fn of_name(part: Part, index: usize, field: NameField, name: &str) -> Self {
        Finding {
            part,
            index,
            field: Some(field),
            line: 1,
            pretends: Pretence::LineBreak,
            text: head(name, MAX_QUOTE_BYTES).to_owned(),
            escaped: true,
        }
    }

    /// A line or a name that contained the key of the prompt, which is now broken up.
    pub fn of_key(
        part: Part,
        index: usize,
        field: Option<NameField>,
        line: usize,
        text: &str,
    ) -> Self {
        let text = head(text.trim_end_matches(is_blank), MAX_QUOTE_BYTES).to_owned();
        Finding { part, index, field, line, pretends: Pretence::Fence, text, escaped: true }
    }
}

/// The titles and the line styles that a text could imitate.
#[derive(Debug, Clone)]
pub struct Structure {
    patterns: Vec<(Pretence, LinePattern)>,
    /// The most backslashes that a title begins with.
    most_backslashes: usize,
    /// Whether an item begins with its sender, so that its first line is a message anyway.
    begins_with_sender: bool,
}

/// How a line imitates structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Imitation {
    pretends: Pretence,
    /// Whether the line reads as structure as it stands, not only without its backslashes.
    as_it_stands: bool,
    /// How many backslashes escaping puts before it.
    backslashes: usize,
}

impl Structure {
    /// Structure made of these titles and these styles of message lines.
    pub fn new<'t>(titles: impl Iterator<Item = &'t str>, lines: &[&LineStyle]) -> Self {
        let titles = titles.filter_map(LinePattern::of_title).map(|title| (Pretence::Title, title));
        let messages = lines.iter().filter_map(|style| LinePattern::of_message(style));
        let patterns: Vec<_> =
            titles.chain(messages.map(|message| (Pretence::Message, message))).collect();
        let backslashes = patterns.iter().map(|(_, pattern)| pattern.leading_backslashes());
        let most_backslashes = backslashes.max().unwrap_or(0);
        Structure { most_backslashes, patterns, begins_with_sender: true }
    }

    /// The same for a text whose sender stands on a line above it.
    pub fn below_sender(self) -> Self {
        Structure { begins_with_sender: false, ..self }
    }

    /// `item` with every pretending line escaped; `None` if there is none.
    pub fn escape(&self, item: &str) -> Option<String> {
        self.escape_at(item).map(|(escaped, _)| escaped)
    }

    /// The same, with the offset in `item` of each backslash, ascending.
    pub fn escape_at(&self, item: &str) -> Option<(String, Vec<usize>)> {
        let mut escaped = String::new();
        let mut before = Vec::new();
        let mut copied = 0;
        for (line, Imitation { backslashes, .. }) in self.imitations(item) {
            escaped.push_str(&item[copied..line.start]);
            escaped.extend(std::iter::repeat_n('\\', backslashes));
            before.extend(std::iter::repeat_n(line.start, backslashes));
            copied = line.start;
        }
        (!before.is_empty()).then(|| (escaped + &item[copied..], before))
    }

    /// The findings in one message of a part: if it is `escaped`, exactly the lines that
    /// [`Structure::escape`] changes; otherwise those that read as structure as they stand.
    pub fn findings(
        &self,
        part: Part,
        index: usize,
        item: &str,
        escaped: bool,
    ) -> impl Iterator<Item = Finding> {
        let listed = self.imitations(item).filter(move |(_, imitation)| match escaped {
            true => imitation.backslashes > 0,
            false => imitation.as_it_stands,
        });
        listed.map(move |(line, imitation)| Finding {
            part,
            index,
            field: None,
            line: line.number,
            pretends: imitation.pretends,
            text: head(line.text.trim_end_matches(is_blank), MAX_QUOTE_BYTES).to_owned(),
            escaped,
        })
    }

    fn imitations<'i>(&self, item: &'i str) -> impl Iterator<Item = (Line<'i>, Imitation)> {
        lines(item).filter_map(|line| Some((line, self.imitated_by(line)?)))
    }

    /// Examines a line with its backslashes, and with more or fewer of them.
    ///
    /// Of all lines that differ only in the number of backslashes before them, those that read
    /// as structure are the `forbidden` numbers. Escaping moves the line with the smallest number to
    /// the smallest number that is not forbidden, the next to the next, and so on. So no two lines
    /// become the same, and none becomes structure.
    fn imitated_by(&self, line: Line) -> Option<Imitation> {
        let is_first = line.number == 1 && self.begins_with_sender;
        let line = line.text;
        let (bare, given) = skip_backslashes(line, usize::MAX);
        let mut forbidden = Vec::new();
        for number in 0..=self.most_backslashes {
            let pretends = match number {
                0 => self.read_as(bare, is_first),
                _ if number <= given => {
                    self.read_as(skip_backslashes(line, given - number).0, is_first)
                }
                _ => self.read_as(&("\\".repeat(number - given) + line), is_first),
            };
            forbidden.extend(pretends.map(|pretends| (number, pretends)));
        }
        let (_, first) = *forbidden.first()?;
        let as_it_stands = forbidden.iter().find(|(number, _)| *number == given);
        // Steps over each forbidden number on the way.
        let moved = forbidden.iter().fold(
            given,
            |moved, (number, _)| {
                if *number <= moved { moved + 1 } else { moved }
            },
        );
        Some(Imitation {
            pretends: as_it_stands.map_or(first, |(_, pretends)| *pretends),
            as_it_stands: as_it_stands.is_some(),
            backslashes: moved - given,
        })
    }

    /// What a line reads as. The first line of a message is expected to read as a message.
    fn read_as(&self, line: &str, is_first: bool) -> Option<Pretence> {
        let mut patterns = self.patterns.iter();
        let found = patterns.find(|(pretends, pattern)| {
            !(is_first && *pretends == Pretence::Message) && pattern.matches(line)
        });
        found.map(|(pretends, _)| *pretends)
    }
}

/// A line without its first backslashes, at most `most`, and how many were skipped.
fn skip_backslashes(line: &str, most: usize) -> (&str, usize) {
    let mut rest = line;
    let mut skipped = 0;
    while skipped < most
        && let Some(after) = rest.strip_prefix('\\')
    {
        rest = after.trim_start_matches(is_passed_over);
        skipped += 1;
    }
    (rest, skipped)
}

/// A line of a message, without the invisible characters and white space before it.
#[derive(Debug, Clone, Copy)]
struct Line<'i> {
    number: usize,
    /// Where in the message its text begins, and where backslashes go.
    start: usize,
    text: &'i str,
}

fn lines(item: &str) -> impl Iterator<Item = Line<'_>> {
    let mut number = 1;
    let mut after = 0;
    item.split_inclusive(is_line_break).filter_map(move |line| {
        let start = after;
        after += line.len();
        // CRLF is one break: its second half is not a line of its own.
        let lone_line_feed = line == "\n" && item[..start].ends_with('\r');
        if start > 0 && !lone_line_feed {
            number += 1;
        }
        let text = line.trim_start_matches(is_passed_over);
        let hidden = line.len() - text.len();
        (!text.is_empty()).then_some(Line { number, start: start + hidden, text })
    })
}

/// The lines of a text that contain one of these bytes, with their numbers, counted from 1. The
/// bytes are ascending.
pub(crate) fn lines_with<'t>(
    text: &'t str,
    places: &'t [usize],
) -> impl Iterator<Item = (usize, &'t str)> {
    let mut number = 1;
    let mut after = 0;
    let mut places = places.iter().copied().peekable();
    text.split_inclusive(is_line_break).filter_map(move |line| {
        let start = after;
        after += line.len();
        let lone_line_feed = line == "\n" && text[..start].ends_with('\r');
        if start > 0 && !lone_line_feed {
            number += 1;
        }
        let mut has_one = false;
        while places.next_if(|place| *place < after).is_some() {
            has_one = true;
        }
        has_one.then_some((number, line))
    })
}

/// Whether a backslash goes after this character. It does not go after one that can begin an escape
/// sequence: there it would become part of the sequence.
fn is_passed_over(c: char) -> bool {
    is_blank(c) && !is_introducer(c)
}

#[cfg(test)]
mod tests;
