//! Merges pieces that are not short.

use super::tables::{NONE, Tables, Token};

/// How many pairs share one entry for their lowest.
const BLOCK: usize = 16;

/// Neighbours that are not merged: higher than all others.
const NO_PAIR: u64 = u64::MAX;

/// Tokens in a row, each at the place where its first part was.
///
/// To find the pair of the lowest rank, only the lowest of each block of pairs are compared. A
/// merge changes two pairs and removes one, and so changes at most three blocks.
#[derive(Default)]
pub struct Row {
    tokens: Vec<Token>,
    next: Vec<u32>,
    previous: Vec<u32>,
    /// For each token, what it and the next one merge into, and in the low bits its place. So the
    /// lowest is the leftmost with the lowest rank.
    pairs: Vec<u64>,
    /// The lowest pair of each block.
    lowest: Vec<u64>,
}

impl Row {
    /// Merges tokens until no neighbours can be merged; returns how many are left.
    pub fn merge(&mut self, tables: &Tables, tokens: impl Iterator<Item = Token>) -> usize {
        self.fill(tables, tokens);
        let mut left = self.tokens.len();
        loop {
            let lowest = self.lowest.as_chunks().0.iter().map(lowest_of).min().unwrap_or(NO_PAIR);
            if lowest == NO_PAIR {
                return left;
            }
            self.merge_pair(tables, lowest as u32 as usize, (lowest >> u32::BITS) as Token);
            left -= 1;
        }
    }

    /// The tokens that are left.
    pub fn tokens(&self) -> impl Iterator<Item = Token> {
        let mut place = 0;
        std::iter::from_fn(move || {
            let token = *self.tokens.get(place)?;
            place = self.next[place] as usize;
            Some(token)
        })
    }

    fn fill(&mut self, tables: &Tables, tokens: impl Iterator<Item = Token>) {
        self.tokens.clear();
        self.tokens.extend(tokens);
        let count = self.tokens.len() as u32;
        self.next.clear();
        self.next.extend(1..=count);
        self.previous.clear();
        self.previous.extend((0..count).map(|place| place.saturating_sub(1)));
        self.pairs.clear();
        let neighbours = self.tokens.windows(2).enumerate();
        self.pairs.extend(
            neighbours.map(|(place, pair)| pair_at(place, tables.merged(pair[0], pair[1]))),
        );
        self.pairs.resize(self.tokens.len().next_multiple_of(BLOCK), NO_PAIR);
        self.lowest.clear();
        self.lowest.extend(self.pairs.as_chunks().0.iter().map(lowest_of));
        self.lowest.resize(self.lowest.len().next_multiple_of(BLOCK), NO_PAIR);
    }

    fn merge_pair(&mut self, tables: &Tables, place: usize, merged: Token) {
        let gone = self.next[place] as usize;
        let next = self.next[gone] as usize;
        self.tokens[place] = merged;
        self.next[place] = next as u32;
        self.pairs[gone] = NO_PAIR;
        self.pairs[place] = NO_PAIR;
        if next < self.tokens.len() {
            self.previous[next] = place as u32;
            self.pairs[place] = pair_at(place, tables.merged(merged, self.tokens[next]));
        }
        self.update_block(place);
        if gone / BLOCK != place / BLOCK {
            self.update_block(gone);
        }
        if place > 0 {
            let before = self.previous[place] as usize;
            self.pairs[before] = pair_at(before, tables.merged(self.tokens[before], merged));
            self.update_block(before);
        }
    }

    #[inline]
    fn update_block(&mut self, place: usize) {
        let block = place / BLOCK;
        self.lowest[block] = lowest_of(&self.pairs.as_chunks().0[block]);
    }
}

fn pair_at(place: usize, merged: Token) -> u64 {
    if merged == NONE { NO_PAIR } else { u64::from(merged) << u32::BITS | place as u64 }
}

/// Uses four lanes, which the processor can work on at the same time.
#[inline]
fn lowest_of(block: &[u64; BLOCK]) -> u64 {
    let mut lanes = [NO_PAIR; 4];
    for four in block.as_chunks::<4>().0 {
        for (lane, pair) in lanes.iter_mut().zip(four) {
            *lane = (*lane).min(*pair);
        }
    }
    lanes[0].min(lanes[1]).min(lanes[2].min(lanes[3]))
}
