//! Visibly replaces values that look like keys and tokens of well-known providers.
//!
//! 1. What they look like is data (`patterns`), except for private keys, JSON Web Tokens and AWS
//!    secret keys, which are recognised only by the name before them.
//! 2. The cost is linear in the text, whatever it is: a value that is too long for its pattern is
//!    abandoned after the pattern's maximum length, one without an upper limit is replaced, and the
//!    others end at a character that cannot begin them.
//! 3. We keep where something was replaced, so that the account counts the value as left out, and
//!    does not count the mark as given text.

mod patterns;

pub use patterns::{Characters, PATTERNS, Pattern};

use std::ops::Range;

/// A text without secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redacted {
    /// The text, with a mark in the place of each value.
    pub text: String,
    /// Where the marks stand in it, ascending.
    pub marks: Vec<Range<usize>>,
    /// The size of the values.
    pub secret_bytes: usize,
}

/// Replaces all values that look like keys or tokens; `None` if there are none.
pub fn redact(text: &str) -> Option<Redacted> {
    let mut redacted = Redacted::default();
    let mut copied = 0;
    let mut at = 0;
    while at < text.len() {
        let Some(found) = secret_at(text.as_bytes(), at) else {
            at += 1;
            continue;
        };
        redacted.text.push_str(&text[copied..found.range.start]);
        let start = redacted.text.len();
        redacted.text.extend(["[redacted: ", found.name, "]"]);
        redacted.marks.push(start..redacted.text.len());
        redacted.secret_bytes += found.range.len();
        copied = found.range.end;
        at = copied;
    }
    if redacted.marks.is_empty() {
        return None;
    }
    redacted.text.push_str(&text[copied..]);
    Some(redacted)
}

/// How many bytes of some ranges of a text lie in a part of it.
pub fn overlap(ranges: &[Range<usize>], part: Range<usize>) -> usize {
    let shared =
        |range: &Range<usize>| range.end.min(part.end).saturating_sub(range.start.max(part.start));
    ranges.iter().map(shared).sum()
}

struct Found {
    name: &'static str,
    range: Range<usize>,
}

/// The first bytes of everything that is searched for.
const FIRST: [bool; 256] = {
    let mut first = [false; 256];
    let mut nth = 0;
    while nth < PATTERNS.len() {
        first[PATTERNS[nth].prefix.as_bytes()[0] as usize] = true;
        nth += 1;
    }
    first[b'-' as usize] = true;
    first[b'e' as usize] = true;
    first[b's' as usize] = true;
    first[b'S' as usize] = true;
    first
};

/// The secret that begins here, if there is one.
fn secret_at(text: &[u8], at: usize) -> Option<Found> {
    let rest = &text[at..];
    if !FIRST[usize::from(rest[0])] {
        return None;
    }
    match rest[0] {
        b'-' => return private_key(text, at),
        b'e' => return web_token(text, at),
        _ => {}
    }
    let found = PATTERNS.iter().find_map(|pattern| {
        let value = rest.strip_prefix(pattern.prefix.as_bytes())?;
        if pattern.begins_word && !begins_word(text, at) {
            return None;
        }
        let mut length = run(value, pattern.max.saturating_add(1), pattern.characters);
        // A full stop at the end of a sentence is not part of it.
        while length > 0 && value[length - 1] == b'.' {
            length -= 1;
        }
        let is_value = (pattern.min..=pattern.max).contains(&length);
        let end = at + pattern.prefix.len() + length;
        is_value.then_some(Found { name: pattern.name, range: at..end })
    });
    found.or_else(|| aws_secret(text, at))
}

/// How many of these characters the text begins with, at most `most`.
fn run(text: &[u8], most: usize, characters: Characters) -> usize {
    text.iter().take(most).take_while(|byte| characters.has(**byte)).count()
}

/// Whether what stands here does not continue a word.
fn begins_word(text: &[u8], at: usize) -> bool {
    let before = &text[..at];
    let is_letter = |last: &u8| last.is_ascii_alphanumeric() || *last == b'_';
    !before.last().is_some_and(is_letter) || ends_escape(before)
}

/// Whether the last letter belongs to an escape: `\n` in JSON, or the escape sequence of a colour.
fn ends_escape(before: &[u8]) -> bool {
    match before {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => true,
        [.., b'm'] => ends_colour(before),
        _ => false,
    }
}

/// The longest escape sequence of a colour.
const COLOUR_BYTES: usize = 24;

