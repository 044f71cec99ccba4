//! Token budgets of a conversation's turns.

use super::Manager;
use crate::conversation::Lines;
use crate::error::Error;
use crate::layout::Part;
use crate::manager::options::TurnOptions;
use crate::manager::turn::Turn;
use crate::model::GivenText;
use crate::model::TokenBudget;
use crate::model::{Assembler, Materials};
use crate::text::trim_js;
use crate::tokens::CountedText;
use crate::tokens::Tokenizer;

impl Manager {
    /// The most tokens for a turn's prompt and flag.
    pub fn max_tokens(&self, options: &TurnOptions) -> Option<usize> {
        options.max_tokens.or(self.options.max_tokens)
    }

    /// The token budget of a turn, if tokens are counted, with the counts of a caller-supplied
    /// function.
    pub(super) fn token_budget(
        &self,
        options: &TurnOptions,
        assembler: &Assembler,
        turn: &Turn,
        report: bool,
    ) -> Result<Option<TokenBudget>, Error> {
        let max_tokens = self.max_tokens(options);
        let budget = assembler.token_budget(max_tokens, options.tokenizer, report)?;
        let Some(mut budget) = budget else {
            return Ok(None);
        };
        let Tokenizer::Function { function, .. } = budget.tokenizer else {
            return Ok(Some(budget));
        };
        budget.counted = options.counted.get(function).cloned().unwrap_or_default();
        let counted = &mut budget.counted;
        let tokens_of = |index: usize| {
            let tokens = self.conversation.tokens_by_function(function, index);
            CountedText {
                bytes: self.conversation.counted_bytes(index),
                tokens: tokens.unwrap_or_default(),
            }
        };
        if let Some(index) = turn.message {
            // A repeated parent is the same text as the message.
            counted.extend([Part::Message, Part::Parent].map(|part| (part, tokens_of(index))));
        }
        counted.extend(turn.replies.iter().map(|reply| (Part::Siblings, tokens_of(reply.index))));
        Ok(Some(budget))
    }

    /// Reuses counts of what recurs from turn to turn: messages and the texts around them.
    pub(super) fn use_known_counts(
        &self,
        materials: &Materials,
        lines: &mut Lines,
        turn: &Turn,
        assembler: &Assembler,
    ) {
        let Some(tokenizer) = materials.tokens.as_ref().map(|budget| budget.tokenizer) else {
            return;
        };
        if tokenizer.function().is_some() {
            return;
        }
        lines.count_with(tokenizer);
        let is_trimmed = |text: &str| trim_js(text) == text;
        // The shown text must be the stored one.
        let is_as_stored = materials.keys.bytes(GivenText::Message) == 0
            && is_trimmed(&self.message(turn, assembler));
        let message = turn.message.filter(|_| is_as_stored);
        let message = message.and_then(|index| lines.content_units(index));
        let texts = [
            (Part::System, materials.system_text(&materials.instruction_file)),
            (Part::TeamTask, trim_js(&materials.team_task).into()),
            (Part::Summary, trim_js(&materials.summary).into()),
        ];
        let mut counts = self.conversation.counts.borrow_mut();
        let known = texts.iter().filter(|(_, text)| !text.is_empty());
        let known = known.map(|(part, text)| (*part, counts.units_of_text(tokenizer, text)));
        if let Some(budget) = &materials.tokens {
            let known = known.chain(message.map(|units| (Part::Message, units)));
            known.for_each(|(part, units)| budget.remember(part, units));
        }
    }
}
