//! The conversation: pinned messages, and the newest messages as far as there is room. Tool results
//! are shortened before a message is dropped.

use super::context_tokens::token_room;
use super::results::lengthen_results;
use crate::budget::Request;
use crate::conversation::context_tokens::{PinnedUnits, added_units, shown_text};
use crate::conversation::{Lines, Room, WindowRoom, free_bytes, joined_bytes, only_pinned_bytes};
use crate::layout::Part;
use crate::layout::SECTION_BREAK;
use crate::plan::{Body, Plan};
use crate::tokens::BudgetUnit;

/// The room that other sections leave; `None` if the conversation has no place or no messages.
pub(super) fn room_in(plan: &Plan, request: Request) -> Option<Room> {
    let section = plan.section(Part::Context)?;
    let has_others = plan.written().next().is_some();
    let joint = if has_others { SECTION_BREAK.len() } else { plan.top_bytes() };
    let frame = section.frame_bytes() + joint;
    Some(Room {
        bytes: plan.max_bytes.checked_sub(plan.total_bytes() + frame),
        tokens: token_room(plan, request),
    })
}

/// Gives the conversation the remaining room, newest message first. Pinned messages are kept even
/// if there is no room for them.
pub(super) fn keep_newest(plan: &mut Plan, request: Request, lines: &mut Lines) {
    lines.restore_results();
    let Some(room) = room_in(plan, request) else { return };
    let tokenizer = room.tokenizer();
    if let Some(tokenizer) = tokenizer {
        lines.count_with(tokenizer);
    }
    let Some(section) = plan.section_mut(Part::Context) else { return };
    let steps = Steps { step: request.eviction_step.max(1), outside: lines.outside() };
    let chosen = match lines.may_shorten() {
        true => shorten_or_drop(lines, room, &steps),
        false => choose(lines, room, &steps),
    };
    let KeptWindow { first, first_fitting, bytes, .. } = chosen;
    let saved_bytes = lines.saved_bytes();
    let is_steady = lines.is_array() && steps.hold_in_next_turn(lines, &chosen, saved_bytes > 0);
    let (count, pins) = (lines.len(), lines.pins());
    let (kept, gaps) = match pins.is_plain() {
        true => (count - first, 0),
        false => (pins.kept(first), pins.gaps(first)),
    };
    let gap_bytes = gaps * (lines.gap_line().len() + 1);
    section.set_body(Body::Context {
        first,
        first_fitting,
        count,
        kept,
        gap_bytes,
        bytes,
        saved_bytes,
        is_steady,
    });
    section.body_units.set(tokenizer.and_then(|one| added_units(lines, first, one)));
    if kept == count {
        // Gap lines that are there now would be there in any case.
        section.bytes_before = Some(section.bytes() + saved_bytes);
    }
    if kept < count || saved_bytes > 0 {
        plan.limited_by = Some(chosen.limited_by);
    }
    if let Some(tokens) = &mut plan.tokens {
        tokens.prompt_tokens = chosen.prompt_tokens;
        let is_text_needed = request.report || chosen.prompt_tokens.is_none();
        if is_text_needed && !lines.is_array() {
            tokens.context_text = shown_text(lines, first);
        }
    }
}

/// The kept part of a conversation.
pub(super) struct KeptWindow {
    pub first: usize,
    pub first_fitting: usize,
    pub bytes: usize,
    /// Tokens of the prompt, if they are counted, there are lines, and everything fits.
    pub prompt_tokens: Option<usize>,
    pub limited_by: BudgetUnit,
    /// Whether everything fit.
    pub is_all: bool,
}

/// The allowed numbers of dropped messages: multiples of the eviction step.
pub(super) struct Steps {
    pub step: usize,
    /// How many messages are outside the window.
    pub outside: usize,
}

impl Steps {
    /// The first allowed line from `first` on, counted from the oldest line of the window.
    fn round_up(&self, first: usize) -> usize {
        (self.outside + first).next_multiple_of(self.step) - self.outside
    }

    /// Like `round_up` for a line of the conversation; lines before the window are unchanged.
    pub fn round_up_line(&self, lines: &Lines, line: usize) -> usize {
        let start = lines.pins().window().start;
        line.checked_sub(start).map_or(line, |line| start + self.round_up(line))
    }

    /// Whether the window may begin at this line of it.
    fn allow(&self, first: usize) -> bool {
        self.round_up(first) == first
    }

    /// Whether the prompt of the member's next turn, or that of its last one, probably begins with
    /// the same lines. If neither does, what is written to a provider's cache is never read.
    fn hold_in_next_turn(&self, lines: &Lines, chosen: &KeptWindow, is_shortened: bool) -> bool {
        if !lines.may_begin_alike() {
            return false;
        }
        let KeptWindow { first, first_fitting, .. } = *chosen;
        let is_evicting = self.outside > 0 || first > lines.pins().window().start;
        if !is_evicting && !is_shortened {
            return true;
        }
        // This many extra messages were dropped, and their room is used up before others are
        // dropped.
        let ahead = first.saturating_sub(first_fitting).min(self.step - 1);
        let since = self.step - 1 - ahead;
        lines.are_turns_within(first, ahead.max(since))
    }
}

