//! The account of a kept conversation: what happens to each message in one turn.
//!
//! 1. Only visible messages are examined, newest first.
//! 2. The current message and the replies shown are entered with the other parts; only their losses
//!    are entered here. A reply that the context shows whole is entered there.
//! 3. Once enough messages are listed, those older than the window are summed from stored sizes,
//!    without looking at each one.

use super::scope::{Scope, SessionScope};
use super::store::Conversation;
use super::stored_messages::StoredFields;
use super::turn::{Reply, ReplyFate, Turn};
use super::window::PlaceRole;
use crate::account::{Cause, Ledger, MessageName, Reason};
use crate::conversation::KeptMessages;
use crate::layout::Part;
use crate::parts::{PartLosses, shown_bytes};
use std::ops::Range;

const OUTSIDE: Cause = Cause::dropped(Part::Context, Reason::Window);
const COVERED: Cause = Cause::dropped(Part::Context, Reason::Summary);

/// The name of a message.
pub fn name(conversation: &Conversation, index: usize) -> MessageName {
    let from = conversation.message(index).from.to_owned();
    MessageName { id: Some(conversation.id(index)), index: Some(index), from: Some(from) }
}

/// Enters all messages of a conversation.
pub fn enter(
    ledger: &mut Ledger,
    conversation: &Conversation,
    turn: &Turn,
    scope: &Scope,
    kept: &KeptMessages,
) {
    let window = &turn.window;
    let mut seen_bytes = 0;
    let mut replies = turn.replies.iter().peekable();
    let visible = scope.recipient.map(|recipient| conversation.visible_to(recipient));
    let count = visible.as_ref().map_or(conversation.len(), |visible| visible.len());
    for nth in (0..count).rev() {
        let index = visible.as_ref().map_or(nth, |visible| visible[nth] as usize);
        let mut message = Entered { ledger, conversation, index };
        seen_bytes += conversation.given_bytes(index);
        let reply = replies.next_if(|reply| reply.index == index);
        if conversation.is_absent(index) {
            message.strip(Part::Context);
            continue;
        }
        if turn.message == Some(index) {
            message.strip(Part::Message);
            ledger.repeated.push(index);
            continue;
        }
        let role = window.place_of(index).map(|place| window.role_of(place));
        let line = match role {
            Some(PlaceRole::Shown { position }) => Some(turn.pinned.before.len() + position),
            _ => None,
        };
        let is_kept = line.is_some_and(|line| line >= kept.first) || turn.shows_pinned(index);
        if kept.in_layout && is_kept {
            message.send();
            if reply.is_some() {
                ledger.repeated.push(index);
            }
            continue;
        }
        if let Some(reply) = reply {
            message.enter_reply(reply);
            continue;
        }
        let Some(role) = role else {
            message.leave_out(cause_in_session(conversation, scope, index));
            let is_rest = visible.is_none() && !ledger.is_listing() && !turn.shows_before(index);
            if let Some(session) =
                scope.session.filter(|one| is_rest && index < one.seen.ledger.end)
            {
                return enter_rest_of_session(ledger, conversation, scope, session, index);
            }
            continue;
        };
        match role {
            PlaceRole::Shown { .. } => message.leave_out(kept.cause(line.unwrap_or(0))),
            PlaceRole::Omitted => {
                let reason = turn.omission.unwrap_or(Reason::Duplicate);
                message.leave_out(Cause::dropped(Part::Context, reason));
            }
            PlaceRole::Newer => {
                message.leave_out(OUTSIDE);
                ledger.has_newer_outside = true;
            }
            PlaceRole::Older => {
                message.leave_out(if index < scope.covered { COVERED } else { OUTSIDE });
                let is_everything = visible.is_none() && scope.session.is_none();
                if is_everything && replies.peek().is_none() && !ledger.is_listing() {
                    let covered = scope.covered.min(index);
                    enter_rest(ledger, conversation, turn, kept, OUTSIDE, covered..index);
                    return enter_rest(ledger, conversation, turn, kept, COVERED, 0..covered);
                }
            }
        }
    }
    // For hidden messages, only the sum is reported.
    let all_bytes = conversation.given_bytes_before(conversation.len()) as usize;
    let hidden = Cause::dropped(Part::Context, Reason::Recipient);
    ledger.leave_out_messages(hidden, conversation.len() - count, all_bytes - seen_bytes);
}

