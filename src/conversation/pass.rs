//! Turns messages that a caller passes into lines.

use super::source::Backing;
use super::{Chosen, GivenLines, GivenMessage, KeptMessages, Lines, UnkeptMessage, WindowRoom};
use crate::account::MessageName;
use crate::error::Error;
use crate::tokens::Tokenizer;
use crate::visibility::Recipient;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

impl Lines<'_> {
    /// Limits the lines to the chosen messages, none of them read yet.
    pub(crate) fn choose(&mut self, chosen: Chosen, pinned: &[usize], reader: Option<Recipient>) {
        let pins = chosen.pins(pinned);
        self.looked_from = pins.window().end;
        if let Some(given) = self.given_mut() {
            given.choose(chosen, pins, reader);
        }
    }

    /// The messages that the lines are limited to.
    pub(crate) fn chosen(&self) -> Option<&Chosen> {
        match &self.backing {
            Backing::Given(given) => given.chosen.as_ref(),
            Backing::Kept(_) => None,
        }
    }

    /// Keeps contents in UTF-16 as they are, if nothing has to look at them.
    pub(crate) fn keep_units(&mut self) {
        let is_plain = !self.are_looked_at()
            && self.tokenizer.is_none()
            && !self.is_array()
            && self.pins().is_plain();
        if let Some(given) = self.given_mut() {
            given.keeps_units = is_plain;
        }
    }

    /// The bytes of the contents that were read of the window.
    pub(crate) fn read_content_bytes(&self) -> usize {
        match &self.backing {
            Backing::Given(given) => given.content_bytes(),
            Backing::Kept(_) => 0,
        }
    }

    /// The oldest line of the window that was read.
    pub(crate) fn read_from(&self) -> usize {
        match &self.backing {
            Backing::Given(given) => given.read_from(),
            Backing::Kept(_) => 0,
        }
    }

    /// Reads a message as the next line of the window; false if there is no room for it.
    pub(crate) fn read(
        &mut self,
        message: &dyn GivenMessage,
        room: &mut WindowRoom,
    ) -> Result<bool, Error> {
        let Backing::Given(given) = &mut self.backing else { return Ok(false) };
        let (Some(line), Some(left)) = (given.next_of_window(), room.bytes.checked_sub(1)) else {
            return Ok(false);
        };
        // The member's own messages have no opening in an array; whether they fit is decided below.
        let left = if given.member.is_some() { usize::MAX } else { left };
        if !given.read_next(line, message, left)? {
            return Ok(false);
        }
        let is_taken = self.take(line, room);
        self.are_tokens_full = room.meter.as_ref().is_some_and(|meter| meter.is_full);
        if let Some(given) = self.given_mut().filter(|_| !is_taken) {
            given.pop();
        }
        Ok(is_taken)
    }

    /// Called once everything is read and paired: examines the lines that now show other parts.
    pub(crate) fn end_reading(&mut self) {
        let changed = self.given_mut().map(GivenLines::end_pairing).unwrap_or_default();
        let indices: BTreeSet<usize> = changed.iter().map(|line| self.index(*line)).collect();
        self.findings.retain(|found| !indices.contains(&found.index));
        self.restore_results();
        for line in changed {
            self.escaped.remove(&line);
            self.look(line);
        }
    }

    /// Bytes of messages that are shown in others that are kept.
    pub(crate) fn sent_elsewhere(&self, kept: &KeptMessages) -> BTreeMap<usize, usize> {
        match &self.backing {
            Backing::Given(given) => given.sent_elsewhere(kept),
            Backing::Kept(_) => BTreeMap::new(),
        }
    }

    /// Reads a dropped message for a report.
    pub(crate) fn read_unkept(
        &self,
        line: usize,
        message: &dyn GivenMessage,
    ) -> Result<UnkeptMessage, Error> {
        let Backing::Given(given) = &self.backing else { return Ok(UnkeptMessage::default()) };
        let (from, item, content_bytes) = given.read_apart(message)?;
        let text = String::from_utf8_lossy(&item);
        let text = self.escape_unkept(&text).map_or(text, Cow::Owned);
        Ok(UnkeptMessage {
            position: line,
            name: MessageName { from: Some(from), ..MessageName::given(self.index(line)) },
            line_bytes: text.len(),
            content_bytes,
            line_units: match self.tokenizer {
                // The caller's function counts only what is sent.
                None | Some(Tokenizer::Function { .. }) => None,
                Some(tokenizer) => Some(tokenizer.measure(&text)),
            },
        })
    }
}
