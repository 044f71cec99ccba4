//! What a snapshot holds besides messages and team task: pins, summaries, and what each agent has
//! been shown. It refers to messages by id.

use super::fence_keys::{FenceKeyRecord, FenceKeys};
use super::ledger::{Ledger, Mark};
use super::session::{Fingerprint, Seen, Sessions};
use super::store::Conversation;
use super::summary::{Summaries, Summary};
use crate::error::Error;
use crate::visibility::folded;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::ops::Range;

/// What is remembered of one member.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object", deny_unknown_fields)]
pub struct MemberRecord {
    /// Its session with a confirmed prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionRecord>,
    /// The key of its fenced prompts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence_key: Option<FenceKeyRecord>,
}

/// Pins, summaries and sessions in a snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// All pinned messages; if absent, the messages themselves say whether they are pinned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<Vec<String>>,
    /// All summaries.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub summaries: Vec<SummaryRecord>,
    /// All sessions with a confirmed prompt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<SessionRecord>,
    /// The keys of fenced prompts.
    #[serde(rename = "fenceKeys", skip_serializing_if = "Vec::is_empty")]
    pub fence_keys: Vec<FenceKeyRecord>,
    /// Members who have left.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub departures: Vec<DepartureRecord>,
}

/// A departed member in a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub struct DepartureRecord {
    /// A name of that member.
    pub member: String,
    /// The newest message when the member left; `None` if it and all before it were removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// A summary in a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub struct SummaryRecord {
    /// The last message that it covers.
    pub up_to: Option<String>,
    /// What it says.
    pub text: String,
    /// The only member who sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipient: Option<String>,
    /// The id of that member, if it has spoken and `recipient` is another of its names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
}

/// What an agent has been shown, in a snapshot. A field that is not known may list messages that the
/// session lacks, so it is an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object", deny_unknown_fields)]
pub struct SessionRecord {
    /// Whose session it is.
    pub agent_id: String,
    /// The newest message of the last confirmed prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The newest message of the session's first prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<String>,
    /// Runs of messages that the session does not simply have if the recipient may see them, each
    /// with its first and its last message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<(Mark, String, String)>,
    /// The recipient of the last confirmed prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipient: Option<String>,
    /// The fingerprint of the system text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The fingerprint of the team task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_task: Option<String>,
    /// The fingerprint of the summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// The checked form, with messages by index.
#[derive(Debug, Default)]
pub struct CheckedMemory {
    pub(super) pins: Option<Vec<u32>>,
    pub(super) summaries: Summaries,
    pub(super) sessions: Sessions,
    pub(super) fence_keys: FenceKeys,
    /// Folded names, and how many messages there were.
    pub(super) departures: Vec<(String, usize)>,
}

impl Memory {
    /// Parses a snapshot's memory. An error names the malformed element.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        let mut fields: Map<String, Value> = serde_json::from_str(json)
            .map_err(|error| Error::Internal(format!("the memory of a snapshot: {error}")))?;
        Ok(Memory {
            pinned: list(&mut fields, "pinned")?,
            summaries: list(&mut fields, "summaries")?.unwrap_or_default(),
            sessions: list(&mut fields, "sessions")?.unwrap_or_default(),
            fence_keys: list(&mut fields, "fenceKeys")?.unwrap_or_default(),
            departures: list(&mut fields, "departures")?.unwrap_or_default(),
        })
    }

    /// Collects the memory of a conversation. `with_pins` lists the pinned messages, for a snapshot
    /// that does not contain all messages.
    pub fn of(conversation: &Conversation, sessions: &Sessions, with_pins: bool) -> Self {
        let id = |index: usize| conversation.id(index);
        let summary = |(owner, summary): (Option<&str>, &Summary)| SummaryRecord {
            up_to: conversation.summary_up_to(summary),
            text: summary.text.clone(),
            recipient: summary.recipient.clone(),
            member: owner
                .filter(|owner| summary.recipient.as_deref().map(folded).as_deref() != Some(owner))
                .map(str::to_owned),
        };
        let session =
            |(agent_id, seen): (&str, &Seen)| SessionRecord::of(conversation, agent_id, seen);
        let pins = conversation.pins.iter().map(|index| id(*index as usize));
        Memory {
            pinned: with_pins.then(|| pins.collect()),
            summaries: conversation.summaries.iter().map(summary).collect(),
            sessions: sessions.all().into_iter().map(session).collect(),
            fence_keys: conversation.fence_keys.records(),
            departures: conversation
                .visibility
                .departures()
                .map(|(member, messages)| DepartureRecord {
                    member: member.to_owned(),
                    after: messages.checked_sub(1).map(id),
                })
                .collect(),
        }
    }

