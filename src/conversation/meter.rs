//! How many lines of a conversation fit into a budget in tokens, newest first.

use crate::tokens::{JoinedBackwards, Tokenizer};
use std::borrow::Cow;

/// Takes lines, newest first, as long as there is room for their tokens.
///
/// What stands around the lines in the prompt is known, so the units of the whole prompt are known
/// with each line. Where a line begins with a character that a line break never joins, sizes are
/// added; where not, the text around the joint is counted again.
#[derive(Debug)]
pub struct LineMeter {
    tokenizer: Tokenizer,
    /// The most units that the prompt may have.
    most: u64,
    /// The lines that were taken, and what follows them.
    joined: JoinedBackwards,
    /// What stands before the lines.
    before: String,
    before_units: u64,
    /// Whether each line begins so that its joint with the line break before it is exact.
    is_clean: bool,
    /// Whether what follows the newest line matters.
    is_joined_to_next: bool,
    /// The units of the whole prompt with each number of lines, from one on.
    totals: Vec<u64>,
    is_full: bool,
}

impl LineMeter {
    /// For a prompt of at most `most` units, with these texts around the lines. If lines begin
    /// clean, the text before them is not needed.
    pub fn new(
        tokenizer: Tokenizer,
        most: u64,
        (before, before_units): (String, u64),
        after: JoinedBackwards,
        is_clean: bool,
    ) -> Self {
        LineMeter {
            tokenizer,
            most,
            joined: after,
            before,
            before_units,
            is_clean,
            is_joined_to_next: true,
            totals: Vec::new(),
            is_full: false,
        }
    }

    /// For lines whose sizes are only added up, to at most `most` units.
    pub fn adding(tokenizer: Tokenizer, most: u64) -> Self {
        let nothing = (String::new(), 0);
        let meter = LineMeter::new(tokenizer, most, nothing, JoinedBackwards::new(tokenizer), true);
        LineMeter { is_joined_to_next: false, ..meter }
    }

    /// What counts.
    pub fn tokenizer(&self) -> Tokenizer {
        self.tokenizer
    }

    /// How many units there is room for.
    pub fn room(&self) -> u64 {
        let taken = self.joined.units().saturating_add(self.before_units);
        self.most.saturating_sub(taken)
    }

    /// Takes one more line, which has so many units with the line break behind it, if there is
    /// room. `None` is a line that has more units than there is room for.
    pub fn take<'t>(&mut self, units: Option<u64>, text: impl FnOnce() -> Cow<'t, str>) -> bool {
        let total = units.map(|units| self.total_with(units, text));
        match total.filter(|total| *total <= self.most) {
            Some(total) => self.totals.push(total),
            None => self.is_full = true,
        }
        !self.is_full
    }

    fn total_with<'t>(&mut self, units: u64, text: impl FnOnce() -> Cow<'t, str>) -> u64 {
        if self.is_joined_to_next && self.totals.is_empty() {
            let text = text();
            self.joined.prepend(&text, self.tokenizer.without_line_break(&text, units));
        } else if self.is_clean {
            self.joined.prepend_exact(units);
        } else {
            self.joined.prepend(&[&text(), "\n"].concat(), units);
        }
        match self.is_clean {
            true => self.joined.units().saturating_add(self.before_units),
            false => self.joined.units_behind(&self.before, self.before_units),
        }
    }

    /// The units of the whole prompt with so many lines; at least one, and no more than were taken.
    pub fn total(&self, lines: usize) -> u64 {
        self.totals[lines - 1]
    }

    /// Says that the next line was refused before.
    pub fn refuse(&mut self) {
        self.is_full = true;
    }

    /// Whether a line was refused.
    pub fn is_full(&self) -> bool {
        self.is_full
    }
}
