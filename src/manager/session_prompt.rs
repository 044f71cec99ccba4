//! What an agent has been shown once a prompt of its session is confirmed.

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
        let seen = match scope.session {
            None => first_prompt(shown, conversation, scope, turn),
            Some(session) => delta(shown, turn, session.seen),
        };
        let mut seen = Seen {
            system: shown.system.then_some(self.system).or(seen.system),
            team_task: shown.team_task.then_some(self.team_task).or(seen.team_task),
            summary: shown.summary.then_some(self.summary).or(seen.summary),
            recipient: scope.recipient.map(folded),
            unfiltered: scope.recipient.map_or(0, |_| unfiltered(scope.session)),
            ..seen
        };
        seen.join_oldest_runs(&conversation.pins);
        seen
    }
}

/// Before which message the session was shown everything, if its prompts have a recipient now.
fn unfiltered(session: Option<SessionScope>) -> usize {
    session.map_or(0, |SessionScope { seen, .. }| match seen.recipient {
        Some(_) => seen.unfiltered,
        None => seen.end,
    })
}

/// After a session's first prompt, everything before what it showed is missed, except pins.
fn first_prompt(shown: Shown, conversation: &Conversation, scope: &Scope, turn: &Turn) -> Seen {
    let lines = turn.lines();
    let message_end = turn.message.map_or(0, |message| message + 1);
    let last_line = lines.checked_sub(1).map_or(0, |last| turn.message_at(last) + 1);
    let end = message_end.max(last_line);
    let mut seen = Seen { end, begun: end, ..Seen::default() };
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
    if let Some(first) = missed.next() {
        seen.miss(first..missed.next_back().unwrap_or(first) + 1);
    }
    let pinned = turn.pinned.pins.positions().iter().filter(|_| shown.first.is_some());
    pinned.for_each(|line| seen.show_later(turn.message_at(*line)));
    turn.message.iter().for_each(|message| seen.show_later(*message));
    seen
}

/// After a delta, everything new is either seen or missed for good.
fn delta(shown: Shown, turn: &Turn, before: &Seen) -> Seen {
    let pins = &turn.pinned.pins;
    let (lines, earlier) = (turn.lines(), pins.earlier());
    let first = shown.first.unwrap_or(lines);
    let last_line = lines.checked_sub(1).map_or(0, |last| turn.message_at(last) + 1);
    let message_end = turn.message.map_or(0, |message| message + 1);
    let mut seen = before.clone();
    seen.end = before.end.max(last_line).max(message_end).max(turn.covered.end);
    seen.changed = Default::default();
    seen.revealed = Default::default();
    let is_kept = |line: &usize| *line >= first || shown.first.is_some() && pins.contains(*line);
    for line in 0..earlier {
        let index = turn.message_at(line);
        if is_kept(&line) {
            seen.show_later(index);
        } else {
            seen.shown_later.remove(index);
            seen.miss(index..index + 1);
        }
    }
    let mut dropped = (earlier..lines.min(first)).filter(|line| !is_kept(line));
    let dropped = dropped.next().map(|line| {
        let last = dropped.next_back().unwrap_or(line);
        turn.message_at(line)..turn.message_at(last) + 1
    });
    for run in [Some(turn.covered.clone()), dropped].into_iter().flatten() {
        seen.miss(run);
    }
    for line in (earlier..lines).filter(is_kept) {
        seen.show_later(turn.message_at(line));
    }
    turn.message.iter().for_each(|message| seen.show_later(*message));
    seen
}
