//! What an agent has been shown once a prompt of its session is confirmed.

use super::ledger::{Event, Ledger, Mark};
use super::scope::{Scope, SessionScope};
use super::session::{Fingerprint, Seen};
use super::store::Conversation;
use super::turn::Turn;
use crate::assemble::Shown;
use crate::layout::SystemPlacement;
use crate::model::{Materials, SeenParts};
use crate::visibility::folded;

/// The current texts beside the conversation.
#[derive(Debug)]
pub struct Fingerprints {
    system: Fingerprint,
    team_task: Fingerprint,
    summary: Fingerprint,
}

impl Fingerprints {
    /// The texts of a prompt.
    pub fn of(materials: &Materials) -> Self {
        Fingerprints {
            system: Fingerprint::of(&materials.system_text(&materials.instruction_file)),
            team_task: Fingerprint::of(&materials.team_task),
            summary: Fingerprint::of(&materials.summary),
        }
    }

    /// Leaves out the texts that the session already has. A text for the flag belongs to the call
    /// and is sent with every prompt. A summary is sent if the session lacks a message that it
    /// covers.
    pub fn leave_out_seen(
        &self,
        materials: &mut Materials,
        conversation: &Conversation,
        scope: &Scope,
        session: SessionScope,
        placement: SystemPlacement,
    ) {
        let Seen { system, team_task, summary, .. } = session.seen;
        let has_system = *system == Some(self.system);
        let lacks = session.lacks(conversation, scope);
        let is_summary_changed = *summary != Some(self.summary);
        materials.seen = SeenParts {
            system: has_system && !placement.in_flag(),
            team_task: *team_task == Some(self.team_task),
            summary: !(lacks.is_new || lacks.is_missed && is_summary_changed),
        };
        materials.system_in_flag_only = has_system && placement.in_flag();
    }

    /// What the agent will have seen once the prompt of a turn is confirmed.
    pub fn seen_after(
        &self,
        shown: Shown,
        conversation: &Conversation,
        scope: &Scope,
        turn: &Turn,
    ) -> Seen {
        let before = scope.session.map(|session| session.seen);
        let text_before = |text: fn(&Seen) -> Option<Fingerprint>| before.and_then(text);
        Seen {
            ledger: match before {
                None => first_prompt(shown, conversation, scope, turn),
                Some(before) => delta(shown, turn, &before.ledger),
            },
            recipient: scope.recipient.map(folded),
            system: shown.system.then_some(self.system).or(text_before(|seen| seen.system)),
            team_task: shown
                .team_task
                .then_some(self.team_task)
                .or(text_before(|seen| seen.team_task)),
            summary: shown.summary.then_some(self.summary).or(text_before(|seen| seen.summary)),
        }
    }
}

/// After a session's first prompt, everything before what it showed is missed, except pins.
fn first_prompt(shown: Shown, conversation: &Conversation, scope: &Scope, turn: &Turn) -> Ledger {
    let end = end_of(turn);
    let window = turn.pinned.pins.window();
    let first_shown = match shown.first.filter(|first| *first < window.end) {
        Some(first) => turn.message_at(first),
        None => end,
    };
    let missed = scope.candidates_in(conversation, 0..first_shown);
    let is_shown = |index: usize| {
        turn.message == Some(index) || shown.first.is_some() && turn.shows_pinned(index)
    };
    let mut missed = missed.filter(|index| !is_shown(*index));
    let missed = missed.next().map(|first| first..missed.next_back().unwrap_or(first) + 1);
    let mut ledger = Ledger::new(end, end);
    ledger.record(missed.map(|run| (run, Event::Dropped)));
    if shown.first.is_some() {
        let pinned = turn.pinned.pins.positions().iter();
        ledger.record(pinned.map(|line| Event::Sent.to(turn.message_at(*line))));
    }
    ledger.record(turn.message.map(|message| Event::Sent.to(message)));
    ledger
}

/// After a delta, everything new is either seen or missed for good.
fn delta(shown: Shown, turn: &Turn, before: &Ledger) -> Ledger {
    let pins = &turn.pinned.pins;
    let (lines, earlier) = (turn.lines(), pins.earlier());
    let first = shown.first.unwrap_or(lines);
    let is_kept = |line: &usize| *line >= first || shown.first.is_some() && pins.contains(*line);
    let mut ledger = before.clone();
    let due = before.marked().find(|(_, mark)| matches!(mark, Mark::Changed | Mark::Revealed));
    ledger.record(due.map(|(run, _)| (run.start..before.end, Event::Passed)));
    ledger.extend(end_of(turn).max(turn.covered.end));
    let due = (0..earlier).map(|line| {
        let event = if is_kept(&line) { Event::Sent } else { Event::Dropped };
        event.to(turn.message_at(line))
    });
    let mut dropped = (earlier..lines.min(first)).filter(|line| !is_kept(line));
    let dropped = dropped.next().map(|line| {
        let last = dropped.next_back().unwrap_or(line);
        turn.message_at(line)..turn.message_at(last) + 1
    });
    let left_out = [Some(turn.covered.clone()), dropped].into_iter().flatten();
    ledger.record(due.chain(left_out.map(|run| (run, Event::Dropped))));
    let kept = (earlier..lines.min(first)).filter(is_kept);
    ledger.record(kept.map(|line| Event::Sent.to(turn.message_at(line))));
    ledger.record(turn.message.map(|message| Event::Sent.to(message)));
    ledger
}

/// The end of what a turn shows.
fn end_of(turn: &Turn) -> usize {
    let last_line = turn.lines().checked_sub(1).map(|last| turn.message_at(last));
    last_line.max(turn.message).map_or(0, |last| last + 1)
}
