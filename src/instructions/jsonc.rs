//! JSON with comments and trailing commas, as editors and tools write it.
//!
//! Comments and trailing commas are replaced with spaces, so that errors have the line and column
//! of the original text. jsonc-parser would add 43 KB to the binary and a second tree of values, and
//! replace the sixty lines that blank out comments.

use serde::de::DeserializeOwned;

/// What is wrong with a text, and where: line and column, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// The line and the column.
    pub place: (usize, usize),
    /// What is wrong.
    pub problem: String,
}

/// Reads a value.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, SyntaxError> {
    let bytes = super::decode::without_mark(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| SyntaxError {
        place: place(bytes, error.valid_up_to()),
        problem: "is not UTF-8 text".to_owned(),
    })?;
    serde_json::from_str(&plain(text)).map_err(|error| {
        // The parser appends the position.
        let message = error.to_string();
        let problem = message.rsplit_once(" at line ").map_or(&*message, |(problem, _)| problem);
        SyntaxError { place: (error.line(), error.column()), problem: without_value(problem) }
    })
}

/// Line and column of the array that a text consists of, if it does.
pub fn array_at(bytes: &[u8]) -> Option<(usize, usize)> {
    let bytes = super::decode::without_mark(bytes);
    let plain = plain(std::str::from_utf8(bytes).ok()?);
    let start = plain.find(|c: char| !c.is_ascii_whitespace())?;
    plain[start..].starts_with('[').then(|| place(bytes, start))
}

/// Line and column of a byte.
pub fn place(bytes: &[u8], at: usize) -> (usize, usize) {
    let before = &bytes[..at];
    let lines_before = before.iter().filter(|byte| **byte == b'\n').count();
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    (lines_before + 1, at - line_start + 1)
}

/// The parser's message without the string that it quotes, which may be a URL with a password.
fn without_value(problem: &str) -> String {
    match (problem.find(" \""), problem.rfind("\", expected")) {
        (Some(start), Some(end)) => format!("{}{}", &problem[..start], &problem[end + 1..]),
        _ => problem.to_owned(),
    }
}

/// The same as plain JSON; every character that is left keeps its place.
fn plain(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = bytes.to_vec();
    // The last byte that is not white space, and the comma that may be a trailing one.
    let (mut last, mut comma) = (b'[', None);
    let mut at = 0;
    while at < bytes.len() {
        let end = match &bytes[at..] {
            [b'"', ..] => string_end(bytes, at),
            [b'/', b'/', ..] => {
                let end = find(bytes, at, |byte| matches!(byte, b'\n' | b'\r'));
                plain[at..end].fill(b' ');
                at = end;
                continue;
            }
            [b'/', b'*', ..] => {
                // A comment without an end stays, and is an error.
                let Some(end) = comment_end(bytes, at) else { break };
                for byte in &mut plain[at..end] {
                    *byte = if matches!(*byte, b'\n' | b'\r') { *byte } else { b' ' };
                }
                at = end;
                continue;
            }
            _ => at + 1,
        };
        match bytes[at] {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            // Only a value may be followed by a comma.
            b',' => {
                comma = (!matches!(last, b'[' | b'{' | b',' | b':')).then_some(at);
                last = b',';
            }
            byte => {
                if let (b']' | b'}', Some(comma)) = (byte, comma) {
                    plain[comma] = b' ';
                }
                (last, comma) = (byte, None);
            }
        }
        at = end;
    }
    // Only whole characters were replaced.
    String::from_utf8(plain).unwrap_or_default()
}

/// Where the string that begins at `start` ends: after its quote, or at the end of the text.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn comment_end(bytes: &[u8], start: usize) -> Option<usize> {
    let inside = bytes.get(start + 2..)?;
    inside.windows(2).position(|two| two == b"*/").map(|at| start + 2 + at + 2)
}

fn find(bytes: &[u8], start: usize, is_wanted: impl Fn(u8) -> bool) -> usize {
    bytes[start..].iter().position(|byte| is_wanted(*byte)).map_or(bytes.len(), |at| start + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn value(text: &str) -> Result<Value, SyntaxError> {
        parse(text.as_bytes())
    }

    #[test]
    fn comments_and_trailing_commas_are_ignored() {
        for (text, expected) in [
            ("// x\n{ /* y */ \"a\": [1, 2,], // z\n}", json!({ "a": [1, 2] })),
            ("\u{FEFF}[1 /* 漢字 */ , // ,\n]", json!([1])),
            ("{\"a\": \"// no /* comment */ ,]\",}", json!({ "a": "// no /* comment */ ,]" })),
            ("[\"\\\",]\",]", json!(["\",]"])),
            ("[[],{},]", json!([[], {}])),
            ("/**/1//", json!(1)),
        ] {
            assert_eq!(value(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn invalid_json_is_an_error_with_a_position() {
        for (text, line, column) in [
            ("[,]", 1, 2),
            ("[1,,]", 1, 4),
            ("{,}", 1, 2),
            ("{\"a\":,}", 1, 6),
            ("[1]\n,", 2, 1),
            ("{\n  // x\n  \"a\" 1\n}", 3, 7),
            ("[1 /* x", 1, 4),
            ("[1 / 2]", 1, 4),
            ("[\"a", 1, 3),
            ("[1,] ]", 1, 6),
        ] {
            assert_eq!(value(text).unwrap_err().place, (line, column), "{text}");
        }
        let error = parse::<Value>(b"[\n \"\xFF\"]").unwrap_err();
        assert_eq!((error.place, &*error.problem), ((2, 3), "is not UTF-8 text"));
        assert!(value("").is_err() && value("// x").is_err() && value("\"\\").is_err());
    }

    #[test]
    fn an_array_is_found_after_comments() {
        assert_eq!(array_at(b"// x\n /* y */ [1]"), Some((2, 10)));
        assert_eq!(array_at(b"{}"), None);
        assert_eq!(array_at(b""), None);
    }

    #[test]
    fn hostile_texts_are_read_in_one_pass() {
        assert!(value(&"/*".repeat(200_000)).is_err());
        assert!(value(&"[1,".repeat(200_000)).is_err());
        assert!(value(&format!("[1{}]", ", // ,\n".repeat(100_000))).is_err());
        assert!(value(&format!("[1{}]", "/* */".repeat(100_000))).is_ok());
    }
}
