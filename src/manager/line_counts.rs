//! Token counts of lines, each counted once, when a prompt with a token budget first needs it.
//!
//! 1. Counts depend on tokenizer and style, so there is a list for each combination in use.
//! 2. Counts by caller-supplied functions arrive with the message, one per function.

use super::store::Conversation;
use crate::layout::{LineStyle, ToolLines};
use crate::tokens::Tokenizer;

/// How many lists of counts are kept; the least recently used one is dropped.
const MAX_LISTS: usize = 8;

/// How many texts other than messages are kept, and the largest size of each.
const MAX_TEXTS: usize = 32;
const MAX_TEXT_BYTES: usize = 256 * 1024;

const NOT_COUNTED: u64 = u64::MAX;

/// The known token counts of a conversation.
#[derive(Debug, Default)]
pub(crate) struct LineCounts {
    /// Most recently used last.
    lists: Vec<LineList>,
    /// Tokens of contents, by function and message.
    by_functions: Vec<Vec<u32>>,
    /// Counted instructions, team tasks and summaries, most recently used last.
    texts: Vec<TextCount>,
}

#[derive(Debug)]
struct TextCount {
    tokenizer: Tokenizer,
    text: String,
    units: u64,
}

#[derive(Debug)]
struct LineList {
    tokenizer: Tokenizer,
    style: LineStyle,
    tools: ToolLines,
    /// Units of each line, including its line break.
    units: Vec<u64>,
}

impl LineCounts {
    /// Moves the list of a tokenizer and style to the end, sized for a conversation of this length.
    pub fn open(
        &mut self,
        tokenizer: Tokenizer,
        (style, tools): (&LineStyle, &ToolLines),
        messages: usize,
    ) {
        let is_it = |list: &LineList| {
            list.tokenizer == tokenizer && list.style == *style && list.tools == *tools
        };
        let mut list = match self.lists.iter().position(is_it) {
            Some(place) => self.lists.remove(place),
            None => LineList {
                tokenizer,
                style: style.clone(),
                tools: tools.clone(),
                units: Vec::new(),
            },
        };
        if self.lists.len() == MAX_LISTS {
            self.lists.remove(0);
        }
        list.units.resize(messages, NOT_COUNTED);
        self.lists.push(list);
    }

    /// The units of a line, from the list opened last.
    pub fn units(&mut self, index: usize, count: impl FnOnce() -> u64) -> u64 {
        let Some(units) = self.lists.last_mut().and_then(|list| list.units.get_mut(index)) else {
            return count();
        };
        if *units == NOT_COUNTED {
            *units = count();
        }
        *units
    }

    /// The units of a text that recurs from turn to turn.
    pub fn units_of_text(&mut self, tokenizer: Tokenizer, text: &str) -> u64 {
        let is_it = |known: &TextCount| known.text == text && known.tokenizer == tokenizer;
        let counted = match self.texts.iter().position(is_it) {
            Some(place) => self.texts.remove(place),
            None => TextCount { tokenizer, text: text.to_owned(), units: tokenizer.measure(text) },
        };
        let units = counted.units;
        if text.len() <= MAX_TEXT_BYTES {
            if self.texts.len() == MAX_TEXTS {
                self.texts.remove(0);
            }
            self.texts.push(counted);
        }
        units
    }

    /// Forgets the counts of a changed message.
    pub fn forget(&mut self, index: usize) {
        for list in &mut self.lists {
            if let Some(units) = list.units.get_mut(index) {
                *units = NOT_COUNTED;
            }
        }
    }

    /// Drops the counts of a removed message.
    pub fn remove(&mut self, index: usize) {
        for units in self.lists.iter_mut().map(|list| &mut list.units) {
            if index < units.len() {
                units.remove(index);
            }
        }
        for tokens in &mut self.by_functions {
            if index < tokens.len() {
                tokens.remove(index);
            }
        }
    }

    /// Memory use in bytes.
    pub fn memory_bytes(&self) -> usize {
        let lists: usize = self.lists.iter().map(|list| list.units.capacity()).sum();
        let functions: usize = self.by_functions.iter().map(Vec::capacity).sum();
        let texts: usize = self.texts.iter().map(|known| known.text.capacity()).sum();
        lists * size_of::<u64>() + functions * size_of::<u32>() + texts
    }
}

impl Conversation {
    /// Stores what caller-supplied functions counted for a message's content.
    pub fn keep_counts(&mut self, index: usize, tokens: &[u32]) {
        let counts = self.counts.get_mut();
        counts.by_functions.resize(tokens.len(), Vec::new());
        for (list, tokens) in counts.by_functions.iter_mut().zip(tokens) {
            list.resize(list.len().max(index + 1), 0);
            list[index] = *tokens;
        }
    }

    /// The tokens that a caller-supplied function counted in a message's content.
    pub fn tokens_by_function(&self, function: usize, index: usize) -> Option<usize> {
        let counts = self.counts.borrow();
        let tokens = counts.by_functions.get(function)?.get(index);
        tokens.map(|tokens| *tokens as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{BRACKETED_LINE, TOOL_LINES};
    use crate::tokens::{Estimate, Vocabulary};

    #[test]
    fn a_line_is_counted_once_by_each_tokenizer_until_it_changes() {
        let mut counts = LineCounts::default();
        let exact = Tokenizer::Exact(Vocabulary::O200k);
        counts.open(exact, (&BRACKETED_LINE, &TOOL_LINES), 3);
        assert_eq!((counts.units(1, || 7), counts.units(1, || 8)), (7, 7));
        counts.open(Tokenizer::Exact(Vocabulary::Cl100k), (&BRACKETED_LINE, &TOOL_LINES), 3);
        assert_eq!(counts.units(1, || 9), 9);
        counts.open(exact, (&BRACKETED_LINE, &TOOL_LINES), 4);
        assert_eq!(
            (counts.units(1, || 8), counts.units(2, || 5), counts.units(3, || 6)),
            (7, 5, 6)
        );
        counts.forget(1);
        assert_eq!(counts.units(1, || 8), 8);
        counts.remove(1);
        assert_eq!((counts.units(1, || 0), counts.units(2, || 0)), (5, 6));
        for rate in 1..20 {
            let estimate = Estimate::new(rate.into());
            counts.open(Tokenizer::Estimate(estimate), (&BRACKETED_LINE, &TOOL_LINES), 3);
        }
        assert_eq!(counts.lists.len(), MAX_LISTS);
        for number in 0..2 * MAX_TEXTS {
            let text = format!("text {}", number % (MAX_TEXTS + 1));
            assert_eq!(counts.units_of_text(exact, &text), exact.measure(&text));
            assert_eq!(counts.units_of_text(exact, "the same"), exact.measure("the same"));
        }
        assert_eq!(counts.texts.len(), MAX_TEXTS);
        counts.open(exact, (&BRACKETED_LINE, &TOOL_LINES), 3);
        assert_eq!(counts.units(1, || 1), 1);
    }
}
