//! A manager's messages that one turn sees: finished lines in one buffer.

use super::entries;
use super::scope::Scope;
use super::store::{Conversation, GivenNames, STORED_LINE};
use super::stored_messages::StoredFields;
use super::turn::Turn;
use crate::account::{Ledger, MessageName};
use crate::conversation::KeptMessages;
use crate::conversation::pins::Pins;
use crate::conversation::source::{LineSource, PinnedTogether, Said};
use crate::layout::{LineStyle, TOOL_LINES, ToolLines};
use crate::parts::MessagePart;
use crate::structure::NameField;
use crate::text::is_line_break;
use crate::tokens::CountedText;
use crate::tokens::Tokenizer;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

/// The lines of a turn.
pub struct KeptLines<'c> {
    conversation: &'c Conversation,
    turn: &'c Turn,
    scope: Scope<'c>,
    style: &'c LineStyle,
    tools: &'c ToolLines,
    /// The contents of messages with parts, if the layout's texts for tools differ from the stored
    /// ones.
    told: BTreeMap<usize, OnceCell<String>>,
    /// Whether lines read as they are stored.
    is_stored_style: bool,
}

impl<'c> KeptLines<'c> {
    /// The lines of a turn in a style, for a reader with this scope.
    pub fn new(
        conversation: &'c Conversation,
        turn: &'c Turn,
        scope: Scope<'c>,
        style: &'c LineStyle,
        tools: &'c ToolLines,
    ) -> Self {
        let lines = if *tools == TOOL_LINES { 0 } else { turn.lines() };
        let has_parts = |index: &usize| conversation.parted.get(*index).is_some();
        let told: BTreeMap<_, _> = (0..lines)
            .map(|line| turn.message_at(line))
            .filter(has_parts)
            .map(|index| (index, OnceCell::new()))
            .collect();
        let is_stored_style = *style == STORED_LINE && told.is_empty();
        KeptLines { conversation, turn, scope, style, tools, told, is_stored_style }
    }

    fn content(&self, index: usize) -> &str {
        let told = self.told.get(&index).map(|told| {
            told.get_or_init(|| self.conversation.content_with(index, self.tools).into_owned())
        });
        told.map_or_else(|| self.conversation.fields_in_line(index).content, String::as_str)
    }

    fn pieces_of(&self, index: usize) -> [&str; 6] {
        if self.is_stored_style {
            return [self.conversation.lines(index..index + 1), "", "", "", "", ""];
        }
        let StoredFields { from, to, .. } = self.conversation.fields_in_line(index);
        let content = self.content(index);
        let (arrow, to) = self.style.arrow.as_deref().map_or(("", ""), |arrow| (arrow, to));
        [&self.style.open, from, arrow, to, &self.style.colon, content]
    }

    fn messages(&self, run: Range<usize>) -> Range<usize> {
        let first = self.index(run.start);
        first..first + run.len()
    }
}

