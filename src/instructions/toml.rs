//! Reads keys at the beginning of a TOML file, before its first table: strings, whole numbers, and
//! arrays of these. Other values are skipped. The crate toml, with its parser alone, would add 200 KB
//! to the binary.

use super::jsonc::{SyntaxError, place};

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A string.
    String(String),
    /// A whole number.
    Integer(i64),
    /// An array.
    Array(Vec<Value>),
    /// A value of another type.
    Other,
}

/// Deeper arrays are an error.
const MAX_DEPTH: usize = 64;

/// All keys before the first table, in order; or what is wrong.
pub fn top_level(text: &str) -> Result<Vec<(String, Value)>, SyntaxError> {
    let mut reader = Parser { text, at: 0 };
    let keys = reader.keys();
    keys.map_err(|problem| SyntaxError {
        place: place(text.as_bytes(), reader.at.min(text.len())),
        problem: problem.to_owned(),
    })
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

type Parsed<T> = Result<T, &'static str>;

impl<'t> Parser<'t> {
    fn keys(&mut self) -> Parsed<Vec<(String, Value)>> {
        let mut keys = Vec::new();
        loop {
            self.skip_blank(true)?;
            match self.peek() {
                None | Some('[') => return Ok(keys),
                Some(_) => {}
            }
            let key = self.key()?;
            self.skip_blank(false)?;
            if !self.take("=") {
                return Err("expected an equals sign");
            }
            self.skip_blank(false)?;
            let value = self.value(0)?;
            keys.push((key, value));
            self.skip_blank(false)?;
            if !matches!(self.peek(), None | Some('\n' | '\r')) {
                return Err("expected the end of the line");
            }
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, expected: &str) -> bool {
        let is_there = self.rest().starts_with(expected);
        self.at += if is_there { expected.len() } else { 0 };
        is_there
    }

    /// Skips white space and comments, with line breaks or without.
    fn skip_blank(&mut self, with_lines: bool) -> Parsed<()> {
        loop {
            let rest = self.rest();
            let blank = |c: char| c == ' ' || c == '\t' || with_lines && matches!(c, '\n' | '\r');
            self.at += rest.len() - rest.trim_start_matches(blank).len();
            if self.peek() != Some('#') {
                return Ok(());
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    /// A key; the parts of a dotted one are joined by dots.
    fn key(&mut self) -> Parsed<String> {
        let mut key = String::new();
        loop {
            match self.peek() {
                Some('"' | '\'') => match self.string()? {
                    Value::String(part) => key += &part,
                    _ => return Err("expected a key"),
                },
                _ => {
                    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                    let rest = self.rest();
                    let bytes = rest.len() - rest.trim_start_matches(is_bare).len();
                    if bytes == 0 {
                        return Err("expected a key");
                    }
                    key += &rest[..bytes];
                    self.at += bytes;
                }
            }
            self.skip_blank(false)?;
            if !self.take(".") {
                return Ok(key);
            }
            key.push('.');
            self.skip_blank(false)?;
        }
    }

    fn value(&mut self, depth: usize) -> Parsed<Value> {
        match self.peek() {
            _ if depth > MAX_DEPTH => Err("arrays are nested too deep"),
            Some('"' | '\'') => self.string(),
            Some('[') => self.array(depth),
            Some('{') => self.table(depth),
            _ => {
                let mut word = self.bare();
                // A date and a time may have a space between them.
                let rest = &self.text[self.at + word.len()..];
                let is_time = rest
                    .strip_prefix(' ')
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
                if word.len() == 10 && word[1..].contains('-') && is_time {
                    let date = word.len() + 1;
                    self.at += date;
                    word = self.bare();
                }
                self.at += word.len();
                match word {
                    "" => Err("expected a value"),
                    _ => Ok(word.replace('_', "").parse().map_or(Value::Other, Value::Integer)),
                }
            }
        }
    }

    /// The characters of a number, a date or a word.
    fn bare(&self) -> &'t str {
        let is_bare = |c: char| c.is_ascii_alphanumeric() || "+-._:".contains(c);
        let rest = self.rest();
        &rest[..rest.len() - rest.trim_start_matches(is_bare).len()]
    }

    fn array(&mut self, depth: usize) -> Parsed<Value> {
        let mut values = Vec::new();
        self.at += 1;
        loop {
            self.skip_blank(true)?;
            if self.take("]") {
                return Ok(Value::Array(values));
            }
            values.push(self.value(depth + 1)?);
            self.skip_blank(true)?;
            if !self.take(",") && self.peek() != Some(']') {
                return Err("expected a comma or the end of the array");
            }
        }
    }

    /// An inline table, which is skipped.
    fn table(&mut self, depth: usize) -> Parsed<Value> {
        self.at += 1;
        loop {
            self.skip_blank(true)?;
            if self.take("}") {
                return Ok(Value::Other);
            }
            self.key()?;
            self.skip_blank(true)?;
            if !self.take("=") {
                return Err("expected an equals sign");
            }
            self.skip_blank(true)?;
            self.value(depth + 1)?;
            self.skip_blank(true)?;
            if !self.take(",") && self.peek() != Some('}') {
                return Err("expected a comma or the end of the table");
            }
        }
    }

    fn string(&mut self) -> Parsed<Value> {
        let quote = if self.peek() == Some('"') { '"' } else { '\'' };
        let long = if quote == '"' { "\"\"\"" } else { "'''" };
        let is_long = self.take(long);
        if is_long {
            let _ = self.take("\r\n") || self.take("\n");
        } else {
            self.at += 1;
        }
        let mut text = String::new();
        loop {
            if is_long && self.take(long) {
                // Up to two quotes may stand before the end.
                while self.peek() == Some(quote) {
                    self.at += 1;
                    text.push(quote);
                }
                return Ok(Value::String(text));
            }
            let Some(c) = self.peek() else { return Err("a string has no end") };
            if !is_long && matches!(c, '\n' | '\r') {
                return Err("a string has no end");
            }
            self.at += c.len_utf8();
            match c {
                '\\' if quote == '"' => self.escape(&mut text, is_long)?,
                c if c == quote && !is_long => return Ok(Value::String(text)),
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self, text: &mut String, is_long: bool) -> Parsed<()> {
        const UNKNOWN: &str = "an escape is none";
        let c = self.peek().ok_or(UNKNOWN)?;
        let digits = match c {
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        if is_long && matches!(c, ' ' | '\t' | '\n' | '\r') {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
            return Ok(());
        }
        self.at += c.len_utf8();
        let escaped = match c {
            'b' => '\u{8}',
            't' => '\t',
            'n' => '\n',
            'f' => '\u{C}',
            'r' => '\r',
            'e' => '\u{1B}',
            '"' | '\\' => c,
            'u' | 'U' => {
                let hex = self.rest().get(..digits).ok_or(UNKNOWN)?;
                let number = u32::from_str_radix(hex, 16).map_err(|_| UNKNOWN)?;
                self.at += digits;
                char::from_u32(number).ok_or(UNKNOWN)?
            }
            _ => return Err(UNKNOWN),
        };
        text.push(escaped);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(values: &[&str]) -> Value {
        Value::Array(values.iter().map(|text| Value::String(text.to_string())).collect())
    }

    #[test]
    fn keys_before_the_first_table_are_read() {
        let text = "# comment\nmodel = \"gpt # no comment\" # comment\n\
            project_doc_max_bytes = 65_536\r\n\
            \"quoted\" = 'C:\\x'\n\
            names = [\n  \"A.md\", # one\n  'B.md',\n]\n\
            a.b = true\ndate = 1979-05-27T07:32:00Z\nspaced = 1979-05-27 07:32:00 # x\n\
            inline = { x = [1, \"}\"], y = '''\n}''' }\n\
            long = \"\"\"\nline \\\n   two\"\"\"\n\
            [table]\nnames = []\n";
        let keys = top_level(text).unwrap();
        let value = |name: &str| keys.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        assert_eq!(value("model"), Some(&Value::String("gpt # no comment".into())));
        assert_eq!(value("project_doc_max_bytes"), Some(&Value::Integer(65_536)));
        assert_eq!(value("quoted"), Some(&Value::String("C:\\x".into())));
        assert_eq!(value("names"), Some(&strings(&["A.md", "B.md"])));
        assert_eq!(value("a.b"), Some(&Value::Other));
        assert_eq!(value("inline"), Some(&Value::Other));
        assert_eq!(value("long"), Some(&Value::String("line two".into())));
        assert_eq!(keys.len(), 9);
        let escaped = top_level("a = \"\\u00e9\\t\\\"\\U0001F600\"").unwrap();
        assert_eq!(escaped[0].1, Value::String("é\t\"😀".into()));
        assert_eq!(top_level("").unwrap(), []);
        assert_eq!(top_level("a = []").unwrap()[0].1, strings(&[]));
    }

    #[test]
    fn invalid_toml_is_an_error_with_a_position() {
        for (text, line) in [
            ("a", 1),
            ("a = ", 1),
            ("a = 1\nb = \"x\" y", 2),
            ("\na = \"x\n\"", 2),
            ("a = [1", 1),
            ("a = [1 \"b\"]", 1),
            ("a = \"\\x\"", 1),
            ("= 1", 1),
            ("a = '''x", 1),
            ("a = {x = 1", 1),
        ] {
            assert_eq!(top_level(text).unwrap_err().place.0, line, "{text}");
        }
        assert!(top_level(&format!("a = {}", "[".repeat(100_000))).is_err());
        assert!(top_level(&format!("a = {}", "{a=".repeat(100_000))).is_err());
    }
}
