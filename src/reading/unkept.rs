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
use crate::visibility::Reader;
use std::collections::BTreeMap;
use std::ops::Range;

/// Dropped messages being read.
pub(super) struct Unkept {
    kept: KeptMessages,
    /// How many messages the caller has.
    count: usize,
    step: UnkeptStep,
    /// Lines to list, oldest first.
    listed: Vec<usize>,
    /// What this step still has to read, newest first: lines, or the caller's messages.
    rest: Range<usize>,
    reader: Option<Reader>,
    /// Messages older than this are not read.
    unread: usize,
    /// Why messages older than the examined ones are left out.
    outside: Cause,
    /// Bytes of messages that are shown in others that are kept: results with their calls.
    sent_elsewhere: BTreeMap<usize, usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum UnkeptStep {
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
    Done,
}

impl Unkept {
    pub fn new(plan: &Plan, lines: &mut Lines, count: usize) -> Self {
        let kept = kept_messages(plan, lines);
        let mut listed: Vec<usize> = listed(&kept, lines).collect();
        listed.reverse();
        let (start, oldest) = match kept.in_layout {
            true => (lines.pins().window().start, listed.first()),
            false => (0, listed.first()),
        };
        let end = oldest.copied().unwrap_or(kept.first);
        let unread = end.saturating_sub(MAX_MEASURED).max(start);
        Unkept {
            kept,
            count,
            step: UnkeptStep::List,
            listed,
            rest: unread..end,
            reader: None,
            unread,
            outside: Cause::dropped(Part::Context, Reason::Window),
            sent_elsewhere: lines.sent_elsewhere(&kept),
        }
    }

    /// The index of the message that is needed next.
    pub fn wanted(&mut self, lines: &mut Lines) -> Option<usize> {
        loop {
            let next = match self.step {
                UnkeptStep::List => self.listed.last().copied(),
                UnkeptStep::Done => return None,
                _ => self.next_of_rest(lines),
            };
            match (next, self.step) {
                (Some(line), UnkeptStep::List | UnkeptStep::Measure) => {
                    return Some(lines.index(line));
                }
                (Some(index), _) => return Some(index),
                (None, _) => self.step = self.next_step(lines),
            }
        }
    }

    fn next_of_rest(&mut self, lines: &mut Lines) -> Option<usize> {
        while let Some(next) = self.rest.clone().next_back() {
            let is_skipped = match self.step {
                UnkeptStep::Measure => self.kept.in_layout && lines.pins().contains(next),
                UnkeptStep::NotChosen => is_in(lines, next, |chosen| &chosen.indices),
                UnkeptStep::Older => is_in(lines, next, |chosen| chosen.older_pins()),
                _ => false,
            };
            if !is_skipped {
                return Some(next);
            }
            self.rest.end = next;
        }
        None
    }

    fn next_step(&mut self, lines: &mut Lines) -> UnkeptStep {
        let Some(given) = lines.given_mut() else { return UnkeptStep::Done };
        let chosen = given.chosen.clone();
        match (self.step, chosen) {
            (UnkeptStep::List, _) => UnkeptStep::Measure,
            (UnkeptStep::Measure, chosen) => {
                let mut ledger = std::mem::take(&mut given.left_out);
                given.enter_unread(&mut ledger, &self.kept, self.unread);
                if let Some(chosen) = &chosen {
                    chosen.name_window(&mut ledger);
                    self.unread = chosen.older.saturating_sub(MAX_MEASURED);
                    let is_unread = |index: &usize| *index < self.unread;
                    let pinned = chosen.older_pins().partition_point(is_unread);
                    ledger.leave_out_unread(chosen.outside(), self.unread - pinned);
                    self.outside = chosen.outside();
                    self.rest = chosen.older..self.count;
                    self.reader = chosen.recipient.as_deref().map(Reader::new);
                }
                given.left_out = ledger;
                if chosen.is_some() { UnkeptStep::NotChosen } else { UnkeptStep::Done }
            }
            (UnkeptStep::NotChosen, Some(_)) if self.reader.is_some() => {
                self.rest = self.unread..self.count;
                UnkeptStep::Senders
            }
            (UnkeptStep::NotChosen | UnkeptStep::Senders, Some(chosen)) => {
                self.rest = self.unread..chosen.older;
                UnkeptStep::Older
            }
            _ => UnkeptStep::Done,
        }
    }

