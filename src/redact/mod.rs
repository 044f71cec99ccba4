//! Visibly replaces values that look like keys and tokens of well-known providers.
//!
//! 1. What they look like is data (`patterns`), except for private keys and JSON Web Tokens.
//! 2. The cost is linear in the text, whatever it is: a value that is too long for its pattern is
//!    abandoned after the pattern's maximum length, one without an upper limit is replaced, and the
//!    others end at a character that cannot begin them.
//! 3. We keep where something was replaced, so that the account counts the value as left out, and
//!    does not count the mark as given text.

mod patterns;

pub use patterns::{Characters, INFIXES, Infix, NAMED, NamedValue, PATTERNS, Pattern};

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
        let Some(found) = secret_at(text.as_bytes(), at, copied) else {
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

/// The first two bytes of everything that is searched for: a bit for each second byte.
static BEGINNINGS: [[u64; 4]; 256] = {
    let mut all = [[0; 4]; 256];
    let mut nth = 0;
    while nth < PATTERNS.len() {
        let prefix = PATTERNS[nth].prefix.as_bytes();
        add_beginning(&mut all, prefix[0], prefix[1]);
        nth += 1;
    }
    nth = 0;
    while nth < INFIXES.len() {
        let text = INFIXES[nth].text.as_bytes();
        add_beginning(&mut all, text[0], text[1]);
        nth += 1;
    }
    nth = 0;
    while nth < NAMED.len() {
        let mut name = 0;
        while name < NAMED[nth].names.len() {
            let letters = NAMED[nth].names[name].as_bytes();
            let (one, two) = (letters[0], letters[1]);
            add_beginning(&mut all, one, two);
            add_beginning(&mut all, one, two.to_ascii_uppercase());
            add_beginning(&mut all, one.to_ascii_uppercase(), two);
            add_beginning(&mut all, one.to_ascii_uppercase(), two.to_ascii_uppercase());
            name += 1;
        }
        nth += 1;
    }
    add_beginning(&mut all, b'-', b'-');
    add_beginning(&mut all, b'e', b'y');
    all
};

const fn add_beginning(all: &mut [[u64; 4]; 256], first: u8, second: u8) {
    all[first as usize][second as usize / 64] |= 1 << (second % 64);
}

/// The secret that begins or is recognised here, if there is one. It does not begin before `least`.
fn secret_at(text: &[u8], at: usize, least: usize) -> Option<Found> {
    let rest = &text[at..];
    let [first, second, ..] = rest else { return None };
    let bit = BEGINNINGS[usize::from(*first)][usize::from(second / 64)] >> (second % 64) & 1;
    if bit == 0 {
        return None;
    }
    let special = match first {
        b'-' => private_key(text, at),
        b'e' => web_token(text, at),
        _ => None,
    };
    if special.is_some() {
        return special;
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
        let has_dot = pattern.dot_at == 0 || value.get(pattern.dot_at) == Some(&b'.');
        let is_value = has_dot && (pattern.min..=pattern.max).contains(&length);
        let end = at + pattern.prefix.len() + length;
        is_value.then_some(Found { name: pattern.name, range: at..end })
    });
    found.or_else(|| named_value(text, at)).or_else(|| around_infix(text, at, least))
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

/// Whether the last letter belongs to an escape: `\n` or `\u003d` in JSON, `%20` in a URL, or the
/// escape sequence of a colour.
fn ends_escape(before: &[u8]) -> bool {
    let are_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match before {
        [.., b'%', a, b] if are_hex(&[*a, *b]) => true,
        [.., b'\\', b'u', a, b, c, d] if are_hex(&[*a, *b, *c, *d]) => true,
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

/// The least bytes of the header, the claims and the signature of a token. The shortest header names
/// an algorithm, and the shortest claims are `{}`.
const TOKEN_MIN_BYTES: [usize; 3] = [16, 3, 10];
const NO_CLAIMS: &[u8] = b"e30";

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
    for (part, least) in TOKEN_MIN_BYTES.into_iter().enumerate() {
        if part > 0 {
            if text.get(end) != Some(&b'.') {
                return None;
            }
            end += 1;
        }
        let length = run(&text[end..], usize::MAX, Characters::Word);
        let has_claims = part == 1 && text[end..end + length] == *NO_CLAIMS;
        let is_json = part == 2 || has_claims || text[end..].starts_with(b"eyJ");
        if length < least || !is_json {
            return None;
        }
        end += length;
    }
    Some(Found { name: "JSON Web Token", range: at..end })
}

const MAX_SEPARATORS: usize = 8;

/// A value after its name. Only the value is replaced, so this begins at the name.
fn named_value(text: &[u8], at: usize) -> Option<Found> {
    let rest = &text[at..];
    let has_name = |name: &&&str| {
        rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
    };
    let (kind, name) =
        NAMED.iter().find_map(|kind| Some((kind, kind.names.iter().find(has_name)?)))?;
    let is_separator = |byte: &&u8| b" \t\"'`=:\\>,".contains(byte);
    let separators = rest[name.len()..].iter().take(MAX_SEPARATORS).take_while(is_separator);
    let start = name.len() + separators.count();
    let length = run(&rest[start..], kind.length + 1, kind.characters);
    let range = at + start..at + start + length;
    let is_value = length == kind.length && start > name.len();
    is_value.then_some(Found { name: kind.name, range })
}

/// A value around what stands here. The characters before it are looked at backwards, as many as
/// there must be.
fn around_infix(text: &[u8], at: usize, least: usize) -> Option<Found> {
    INFIXES.iter().find_map(|infix| {
        let after = text[at..].strip_prefix(infix.text.as_bytes())?;
        let (characters, count) = infix.before;
        let start = at.checked_sub(count).filter(|start| *start >= least)?;
        if !text[start..at].iter().all(|byte| characters.has(*byte)) {
            return None;
        }
        let (characters, min, max) = infix.after;
        let mut length = run(after, max + 1, characters);
        while length > 0 && after[length - 1] == b'.' {
            length -= 1;
        }
        let range =
            if infix.replaces_before { start } else { at + 1 }..text.len() - after.len() + length;
        (min..=max).contains(&length).then_some(Found { name: infix.name, range })
    })
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

#[cfg(test)]
mod tests;
