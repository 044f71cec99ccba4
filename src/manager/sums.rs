//! Sums of sizes from the first one on, which stay cheap when a size in the middle changes.

/// Sizes in a row, as a Fenwick tree: entry `i` has the sum of the `i & -i` sizes that end with it,
/// counted from one.
#[derive(Debug, Default)]
pub(super) struct Sums {
    tree: Vec<u64>,
}

impl Sums {
    /// Appends a size.
    pub fn push(&mut self, size: usize) {
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

    /// How many sizes there are.
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Changes the size at an index.
    pub fn change(&mut self, index: usize, before: usize, after: usize) {
        let mut place = index + 1;
        while let Some(sum) = self.tree.get_mut(place - 1) {
            *sum = *sum + after as u64 - before as u64;
            place += span(place);
        }
    }

    /// The sum of the sizes before an index.
    pub fn before(&self, index: usize) -> u64 {
        let mut sum = 0;
        let mut place = index;
        while place > 0 {
            sum += self.tree[place - 1];
            place -= span(place);
        }
        sum
    }

    /// Memory use in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.tree.capacity() * size_of::<u64>()
    }
}

impl FromIterator<usize> for Sums {
    fn from_iter<T: IntoIterator<Item = usize>>(sizes: T) -> Self {
        let mut sums = Sums::default();
        sizes.into_iter().for_each(|size| sums.push(size));
        sums
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
    fn sums_follow_appended_and_changed_sizes() {
        let mut sizes: Vec<usize> = (0..70).map(|nth| nth * 7 % 11).collect();
        let mut sums: Sums = sizes.iter().copied().collect();
        for step in 0..70 {
            let index = step * 13 % 70;
            sums.change(index, sizes[index], step);
            sizes[index] = step;
            for end in 0..=sizes.len() {
                assert_eq!(sums.before(end), sizes[..end].iter().sum::<usize>() as u64);
            }
        }
    }
}
