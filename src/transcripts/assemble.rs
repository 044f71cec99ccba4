//! Turns entries of a transcript into messages, within a budget.
//!
//! 1. The user's first message is kept, then the newest ones as far as they fit. What lies between
//!    is counted.
//! 2. A result goes into the message of its call. A result without a call is left out, and so is a
//!    second result of the same call.
//! 3. All entries of one answer of the model form one message.

use super::lines::{Span, read_span};
use super::message::{Message, Omitted, Piece, Skipped, Speaker, Timestamp};
use std::collections::HashMap;
use std::fs::File;
use std::io;

/// Who wrote an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The user, or the agent that gave a sub-agent its task.
    User,
    /// The agent.
    Agent,
}

/// Which entries of the agent form one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Group {
    /// Each entry by itself.
    Own,
    /// Those with the same name.
    Named(String),
    /// All entries up to the next result.
    UntilResult,
}

/// What one entry says.
#[derive(Debug)]
pub struct Entry {
    /// Its id.
    pub id: Option<String>,
    /// When it was written.
    pub timestamp: Option<Timestamp>,
    /// Who wrote it.
    pub role: Role,
    /// Which others it forms one message with.
    pub group: Group,
    /// What it says, including results of calls in other entries.
    pub parts: Vec<Piece>,
}

impl Entry {
    fn bytes(&self) -> usize {
        self.parts.iter().map(Piece::bytes).sum()
    }

    fn is_said_by_user(&self) -> bool {
        let is_result = |part: &Piece| matches!(part, Piece::ToolResult { .. });
        self.role == Role::User && !self.parts.iter().all(is_result)
    }
}

/// The entries that fit, oldest first, each with its place among the spans.
pub struct Newest {
    pub kept: Vec<(usize, Entry)>,
    /// Without what they say, each with the size of that.
    pub left_out: Vec<(Entry, usize)>,
}

/// Reads entries at their places.
pub struct EntryReader<'r> {
    /// The file that they are in.
    pub file: File,
    /// What an entry says. `None` if it is not part of the conversation.
    pub entry: &'r dyn Fn(&[u8]) -> Option<Entry>,
    /// How many bytes of messages may still be kept.
    pub room: usize,
    /// The size of the longest entry that is read at all.
    pub longest: usize,
}

impl EntryReader<'_> {
    /// `None` if it is not part of the conversation, or too long.
    fn read(&mut self, span: Span) -> io::Result<Option<Entry>> {
        if self.is_too_long(span) {
            return Ok(None);
        }
        let bytes = read_span(&mut self.file, span)?;
        Ok((self.entry)(&bytes).filter(|entry| !entry.parts.is_empty()))
    }

    fn is_too_long(&self, span: Span) -> bool {
        span.len > self.longest as u64
    }

    fn first_of_user(&mut self, spans: &[Span]) -> io::Result<Option<(usize, Entry)>> {
        for (place, span) in spans.iter().enumerate() {
            if let Some(entry) = self.read(*span)?.filter(Entry::is_said_by_user) {
                return Ok(Some((place, entry)));
            }
        }
        Ok(None)
    }

    /// The entries that fit, and a count of what does not.
    pub fn newest(&mut self, spans: &[Span], skipped: &mut Skipped) -> io::Result<Newest> {
        let (mut kept, mut left_out) = (Vec::new(), Vec::new());
        let first = self.first_of_user(spans)?;
        let first_place = first.as_ref().map(|(place, _)| *place);
        if let Some((place, entry)) = first {
            self.keep(place, entry, &mut kept, &mut left_out);
        }
        for (place, span) in spans.iter().enumerate().rev() {
            if Some(place) == first_place {
                continue;
            }
            if self.is_too_long(*span) {
                skipped.add("too long", span.line);
            } else if let Some(entry) = self.read(*span)? {
                self.keep(place, entry, &mut kept, &mut left_out);
            }
        }
        kept.sort_by_key(|(place, _)| *place);
        left_out.reverse();
        Ok(Newest { kept, left_out })
    }

    /// Keeps an entry if there is room, otherwise only counts it. Once something does not fit,
    /// nothing older is kept, so that there is one gap.
    fn keep(
        &mut self,
        place: usize,
        mut entry: Entry,
        kept: &mut Vec<(usize, Entry)>,
        left_out: &mut Vec<(Entry, usize)>,
    ) {
        let bytes = entry.bytes();
        if bytes <= self.room {
            self.room -= bytes;
            kept.push((place, entry));
        } else {
            self.room = 0;
            entry.parts.clear();
            left_out.push((entry, bytes));
        }
    }
}

