//! A value that stands on one line, such as a path under a heading.

use std::borrow::Cow;
use std::fmt::Write;

/// `value` with everything that a reader may take for a line break, and every other control
/// character, written as an escape (`\n`, `\u{2028}`). Backslashes stay as they are, because
/// paths have them; so the result is for reading and not for undoing.
pub fn one_line(value: &str) -> Cow<'_, str> {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if !value.contains(breaks) {
        return Cow::Borrowed(value);
    }
    let mut line = String::with_capacity(value.len() + 8);
    for c in value.chars() {
        if breaks(c) {
            // Writing to a string cannot fail.
            let _ = write!(line, "{}", c.escape_default());
        } else {
            line.push(c);
        }
    }
    Cow::Owned(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_starts_a_new_line() {
        assert_eq!(one_line("/home/中文/a b\\c"), "/home/中文/a b\\c");
        assert_eq!(one_line("a\r\nb\u{85}c\u{2028}d"), "a\\r\\nb\\u{85}c\\u{2028}d");
        assert_eq!(one_line("a\0\u{1b}[0m"), "a\\u{0}\\u{1b}[0m");
    }
}
