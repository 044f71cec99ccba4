//! A vocabulary as tables: which two tokens are merged into which.
//!
//! The bytes of the tokens are not kept. Merging its bytes shows whether a piece is one token,
//! which is as fast as looking it up, and takes less memory and less time to set up.

use super::unpack::{SINGLE_BYTES, Unpacked};

/// A token, by its rank. Of all pairs in a piece, the one with the lowest rank is merged first.
pub type Token = u32;

/// No token.
pub const NONE: Token = Token::MAX;

/// Ranks have at most this many bits, in both vocabularies.
pub const RANK_BITS: u32 = 18;
const RANK_MASK: u64 = (1 << RANK_BITS) - 1;

/// How many bits of a hash index the filter: it has six times as many bits as there are tokens.
const FILTER_HASH_BITS: u32 = 20;

/// The characters that are looked up. Hardly any beyond these are tokens.
const MAX_CHARACTERS: usize = 0x2_0000;

/// The tables of one vocabulary.
pub struct Tables {
    /// Tokens by the two that they are made of, with open addressing: left, right and merged in
    /// one number, 0 if the place is free.
    merges: Vec<u64>,
    /// A bit for each hash that occurs in `merges`. Most pairs are not merged, and this table is
    /// small enough to stay in the processor's cache.
    filter: Vec<u64>,
    /// Characters that are tokens, 0 for others: the token 0 is a single byte.
    characters: Vec<Token>,
    singles: [Token; SINGLE_BYTES],
    crossed: Vec<u8>,
    sizes: Vec<u8>,
}

impl Tables {
    /// `None` if the data is damaged.
    pub fn new(unpacked: &Unpacked) -> Option<Self> {
        let pairs = unpacked.pairs();
        let count = SINGLE_BYTES + pairs.len();
        if count as u64 > RANK_MASK {
            return None;
        }
        let mut tables = Tables {
            // At least a fifth stays free.
            merges: vec![0; (count * 5 / 4).next_power_of_two()],
            filter: vec![0; 1 << (FILTER_HASH_BITS - u64::BITS.ilog2())],
            characters: vec![0; MAX_CHARACTERS],
            singles: [NONE; SINGLE_BYTES],
            crossed: unpacked.crossed().to_vec(),
            sizes: vec![1; SINGLE_BYTES],
        };
        let mut beginnings = Vec::with_capacity(count);
        for (token, byte) in unpacked.single_bytes().iter().enumerate() {
            tables.singles[usize::from(*byte)] = token as Token;
            beginnings.push(u32::from(*byte));
        }
        for (left, right) in pairs {
            tables.add_token(left, right, &mut beginnings)?;
        }
        Some(tables)
    }

    /// Adds the next token. `beginnings` are the first four bytes of each, the first byte lowest.
    fn add_token(&mut self, left: Token, right: Token, beginnings: &mut Vec<u32>) -> Option<()> {
        let merged = beginnings.len() as Token;
        let [left_bytes, right_bytes] = [left, right].map(|half| beginnings.get(half as usize));
        let (left_bytes, right_bytes) = (*left_bytes?, *right_bytes?);
        let [left_size, right_size] = [left, right].map(|half| self.sizes[half as usize]);
        let size = left_size.checked_add(right_size)?;
        self.sizes.push(size);
        let beginning = left_bytes | right_bytes.checked_shl(u32::from(left_size) * 8).unwrap_or(0);
        beginnings.push(beginning);
        let bytes = beginning.to_le_bytes();
        if let Some(character) = bytes.get(..usize::from(size)).and_then(single_character)
            && let Some(entry) = self.characters.get_mut(character as usize)
        {
            *entry = merged;
        }
        self.add_merge(left, right, merged);
        Some(())
    }

    fn add_merge(&mut self, left: Token, right: Token, merged: Token) {
        let (key, hash) = key_and_hash(left, right);
        let (word, bit) = filter_place(hash);
        self.filter[word] |= bit;
        let mask = self.merges.len() - 1;
        let mut slot = first_slot(hash, mask);
        while self.merges[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        self.merges[slot] = key << RANK_BITS | u64::from(merged);
    }

    /// What two tokens are merged into; `NONE` if they are not.
    #[inline]
    pub fn merged(&self, left: Token, right: Token) -> Token {
        let (key, hash) = key_and_hash(left, right);
        let (word, bit) = filter_place(hash);
        if self.filter[word] & bit == 0 {
            return NONE;
        }
        let mask = self.merges.len() - 1;
        let mut slot = first_slot(hash, mask);
        loop {
            let entry = self.merges[slot];
            if entry == 0 {
                return NONE;
            }
            if entry >> RANK_BITS == key {
                return (entry & RANK_MASK) as Token;
            }
            slot = (slot + 1) & mask;
        }
    }

    /// The token of a single byte.
    #[inline]
    pub fn single(&self, byte: u8) -> Token {
        self.singles[usize::from(byte)]
    }

    /// The token of a character of several bytes; `NONE` if it is not a token.
    #[inline]
    pub fn character(&self, code_point: usize) -> Token {
        match self.characters.get(code_point) {
            None | Some(0) => NONE,
            Some(token) => *token,
        }
    }

    /// Whether some token contains both of these bytes, the last of one character and the first of
    /// the next, and a part of a character.
    #[inline]
    pub fn is_crossed(&self, last: u8, first: u8) -> bool {
        let pair = usize::from(last) << 8 | usize::from(first);
        self.crossed[pair / 8] >> (pair % 8) & 1 == 1
    }

    /// How many bytes a token has.
    pub fn token_bytes(&self, token: Token) -> usize {
        usize::from(self.sizes[token as usize])
    }
}

/// The character that these bytes are, if they are exactly one.
fn single_character(bytes: &[u8]) -> Option<char> {
    let mut characters = std::str::from_utf8(bytes).ok()?.chars();
    characters.next().filter(|_| characters.next().is_none())
}

#[inline]
fn key_and_hash(left: Token, right: Token) -> (u64, u64) {
    let key = u64::from(left) << RANK_BITS | u64::from(right);
    (key, key.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// The word of the filter, and the bit in it.
#[inline]
fn filter_place(hash: u64) -> (usize, u64) {
    let place = hash >> (u64::BITS - FILTER_HASH_BITS);
    ((place / 64) as usize, 1 << (place % 64))
}

/// Where a pair is looked for first. The lower bits of a product are mixed less well.
#[inline]
fn first_slot(hash: u64, mask: usize) -> usize {
    (hash >> 40) as usize & mask
}
