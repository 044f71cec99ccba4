//! The conversation: what is pinned, and the newest messages as far as there is room.

use crate::assemble::Request;
use crate::layout::SECTION_BREAK;
use crate::model::Part;
use crate::pins::GAP_LINE;
use crate::plan::{Body, Plan};
use crate::transcript::Context;

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
    let Some(section) = plan.section_mut(Part::Context) else {
        return Ok(());
    };
    let frame = section.heading_bytes + if has_others { SECTION_BREAK.len() } else { 0 };
    let room = max_bytes.checked_sub(others + frame);
    let steps = Steps { step: request.eviction_step.max(1), outside: context.outside() };
    let Kept { first, first_fitting, bytes } = match context.pins().is_empty() {
        true => newest(context, room, &steps)?,
        false => newest_and_pinned(context, room, &steps)?,
    };
    let (count, pins) = (context.len(), context.pins());
    let (kept, gaps) = match pins.is_empty() {
        true => (count - first, 0),
        false => (pins.kept(first), pins.gaps(first)),
    };
    section.body = Body::Context { first, first_fitting, count, kept, gaps, bytes };
    if kept == count && gaps == 0 {
        section.bytes_before = Some(section.bytes());
    }
    Ok(())
}

/// What is kept of a conversation.
struct Kept {
    first: usize,
    first_fitting: usize,
    bytes: usize,
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

fn newest<C: Context>(
    context: &mut C,
    room: Option<usize>,
    steps: &Steps,
) -> Result<Kept, C::Error> {
    let count = context.len();
    let first_fitting = match room {
        Some(room) => context.first_that_fits(room)?,
        None => count,
    };
    let first = steps.round_up(first_fitting).min(count);
    Ok(Kept { first, first_fitting, bytes: context.bytes_from(first) })
}

/// The pinned lines, and as many of the newest as there is room for. A line more can make a gap
/// line unnecessary that is longer than itself, so sizes do not only grow with the number of
/// lines: of all numbers with which everything fits, the largest is taken; if there is none, the
/// one that needs the least room.
fn newest_and_pinned<C: Context>(
    context: &mut C,
    room: Option<usize>,
    steps: &Steps,
) -> Result<Kept, C::Error> {
    let pinned_bytes = context.read_pins()?;
    let window = context.pins().window();
    let only_pinned = joined_bytes(pinned_bytes, context.pins().gaps(window.end));
    // Whatever has more bytes than these, gap lines apart, neither fits nor is the least.
    let limit = room.unwrap_or(0).max(only_pinned);
    let oldest = match limit.checked_sub(pinned_bytes) {
        Some(room) => context.first_that_fits(room)?,
        None => window.end,
    };
    let context = &*context;
    let mut line_bytes = pinned_bytes + free_bytes(context, oldest);
    let mut first_fitting = None;
    let mut least = (window.end, only_pinned);
    for first in oldest..window.end {
        let bytes = joined_bytes(line_bytes, context.pins().gaps(first));
        let fits = room.is_some_and(|room| bytes <= room);
        if fits {
            first_fitting = first_fitting.or(Some(first));
        }
        if steps.allow(first - window.start) && (fits || bytes < least.1) {
            least = (first, bytes);
            if fits {
                break;
            }
        }
        if !context.pins().contains(first) {
            line_bytes -= context.line_bytes(first) + 1;
        }
    }
    let (first, bytes) = least;
    Ok(Kept { first, first_fitting: first_fitting.unwrap_or(window.end), bytes })
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
