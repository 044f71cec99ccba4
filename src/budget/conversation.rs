//! The conversation: pinned messages, and the newest messages as far as there is room. Tool results
//! are shortened before a message is dropped.

use super::context_tokens::token_room;
use super::results::lengthen_results;
use crate::budget::Request;
use crate::conversation::context_tokens::{PinnedUnits, added_units, shown_text};
use crate::conversation::{Lines, Room, WindowRoom, free_bytes, joined_bytes};
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

/// A line from which on the window may be kept.
struct Tried {
    first: usize,
    bytes: usize,
    /// The units of the prompt, if they are counted and there is room for its bytes.
    units: Option<u64>,
    fits: bool,
}

impl Tried {
    /// Orders by what is needed: what has room in bytes comes first, with the fewest tokens.
    fn need(&self) -> (bool, u64) {
        (self.units.is_none(), self.units.unwrap_or(self.bytes as u64))
    }
}

/// Keeps the pinned lines and as many of the newest as fit. One more line can replace a longer gap
/// line, so sizes do not always grow with the number of lines: the largest number that fits is
/// taken, or if none fits, the one that needs the least room.
fn newest_and_pinned(lines: &mut Lines, room: Room, steps: &Steps) -> KeptWindow {
    let mut window_room = room.of_window(lines);
    let oldest = lines.first_that_fits(&mut window_room);
    let mut limited_by = limited_by(&window_room);
    let mut line_bytes = lines.pinned_bytes() + free_bytes(lines, oldest);
    let lines = &*lines;
    let window = lines.pins().window();
    let units = room.tokens.map(|tokens| PinnedUnits::new(lines, tokens));
    let mut units = units.map(|units| units.with_lines(lines, oldest));
    let mut first_fitting = window.end;
    let mut tried: Vec<Tried> = Vec::new();
    for first in oldest..=window.end {
        let bytes = joined_bytes(lines, line_bytes, first);
        let fits_bytes = room.bytes.is_some_and(|room| bytes <= room);
        let counted = units.as_ref().filter(|_| fits_bytes);
        let prompt = counted.map(|units| (units.prompt_units(lines, first), units.room.most));
        let fits_tokens = prompt.is_none_or(|(units, most)| units <= most);
        if fits_bytes && !fits_tokens {
            limited_by = BudgetUnit::Tokens;
        }
        let fits = fits_bytes && fits_tokens;
        if fits {
            first_fitting = first_fitting.min(first);
        }
        if first == window.end || steps.allow(first - window.start) {
            tried.push(Tried { first, bytes, units: prompt.map(|(units, _)| units), fits });
        }
        if first == window.end || tried.last().is_some_and(|last| last.fits) {
            break;
        }
        if !lines.pins().contains(first) {
            line_bytes -= lines.line_cost(first);
            if let Some(units) = &mut units {
                units.drop_line(lines.line_units(first));
            }
        }
    }
    // Either the last one fits, or it has only what is pinned and none does.
    let last = tried.pop().unwrap_or(Tried { first: oldest, bytes: 0, units: None, fits: true });
    let least = tried.into_iter().filter(|_| !last.fits).min_by_key(Tried::need);
    let Tried { first, bytes, units: prompt_units, fits } = match least {
        Some(least) if least.need() < last.need() => least,
        _ => last,
    };
    let counted = units.zip(prompt_units).filter(|_| fits && bytes > 0);
    KeptWindow {
        first,
        first_fitting,
        bytes,
        prompt_tokens: counted.map(|(units, prompt)| units.room.tokenizer.tokens(prompt)),
        limited_by,
        is_all: fits && first_fitting == window.start,
    }
}
