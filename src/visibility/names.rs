//! Names: how they are compared, and how a list of them is read.
//!
//! 1. Names are compared regardless of case, surrounding space, and the encoding of accented
//!    letters: Unicode's canonical caseless matching.
//! 2. A known name with separators in it (`Smith, John`) is matched whole, longest first. Reading a
//!    list takes time proportional to its length: whole names are found by a rolling hash, and only
//!    equal hashes are compared.

use crate::text::trim_js;
use std::collections::{BTreeSet, HashMap, HashSet};
use unicode_normalization::UnicodeNormalization;

/// The separators between the names of a list.
const SEPARATORS: [char; 3] = [',', '，', '、'];

/// Folds a name for comparison.
pub fn folded(name: &str) -> String {
    let name = trim_js(name);
    match name.is_ascii() {
        true => name.to_ascii_lowercase(),
        // Folding may undo the normal form of a few letters, so it is normalised again.
        false => name.nfd().flat_map(full_fold).nfd().collect(),
    }
}

/// The full case folding of a letter. Upper case turns `ß` into `SS`, and lower case merges letters
/// that differ only in case. The exception is the dotless i, whose upper case is that of another
/// letter.
fn full_fold(letter: char) -> impl Iterator<Item = char> {
    let dotless = (letter == 'ı').then_some(letter);
    let upper = letter.to_lowercase().flat_map(char::to_uppercase);
    let other = dotless.is_none().then(|| upper.flat_map(char::to_lowercase));
    dotless.into_iter().chain(other.into_iter().flatten())
}

/// Whether a name could also be read as a list.
pub fn may_be_a_list(name: &str) -> bool {
    name.contains(SEPARATORS)
}

/// The names of a list between its separators, without blank ones.
pub fn pieces(list: &str) -> impl Iterator<Item = &str> {
    list.split(SEPARATORS).map(trim_js).filter(|piece| !piece.is_empty())
}

/// Whether one or more neighbouring names of a list are, together, this name.
pub fn has_run(list: &str, name: &str) -> bool {
    let is_end = |rest: &str| trim_js(rest).is_empty() || trim_js(rest).starts_with(SEPARATORS);
    let is_start = |rest: &str| trim_js(rest).is_empty() || trim_js(rest).ends_with(SEPARATORS);
    list.match_indices(name)
        .any(|(at, _)| is_start(&list[..at]) && is_end(&list[at + name.len()..]))
}

/// Known names with separators in them.
#[derive(Debug, Default)]
pub struct WholeNames {
    names: HashSet<Box<str>>,
    hashes: HashSet<u64>,
    lengths: BTreeSet<usize>,
}

impl WholeNames {
    /// Learns a folded name. Returns whether it is a new one with separators.
    pub fn learn(&mut self, name: &str) -> bool {
        let is_new = may_be_a_list(name) && self.names.insert(name.into());
        if is_new {
            self.lengths.insert(name.len());
            self.hashes.insert(prefix_hashes(name).last().copied().unwrap_or(0));
        }
        is_new
    }

    /// The names of a list, without blank ones. The list and its names are folded.
    pub fn names_in<'l>(&self, list: &'l str) -> Vec<&'l str> {
        if self.lengths.first().is_none_or(|shortest| *shortest > list.len()) {
            return pieces(list).collect();
        }
        let ends = piece_ends(list);
        let hashes = prefix_hashes(list);
        let lengths = self.lengths.range(..=list.len()).rev();
        let lengths: Vec<(usize, u64)> =
            lengths.map(|length| (*length, BASE.wrapping_pow(*length as u32))).collect();
        let whole = |start: usize| {
            lengths.iter().find_map(|(length, power)| {
                let end = start + length;
                let hash = hashes.get(end)?.wrapping_sub(hashes[start].wrapping_mul(*power));
                let next = *ends.get(&end).filter(|_| self.hashes.contains(&hash))?;
                let name = list.get(start..end).filter(|name| self.names.contains(*name))?;
                Some((name, next))
            })
        };
        let mut names = Vec::new();
        let mut at = 0;
        while at <= list.len() {
            let rest = &list[at..];
            let piece_end = at + rest.find(SEPARATORS).unwrap_or(rest.len());
            let piece = &list[at..piece_end];
            let start = at + piece.len() - piece.trim_start_matches(is_space).len();
            match whole(start) {
                Some((name, next)) => {
                    names.push(name);
                    at = next;
                }
                None => {
                    names.push(trim_js(piece));
                    at = after_separator(list, piece_end);
                }
            }
        }
        names.retain(|name| !name.is_empty());
        names
    }
}

