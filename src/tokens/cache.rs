//! Pieces that were counted lately: a piece that a text repeats is seldom merged twice.

/// The size of the longest pieces that are kept. Most words are shorter.
const MAX_BYTES: usize = 15;

/// How many bits of a hash choose the place of a piece: 16384 places of 16 bytes.
const PLACE_BITS: u32 = 14;

/// Counts of pieces, each at the place that its bytes determine.
pub struct PieceCache {
    entries: Box<[CacheEntry]>,
}

/// The bytes of a piece; in the highest eight bits its size and its number of tokens, both at most
/// 15. An entry of zeros is empty.
#[derive(Clone, Copy, Default)]
struct CacheEntry {
    low: u64,
    high: u64,
}

const SIZE_SHIFT: u32 = 56;
const TOKENS_SHIFT: u32 = 60;

impl CacheEntry {
    /// A piece of at most 15 bytes, not counted yet.
    #[inline(always)]
    fn uncounted(piece: &[u8]) -> Self {
        let size = (piece.len() as u64) << SIZE_SHIFT;
        match piece.split_first_chunk() {
            Some((first, rest)) => {
                CacheEntry { low: u64::from_le_bytes(*first), high: up_to_7_bytes(rest) | size }
            }
            None => CacheEntry { low: up_to_7_bytes(piece), high: size },
        }
    }

    #[inline(always)]
    fn is_same_piece(self, other: CacheEntry) -> bool {
        const TOKENS_BITS: u32 = u64::BITS - TOKENS_SHIFT;
        self.low == other.low && self.high << TOKENS_BITS == other.high << TOKENS_BITS
    }

    #[inline(always)]
    fn place(self) -> usize {
        let hash = (self.low ^ self.high.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (hash >> (u64::BITS - PLACE_BITS)) as usize
    }
}

impl PieceCache {
    /// An empty cache.
    pub fn new() -> Self {
        PieceCache { entries: vec![CacheEntry::default(); 1 << PLACE_BITS].into() }
    }

    /// How many tokens a piece is; calls `count` if it is not cached.
    #[inline(always)]
    pub fn get_or_count(&mut self, piece: &[u8], count: impl FnOnce(&[u8]) -> usize) -> usize {
        if piece.len() > MAX_BYTES {
            return count(piece);
        }
        let wanted = CacheEntry::uncounted(piece);
        let entry = &mut self.entries[wanted.place()];
        if entry.is_same_piece(wanted) {
            return (entry.high >> TOKENS_SHIFT) as usize;
        }
        let tokens = count(piece);
        *entry = CacheEntry { high: wanted.high | (tokens as u64) << TOKENS_SHIFT, ..wanted };
        tokens
    }
}

/// Up to seven bytes as one number, without a loop.
#[inline(always)]
fn up_to_7_bytes(bytes: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let [first, last] = [first, last].map(|half| u64::from(u32::from_le_bytes(*half)));
        // Where they overlap, they have the same bytes.
        return first | last << ((bytes.len() - 4) * 8);
    }
    let byte = |at: usize| u64::from(bytes.get(at).copied().unwrap_or(0));
    byte(0) | byte(1) << 8 | byte(2) << 16
}
