//! `buildPrompt`: from everything a coordinator has to what one member gets.
//!
//! 1. Of the conversation, the newest messages that the member may see.
//! 2. The message is never cut. The instruction file is, first to keep the
//!    system text within its share, then to make room; the configured instruction never.
//! 3. Everything else is the assemblers': the same layouts, the same planner.

use crate::account::{Cause, Ledger, MessageName, Reason};
use crate::budget::Step;
use crate::model::{Part, RoleLine};
use crate::pins::Pins;
use crate::text::{head, is_js_whitespace, trim_js};
use crate::transcript::{Fields, MAX_MEASURED, MessageSource, Visitor};
use crate::visibility::Reader;
use std::ops::{ControlFlow, Range};

/// The budget unless the caller says otherwise.
pub const DEFAULT_MAX_BYTES: usize = 768 * 1024;

/// How many messages of the conversation go along unless the caller says otherwise.
pub const DEFAULT_CONTEXT_MESSAGES: usize = 5;

const MAX_ROLE_BYTES: usize = 512;

/// The order in which `buildPrompt` saves bytes. Without a limit of its own, the system text
/// may take half of the budget.
pub fn policy(system_max_bytes: Option<usize>) -> [Step; 4] {
    [
        Step::CapSystem { max_bytes: system_max_bytes },
        Step::DropContext,
        Step::ShortenSummary,
        Step::ShortenFile,
    ]
}

/// The member's role as one short line, which stands before the configured instruction, where it
/// survives any shortening. Empty for an empty summary.
pub fn role_line(summary: &str) -> RoleLine {
    let words = summary.split(is_js_whitespace).filter(|word| !word.is_empty());
    let one_line = words.collect::<Vec<_>>().join(" ");
    let role = trim_js(head(&one_line, MAX_ROLE_BYTES));
    RoleLine {
        text: if role.is_empty() { String::new() } else { format!("Role: {role}") },
        given_bytes: summary.len(),
        kept_bytes: role.len(),
        cut_bytes: one_line.len() - role.len(),
    }
}

/// The newest messages that one member may see.
pub struct Selection<S> {
    source: S,
    /// Positions in the source, oldest first.
    chosen: Vec<usize>,
    /// How many of them are older than the others, and chosen because they are pinned.
    older_pins: usize,
    /// Which of them are pinned.
    pins: Vec<usize>,
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
    /// What is pinned is chosen besides, if the recipient may see it.
    pub fn new(source: S, limit: usize, recipient: Option<&str>) -> Result<Self, S::Error> {
        let mut reader = recipient.map(Reader::new);
        let (newest, older) = match &mut reader {
            None => {
                let older = source.len().saturating_sub(limit);
                ((older..source.len()).collect(), older)
            }
            Some(reader) => visible_messages(&source, limit, reader)?,
        };
        let not_for_recipient = source.len() - older - newest.len();
        let mut chosen = Vec::new();
        let pinned = source.pins();
        for position in pinned.positions().iter().copied().take_while(|position| *position < older)
        {
            let is_visible = match &reader {
                None => Some(true),
                Some(reader) => source.visit(position, |message| {
                    Ok(reader.may_see(&sender(message)?, &message.addressed_to()?))
                })?,
            };
            if is_visible == Some(true) {
                chosen.push(position);
            }
        }
        let older_pins = chosen.len();
        chosen.extend(newest);
        let is_pinned = |at: &usize| pinned.contains(chosen[*at]);
        let pins = (0..chosen.len()).filter(|_| !pinned.is_empty()).filter(is_pinned).collect();
        let recipient = recipient.map(str::to_owned);
        Ok(Selection {
            source,
            chosen,
            older_pins,
            pins,
            recipient,
            not_for_recipient,
            older,
            limit,
        })
    }

    /// Where the messages come from.
    pub fn source(&self) -> &S {
        &self.source
    }
}

/// The newest `limit` messages that a reader may see, oldest first, and how many older ones were
/// not looked at.
///
/// A sender with a comma in its name may be the addressee of a newer message that was taken to
/// be for several. So when such a sender is met, the messages are looked at again, and first as
/// many older senders are learned as were looked at: the rounds are few, whoever the senders are.
fn visible_messages<S: MessageSource>(
    source: &S,
    limit: usize,
    reader: &mut Reader,
) -> Result<(Vec<usize>, usize), S::Error> {
    loop {
        let mut chosen = Vec::new();
        let mut older = source.len();
        let mut has_learned = false;
        while older > 0 && chosen.len() < limit {
            older -= 1;
            let seen = source.visit(older, |message| {
                let from = sender(message)?;
                has_learned |= reader.learn(&from);
                Ok(reader.may_see(&from, &message.addressed_to()?))
            })?;
            if seen == Some(true) {
                chosen.push(older);
            }
        }
        if !has_learned {
            chosen.reverse();
            return Ok((chosen, older));
        }
        let looked_at = source.len() - older;
        for ahead in (older.saturating_sub(looked_at)..older).rev() {
            source.visit(ahead, |message| Ok(reader.learn(&sender(message)?)))?;
        }
    }
}

fn content_bytes<E>(message: &dyn Fields<Error = E>) -> Result<usize, E> {
    Ok(message.content_bytes(usize::MAX)?.unwrap_or_default())
}

