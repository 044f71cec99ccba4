//! The room for a conversation, in tokens.

use super::tokens::{
    ending_text, flag_tokens, heading_text, prepend_sections, prepend_top, text_of, top_text,
    units_besides_context, units_of_frame,
};
use crate::budget::Request;
use crate::conversation::TokenRoom;
use crate::layout::Part;
use crate::layout::SECTION_BREAK;
use crate::plan::{Plan, PlannedSection};
use crate::tokens::{JoinedBackwards, Tokenizer};

/// The room that other sections leave; `None` if tokens are not counted or the layout has no
/// place for the conversation.
pub(super) fn token_room(plan: &Plan, request: Request) -> Option<TokenRoom> {
    let tokens = plan.tokens.as_ref()?;
    let (budget, tokenizer) = (tokens.budget, tokens.budget.tokenizer);
    let place = plan.sections.iter().position(|section| section.part == Part::Context)?;
    let (earlier, later) = (&plan.sections[..place], &plan.sections[place + 1..]);
    let are_written =
        |sections: &[PlannedSection]| sections.iter().any(|section| section.prompt_bytes() > 0);
    let max_tokens = tokens.max_tokens.saturating_sub(flag_tokens(plan, budget));
    let most = tokenizer.units_within(max_tokens);
    if let Some(api) = plan.api {
        let frame = units_of_frame(&plan.sections[place], budget, api);
        return Some(TokenRoom {
            tokenizer,
            most,
            before: String::new(),
            before_units: units_besides_context(plan, budget, api).saturating_add(frame),
            after: JoinedBackwards::new(tokenizer),
            is_clean: true,
            is_added: true,
        });
    }
    let section_break = tokenizer.measure(SECTION_BREAK);
    let mut after = JoinedBackwards::new(tokenizer);
    prepend_sections(plan, budget, later.iter(), &mut after);
    if are_written(later) {
        after.prepend(SECTION_BREAK, section_break);
    }
    let ending = ending_text(&plan.sections[place]);
    after.prepend(&ending, tokenizer.measure(&ending));
    let heading = heading_text(&plan.sections[place]);
    let mut joined = JoinedBackwards::new(tokenizer);
    joined.prepend(&heading, tokenizer.measure(&heading));
    if are_written(earlier) {
        joined.prepend(SECTION_BREAK, section_break);
        prepend_sections(plan, budget, earlier.iter(), &mut joined);
    }
    prepend_top(plan, budget, &mut joined);
    let open = &request.assembler.message_line().open;
    let is_clean = match tokenizer {
        Tokenizer::Exact(_) => !open.is_empty() && tokenizer.joint_is_exact("\n", open),
        Tokenizer::Estimate(_) | Tokenizer::Function { .. } => true,
    };
    let before = match (is_clean, are_written(earlier)) {
        (true, _) => String::new(),
        (false, true) => {
            [&top_text(plan), &text_of(plan, earlier), SECTION_BREAK, &heading].concat()
        }
        (false, false) => top_text(plan) + &heading,
    };
    Some(TokenRoom {
        tokenizer,
        most,
        before,
        before_units: joined.units(),
        after,
        is_clean,
        is_added: false,
    })
}
