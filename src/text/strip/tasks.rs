//! `[TEAM_TASK]` lines and the text below them.

use super::code::{CodeCursor, CodeRanges};
use super::lines::{RemainingLines, is_blank};
use crate::text::trim::{is_js_whitespace, trim_js};

pub const TASK_TITLE: &str = "[team_task]";

/// Removes `[TEAM_TASK]` lines with their text.
pub fn strip_tasks(text: &str, code: &CodeRanges) -> String {
    let mut code = code.cursor();
    let mut lines = RemainingLines::default();
    let mut start = 0;
    let with_starts = text.split_inclusive('\n').map(|line| {
        let line_start = start;
        start += line.len();
        (line_start, line)
    });
    let mut rest = with_starts.peekable();
    while let Some((start, line)) = rest.next() {
        let is_task = trim_js(line).eq_ignore_ascii_case(TASK_TITLE);
        if !is_task || code.covers(first_visible(start, line)) {
            lines.keep(line);
            continue;
        }
        lines.drop_line();
        let mut blank = "";
        while let Some((start, next)) = rest.peek() {
            if !blank.is_empty() && is_title(*start, next, code) {
                lines.keep(blank);
                break;
            }
            blank = if is_blank(next) { next } else { "" };
            rest.next();
        }
    }
    lines.finish()
}

/// The position of the first character of a line that is not white space.
fn first_visible(start: usize, line: &str) -> usize {
    start + line.len() - line.trim_start_matches(is_js_whitespace).len()
}

/// Whether a line begins with a name in brackets that are not in code.
fn is_title(start: usize, line: &str, mut code: CodeCursor) -> bool {
    let bracket = first_visible(start, line);
    let Some(name) = trim_js(line).strip_prefix('[') else { return false };
    let mut closing = name.match_indices(']').map(|(at, _)| bracket + 1 + at);
    name.starts_with(char::is_alphabetic)
        && !code.covers(bracket)
        && closing.any(|at| !code.covers(at))
}
