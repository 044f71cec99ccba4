//! Counts of texts that recur: a caller without state passes the same history each turn.
//!
//! 1. Each thread keeps a text with its count, and compares the whole text when it recurs:
//!    comparing is a hundred times as fast as counting.
//! 2. A text is found by its size and its ends. Of two texts with the same size and ends, one is
//!    kept.
//! 3. When the texts take too much memory, all of them are dropped.

use super::Vocabulary;
use std::cell::RefCell;
use std::collections::HashMap;

/// The most bytes that all texts of a thread may take together.
const MAX_BYTES: usize = 4 << 20;

/// Shorter texts are counted as fast as they are found; longer ones would evict too many.
const WORTH_KEEPING: std::ops::RangeInclusive<usize> = 64..=256 * 1024;

/// How many bytes of each end identify a text.
const END_BYTES: usize = 32;

/// The size of a text and its ends.
type Key = (Vocabulary, usize, [u8; 2 * END_BYTES]);

#[derive(Default)]
struct Remembered {
    /// Texts with their tokens.
    counts: HashMap<Key, (Box<str>, usize)>,
    bytes: usize,
}

thread_local! {
    static REMEMBERED: RefCell<Remembered> = RefCell::default();
}

impl Vocabulary {
    /// Like [`Vocabulary::count_up_to`], for texts that may recur.
    pub fn recall_up_to(self, text: &str, most: usize) -> Option<usize> {
        if !WORTH_KEEPING.contains(&text.len()) {
            return self.count_up_to(text, most);
        }
        let key = (self, text.len(), ends_of(text.as_bytes()));
        let known = REMEMBERED.with_borrow(|remembered| {
            let known = remembered.counts.get(&key);
            known.filter(|(known, _)| **known == *text).map(|(_, tokens)| *tokens)
        });
        if let Some(tokens) = known {
            return Some(tokens).filter(|tokens| *tokens <= most);
        }
        let tokens = self.count_up_to(text, most)?;
        REMEMBERED.with_borrow_mut(|remembered| {
            if remembered.bytes + text.len() > MAX_BYTES {
                *remembered = Remembered::default();
            }
            remembered.bytes += text.len();
            if let Some((old, _)) = remembered.counts.insert(key, (text.into(), tokens)) {
                remembered.bytes -= old.len();
            }
        });
        Some(tokens)
    }
}

fn ends_of(text: &[u8]) -> [u8; 2 * END_BYTES] {
    let mut ends = [0; 2 * END_BYTES];
    let (head, tail) = ends.split_at_mut(END_BYTES);
    head.copy_from_slice(&text[..END_BYTES]);
    tail.copy_from_slice(&text[text.len() - END_BYTES..]);
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_same_count_each_time() {
        for vocabulary in Vocabulary::ALL {
            for round in 0..2 {
                for size in [0, 10, 63, 64, 65, 500] {
                    // The same ends, with something else between them.
                    for middle in ["x", "中", " word"] {
                        let text = ["begin ", &middle.repeat(size / middle.len()), " end"].concat();
                        let tokens = vocabulary.count(&text);
                        let recall = |most| vocabulary.recall_up_to(&text, most);
                        assert_eq!(recall(usize::MAX), Some(tokens), "{round} {size}");
                        assert_eq!((recall(tokens), recall(tokens - 1)), (Some(tokens), None));
                    }
                }
            }
        }
    }

    #[test]
    fn memory_is_bounded() {
        for number in 0..45 {
            let text = format!("{number:064} {} {number:064}", "word ".repeat(20_000));
            assert!(Vocabulary::O200k.recall_up_to(&text, usize::MAX).is_some());
        }
        REMEMBERED.with_borrow(|remembered| {
            let kept: usize = remembered.counts.values().map(|(text, _)| text.len()).sum();
            assert_eq!(remembered.bytes, kept);
            assert!(kept <= MAX_BYTES);
        });
    }
}
