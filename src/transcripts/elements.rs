//! Where the elements of a list are in a JSON document that may be too large to be read at once.

use super::lines::Span;
use std::io::{self, BufReader, Read};

/// Keys are compared up to this length.
const MOST_KEY_BYTES: usize = 64;

/// Finds the elements of the list at this path, such as `["$set", "messages"]`. Only the structure
/// is examined: what is not JSON gives elements that are not JSON, or none.
pub fn elements(from: impl Read, offset: u64, line: usize, path: &[&str]) -> io::Result<Vec<Span>> {
    let mut scanner = Scanner { path, line, ..Scanner::default() };
    let mut reader = BufReader::with_capacity(64 * 1024, from);
    let mut chunk = [0; 16 * 1024];
    let mut at = offset;
    loop {
        let read = reader.read(&mut chunk)?;
        if read == 0 {
            return Ok(scanner.found);
        }
        for byte in &chunk[..read] {
            scanner.next(*byte, at);
            at += 1;
        }
    }
}

#[derive(Default)]
struct Scanner<'p> {
    path: &'p [&'p str],
    line: usize,
    /// Lists and objects that are open.
    depth: usize,
    /// How many keys of the path lead to the current place.
    matched: usize,
    /// The last string at this depth, which may turn out to be a key.
    key: Vec<u8>,
    in_string: bool,
    is_escaped: bool,
    /// The last key was followed by a colon, and is the next one of the path.
    is_on_path: bool,
    /// The list is open.
    is_inside: bool,
    /// Where the current element began, and where it may have ended.
    element: Option<(u64, u64)>,
    found: Vec<Span>,
}

impl Scanner<'_> {
    fn next(&mut self, byte: u8, at: u64) {
        let is_structure = !self.in_string;
        if self.is_inside && self.depth == self.path.len() + 1 && is_structure {
            if byte == b',' || byte == b']' {
                self.end_element();
            } else if !byte.is_ascii_whitespace() && self.element.is_none() {
                self.element = Some((at, at + 1));
            }
        }
        if self.in_string {
            self.string(byte);
        } else {
            self.structure(byte);
        }
        if let Some((_, end)) = &mut self.element
            && !byte.is_ascii_whitespace()
        {
            *end = at + 1;
        }
    }

    fn string(&mut self, byte: u8) {
        if self.is_escaped {
            self.is_escaped = false;
        } else if byte == b'\\' {
            self.is_escaped = true;
        } else if byte == b'"' {
            self.in_string = false;
            return;
        }
        if self.key.len() <= MOST_KEY_BYTES {
            self.key.push(byte);
        }
    }

    fn structure(&mut self, byte: u8) {
        match byte {
            b'"' => {
                self.in_string = true;
                self.key.clear();
            }
            b':' => {
                let next = self.path.get(self.matched);
                self.is_on_path = self.depth == self.matched + 1
                    && next.is_some_and(|key| key.as_bytes() == self.key);
            }
            b'{' | b'[' => {
                self.depth += 1;
                if self.is_on_path && self.depth == self.matched + 2 {
                    self.matched += 1;
                    self.is_inside = self.matched == self.path.len() && byte == b'[';
                }
                self.is_on_path = false;
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth <= self.matched {
                    self.matched = self.depth.saturating_sub(1);
                    self.is_inside = false;
                }
                self.is_on_path = false;
            }
            b',' => self.is_on_path = false,
            _ => {}
        }
    }

    fn end_element(&mut self) {
        if let Some((from, end)) = self.element.take() {
            self.found.push(Span { offset: from, len: end - from, line: self.line });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(json: &str, path: &[&str]) -> Vec<String> {
        let spans = elements(json.as_bytes(), 0, 1, path).unwrap();
        let text =
            |span: &Span| json[span.offset as usize..(span.offset + span.len) as usize].to_owned();
        spans.iter().map(text).collect()
    }

    #[test]
    fn elements_are_found_only_at_their_path() {
        let json = r#" {"a":[0],"$set":{"x":{"messages":[9]}, "messages" : [ {"m":[1,2],"s":"]},"} ,
            "two\"]", 3 ,[4, {"messages":[5]}]],"messages2":[6]},"messages":[7]} "#;
        assert_eq!(
            found(json, &["$set", "messages"]),
            [r#"{"m":[1,2],"s":"]},"}"#, r#""two\"]""#, "3", r#"[4, {"messages":[5]}]"#]
        );
        assert_eq!(found(json, &["messages"]), ["7"]);
        assert_eq!(found(json, &["a"]), ["0"]);
        assert_eq!(found(json, &["b"]), [""; 0]);
    }

    #[test]
    fn invalid_json_does_not_hang() {
        for broken in
            ["", "[", "}}}}", "{\"messages\":[", "{\"messages\":[1", "]]]{\"messages\":[1]", "\"\\"]
        {
            let _ = found(broken, &["messages"]);
        }
        assert_eq!(found("{\"messages\":{\"messages\":[1]}}", &["messages"]), [""; 0]);
        assert_eq!(found("{\"messages\":[]}", &["messages"]), [""; 0]);
    }
}
