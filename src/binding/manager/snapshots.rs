//! Snapshots of a manager.

use super::NativeManager;
use crate::binding::failure::json_of;
use crate::binding::fields::{MessageFields, RoutingFields, UnreadMessage, late_routing};
use crate::manager::Conversation;
use crate::manager::context_manager::task_warning;
use crate::manager::decided::{DecidedRecords, LATE_MESSAGES, LateRecord};
use crate::manager::ids::SnapshotIds;
use crate::manager::memory::Memory;
use crate::manager::snapshot::{self, SnapshotHead, SnapshotMessage};
use napi::Env;
use napi_derive::napi;
use serde::Serialize;

/// This many of the newest messages may be addressed late.
#[napi]
pub const LATE_MESSAGE_COUNT: u32 = LATE_MESSAGES as u32;

/// The version of snapshots with sessions.
#[napi]
pub const SNAPSHOT_VERSION: u32 = snapshot::SNAPSHOT_VERSION;

/// The fields of a snapshot other than its messages.
#[napi(object, object_to_js = false)]
pub struct SnapshotFields {
    /// The id of the message after which it begins.
    pub after: Option<String>,
    pub team_task: Option<String>,
    pub last_number: Option<f64>,
    /// Pins, summaries and sessions as JSON.
    pub memory: String,
    /// Routings that came late, by the ids of their messages.
    pub late: Vec<(String, RoutingFields)>,
}

/// What happened to the team task.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ImportedTask {
    /// Whether it is another one than before.
    is_other: bool,
    /// What to tell the user if it was cut.
    warning: Option<String>,
}

/// A snapshot that is being read. Nothing is changed before all of it was.
#[napi]
pub struct SnapshotImport {
    ids: SnapshotIds,
    messages: ImportedMessages,
    decided: DecidedRecords,
    expect_wide: bool,
}

enum ImportedMessages {
    /// For a new conversation.
    Restored(Box<Conversation>),
    /// To be appended to what there is.
    Appended(Vec<SnapshotMessage>),
}

#[napi]
impl SnapshotImport {
    /// Takes the next message.
    #[napi(catch_unwind)]
    pub fn add(&mut self, id: String, message: MessageFields) -> napi::Result<()> {
        let (envelope, text) = UnreadMessage::new(message).read(&mut self.expect_wide)?;
        self.ids.check(&id)?;
        match &mut self.messages {
            ImportedMessages::Restored(conversation) => conversation.restore(&id, &envelope, &text),
            ImportedMessages::Appended(messages) => {
                messages.push(SnapshotMessage { id, envelope, text });
            }
        }
        Ok(())
    }
}

#[napi]
impl NativeManager {
    /// The index of the first message of a snapshot that begins after this one.
    #[napi(catch_unwind)]
    pub fn snapshot_start(&self, after: Option<String>) -> napi::Result<f64> {
        Ok(match after {
            Some(after) => self.manager.borrow().conversation.index_of(&after)? as f64 + 1.0,
            None => 0.0,
        })
    }

    /// The highest number that was given out in an id, if that message was removed.
    #[napi(getter, catch_unwind)]
    pub fn removed_last_number(&self) -> Option<f64> {
        let number = self.manager.borrow().conversation.removed_last_number();
        number.map(|number| number as f64)
    }

    /// Pins, summaries and sessions as JSON. `withPins` lists the pinned messages.
    #[napi(catch_unwind)]
    pub fn snapshot_memory(&self, with_pins: bool) -> napi::Result<String> {
        Ok(json_of(&self.manager.borrow().memory(with_pins))?)
    }

    /// Who may see what, as far as the messages from `start` on do not tell, as JSON.
    #[napi(catch_unwind)]
    pub fn snapshot_decided(&self, start: f64) -> napi::Result<String> {
        Ok(json_of(&self.manager.borrow().conversation.decided_records(start as usize))?)
    }

    /// The indices of the messages before `start` whose addressees have come since, as JSON.
    #[napi(catch_unwind)]
    pub fn late_before(&self, start: f64) -> napi::Result<String> {
        let manager = self.manager.borrow();
        let late: Vec<usize> = manager.conversation.late_before(start as usize).collect();
        Ok(json_of(&late)?)
    }

    /// Begins to read a snapshot, which replaces the conversation or is appended to it. `decided` is
    /// who may see what, as far as the messages do not tell, as JSON.
    #[napi(catch_unwind)]
    pub fn begin_import(&self, append: bool, decided: String) -> napi::Result<SnapshotImport> {
        let decided = DecidedRecords::from_json(&decided)?;
        let messages = match append {
            true => ImportedMessages::Appended(Vec::new()),
            false => {
                let mut conversation = Box::new(self.manager.borrow().empty_conversation());
                conversation.learn_names(&decided);
                ImportedMessages::Restored(conversation)
            }
        };
        Ok(SnapshotImport { ids: SnapshotIds::default(), messages, decided, expect_wide: false })
    }

    /// Takes over a snapshot whose messages were all read. Returns what happened to the team task,
    /// as JSON.
    #[napi(catch_unwind)]
    pub fn finish_import(
        &mut self,
        env: Env,
        pending: &mut SnapshotImport,
        head: SnapshotFields,
    ) -> napi::Result<String> {
        let head = SnapshotHead {
            after: head.after,
            team_task: head.team_task,
            last_number: head.last_number.map(|number| number as u64),
            memory: Memory::from_json(&head.memory)?,
            decided: std::mem::take(&mut pending.decided),
            late: head
                .late
                .into_iter()
                .map(|(id, routing)| LateRecord { id, routing: late_routing(routing) })
                .collect(),
        };
        let nothing = ImportedMessages::Appended(Vec::new());
        let task = match std::mem::replace(&mut pending.messages, nothing) {
            ImportedMessages::Restored(conversation) => {
                self.manager.borrow_mut().restore(&head, *conversation)
            }
            ImportedMessages::Appended(messages) => {
                self.manager.borrow_mut().append(&head, &messages)
            }
        };
        let task = task?;
        self.tell_memory(&env);
        let warning = task.cut.map(task_warning);
        Ok(json_of(&ImportedTask { is_other: task.is_other, warning })?)
    }
}
