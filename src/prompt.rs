//! `buildPrompt`: from everything a coordinator has to what one member gets.
//!
//! 1. Of the conversation, the newest messages that the member may see.
//! 2. The message is never cut. The instruction file is, first to keep the
//!    system text within its share, then to make room; the configured instruction never.
//! 3. Everything else is the assemblers': the same layouts, the same planner.

use crate::budget::Step;
use crate::layout::EVERYONE;
use crate::text::{head, is_js_whitespace, trim_js};
use crate::transcript::{Fields, MessageSource, Visitor};
use std::ops::{ControlFlow, Range};

/// The budget unless the caller says otherwise.
pub const DEFAULT_MAX_BYTES: usize = 768 * 1024;

/// How many messages of the conversation go along unless the caller says otherwise.
pub const DEFAULT_CONTEXT_MESSAGES: usize = 5;

const MAX_ROLE_BYTES: usize = 512;

/// The order in which `buildPrompt` saves bytes. Without a limit of its own, the system text
/// may take half of the budget.
pub fn policy(system_max_bytes: Option<usize>) -> [Step; 3] {
    [Step::CapSystem { max_bytes: system_max_bytes }, Step::DropContext, Step::ShortenFile]
}

/// The configured instruction with the member's role in front of it, where it survives any
/// shortening.
pub fn system_instruction(role_summary: &str, instruction: Vec<String>) -> Vec<String> {
    let mut lines = vec![role_line(role_summary)];
    lines.extend(instruction);
    lines
}

/// The role as one short line. Empty for an empty summary.
fn role_line(summary: &str) -> String {
    let words = summary.split(is_js_whitespace).filter(|word| !word.is_empty());
    let one_line = words.collect::<Vec<_>>().join(" ");
    match trim_js(head(&one_line, MAX_ROLE_BYTES)) {
        "" => String::new(),
        role => format!("Role: {role}"),
    }
}

/// Whether a message with this sender and addressee is for `recipient`: sent to all, to
/// the recipient (perhaps among others), or by the recipient.
pub fn may_see(recipient: &str, from: &str, to: &str) -> bool {
    let same = |name: &str, other: &str| {
        let (name, other) = (trim_js(name), trim_js(other));
        let equal = match name.is_ascii() && other.is_ascii() {
            true => name.eq_ignore_ascii_case(other),
            false => name.to_lowercase() == other.to_lowercase(),
        };
        !name.is_empty() && equal
    };
    trim_js(to).is_empty()
        || same(from, recipient)
        || to.split(',').any(|name| same(name, recipient) || same(name, EVERYONE))
}

/// The newest messages that one member may see.
pub struct Selection<S> {
    source: S,
    /// Positions in the source, oldest first.
    chosen: Vec<usize>,
    recipient: Option<String>,
    /// How many were passed over because they are not for the recipient.
    not_for_recipient: usize,
    /// How many were not looked at.
    older: usize,
    limit: usize,
}

impl<S: MessageSource> Selection<S> {
    /// The newest `limit` messages, of those that `recipient` may see if there is one.
    /// Reads sender and addressee until it has found enough, newest first.
    pub fn new(source: S, limit: usize, recipient: Option<&str>) -> Result<Self, S::Error> {
        let mut chosen = Vec::new();
        let mut not_for_recipient = 0;
        let mut older = source.len();
        while older > 0 && chosen.len() < limit {
            older -= 1;
            let visible = match recipient {
                None => true,
                Some(recipient) => {
                    let seen = source.visit(older, |message| {
                        let (from, to) = addresses(message)?;
                        Ok(may_see(recipient, &from, &to))
                    })?;
                    seen.unwrap_or(false)
                }
            };
            if visible {
                chosen.push(older);
            } else {
                not_for_recipient += 1;
            }
        }
        chosen.reverse();
        let recipient = recipient.map(str::to_owned);
        Ok(Selection { source, chosen, recipient, not_for_recipient, older, limit })
    }

    /// Where the messages come from.
    pub fn source(&self) -> &S {
        &self.source
    }
}

fn addresses<E>(message: &dyn Fields<Error = E>) -> Result<(String, String), E> {
    let (mut from, mut to) = (Vec::new(), Vec::new());
    message.push_from(&mut from)?;
    message.push_to(&mut to)?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok((text(from), text(to)))
}

impl<S: MessageSource> MessageSource for Selection<S> {
    type Error = S::Error;

    fn len(&self) -> usize {
        self.chosen.len()
    }

    fn callers_index(&self, index: usize) -> usize {
        self.chosen.get(index).map_or(usize::MAX, |position| self.source.callers_index(*position))
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(recipient) = &self.recipient
            && self.not_for_recipient > 0
        {
            let count = self.not_for_recipient;
            notes.push(format!("[CONTEXT] {count} messages are not for {}", trim_js(recipient)));
        }
        if self.older > 0 {
            let (older, limit) = (self.older, self.limit);
            notes.push(format!(
                "[CONTEXT] {older} older messages are outside maxContextMessages ({limit})"
            ));
        }
        notes
    }

    fn visit_newest(
        &self,
        messages: Range<usize>,
        read: &mut Visitor<S::Error>,
    ) -> Result<(), S::Error> {
        for index in messages.rev() {
            let position = self.chosen[index];
            let mut next = ControlFlow::Break(());
            // Not `visit`, which breaks: the source has to know whether it goes on.
            self.source.visit_newest(position..position + 1, &mut |_, message| {
                next = read(index, message)?;
                Ok(next)
            })?;
            if next.is_break() {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::testing::InMemoryMessages;

    #[test]
    fn a_message_is_seen_by_those_it_concerns() {
        for (from, to, seen) in [
            ("max", "", true),
            ("max", "all", true),
            ("max", " ALL ", true),
            ("max", "sarah", true),
            ("max", "carol, SARAH", true),
            ("Sarah ", "max", true),
            ("max", "carol", false),
            ("max", "sarahs, carol", false),
            ("max", ",", false),
        ] {
            assert_eq!(may_see("Sarah", from, to), seen, "{from} -> {to}");
        }
        assert!(!may_see("", "", "max"), "a blank name is nobody's");
        assert!(!may_see(" ", "max", "a, ,b"));
    }

    #[test]
    fn the_newest_visible_messages_are_chosen_and_no_more_are_read() {
        let source = InMemoryMessages {
            messages: vec![
                ("a", "x", "0"),
                ("a", "", "1"),
                ("a", "b", "2"),
                ("x", "b", "3"),
                ("a", "all", "4"),
            ],
            ..InMemoryMessages::default()
        };
        let selection = Selection::new(source, 2, Some("x")).unwrap();
        assert_eq!(selection.chosen, [3, 4]);
        assert_eq!(*selection.source.read.borrow(), [4, 3]);
        assert_eq!(selection.callers_index(0), 3);
        let selection = Selection::new(selection.source, 9, Some("X ")).unwrap();
        assert_eq!(selection.chosen, [0, 1, 3, 4]);
        assert_eq!(selection.notes(), ["[CONTEXT] 1 messages are not for X"]);
        let selection = Selection::new(selection.source, 0, None).unwrap();
        assert!(selection.is_empty());
    }

    #[test]
    fn a_role_is_one_short_line() {
        assert_eq!(role_line(" backend\n engineer "), "Role: backend engineer");
        assert_eq!(role_line(" \n"), "");
        assert_eq!(role_line(&"é".repeat(400)).len(), "Role: ".len() + 512);
    }
}
