//! Reads dropped messages for a report: the newest to be listed, the others to be measured, and
//! those that were not chosen.

use super::wanted::{Need, Wanted};
use crate::account::{Cause, MessageName, Reason};
use crate::conversation::{
    GivenMessage, KeptMessages, Lines, MAX_MEASURED, NOT_FOR_RECIPIENT, sender,
};
use crate::error::Error;
use crate::layout::Part;
use crate::plan::Plan;
use crate::report::{kept_messages, listed};
use crate::visibility::Recipient;
use std::collections::BTreeMap;
use std::ops::Range;

/// Dropped messages being read.
pub(super) struct Unkept {
    kept: KeptMessages,
    /// What is still to be done, first step last.
    steps: Vec<Step>,
    reader: Option<Recipient>,
    /// Why messages older than the examined ones are left out.
    outside: Cause,
    /// Bytes of messages that are shown in others that are kept: results with their calls.
    sent_elsewhere: BTreeMap<usize, usize>,
}

/// A step, with what it still has to read, newest first.
struct Step {
    kind: Kind,
    /// Lines for the first two kinds, otherwise the caller's messages.
    rest: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Listing lines.
    List,
    /// Measuring other lines.
    Measure,
    /// Messages among the examined ones that the recipient may not see.
    NotChosen,
    /// Learning senders, to know who an addressee is.
    Senders,
    /// Messages older than the examined ones.
    Older,
}

impl Kind {
    fn is_of_lines(self) -> bool {
        matches!(self, Kind::List | Kind::Measure)
    }

    fn need(self) -> Need {
        match self {
            Kind::List => Need::Content,
            Kind::Senders => Need::Names,
            _ => Need::Size,
        }
    }
}

impl Unkept {
    pub fn new(plan: &Plan, lines: &mut Lines, count: usize) -> Self {
        let kept = kept_messages(plan, lines);
        let end = listed(&kept, lines).last().unwrap_or(kept.first);
        let start = if kept.in_layout { lines.pins().window().start } else { 0 };
        let unread = end.saturating_sub(MAX_MEASURED).max(start);
        let mut unkept = Unkept {
            kept,
            steps: vec![
                Step { kind: Kind::Measure, rest: unread..end },
                Step { kind: Kind::List, rest: end..kept.first },
            ],
            reader: None,
            outside: Cause::dropped(Part::Context, Reason::Window),
            sent_elsewhere: BTreeMap::new(),
        };
        let Some(given) = lines.passed_mut() else { return unkept };
        unkept.sent_elsewhere = given.sent_elsewhere(&kept);
        let mut ledger = std::mem::take(&mut given.left_out);
        given.enter_unread(&mut ledger, &kept, unread);
        if let Some(chosen) = &given.chosen {
            chosen.name_window(&mut ledger);
            let unread = chosen.older.saturating_sub(MAX_MEASURED);
            let pinned = chosen.older_pins().partition_point(|index| *index < unread);
            ledger.leave_out_unread(chosen.outside(), unread - pinned);
            unkept.outside = chosen.outside();
            unkept.reader = chosen.recipient.as_deref().map(Recipient::new);
            let end = if unkept.reader.is_some() { count } else { 0 };
            let others = [
                Step { kind: Kind::Older, rest: unread..chosen.older },
                Step { kind: Kind::Senders, rest: unread..end },
                Step { kind: Kind::NotChosen, rest: chosen.older..end },
            ];
            unkept.steps.splice(0..0, others);
        }
        given.left_out = ledger;
        unkept
    }

    /// The index of the message that is needed next.
    pub fn wanted(&mut self, lines: &Lines) -> Option<usize> {
        loop {
            let Step { kind, rest } = self.steps.last_mut()?;
            while let Some(next) = rest.clone().next_back() {
                let is_skipped = match kind {
                    Kind::List | Kind::Measure => {
                        self.kept.in_layout && lines.pins().contains(next)
                    }
                    Kind::Senders => false,
                    Kind::NotChosen | Kind::Older => lines
                        .passed()
                        .and_then(|given| given.chosen.as_ref())
                        .is_some_and(|chosen| chosen.indices.binary_search(&next).is_ok()),
                };
                match is_skipped {
                    true => rest.end = next,
                    false if kind.is_of_lines() => return Some(lines.index(next)),
                    false => return Some(next),
                }
            }
            self.steps.pop();
        }
    }

    /// How much of the wanted message is needed.
    pub fn need(&self) -> Need {
        self.steps.last().map_or(Need::Names, |step| step.kind.need())
    }

    /// What to pass next: everything that is still to be read, what is needed first at the
    /// beginning.
    pub fn wanted_next(&self, lines: &Lines) -> Vec<Wanted> {
        let is_needed = |line: &usize| !(self.kept.in_layout && lines.pins().contains(*line));
        let mut wanted = Vec::new();
        let mut others: Option<Range<usize>> = None;
        for Step { kind, rest } in self.steps.iter().rev() {
            match kind {
                Kind::List => {
                    let listed = rest.clone().rev().filter(is_needed);
                    let indices = listed.map(|line| lines.index(line)).collect();
                    wanted.push(Wanted::indices(Need::Content, indices));
                }
                Kind::Measure => wanted.push(Wanted::lines(Need::Size, lines, rest.clone())),
                _ if rest.is_empty() => {}
                // Each of them is needed once or more.
                _ => {
                    let all = others.get_or_insert(rest.clone());
                    *all = all.start.min(rest.start)..all.end.max(rest.end);
                }
            }
        }
        wanted.extend(others.map(|all| Wanted::range(Need::Size, all)));
        wanted
    }

    /// Takes the wanted message.
    pub fn pass(&mut self, lines: &mut Lines, message: &dyn GivenMessage) -> Result<(), Error> {
        let Some(Step { kind, rest }) = self.steps.last_mut() else { return Ok(()) };
        let Some(next) = rest.next_back() else { return Ok(()) };
        let index = if kind.is_of_lines() { lines.index(next) } else { next };
        let sent = self.sent_elsewhere.get(&index).copied().unwrap_or(0);
        if *kind == Kind::Senders {
            if let Some(reader) = &mut self.reader {
                reader.learn(&sender(message)?);
            }
            return Ok(());
        }
        if *kind == Kind::List {
            let unkept = lines.read_unkept(next, message)?;
            let Some(given) = lines.passed_mut() else { return Ok(()) };
            let (cause, bytes) = (self.kept.cause(next), unkept.content_bytes - sent);
            given.left_out.leave_out_message(cause, bytes, || unkept.name.clone());
            given.described.push(unkept);
            return Ok(());
        }
        let Some(given) = lines.passed_mut() else { return Ok(()) };
        let bytes = given.given_bytes(message)? - sent;
        let ledger = &mut given.left_out;
        match kind {
            Kind::Measure => ledger.leave_out_messages(self.kept.cause(next), 1, bytes),
            Kind::Older => {
                let from = sender(message)?;
                let may_see = match &self.reader {
                    Some(reader) => reader.may_see(&from, &message.addressed_to()?),
                    None => true,
                };
                let name = || MessageName { from: Some(from), ..MessageName::given(index) };
                match may_see {
                    true => ledger.leave_out_message(self.outside, bytes, name),
                    false => ledger.leave_out_messages(NOT_FOR_RECIPIENT, 1, bytes),
                }
            }
            _ => ledger.leave_out_messages(NOT_FOR_RECIPIENT, 1, bytes),
        }
        Ok(())
    }
}
