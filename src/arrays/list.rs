//! How much of a list of messages fits into a budget.
//!
//! 1. Messages are counted in the order of the list's moves ([`super::steps`]), newest first. As
//!    many of the newest steps are kept as fit; the first one must.
//! 2. No text after the first one that does not fit is counted.
//! 3. What must stay is counted in full, for the error, but not without end: see [`most_counted`].

use super::Api;
use super::apis::Costs;
use super::steps::{Move, Unfit};
use crate::error::{Error, ExceededTokens};
use crate::tokens::{BudgetUnit, MOST_TOKEN_BYTES, Tokenizer};
use std::ops::Deref;

/// Lists have no byte limit. The largest safe integer of JavaScript.
const NO_MAX_BYTES: usize = (1 << 53) - 1;

/// The most tokens that are counted of what must stay: more are not worth the time of who has a budget
/// a quarter as large.
pub fn most_counted(max_tokens: usize) -> usize {
    max_tokens.saturating_mul(4).max(1 << 17)
}

/// No text with more bytes is counted: it has more tokens than [`most_counted`].
pub fn most_counted_bytes(tokenizer: Tokenizer, max_tokens: usize) -> usize {
    match tokenizer.is_exact() {
        true => most_counted(max_tokens).saturating_mul(MOST_TOKEN_BYTES),
        false => usize::MAX,
    }
}

/// The size of some texts: units of the tokenizer, and tokens counted by other means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Size {
    units: u64,
    tokens: usize,
    bytes: usize,
}

impl Size {
    fn and(self, other: Size) -> Size {
        Size {
            units: self.units.saturating_add(other.units),
            tokens: self.tokens.saturating_add(other.tokens),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}

/// A message, or what is sent beside the messages.
#[derive(Debug, Clone, Copy, Default)]
pub struct Measured<'t, T> {
    /// Its texts.
    pub texts: &'t [T],
    /// Tokens of everything else.
    pub tokens: usize,
}

/// What happens to a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListFate {
    /// It is kept.
    Kept,
    /// There is no room.
    NoRoom,
    /// It would be rejected.
    Unfit(Unfit),
}

/// A budget, and how much of a list fits so far.
#[derive(Debug)]
pub struct ListFit {
    tokenizer: Tokenizer,
    max_tokens: usize,
    system: Size,
    tools: Size,
    moves: Vec<Move>,
    /// The next move, and what was counted of it.
    at: usize,
    counted: usize,
    size: Size,
    /// The size of the steps so far.
    steps: Size,
    /// The opening of the current turn, unless it is a step so far.
    opening: Size,
    /// How many moves fit, and the tokens of the request with them.
    fitting: Option<(usize, usize)>,
    /// Whether there are no older messages than those of the moves.
    is_whole: bool,
    is_full: bool,
    /// Whether more must stay than is counted.
    is_endless: bool,
}

impl ListFit {
    /// A budget for a request to this API, with its instructions and tools.
    pub fn new<T: Deref<Target = str>>(
        api: Api,
        tokenizer: Tokenizer,
        max_tokens: usize,
        (system, tools): (Measured<T>, Measured<T>),
    ) -> Self {
        let mut fit = ListFit {
            tokenizer,
            max_tokens,
            system: Size { tokens: Costs::of(api).request, ..Size::default() },
            tools: Size::default(),
            moves: Vec::new(),
            at: 0,
            counted: 0,
            size: Size::default(),
            steps: Size::default(),
            opening: Size::default(),
            fitting: None,
            is_whole: false,
            is_full: false,
            is_endless: false,
        };
        fit.system = fit.system.and(fit.counted_size(&system));
        fit.tools = fit.counted_size(&tools);
        fit
    }

    /// Adds the moves for older messages. Returns the indices of messages, in the order in which they
    /// are to be counted.
    pub fn add(&mut self, moves: Vec<Move>, is_start: bool) -> Vec<usize> {
        let order = moves.iter().flat_map(Move::counted).copied().collect();
        self.moves.extend(moves);
        self.is_whole = is_start;
        self.make_moves();
        order
    }

    /// How many tokens are left.
    pub fn room(&self) -> usize {
        self.max_tokens.saturating_sub(self.total(self.next_size()))
    }

    /// Counts the next message.
    pub fn count<T: Deref<Target = str>>(&mut self, message: &Measured<T>) {
        if !self.is_full {
            let size = self.counted_size(message);
            self.size = self.size.and(size);
            self.counted += 1;
            self.make_moves();
        }
    }

    /// Whether no more messages are needed.
    pub fn is_done(&self) -> bool {
        self.is_full || self.is_whole && self.at == self.moves.len()
    }

