//! Routing markers: written by agents for the coordinator, of no use to the next reader.
//!
//! 1. `[FROM:x]`, `[NEXT:x]`, `[DROP:x]` and `[TEAM_TASK: x]` go wherever they stand, in any
//!    letter case. `x` is anything but `]` on the same line; a team task may go on over
//!    several lines, but not over a blank one.
//! 2. What is left is read on as if the marker had never been there, so a marker that only
//!    forms when another is taken out goes too: `[NE[NEXT:a]XT:b]` leaves nothing.
//! 3. `[TEAM_TASK]` alone on its line goes with the text below it, up to a blank line that
//!    is followed by a bracketed title, or to the end. In a sentence it is just a word.
//! 4. The gap is closed: of the spaces on both sides one goes; a line that is left empty
//!    goes, and with it one of the blank lines on both sides of it, or all at the ends of
//!    the text. Nothing else is touched.

use super::trim::trim_js;
use std::borrow::Cow;

/// What opens a marker, in lower case; whether it may go on over several lines.
const OPENINGS: [(&str, bool); 4] =
    [("[from:", false), ("[next:", false), ("[drop:", false), ("[team_task:", true)];

const TASK_TITLE: &str = "[team_task]";

/// A few rounds suffice for any text that was not made to need more.
const MAX_ROUNDS: usize = 16;

/// The text without routing markers.
pub fn strip_markers(text: &str) -> Cow<'_, str> {
    let mut stripped = Cow::Borrowed(text);
    // Taking a marker out can leave a task title alone on its line, and taking its text out
    // can bring the two halves of a marker together; each round takes something out.
    for _ in 0..MAX_ROUNDS {
        if !might_hold_marker(&stripped) {
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

fn might_hold_marker(text: &str) -> bool {
    let openings = text.match_indices('[').map(|(at, _)| &text.as_bytes()[at..]);
    let begins = |rest: &[u8], with: &str| {
        rest.len() >= with.len() && rest[..with.len()].eq_ignore_ascii_case(with.as_bytes())
    };
    let mut candidates = openings.map(|rest| {
        begins(rest, TASK_TITLE) || OPENINGS.iter().any(|(opening, _)| begins(rest, opening))
    });
    candidates.any(|found| found)
}

/// KeptLines put together again, with the gaps closed where some were taken out.
#[derive(Default)]
struct KeptLines {
    text: String,
    after_gap: bool,
}

impl KeptLines {
    /// Takes a line with its line break.
    fn keep(&mut self, line: &str) {
        let blank = trim_js(line).is_empty();
        if self.after_gap && blank && self.ends_blank() {
            // All blank lines go at the beginning, one of two elsewhere.
            self.after_gap = self.text.is_empty();
            return;
        }
        self.after_gap = false;
        self.text.push_str(line);
    }

    fn drop_line(&mut self) {
        self.after_gap = true;
    }

    /// Whether nothing, or a blank line, comes before what is kept next.
    fn ends_blank(&self) -> bool {
        let before = self.text.strip_suffix('\n').unwrap_or(&self.text);
        let last = before.rsplit_once('\n').map_or(before, |(_, last)| last);
        trim_js(last).is_empty()
    }

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

/// Takes out `[TEAM_TASK]` lines with their text.
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

/// A line that begins with a name in brackets.
fn is_title(line: &str) -> bool {
    let inside = trim_js(line).strip_prefix('[').and_then(|line| line.split_once(']'));
    inside.is_some_and(|(name, _)| name.starts_with(|first: char| first.is_alphabetic()))
}

/// A marker that has begun and not ended yet.
struct OpenMarker {
    start: usize,
    spans_lines: bool,
}

/// Takes out the markers that stand inside a line.
fn strip_inline(text: &str) -> String {
    let mut lines = KeptLines::default();
    // What has been read since the last line that was finished: one line, or more while a
    // team task is open.
    let mut line = String::new();
    let mut opened: Vec<OpenMarker> = Vec::new();
    // Where in it a marker was taken out.
    let mut touched: Vec<usize> = Vec::new();
    // Where a marker was taken out, until something follows it.
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
                // A marker of one line ends with it, unless the line break is inside of one
                // of several lines, and may yet go with that.
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

fn marker_opening_at_end(line: &str) -> Option<OpenMarker> {
    OPENINGS.iter().find_map(|(opening, spans_lines)| {
        let start = line.len().checked_sub(opening.len())?;
        let end = line.get(start..)?;
        end.eq_ignore_ascii_case(opening).then_some(OpenMarker { start, spans_lines: *spans_lines })
    })
}

/// Where the last line of a text begins, if it is blank and not the first.
fn blank_line_at_end(text: &str) -> Option<usize> {
    let before = text.strip_suffix('\n').unwrap_or(text);
    let (_, last) = before.rsplit_once('\n')?;
    trim_js(last).is_empty().then(|| before.len() - last.len())
}

/// The marker stood at the end of its line: the space before it goes with it.
fn drop_space_before(line: &mut String, gap: Option<usize>) {
    let space = gap.and_then(|gap| line[..gap].strip_suffix(' ')).map(str::len);
    if let Some(space) = space {
        line.remove(space);
    }
}

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
        // Nothing is left of the last line, not even a line break.
        lines.drop_line();
    }
    drop(touched_here);
    pending.clear();
}

#[cfg(test)]
mod tests;
