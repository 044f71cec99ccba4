//! Markers within lines: all but `[TEAM_TASK]` lines.
//!
//! The text is read once. Openings that are not closed yet are on a stack, so the innermost
//! marker is removed first, however deep they are nested.

use super::code::CodeRanges;
use super::lines::{RemainingLines, is_blank};
use crate::text::trim::is_js_whitespace;

/// The openings of markers in lower case, and whether the marker may span several lines.
pub const OPENINGS: [(&str, bool); 4] =
    [("[from:", false), ("[next:", false), ("[drop:", false), ("[team_task:", true)];

/// Removes all markers except `[TEAM_TASK]` lines.
pub fn strip_inline(text: &str, code: &CodeRanges) -> String {
    let mut code = code.cursor();
    let mut lines = RemainingLines::default();
    let mut pending = Undecided::default();
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        match c {
            ']' if pending.is_open() && !code.covers(at) => {
                pending.close();
                if pending.ends_with_space() {
                    characters.next_if(|(_, next)| *next == ' ');
                }
            }
            ':' if !code.covers(at) => {
                pending.push(c);
                pending.open();
            }
            '\n' => {
                pending.end_line();
                if !pending.is_open() {
                    pending.finish(&mut lines);
                }
            }
            _ => pending.push(c),
        }
    }
    pending.end_text();
    pending.finish(&mut lines);
    lines.finish()
}

/// A marker whose closing bracket has not been read yet.
struct OpenMarker {
    /// Where it starts in the pending lines.
    start: usize,
    /// Where the line that it is opened on starts.
    line_start: usize,
    /// Whether nothing but white space is before it on that line.
    begins_line: bool,
    /// Whether it may span several lines.
    spans_lines: bool,
}

/// The text that was read since the last finished line: one line, or several while a team task
/// is open.
#[derive(Default)]
struct Undecided {
    text: String,
    /// Where its last line starts.
    line_start: usize,
    /// A position in the last line with only white space before it: that of its first other
    /// character, or an earlier one if a marker was removed after it.
    first_visible: Option<usize>,
    opened: Vec<OpenMarker>,
    /// The positions where a marker was removed.
    touched: Vec<usize>,
    /// The position of the last removed marker, until other text follows it.
    gap: Option<usize>,
}

impl Undecided {
    fn is_open(&self) -> bool {
        !self.opened.is_empty()
    }

    /// Appends a character of a line.
    fn push(&mut self, c: char) {
        if self.first_visible.is_none() && !is_js_whitespace(c) {
            self.first_visible = Some(self.text.len());
        }
        self.text.push(c);
        if c != '\r' {
            self.gap = None;
        }
    }

    /// Opens a marker if the text ends with an opening.
    fn open(&mut self) {
        let bytes = self.text.as_bytes();
        let found = OPENINGS.iter().find_map(|(opening, spans_lines)| {
            let start = bytes.len().checked_sub(opening.len())?;
            let is_here = bytes[start..].eq_ignore_ascii_case(opening.as_bytes());
            is_here.then_some((start, *spans_lines))
        });
        if let Some((start, spans_lines)) = found {
            let begins_line = self.first_visible == Some(start);
            let line_start = self.line_start;
            self.opened.push(OpenMarker { start, line_start, begins_line, spans_lines });
        }
    }

    /// Removes the innermost marker.
    fn close(&mut self) {
        let Some(open) = self.opened.pop() else { return };
        let OpenMarker { start, line_start, begins_line, .. } = open;
        self.text.truncate(start);
        self.line_start = line_start;
        self.first_visible = (!begins_line).then_some(line_start);
        while self.touched.pop_if(|at| *at >= start).is_some() {}
        self.touched.push(start);
        self.gap = Some(start);
    }

    /// Whether the text ends with a space. The beginning of a line counts as one.
    fn ends_with_space(&self) -> bool {
        self.text.is_empty() || self.text.ends_with([' ', '\t', '\n'])
    }

    /// Appends a line break, and forgets the openings whose markers cannot be closed any more.
    fn end_line(&mut self) {
        let end = self.text.strip_suffix('\r').map_or(self.text.len(), str::len);
        if self.gap.is_some_and(|gap| gap == end || gap == self.text.len()) {
            self.drop_space_before_gap();
            if let Some(last) = self.touched.last_mut() {
                *last = self.text.len().min(*last);
            }
        }
        self.text.push('\n');
        self.gap = None;
        let was_touched = self.touched.last().is_some_and(|last| *last >= self.line_start);
        if self.line_start > 0 && self.first_visible.is_none() && !was_touched {
            self.opened.clear();
        }
        // A one-line marker that is not closed by now is not a marker. It stays open if a marker of
        // several lines is open inside it, which may remove this line break.
        while self.opened.pop_if(|open| !open.spans_lines).is_some() {}
        self.line_start = self.text.len();
        self.first_visible = None;
    }

    fn end_text(&mut self) {
        if self.gap == Some(self.text.len()) {
            self.drop_space_before_gap();
        }
    }

    /// Removes the space before a marker that was at the end of its line.
    fn drop_space_before_gap(&mut self) {
        let space = self.gap.and_then(|gap| self.text[..gap].strip_suffix(' ')).map(str::len);
        if let Some(space) = space {
            self.text.remove(space);
        }
    }

    /// Moves the lines to `lines`, except those that a removed marker has left empty.
    fn finish(&mut self, lines: &mut RemainingLines) {
        let mut start = 0;
        let mut touched = self.touched.drain(..).peekable();
        for line in self.text.split_inclusive('\n') {
            let end = start + line.len();
            let mut left_by_marker = false;
            while touched.next_if(|at| *at < end || !line.ends_with('\n')).is_some() {
                left_by_marker = true;
            }
            if left_by_marker && is_blank(line) {
                lines.drop_line();
            } else {
                lines.keep(line);
            }
            start = end;
        }
        if touched.next().is_some() && (self.text.is_empty() || self.text.ends_with('\n')) {
            // The last line consisted of markers only and has no line break.
            lines.drop_line();
        }
        drop(touched);
        self.text.clear();
        self.line_start = 0;
        self.first_visible = None;
    }
}
