//! Finds `@path` in a text.

use crate::instructions::preset::Includes;
use crate::text::{CodeRanges, is_js_whitespace};
use std::ops::Range;

/// A longer path is not a mention. Most systems have a limit of 4096 bytes.
const MAX_PATH_BYTES: usize = 4096;

/// A `@path` in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Where it begins: at the `@`.
    pub start: usize,
    /// The path.
    pub path: String,
    /// Where it ends.
    pub end: usize,
}

/// What a mention is for a tool.
struct Syntax {
    /// What may stand before the `@`.
    follows: fn(char) -> bool,
    /// The size of the path at the beginning of a text.
    path_bytes: fn(&str) -> usize,
    /// What a path begins with.
    begins: fn(char) -> bool,
    /// Whether white space in a path has a backslash before it.
    unescapes: bool,
    /// Whether a mention in code, and the character after a mention, cannot be part of another one.
    skips: bool,
}

const CLAUDE: Syntax = Syntax {
    follows: is_js_whitespace,
    path_bytes: escaped_path_bytes,
    begins: |_| true,
    unescapes: true,
    skips: false,
};

/// Only these four characters are white space.
const GEMINI: Syntax = Syntax {
    follows: is_gemini_space,
    path_bytes: |text| text.find(is_gemini_space).unwrap_or(text.len()),
    begins: |c| matches!(c, '.' | '/') || c.is_ascii_alphabetic(),
    unescapes: false,
    skips: true,
};

/// Punctuation at the end belongs to the sentence.
const COPILOT: Syntax = Syntax {
    follows: |c| !c.is_alphanumeric() && c != '_' && c != '@',
    path_bytes: |text| {
        let word = &text[..text.find(is_js_whitespace).unwrap_or(text.len())];
        word.trim_end_matches(|c: char| ".,;:!?)]}\"'".contains(c)).len()
    },
    begins: |_| true,
    unescapes: false,
    skips: false,
};

fn is_gemini_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// All mentions that are not in code, in order.
pub fn mentions(text: &str, rules: Includes) -> Vec<Mention> {
    if !text.contains('@') {
        return Vec::new();
    }
    if rules == Includes::GeminiCli {
        let code = backtick_ranges(text);
        let mut ranges = code.iter().peekable();
        return find(text, &GEMINI, |at| {
            while ranges.next_if(|range| range.end <= at).is_some() {}
            ranges.peek().is_some_and(|range| range.contains(&at))
        });
    }
    let syntax = match rules {
        Includes::QwenCode => &GEMINI,
        Includes::Copilot => &COPILOT,
        _ => &CLAUDE,
    };
    let code = CodeRanges::of(text);
    let mut cursor = code.cursor();
    find(text, syntax, |at| cursor.covers(at))
}

fn find(text: &str, syntax: &Syntax, mut is_code: impl FnMut(usize) -> bool) -> Vec<Mention> {
    let (mut found, mut end_of_last) = (Vec::new(), 0);
    for (start, _) in text.match_indices('@') {
        let is_free = text[..start].chars().next_back().is_none_or(syntax.follows);
        if start < end_of_last || !is_free {
            continue;
        }
        let is_code = is_code(start);
        if is_code && !syntax.skips {
            continue;
        }
        let end = start + 1 + (syntax.path_bytes)(&text[start + 1..]);
        end_of_last = end + usize::from(syntax.skips);
        let mut path = text[start + 1..end].to_owned();
        if syntax.unescapes {
            path = path.replace("\\ ", " ");
        }
        if !is_code && path.starts_with(syntax.begins) && path.len() <= MAX_PATH_BYTES {
            found.push(Mention { start, path, end });
        }
    }
    found
}

/// What is between two runs of equally many backticks, as the regular expression
/// ``(`+)([\s\S]*?)\1`` finds it: of a run that has no partner, the longest part that has one.
fn backtick_ranges(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, _) in text.match_indices('`') {
        match runs.last_mut() {
            Some((start, length)) if *start + *length == at => *length += 1,
            _ => runs.push((at, 1)),
        }
    }
    // The longest run from each run on.
    let mut longest = vec![0; runs.len() + 1];
    for (index, (_, length)) in runs.iter().enumerate().rev() {
        longest[index] = longest[index + 1].max(*length);
    }
    let mut ranges = Vec::new();
    let mut index = 0;
    while index < runs.len() {
        let (start, length) = runs[index];
        let partner = length.min(longest[index + 1]);
        if partner > length / 2 {
            let Some(close) = (index + 1..runs.len()).find(|next| runs[*next].1 >= partner) else {
                break;
            };
            let end = runs[close].0 + partner;
            ranges.push(start..end);
            // What is left of the run may open the next range.
            index = close;
            runs[close] = (end, runs[close].1 - partner);
        } else if length > 1 {
            let end = start + length / 2 * 2;
            ranges.push(start..end);
            runs[index] = (end, length % 2);
        } else {
            index += 1;
        }
        while runs.get(index).is_some_and(|(_, length)| *length == 0) {
            index += 1;
        }
    }
    ranges
}

