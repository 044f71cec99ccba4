//! Who may see what, as far as a snapshot's messages do not say it.
//!
//! 1. Adding the same messages in the same order teaches the same names and leads to the same
//!    decisions, so most snapshots store nothing here.
//! 2. If a message was removed or got another speaker, some known names may appear in no message.
//!    The snapshot then lists all names in the order in which they were learned, and who each
//!    message is for.
//! 3. If other names were learned before a message got its addressees, the snapshot lists who it is
//!    for.
//! 4. A snapshot of later messages only also carries late addressees of the messages before them.

use super::edit::LateRouting;
use super::store::{Conversation, StoredMessage};
use super::visible::Concerned;
use crate::error::Error;
use crate::visibility::audience::{Audience, Waiting};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How many of the newest messages may be addressed late.
pub const LATE_MESSAGES: usize = 64;

/// What a snapshot's messages do not say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DecidedRecords {
    /// Member ids and the names under which they became known, in the order learned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<(String, String)>,
    /// Who messages are for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub audiences: Vec<AudienceRecord>,
}

/// Who a message is for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, expecting = "an object")]
pub struct AudienceRecord {
    /// The id of the message.
    pub id: String,
    /// Whether it is for everyone.
    #[serde(skip_serializing_if = "is_false")]
    pub everyone: bool,
    /// The ids of members.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
    /// Names that several members shared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<Box<str>>,
    /// Names that nobody had.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<Waiting>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A late routing for a message that precedes the snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LateRecord {
    /// The id of the message.
    pub id: String,
    /// The routing.
    pub routing: LateRouting,
}

impl DecidedRecords {
    /// Parses the records of a snapshot.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        serde_json::from_str(json).map_err(|error| {
            Error::invalid_snapshot(format!("who may see its messages cannot be read: {error}"))
        })
    }
}

impl Conversation {
    /// The records of a snapshot that begins with message `start`.
    pub fn decided_records(&self, start: usize) -> DecidedRecords {
        let is_told = |message: &StoredMessage| {
            let is_explicit = self.has_unlearnable_names || message.decided.is_explicit;
            !is_explicit || message.opening.envelope.addressees.is_empty()
        };
        let late = self.late_before(start).filter(|index| !is_told(&self.messages[*index]));
        let rest = (start..self.len()).filter(|index| !is_told(&self.messages[*index]));
        let learned = self.visibility.members.learned.iter();
        let names = learned.filter(|_| self.has_unlearnable_names).map(|learned| {
            (self.visibility.members.id(learned.member).to_owned(), learned.name.to_string())
        });
        DecidedRecords {
            names: names.collect(),
            audiences: late.chain(rest).filter_map(|index| self.audience_record(index)).collect(),
        }
    }

    fn audience_record(&self, index: usize) -> Option<AudienceRecord> {
        let audience = self.visibility.audience(self.visibility.concerned(index).audience)?.clone();
        let members = audience.members.into_iter();
        Some(AudienceRecord {
            id: self.id(index),
            everyone: audience.everyone,
            members: members.map(|member| self.visibility.members.id(member).to_owned()).collect(),
            shared: audience.shared,
            waiting: audience.waiting,
        })
    }

    /// The messages before `start` that were addressed once message `start - 1` had been added.
    pub fn late_before(&self, start: usize) -> impl Iterator<Item = usize> {
        let range: Range<usize> = start.saturating_sub(LATE_MESSAGES)..start;
        range.filter(move |index| self.messages[*index].decided.late_at as usize >= start)
    }

    /// Learns the names of a snapshot.
    pub fn learn_names(&mut self, records: &DecidedRecords) {
        for (id, name) in &records.names {
            self.visibility.learn_member(id, [name, ""]);
        }
        self.has_unlearnable_names |= !records.names.is_empty();
    }

    /// Restores who messages are for. The members that the snapshot names must be known already.
    pub fn take_audiences(&mut self, records: &DecidedRecords) {
        for record in &records.audiences {
            let Some(index) = self.find(&record.id) else { continue };
            let members = record.members.iter();
            let mut audience = Audience {
                everyone: record.everyone,
                members: members.filter_map(|id| self.visibility.member_with_id(id)).collect(),
                shared: record.shared.clone(),
                waiting: record.waiting.clone(),
            };
            audience.members.sort_unstable();
            let number = self.visibility.number_of(audience);
            self.messages[index].decided.is_explicit = true;
            let concerned = self.visibility.concerned(index);
            self.visibility.readdress(index, Concerned { audience: number, ..concerned });
        }
        if !records.audiences.is_empty() {
            self.pair_anew();
        }
    }
}
