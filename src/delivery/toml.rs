//! A string as TOML writes it. JSON does not do: TOML wants U+007F escaped, and has no escapes
//! for halves of surrogate pairs.

use std::fmt::Write;

/// A basic string, in quotes and on one line.
pub fn toml_string(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\0'..='\x1F' | '\x7F' => {
                // Writing to a string cannot fail.
                let _ = write!(quoted, "\\u{:04X}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        let document = format!("value = {}", toml_string(text));
        let table: toml::Table = document.parse().expect("TOML");
        table["value"].as_str().expect("a string").to_owned()
    }

    #[test]
    fn every_character_comes_back() {
        for c in (0..=0x10FFFF).filter_map(char::from_u32) {
            let text = c.to_string();
            // A parser for each of a million characters is slow: ordinary ones go together.
            if c < '\u{3000}' || (c as u32).is_multiple_of(1009) {
                assert_eq!(parsed(&text), text, "{c:?}");
            }
        }
        let all: String = (0..=0x10FFFF).filter_map(char::from_u32).collect();
        assert_eq!(parsed(&all), all);
    }

    #[test]
    fn random_text_comes_back() {
        let pieces = [
            "\"", "\\", "\"\"\"", "'''", "\\u0041", "\n", "\r\n", "\t", "\0", "\x07", "\x1B[31m",
            "\x7F", "\u{85}", "\u{2028}", "漢", "😀", "#", "=", "[a]", "{", "}", " ", "a",
            "\u{FEFF}",
        ];
        let mut state = 7_u32;
        let mut next = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize % below
        };
        for _ in 0..3000 {
            let text: String = (0..next(60)).map(|_| pieces[next(pieces.len())]).collect();
            assert_eq!(parsed(&text), text);
        }
    }

    #[test]
    fn stands_on_one_line() {
        assert_eq!(toml_string("a\n\"b\"\x7F"), r#""a\n\"b\"\u007F""#);
    }
}