impl LineSource for KeptLines<'_> {
    fn given_bytes(&self, line: usize) -> usize {
        self.conversation.given_bytes(self.index(line))
    }

    fn content_units(&self, tokenizer: Tokenizer, index: usize) -> Option<u64> {
        let content = &*self.conversation.content_with(index, self.tools);
        let line = self.pieces_of(index).concat();
        line.ends_with(content).then(|| {
            let count = || tokenizer.measure(&[&line, "\n"].concat());
            let units = self.conversation.counts.borrow_mut().units(index, count);
            let units = tokenizer.without_line_break(&line, units);
            tokenizer.measure_end(&line, line.len() - content.len(), units)
        })
    }

    fn len(&self) -> usize {
        self.turn.lines()
    }

    fn pins(&self) -> &Pins {
        &self.turn.pinned.pins
    }

    fn outside(&self) -> usize {
        self.turn.window.outside()
    }

    fn ledger(&self, kept: &KeptMessages) -> Ledger {
        let mut ledger = Ledger::default();
        if let Some(recipient) = self.scope.recipient {
            ledger.set_recipient(recipient);
        }
        entries::enter(&mut ledger, self.conversation, self.turn, &self.scope, kept);
        ledger
    }

    fn index(&self, line: usize) -> usize {
        self.turn.message_at(line)
    }

    fn pieces(&self, line: usize) -> [&[u8]; 6] {
        self.pieces_of(self.index(line)).map(str::as_bytes)
    }

    fn run_before(&self, end: usize) -> Range<usize> {
        let before = self.turn.pinned.before.len();
        let in_window = end.checked_sub(before).filter(|end| *end <= self.turn.window.len());
        let count = match in_window {
            Some(end) if end > 0 => self.turn.window.run_before(end),
            _ => 1,
        };
        let count = match self.is_stored_style && count > 1 {
            true => self.conversation.last_together(self.messages(end - count..end)),
            false => count,
        };
        end - count..end
    }

    fn run_cost(&self, run: Range<usize>) -> usize {
        let messages = self.messages(run);
        if self.is_stored_style {
            return self.conversation.lines_cost(messages);
        }
        let bytes = |index| self.pieces_of(index).iter().map(|piece| piece.len()).sum::<usize>();
        let has_line = |index: &usize| !self.conversation.is_absent(*index);
        messages.filter(has_line).map(|index| bytes(index) + 1).sum()
    }

    fn is_absent(&self, line: usize) -> bool {
        self.conversation.is_absent(self.index(line))
    }

    fn knows_sums(&self) -> bool {
        self.is_stored_style
    }

    fn run_text(&self, run: Range<usize>) -> Option<&str> {
        self.is_stored_style.then(|| self.conversation.lines(self.messages(run)))
    }

    fn pinned_together(&self, count: usize) -> Option<PinnedTogether<'_>> {
        let Scope { recipient, session, .. } = self.scope;
        let is_limited = recipient.is_some() || session.is_some();
        let shows_everything = !is_limited && !self.turn.window.is_without_one();
        if !shows_everything || !self.is_stored_style {
            return None;
        }
        // Both are ordered, so if the last ones match, all do.
        let last = count.checked_sub(1)?;
        let line = self.pins().positions()[last];
        if self.conversation.pins[last] as usize != self.index(line) {
            return None;
        }
        self.conversation.pinned_text().map(|pinned| PinnedTogether {
            text: pinned.first(count),
            line_bytes: pinned.line_bytes,
            are_all: self.conversation.pins.len() == count,
        })
    }

    fn shown_parts(&self, line: usize) -> Option<&[MessagePart]> {
        self.conversation.shown_parts(self.index(line))
    }

    fn opening(&self, line: usize) -> String {
        let index = self.index(line);
        let StoredFields { from, to, .. } = self.conversation.fields_in_line(index);
        let LineStyle { open, arrow, colon } = self.style;
        let (arrow, to) = arrow.as_deref().map_or(("", ""), |arrow| (arrow, to));
        [open, from, arrow, to, colon].concat()
    }

    fn tools(&self) -> &ToolLines {
        self.tools
    }

    fn longest_result(&self) -> usize {
        self.conversation.parted.longest_result
    }

    fn name(&self, line: usize) -> MessageName {
        entries::name(self.conversation, self.index(line))
    }

    fn said_by(&self, member: &str, line: usize) -> Option<Said<'_>> {
        let index = self.index(line);
        self.conversation.is_by_present(index, member).then(|| {
            match self.conversation.shown_parts(index) {
                Some(shown) => Said::Parts(shown),
                None => Said::Content(self.conversation.fields_in_line(index).content.into()),
            }
        })
    }

    fn broken_names(&self, line: usize) -> Vec<(NameField, String)> {
        let Some(GivenNames { from, to }) = self.conversation.given_names(self.index(line)) else {
            return Vec::new();
        };
        let to = self.style.arrow.as_ref().map(|_| (NameField::To, to));
        let names = [Some((NameField::From, from)), to].into_iter().flatten();
        let broken = names.filter(|(_, name)| name.contains(is_line_break));
        broken.map(|(field, name)| (field, name.to_string())).collect()
    }

    fn count_with(&self, tokenizer: Tokenizer) {
        let messages = self.conversation.len();
        self.conversation.counts.borrow_mut().open(tokenizer, (self.style, self.tools), messages);
    }

    fn counted(&self, function: usize, line: usize) -> CountedText {
        let index = self.index(line);
        let bytes = self.conversation.counted_bytes(index);
        let tokens = self.conversation.tokens_by_function(function, index);
        tokens.map(|tokens| CountedText { bytes, tokens }).unwrap_or_default()
    }

    fn units(&self, line: usize, _most: u64, count: &dyn Fn(u64) -> Option<u64>) -> Option<u64> {
        // Counted in full, because the next turn needs it.
        let count = || count(u64::MAX).unwrap_or(u64::MAX);
        Some(self.conversation.counts.borrow_mut().units(self.index(line), count))
    }
}
