//! A name for each message that occurs nowhere else, so that a prompt tells which messages it shows.

use std::collections::BTreeSet;

const OPEN: char = '⟦';
const CLOSE: char = '⟧';

/// The text with its name before it.
pub fn marked(number: usize, text: &str) -> String {
    format!("{OPEN}{number}{CLOSE}{}", text.replace([OPEN, CLOSE], ""))
}

/// The numbers of all names in a text; a name that was cut is none.
pub fn markers_in(text: &str) -> BTreeSet<usize> {
    let names = text.split(OPEN).skip(1).filter_map(|rest| rest.split_once(CLOSE));
    names.filter_map(|(number, _)| number.parse().ok()).collect()
}