fn sender<E>(message: &dyn Fields<Error = E>) -> Result<String, E> {
    let mut from = Vec::new();
    message.push_from(&mut from)?;
    Ok(String::from_utf8_lossy(&from).into_owned())
}

impl<S: MessageSource> MessageSource for Selection<S> {
    type Error = S::Error;

    fn len(&self) -> usize {
        self.chosen.len()
    }

    fn pins(&self) -> Pins {
        // Between older pins, nothing was looked at: messages may be missing there.
        let is_detached = |at: &usize| *at > 0 && self.chosen[*at] > self.chosen[at - 1] + 1;
        let last = self.older_pins.min(self.chosen.len().saturating_sub(1));
        let detached = match self.pins.is_empty() {
            true => Vec::new(),
            false => (0..=last).filter(is_detached).collect(),
        };
        Pins::new(self.pins.clone(), self.older_pins..self.chosen.len(), detached)
    }

    fn callers_index(&self, index: usize) -> usize {
        self.chosen.get(index).map_or(usize::MAX, |position| self.source.callers_index(*position))
    }

    fn enter_others(&self, ledger: &mut Ledger, read: bool) -> Result<(), S::Error> {
        let not_for_recipient = Cause::dropped(Part::Context, Reason::Recipient);
        let outside = Cause::dropped(Part::Context, Reason::Window);
        ledger.set_window_name(format!("maxContextMessages ({})", self.limit));
        if let Some(recipient) = &self.recipient {
            ledger.set_recipient(recipient);
        }
        if !read {
            ledger.leave_out_unread(not_for_recipient, self.not_for_recipient);
            ledger.leave_out_unread(outside, self.older - self.older_pins);
            return Ok(());
        }
        let is_older_pin =
            |position: &usize| self.chosen[..self.older_pins].binary_search(position).is_ok();
        let unread = self.older.saturating_sub(MAX_MEASURED);
        let pinned = self.chosen[..self.older_pins].partition_point(|position| *position < unread);
        ledger.leave_out_unread(outside, unread - pinned);
        for position in (self.older..self.source.len()).rev() {
            if self.chosen.binary_search(&position).is_err() {
                let bytes = self.source.visit(position, |message| content_bytes(message))?;
                ledger.leave_out_messages(not_for_recipient, 1, bytes.unwrap_or_default());
            }
        }
        let mut reader = self.recipient.as_deref().map(Reader::new);
        if let Some(reader) = &mut reader {
            self.source.visit_newest(unread..self.source.len(), &mut |_, message| {
                reader.learn(&sender(message)?);
                Ok(ControlFlow::Continue(()))
            })?;
        }
        self.source.visit_newest(unread..self.older, &mut |position, message| {
            if is_older_pin(&position) {
                return Ok(ControlFlow::Continue(()));
            }
            let (from, bytes) = (sender(message)?, content_bytes(message)?);
            let may_see = match &reader {
                Some(reader) => reader.may_see(&from, &message.addressed_to()?),
                None => true,
            };
            match may_see {
                true => ledger.leave_out_message(outside, bytes, || MessageName {
                    id: None,
                    index: Some(self.source.callers_index(position)),
                    from: Some(from),
                }),
                false => ledger.leave_out_messages(not_for_recipient, 1, bytes),
            }
            Ok(ControlFlow::Continue(()))
        })
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
        let mut ledger = Ledger::default();
        selection.enter_others(&mut ledger, true).unwrap();
        assert_eq!(ledger.sentences(), ["[CONTEXT] 1 message is not for X"]);
        let selection = Selection::new(selection.source, 0, None).unwrap();
        assert!(selection.is_empty());
    }

    #[test]
    fn senders_with_commas_do_not_make_the_rounds_many() {
        const COUNT: usize = 2000;
        // Each message is for the sender of the one before it, which is met later.
        let name = |number: usize| -> &'static str { format!("n{number}, r").leak() };
        let messages = (0..COUNT).map(|at| (name(at), name(at.wrapping_sub(1)), "x")).collect();
        let source = InMemoryMessages { messages, ..InMemoryMessages::default() };
        let selection = Selection::new(source, 2, Some("r")).unwrap();
        assert_eq!(selection.chosen, [0]);
        assert!(selection.source.read.borrow().len() < 8 * COUNT);
    }

    #[test]
    fn a_sender_with_a_comma_in_its_name_is_one_addressee() {
        let source = InMemoryMessages {
            messages: vec![
                ("max", "Smith, John", "secret"),
                ("max", "all", "1"),
                ("Smith, John", "max", "2"),
                ("max", "Smith, John", "secret, too"),
            ],
            ..InMemoryMessages::default()
        };
        let selection = Selection::new(source, 9, Some("John")).unwrap();
        assert_eq!(selection.chosen, [1]);
        let selection = Selection::new(selection.source, 2, Some("smith, john")).unwrap();
        assert_eq!(selection.chosen, [2, 3]);
    }

    #[test]
    fn a_role_is_one_short_line() {
        let role = role_line(" backend\n engineer ");
        assert_eq!(role.text, "Role: backend engineer");
        assert_eq!((role.given_bytes, role.kept_bytes, role.cut_bytes), (19, 16, 0));
        assert_eq!(role_line(" \n").text, "");
        let role = role_line(&"é".repeat(400));
        assert_eq!(role.text.len(), "Role: ".len() + 512);
        assert_eq!((role.given_bytes, role.kept_bytes, role.cut_bytes), (800, 512, 288));
    }
}
