//! A limit in tokens.

use crate::layout::Part;
use crate::tokens::{CountedText, Tokenizer};
use std::cell::RefCell;

/// What counts the tokens of a prompt, and how many there may be.
#[derive(Debug, Clone)]
pub struct TokenBudget {
    /// What counts them.
    pub tokenizer: Tokenizer,
    /// The most tokens that prompt and flag may have together; `None` if they are only counted,
    /// for a report.
    pub max_tokens: Option<usize>,
    /// What a caller-supplied function has counted, by part.
    pub counted: Vec<(Part, CountedText)>,
    /// The units of parts that were counted before, without any cuts: plans are made more than
    /// once, and a manager's texts recur from turn to turn.
    known: RefCell<Vec<(Part, u64)>>,
}

impl TokenBudget {
    /// A budget counted by one of our tokenizers.
    pub fn new(tokenizer: Tokenizer, max_tokens: Option<usize>) -> Self {
        TokenBudget { tokenizer, max_tokens, counted: Vec::new(), known: RefCell::default() }
    }

    /// The units of a part that was counted before.
    pub fn known(&self, part: Part) -> Option<u64> {
        let known = self.known.borrow();
        known.iter().find(|(known, _)| *known == part).map(|(_, units)| *units)
    }

    /// Remembers the units of a part.
    pub fn remember(&self, part: Part, units: u64) {
        self.known.borrow_mut().push((part, units));
    }

    /// What a caller-supplied function counted of a part.
    pub fn counted(&self, part: Part) -> CountedText {
        let of_part = self.counted.iter().filter(|(counted, _)| *counted == part);
        of_part.fold(CountedText::default(), |sum, (_, text)| CountedText {
            bytes: sum.bytes + text.bytes,
            tokens: sum.tokens + text.tokens,
        })
    }
}
