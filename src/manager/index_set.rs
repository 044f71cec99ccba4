//! Sets of messages, by their indices.

use std::ops::Range;

/// Indices of messages, as ascending ranges that do not touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexSet {
    ranges: Vec<Range<usize>>,
}

impl IndexSet {
    /// Adds a range.
    pub fn insert(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let first = self.ranges.partition_point(|known| known.end < range.start);
        let last = self.ranges.partition_point(|known| known.start <= range.end);
        let touched = &self.ranges[first..last];
        let start = touched.first().map_or(range.start, |known| known.start.min(range.start));
        let end = touched.last().map_or(range.end, |known| known.end.max(range.end));
        self.ranges.splice(first..last, std::iter::once(start..end));
    }

    /// Removes an index.
    pub fn remove(&mut self, index: usize) {
        let place = self.ranges.partition_point(|known| known.end <= index);
        let Some(known) = self.ranges.get(place).filter(|known| known.contains(&index)).cloned()
        else {
            return;
        };
        let rest = [known.start..index, index + 1..known.end];
        self.ranges.splice(place..=place, rest.into_iter().filter(|range| !range.is_empty()));
    }

    /// Removes an index and shifts those after it down by one.
    pub fn close_up(&mut self, index: usize) {
        self.remove(index);
        let after = |at: usize| at - usize::from(at > index);
        let ranges = std::mem::take(&mut self.ranges);
        for range in ranges {
            self.insert(after(range.start)..after(range.end));
        }
    }

    /// Whether the set contains an index.
    pub fn contains(&self, index: usize) -> bool {
        let place = self.ranges.partition_point(|known| known.end <= index);
        self.ranges.get(place).is_some_and(|known| known.contains(&index))
    }

    /// The ranges.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// The indices, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.ranges.iter().cloned().flatten()
    }

    /// Approximate memory use in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.ranges.capacity() * size_of::<Range<usize>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_set_equals_a_list_of_booleans() {
        // Compared with a plain list of booleans over a fixed sequence of changes.
        let mut set = IndexSet::default();
        let mut list = vec![false; 40];
        let mut number: u64 = 7;
        let mut next = |below: usize| {
            number = number.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (number >> 33) as usize % below
        };
        for _ in 0..2000 {
            let (start, length) = (next(40), next(6));
            match next(4) {
                0 | 1 => {
                    let range = start..(start + length).min(40);
                    list[range.clone()].fill(true);
                    set.insert(range);
                }
                2 => {
                    list[start] = false;
                    set.remove(start);
                }
                _ => {
                    list.remove(start);
                    list.push(false);
                    set.close_up(start);
                }
            }
            let shown: Vec<bool> = (0..40).map(|index| set.contains(index)).collect();
            assert_eq!(shown, list);
            let there: Vec<usize> = (0..40).filter(|index| list[*index]).collect();
            assert_eq!(set.iter().collect::<Vec<_>>(), there);
            assert!(set.ranges().windows(2).all(|pair| pair[0].end < pair[1].start));
        }
    }
}