/// Who speaks in a list of messages.
pub struct Speakers<'s> {
    /// Gives the tasks.
    pub user: &'s Speaker,
    /// Does them.
    pub agent: &'s Speaker,
}

/// The ids of all messages, each with how many messages had it.
#[derive(Default)]
pub struct Ids(HashMap<String, usize>);

impl Ids {
    /// An id that no other message has: the given one, if possible.
    fn unique(&mut self, id: Option<String>) -> String {
        let id = id.filter(|id| !id.is_empty()).unwrap_or_else(|| "message".to_owned());
        loop {
            let count = self.0.entry(id.clone()).or_insert(0);
            *count += 1;
            if *count == 1 {
                return id;
            }
            let numbered = format!("{id}-{count}");
            if !self.0.contains_key(&numbered) {
                self.0.insert(numbered.clone(), 1);
                return numbered;
            }
        }
    }
}

/// Makes messages from entries.
pub struct Builder<'b> {
    speakers: Speakers<'b>,
    messages: Vec<Message>,
    /// The message of each call that has no result yet.
    open_calls: HashMap<String, usize>,
    ids: &'b mut Ids,
    /// Which entries of the agent continue the last message.
    group: Option<Group>,
}

impl<'b> Builder<'b> {
    /// Messages of these speakers, with ids that no other message has.
    pub fn new(speakers: Speakers<'b>, ids: &'b mut Ids) -> Self {
        Builder { speakers, messages: Vec::new(), open_calls: HashMap::new(), ids, group: None }
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Adds what an entry says.
    pub fn add(&mut self, entry: Entry) {
        let Entry { id, timestamp, role, group, parts, .. } = entry;
        let (results, said): (Vec<Piece>, Vec<Piece>) =
            parts.into_iter().partition(|part| matches!(part, Piece::ToolResult { .. }));
        if !said.is_empty() {
            let goes_on = role == Role::Agent
                && group != Group::Own
                && self.group.as_ref() == Some(&group)
                && !self.messages.is_empty();
            if !goes_on {
                let id = self.ids.unique(id);
                let speaker = match role {
                    Role::User => self.speakers.user.clone(),
                    Role::Agent => self.speakers.agent.clone(),
                };
                self.messages.push(Message { id, timestamp, speaker, parts: Vec::new() });
            }
            self.group = (role == Role::Agent).then_some(group);
            self.say(said);
        }
        for result in results {
            self.answer(result);
        }
    }

    fn say(&mut self, said: Vec<Piece>) {
        let at = self.messages.len() - 1;
        for part in &said {
            if let Piece::ToolCall { id, .. } = part {
                self.open_calls.insert(id.clone(), at);
            }
        }
        if let Some(message) = self.messages.last_mut() {
            message.parts.extend(said);
        }
    }

    fn answer(&mut self, result: Piece) {
        let Piece::ToolResult { id, .. } = &result else { return };
        let Some(at) = self.open_calls.remove(id) else { return };
        if let Some(message) = self.messages.get_mut(at) {
            message.parts.push(result);
        }
        if self.group == Some(Group::UntilResult) {
            self.group = None;
        }
    }

    /// The messages.
    pub fn finish(self) -> Vec<Message> {
        self.messages
    }
}

/// How many messages entries would have made.
pub fn count(entries: Vec<(Entry, usize)>) -> Omitted {
    let (mut messages, mut bytes) = (0, 0);
    let mut group = None;
    for (entry, size) in entries {
        bytes += size;
        if entry.role == Role::User
            || entry.group == Group::Own
            || group.as_ref() != Some(&entry.group)
        {
            messages += 1;
        }
        group = Some(entry.group);
    }
    Omitted { messages, bytes }
}