fn choose(lines: &mut Lines, room: Room, steps: &Steps) -> KeptWindow {
    match lines.pins().is_plain() {
        true => newest(lines, room, steps),
        false => newest_and_pinned(lines, room, steps),
    }
}

/// Decides what is kept with every result at its shortest, unless everything fits. The remaining
/// room goes to the results, newest first.
fn shorten_or_drop(lines: &mut Lines, room: Room, steps: &Steps) -> KeptWindow {
    let whole = choose(lines, room.clone(), steps);
    if whole.is_all {
        return whole;
    }
    lines.shorten_results();
    let chosen = choose(lines, room.clone(), steps);
    let chosen = KeptWindow { limited_by: whole.limited_by, ..chosen };
    lengthen_results(lines, &room, steps, chosen)
}

fn newest(lines: &mut Lines, room: Room, steps: &Steps) -> KeptWindow {
    let count = lines.len();
    let mut room = room.of_window(lines);
    let first_fitting = lines.first_that_fits(&mut room);
    let first = steps.round_up(first_fitting).min(count);
    let meter = room.meter.as_ref();
    let prompt_tokens = meter
        .filter(|_| lines.cost_from(first) > 0)
        .map(|meter| meter.tokenizer().tokens(meter.total(count - first)));
    KeptWindow {
        first,
        first_fitting,
        bytes: lines.cost_from(first).saturating_sub(1),
        prompt_tokens,
        limited_by: limited_by(&room),
        is_all: first_fitting == 0,
    }
}

fn limited_by(room: &WindowRoom) -> BudgetUnit {
    let is_full = room.meter.as_ref().is_some_and(|meter| meter.is_full);
    if is_full { BudgetUnit::Tokens } else { BudgetUnit::Bytes }
}

/// Keeps the pinned lines and as many of the newest as fit. One more line can replace a longer gap
/// line, so sizes do not always grow with the number of lines: the largest number that fits is
/// taken, or if none fits, the one that needs the least room.
fn newest_and_pinned(lines: &mut Lines, room: Room, steps: &Steps) -> KeptWindow {
    let mut window_room = room.of_window(lines);
    let oldest = lines.first_that_fits(&mut window_room);
    let Room { bytes: room, tokens } = room;
    let pinned_bytes = lines.pinned_bytes();
    let lines = &*lines;
    let window = lines.pins().window();
    let only_pinned = only_pinned_bytes(lines, pinned_bytes);
    let mut line_bytes = pinned_bytes + free_bytes(lines, oldest);
    let mut units = tokens.map(|tokens| PinnedUnits::new(lines, tokens).with_lines(lines, oldest));
    let mut first_fitting = None;
    let mut prompt_tokens = None;
    // Among those that fit in bytes, the one with the fewest tokens.
    let mut fewest: Option<(usize, usize, u64)> = None;
    let mut least = (window.end, only_pinned);
    let mut limited_by = limited_by(&window_room);
    let mut is_fitting = false;
    for first in oldest..window.end {
        let bytes = joined_bytes(lines, line_bytes, first);
        let fits_bytes = room.is_some_and(|room| bytes <= room);
        let prompt_units = units
            .as_ref()
            .filter(|_| fits_bytes)
            .map(|units| (units.prompt_units(lines, first), units.room.most));
        let fits_tokens = prompt_units.is_none_or(|(units, most)| units <= most);
        if fits_bytes && !fits_tokens {
            limited_by = BudgetUnit::Tokens;
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
                let shown = units.as_ref().filter(|_| bytes > 0);
                prompt_tokens = shown.map(|units| units.prompt_tokens(lines, first));
                fewest = None;
                is_fitting = true;
                break;
            }
        }
        if !lines.pins().contains(first) {
            line_bytes -= lines.line_cost(first);
            if let Some(units) = &mut units {
                units.drop_line(lines.line_units(first));
            }
        }
    }
    if let (Some((first, bytes, fewest)), Some(units)) = (fewest, &units) {
        let is_room = room.is_some_and(|room| only_pinned <= room);
        least = match is_room && units.only_pinned(lines) <= fewest {
            true => (window.end, only_pinned),
            false => (first, bytes),
        };
    }
    let (first, bytes) = least;
    let first_fitting = first_fitting.unwrap_or(window.end);
    // Without a window there are only pinned lines.
    is_fitting |= window.is_empty()
        && room.is_some_and(|room| bytes <= room)
        && units.is_none_or(|units| units.only_pinned(lines) <= units.room.most);
    let is_all = is_fitting && first_fitting == window.start;
    KeptWindow { first, first_fitting, bytes, prompt_tokens, limited_by, is_all }
}
