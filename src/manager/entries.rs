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
use std::rc::Rc;

const OUTSIDE: Cause = Cause::dropped(Part::Context, Reason::Window);
const COVERED: Cause = Cause::dropped(Part::Context, Reason::Summary);

/// The name of a message.
pub fn name(conversation: &Conversation, index: usize) -> MessageName {
    let from = conversation.message(index).from.to_owned();
    MessageName { id: Some(conversation.id(index)), index: Some(index), from: Some(from) }
}

/// The messages that the recipient may see, ascending.
struct Candidates<'c> {
    conversation: &'c Conversation,
    /// `None` for all.
    visible: Option<(&'c str, Rc<Vec<u32>>)>,
}

impl<'c> Candidates<'c> {
    fn new(conversation: &'c Conversation, scope: &Scope<'c>) -> Self {
        let list = |recipient| (recipient, conversation.visible_to(recipient));
        Candidates { conversation, visible: scope.recipient.map(list) }
    }

    fn len(&self) -> usize {
        self.visible.as_ref().map_or(self.conversation.len(), |(_, list)| list.len())
    }

    fn at(&self, place: usize) -> usize {
        self.visible.as_ref().map_or(place, |(_, list)| list[place] as usize)
    }

    /// How many of them come before a message, and their bytes.
    fn before(&self, index: usize) -> (usize, usize) {
        let Some((recipient, list)) = &self.visible else {
            return (index, self.conversation.given_bytes_before(index) as usize);
        };
        let place = list.partition_point(|visible| (*visible as usize) < index);
        (place, self.conversation.visible_bytes_before(recipient, place) as usize)
    }

    /// How many of them are in a run of messages, and their bytes.
    fn sum(&self, run: Range<usize>) -> (usize, usize) {
        let (before, all) = (self.before(run.start), self.before(run.end));
        (all.0 - before.0, all.1 - before.1)
    }
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
    let mut replies = turn.replies.iter().peekable();
    let candidates = Candidates::new(conversation, scope);
    for index in (0..candidates.len()).rev().map(|place| candidates.at(place)) {
        let mut message = Entered { ledger, conversation, index };
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
            let is_rest = !ledger.is_listing() && !turn.shows_before(index);
            if let Some(session) =
                scope.session.filter(|one| is_rest && index < one.seen.ledger.end)
            {
                enter_rest_of_session(ledger, &candidates, scope, session, index);
                break;
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
                let is_rest = scope.session.is_none() && replies.peek().is_none();
                if is_rest && !ledger.is_listing() {
                    let covered = scope.covered.min(index);
                    enter_rest(ledger, &candidates, turn, kept, OUTSIDE, covered..index);
                    enter_rest(ledger, &candidates, turn, kept, COVERED, 0..covered);
                    break;
                }
            }
        }
    }
    // For hidden messages, only the sum is reported.
    let end = conversation.len();
    let (count, bytes) = candidates.before(end);
    let hidden_bytes = conversation.given_bytes_before(end) as usize - bytes;
    let hidden = Cause::dropped(Part::Context, Reason::Recipient);
    ledger.leave_out_messages(hidden, end - count, hidden_bytes);
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
    candidates: &Candidates,
    scope: &Scope,
    session: SessionScope,
    end: usize,
) {
    let conversation = candidates.conversation;
    let mut seen = candidates.before(end);
    let mut leave_out = |cause, (count, bytes): (usize, usize)| {
        seen = (seen.0 - count, seen.1 - bytes);
        ledger.leave_out_messages(cause, count, bytes);
    };
    let (covered, begun) = (scope.covered, session.seen.ledger.begun);
    for run in session.seen.ledger.missed().take_while(|run| run.start < end) {
        let run = run.start..run.end.min(end);
        let middle = begun.clamp(run.start, run.end);
        let uncovered = covered.clamp(run.start, middle);
        for (part, cause) in [(run.start..uncovered, COVERED), (uncovered..middle, OUTSIDE)] {
            leave_out(cause, candidates.sum(part));
        }
        // Some of these may be the agent's own.
        let rest = scope.candidates_in(conversation, middle..run.end);
        for index in rest.filter(|at| session.has_missed(conversation, *at)) {
            let cause = if index < covered { COVERED } else { OUTSIDE };
            leave_out(cause, (1, conversation.given_bytes(index)));
        }
    }
    ledger.leave_out_messages(Cause::dropped(Part::Context, Reason::Seen), seen.0, seen.1);
}

/// Enters messages before the window, of which only pinned ones are shown.
fn enter_rest(
    ledger: &mut Ledger,
    candidates: &Candidates,
    turn: &Turn,
    kept: &KeptMessages,
    cause: Cause,
    rest: Range<usize>,
) {
    let conversation = candidates.conversation;
    let (mut count, mut bytes) = candidates.sum(rest.clone());
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