    /// How much of the wanted message is needed.
    pub fn need(&self) -> Need {
        match self.step {
            UnkeptStep::List => Need::Content,
            UnkeptStep::Senders => Need::Names,
            _ => Need::Size,
        }
    }

    /// What to pass next: everything that is still to be read.
    pub fn wanted_next(&self, lines: &Lines) -> Vec<Wanted> {
        let mut wanted = Vec::new();
        if self.step == UnkeptStep::List {
            let indices = self.listed.iter().rev().map(|line| lines.index(*line)).collect();
            wanted.push(Wanted::indices(Need::Content, indices));
        }
        // What is needed first comes first.
        wanted.push(match self.step {
            UnkeptStep::List | UnkeptStep::Measure => {
                Wanted::lines(Need::Size, lines, self.rest.clone())
            }
            _ => Wanted::range(Need::Size, self.rest.clone()),
        });
        if let Some(chosen) = lines.chosen() {
            let end = if chosen.recipient.is_some() { self.count } else { chosen.older };
            let start = chosen.older.saturating_sub(MAX_MEASURED);
            wanted.push(Wanted::range(Need::Size, start..end));
        }
        wanted
    }

    /// Takes the wanted message.
    pub fn pass(&mut self, lines: &mut Lines, message: &dyn GivenMessage) -> Result<(), Error> {
        if self.step == UnkeptStep::List {
            if let Some(line) = self.listed.pop() {
                self.list(lines, line, message)?;
            }
            return Ok(());
        }
        let Some(next) = self.rest.next_back() else { return Ok(()) };
        if self.step == UnkeptStep::Senders {
            if let Some(reader) = &mut self.reader {
                reader.learn(&sender(message)?);
            }
            return Ok(());
        }
        let index = if self.step == UnkeptStep::Measure { lines.index(next) } else { next };
        let Some(given) = lines.given_mut() else { return Ok(()) };
        let sent = self.sent_elsewhere.get(&index).copied().unwrap_or(0);
        let bytes = given.given_bytes(message)? - sent;
        let ledger = &mut given.left_out;
        if self.step != UnkeptStep::Older {
            let cause = match self.step {
                UnkeptStep::Measure => self.kept.cause(next),
                _ => NOT_FOR_RECIPIENT,
            };
            ledger.leave_out_messages(cause, 1, bytes);
            return Ok(());
        }
        let from = sender(message)?;
        let may_see = match &self.reader {
            Some(reader) => reader.may_see(&from, &message.addressed_to()?),
            None => true,
        };
        match may_see {
            true => ledger.leave_out_message(self.outside, bytes, || MessageName {
                id: None,
                index: Some(next),
                from: Some(from),
            }),
            false => ledger.leave_out_messages(NOT_FOR_RECIPIENT, 1, bytes),
        }
        Ok(())
    }

    fn list(
        &self,
        lines: &mut Lines,
        line: usize,
        message: &dyn GivenMessage,
    ) -> Result<(), Error> {
        let unkept = lines.read_unkept(line, message)?;
        let sent = self.sent_elsewhere.get(&lines.index(line)).copied().unwrap_or(0);
        let Some(given) = lines.given_mut() else { return Ok(()) };
        let name = || unkept.name.clone();
        let bytes = unkept.content_bytes - sent;
        given.left_out.leave_out_message(self.kept.cause(line), bytes, name);
        given.described.push(unkept);
        Ok(())
    }
}

/// Whether a list of chosen messages contains a message.
fn is_in(
    lines: &mut Lines,
    index: usize,
    list: impl Fn(&crate::conversation::Chosen) -> &[usize],
) -> bool {
    let chosen = lines.given_mut().and_then(|given| given.chosen.as_ref());
    chosen.is_some_and(|chosen| list(chosen).binary_search(&index).is_ok())
}
