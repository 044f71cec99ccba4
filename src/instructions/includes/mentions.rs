//! Finds `@path` in a text.

use crate::text::{CodeRanges, is_js_whitespace};
use std::ops::Range;

/// A longer path is none. Most systems have a limit of 4096 bytes.
const MAX_PATH_BYTES: usize = 4096;

/// A `@path` in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Where it begins: at the `@`.
    pub start: usize,
    /// What may be the path, and where each ends: all up to the next white space, and the same
    /// without the punctuation at its end.
    pub paths: Vec<(String, usize)>,
}

/// All mentions, in order. The `@` is at the beginning of the text or behind white space, and not
/// in code. White space in a path has a backslash before it.
pub fn mentions(text: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    if !text.contains('@') {
        return found;
    }
    let code = CodeRanges::of(text);
    let mut cursor = code.cursor();
    let mut end_of_last = 0;
    for (start, _) in text.match_indices('@') {
        let is_free = text[..start].chars().next_back().is_none_or(is_js_whitespace);
        if start < end_of_last || !is_free || cursor.covers(start) {
            continue;
        }
        let end = start + 1 + path_bytes(&text[start + 1..]);
        end_of_last = end;
        let range = start + 1..end;
        if range.is_empty() || range.len() > MAX_PATH_BYTES {
            continue;
        }
        found.push(Mention { start, paths: paths(text, range) });
    }
    found
}

/// How long a path at the beginning of a text is.
fn path_bytes(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.find(|c: char| {
        let ends = is_js_whitespace(c) && !(is_escaped && c == ' ');
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    end.unwrap_or(text.len())
}

fn paths(text: &str, range: Range<usize>) -> Vec<(String, usize)> {
    let path = |end: usize| (text[range.start..end].replace("\\ ", " "), end);
    let is_punctuation =
        |c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '}' | '"' | '\'');
    let without = range.start + text[range.clone()].trim_end_matches(is_punctuation).len();
    let mut paths = vec![path(range.end)];
    if without != range.end && without != range.start {
        paths.push(path(without));
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        mentions(text).into_iter().map(|mention| mention.paths[0].0.clone()).collect()
    }

    #[test]
    fn paths_are_found_at_the_beginning_and_behind_white_space() {
        assert_eq!(found("@a.md"), ["a.md"]);
        assert_eq!(
            found("See @README and\n- @docs/b.md\t@~/c.md"),
            ["README", "docs/b.md", "~/c.md"]
        );
        assert_eq!(found("@/etc/x @./a @../b @@c"), ["/etc/x", "./a", "../b", "@c"]);
        assert_eq!(found("@Design\\ Docs/a.md b"), ["Design Docs/a.md"]);
        assert_eq!(found("\u{3000}@中文.md"), ["中文.md"]);
    }

    #[test]
    fn what_is_no_mention_is_not_found() {
        for text in ["", "@", "@ a", "max@example.com", "(@a.md)", "a@b @", "x\\@y"] {
            assert!(found(text).is_empty(), "{text:?}");
        }
        let code = "`@a.md` ``x @b.md`` \n```\n@c.md\n```\n~~~\n@d.md\n~~~\n@e.md";
        assert_eq!(found(code), ["e.md"]);
        assert!(found(&format!("@{}", "x".repeat(5000))).is_empty());
    }

    #[test]
    fn punctuation_at_the_end_may_belong_to_the_sentence() {
        let mention = &mentions("(see @a.md).")[0];
        assert_eq!(mention.paths, [("a.md).".to_owned(), 12), ("a.md".to_owned(), 10)]);
        assert_eq!(mentions("@a.md")[0].paths.len(), 1);
        assert_eq!(mentions("@...")[0].paths.len(), 1);
    }

    #[test]
    fn hostile_texts_are_read_in_one_pass() {
        assert_eq!(found(&"@a ".repeat(100_000)).len(), 100_000);
        assert_eq!(found(&"@".repeat(300_000)).len(), 0);
        assert_eq!(found(&"@\\ ".repeat(100_000)).len(), 0);
        assert_eq!(found(&"`@a ".repeat(100_000)).len(), 0);
    }
}
