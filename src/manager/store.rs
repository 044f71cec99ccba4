//! The messages and the team task of one conversation.
//!
//! 1. When a message is added, its markers are stripped, unless the conversation keeps them, and
//!    its line is laid out once ([`lines`](super::lines)).
//! 2. Lines are stored in the style of the agents with bracketed titles; other styles use their
//!    fields.
//! 3. Names in a line have no line breaks. If a name was given with one, the given form is kept
//!    beside the line.
//! 4. Turns find messages by index, not by search: by id, by speaker, and by the message they reply
//!    to (`stored_messages`).

use super::fence_keys::FenceKeys;
use super::ids::{Id, MAX_NUMBER};
use super::line_counts::LineCounts;
use super::lines::Lines;
use super::message::{Envelope, MessageText};
use super::options::ConversationOptions;
use super::parted_messages::PartedMessages;
use super::pinned_text::PinnedText;
use super::summary::Summaries;
use super::sums::Sums;
use super::visible::{Concerned, Visibility};
use crate::layout::{BRACKETED_ARROW, BRACKETED_LINE, EVERYONE, LineStyle};
use crate::text::{strip_markers, without_line_breaks};
use crate::visibility::audience::Addressee;
use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// How many envelopes are shared at most; there are hardly ever more in use at a time.
const MAX_OPENINGS: usize = 256;

/// The style in which lines are stored.
pub static STORED_LINE: LineStyle = BRACKETED_LINE;

#[derive(Debug)]
pub(super) struct StoredMessage {
    pub(super) id: Id,
    /// Shared by messages with the same envelope.
    pub(super) opening: Rc<LineOpening>,
    pub(super) reply: Option<Box<ReplyTo>>,
    /// Bytes of its content as given, with the results that its line shows.
    pub(super) given_bytes: usize,
    /// Whether it has no line because all its results are shown elsewhere.
    pub(super) is_absent: bool,
    pub(super) decided: Decided,
}

/// What a message replies to, and with which intent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ReplyTo {
    pub(super) parent: Option<Box<str>>,
    pub(super) intent: Option<Box<str>>,
}

/// When it was decided who a message is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decided {
    /// How many names were known once it was added.
    pub(super) names_known: u32,
    /// How many messages there were when its addressees arrived late.
    pub(super) late_at: u32,
    /// Whether it introduced a new name of its speaker.
    pub(super) has_taught: bool,
    /// Whether names were learned in between, so that re-reading the messages cannot tell who was
    /// meant.
    pub(super) is_explicit: bool,
}

/// An envelope laid out for a line.
#[derive(Debug)]
pub(super) struct LineOpening {
    /// The line up to its content.
    pub(super) text: Box<str>,
    pub(super) from_bytes: usize,
    pub(super) to_bytes: usize,
    pub(super) speaker: u32,
    pub(super) given_names: Option<GivenNames>,
    pub(super) envelope: Envelope,
    /// Set by the first message that is added, and valid while this many names are known.
    concerned: Cell<Option<(usize, Concerned)>>,
}

/// Names as given, if one of them contained a line break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenNames {
    /// The writer's name.
    pub from: Box<str>,
    /// Who it is for.
    pub to: Box<str>,
}

/// One conversation.
#[derive(Debug, Default)]
pub struct Conversation {
    pub(super) lines: Lines,
    pub(super) messages: Vec<StoredMessage>,
    /// The sums of [`StoredMessage::given_bytes`].
    pub(super) given_sums: RefCell<Sums>,
    /// Recently used envelopes, shared by equal ones.
    openings: HashMap<Envelope, Rc<LineOpening>>,
    /// The numbers of the speakers, by id.
    pub(super) speakers: HashMap<Box<str>, u32>,
    /// What each speaker has said, oldest first.
    pub(super) said_by: Vec<Vec<u32>>,
    /// The replies to each message, by its id, oldest first.
    pub(super) replies: HashMap<Box<str>, Vec<u32>>,
    /// Who may see what.
    pub(super) visibility: Visibility,
    /// Whether the messages no longer determine who is known by which names.
    pub(super) has_unlearnable_names: bool,
    /// The pinned messages, ascending.
    pub pins: Vec<u32>,
    /// All summaries.
    pub summaries: Summaries,
    /// The keys of fenced prompts, by member.
    pub fence_keys: FenceKeys,
    /// The lines of the pinned messages, once asked for.
    pub(super) pinned_text: OnceCell<Option<PinnedText>>,
    /// The messages that have parts.
    pub(crate) parted: PartedMessages,
    pub(super) team_task: Option<String>,
    pub(super) task_cut_bytes: usize,
    pub(super) last_number: u64,
    /// Where each message is, by id, if not all ids are numbered in ascending order, as after a
    /// foreign snapshot.
    pub(super) places: Option<HashMap<Id, u32>>,
    /// The token counts of lines, as far as counted.
    pub(crate) counts: RefCell<LineCounts>,
    options: ConversationOptions,
}

impl Conversation {
    /// An empty conversation.
    pub fn new(options: ConversationOptions) -> Self {
        let visibility = Visibility::new(options.is_team);
        Conversation { options, visibility, ..Conversation::default() }
    }

    /// Whether messages keep the ids that callers give.
    pub(super) fn keeps_ids(&self) -> bool {
        self.options.keeps_ids
    }

    pub(super) fn keeps_markers(&self) -> bool {
        self.options.keeps_markers
    }