fn is_space(letter: char) -> bool {
    trim_js(letter.encode_utf8(&mut [0; 4])).is_empty()
}

/// Where a name that is a run of pieces may end, and where the next piece would then begin.
fn piece_ends(list: &str) -> HashMap<usize, usize> {
    let separators = list.match_indices(SEPARATORS).map(|(at, _)| at);
    let mut start = 0;
    let mut ends = HashMap::new();
    for at in separators.chain([list.len()]) {
        let blank = list[start..at].len() - list[start..at].trim_end_matches(is_space).len();
        let next = after_separator(list, at);
        ends.insert(at - blank, next);
        start = next.min(list.len());
    }
    ends
}

/// Where the piece after a separator begins; beyond the list after the last one.
fn after_separator(list: &str, at: usize) -> usize {
    at + list.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
}

/// The base of a polynomial hash; any odd number works.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// The hashes of all prefixes of a text.
fn prefix_hashes(text: &str) -> Vec<u64> {
    let mut hashes = Vec::with_capacity(text.len() + 1);
    let mut hash = 0u64;
    hashes.push(hash);
    for byte in text.bytes() {
        hash = hash.wrapping_mul(BASE).wrapping_add(u64::from(byte) + 1);
        hashes.push(hash);
    }
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_in_normalised_form() {
        for (one, other) in [
            ("José", "JOSE\u{301}"),
            ("Straße", "STRASSE"),
            ("STRAẞE", "strasse"),
            ("Ὀδυσσεύς", "ὈΔΥΣΣΕΎΣ"),
            ("\u{212B}sa", "åsa"),
            ("ﬃ", "FFI"),
            ("각", "\u{1100}\u{1161}\u{11A8}"),
            ("\u{3000}Ann\u{FEFF}", "ANN"),
            // Two combining marks in either order.
            ("q\u{307}\u{323}", "Q\u{323}\u{307}"),
        ] {
            assert_eq!(folded(one), folded(other), "{one} {other}");
        }
        for (one, other) in [("Kılıç", "Kiliç"), ("Jose", "José"), ("İ", "i"), ("a b", "ab")]
        {
            assert_ne!(folded(one), folded(other), "{one} {other}");
        }
    }

    #[test]
    fn a_whole_name_is_found_among_others() {
        let mut whole = WholeNames::default();
        for name in ["smith, john", "a，b、c", "a，b", ",x", "solo"] {
            whole.learn(name);
        }
        for (list, names) in [
            ("smith, john", vec!["smith, john"]),
            ("max,smith, john ,sarah", vec!["max", "smith, john", "sarah"]),
            ("smith, johnny", vec!["smith", "johnny"]),
            ("blacksmith, john", vec!["blacksmith", "john"]),
            ("smith,  john", vec!["smith", "john"]),
            ("a，b、c、a，b、d", vec!["a，b、c", "a，b", "d"]),
            (",x,,", vec![",x"]),
            ("smith, john, smith, john", vec!["smith, john", "smith, john"]),
            (" , ,", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(whole.names_in(list), names, "{list:?}");
        }
        assert!(has_run("max，smith, john ，x", "smith, john"));
        assert!(has_run("smith, john", "smith, john"));
        assert!(!has_run("blacksmith, john", "smith, john"));
        assert!(!has_run("smith, johnny", "smith, john"));
    }

    #[test]
    fn many_separators_take_linear_time() {
        // Cubic time would take days.
        let list = folded(&"a, ".repeat(100_000));
        let mut whole = WholeNames::default();
        whole.learn(&format!("{}b", "a, ".repeat(99_000)));
        whole.learn(&format!("{}a", "a, ".repeat(60_000)));
        let names = whole.names_in(&list);
        assert_eq!(names.len(), 1 + 39_999);
        assert_eq!(names[0].len(), 180_001);
    }
}
