//! Compares token counts with the published patterns as regular expressions and merging by its
//! definition, and joined texts and their ends with plain counts.
#![no_main]

use arbitrary::Unstructured;
use fancy_regex::Regex;
use libfuzzer_sys::fuzz_target;
use promptmason::tokens::{JoinedBackwards, Tokenizer, Vocabulary};
use promptmason_fuzz::text::text;
use std::collections::HashMap;
use std::sync::LazyLock;

#[path = "../../src/tokens/unpack.rs"]
mod unpack;

struct Defined {
    pieces: Regex,
    ranks: HashMap<Vec<u8>, usize>,
}

const O200K: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
);
const CL100K: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|",
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
);

impl Defined {
    fn new(pattern: &str, packed: &[u8]) -> Self {
        let unpacked = unpack::Unpacked::new(packed).expect("data");
        let mut tokens: Vec<Vec<u8>> =
            unpacked.single_bytes().iter().map(|byte| vec![*byte]).collect();
        for (left, right) in unpacked.pairs() {
            tokens.push([&tokens[left as usize][..], &tokens[right as usize]].concat());
        }
        assert!(!unpacked.crossed().is_empty());
        let ranks = tokens.into_iter().enumerate().map(|(rank, token)| (token, rank)).collect();
        Defined { pieces: Regex::new(pattern).expect("a pattern"), ranks }
    }

    fn count(&self, text: &str) -> usize {
        self.pieces
            .find_iter(text)
            .map(|piece| self.count_piece(piece.expect("no limit").as_str().as_bytes()))
            .sum()
    }

    fn count_piece(&self, piece: &[u8]) -> usize {
        let mut parts: Vec<Vec<u8>> = piece.iter().map(|byte| vec![*byte]).collect();
        loop {
            let pairs = parts.windows(2).map(|pair| self.ranks.get(&pair.concat()));
            let lowest = pairs.enumerate().filter_map(|(at, rank)| Some((*rank?, at))).min();
            let Some((_, at)) = lowest else { return parts.len() };
            let right = parts.remove(at + 1);
            parts[at].extend(right);
        }
    }
}

static DEFINED: LazyLock<[Defined; 2]> = LazyLock::new(|| {
    [
        Defined::new(O200K, include_bytes!("../../src/tokens/data/o200k.bin")),
        Defined::new(CL100K, include_bytes!("../../src/tokens/data/cl100k.bin")),
    ]
});

fuzz_target!(init: { LazyLock::force(&DEFINED); }, |data: &[u8]| {
    let mut u = Unstructured::new(data);
    let (Ok(max), Ok(made), Ok(other)) = (u.int_in_range(0..=40_usize), text(&mut u, 24), text(&mut u, 6)) else { return };
    let any = String::from_utf8_lossy(u.take_rest());
    for text in [&*made, &*any] {
        if text.len() > 600 {
            continue;
        }
        for (vocabulary, defined) in Vocabulary::ALL.into_iter().zip(&*DEFINED) {
            let count = vocabulary.count(text);
            assert_eq!(count, defined.count(text), "{} {text:?}", vocabulary.name());
            let tokenizer = Tokenizer::Exact(vocabulary);
            assert_eq!(vocabulary.count_up_to(text, max), (count <= max).then_some(count));
            let joined = format!("{text}{other}");
            let (whole, second) = (vocabulary.count(&joined), vocabulary.count(&other));
            if tokenizer.joint_is_exact(text, &other) {
                assert_eq!(count + second, whole, "{text:?} {other:?}");
            }
            let mut backwards = JoinedBackwards::new(tokenizer);
            backwards.prepend(&other, second as u64);
            backwards.prepend(text, count as u64);
            assert_eq!(backwards.units(), whole as u64, "{text:?} {other:?}");
            let end = tokenizer.measure_end(&joined, text.len(), whole as u64);
            assert_eq!(end, second as u64, "{text:?} {other:?}");
            let with_break = tokenizer.measure(&format!("{text}\n"));
            assert_eq!(tokenizer.without_line_break(text, with_break), count as u64, "{text:?}");
        }
    }
});
