//! Sums of sizes from the first one on, which stay cheap when a size in the middle changes.

/// Sizes in a row, as far as their sums were asked for, as a Fenwick tree: entry `i` has the sum of
/// the `i & -i` sizes that end with it, counted from one.
#[derive(Debug, Default)]
pub(super) struct Sums {
    tree: Vec<u64>,
}

impl Sums {
    /// The sum of the sizes before an index. `size` tells those that are not known yet.
    pub fn before(&mut self, index: usize, size: impl Fn(usize) -> usize) -> u64 {
        for next in self.tree.len()..index {
            self.push(size(next));
        }
        let mut sum = 0;
        let mut place = index;
        while place > 0 {
            sum += self.tree[place - 1];
            place -= span(place);
        }
        sum
    }

    fn push(&mut self, size: usize) {
        let place = self.tree.len() + 1;
        let first = place - span(place);
        let mut sum = size as u64;
        let mut child = place - 1;
        while child > first {
            sum += self.tree[child - 1];
            child -= span(child);
        }
        self.tree.push(sum);
    }

    /// Changes the size at an index.
    pub fn change(&mut self, index: usize, before: usize, after: usize) {
        let mut place = index + 1;
        while let Some(sum) = self.tree.get_mut(place - 1) {
            *sum = *sum + after as u64 - before as u64;
            place += span(place);
        }
    }

    /// Forgets the sizes from an index on, because others stand there now.
    pub fn forget_from(&mut self, index: usize) {
        self.tree.truncate(index);
    }

    /// Memory use in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.tree.capacity() * size_of::<u64>()
    }
}

/// How many sizes an entry sums up.
fn span(place: usize) -> usize {
    place & place.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_follow_appended_changed_and_removed_sizes() {
        let mut sizes: Vec<usize> = (0..70).map(|nth| nth * 7 % 11).collect();
        let mut sums = Sums::default();
        for step in 0..70 {
            let index = step * 13 % sizes.len();
            if step % 5 == 0 {
                sizes.remove(index);
                sums.forget_from(index);
            } else {
                sums.change(index, sizes[index], step);
                sizes[index] = step;
            }
            let last = if step % 2 == 0 { sizes.len() / 2 } else { sizes.len() };
            for end in 0..=last {
                let expected = sizes[..end].iter().sum::<usize>() as u64;
                assert_eq!(sums.before(end, |at| sizes[at]), expected);
            }
        }
    }
}
