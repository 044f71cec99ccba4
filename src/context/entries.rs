//! The account of a kept conversation: what becomes of each of its messages in one turn.
//!
//! 1. Messages are looked at newest first, and only those that may be seen.
//! 2. The current message and the replies that are shown are entered with the other parts; here
//!    only what they lost on the way is. A reply that the context shows whole is entered there.
//! 3. What is older than the window is summed up from sizes that are kept, without looking at
//!    each message, once enough of them are listed.

use super::store::{Conversation, MessageFields};
use super::window::{PlaceRole, Reply, ReplyFate, Turn};
use crate::account::{Cause, Ledger, MessageName, Reason};
use crate::model::Part;
use crate::transcript::KeptMessages;

const OUTSIDE: Cause = Cause::dropped(Part::Context, Reason::Window);

/// Which message it is.
pub fn name(conversation: &Conversation, index: usize) -> MessageName {
    let from = conversation.message(index).from.to_owned();
    MessageName { id: Some(conversation.id(index)), index: Some(index), from: Some(from) }
}

/// Enters all messages of a conversation.
pub fn enter(ledger: &mut Ledger, conversation: &Conversation, turn: &Turn, kept: &KeptMessages) {
    let window = &turn.window;
    let mut seen_bytes = 0;
    let mut replies = turn.replies.iter().peekable();
    let visible = window.visible_in_all(conversation);
    for place in (0..visible).rev() {
        let index = window.message(place);
        let mut message = Entered { ledger, conversation, index };
        seen_bytes += conversation.given_bytes(index);
        let reply = replies.next_if(|reply| reply.index == index);
        if turn.message == Some(index) {
            message.strip(Part::Message);
            ledger.note_repeated(index);
            continue;
        }
        let role = window.role_of(place);
        let line = match role {
            PlaceRole::Shown { position } => Some(turn.pinned.before.len() + position),
            _ => None,
        };
        let is_kept = line.is_some_and(|line| line >= kept.first) || turn.shows_pinned(index);
        if kept.in_layout && is_kept {
            message.send();
            if reply.is_some() {
                ledger.note_repeated(index);
            }
            continue;
        }
        if let Some(reply) = reply {
            message.enter_reply(reply);
            continue;
        }
        match role {
            PlaceRole::Shown { .. } => message.leave_out(kept.cause(line.unwrap_or(0))),
            PlaceRole::Omitted => {
                let reason = turn.omission.unwrap_or(Reason::Duplicate);
                message.leave_out(Cause::dropped(Part::Context, reason));
            }
            PlaceRole::Newer => {
                message.leave_out(OUTSIDE);
                ledger.note_newer_outside();
            }
            PlaceRole::Older => {
                message.leave_out(OUTSIDE);
                let is_rest = replies.peek().is_none() && !window.is_for_recipient();
                if is_rest && !ledger.is_listing() {
                    return enter_rest(ledger, conversation, turn, kept, index);
                }
            }
        }
    }
    // Of what may not be seen, only the sum is told.
    let all_bytes = conversation.given_bytes_before(conversation.len()) as usize;
    let hidden = Cause::dropped(Part::Context, Reason::Recipient);
    ledger.leave_out_messages(hidden, conversation.len() - visible, all_bytes - seen_bytes);
}

/// Enters all messages before one, of which none may not be seen. Only those that are pinned are
/// shown.
fn enter_rest(
    ledger: &mut Ledger,
    conversation: &Conversation,
    turn: &Turn,
    kept: &KeptMessages,
    end: usize,
) {
    let mut count = end;
    let mut bytes = conversation.given_bytes_before(end) as usize;
    let pinned = turn.pinned.before.iter().filter(|index| kept.in_layout && **index < end);
    for index in pinned.copied() {
        count -= 1;
        bytes -= conversation.given_bytes(index);
        Entered { ledger, conversation, index }.send();
    }
    ledger.leave_out_messages(OUTSIDE, count, bytes);
}

/// A message that is being entered.
struct Entered<'e> {
    ledger: &'e mut Ledger,
    conversation: &'e Conversation,
    index: usize,
}

impl Entered<'_> {
    fn content_bytes(&self) -> usize {
        let MessageFields { content, .. } = self.conversation.fields_in_line(self.index);
        content.len()
    }

    /// Enters a message that the context shows.
    fn send(&mut self) {
        self.strip(Part::Context);
        self.ledger.send(self.content_bytes());
    }

    /// Enters a piece of the message, or all of it.
    fn leave_out_bytes(&mut self, cause: Cause, bytes: usize) {
        let Entered { conversation, index, .. } = *self;
        self.ledger.leave_out_message(cause, bytes, || name(conversation, index));
    }

    fn leave_out(&mut self, cause: Cause) {
        self.leave_out_bytes(cause, self.conversation.given_bytes(self.index));
    }

    fn leave_out_piece(&mut self, cause: Cause, bytes: usize) {
        if bytes > 0 {
            self.leave_out_bytes(cause, bytes);
        }
    }

    /// Enters the markers that were stripped.
    fn strip(&mut self, part: Part) {
        let bytes = self.conversation.given_bytes(self.index) - self.content_bytes();
        self.leave_out_piece(Cause::stripped(part), bytes);
    }

    fn enter_reply(&mut self, reply: &Reply) {
        match reply.fate {
            ReplyFate::Shown { code_bytes, cut_bytes } => {
                self.strip(Part::Siblings);
                self.leave_out_piece(Cause::cut(Part::Siblings, Reason::Code), code_bytes);
                self.leave_out_piece(Cause::cut(Part::Siblings, Reason::Limit), cut_bytes);
            }
            ReplyFate::OverLimit => self.leave_out(Cause::dropped(Part::Siblings, Reason::Limit)),
            ReplyFate::Own => self.leave_out(Cause::dropped(Part::Context, Reason::Own)),
        }
    }
}
