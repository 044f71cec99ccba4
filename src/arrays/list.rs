//! How much of a list of messages fits into a budget.
//!
//! 1. The reader offers the list in steps, newest first. A step can only be kept or dropped as a
//!    whole: a message, or tool calls with their results.
//! 2. A turn begins with a user message, its opening. Every step of a turn needs the opening: a
//!    model that sees tool results must see what they were for, and most APIs want a user message
//!    first. So the opening counts from the first step of its turn.
//! 3. As many of the newest steps are kept as fit. The first one must fit.
//! 4. No text after the first one that does not fit is counted.

use super::Api;
use super::apis::{Costs, Shape};
use crate::error::{Error, ExceededTokens};
use crate::tokens::{BudgetUnit, Tokenizer};
use std::ops::Deref;

/// Lists have no byte limit. The largest safe integer of JavaScript.
const NO_MAX_BYTES: usize = (1 << 53) - 1;

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

/// Texts that are measured together.
#[derive(Debug, Clone, Copy, Default)]
pub struct Measured<'t, T> {
    /// Its texts.
    pub texts: &'t [T],
    /// What has a cost besides the texts.
    pub shape: Shape,
    /// Tokens counted by somebody else.
    pub tokens: usize,
}

/// A budget, and how much of a list fits so far.
#[derive(Debug)]
pub struct ListBudget {
    tokenizer: Tokenizer,
    costs: &'static Costs,
    max_tokens: usize,
    system: Size,
    tools: Size,
    /// The size of the steps offered so far.
    steps: Size,
    /// The opening of the current turn, unless it was offered itself.
    opening: Option<Size>,
    offered: usize,
    /// The most steps that fit, and the total size with them.
    fitting: Option<(usize, usize)>,
    is_full: bool,
    /// The total size with the first step, if that is too much.
    required: Option<(usize, Size)>,
}

impl ListBudget {
    /// A budget for a request to this API.
    pub fn new(api: Api, tokenizer: Tokenizer, max_tokens: usize) -> Self {
        ListBudget {
            tokenizer,
            costs: Costs::of(api),
            max_tokens,
            system: Size { tokens: Costs::of(api).request, ..Size::default() },
            tools: Size::default(),
            steps: Size::default(),
            opening: None,
            offered: 0,
            fitting: None,
            is_full: false,
            required: None,
        }
    }

    /// Counts a system text beside the messages.
    pub fn add_system<T: Deref<Target = str>>(&mut self, measured: &Measured<T>) {
        let around = Size { tokens: self.costs.system, ..Size::default() };
        self.system = self.system.and(self.size(measured)).and(around);
    }

    /// Counts a message that always stays.
    pub fn add_staying<T: Deref<Target = str>>(&mut self, measured: &Measured<T>) {
        self.system = self.system.and(self.size(measured));
    }

    /// Counts the definitions of this many tools.
    pub fn add_tools<T: Deref<Target = str>>(&mut self, count: usize, measured: &Measured<T>) {
        let tokens = self.costs.tools.saturating_add(count.saturating_mul(self.costs.tool));
        self.tools = self.tools.and(self.size(measured)).and(Size { tokens, ..Size::default() });
    }

    /// Sets the opening of the turn whose steps are offered next, newest first. Returns whether
    /// more may fit.
    pub fn open_turn<T: Deref<Target = str>>(&mut self, measured: &Measured<T>) -> bool {
        self.opening = self.size_within(measured);
        self.is_full |= self.opening.is_none();
        !self.is_full
    }

    /// Offers a step. Returns whether more may fit.
    pub fn offer<T: Deref<Target = str>>(&mut self, measured: &Measured<T>) -> bool {
        if !self.is_full {
            match self.size_within(measured) {
                Some(size) => self.add(size),
                None => self.is_full = true,
            }
        }
        !self.is_full
    }

    /// Offers the opening of the turn itself. Returns whether more may fit.
    pub fn offer_opening(&mut self) -> bool {
        if let Some(opening) = self.opening.take().filter(|_| !self.is_full) {
            self.add(opening);
        }
        !self.is_full
    }

    /// How many steps are kept, and the tokens of the request.
    pub fn finish(&self) -> Result<(usize, usize), Error> {
        if self.offered == 0 {
            let all = self.total(Size::default());
            if all <= self.max_tokens {
                return Ok((0, all));
            }
            return Err(self.exceeded(all, Size::default()));
        }
        match (self.fitting, self.required) {
            (Some(fitting), _) => Ok(fitting),
            (None, Some((tokens, step))) => Err(self.exceeded(tokens, step)),
            (None, None) => Err(Error::Internal("a list was not measured".to_owned())),
        }
    }

