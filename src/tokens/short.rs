//! Merges short pieces, as most are.

use super::tables::{NONE, RANK_BITS, Tables, Token};

/// The most tokens that a short piece has before it is merged: one bit of a number for each.
pub const MAX_TOKENS: usize = u32::BITS as usize;

const PLACE_BITS: u32 = MAX_TOKENS.ilog2();

/// Neighbours that are not merged: higher than all others.
const NO_PAIR: i32 = i32::MAX;

const _: () = assert!(RANK_BITS + PLACE_BITS < i32::BITS - 1);

/// What neighbours merge into, and in the low bits the place of the left one. So the lowest is the
/// leftmost with the lowest rank.
#[inline]
fn pair_at(place: usize, merged: Token) -> i32 {
    if merged == NONE { NO_PAIR } else { (merged << PLACE_BITS) as i32 | place as i32 }
}

/// Merges the first `count` tokens until no neighbours can be merged; returns how many are left.
///
/// Each token stays where it was. `left` has a bit for each one that still exists.
#[inline]
pub fn merge_short(tables: &Tables, tokens: &mut [Token; MAX_TOKENS], count: usize) -> usize {
    let mut pairs = [NO_PAIR; MAX_TOKENS];
    for (place, neighbours) in tokens[..count].windows(2).enumerate() {
        pairs[place] = pair_at(place, tables.merged(neighbours[0], neighbours[1]));
    }
    let pairs = &mut pairs[..count];
    let mut left = u32::MAX >> (MAX_TOKENS - count);
    loop {
        let lowest = pairs.iter().copied().min().unwrap_or(NO_PAIR);
        if lowest == NO_PAIR {
            return left.count_ones() as usize;
        }
        let place = lowest as usize % MAX_TOKENS;
        let merged = lowest as Token >> PLACE_BITS;
        tokens[place] = merged;
        // The next token is gone; the one after it takes its place.
        let behind = left & (u32::MAX << place << 1);
        pairs[behind.trailing_zeros() as usize] = NO_PAIR;
        left ^= behind & behind.wrapping_neg();
        let behind = behind & behind.wrapping_sub(1);
        pairs[place] = match behind {
            0 => NO_PAIR,
            _ => pair_at(place, tables.merged(merged, tokens[behind.trailing_zeros() as usize])),
        };
        if let Some(before) = (left & !(u32::MAX << place)).checked_ilog2() {
            let before = before as usize;
            pairs[before] = pair_at(before, tables.merged(tokens[before], merged));
        }
    }
}
