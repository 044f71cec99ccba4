//! Escape sequences of terminals (ECMA-48), which a terminal does not show.

/// Begins every escape sequence, except those of one code point.
const ESCAPE: char = '\u{1B}';
const BELL: char = '\u{7}';
const STRING_TERMINATOR: char = '\u{9C}';

/// Whether an escape sequence can begin with this character.
pub fn is_introducer(c: char) -> bool {
    matches!(c, ESCAPE | '\u{90}' | '\u{98}' | '\u{9B}' | '\u{9D}'..='\u{9F}')
}

/// The size of the escape sequence that `text` begins with; `None` if there is none. No sequence
/// contains another one, so measuring all sequences of a text is linear.
pub fn escape_sequence_bytes(text: &str) -> Option<usize> {
    let mut chars = text.chars();
    let introducer = chars.next()?;
    let rest = chars.as_str();
    let (kind, rest) = match introducer {
        ESCAPE => (chars.next()?, chars.as_str()),
        // The one-character forms stand for ESC and the character 0x40 lower.
        '\u{80}'..='\u{9F}' => (char::from_u32(u32::from(introducer) - 0x40)?, rest),
        _ => return None,
    };
    let rest = match kind {
        '[' => {
            let rest = rest.trim_start_matches(|c| matches!(c, '0'..='?'));
            rest.trim_start_matches(is_intermediate).strip_prefix(|c| matches!(c, '@'..='~'))?
        }
        // OSC, DCS, SOS, PM and APC contain a text, up to its terminator.
        ']' | 'P' | 'X' | '^' | '_' => {
            let text_end =
                rest.find(|c| c == BELL || c == STRING_TERMINATOR || is_introducer(c))?;
            let terminator = &rest[text_end..];
            terminator
                .strip_prefix([BELL, STRING_TERMINATOR])
                .or_else(|| terminator.strip_prefix("\u{1B}\\"))?
        }
        _ if is_intermediate(kind) => {
            rest.trim_start_matches(is_intermediate).strip_prefix(|c| matches!(c, '0'..='~'))?
        }
        '0'..='~' => rest,
        _ => return None,
    };
    Some(text.len() - rest.len())
}

fn is_intermediate(c: char) -> bool {
    matches!(c, ' '..='/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_measured() {
        for sequence in [
            "\u{1B}[0m",
            "\u{1B}[m",
            "\u{1B}[38;5;196m",
            "\u{1B}[?25l",
            "\u{1B}[2 q",
            "\u{9B}31m",
            "\u{1B}]0;title\u{7}",
            "\u{1B}]8;;https://example.com\u{1B}\\",
            "\u{9D}0;title\u{9C}",
            "\u{1B}Pdata\u{1B}\\",
            "\u{1B}(B",
            "\u{1B}7",
            "\u{1B}\\",
        ] {
            let text = format!("{sequence}rest");
            assert_eq!(escape_sequence_bytes(&text), Some(sequence.len()), "{sequence:?}");
        }
    }

    #[test]
    fn an_incomplete_sequence_is_ignored() {
        for text in [
            "",
            "a",
            "\u{1B}",
            "\u{1B}é",
            "\u{1B}[",
            "\u{1B}[31é",
            "\u{1B}]0;title",
            "\u{1B}]0;a\u{1B}]b\u{7}",
        ] {
            assert_eq!(escape_sequence_bytes(text), None, "{text:?}");
        }
    }
}
