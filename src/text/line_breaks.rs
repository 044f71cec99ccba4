//! Line breaks of every kind, and names without them.

use super::unicode_tables::is_mandatory_break as is_line_break;
use std::borrow::Cow;

/// A name as it stands in a line: every line break is a space; CRLF is one line break.
pub fn without_line_breaks(name: &str) -> Cow<'_, str> {
    // Few names have a line break, and every line break contains one of these bytes.
    if !may_break(name.as_bytes()) || !name.contains(is_line_break) {
        return Cow::Borrowed(name);
    }
    let mut line = String::with_capacity(name.len());
    let mut previous = ' ';
    for c in name.chars() {
        match c {
            '\n' if previous == '\r' => {}
            _ if is_line_break(c) => line.push(' '),
            _ => line.push(c),
        }
        previous = c;
    }
    Cow::Owned(line)
}

/// Replaces the line breaks in a name that was appended to `out` at `start`. Returns the name as
/// it was, if it had any.
pub fn replace_line_breaks(out: &mut Vec<u8>, start: usize) -> Option<String> {
    if !may_break(&out[start..]) {
        return None;
    }
    let name = String::from_utf8_lossy(&out[start..]);
    let Cow::Owned(line) = without_line_breaks(&name) else { return None };
    let name = name.into_owned();
    out.truncate(start);
    out.extend_from_slice(line.as_bytes());
    Some(name)
}

/// Whether any of these bytes can begin a line break in UTF-8.
fn may_break(name: &[u8]) -> bool {
    name.iter().any(|byte| matches!(byte, 0x0A..=0x0D | 0xC2 | 0xE2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_become_spaces() {
        assert_eq!(
            without_line_breaks("a\nb\r\nc\rd\u{B}e\u{C}f\u{85}g\u{2028}h\u{2029}"),
            "a b c d e f g h "
        );
        assert_eq!(without_line_breaks("\n\n\r\r\n"), "    ");
        for name in ["", "max", "é–£中\u{A0}😀"] {
            assert!(matches!(without_line_breaks(name), Cow::Borrowed(same) if same == name));
        }
    }

    #[test]
    fn an_appended_name_is_replaced_in_place() {
        let mut out = b"a\nb".to_vec();
        assert_eq!(replace_line_breaks(&mut out, 3), None);
        out.extend_from_slice("c\u{2028}d".as_bytes());
        assert_eq!(replace_line_breaks(&mut out, 3).as_deref(), Some("c\u{2028}d"));
        assert_eq!(out, b"a\nbc d");
        assert_eq!(replace_line_breaks(&mut out, 3), None);
    }
}