/// Up to white space without a backslash before it.
fn escaped_path_bytes(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.find(|c: char| {
        let ends = is_js_whitespace(c) && !(is_escaped && c == ' ');
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    end.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        paths(text, Includes::ClaudeCode)
    }

    fn paths(text: &str, rules: Includes) -> Vec<String> {
        mentions(text, rules).into_iter().map(|mention| mention.path).collect()
    }

    #[test]
    fn paths_are_found_at_the_beginning_and_after_white_space() {
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
    fn text_that_is_not_a_mention_is_ignored() {
        for text in ["", "@", "@ a", "max@example.com", "(@a.md)", "a@b @", "x\\@y"] {
            assert!(found(text).is_empty(), "{text:?}");
        }
        let code = "`@a.md` ``x @b.md`` \n```\n@c.md\n```\n~~~\n@d.md\n~~~\n@e.md";
        assert_eq!(found(code), ["e.md"]);
        assert!(found(&format!("@{}", "x".repeat(5000))).is_empty());
    }

    #[test]
    fn punctuation_belongs_to_the_path() {
        assert_eq!(found("(see @a.md)."), ["a.md)."]);
        let mention = &mentions("x @a.md", Includes::ClaudeCode)[0];
        assert_eq!((mention.start, mention.end), (2, 7));
    }

    #[test]
    fn gemini_follows_its_own_rules() {
        let found = |text| paths(text, Includes::GeminiCli);
        assert_eq!(found("@a.md @./b @/c @../d"), ["a.md", "./b", "/c", "../d"]);
        assert!(found("@1.md @_a @~/b @ x@y @@c \u{3000}@a").is_empty());
        assert_eq!(found("@a\\ b.md"), ["a\\"]);
        assert_eq!(found("@a\u{A0}b @c, @d."), ["a\u{A0}b", "c,", "d."]);
        assert_eq!(found("~~~\n@a.md\n~~~\n`@b` ``` @c ``` @d"), ["a.md", "d"]);
        assert_eq!(found("    @indented"), ["indented"]);
    }

    #[test]
    fn qwen_and_copilot_skip_markdown_code() {
        let text = "@a ~~~ @b\n~~~\n@c\n~~~\n`@d` @1 (@e.md), x@f @g.";
        assert_eq!(paths(text, Includes::QwenCode), ["a", "b", "g."]);
        assert_eq!(paths(text, Includes::Copilot), ["a", "b", "1", "e.md", "g"]);
        assert!(paths("@. @... a@b _@c", Includes::Copilot).is_empty());
    }

    /// A naive version that backtracks like a regular expression.
    fn tried_out(text: &str) -> Vec<Range<usize>> {
        let bytes = text.as_bytes();
        let is_run = |at: usize, length: usize| {
            bytes.get(at..at + length).is_some_and(|run| run.iter().all(|byte| *byte == b'`'))
        };
        let (mut ranges, mut at) = (Vec::new(), 0);
        'next: while at < bytes.len() {
            let longest = (1..=bytes.len() - at).take_while(|length| is_run(at, *length)).count();
            for length in (1..=longest).rev() {
                let close = (at + length..bytes.len()).find(|close| is_run(*close, length));
                if let Some(close) = close {
                    ranges.push(at..close + length);
                    at = close + length;
                    continue 'next;
                }
            }
            at += 1;
        }
        ranges
    }

    #[test]
    fn backticks_are_paired_as_a_regular_expression_pairs_them() {
        for number in 0..1 << 13 {
            let text: String =
                (0..13).map(|bit| if number >> bit & 1 == 1 { '`' } else { 'x' }).collect();
            assert_eq!(backtick_ranges(&text), tried_out(&text), "{text}");
        }
    }

    #[test]
    fn hostile_texts_are_read_in_one_pass() {
        assert_eq!(found(&"@a ".repeat(100_000)).len(), 100_000);
        assert_eq!(found(&"@".repeat(300_000)).len(), 0);
        assert_eq!(found(&"@\\ ".repeat(100_000)).len(), 0);
        assert_eq!(found(&"`@a ".repeat(100_000)).len(), 0);
        let gemini = |text: &str| paths(text, Includes::GeminiCli).len();
        assert_eq!(gemini(&"`@a ".repeat(100_000)), 0);
        assert_eq!(gemini(&"@a ".repeat(100_000)), 100_000);
        let steps: String = (1..1000).rev().map(|length| "`".repeat(length) + " @a ").collect();
        assert!(gemini(&steps) < 1000);
    }
}
