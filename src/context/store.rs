//! The messages of one conversation and its team task.
//!
//! 1. Markers are stripped and the line is laid out once, when a message is added. Lines
//!    lie one after another in one buffer, so a window of them is one slice.
//! 2. The line is that of the agents with bracketed titles; other styles take its fields.
//! 3. What one turn asks for is found by index, not by search: messages by id, by speaker,
//!    and by the message they reply to.

use crate::layout::{BRACKETED_LINE, EVERYONE, Line};
use crate::text::{head, strip_markers};
use std::borrow::Cow;
use std::collections::HashMap;

/// The style in which lines are kept.
pub const STORED_LINE: Line = BRACKETED_LINE;
const ARROW: &str = match STORED_LINE.arrow {
    Some(arrow) => arrow,
    None => "",
};

/// A team task is cut to this size.
const LONGEST_TASK_BYTES: usize = 5 * 1024;

/// The beginning of the ids that are given out.
const ID_PREFIX: &str = "msg-";

/// A message to be added.
#[derive(Debug, Clone, Default)]
pub struct NewMessage {
    /// Who wrote it.
    pub speaker_id: String,
    /// The writer's name.
    pub name: String,
    /// Whether the writer is an AI.
    pub is_ai: bool,
    /// Whom it is for; empty for everyone.
    pub addressees: Vec<String>,
    /// What it says, markers and all.
    pub content: String,
    /// The message that it replies to.
    pub parent_id: Option<String>,
    /// With which intent.
    pub intent: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
enum Id {
    Numbered(u64),
    Named(Box<str>),
}

impl Id {
    fn parse(id: &str) -> Id {
        match number_of(id) {
            Some(number) => Id::Numbered(number),
            None => Id::Named(id.into()),
        }
    }
}

/// The number of an id of ours; `None` for any other id.
fn number_of(id: &str) -> Option<u64> {
    let digits = id.strip_prefix(ID_PREFIX)?;
    let canonical = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    // Beyond what JavaScript counts to without gaps, it is just a name.
    if canonical { digits.parse().ok().filter(|number| *number < 1 << 53) } else { None }
}

#[derive(Debug)]
struct Entry {
    id: Id,
    /// Where its line begins.
    start: usize,
    from_bytes: u32,
    to_bytes: u32,
    speaker: u32,
    is_ai: bool,
    intent: Option<Box<str>>,
}

/// The fields of a stored message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored<'c> {
    /// The writer's name.
    pub from: &'c str,
    /// Whom it is for.
    pub to: &'c str,
    /// What it says, without markers.
    pub content: &'c str,
}

/// One conversation.
#[derive(Debug, Default)]
pub struct Conversation {
    /// Every line, each with a line break after it.
    lines: String,
    entries: Vec<Entry>,
    /// The numbers of the speakers, by their id.
    speakers: HashMap<Box<str>, u32>,
    /// What each speaker has said, oldest first.
    said_by: Vec<Vec<u32>>,
    /// The replies to each message, by its id, oldest first.
    replies: HashMap<Box<str>, Vec<u32>>,
    team_task: Option<String>,
    last_number: u64,
    /// Whether ids are not all numbered in ascending order, as after a foreign snapshot.
    disordered: bool,
}

impl Conversation {
    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The id that the next message gets.
    pub fn next_id(&self) -> String {
        format!("{ID_PREFIX}{}", self.last_number + 1)
    }

    /// Adds a message under the next id.
    pub fn add(&mut self, message: &NewMessage) {
        self.push(Id::Numbered(self.last_number + 1), message);
    }

    /// Adds a message that has an id already.
    pub fn restore(&mut self, id: &str, message: &NewMessage) {
        self.push(Id::parse(id), message);
    }

    fn push(&mut self, id: Id, message: &NewMessage) {
        match id {
            Id::Numbered(number) if number > self.last_number => self.last_number = number,
            _ => self.disordered = true,
        }
        let index = self.entries.len() as u32;
        let speaker = self.speaker_number(&message.speaker_id);
        self.said_by[speaker as usize].push(index);
        if let Some(parent) = &message.parent_id {
            self.replies.entry(parent.as_str().into()).or_default().push(index);
        }

        let start = self.lines.len();
        let to: Cow<str> = match message.addressees.as_slice() {
            [] => EVERYONE.into(),
            [name] => name.into(),
            names => names.join(", ").into(),
        };
        let content = strip_markers(&message.content);
        for piece in [STORED_LINE.open, &message.name, ARROW, &to, STORED_LINE.colon, &content] {
            self.lines.push_str(piece);
        }
        self.lines.push('\n');
        self.entries.push(Entry {
            id,
            start,
            from_bytes: message.name.len() as u32,
            to_bytes: to.len() as u32,
            speaker,
            is_ai: message.is_ai,
            intent: message.intent.as_deref().map(Into::into),
        });
    }

