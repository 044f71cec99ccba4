//! White space as JavaScript defines it. Unlike Rust's, it includes U+FEFF (byte order mark) and
//! excludes U+0085 (next line).

/// Whether `String.prototype.trim` strips this character.
pub fn is_js_whitespace(c: char) -> bool {
    c == '\u{FEFF}' || (c != '\u{85}' && c.is_whitespace())
}

/// Trims like `String.prototype.trim`.
pub fn trim_js(text: &str) -> &str {
    text.trim_matches(is_js_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_exactly_what_javascript_strips() {
        // ECMAScript's WhiteSpace and LineTerminator, listed one by one.
        let stripped = [
            0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, 0xA0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003,
            0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F,
            0x3000, 0xFEFF,
        ];
        for c in (0..=0x10FFFF).filter_map(char::from_u32) {
            assert_eq!(is_js_whitespace(c), stripped.contains(&(c as u32)), "{c:?}");
        }
    }

    #[test]
    fn trims_only_at_both_ends() {
        assert_eq!(trim_js("\u{FEFF} a\n b\u{3000}\r\n"), "a\n b");
        assert_eq!(trim_js("\u{85}a\u{85}"), "\u{85}a\u{85}");
        assert_eq!(trim_js(" \n "), "");
    }
}
