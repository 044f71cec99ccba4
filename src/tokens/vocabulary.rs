//! The vocabularies in the binary.

use super::cache::PieceCache;
use super::joint::first_border;
use super::merge::count_piece;
use super::row::Row;
use super::split::{cl100k_piece_end, o200k_piece_end};
use super::tables::Tables;
use super::unpack::Unpacked;
use std::cell::RefCell;
use std::sync::OnceLock;

/// A vocabulary of OpenAI, which counts tokens exactly. Text that looks like a special token is
/// counted as ordinary text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Vocabulary {
    /// `o200k_base`: GPT-4o and later, Codex.
    O200k,
    /// `cl100k_base`: GPT-4 and GPT-3.5.
    Cl100k,
}

/// The longest token of any vocabulary: white space.
pub const MOST_TOKEN_BYTES: usize = 128;

/// What counting needs in addition to the tables, kept by each thread for its next text.
#[derive(Default)]
struct Workspace {
    caches: [Option<PieceCache>; Vocabulary::ALL.len()],
    row: Row,
}

thread_local! {
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

impl Vocabulary {
    /// All vocabularies.
    pub const ALL: [Vocabulary; 2] = [Vocabulary::O200k, Vocabulary::Cl100k];

    /// The name that callers use.
    pub fn name(self) -> &'static str {
        match self {
            Vocabulary::O200k => "o200k",
            Vocabulary::Cl100k => "cl100k",
        }
    }

    /// The vocabulary of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|vocabulary| vocabulary.name() == name)
    }

    /// How many tokens a text is. The first call unpacks the vocabulary.
    pub fn count(self, text: &str) -> usize {
        let tables = self.tables();
        WORKSPACE.with_borrow_mut(|Workspace { caches, row }| {
            let cache = caches[self as usize].get_or_insert_with(PieceCache::new);
            let mut count =
                |piece: &[u8]| cache.get_or_count(piece, |piece| count_piece(tables, row, piece));
            // The function is named here so that each loop is compiled for its own.
            match self {
                Vocabulary::O200k => sum_pieces(text.as_bytes(), o200k_piece_end, &mut count),
                Vocabulary::Cl100k => sum_pieces(text.as_bytes(), cl100k_piece_end, &mut count),
            }
        })
    }

    /// How many tokens a text is, or `None` if more than `most`. Text after the first `most` tokens
    /// is hardly read.
    pub fn count_up_to(self, text: &str, most: usize) -> Option<usize> {
        /// Long enough that searching for a border costs little.
        const STEP_BYTES: usize = 4096;
        let (mut at, mut tokens) = (0, 0);
        while at < text.len() {
            let next = text.ceil_char_boundary(at.saturating_add(STEP_BYTES));
            let border = first_border(text, next, self).filter(|_| next < text.len());
            let end = border.unwrap_or(text.len());
            tokens += self.count(&text[at..end]);
            if tokens > most {
                return None;
            }
            at = end;
        }
        Some(tokens)
    }

    #[expect(clippy::expect_used, reason = "the data is in the binary, and tests unpack it")]
    pub(super) fn tables(self) -> &'static Tables {
        static O200K: OnceLock<Tables> = OnceLock::new();
        static CL100K: OnceLock<Tables> = OnceLock::new();
        let (tables, packed): (_, &[u8]) = match self {
            Vocabulary::O200k => (&O200K, include_bytes!("data/o200k.bin")),
            Vocabulary::Cl100k => (&CL100K, include_bytes!("data/cl100k.bin")),
        };
        tables.get_or_init(|| {
            let unpacked = Unpacked::new(packed).expect("the vocabulary can be inflated");
            Tables::new(&unpacked).expect("each token is made of two before it")
        })
    }
}

#[inline(always)]
fn sum_pieces(
    text: &[u8],
    piece_end: impl Fn(&[u8], usize) -> usize,
    count: &mut impl FnMut(&[u8]) -> usize,
) -> usize {
    let (mut at, mut total) = (0, 0);
    while at < text.len() {
        let end = piece_end(text, at);
        total += count(&text[at..end]);
        at = end;
    }
    total
}
