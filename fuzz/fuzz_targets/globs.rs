//! Compares glob patterns with a plain matcher, and names in parts with whole ones.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use promptmason::instructions::pattern::Pattern;
use std::collections::HashMap;

/// Matches the rest of a pattern without alternatives against the rest of a name, by brute force.
struct Plain<'p> {
    pattern: &'p [char],
    name: &'p [char],
    known: HashMap<(usize, usize, bool), bool>,
}

impl Plain<'_> {
    /// `at_start` says whether a directory or the pattern begins here.
    fn matches(&mut self, at: usize, from: usize, at_start: bool) -> bool {
        if let Some(known) = self.known.get(&(at, from, at_start)) {
            return *known;
        }
        let found = self.tried(at, from, at_start);
        self.known.insert((at, from, at_start), found);
        found
    }

    fn tried(&mut self, at: usize, from: usize, at_start: bool) -> bool {
        let (pattern, name) = (self.pattern, self.name);
        let Some(c) = pattern.get(at).copied() else { return from == name.len() };
        match c {
            '*' => {
                let stars = pattern[at..].iter().take_while(|c| **c == '*').count();
                let behind = at + stars;
                let is_alone = stars == 2 && at_start;
                if is_alone && pattern.get(behind) == Some(&'/') {
                    // No directory, or one more name with its separator.
                    return self.matches(behind + 1, from, true)
                        || (from + 1..name.len())
                            .any(|to| name[to] == '/' && self.matches(behind + 1, to + 1, true));
                }
                let crosses = is_alone && behind == pattern.len();
                (from..=name.len())
                    .take_while(|to| crosses || !name[from..*to].contains(&'/'))
                    .any(|to| self.matches(behind, to, false))
            }
            '?' => {
                name.get(from).is_some_and(|c| *c != '/') && self.matches(at + 1, from + 1, false)
            }
            '[' => {
                let Some((is_in, behind)) = class(pattern, at + 1, name.get(from).copied()) else {
                    return false;
                };
                is_in && self.matches(behind, from + 1, false)
            }
            '\\' => {
                let wanted = pattern.get(at + 1).copied().unwrap_or('\\');
                name.get(from) == Some(&wanted)
                    && self.matches((at + 2).min(pattern.len()), from + 1, false)
            }
            other => name.get(from) == Some(&other) && self.matches(at + 1, from + 1, other == '/'),
        }
    }
}

/// Whether a character is in the class that begins at `at`, and where the class ends.
fn class(pattern: &[char], at: usize, c: Option<char>) -> Option<(bool, usize)> {
    let negated = matches!(pattern.get(at), Some('!' | '^'));
    let first = at + usize::from(negated);
    let (mut at, mut found) = (first, false);
    loop {
        let mut from = *pattern.get(at)?;
        at += 1;
        if from == ']' && at > first + 1 {
            break;
        }
        if from == '\\' && at < pattern.len() {
            from = pattern[at];
            at += 1;
        }
        let mut to = from;
        if pattern.get(at) == Some(&'-') && pattern.get(at + 1).is_some_and(|c| *c != ']') {
            to = pattern[at + 1];
            at += 2;
        }
        found |= c.is_some_and(|c| from <= c && c <= to);
    }
    Some((c.is_some_and(|c| c != '/') && found != negated, at))
}

/// A short text of characters that occur in patterns.
fn short(u: &mut Unstructured, letters: &[char]) -> arbitrary::Result<String> {
    (0..u.int_in_range(0..=14)?).map(|_| u.choose(letters).copied()).collect()
}

const PATTERN: [char; 20] = [
    '*', '*', '*', '/', '/', '?', '[', ']', '!', '^', '-', '{', '}', ',', '\\', 'a', 'b', 'c',
    '中', '.',
];
const NAME: [char; 11] = ['a', 'b', 'c', '/', '/', '中', '.', '*', ']', '-', '\\'];

fn check(data: &[u8]) -> arbitrary::Result<()> {
    let mut u = Unstructured::new(data);
    let (pattern, other, name) =
        (short(&mut u, &PATTERN)?, short(&mut u, &PATTERN)?, short(&mut u, &NAME)?);
    let Ok(program) = Pattern::new(&pattern) else { return Ok(()) };
    let matches = program.matches(&name);

    let (mut states, mut work) = (program.start(), usize::MAX);
    for c in name.chars() {
        let next = program.after(&states, c.encode_utf8(&mut [0; 4]), &mut work);
        states = next.expect("enough work");
    }
    assert_eq!(program.is_match(&states), matches);

    let is_simple = |pattern: &str| !pattern.contains(['{', '}', ',']);
    if is_simple(&pattern) {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        let (pattern_chars, name_chars) = (chars(&pattern), chars(&name));
        let mut plain = Plain { pattern: &pattern_chars, name: &name_chars, known: HashMap::new() };
        assert_eq!(matches, plain.matches(0, 0, true), "{pattern:?} {name:?}");
    }
    // A pattern with alternatives matches what any of them matches.
    let ends_open = |pattern: &str| pattern.ends_with('\\');
    if is_simple(&pattern)
        && is_simple(&other)
        && !ends_open(&pattern)
        && !ends_open(&other)
        && let Ok(second) = Pattern::new(&other)
    {
        let both = Pattern::new(&format!("{{{pattern},{other}}}")).expect("both are good");
        assert_eq!(
            both.matches(&name),
            matches || second.matches(&name),
            "{pattern:?} {other:?} {name:?}"
        );
    }
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    // Too few bytes to build an input.
    let _ = check(data);
});
