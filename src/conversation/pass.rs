//! Turns messages that a caller passes into lines.

use super::source::Backing;
use super::{Chosen, GivenLines, GivenMessage, Lines, UnkeptMessage, WindowRoom};
use crate::account::MessageName;
use crate::error::Error;
use crate::tokens::Tokenizer;
use crate::visibility::Recipient;
use std::borrow::Cow;
use std::collections::BTreeSet;

impl Lines<'_> {
    /// Limits the lines to the chosen messages, none of them read yet.
    pub(crate) fn choose(&mut self, chosen: Chosen, pinned: &[usize], reader: Option<Recipient>) {
        let pins = chosen.pins(pinned);
        self.looked_from = pins.window().end;
        if let Some(given) = self.passed_mut() {
            given.choose(chosen, pins, reader);
        }
    }

    /// Keeps contents in UTF-16 as they are, if nothing has to look at them.
    pub(crate) fn keep_units(&mut self) {
        let is_plain = !self.are_looked_at()
            && self.tokenizer.is_none()
            && !self.is_array()
            && self.pins().is_plain();
        if let Some(given) = self.passed_mut() {
            given.keeps_units = is_plain;
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
        if let Some(given) = self.passed_mut().filter(|_| !is_taken) {
            given.pop();
        }
        Ok(is_taken)
    }

    /// Called once everything is read and paired: examines the lines that now show other parts.
    pub(crate) fn end_reading(&mut self) {
        let changed = self.passed_mut().map(GivenLines::end_pairing).unwrap_or_default();
        let indices: BTreeSet<usize> = changed.iter().map(|line| self.index(*line)).collect();
        self.findings.retain(|found| !indices.contains(&found.index));
        self.restore_results();
        for line in changed {
            self.escaped.remove(&line);
            self.look(line);
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