/// Why a message that a delta cannot contain is left out.
fn cause_in_session(conversation: &Conversation, scope: &Scope, index: usize) -> Cause {
    let dropped = |reason| Cause::dropped(Part::Context, reason);
    let Some(session) = scope.session else { return dropped(Reason::Own) };
    match index < session.seen.ledger.end {
        true if !session.has_missed(conversation, index) => dropped(Reason::Seen),
        false if session.is_own(conversation, index) => dropped(Reason::Own),
        _ if index < scope.covered => COVERED,
        _ => OUTSIDE,
    }
}

/// Enters the messages before one that the session has or has missed. None of them is shown.
fn enter_rest_of_session(
    ledger: &mut Ledger,
    conversation: &Conversation,
    scope: &Scope,
    session: SessionScope,
    end: usize,
) {
    let bytes_of = |run: &Range<usize>| {
        let bytes_before = |index| conversation.given_bytes_before(index) as usize;
        bytes_before(run.end) - bytes_before(run.start)
    };
    let mut seen = (end, bytes_of(&(0..end)));
    let mut leave_out = |cause, count: usize, bytes: usize| {
        seen = (seen.0 - count, seen.1 - bytes);
        ledger.leave_out_messages(cause, count, bytes);
    };
    let (covered, begun) = (scope.covered, session.seen.ledger.begun);
    for run in session.seen.ledger.missed().take_while(|run| run.start < end) {
        let run = run.start..run.end.min(end);
        let middle = begun.clamp(run.start, run.end);
        let uncovered = covered.clamp(run.start, middle);
        for (part, cause) in [(run.start..uncovered, COVERED), (uncovered..middle, OUTSIDE)] {
            leave_out(cause, part.len(), bytes_of(&part));
        }
        // Some of these may be the agent's own.
        for index in (middle..run.end).filter(|at| session.has_missed(conversation, *at)) {
            let cause = if index < covered { COVERED } else { OUTSIDE };
            leave_out(cause, 1, conversation.given_bytes(index));
        }
    }
    ledger.leave_out_messages(Cause::dropped(Part::Context, Reason::Seen), seen.0, seen.1);
}

/// Enters messages before the window, of which only pinned ones are shown.
fn enter_rest(
    ledger: &mut Ledger,
    conversation: &Conversation,
    turn: &Turn,
    kept: &KeptMessages,
    cause: Cause,
    rest: Range<usize>,
) {
    let bytes_before = |index| conversation.given_bytes_before(index) as usize;
    let mut count = rest.len();
    let mut bytes = bytes_before(rest.end) - bytes_before(rest.start);
    let pinned = turn.pinned.before.iter().filter(|at| kept.in_layout && rest.contains(at));
    for index in pinned.copied() {
        count -= 1;
        bytes -= conversation.given_bytes(index);
        Entered { ledger, conversation, index }.send();
    }
    ledger.leave_out_messages(cause, count, bytes);
}

/// The messages left out because of window, step or budget that no summary covers, if the window is
/// kept from line `first` on; oldest first.
pub fn overflow(
    conversation: &Conversation,
    turn: &Turn,
    scope: &Scope,
    first: usize,
) -> Vec<usize> {
    let Turn { window, pinned, .. } = turn;
    let dropped = (pinned.before.len()..first).map(|line| turn.message_at(line));
    let older = (0..window.places().start).map(|place| window.message(place));
    let runs = scope.session.iter().flat_map(|session| {
        let candidates = |run| scope.candidates_in(conversation, run);
        let missed = session.seen.ledger.missed().flat_map(candidates);
        missed.filter(|index| !session.is_own(conversation, *index))
    });
    let is_out = |index: &usize| {
        *index >= scope.covered && !turn.shows_pinned(*index) && turn.message != Some(*index)
    };
    let mut all: Vec<usize> = runs.chain(older).chain(dropped).filter(is_out).collect();
    all.sort_unstable();
    all
}

/// A message that is being entered.
struct Entered<'e> {
    ledger: &'e mut Ledger,
    conversation: &'e Conversation,
    index: usize,
}

impl Entered<'_> {
    fn content_bytes(&self) -> usize {
        if let Some(shown) = self.conversation.shown_parts(self.index) {
            return shown_bytes(shown);
        }
        let StoredFields { content, .. } = self.conversation.fields_in_line(self.index);
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
        let Some(parted) = self.conversation.parted.get(self.index) else {
            let bytes = self.conversation.given_bytes(self.index) - self.content_bytes();
            return self.leave_out_piece(Cause::stripped(part), bytes);
        };
        let PartLosses { reasoning, files, markers, .. } = parted.losses;
        self.leave_out_piece(Cause::stripped(part), markers);
        self.leave_out_piece(Cause::cut(part, Reason::Reasoning), reasoning);
        self.leave_out_piece(Cause::cut(part, Reason::Layout), files);
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
