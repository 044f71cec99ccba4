//! What a prompt of a session shows whole: what its agent has seen once the prompt is confirmed.

use super::index_set::IndexSet;
use super::session::{Fingerprint, Seen};
use super::turn::{ReplyFate, Turn};
use crate::assemble::ShownWhole;
use crate::conversation::pins::Segment;
use crate::model::{Materials, SeenParts};

/// The texts beside the conversation, as they are now.
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

    /// Which of them an agent has been shown last.
    pub fn seen_parts(&self, seen: &Seen) -> SeenParts {
        SeenParts {
            system: seen.system == Some(self.system),
            team_task: seen.team_task == Some(self.team_task),
            summary: seen.summary == Some(self.summary),
        }
    }

    /// What a prompt of a turn shows.
    pub fn of_prompt(&self, whole: ShownWhole, turn: &Turn) -> Seen {
        let mut messages = IndexSet::default();
        let mut insert = |index: usize| messages.insert(index..index + 1);
        if let Some(first) = whole.first {
            for segment in turn.pinned.pins.segments(first, 0) {
                let Segment::Lines(lines) = segment else { continue };
                lines.for_each(|line| insert(turn.message_at(line)));
            }
        }
        if let Some(message) = turn.message.filter(|_| whole.message) {
            insert(message);
        }
        let is_shown = |fate: ReplyFate| matches!(fate, ReplyFate::Shown { .. });
        let siblings = turn.replies.iter().filter(|reply| is_shown(reply.fate));
        for reply in siblings.take(whole.siblings) {
            if reply.fate == (ReplyFate::Shown { code_bytes: 0, cut_bytes: 0 }) {
                insert(reply.index);
            }
        }
        Seen {
            floor: turn.first_of_window(),
            newest: messages.ranges().last().map(|range| range.end - 1),
            messages,
            system: whole.system.then_some(self.system),
            team_task: whole.team_task.then_some(self.team_task),
            summary: whole.summary.then_some(self.summary),
        }
    }
}
