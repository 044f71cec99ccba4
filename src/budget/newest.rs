//! The newest lines that fit, of lines of which only the sizes are known.

/// How many they are. Nothing older than the first line that does not fit is examined.
pub fn newest_that_fit(line_bytes: impl IntoIterator<Item = usize>, room: usize) -> usize {
    let mut left = room;
    let fits = |bytes: &usize| match left.checked_sub(*bytes) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    line_bytes.into_iter().take_while(fits).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_does_not_fit_ends_them() {
        assert_eq!(newest_that_fit([3, 4, 5, 1], 12), 3);
        assert_eq!(newest_that_fit([3, 4, 5, 1], 11), 2);
        assert_eq!(newest_that_fit([3, 4], 100), 2);
        assert_eq!(newest_that_fit([3], 2), 0);
        assert_eq!(newest_that_fit([], 2), 0);
    }
}