fn ends_colour(before: &[u8]) -> bool {
    let end = before.len() - 1;
    let start = end.saturating_sub(COLOUR_BYTES);
    let is_inside = |byte: &u8| byte.is_ascii_digit() || *byte == b';';
    let codes = before[start..end].iter().rev().take_while(|byte| is_inside(byte)).count();
    matches!(before[..end - codes], [.., 0x1b, b'['] | [.., b'0', b'0', b'1', b'b', b'['])
}

const PEM_BEGIN: &[u8] = b"-----BEGIN ";
const PEM_END: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";
/// The most bytes of the name in the first and the last line of a private key.
const PEM_NAME_BYTES: usize = 64;
const PEM_MIN_BYTES: usize = 64;

/// A private key in PEM, also inside a JSON string, also without its end.
fn private_key(text: &[u8], at: usize) -> Option<Found> {
    let name = text[at..].strip_prefix(PEM_BEGIN)?;
    let name_bytes = find(&name[..name.len().min(PEM_NAME_BYTES)], DASHES)?;
    let is_private = find(&name[..name_bytes], b"PRIVATE KEY").is_some();
    if !is_private {
        return None;
    }
    let body = at + PEM_BEGIN.len() + name_bytes + DASHES.len();
    let found = |end| Some(Found { name: "private key", range: at..end });
    // The search ends where the next key can begin.
    let body_bytes = find(&text[body..], DASHES);
    if let Some(bytes) = body_bytes
        && text[body + bytes..].starts_with(PEM_END)
        && bytes >= PEM_MIN_BYTES
    {
        let name = &text[body + bytes + PEM_END.len()..];
        let end = find(&name[..name.len().min(PEM_NAME_BYTES)], DASHES);
        let end = end.map_or(0, |end| end + DASHES.len());
        return found(body + bytes + PEM_END.len() + end);
    }
    let is_of_key = |byte: &&u8| Characters::Base64.has(**byte) || b"\r\n\\".contains(byte);
    let most = body_bytes.map_or(text.len(), |bytes| body + bytes);
    let bytes = text[body..most].iter().take_while(is_of_key).count();
    if bytes >= PEM_MIN_BYTES { found(body + bytes) } else { None }
}

const TOKEN_MIN_BYTES: usize = 12;

/// A JSON Web Token: three parts, the first two of them JSON in Base64.
fn web_token(text: &[u8], at: usize) -> Option<Found> {
    if !text[at..].starts_with(b"eyJ") {
        return None;
    }
    // Inside a run of such characters, it was already checked where the run begins.
    let before = &text[..at];
    let is_inside =
        before.last().is_some_and(|last| Characters::Dotted.has(*last) && *last != b'=');
    if is_inside && !ends_escape(before) {
        return None;
    }
    let mut end = at;
    for part in 0..3 {
        if part > 0 {
            if text.get(end) != Some(&b'.') {
                return None;
            }
            end += 1;
        }
        let length = run(&text[end..], usize::MAX, Characters::Word);
        let is_json = part == 2 || text[end..].starts_with(b"eyJ");
        if length < TOKEN_MIN_BYTES || !is_json {
            return None;
        }
        end += length;
    }
    Some(Found { name: "JSON Web Token", range: at..end })
}

/// The names of AWS secret keys.
const AWS_NAMES: [&[u8]; 4] =
    [b"secret_access_key", b"secretaccesskey", b"secret_key", b"secretkey"];
const AWS_SECRET_BYTES: usize = 40;
const MAX_SEPARATORS: usize = 8;

/// An AWS secret key after its name. Only the key is replaced, so this begins at the name.
fn aws_secret(text: &[u8], at: usize) -> Option<Found> {
    let rest = &text[at..];
    let has_name = |name: &&&[u8]| {
        rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    let name = AWS_NAMES.iter().find(has_name)?;
    let is_separator = |byte: &&u8| b" \t\"'`=:\\>,".contains(byte);
    let separators = rest[name.len()..].iter().take(MAX_SEPARATORS).take_while(is_separator);
    let start = name.len() + separators.count();
    let length = run(&rest[start..], AWS_SECRET_BYTES + 1, Characters::Base64);
    let range = at + start..at + start + length;
    let is_key = length == AWS_SECRET_BYTES && start > name.len();
    is_key.then_some(Found { name: "AWS secret key", range })
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

#[cfg(test)]
mod tests;