    /// What happens to each of this many messages, apart from instructions, and the tokens of the
    /// request.
    pub fn finish(&self, messages: usize) -> Result<(Vec<ListFate>, usize), Error> {
        let none = || (0, self.total(Size::default()));
        let (moves, tokens) = self.fitting.unwrap_or_else(none);
        if self.fitting.is_none() && self.is_full || tokens > self.max_tokens {
            return Err(self.exceeded());
        }
        let mut fates = vec![ListFate::NoRoom; messages];
        for (at, made) in self.moves.iter().enumerate() {
            let fate = if at < moves { ListFate::Kept } else { ListFate::NoRoom };
            let (indices, fate) = match made {
                Move::LeaveOut(indices, unfit) if at < self.at => {
                    (indices.as_slice(), ListFate::Unfit(*unfit))
                }
                Move::LeaveOut(indices, _) => (indices.as_slice(), ListFate::NoRoom),
                _ => (made.counted(), fate),
            };
            for index in indices {
                if let Some(one) = fates.get_mut(*index) {
                    *one = fate;
                }
            }
        }
        Ok((fates, tokens))
    }

    /// Makes every move whose messages are counted.
    fn make_moves(&mut self) {
        while let Some(next) = self.moves.get(self.at)
            && self.counted == next.counted().len()
            && !self.is_full
        {
            let size = std::mem::take(&mut self.size);
            match next {
                Move::Open(_) => self.opening = size,
                Move::LeaveOut(..) => {}
                Move::Step(_) => self.keep(size),
                Move::Close => {
                    let opening = std::mem::take(&mut self.opening);
                    self.keep(opening);
                }
            }
            self.at += usize::from(!self.is_full);
            self.counted = 0;
        }
    }

    fn keep(&mut self, size: Size) {
        self.steps = self.steps.and(size);
        let total = self.total(self.steps.and(self.opening));
        if total > self.max_tokens {
            self.is_full = true;
        } else {
            self.fitting = Some((self.at + 1, total));
        }
    }

    /// The size of all steps with what is counted of the next one.
    fn next_size(&self) -> Size {
        self.steps.and(self.opening).and(self.size)
    }

    /// The tokens of a request with these steps.
    fn total(&self, steps: Size) -> usize {
        let all = self.system.and(self.tools).and(steps);
        self.tokenizer.tokens(all.units).saturating_add(all.tokens)
    }

    /// The size of a message. Nothing more is counted as soon as it is known not to fit.
    fn counted_size<T: Deref<Target = str>>(&mut self, measured: &Measured<T>) -> Size {
        let must_stay = self.fitting.is_none();
        let most = if must_stay { most_counted(self.max_tokens) } else { self.max_tokens };
        let mut size = Size { tokens: measured.tokens, ..Size::default() };
        let taken = self.total(self.next_size()).saturating_add(measured.tokens);
        // A unit of an estimate may be left over from earlier counts.
        let left = most.saturating_sub(taken).saturating_add(1);
        let mut most_units = self.tokenizer.units_within(left);
        let most_bytes = most_counted_bytes(self.tokenizer, self.max_tokens);
        for text in measured.texts.iter().map(Deref::deref) {
            let is_counted = text.len() <= most_bytes && !self.is_full;
            let units = is_counted.then(|| self.tokenizer.measure_up_to(text, most_units));
            let units = units.flatten();
            self.is_full |= units.is_none();
            self.is_endless |= units.is_none() && must_stay;
            let units = units.unwrap_or_default();
            most_units -= units;
            size = size.and(Size { units, tokens: 0, bytes: text.len() });
        }
        size
    }

    fn exceeded(&self) -> Error {
        let step = self.next_size();
        let tokens = |size: Size| self.tokenizer.tokens(size.units).saturating_add(size.tokens);
        let sections = [("system", self.system), ("tools", self.tools), ("message", step)];
        let sections = sections.map(|(name, size)| (name, tokens(size)));
        let required_tokens = (!self.is_endless).then(|| self.total(step));
        Error::BudgetExceeded {
            unit: BudgetUnit::Tokens,
            required_bytes: self.system.and(self.tools).and(step).bytes,
            max_bytes: NO_MAX_BYTES,
            system_max_bytes: None,
            tokens: Some(ExceededTokens { required_tokens, max_tokens: self.max_tokens }),
            sections: sections.into_iter().filter(|(_, tokens)| *tokens > 0).collect(),
        }
    }
}

