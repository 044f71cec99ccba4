//! The conversation: what is pinned, and the newest messages as far as there is room.

use super::context_tokens::{PinnedUnits, TokenRoom, shown_text, units_by_function};
use crate::assemble::Request;
use crate::layout::SECTION_BREAK;
use crate::model::Part;
use crate::pins::GAP_LINE;
use crate::plan::{Body, Plan};
use crate::tokens::LimitedBy;
use crate::transcript::{Context, LineMeter};

/// Gives the conversation the room that is left, newest message first. What is pinned is kept
/// even if there is no room for it.
pub(super) fn keep_newest<C: Context>(
    plan: &mut Plan,
    request: Request,
    context: &mut C,
) -> Result<(), C::Error> {
    let others = plan.total_bytes();
    let has_others = plan.written().next().is_some();
    let max_bytes = plan.max_bytes;
    let tokens = TokenRoom::around_context(plan, request);
    let tokenizer = tokens.as_ref().map(TokenRoom::tokenizer);
    if let Some(tokenizer) = tokenizer {
        context.count_with(tokenizer);
    }
    let Some(section) = plan.section_mut(Part::Context) else {
        return Ok(());
    };
    let frame = section.heading_bytes + if has_others { SECTION_BREAK.len() } else { 0 };
    let room = Room { bytes: max_bytes.checked_sub(others + frame), tokens };
    let steps = Steps { step: request.eviction_step.max(1), outside: context.outside() };
    let chosen = match context.pins().is_empty() {
        true => newest(context, room, &steps)?,
        false => newest_and_pinned(context, room, &steps)?,
    };
    let Kept { first, first_fitting, bytes, .. } = chosen;
    let (count, pins) = (context.len(), context.pins());
    let (kept, gaps) = match pins.is_empty() {
        true => (count - first, 0),
        false => (pins.kept(first), pins.gaps(first)),
    };
    section.set_body(Body::Context { first, first_fitting, count, kept, gaps, bytes });
    section.body_units.set(tokenizer.and_then(|one| units_by_function(context, first, one)));
    match kept == count {
        // Gap lines that are there now would be there in any case.
        true => section.bytes_before = Some(section.bytes()),
        false => plan.limited_by = Some(chosen.limited_by),
    }
    if let Some(tokens) = &mut plan.tokens {
        tokens.prompt_tokens = chosen.prompt_tokens;
        if request.report || chosen.prompt_tokens.is_none() {
            tokens.context_text = shown_text(context, first);
        }
    }
    Ok(())
}

/// What there is room for.
struct Room {
    /// Bytes of the lines; `None` if there is not even room for what is around them.
    bytes: Option<usize>,
    /// The same in tokens, if they are counted.
    tokens: Option<TokenRoom>,
}

/// What is kept of a conversation.
struct Kept {
    first: usize,
    first_fitting: usize,
    bytes: usize,
    /// Tokens of the prompt, if they are counted, there are lines, and all fit.
    prompt_tokens: Option<usize>,
    limited_by: LimitedBy,
}

/// Which numbers of dropped messages are allowed: the multiples of the eviction step.
struct Steps {
    step: usize,
    /// How many messages are outside the window.
    outside: usize,
}

impl Steps {
    /// The first allowed line of the window from `first` on, counted from the oldest line of the
    /// window.
    fn round_up(&self, first: usize) -> usize {
        (self.outside + first).next_multiple_of(self.step) - self.outside
    }

    /// Whether the window may begin at this line of it.
    fn allow(&self, first: usize) -> bool {
        self.round_up(first) == first
    }
}

fn newest<C: Context>(context: &mut C, room: Room, steps: &Steps) -> Result<Kept, C::Error> {
    let count = context.len();
    let mut meter = room.tokens.map(TokenRoom::into_meter);
    let first_fitting = match room.bytes {
        Some(room) => context.first_that_fits(room, meter.as_mut())?,
        None => count,
    };
    let first = steps.round_up(first_fitting).min(count);
    let prompt_units =
        meter.as_ref().filter(|_| first < count).map(|meter| meter.total(count - first));
    let is_full = meter.as_ref().is_some_and(LineMeter::is_full);
    Ok(Kept {
        first,
        first_fitting,
        bytes: context.bytes_from(first),
        prompt_tokens: meter
            .zip(prompt_units)
            .map(|(meter, units)| meter.tokenizer().tokens(units)),
        limited_by: if is_full { LimitedBy::Tokens } else { LimitedBy::Bytes },
    })
}

