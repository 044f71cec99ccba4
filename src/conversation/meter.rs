//! How many lines of a conversation fit into a token budget, newest first.

use crate::tokens::{JoinedBackwards, Tokenizer};
use std::borrow::Cow;

/// What surrounds the lines of a conversation in a prompt of at most this many tokens.
#[derive(Debug, Clone)]
pub struct TokenRoom {
    /// The tokenizer.
    pub tokenizer: Tokenizer,
    /// The most units that the prompt may have.
    pub most: u64,
    /// The text before the lines; empty if it does not matter.
    pub before: String,
    /// Its units.
    pub before_units: u64,
    /// The text after the lines.
    pub after: JoinedBackwards,
    /// Whether each line begins so that its joint with the preceding line break is exact.
    pub is_clean: bool,
    /// Whether each line is a separate text, so that sizes simply add up.
    pub is_added: bool,
}

/// Takes lines, newest first, while there is room for their tokens.
///
/// The text around the lines is known, so each line gives the units of the whole prompt. Where a
/// line begins with a character that a line break never joins, sizes are added; otherwise the text
/// around the joint is counted again.
#[derive(Debug)]
pub struct LineMeter {
    /// Lines already taken are part of the text after.
    room: TokenRoom,
    /// Whether the text after the newest line matters.
    is_joined_to_next: bool,
    /// The units of the whole prompt with one line, two lines, and so on.
    totals: Vec<u64>,
    /// Whether a line was taken that is not absent.
    is_begun: bool,
    /// Whether a line was refused.
    pub is_full: bool,
}

impl LineMeter {
    /// A meter for the lines of a prompt.
    pub fn new(room: TokenRoom) -> Self {
        LineMeter {
            is_joined_to_next: !room.is_added,
            room,
            totals: Vec::new(),
            is_begun: false,
            is_full: false,
        }
    }

    /// A meter that only adds up sizes, to at most `most` units.
    pub fn adding(tokenizer: Tokenizer, most: u64) -> Self {
        LineMeter::new(TokenRoom {
            tokenizer,
            most,
            before: String::new(),
            before_units: 0,
            after: JoinedBackwards::new(tokenizer),
            is_clean: true,
            is_added: true,
        })
    }

    /// The tokenizer.
    pub fn tokenizer(&self) -> Tokenizer {
        self.room.tokenizer
    }

    /// How many units are left.
    pub fn room(&self) -> u64 {
        let taken = self.room.after.units().saturating_add(self.room.before_units);
        self.room.most.saturating_sub(taken)
    }

    /// Takes a line with this many units, including the line break after it, if there is room.
    /// `None` means that the line has more units than there is room for.
    pub fn take<'t>(&mut self, units: Option<u64>, text: impl FnOnce() -> Cow<'t, str>) -> bool {
        let total = units.map(|units| self.total_with(units, text));
        match total.filter(|total| *total <= self.room.most) {
            Some(total) => self.totals.push(total),
            None => self.is_full = true,
        }
        !self.is_full
    }

    /// Takes a message that has no line.
    pub fn take_absent(&mut self) {
        let nothing = self.room.after.units().saturating_add(self.room.before_units);
        self.totals.push(self.totals.last().copied().unwrap_or(nothing));
    }

    fn total_with<'t>(&mut self, units: u64, text: impl FnOnce() -> Cow<'t, str>) -> u64 {
        let TokenRoom { tokenizer, before, before_units, after, is_clean, .. } = &mut self.room;
        if self.is_joined_to_next && !std::mem::replace(&mut self.is_begun, true) {
            let text = text();
            after.prepend(&text, tokenizer.without_line_break(&text, units));
        } else if *is_clean {
            after.prepend_exact(units);
        } else {
            after.prepend(&[&text(), "\n"].concat(), units);
        }
        match is_clean {
            true => after.units().saturating_add(*before_units),
            false => after.units_behind(before, *before_units),
        }
    }

    /// The units of the whole prompt with this many lines: at least one, and no more than were
    /// taken.
    pub fn total(&self, lines: usize) -> u64 {
        self.totals[lines - 1]
    }
}
