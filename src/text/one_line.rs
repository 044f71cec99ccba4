//! Escapes line breaks in values that must stay on one line, such as a path in a heading.

use std::borrow::Cow;
use std::fmt::Write;

/// Replaces line breaks and all other control characters by escapes (`\n`, `\u{2028}`).
/// Backslashes are not escaped, because paths contain them, so the original value cannot always
/// be recovered.
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

/// `text` with its angle brackets escaped, so that it cannot open or close an element.
pub fn escape_angle_brackets(text: &str) -> String {
    text.replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_and_control_characters_are_escaped() {
        assert_eq!(one_line("/home/中文/a b\\c"), "/home/中文/a b\\c");
        assert_eq!(one_line("a\r\nb\u{85}c\u{2028}d"), "a\\r\\nb\\u{85}c\\u{2028}d");
        assert_eq!(one_line("a\0\u{1b}[0m"), "a\\u{0}\\u{1b}[0m");
    }
}
