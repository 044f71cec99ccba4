//! A vocabulary as it is packed into the binary, compressed with deflate.
//!
//! 1. The first 256 tokens are single bytes, in the order of their ranks.
//! 2. Then comes a bit for each two bytes, which [`Tables::is_crossed`](super::tables::Tables)
//!    returns.
//! 3. Every other token is made of two tokens of lower rank: those that are left when all merges of
//!    its bytes but the last are done. The ranks of the left ones and of the right ones follow, as
//!    three planes each: the low bytes of all, the middle ones, the high ones. That takes less
//!    space than the bytes of the tokens, compressed or not.
//!
//! `scripts/tokens/make-data.py` makes these files.

/// How many tokens are single bytes.
pub const SINGLE_BYTES: usize = 256;

const CROSSED_BYTES: usize = 256 * 256 / 8;

/// How many bytes of the unpacked data describe a pair.
const BYTES_PER_PAIR: usize = 6;

/// A vocabulary, before it is made into tables.
pub struct Unpacked(Vec<u8>);

impl Unpacked {
    /// `None` if the data is damaged.
    pub fn new(packed: &[u8]) -> Option<Self> {
        let data = miniz_oxide::inflate::decompress_to_vec(packed).ok()?;
        let pairs = data.len().checked_sub(SINGLE_BYTES + CROSSED_BYTES)?;
        pairs.is_multiple_of(BYTES_PER_PAIR).then_some(Unpacked(data))
    }

    /// The tokens of a single byte, by rank.
    pub fn single_bytes(&self) -> &[u8] {
        &self.0[..SINGLE_BYTES]
    }

    /// A bit for each two bytes.
    pub fn crossed(&self) -> &[u8] {
        &self.0[SINGLE_BYTES..SINGLE_BYTES + CROSSED_BYTES]
    }

    /// The two tokens that each of the others is made of, by rank.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        let data = &self.0[SINGLE_BYTES + CROSSED_BYTES..];
        let count = data.len() / BYTES_PER_PAIR;
        let planes: [&[u8]; BYTES_PER_PAIR] =
            std::array::from_fn(|plane| &data[plane * count..][..count]);
        (0..count).map(move |pair| {
            let rank = |first: usize| {
                let [low, middle, high] = [first, first + 1, first + 2].map(|p| planes[p][pair]);
                u32::from_le_bytes([low, middle, high, 0])
            };
            (rank(0), rank(3))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::MOST_TOKEN_BYTES;

    #[test]
    fn no_token_is_longer_than_the_longest() {
        for packed in
            [include_bytes!("data/o200k.bin").as_slice(), include_bytes!("data/cl100k.bin")]
        {
            let mut lengths = vec![1; SINGLE_BYTES];
            for (left, right) in Unpacked::new(packed).unwrap().pairs() {
                lengths.push(lengths[left as usize] + lengths[right as usize]);
            }
            assert_eq!(lengths.into_iter().max(), Some(MOST_TOKEN_BYTES));
        }
    }
}