impl Move {
    /// The messages that are counted for it.
    fn counted(&self) -> &[usize] {
        match self {
            Move::Open(index) => std::slice::from_ref(index),
            Move::Step(indices) => indices,
            Move::Close | Move::LeaveOut(..) => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{Estimate, Vocabulary};

    const EXACT: Tokenizer = Tokenizer::Exact(Vocabulary::O200k);

    fn message<'t>(texts: &'t [&'t str]) -> Measured<'t, &'t str> {
        Measured { texts, tokens: 4 + texts.len() }
    }

    fn budget(tokenizer: Tokenizer, max_tokens: usize, system: &[&str]) -> ListFit {
        let fixed = (message(system), Measured::default());
        ListFit::new(Api::OpenAiChat, tokenizer, max_tokens, fixed)
    }

    /// Turns of a question and two steps, newest first: how many messages are kept in `max_tokens`.
    fn kept(tokenizer: Tokenizer, max_tokens: usize) -> Result<(usize, usize), Error> {
        let mut budget = budget(tokenizer, max_tokens, &["Be brief."]);
        for turn in 0..3 {
            let first = turn * 3;
            let steps = [Move::Step(vec![first + 1]), Move::Step(vec![first + 2])];
            let moves = [Move::Open(first)].into_iter().chain(steps).chain([Move::Close]).collect();
            assert_eq!(budget.add(moves, turn == 2), [first, first + 1, first + 2]);
            budget.count(&message(&["What is in the file, and why?"]));
            budget.count(&message(&["It is a test."]));
            budget.count(&message(&["read", "{\"path\":\"a.ts\"}"]));
        }
        let (fates, tokens) = budget.finish(9)?;
        Ok((fates.iter().filter(|fate| **fate == ListFate::Kept).count(), tokens))
    }

    #[test]
    fn a_larger_budget_never_keeps_less_and_none_is_exceeded() {
        let estimates =
            [Estimate::new(3.7), Estimate::new(3.7).with_scripts([Some(4.2), None, None, None])];
        for tokenizer in
            [EXACT, Tokenizer::Estimate(estimates[0]), Tokenizer::Estimate(estimates[1])]
        {
            let (mut before, mut least) = (0, None);
            for max_tokens in 1..300 {
                match kept(tokenizer, max_tokens) {
                    Ok((messages, tokens)) => {
                        assert!(tokens <= max_tokens && messages >= before);
                        least.get_or_insert(max_tokens);
                        before = messages;
                    }
                    Err(Error::BudgetExceeded { tokens: Some(tokens), .. }) => {
                        assert!(least.is_none());
                        let required = tokens.required_tokens.unwrap();
                        assert!(kept(tokenizer, required).is_ok());
                        assert!(kept(tokenizer, required - 1).is_err());
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            assert_eq!(before, 9);
        }
    }

    #[test]
    fn a_step_is_only_kept_if_the_opening_of_its_turn_fits_too() {
        let mut budget = budget(EXACT, 60, &[]);
        let turns = [Move::Open(2), Move::Close, Move::Open(0), Move::Step(vec![1]), Move::Close];
        assert_eq!(budget.add(turns.to_vec(), true), [2, 0, 1]);
        budget.count(&message(&["Go on."]));
        assert!(!budget.is_done());
        budget.count(&message(&["one two three ".repeat(30).as_str()]));
        assert!(budget.is_done());
        let (fates, _) = budget.finish(3).unwrap();
        assert_eq!(fates, [ListFate::NoRoom, ListFate::NoRoom, ListFate::Kept]);
    }

    #[test]
    fn an_empty_list_needs_room_for_system_text_and_tools() {
        let fit = |tools: &Measured<&str>| {
            let fixed = (Measured::default(), *tools);
            let mut fit = ListFit::new(Api::Anthropic, EXACT, 8, fixed);
            fit.add(Vec::new(), true);
            fit.finish(0)
        };
        assert_eq!(fit(&Measured::default()).unwrap(), (vec![], 3));
        let Err(Error::BudgetExceeded { sections, .. }) = fit(&message(&["{}"])) else { panic!() };
        assert_eq!(sections, [("system", 3), ("tools", 4 + 1 + 1)]);
    }

    #[test]
    fn what_must_stay_is_not_counted_without_end() {
        for text in ["word ".repeat(200_000), "a".repeat(most_counted_bytes(EXACT, 10) + 1)] {
            let mut budget = budget(EXACT, 10, &[]);
            budget.add(vec![Move::Open(0), Move::Close], true);
            budget.count(&message(&[&text]));
            let error = budget.finish(1).unwrap_err();
            let Error::BudgetExceeded { tokens: Some(tokens), .. } = &error else { panic!() };
            assert_eq!(tokens.required_tokens, None);
            assert!(error.to_string().contains("needs more than 10 tokens, but maxTokens is 10"));
        }
        // The budget is far larger.
        let mut budget = budget(EXACT, 1_000_000, &[]);
        budget.add(vec![Move::Open(0), Move::Close], true);
        budget.count(&message(&["word ".repeat(200_000).as_str()]));
        assert_eq!(budget.finish(1).unwrap().1, 200_001 + 3 + 2 * 5 - 1);
    }
}