    fn speaker_number(&mut self, id: &str) -> u32 {
        if let Some(number) = self.speakers.get(id) {
            return *number;
        }
        let number = self.said_by.len() as u32;
        self.speakers.insert(id.into(), number);
        self.said_by.push(Vec::new());
        number
    }

    /// The message with this id.
    pub fn find(&self, id: &str) -> Option<usize> {
        let wanted = Id::parse(id);
        match wanted {
            Id::Numbered(number) if !self.disordered => {
                let number_at = |entry: &Entry| match entry.id {
                    Id::Numbered(number) => number,
                    Id::Named(_) => 0,
                };
                self.entries.binary_search_by_key(&number, number_at).ok()
            }
            _ => self.entries.iter().position(|entry| entry.id == wanted),
        }
    }

    /// The fields of a message.
    pub fn message(&self, index: usize) -> Stored<'_> {
        let entry = &self.entries[index];
        let from = entry.start + STORED_LINE.open.len();
        let from_end = from + entry.from_bytes as usize;
        let to = from_end + ARROW.len();
        let to_end = to + entry.to_bytes as usize;
        let content = to_end + STORED_LINE.colon.len();
        Stored {
            from: &self.lines[from..from_end],
            to: &self.lines[to..to_end],
            content: &self.lines[content..self.line_end(index)],
        }
    }

    /// Where the line of a message ends, before its line break.
    fn line_end(&self, index: usize) -> usize {
        self.entries.get(index + 1).map_or(self.lines.len(), |next| next.start) - 1
    }

    /// The lines of some messages, as they are stored.
    pub fn lines(&self, messages: std::ops::Range<usize>) -> &str {
        match messages.is_empty() {
            true => "",
            false => {
                &self.lines[self.entries[messages.start].start..self.line_end(messages.end - 1)]
            }
        }
    }

    /// The first of some messages from which on their lines fit into `room` bytes; the end if
    /// not even the last one does.
    pub fn first_that_fits(&self, messages: std::ops::Range<usize>, room: usize) -> usize {
        let Some(newest) = messages.end.checked_sub(1).filter(|_| !messages.is_empty()) else {
            return messages.end;
        };
        let lines_end = self.line_end(newest);
        let too_long = |entry: &Entry| lines_end - entry.start > room;
        messages.start + self.entries[messages].partition_point(too_long)
    }

    /// With which intent a message was sent.
    pub fn intent(&self, index: usize) -> Option<&str> {
        self.entries[index].intent.as_deref()
    }

    /// Whether a message is by an AI.
    pub fn is_by_ai(&self, index: usize) -> bool {
        self.entries[index].is_ai
    }

    /// Whether two messages are one and the same, or of the same speaker and with the same text.
    pub fn same(&self, one: usize, other: usize) -> bool {
        let (a, b) = (&self.entries[one], &self.entries[other]);
        a.id == b.id
            || a.speaker == b.speaker && self.message(one).content == self.message(other).content
    }

    /// What a speaker said last before message `end`.
    pub fn last_said(&self, speaker_id: &str, end: usize) -> Option<usize> {
        let said = &self.said_by[*self.speakers.get(speaker_id)? as usize];
        let before = said.partition_point(|index| (*index as usize) < end);
        said[..before].last().map(|index| *index as usize)
    }

    /// The replies to a message by anybody but one speaker, newest first.
    pub fn replies_of_others(
        &self,
        parent_id: &str,
        speaker_id: &str,
    ) -> impl Iterator<Item = usize> + Clone {
        let speaker = self.speakers.get(speaker_id).copied();
        let replies = self.replies.get(parent_id).map_or(&[][..], Vec::as_slice);
        let newest_first = replies.iter().rev().map(|index| *index as usize);
        newest_first.filter(move |index| Some(self.entries[*index].speaker) != speaker)
    }

    /// What the team works on.
    pub fn team_task(&self) -> Option<&str> {
        self.team_task.as_deref()
    }

    /// Sets what the team works on. If it is too long, it is cut, and the sizes before and
    /// after are returned.
    pub fn set_team_task(&mut self, task: Option<&str>) -> Option<(usize, usize)> {
        let kept = task.map(|task| head(task, LONGEST_TASK_BYTES));
        self.team_task = kept.map(str::to_owned);
        match (task, kept) {
            (Some(task), Some(kept)) if kept.len() < task.len() => Some((task.len(), kept.len())),
            _ => None,
        }
    }

    /// About how many bytes of memory this holds.
    pub fn memory_bytes(&self) -> usize {
        self.lines.capacity() + self.entries.capacity() * size_of::<Entry>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(speaker: &str, content: &str) -> NewMessage {
        NewMessage {
            speaker_id: speaker.into(),
            name: speaker.to_uppercase(),
            content: content.into(),
            ..NewMessage::default()
        }
    }

    #[test]
    fn messages_are_kept_as_lines_without_markers() {
        let mut conversation = Conversation::default();
        conversation.add(&said("max", "Hello [NEXT:sarah] there"));
        conversation.add(&NewMessage {
            addressees: vec!["a".into(), "b".into()],
            ..said("sarah", "你好\nthere")
        });
        assert_eq!(
            conversation.lines(0..2),
            "- MAX -> all: Hello there\n- SARAH -> a, b: 你好\nthere"
        );
        assert_eq!(conversation.lines(1..2), "- SARAH -> a, b: 你好\nthere");
        assert_eq!(conversation.lines(1..1), "");
        let Stored { from, to, content } = conversation.message(1);
        assert_eq!((from, to, content), ("SARAH", "a, b", "你好\nthere"));
    }

    #[test]
    fn what_fits_is_found() {
        let mut conversation = Conversation::default();
        for content in ["a", "bb", "ccc", ""] {
            conversation.add(&said("m", content));
        }
        for start in 0..4 {
            for room in 0..70 {
                let fits = |first: &usize| conversation.lines(*first..4).len() <= room;
                let expected = (start..=4).find(fits).unwrap();
                assert_eq!(conversation.first_that_fits(start..4, room), expected);
            }
        }
    }

    #[test]
    fn ids_are_numbered_and_found() {
        let mut conversation = Conversation::default();
        for _ in 0..3 {
            conversation.add(&said("max", "x"));
        }
        assert_eq!(conversation.next_id(), "msg-4");
        assert_eq!(conversation.find("msg-2"), Some(1));
        for other in ["msg-0", "msg-4", "msg-02", "msg-", "msg--1", "2", "msg-99999999999999999999"]
        {
            assert_eq!(conversation.find(other), None, "{other}");
        }
        conversation.restore("msg-9", &said("max", "x"));
        assert_eq!(conversation.find("msg-9"), Some(3));
        conversation.restore("mine", &said("max", "x"));
        conversation.restore("msg-5", &said("max", "x"));
        assert_eq!(conversation.find("mine"), Some(4));
        assert_eq!(conversation.find("msg-5"), Some(5));
        assert_eq!(conversation.find("msg-1"), Some(0));
        assert_eq!(conversation.next_id(), "msg-10");
    }

    #[test]
    fn speakers_and_replies_are_found() {
        let mut conversation = Conversation::default();
        let reply = |speaker| NewMessage { parent_id: Some("msg-1".into()), ..said(speaker, "r") };
        conversation.add(&said("kailai", "q"));
        conversation.add(&reply("max"));
        conversation.add(&reply("sarah"));
        conversation.add(&reply("max"));
        assert_eq!(conversation.last_said("max", 4), Some(3));
        assert_eq!(conversation.last_said("max", 3), Some(1));
        assert_eq!(conversation.last_said("max", 1), None);
        assert_eq!(conversation.last_said("nobody", 4), None);
        let replies =
            |speaker| conversation.replies_of_others("msg-1", speaker).collect::<Vec<_>>();
        assert_eq!(replies("sarah"), [3, 1]);
        assert_eq!(replies("max"), [2]);
        assert_eq!(replies("nobody"), [3, 2, 1]);
    }

    #[test]
    fn a_long_task_is_cut_between_characters() {
        let mut conversation = Conversation::default();
        assert_eq!(conversation.set_team_task(Some("short")), None);
        assert_eq!(conversation.set_team_task(Some(&"中".repeat(2000))), Some((6000, 5118)));
        assert_eq!(conversation.team_task(), Some("中".repeat(1706).as_str()));
        assert_eq!(conversation.set_team_task(None), None);
        assert_eq!(conversation.team_task(), None);
    }
}