/// The pinned lines, and as many of the newest as there is room for. A line more can make a gap
/// line unnecessary that is longer than itself, so sizes do not only grow with the number of
/// lines: of all numbers with which everything fits, the largest is taken; if there is none, the
/// one that needs the least room.
fn newest_and_pinned<C: Context>(
    context: &mut C,
    room: Room,
    steps: &Steps,
) -> Result<Kept, C::Error> {
    let Room { bytes: room, tokens } = room;
    let pinned_bytes = context.read_pins()?;
    let window = context.pins().window();
    let only_pinned = joined_bytes(pinned_bytes, context.pins().gaps(window.end));
    // Whatever has more bytes than these, gap lines apart, neither fits nor is the least.
    let limit = room.unwrap_or(0).max(only_pinned);
    let tokens = tokens.map(|tokens| PinnedUnits::new(context, tokens));
    let mut meter = tokens.as_ref().map(|tokens| tokens.meter_of_others(context));
    let oldest = match limit.checked_sub(pinned_bytes) {
        Some(room) => context.first_that_fits(room, meter.as_mut())?,
        None => window.end,
    };
    let context = &*context;
    let mut line_bytes = pinned_bytes + free_bytes(context, oldest);
    let mut units = tokens.map(|tokens| tokens.with_lines(context, oldest));
    let mut first_fitting = None;
    let mut prompt_tokens = None;
    // Of those that fit into the bytes, the one with the fewest tokens.
    let mut fewest: Option<(usize, usize, u64)> = None;
    let mut least = (window.end, only_pinned);
    let is_full = meter.as_ref().is_some_and(LineMeter::is_full);
    let mut limited_by = if is_full { LimitedBy::Tokens } else { LimitedBy::Bytes };
    for first in oldest..window.end {
        let bytes = joined_bytes(line_bytes, context.pins().gaps(first));
        let fits_bytes = room.is_some_and(|room| bytes <= room);
        let prompt_units = units
            .as_ref()
            .filter(|_| fits_bytes)
            .map(|units| (units.prompt_units(context, first), units.most()));
        let fits_tokens = prompt_units.is_none_or(|(units, most)| units <= most);
        if fits_bytes && !fits_tokens {
            limited_by = LimitedBy::Tokens;
        }
        let fits = fits_bytes && fits_tokens;
        if fits {
            first_fitting = first_fitting.or(Some(first));
        }
        let is_allowed = steps.allow(first - window.start);
        if let Some((units, _)) = prompt_units.filter(|_| is_allowed)
            && fewest.is_none_or(|(_, _, fewest)| units < fewest)
        {
            fewest = Some((first, bytes, units));
        }
        if is_allowed && (fits || bytes < least.1) {
            least = (first, bytes);
            if fits {
                prompt_tokens = units.as_ref().map(|units| units.prompt_tokens(context, first));
                fewest = None;
                break;
            }
        }
        if !context.pins().contains(first) {
            line_bytes -= context.line_bytes(first) + 1;
            if let Some(units) = &mut units {
                units.drop_line(context.line_units(first));
            }
        }
    }
    if let (Some((first, bytes, fewest)), Some(units)) = (fewest, &units) {
        let is_room = room.is_some_and(|room| only_pinned <= room);
        least = match is_room && units.only_pinned(context) <= fewest {
            true => (window.end, only_pinned),
            false => (first, bytes),
        };
    }
    let (first, bytes) = least;
    let first_fitting = first_fitting.unwrap_or(window.end);
    Ok(Kept { first, first_fitting, bytes, prompt_tokens, limited_by })
}

/// The bytes of lines with their line breaks and so many gap lines, without the last line break.
fn joined_bytes(line_bytes: usize, gaps: usize) -> usize {
    (line_bytes + gaps * (GAP_LINE.len() + 1)).saturating_sub(1)
}

/// The bytes of the lines from `first` on that are not pinned, each with a line break.
fn free_bytes<C: Context>(context: &C, first: usize) -> usize {
    let run = first..context.pins().window().end;
    if run.is_empty() {
        return 0;
    }
    let pinned = context.pins().among(run).iter().map(|position| context.line_bytes(*position) + 1);
    context.bytes_from(first) + 1 - pinned.sum::<usize>()
}
