use super::joint::joint_is_exact;
use super::unpack::{SINGLE_BYTES, Unpacked};
use super::*;
use std::collections::HashMap;

/// A small pseudorandom generator, so that every run sees the same texts.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// Fragments that the patterns treat differently, and fragments that take several merges.
const FRAGMENTS: [&str; 56] = [
    "the",
    " quick",
    "Brown",
    "HTTPServer",
    " isn't",
    "we'LL",
    "'s",
    "'",
    "''",
    "'ſ",
    "x",
    "AB",
    "cum",
    "enta",
    "in",
    "g",
    "1",
    "23",
    "4567",
    "٣",
    "½",
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    " \n",
    "\u{85}",
    "\u{A0}",
    "\u{3000}",
    "\u{FEFF}",
    "\u{200B}",
    "/",
    "//",
    "(",
    "...",
    "===",
    "!\n",
    ";\r\n\n",
    "—",
    "“",
    "中",
    "文字",
    "。",
    "テスト",
    "한국어",
    "é",
    "e\u{301}",
    "\u{301}",
    "👍🏽",
    "🇨🇳",
    "Привет",
    "ǅ",
    "<|endoftext|>",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

fn random_text(numbers: &mut Numbers, max_fragments: usize) -> String {
    (0..numbers.below(max_fragments + 1))
        .map(|_| FRAGMENTS[numbers.below(FRAGMENTS.len())])
        .collect()
}

/// Texts and their counts by the reference, written by `scripts/tokens/check.py --record`.
fn recorded() -> Vec<(String, usize, usize)> {
    serde_json::from_str(include_str!("../../__test__/fixtures/token-counts.json")).unwrap()
}

#[test]
fn counts_equal_the_reference() {
    let recorded = recorded();
    assert!(recorded.len() > 500);
    for (text, o200k, cl100k) in recorded {
        assert_eq!(Vocabulary::O200k.count(&text), o200k, "{text:?}");
        assert_eq!(Vocabulary::Cl100k.count(&text), cl100k, "{text:?}");
    }
}

#[test]
fn special_tokens_are_ordinary_text() {
    assert_eq!(Vocabulary::O200k.count("<|endoftext|>"), 7);
    assert_eq!(Vocabulary::Cl100k.count("<|endoftext|>"), 7);
    assert_eq!(Vocabulary::O200k.count(""), 0);
}

/// Merging by its definition.
struct Defined {
    ranks: HashMap<Vec<u8>, usize>,
}

impl Defined {
    fn new(packed: &[u8]) -> Self {
        let unpacked = Unpacked::new(packed).unwrap();
        let mut tokens: Vec<Vec<u8>> =
            unpacked.single_bytes().iter().map(|byte| vec![*byte]).collect();
        for (left, right) in unpacked.pairs() {
            tokens.push([&tokens[left as usize][..], &tokens[right as usize]].concat());
        }
        let ranks = tokens.into_iter().enumerate().map(|(rank, token)| (token, rank)).collect();
        Defined { ranks }
    }

    fn count(&self, piece: &[u8]) -> usize {
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

#[test]
fn pieces_are_merged_by_the_definition() {
    let mut numbers = Numbers(3);
    let data: [&[u8]; 2] = [include_bytes!("data/o200k.bin"), include_bytes!("data/cl100k.bin")];
    for (vocabulary, packed) in Vocabulary::ALL.into_iter().zip(data) {
        let defined = Defined::new(packed);
        assert!(defined.ranks.len() > 100_000 && SINGLE_BYTES == 256);
        let mut row = row::Row::default();
        for _ in 0..300 {
            let text = random_text(&mut numbers, 30);
            // Any text is a piece here, even if the pattern would split it.
            let count = match text.as_str() {
                "" => 0,
                piece => merge::count_piece(vocabulary.tables(), &mut row, piece.as_bytes()),
            };
            assert_eq!(count, defined.count(text.as_bytes()), "{text:?}");
        }
    }
}

#[test]
fn damaged_data_is_refused() {
    assert!(Unpacked::new(b"not deflated").is_none());
    let mut packed = include_bytes!("data/cl100k.bin").to_vec();
    packed.truncate(packed.len() / 2);
    assert!(Unpacked::new(&packed).is_none());
}

#[test]
fn concurrent_first_counts_agree() {
    let counts = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| Vocabulary::ALL.map(|each| each.count("Hello, world!"))))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(counts, [[4, 4]; 8]);
}

#[test]
fn sums_are_exact_at_exact_joints() {
    let mut numbers = Numbers(5);
    let mut exact = 0;
    for _ in 0..20_000 {
        let (left, right) = (random_text(&mut numbers, 4), random_text(&mut numbers, 4));
        for vocabulary in Vocabulary::ALL {
            if joint_is_exact(&left, &right, vocabulary) {
                let joined = vocabulary.count(&format!("{left}{right}"));
                assert_eq!(
                    vocabulary.count(&left) + vocabulary.count(&right),
                    joined,
                    "{left:?} {right:?}"
                );
                exact += usize::from(!left.is_empty() && !right.is_empty());
            }
        }
    }
    assert!(exact > 7500, "{exact}");
}

#[test]
fn each_rule_for_joints_applies() {
    let exact = |left, right| Vocabulary::ALL.map(|each| joint_is_exact(left, right, each));
    for (left, right) in [
        ("a\n", "b"),
        ("a", " b"),
        ("!", "\tb"),
        ("a", "\nb"),
        ("1", "a"),
        ("a", "1"),
        ("中", "。"),
        ("(", "1"),
    ] {
        assert_eq!(exact(left, right), [true; 2], "{left:?} {right:?}");
    }
    for (left, right) in [
        ("a ", "b"),
        ("a\n", " b"),
        ("!", "\nb"),
        ("a", "b"),
        ("a", "'s"),
        ("(", "a"),
        ("1", "2"),
        ("a", "\u{301}"),
    ] {
        assert_eq!(exact(left, right), [false; 2], "{left:?} {right:?}");
    }
    assert_eq!(exact("!\n", "/"), [false, true]);
}

#[test]
fn joined_texts_are_counted_exactly() {
    let mut numbers = Numbers(7);
    let estimate = Estimate::new(3.3);
    let by_script = estimate.with_scripts([None, Some(2.0), Some(1.7), None]);
    let exact = Vocabulary::ALL.map(Tokenizer::Exact);
    let tokenizers =
        [exact[0], exact[1], Tokenizer::Estimate(estimate), Tokenizer::Estimate(by_script)];
    for _ in 0..2000 {
        let parts: Vec<String> =
            (0..numbers.below(8)).map(|_| random_text(&mut numbers, 3)).collect();
        for tokenizer in tokenizers {
            let mut joined = JoinedBackwards::new(tokenizer);
            for part in parts.iter().rev() {
                joined.prepend(part, tokenizer.measure(part));
            }
            let tokens = tokenizer.tokens(joined.units());
            assert_eq!(tokens, tokenizer.count(&parts.concat()), "{tokenizer:?} {parts:?}");
        }
    }
}

#[test]
fn counting_stops_at_the_limit() {
    let mut numbers = Numbers(9);
    for _ in 0..200 {
        let text = random_text(&mut numbers, 4000);
        for vocabulary in Vocabulary::ALL {
            let all = vocabulary.count(&text);
            for most in [0, all / 2, all.saturating_sub(1), all, all + 1] {
                let counted = vocabulary.count_up_to(&text, most);
                assert_eq!(counted, (all <= most).then_some(all));
            }
        }
    }
}

#[test]
fn the_count_without_a_trailing_line_break_is_exact() {
    let mut numbers = Numbers(11);
    for _ in 0..2000 {
        let text = random_text(&mut numbers, 6);
        for tokenizer in Vocabulary::ALL.map(Tokenizer::Exact) {
            let with = tokenizer.measure(&[&text, "\n"].concat());
            assert_eq!(tokenizer.without_line_break(&text, with), tokenizer.measure(&text));
        }
    }
}

#[test]
fn the_count_of_an_end_follows_from_the_whole() {
    let mut numbers = Numbers(13);
    for _ in 0..2000 {
        let (start, end) = (random_text(&mut numbers, 6), random_text(&mut numbers, 6));
        let text = [&*start, &*end].concat();
        for tokenizer in Vocabulary::ALL.map(Tokenizer::Exact) {
            let units = tokenizer.measure_end(&text, start.len(), tokenizer.measure(&text));
            assert_eq!(units, tokenizer.measure(&end), "{start:?} {end:?}");
        }
    }
}