    /// Resolves message ids with `find` and checks them.
    pub fn check(&self, find: impl Fn(&str) -> Option<usize>) -> Result<CheckedMemory, Error> {
        let index_of = |path: &str, id: &str| found(find(id), path, id);
        let fence_keys = FenceKeys::restore(&self.fence_keys)?;
        let mut checked = CheckedMemory { fence_keys, ..CheckedMemory::default() };
        for DepartureRecord { member, after } in &self.departures {
            let last = after.as_deref().map(|id| index_of("departures", id)).transpose()?;
            checked.departures.push((folded(member), last.map_or(0, |last| last + 1)));
        }
        if let Some(pinned) = &self.pinned {
            let pins = pinned.iter().map(|id| Ok(index_of("pinned", id)? as u32));
            let mut pins = pins.collect::<Result<Vec<u32>, Error>>()?;
            pins.sort_unstable();
            pins.dedup();
            checked.pins = Some(pins);
        }
        for SummaryRecord { up_to, text, recipient, member } in &self.summaries {
            let last = up_to.as_deref().map(|id| index_of("summaries", id)).transpose()?;
            let owner = recipient.as_ref().map(|name| folded(member.as_ref().unwrap_or(name)));
            let (text, recipient) = (text.clone(), recipient.clone());
            let covered = last.map_or(0, |last| last + 1);
            let is_known = checked.summaries.put(owner, Summary { covered, text, recipient });
            if is_known {
                let problem = "summaries: there are two for the same member, or two for all";
                return Err(Error::invalid_snapshot(problem));
            }
        }
        for record in &self.sessions {
            if checked.sessions.seen(&record.agent_id).is_some() {
                let problem = format!("sessions: there are two for {:?}", record.agent_id);
                return Err(Error::invalid_snapshot(problem));
            }
            checked.sessions.restore(record.agent_id.clone(), record.read(&find)?);
        }
        Ok(checked)
    }
}

impl SessionRecord {
    /// What an agent has been shown.
    pub fn of(conversation: &Conversation, agent_id: &str, seen: &Seen) -> Self {
        let id = |index: usize| conversation.id(index);
        let text = |found: Option<Fingerprint>| found.map(Fingerprint::stored);
        let run = |(run, mark): (Range<usize>, Mark)| (mark, id(run.start), id(run.end - 1));
        SessionRecord {
            agent_id: agent_id.to_owned(),
            since: seen.ledger.newest().map(id),
            begun: seen.ledger.begun.checked_sub(1).map(id),
            except: seen.ledger.marked().map(run).collect(),
            recipient: seen.recipient.clone(),
            system: text(seen.system),
            team_task: text(seen.team_task),
            summary: text(seen.summary),
        }
    }

    /// The checked form, with message ids resolved by `find`.
    pub fn read(&self, find: impl Fn(&str) -> Option<usize>) -> Result<Seen, Error> {
        let index_of = |id: &str| found(find(id), "sessions", id);
        let end_of = |id: &Option<String>| {
            let last = id.as_deref().map(&index_of).transpose()?;
            Ok::<usize, Error>(last.map_or(0, |last| last + 1))
        };
        let run_of = |(mark, first, last): &(Mark, String, String)| {
            let run = index_of(first)?..index_of(last)? + 1;
            Ok((run, *mark))
        };
        let marked = self.except.iter().map(run_of).collect::<Result<Vec<_>, Error>>()?;
        let (end, begun) = (end_of(&self.since)?, end_of(&self.begun)?);
        let ledger = Ledger::restore(end, begun, &marked).ok_or_else(|| {
            let agent = &self.agent_id;
            Error::invalid_snapshot(format!(
                "sessions: that of {agent:?} has messages out of order, or after \"since\""
            ))
        })?;
        let text = |stored: &Option<String>| stored.as_deref().and_then(Fingerprint::parse);
        Ok(Seen {
            ledger,
            recipient: self.recipient.as_deref().map(folded),
            system: text(&self.system),
            team_task: text(&self.team_task),
            summary: text(&self.summary),
        })
    }
}

fn found(index: Option<usize>, path: &str, id: &str) -> Result<usize, Error> {
    let unknown = || Error::invalid_snapshot(format!("{path}: there is no message {id:?}"));
    index.ok_or_else(unknown)
}

impl Conversation {
    /// Replaces the current memory with the checked one. Returns the sessions.
    pub fn take_memory(&mut self, memory: CheckedMemory) -> Sessions {
        let has_departures = !memory.departures.is_empty();
        for (name, _) in &memory.departures {
            self.fence_keys.forget(name);
        }
        self.fence_keys.add(memory.fence_keys);
        self.visibility.set_departures(memory.departures);
        if has_departures {
            self.pair_anew();
        }
        if let Some(pins) = memory.pins {
            self.pins = pins;
            self.forget_pinned_text();
        }
        self.summaries = memory.summaries;
        memory.sessions
    }
}

/// A list of a snapshot, if present.
fn list<T: DeserializeOwned>(
    fields: &mut Map<String, Value>,
    name: &str,
) -> Result<Option<Vec<T>>, Error> {
    let items = match fields.remove(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(Error::invalid_snapshot(format!("{name} must be an array"))),
    };
    let items = items.into_iter().enumerate().map(|(index, item)| {
        serde_json::from_value(item)
            .map_err(|error| Error::invalid_snapshot(format!("{name}[{index}]: {error}")))
    });
    items.collect::<Result<_, _>>().map(Some)
}
