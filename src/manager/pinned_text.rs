//! The pinned messages of a conversation, and their lines as one text.
//!
//! Pinned messages lie far apart, and most turns show all of them, so their lines are joined once,
//! with the gap lines between them, and a turn copies the leading part that it needs. A turn that
//! shows 100 pins takes 10.2 µs instead of 13.2 µs (bench/pins.mjs, a window of 200).

use super::store::Conversation;
use crate::conversation::pins::GAP_LINE;
use crate::error::Error;
use std::ops::Range;

/// Above this size the lines are not kept twice: hardly any budget has room for them.
const MAX_BYTES: usize = 1024 * 1024;

/// The lines of all pinned messages, in the stored style.
#[derive(Debug, Default)]
pub(crate) struct PinnedText {
    /// The lines and the gap lines between them, for a reader who may see everything.
    text: String,
    /// Where each line ends.
    ends: Vec<usize>,
    /// Bytes of the lines, each with a line break.
    pub(crate) line_bytes: usize,
}

impl PinnedText {
    fn new(conversation: &Conversation) -> Option<Self> {
        let pins = || conversation.pins.iter().map(|index| *index as usize);
        let line = |index: usize| conversation.lines(index..index + 1);
        let line_bytes = pins().map(|index| line(index).len() + 1).sum();
        let has_absent = pins().any(|index| conversation.is_absent(index));
        if line_bytes > MAX_BYTES || has_absent {
            return None;
        }
        let mut joined = PinnedText { line_bytes, ..PinnedText::default() };
        let mut previous = None;
        for index in pins() {
            if let Some(previous) = previous.replace(index) {
                joined.text.push('\n');
                if index > previous + 1 {
                    joined.text.push_str(GAP_LINE);
                    joined.text.push('\n');
                }
            }
            joined.text.push_str(line(index));
            joined.ends.push(joined.text.len());
        }
        Some(joined)
    }

    /// The first `count` lines.
    pub(crate) fn first(&self, count: usize) -> &str {
        count.checked_sub(1).map_or("", |last| &self.text[..self.ends[last]])
    }

    fn memory_bytes(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<usize>()
    }
}

impl Conversation {
    /// Whether a message is pinned.
    pub fn is_pinned(&self, index: usize) -> bool {
        self.pins.binary_search(&(index as u32)).is_ok()
    }

    /// The pinned messages in a range, ascending.
    pub(super) fn pins_in(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        let start = self.pins.partition_point(|pin| (*pin as usize) < range.start);
        let pins = self.pins[start..].iter().map(|pin| *pin as usize);
        pins.take_while(move |pin| *pin < range.end)
    }

    /// Pins or unpins the message with this id and returns its index.
    pub fn set_pinned(&mut self, id: &str, pinned: bool) -> Result<usize, Error> {
        let index = self.index_of(id)?;
        self.pin(index, pinned);
        Ok(index)
    }

    pub(super) fn pin(&mut self, index: usize, pinned: bool) {
        self.forget_pinned_text();
        match (self.pins.binary_search(&(index as u32)), pinned) {
            (Ok(place), false) => {
                self.pins.remove(place);
            }
            (Err(place), true) => self.pins.insert(place, index as u32),
            _ => {}
        }
    }

    /// The lines of all pinned messages; `None` if they are too long to be kept twice.
    pub(crate) fn pinned_text(&self) -> Option<&PinnedText> {
        self.pinned_text.get_or_init(|| PinnedText::new(self)).as_ref()
    }

    /// Must be called when pins, or lines of pinned messages, have changed.
    pub(super) fn forget_pinned_text(&mut self) {
        self.pinned_text.take();
    }

    /// Approximate memory use of the joined text, in bytes.
    pub(super) fn pinned_memory_bytes(&self) -> usize {
        self.pinned_text.get().and_then(Option::as_ref).map_or(0, PinnedText::memory_bytes)
    }
}
