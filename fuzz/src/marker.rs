//! A unique marker for each message, which shows which messages a prompt contains.

use std::collections::BTreeSet;

const OPEN: char = '⟦';
const CLOSE: char = '⟧';

/// The text with its marker before it.
pub fn marked(number: usize, text: &str) -> String {
    format!("{OPEN}{number}{CLOSE}{}", text.replace([OPEN, CLOSE], ""))
}

/// The numbers of all markers in a text. A marker that was cut does not count.
pub fn markers_in(text: &str) -> BTreeSet<usize> {
    let markers = text.split(OPEN).skip(1).filter_map(|rest| rest.split_once(CLOSE));
    markers.filter_map(|(number, _)| number.parse().ok()).collect()
}
