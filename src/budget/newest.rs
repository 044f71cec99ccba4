//! The newest lines that fit, of lines of which only the sizes are known.

/// Lines that are kept.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Newest {
    /// How many they are.
    pub lines: usize,
    /// Their bytes.
    pub bytes: usize,
}

/// Nothing older than the first line that does not fit is examined.
pub fn newest_that_fit(line_bytes: impl IntoIterator<Item = usize>, room: usize) -> Newest {
    let mut newest = Newest::default();
    for bytes in line_bytes {
        if bytes > room - newest.bytes {
            break;
        }
        newest = Newest { lines: newest.lines + 1, bytes: newest.bytes + bytes };
    }
    newest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_does_not_fit_ends_them() {
        for (sizes, room, lines, bytes) in [
            (&[3, 4, 5, 1][..], 12, 3, 12),
            (&[3, 4, 5, 1], 11, 2, 7),
            (&[3, 4], 100, 2, 7),
            (&[3], 2, 0, 0),
            (&[], 2, 0, 0),
        ] {
            let newest = newest_that_fit(sizes.iter().copied(), room);
            assert_eq!(newest, Newest { lines, bytes }, "{sizes:?} in {room}");
        }
    }
}
