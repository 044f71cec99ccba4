//! Removes routing markers, which agents write for the coordinator and not for other agents.
//!
//! 1. `[FROM:x]`, `[NEXT:x]`, `[DROP:x]` and `[TEAM_TASK: x]` are removed wherever they are, in any
//!    letter case. `x` is any text without `]` on the same line. A team task may span several
//!    lines, but no blank line.
//! 2. The text around a removed marker is read as if the marker had never been there. So a marker
//!    that only forms by a removal is removed too: `[NE[NEXT:a]XT:b]` leaves nothing.
//! 3. `[TEAM_TASK]` alone on its line is removed with the text below it, up to a blank line that is
//!    followed by a bracketed title, or to the end of the text. Within a sentence it is kept.
//! 4. If there are spaces on both sides of a removed marker, one of them is removed. A line that
//!    becomes empty is removed, and with it one of two blank lines around it, or all blank lines at
//!    the beginning and the end of the text. Nothing else is changed.
//! 5. Brackets in code (`strip/code.rs`: fenced blocks and inline code) are text. They neither open
//!    nor close a marker, and no line in a fence is a title. So a marker may contain code, and is
//!    then removed with it. The text of a `[TEAM_TASK]` does not end inside a fence: it continues
//!    after the closing fence, or to the end of the text if there is none.
//! 6. Code is what is code in the given text. If a removal changes that, the text is read again. A
//!    text that keeps changing this way was made to do so: its markers are removed from code too.
//!
//! Each step reads the text once, and there are at most [`MAX_ROUNDS`] rounds of two steps, so the
//! time is linear in the length of the text, whatever the text.

mod code;
mod inline;
mod lines;
mod tasks;

pub use code::CodeRanges;
use inline::{OPENINGS, strip_inline};
use std::borrow::Cow;
use tasks::{TASK_TITLE, strip_tasks};

/// How often markers in code are kept. Two rounds change a text at most, if none of them changes
/// what is code: removing a marker can leave a task title alone on its line, and removing the
/// text of a task forms no marker, because a blank line stays in its place.
const ROUNDS_WITH_CODE: usize = 4;

/// How often a text is read at most. The last two rounds leave no marker at all.
const MAX_ROUNDS: usize = ROUNDS_WITH_CODE + 2;

/// Removes the routing markers from a text.
///
/// Bytes are only removed. None is added, replaced or moved, so the difference of the lengths is
/// the number of bytes that were removed.
pub fn strip_markers(text: &str) -> Cow<'_, str> {
    let mut stripped = Cow::Borrowed(text);
    for round in 0..MAX_ROUNDS {
        if !might_contain_marker(&stripped) {
            break;
        }
        let code_of = match round < ROUNDS_WITH_CODE {
            true => CodeRanges::of,
            false => |_: &str| CodeRanges::default(),
        };
        let without_tasks = strip_tasks(&stripped, &code_of(&stripped));
        let without_markers = strip_inline(&without_tasks, &code_of(&without_tasks));
        if without_markers == stripped {
            break;
        }
        stripped = Cow::Owned(without_markers);
    }
    stripped
}

/// A quick check for the beginning of any marker.
fn might_contain_marker(text: &str) -> bool {
    let openings = text.match_indices('[').map(|(at, _)| &text.as_bytes()[at..]);
    let begins = |rest: &[u8], with: &str| {
        rest.len() >= with.len() && rest[..with.len()].eq_ignore_ascii_case(with.as_bytes())
    };
    let mut candidates = openings.map(|rest| {
        begins(rest, TASK_TITLE) || OPENINGS.iter().any(|(opening, _)| begins(rest, opening))
    });
    candidates.any(|found| found)
}

#[cfg(test)]
mod tests;
