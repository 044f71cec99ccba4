//! Turns messages that a caller passes into lines.

use super::source::Backing;
use super::{Chosen, GivenMessage, KeptMessages, Lines, Room, RoomLeft, UnkeptMessage, WindowRoom};
use crate::account::MessageName;
use crate::error::Error;
use crate::parts::{MessagePart, lay_out};
use crate::tokens::Tokenizer;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

impl Lines<'_> {
    /// Limits the lines to the chosen messages, none of them read yet.
    pub(crate) fn choose(&mut self, chosen: Chosen, pinned: &[usize]) {
        let pins = chosen.pins(pinned);
        self.looked_from = pins.window().end;
        if let Some(given) = self.given_mut() {
            given.choose(chosen, pins);
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
        if let Some(given) = self.given_mut() {
            match is_taken {
                true => given.parts.settle(),
                false => given.pop(),
            }
        }
        Ok(is_taken)
    }

    /// Retakes what was read of the window with shortened results, if that can make room.
    pub(crate) fn shorten_what_is_read(&mut self, all: &Room, room: &mut WindowRoom) -> bool {
        if !self.may_shorten() {
            return false;
        }
        self.shorten_results();
        *room = all.of_window(self);
        let Backing::Given(given) = &self.backing else { return false };
        let read = given.read_from()..self.pins().window().end;
        let is_free = |line: &usize| !self.pins().contains(*line);
        let lines: Vec<usize> = read.rev().filter(is_free).collect();
        lines.into_iter().all(|line| self.take(line, room))
    }

    /// Called once the window is read. Shows calls of pinned messages whose results came later and,
    /// if everything was read, unpaired calls and results as text. Returns false, and shows
    /// nothing, if results must be shortened first to make room.
    pub(crate) fn show_waiting(&mut self, room: &Room) -> bool {
        let Some(given) = self.given_mut() else { return true };
        let has_older = given.chosen.as_ref().is_some_and(|chosen| chosen.older > 0);
        let is_all = !has_older && given.next_of_window().is_none();
        let waiting = given.parts.waiting();
        if waiting.is_empty() && !(is_all && given.parts.has_orphans()) {
            return true;
        }
        let first = given.read_from();
        let mut left = room.left_by(self, first);
        if self.may_shorten() && !self.has_room_for(&waiting, is_all, &left) {
            return false;
        }
        let mut shown = BTreeSet::new();
        for line in waiting {
            let given = self.given_mut();
            let Some((paired, hidden)) = given.and_then(|it| it.parts.pair_waiting(line, is_all))
            else {
                continue;
            };
            let is_shown = self.show_anew(line, &paired.shown, &mut left);
            let Some(given) = self.given_mut() else { continue };
            if is_shown {
                given.parts.show_waiting(line, paired, hidden);
                shown.insert(line);
            } else {
                given.parts.withhold(line, paired);
            }
        }
        let orphans = self.given_mut().filter(|_| is_all).map(|given| given.parts.orphans());
        for (line, parts) in orphans.into_iter().flatten().rev() {
            let is_shown = self.show_anew(line, &parts, &mut left);
            if let Some(given) = self.given_mut().filter(|_| is_shown) {
                given.parts.show_orphans(line, parts);
                shown.insert(line);
            }
        }
        if !shown.is_empty() {
            self.look_anew(&shown);
        }
        true
    }

    /// Whether there is room for everything that waits.
    fn has_room_for(&mut self, waiting: &[usize], is_all: bool, left: &RoomLeft) -> bool {
        let Some(given) = self.given_mut() else { return true };
        let paired = waiting.iter().filter_map(|line| {
            let (paired, _) = given.parts.pair_waiting(*line, is_all)?;
            Some((*line, paired.shown))
        });
        let mut anew: BTreeMap<usize, Vec<MessagePart>> = paired.collect();
        if is_all {
            anew.extend(given.parts.orphans());
        }
        let mut left = *left;
        anew.iter().all(|(line, parts)| self.take_from(&mut left, *line, parts))
    }

    /// Takes the additional cost of a line with other parts; false if there is no room.
    fn take_from(&self, left: &mut RoomLeft, line: usize, parts: &[MessagePart]) -> bool {
        let (bytes, units) = self.size_with(line, parts);
        let more_bytes = bytes.saturating_sub(self.line_cost(line));
        let more_units = units.saturating_sub(self.line_units(line));
        let rest = (left.bytes.checked_sub(more_bytes), left.units.checked_sub(more_units));
        let (Some(bytes), Some(units)) = rest else { return false };
        *left = RoomLeft { bytes, units };
        true
    }

    /// Shows other parts in a line, if there is room for them.
    fn show_anew(&mut self, line: usize, parts: &[MessagePart], left: &mut RoomLeft) -> bool {
        let has_room = match self.is_short {
            true => self.take_from(left, line, &self.with_least_results(parts)),
            false => self.take_from(left, line, parts),
        };
        if !has_room {
            return false;
        }
        self.shortened.remove(&line);
        self.escaped.remove(&line);
        let content = lay_out(parts, self.source().tools());
        if let Some(given) = self.given_mut() {
            given.lay_out_anew(line, &content);
        }
        true
    }

    /// Examines lines that now show other parts.
    fn look_anew(&mut self, lines: &BTreeSet<usize>) {
        if let Some(given) = self.given_mut() {
            given.add_up();
        }
        self.pinned_bytes = None;
        let indices: BTreeSet<usize> = lines.iter().map(|line| self.index(*line)).collect();
        self.findings.retain(|found| !indices.contains(&found.index));
        for line in lines {
            self.look(*line);
            if self.is_short {
                self.shorten_to_least(*line);
            }
        }
    }

    /// Bytes of dropped lines that are shown in kept ones: results with their calls.
    pub(crate) fn sent_elsewhere(&self, kept: &KeptMessages) -> BTreeMap<usize, usize> {
        let Backing::Given(given) = &self.backing else { return BTreeMap::new() };
        let run = kept.first..self.pins().window().end;
        let is_kept =
            |line: &usize| kept.in_layout && (run.contains(line) || self.pins().contains(*line));
        given.parts.sent_elsewhere(is_kept)
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
            name: MessageName { id: None, index: Some(self.index(line)), from: Some(from) },
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
