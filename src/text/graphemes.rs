//! The sizes of a text's graphemes.

use unicode_segmentation::UnicodeSegmentation;

/// How many bytes the graphemes of a text have, in order, as runs of one size: the size, and how
/// many graphemes of that size follow each other. Cuts fall between graphemes, so this says where
/// a text can be cut.
pub fn grapheme_runs(text: &str) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for grapheme in text.graphemes(true) {
        match runs.last_mut() {
            Some((size, count)) if *size == grapheme.len() => *count += 1,
            _ => runs.push((grapheme.len(), 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphemes_of_one_size_are_a_run() {
        assert_eq!(grapheme_runs(""), []);
        assert_eq!(grapheme_runs("abc"), [(1, 3)]);
        assert_eq!(grapheme_runs("a\r\nb中文👍🏽"), [(1, 1), (2, 1), (1, 1), (3, 2), (8, 1)]);
    }
}