    pub(super) fn keeps_reasoning(&self) -> bool {
        self.options.keeps_reasoning
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Adds a message under the next id. Returns the number in the id.
    pub fn add(&mut self, envelope: &Envelope, text: &MessageText) -> u64 {
        let number = self.last_number + 1;
        let opening = self.shared_opening(envelope);
        self.push(Id::Numbered(number), opening, text);
        number
    }

    /// The same with the envelope of an earlier message; `None` if there is no such message.
    pub fn add_like(&mut self, earlier: usize, text: &MessageText) -> Option<u64> {
        let opening = Rc::clone(&self.messages.get(earlier)?.opening);
        let number = self.last_number + 1;
        self.push(Id::Numbered(number), opening, text);
        Some(number)
    }

    /// Whether another message can be added: ids are never reused, and numbers end where JavaScript
    /// no longer counts without gaps.
    pub fn has_ids_left(&self) -> bool {
        self.last_number < MAX_NUMBER
    }

    /// Adds a message that already has an id.
    pub fn restore(&mut self, id: &str, envelope: &Envelope, text: &MessageText) {
        let opening = self.shared_opening(envelope);
        self.push(Id::parse(id), opening, text);
    }

    /// The opening of a line, shared by messages with equal envelopes.
    pub(super) fn shared_opening(&mut self, envelope: &Envelope) -> Rc<LineOpening> {
        if let Some(known) = self.openings.get(envelope) {
            return Rc::clone(known);
        }
        if self.openings.len() == MAX_OPENINGS {
            self.openings.clear();
        }
        let opening = Rc::new(self.opening(envelope));
        self.openings.insert(envelope.clone(), Rc::clone(&opening));
        opening
    }

    pub(super) fn opening(&mut self, envelope: &Envelope) -> LineOpening {
        let speaker = &envelope.speaker;
        let to: Cow<str> = match envelope.addressees.as_slice() {
            [] => EVERYONE.into(),
            [one] => one.shown().into(),
            many => many.iter().map(Addressee::shown).collect::<Vec<_>>().join(", ").into(),
        };
        let (from_line, to_line) = (without_line_breaks(&speaker.name), without_line_breaks(&to));
        let is_changed = matches!((&from_line, &to_line), (Cow::Owned(_), _) | (_, Cow::Owned(_)));
        let given_names = is_changed
            .then(|| GivenNames { from: speaker.name.as_str().into(), to: to.as_ref().into() });
        let pieces =
            [&STORED_LINE.open, &*from_line, BRACKETED_ARROW, &to_line, &STORED_LINE.colon];
        LineOpening {
            text: pieces.concat().into(),
            from_bytes: from_line.len(),
            to_bytes: to_line.len(),
            given_names,
            speaker: self.speaker_number(&speaker.id),
            envelope: envelope.clone(),
            concerned: Cell::new(None),
        }
    }

    /// The member who wrote a message and who it is for, decided now.
    pub(super) fn concerned(&mut self, opening: &LineOpening) -> Concerned {
        let names_known = self.visibility.names_known();
        if let Some((_, concerned)) = opening.concerned.get().filter(|known| known.0 == names_known)
        {
            return concerned;
        }
        let concerned = self.visibility.learn(&opening.envelope);
        opening.concerned.set(Some((self.visibility.names_known(), concerned)));
        self.follow_owners(names_known);
        concerned
    }

    fn push(&mut self, id: Id, opening: Rc<LineOpening>, text: &MessageText) {
        match id {
            Id::Numbered(number) if number > self.last_number => self.last_number = number,
            _ if self.places.is_none() => self.places = Some(self.places_of_ids()),
            _ => {}
        }
        let index = self.messages.len() as u32;
        if text.pinned {
            self.pins.push(index);
            self.forget_pinned_text();
        }
        if let Some(places) = &mut self.places {
            places.insert(id.clone(), index);
        }
        self.said_by[opening.speaker as usize].push(index);
        if let Some(parent) = &text.parent_id {
            self.replies.entry(parent.as_str().into()).or_default().push(index);
        }
        let names_before = self.visibility.names_known();
        let concerned = self.concerned(&opening);
        self.visibility.push(concerned);
        let names_known = self.visibility.names_known();
        let content = self.kept_content(&text.content);
        self.lines.push(&opening.text, &content);
        self.messages.push(StoredMessage {
            id,
            opening,
            reply: ReplyTo::of(text),
            given_bytes: text.content.len(),
            is_absent: false,
            decided: Decided {
                names_known: names_known as u32,
                late_at: 0,
                has_taught: names_known > names_before,
                is_explicit: false,
            },
        });
        if !text.parts.is_empty() {
            self.add_parts(&text.parts);
        }
    }

    /// The content as it is stored: unchanged, or without routing markers.
    pub(super) fn kept_content<'t>(&self, content: &'t str) -> Cow<'t, str> {
        if self.options.keeps_markers { content.into() } else { strip_markers(content) }
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

    /// Approximate memory use in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.lines.memory_bytes()
            + self.given_sums.borrow().memory_bytes()
            + self.messages.capacity() * size_of::<StoredMessage>()
            + self.places.as_ref().map_or(0, |places| places.capacity() * size_of::<(Id, u32)>())
            + self.visibility.memory_bytes()
            + self.pinned_memory_bytes()
            + self.parted.memory_bytes()
            + self.fence_keys.memory_bytes()
            + self.counts.borrow().memory_bytes()
    }
}

impl ReplyTo {
    pub(super) fn of(text: &MessageText) -> Option<Box<Self>> {
        let reply = ReplyTo {
            parent: text.parent_id.as_deref().map(Into::into),
            intent: text.intent.as_deref().map(Into::into),
        };
        (reply != ReplyTo::default()).then(|| Box::new(reply))
    }
}

#[cfg(test)]
mod tests;
