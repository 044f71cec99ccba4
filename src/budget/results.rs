//! Gives the remaining room to shortened tool results, newest first.

use super::conversation::{KeptWindow, Steps};
use crate::conversation::context_tokens::context_units;
use crate::conversation::{Lines, Room, ShortLine};

/// How many attempts to get closer to a token budget, whose joints do not always add up.
const TRIES: usize = 4;

/// Shows results whole, newest first, while there is room, and as much as possible of the next
/// ones. With an eviction step, the number of messages with shortened results is a multiple of the
/// step, and all of their results are at their shortest, so that prompts begin alike for that many
/// turns.
pub(super) fn lengthen_results(
    lines: &mut Lines,
    room: &Room,
    steps: &Steps,
    chosen: KeptWindow,
) -> KeptWindow {
    let first = chosen.first;
    let short: Vec<ShortenedLine> = lines
        .short_lines(first)
        .into_iter()
        .map(|line| {
            let (bytes, units) = lines.missing_in(line);
            ShortenedLine { line, bytes, units }
        })
        .collect();
    let bytes_left = room.bytes.and_then(|room| room.checked_sub(chosen.bytes));
    let (Some(bytes_left), false) = (bytes_left, short.is_empty()) else { return chosen };
    let Some(tokens) = &room.tokens else {
        let taken = lengthen(lines, steps, &short, (bytes_left, 0));
        return KeptWindow { bytes: chosen.bytes + taken.bytes, ..chosen };
    };
    // A longer result can have fewer tokens by chance, but would not be found with a larger budget.
    let used = context_units(lines, first, tokens);
    let Some(mut units_left) = tokens.most.checked_sub(used) else { return chosen };
    for _ in 0..TRIES {
        let taken = lengthen(lines, steps, &short, (bytes_left, units_left));
        let units = context_units(lines, first, tokens);
        if units <= tokens.most {
            let prompt_tokens = chosen.prompt_tokens.map(|_| tokens.tokenizer.tokens(units));
            return KeptWindow { bytes: chosen.bytes + taken.bytes, prompt_tokens, ..chosen };
        }
        taken.undo(lines);
        units_left = units_left.saturating_sub(units - tokens.most);
    }
    chosen
}

/// A line with shortened results, and what it lacks.
struct ShortenedLine {
    line: usize,
    bytes: usize,
    units: u64,
}

/// The room given to results.
struct Taken {
    bytes: usize,
    /// The lines as they were before.
    before: Vec<(usize, ShortLine)>,
}

impl Taken {
    fn undo(self, lines: &mut Lines) {
        self.before.into_iter().for_each(|(line, short)| lines.put_short(line, short));
    }
}

fn lengthen(
    lines: &mut Lines,
    steps: &Steps,
    short: &[ShortenedLine],
    (bytes, units): (usize, u64),
) -> Taken {
    let (mut bytes_left, mut units_left) = (bytes, units);
    let whole = short.iter().take_while(|line| {
        let rest = (bytes_left.checked_sub(line.bytes), units_left.checked_sub(line.units));
        let (Some(bytes), Some(units)) = rest else { return false };
        (bytes_left, units_left) = (bytes, units);
        true
    });
    let whole = whole.count();
    let mut taken = Taken { bytes: 0, before: Vec::new() };
    let next = short.get(whole);
    // The results of lines older than this are at their shortest.
    let from = next.map_or(0, |next| steps.round_up_line(lines, next.line + 1));
    for ShortenedLine { line, bytes, .. } in &short[..whole] {
        if *line >= from
            && let Some(before) = lines.take_short(*line)
        {
            taken.before.push((*line, before));
            taken.bytes += bytes;
        }
    }
    if let Some(next) = next.filter(|_| steps.step == 1) {
        let least = lines.line_bytes(next.line);
        if let Some(before) = lines.lengthen(next.line, bytes_left, units_left) {
            taken.bytes += lines.line_bytes(next.line) - least;
            taken.before.push((next.line, before));
        }
    }
    taken
}
