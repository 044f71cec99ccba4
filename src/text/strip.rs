//! Removes routing markers, which agents write for the coordinator and not for other agents.
//!
//! 1. `[FROM:x]`, `[NEXT:x]`, `[DROP:x]` and `[TEAM_TASK: x]` are removed wherever they are, in
//!    any letter case. `x` is any text without `]` on the same line. A team task may span
//!    several lines, but no blank line.
//! 2. The text around a removed marker is read as if the marker had never been there. So a
//!    marker that only forms by a removal is removed too: `[NE[NEXT:a]XT:b]` leaves nothing.
//! 3. `[TEAM_TASK]` alone on its line is removed with the text below it, up to a blank line
//!    that is followed by a bracketed title, or to the end of the text. Within a sentence it is
//!    kept.
//! 4. If there are spaces on both sides of a removed marker, one of them is removed. A line that
//!    becomes empty is removed, and with it one of two blank lines around it, or all blank lines
//!    at the beginning and the end of the text. Nothing else is changed.

use super::trim::trim_js;
use std::borrow::Cow;

/// The openings of markers in lower case, and whether the marker may span several lines.
const OPENINGS: [(&str, bool); 4] =
    [("[from:", false), ("[next:", false), ("[drop:", false), ("[team_task:", true)];

const TASK_TITLE: &str = "[team_task]";

/// How often the text is searched. Only a text that was made for it needs more than a few rounds.
const MAX_ROUNDS: usize = 16;

/// Removes the routing markers from a text.
pub fn strip_markers(text: &str) -> Cow<'_, str> {
    let mut stripped = Cow::Borrowed(text);
    // Removing a marker can leave a task title alone on its line, and removing the text of a
    // task can join two parts of a marker. Each round removes something or is the last.
    for _ in 0..MAX_ROUNDS {
        if !might_contain_marker(&stripped) {
            break;
        }
        let round = strip_inline(&strip_tasks(&stripped));
        if round == stripped {
            break;
        }
        stripped = Cow::Owned(round);
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

/// Collects the lines that are kept, and removes blank lines around those that were dropped.
#[derive(Default)]
struct KeptLines {
    text: String,
    /// Whether a line was dropped after the last line that was kept.
    after_gap: bool,
}

impl KeptLines {
    /// Appends a line, which includes its line break.
    fn keep(&mut self, line: &str) {
        let blank = trim_js(line).is_empty();
        if self.after_gap && blank && self.ends_blank() {
            // At the beginning all blank lines are dropped, elsewhere one of two.
            self.after_gap = self.text.is_empty();
            return;
        }
        self.after_gap = false;
        self.text.push_str(line);
    }

    /// Notes that a line was dropped.
    fn drop_line(&mut self) {
        self.after_gap = true;
    }

    /// Whether the text is empty or its last line is blank.
    fn ends_blank(&self) -> bool {
        let before = self.text.strip_suffix('\n').unwrap_or(&self.text);
        let last = before.rsplit_once('\n').map_or(before, |(_, last)| last);
        trim_js(last).is_empty()
    }

    /// Returns the text, without blank lines at its end if the last lines were dropped.
    fn finish(mut self) -> String {
        while self.after_gap && !self.text.is_empty() && self.ends_blank() {
            let before = self.text.strip_suffix('\n').unwrap_or(&self.text);
            self.text.truncate(before.rfind('\n').map_or(0, |at| at + 1));
        }
        if self.after_gap {
            let text = self.text.strip_suffix('\n').unwrap_or(&self.text);
            self.text.truncate(text.strip_suffix('\r').unwrap_or(text).len());
        }
        self.text
    }
}

/// Removes `[TEAM_TASK]` lines with their text.
fn strip_tasks(text: &str) -> String {
    let mut lines = KeptLines::default();
    let mut rest = text.split_inclusive('\n').peekable();
    while let Some(line) = rest.next() {
        if !trim_js(line).eq_ignore_ascii_case(TASK_TITLE) {
            lines.keep(line);
            continue;
        }
        lines.drop_line();
        let mut blank = "";
        while let Some(next) = rest.peek() {
            if !blank.is_empty() && is_title(next) {
                lines.keep(blank);
                break;
            }
            blank = if trim_js(next).is_empty() { next } else { "" };
            rest.next();
        }
    }
    lines.finish()
}

/// Whether a line begins with a name in brackets.
fn is_title(line: &str) -> bool {
    let inside = trim_js(line).strip_prefix('[').and_then(|line| line.split_once(']'));
    inside.is_some_and(|(name, _)| name.starts_with(|first: char| first.is_alphabetic()))
}

/// A marker whose closing bracket was not read yet.
struct OpenMarker {
    /// Where it starts in the pending lines.
    start: usize,
    /// Whether it may span several lines.
    spans_lines: bool,
}

/// Removes all markers except `[TEAM_TASK]` lines.
fn strip_inline(text: &str) -> String {
    let mut lines = KeptLines::default();
    // The text that was read since the last finished line: one line, or several while a team
    // task is open.
    let mut line = String::new();
    let mut opened: Vec<OpenMarker> = Vec::new();
    // The positions in `line` where a marker was removed.
    let mut touched: Vec<usize> = Vec::new();
    // The position of the last removed marker, until other text follows it.
    let mut gap = None;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            ']' if !opened.is_empty() => {
                let start = opened.pop().map_or(line.len(), |open| open.start);
                line.truncate(start);
                while touched.pop_if(|at| *at >= start).is_some() {}
                touched.push(start);
                gap = Some(start);
                let after_space = line.is_empty() || line.ends_with([' ', '\t', '\n']);
                if after_space && characters.peek() == Some(&' ') {
                    characters.next();
                }
                continue;
            }
            ':' => {
                line.push(c);
                opened.extend(marker_opening_at_end(&line));
            }
            '\n' => {
                let end = line.strip_suffix('\r').map_or(line.len(), str::len);
                if gap.is_some_and(|gap| gap == end || gap == line.len()) {
                    drop_space_before(&mut line, gap);
                    if let Some(last) = touched.last_mut() {
                        *last = line.len().min(*last);
                    }
                }
                line.push(c);
                if blank_line_at_end(&line)
                    .is_some_and(|at| touched.last().is_none_or(|last| *last < at))
                {
                    opened.clear();
                }
                // A marker of one line that is not closed by now is no marker. It stays open if
                // a marker of several lines is open inside it, which may remove this line break.
                while opened.pop_if(|open| !open.spans_lines).is_some() {}
                if opened.is_empty() {
                    finish_lines(&mut lines, &mut line, &mut touched);
                }
            }
            _ => line.push(c),
        }
        if c != '\r' {
            gap = None;
        }
    }
    if gap == Some(line.len()) {
        drop_space_before(&mut line, gap);
    }
    if !line.is_empty() || !touched.is_empty() {
        finish_lines(&mut lines, &mut line, &mut touched);
    }
    lines.finish()
}

