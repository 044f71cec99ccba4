//! Snapshots: restoring a whole conversation, or appending the messages after a given one.
//!
//! 1. A snapshot may contain only some of the messages. Everything else is whole in every snapshot.
//! 2. Appended messages must begin where the conversation ends: with nothing missing in between, no
//!    duplicate ids, and numbers after the last generated one.
//! 3. Everything is checked before anything changes.
//! 4. Appending takes time proportional to what is appended, not to the conversation.

use super::decided::{DecidedRecords, LateRecord};
use super::ids::{ID_PREFIX, Id, MAX_NUMBER};
use super::memory::Memory;
use super::message::{Envelope, MessageText};
use super::store::Conversation;
use crate::error::Error;

/// The version of snapshots with sessions. Without them, a snapshot is of version 1.
pub const SNAPSHOT_VERSION: u32 = 2;

/// A message of a snapshot. Its id was checked against those before it.
#[derive(Debug)]
pub struct SnapshotMessage {
    /// The id in the snapshot.
    pub id: String,
    /// Everything about it but its content.
    pub envelope: Envelope,
    /// What it says.
    pub text: MessageText<'static>,
}

/// A snapshot without its messages. Everything but `after` is whole in every snapshot.
#[derive(Debug, Default)]
pub struct SnapshotHead {
    /// The message after which the snapshot begins; `None` for a whole conversation.
    pub after: Option<String>,
    /// What the team works on.
    pub team_task: Option<String>,
    /// The last generated number, if the ids do not show it.
    pub last_number: Option<u64>,
    /// Pins, summaries and sessions.
    pub memory: Memory,
    /// Who may see what, as far as the messages do not say it.
    pub decided: DecidedRecords,
    /// Late routings of messages before the snapshot.
    pub late: Vec<LateRecord>,
}

/// What a snapshot did to the team task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskChange {
    /// Whether it changed.
    pub is_other: bool,
    /// Its sizes before and after, if it was cut.
    pub cut: Option<(usize, usize)>,
}

impl Conversation {
    /// The last generated number, if the ids do not show it because the message with the highest
    /// number was removed.
    pub fn removed_last_number(&self) -> Option<u64> {
        let is_there = || self.find_id(&Id::Numbered(self.last_number)).is_some();
        (self.last_number > 0 && !self.keeps_ids() && !is_there()).then_some(self.last_number)
    }

    /// Restores everything but the messages of a whole snapshot. Its names and then its messages
    /// must be restored already.
    pub fn restore_state(&mut self, head: &SnapshotHead) -> Result<TaskChange, Error> {
        if let Some(after) = &head.after {
            return Err(Error::invalid_snapshot(format!(
                "it begins after {after:?}, so it is a part of a conversation: append it, with \
                 {{ append: true }}"
            )));
        }
        check_last_number(head, self.last_number)?;
        self.check_late(head)?;
        self.take_audiences(&head.decided);
        Ok(self.set_state(head))
    }

    /// Adds the messages of a snapshot that begins where this conversation ends.
    pub fn append(
        &mut self,
        head: &SnapshotHead,
        messages: &[SnapshotMessage],
    ) -> Result<TaskChange, Error> {
        self.check_beginning(head.after.as_deref(), messages)?;
        let last_number = self.check_ids(messages)?;
        check_last_number(head, last_number)?;
        self.check_late(head)?;
        // Names come first: stored messages may be waiting for the first who had one of them.
        self.learn_names(&head.decided);
        for SnapshotMessage { id, envelope, text } in messages {
            self.restore(id, envelope, text);
        }
        for LateRecord { id, routing } in &head.late {
            if let Some(index) = self.find(id) {
                self.address(index, routing);
            }
        }
        self.take_audiences(&head.decided);
        Ok(self.set_state(head))
    }

    /// Checks that nothing is missing between this conversation and the appended messages.
    fn check_beginning(
        &self,
        after: Option<&str>,
        messages: &[SnapshotMessage],
    ) -> Result<(), Error> {
        let last = self.messages.last().map(|message| &message.id);
        let here = || match last {
            Some(last) => format!("the last message here is \"{last}\""),
            None => "there is no message here".to_owned(),
        };
        if let Some(after) = after {
            let fits = last == Some(&Id::parse(after));
            return fits.then_some(()).ok_or_else(|| {
                Error::invalid_snapshot(format!(
                    "it begins after {after:?}, but {}: append one that begins there, or import a \
                     whole one",
                    here()
                ))
            });
        }
        let (Some(_), Some(SnapshotMessage { id, .. })) = (last, messages.first()) else {
            return Ok(());
        };
        let next = Id::Numbered(self.last_number + 1);
        if Id::parse(id) == next {
            return Ok(());
        }
        Err(Error::invalid_snapshot(format!(
            "messages[0]: id {id:?} does not continue this conversation: {}, and the next one is \
             \"{next}\"; to append a part, export it with {{ after }}",
            here()
        )))
    }

    /// Checks the ids to append. Returns the last generated number after appending.
    fn check_ids(&self, messages: &[SnapshotMessage]) -> Result<u64, Error> {
        let mut last_number = self.last_number;
        for (index, SnapshotMessage { id, .. }) in messages.iter().enumerate() {
            let parsed = Id::parse(id);
            let problem = match parsed {
                Id::Numbered(number) if number > last_number => {
                    last_number = number;
                    continue;
                }
                _ if self.find_id(&parsed).is_some() => "already exists".to_owned(),
                Id::Numbered(_) if !self.keeps_ids() => {
                    format!("comes too late: numbering has come to \"{ID_PREFIX}{last_number}\"")
                }
                Id::Numbered(_) | Id::Named(_) => continue,
            };
            return Err(Error::invalid_snapshot(format!("messages[{index}]: id {id:?} {problem}")));
        }
        Ok(last_number)
    }

    /// Checks that the messages addressed late exist here.
    fn check_late(&self, head: &SnapshotHead) -> Result<(), Error> {
        match head.late.iter().find(|late| self.find(&late.id).is_none()) {
            Some(late) => Err(Error::invalid_snapshot(format!(
                "lateRoutings: there is no message {:?}",
                late.id
            ))),
            None => Ok(()),
        }
    }

    fn set_state(&mut self, head: &SnapshotHead) -> TaskChange {
        self.last_number = self.last_number.max(head.last_number.unwrap_or(0));
        let before = self.team_task().map(str::to_owned);
        let cut = self.set_team_task(head.team_task.as_deref());
        TaskChange { is_other: self.team_task() != before.as_deref(), cut }
    }
}

/// Checks the last generated number against the highest number in an id.
fn check_last_number(head: &SnapshotHead, highest: u64) -> Result<(), Error> {
    match head.last_number {
        Some(given) if given < highest || given > MAX_NUMBER => {
            Err(Error::invalid_snapshot(format!(
                "lastNumber must be at least {highest}, the highest number in an id, and at most \
                 {MAX_NUMBER}, got {given}"
            )))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
