//! Messages that a caller passes become lines.

use super::source::Backing;
use super::{Chosen, GivenMessage, Lines, UnkeptMessage, WindowRoom};
use crate::account::MessageName;
use crate::error::Error;
use crate::tokens::Tokenizer;
use std::borrow::Cow;

impl Lines<'_> {
    /// Shows only the messages that were chosen, of which none is read yet.
    pub(crate) fn choose(&mut self, chosen: Chosen, pinned: &[usize]) {
        let pins = chosen.pins(pinned);
        self.looked_from = pins.window().end;
        if let Some(given) = self.given_mut() {
            given.choose(chosen, pins);
        }
    }

    /// Lets contents beyond so many bytes stay with the caller, unless lines are looked at, or
    /// some are pinned: those are not read in the order of the others.
    pub(crate) fn leave_contents_beyond(&mut self, bytes: usize) {
        let is_plain = !self.are_looked_at() && self.tokenizer.is_none() && self.pins().is_plain();
        if let Some(given) = self.given_mut().filter(|_| is_plain) {
            given.copy_up_to = bytes;
        }
    }

    /// Reads a message as the next line of the window; false if there is no room for it.
    pub(crate) fn read(
        &mut self,
        message: &dyn GivenMessage,
        room: &mut WindowRoom,
        passed: usize,
    ) -> Result<bool, Error> {
        let Backing::Given(given) = &mut self.backing else { return Ok(false) };
        let (Some(line), Some(left)) = (given.next_of_window(), room.bytes.checked_sub(1)) else {
            return Ok(false);
        };
        if !given.read_next(line, message, left, passed)? {
            return Ok(false);
        }
        let is_taken = self.take(line, room);
        self.are_tokens_full = room.meter.as_ref().is_some_and(|meter| meter.is_full);
        if let Some(given) = self.given_mut() {
            match is_taken {
                true => given.parts.settle(),
                false => given.pop(),
            }
        }
        Ok(is_taken)
    }

    /// Once the window is read: shows calls of pinned messages with results that came later, and, if
    /// everything was read, calls and results as text that have no counterpart. All of it as far as
    /// there is room.
    pub(crate) fn show_waiting(&mut self, room_bytes: usize) {
        let Backing::Given(given) = &mut self.backing else { return };
        let has_older = given.chosen.as_ref().is_some_and(|chosen| chosen.older > 0);
        let is_all = !has_older && given.next_of_window().is_none();
        let (mut left, mut shown) = (room_bytes, Vec::new());
        for (line, paired, hidden) in given.parts.waiting(is_all) {
            let text = given.parts.text_of(&paired.shown);
            let Some(rest) = left.checked_sub(given.cost_with(line, &text)) else { continue };
            left = rest;
            given.lay_out_anew(line, &text);
            given.parts.show_waiting(line, paired, hidden);
            shown.push(line);
        }
        let orphans = if is_all { given.parts.orphans() } else { Vec::new() };
        for (line, parts) in orphans.into_iter().rev() {
            let text = given.parts.text_of(&parts);
            let Some(rest) = left.checked_sub(given.cost_with(line, &text)) else { continue };
            left = rest;
            given.lay_out_anew(line, &text);
            given.parts.show_orphans(line, parts);
            shown.push(line);
        }
        if !shown.is_empty() {
            self.pinned_bytes = None;
        }
        for line in shown {
            let index = self.index(line);
            self.escaped.remove(&line);
            self.findings.retain(|found| found.index != index);
            self.look(line);
        }
    }

    /// Reads a message that is not kept, for a report.
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
            name: MessageName { id: None, index: Some(self.index(line)), from: Some(from) },
            line_bytes: text.len(),
            content_bytes,
            line_units: match self.tokenizer {
                // The caller's function counts what is sent, and not this besides.
                None | Some(Tokenizer::Function { .. }) => None,
                Some(tokenizer) => Some(tokenizer.measure(&text)),
            },
        })
    }
}