/// The marker whose opening `line` ends with.
fn marker_opening_at_end(line: &str) -> Option<OpenMarker> {
    OPENINGS.iter().find_map(|(opening, spans_lines)| {
        let start = line.len().checked_sub(opening.len())?;
        let end = line.get(start..)?;
        end.eq_ignore_ascii_case(opening).then_some(OpenMarker { start, spans_lines: *spans_lines })
    })
}

/// Where the last line of `text` starts, if it is blank and not the first line.
fn blank_line_at_end(text: &str) -> Option<usize> {
    let before = text.strip_suffix('\n').unwrap_or(text);
    let (_, last) = before.rsplit_once('\n')?;
    trim_js(last).is_empty().then(|| before.len() - last.len())
}

/// Removes the space before a marker that was at the end of its line.
fn drop_space_before(line: &mut String, gap: Option<usize>) {
    let space = gap.and_then(|gap| line[..gap].strip_suffix(' ')).map(str::len);
    if let Some(space) = space {
        line.remove(space);
    }
}

/// Moves the pending lines to `lines`, except those that a removed marker has left empty.
fn finish_lines(lines: &mut KeptLines, pending: &mut String, touched: &mut Vec<usize>) {
    let mut start = 0;
    let mut touched_here = touched.drain(..).peekable();
    for line in pending.split_inclusive('\n') {
        let end = start + line.len();
        let mut left_by_marker = false;
        while touched_here.next_if(|at| *at < end || !line.ends_with('\n')).is_some() {
            left_by_marker = true;
        }
        if left_by_marker && trim_js(line).is_empty() {
            lines.drop_line();
        } else {
            lines.keep(line);
        }
        start = end;
    }
    if touched_here.next().is_some() && (pending.is_empty() || pending.ends_with('\n')) {
        // The last line consisted of markers only and has no line break.
        lines.drop_line();
    }
    drop(touched_here);
    pending.clear();
}

#[cfg(test)]
mod tests;
