//! Which parts of a text are code, as CommonMark reads it.
//!
//! 1. A fenced block begins with a line of at least three backticks or tildes, after at most three
//!    spaces. After backticks, the rest of that line has no backtick. The block ends with a line
//!    that has at least as many of the same character and nothing else, or with the text.
//! 2. Inline code begins with some backticks and ends with the next run of exactly as many in the
//!    same paragraph. A run without such a partner is text.
//! 3. A paragraph ends at a blank line, at a fence and at the end of the text. Other blocks (lists,
//!    quotes, headings, indented code) and backslashes are not examined.

use super::lines::is_blank;
use std::collections::HashMap;
use std::ops::Range;

/// The parts of a text that are code, in order, each with its fences or backticks.
#[derive(Debug, Default)]
pub struct CodeRanges(Vec<Range<usize>>);

/// A fence that is open.
struct Fence {
    start: usize,
    character: u8,
    length: usize,
}

/// Backticks in a row.
struct Run {
    start: usize,
    length: usize,
}

impl Run {
    fn end(&self) -> usize {
        self.start + self.length
    }
}

impl CodeRanges {
    /// Finds the code in a text.
    pub fn of(text: &str) -> Self {
        let mut ranges = CodeRanges::default();
        if !text.contains('`') && !text.contains("~~~") {
            return ranges;
        }
        let mut fence: Option<Fence> = None;
        // The backticks of the paragraph.
        let mut runs = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let end = start + line.len();
            if let Some(open) = &fence {
                if closes(line, open) {
                    ranges.0.push(open.start..end);
                    fence = None;
                }
            } else if let Some((character, length)) = opened_fence(line) {
                ranges.add_inline(&mut runs);
                fence = Some(Fence { start, character, length });
            } else if is_blank(line) {
                ranges.add_inline(&mut runs);
            } else {
                add_runs(&mut runs, start, line);
            }
            start = end;
        }
        ranges.add_inline(&mut runs);
        ranges.0.extend(fence.map(|open| open.start..text.len()));
        ranges
    }

    /// Adds the inline code of a paragraph that has these backticks.
    fn add_inline(&mut self, runs: &mut Vec<Run>) {
        // For each run, the next one of the same length, or itself.
        let mut partners = vec![0; runs.len()];
        let mut next = HashMap::new();
        for (index, run) in runs.iter().enumerate().rev() {
            partners[index] = next.insert(run.length, index).unwrap_or(index);
        }
        let mut index = 0;
        while let Some(run) = runs.get(index) {
            let closing = partners[index];
            if closing > index {
                self.0.push(run.start..runs[closing].end());
            }
            index = closing + 1;
        }
        runs.clear();
    }

    /// For positions that are asked for in ascending order.
    pub fn cursor(&self) -> CodeCursor<'_> {
        CodeCursor { ranges: &self.0 }
    }
}

/// Looks up positions that only move forward. A copy can look ahead.
#[derive(Clone, Copy)]
pub struct CodeCursor<'c> {
    /// The ranges that do not end before the last position.
    ranges: &'c [Range<usize>],
}

impl CodeCursor<'_> {
    /// Whether a position is in code.
    pub fn covers(&mut self, position: usize) -> bool {
        while let [first, rest @ ..] = self.ranges {
            if position < first.end {
                return position >= first.start;
            }
            self.ranges = rest;
        }
        false
    }
}

/// The character and the length of the fence that a line opens.
fn opened_fence(line: &str) -> Option<(u8, usize)> {
    let (character, length, rest) = fence_at_start(line)?;
    let is_fence = length >= 3 && !(character == b'`' && rest.contains('`'));
    is_fence.then_some((character, length))
}

/// Whether a line closes a fence.
fn closes(line: &str, open: &Fence) -> bool {
    fence_at_start(line).is_some_and(|(character, length, rest)| {
        let is_alone = rest.bytes().all(|byte| byte.is_ascii_whitespace());
        character == open.character && length >= open.length && is_alone
    })
}

/// The backticks or tildes that a line begins with, how many there are, and the rest of the line.
fn fence_at_start(line: &str) -> Option<(u8, usize, &str)> {
    let indentation = line.bytes().take(4).take_while(|byte| *byte == b' ').count();
    let line = line.get(indentation..).filter(|_| indentation < 4)?;
    let character = line.bytes().next().filter(|first| matches!(first, b'`' | b'~'))?;
    let length = line.bytes().take_while(|byte| *byte == character).count();
    Some((character, length, &line[length..]))
}

/// Adds the runs of backticks in a line.
fn add_runs(runs: &mut Vec<Run>, line_start: usize, line: &str) {
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let start = line_start + line.len() - rest.len() + at;
        let length = rest[at..].bytes().take_while(|byte| *byte == b'`').count();
        runs.push(Run { start, length });
        rest = &rest[at + length..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let ranges = CodeRanges::of(text).0;
        let found: Vec<&str> = ranges.into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn fences_are_found() {
        check("a\n```\nb\n```\nc", &["```\nb\n```\n"]);
        check("~~~ js `x`\nb\n~~~", &["~~~ js `x`\nb\n~~~"]);
        check("   ````\n```\n~~~~\n  ````` \t\r\nc", &["   ````\n```\n~~~~\n  ````` \t\r\n"]);
        check("```\na\n``` b\n    ```\n", &["```\na\n``` b\n    ```\n"]);
        check("a\n\n```rust\nb\n\nc", &["```rust\nb\n\nc"]);
        check("```\n```\n```\n```\nx", &["```\n```\n", "```\n```\n"]);
    }

    #[test]
    fn text_that_only_looks_like_a_fence_is_ignored() {
        check("    ~~~\na", &[]);
        check("~~\na\n~~", &[]);
        check("x ~~~\na", &[]);
        check("\u{a0}~~~\na", &[]);
        check("``` a ``` b\nc", &["``` a ```"]);
    }

    #[test]
    fn inline_code_is_found() {
        check("a `b` c `` d ` e `` f", &["`b`", "`` d ` e ``"]);
        check("`a\nb` c", &["`a\nb`"]);
        check("`a\n \nb` c", &[]);
        check("`` a ` b ``` c ` d", &["` b ``` c `"]);
        check("`a\n```\nb`\n```\nc`", &["```\nb`\n```\n"]);
        check("中`文`", &["`文`"]);
    }

    #[test]
    fn positions_are_found_in_code() {
        let ranges = CodeRanges::of("a `b` c `d`");
        let mut cursor = ranges.cursor();
        let covered: Vec<usize> = (0..12).filter(|at| cursor.covers(*at)).collect();
        assert_eq!(covered, [2, 3, 4, 8, 9, 10]);
    }
}