    fn add(&mut self, size: Size) {
        self.steps = self.steps.and(size);
        self.offered += 1;
        let step = self.steps.and(self.opening.unwrap_or_default());
        let total = self.total(step);
        if total <= self.max_tokens {
            self.fitting = Some((self.offered, total));
        } else {
            self.is_full = true;
            if self.offered == 1 {
                self.required = Some((total, step));
            }
        }
    }

    /// The tokens of a request with these steps.
    fn total(&self, steps: Size) -> usize {
        let all = self.system.and(self.tools).and(steps);
        self.tokenizer.tokens(all.units).saturating_add(all.tokens)
    }

    fn size<T: Deref<Target = str>>(
        &self,
        Measured { texts, shape, tokens }: &Measured<T>,
    ) -> Size {
        let start =
            Size { tokens: tokens.saturating_add(self.costs.around(shape)), ..Size::default() };
        texts.iter().map(Deref::deref).fold(start, |sum, text: &str| {
            sum.and(Size { units: self.tokenizer.measure(text), tokens: 0, bytes: text.len() })
        })
    }

    /// Like `size`, or `None` if it does not fit: counting then stops as soon as that is known. The
    /// first step is counted in full, for the error.
    fn size_within<T: Deref<Target = str>>(&self, measured: &Measured<T>) -> Option<Size> {
        if self.offered == 0 {
            return Some(self.size(measured));
        }
        let taken = self.total(self.steps);
        let around = measured.tokens.saturating_add(self.costs.around(&measured.shape));
        let left = self.max_tokens.checked_sub(taken.saturating_add(around))?;
        // A unit of an estimate may be left over from earlier counts.
        let mut most = self.tokenizer.units_within(left.saturating_add(1));
        let mut size = Size { tokens: around, ..Size::default() };
        for text in measured.texts.iter().map(Deref::deref) {
            let units = self.tokenizer.measure_up_to(text, most)?;
            most -= units;
            size = size.and(Size { units, tokens: 0, bytes: text.len() });
        }
        Some(size)
    }

    fn exceeded(&self, required: usize, step: Size) -> Error {
        let tokens = |size: Size| self.tokenizer.tokens(size.units).saturating_add(size.tokens);
        let sections = [("system", self.system), ("tools", self.tools), ("message", step)];
        let sections = sections.map(|(name, size)| (name, tokens(size)));
        Error::BudgetExceeded {
            unit: BudgetUnit::Tokens,
            required_bytes: self.system.and(self.tools).and(step).bytes,
            max_bytes: NO_MAX_BYTES,
            system_max_bytes: None,
            tokens: Some(ExceededTokens {
                required_tokens: Some(required),
                max_tokens: self.max_tokens,
            }),
            sections: sections.into_iter().filter(|(_, tokens)| *tokens > 0).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{Estimate, Vocabulary};

    const EXACT: Tokenizer = Tokenizer::Exact(Vocabulary::O200k);

    fn message<'t>(texts: &'t [&'t str]) -> Measured<'t, &'t str> {
        let shape = Shape { messages: 1, parts: texts.len(), ..Shape::default() };
        Measured { texts, shape, tokens: 0 }
    }

    /// Turns of a question and two steps, newest first: how many steps are kept in `max_tokens`.
    fn kept(tokenizer: Tokenizer, max_tokens: usize) -> Result<(usize, usize), Error> {
        let mut budget = ListBudget::new(Api::OpenAiChat, tokenizer, max_tokens);
        budget.add_system(&message(&["Be brief."]));
        for _ in 0..3 {
            budget.open_turn(&message(&["What is in the file, and why?"]));
            if !(budget.offer(&message(&["It is a test."]))
                && budget.offer(&message(&["read", "{\"path\":\"a.ts\"}"]))
                && budget.offer_opening())
            {
                break;
            }
        }
        budget.finish()
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
                    Ok((steps, tokens)) => {
                        assert!(tokens <= max_tokens && steps >= before);
                        least.get_or_insert(max_tokens);
                        before = steps;
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
        let mut budget = ListBudget::new(Api::OpenAiChat, EXACT, 60);
        budget.open_turn(&message(&["Go on."]));
        assert!(budget.offer_opening());
        let long = "one two three ".repeat(30);
        assert!(!budget.open_turn(&message(&[&long])));
        assert!(!budget.offer(&message(&["short"])) && !budget.offer_opening());
        assert_eq!(budget.finish().unwrap().0, 1);
    }

    #[test]
    fn an_empty_list_needs_room_for_system_text_and_tools() {
        let mut budget = ListBudget::new(Api::Anthropic, EXACT, 10);
        assert_eq!(budget.finish().unwrap(), (0, 3));
        budget.add_tools(1, &message(&["{}"]));
        let Err(Error::BudgetExceeded { sections, .. }) = budget.finish() else { panic!() };
        assert_eq!(sections, [("system", 3), ("tools", 530 + 8 + 5 + 1 + 1)]);
    }
}
