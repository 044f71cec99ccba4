//! The size of UTF-16 in UTF-8, in loops that the compiler vectorizes.

/// The size of UTF-16 text in UTF-8, and whether it is well-formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The size in UTF-8, with U+FFFD for each lone surrogate.
    pub bytes: usize,
    /// Whether the text has no lone surrogates.
    pub well_formed: bool,
}

/// The number of units counted in 16-bit sums, few enough that these cannot overflow. The compiler
/// vectorizes 16-bit sums.
const COUNT_CHUNK: usize = 8192;

/// Measures UTF-16 text, with the instructions that the caller is compiled for.
#[inline(always)]
pub fn measure(units: &[u16]) -> Measured {
    let mut bytes = units.len();
    let mut has_surrogates = false;
    for units in units.chunks(COUNT_CHUNK) {
        let (mut beyond_one, mut surrogates) = (0, 0);
        for unit in units {
            beyond_one += u16::from(*unit >= 0x80) + u16::from(*unit >= 0x800);
            surrogates |= u16::from(is_surrogate(*unit));
        }
        bytes += usize::from(beyond_one);
        has_surrogates |= surrogates != 0;
    }
    if !has_surrogates {
        return Measured { bytes, well_formed: true };
    }
    let (surrogates, pairs) = surrogates_and_pairs(units);
    // A pair takes four bytes, but its two surrogates were counted as three bytes each.
    Measured { bytes: bytes - 2 * pairs, well_formed: surrogates == 2 * pairs }
}

#[inline(always)]
fn surrogates_and_pairs(units: &[u16]) -> (usize, usize) {
    let seconds = units.get(1..).unwrap_or_default();
    // The loop counts every unit that has a successor; the last unit has none.
    let mut surrogates = units.last().map_or(0, |last| usize::from(is_surrogate(*last)));
    let mut pairs = 0;
    for (first, second) in units.chunks(COUNT_CHUNK).zip(seconds.chunks(COUNT_CHUNK)) {
        let (mut some_surrogates, mut some_pairs) = (0, 0);
        for (first, second) in first.iter().zip(second) {
            some_surrogates += u16::from(is_surrogate(*first));
            some_pairs += u16::from((first & 0xFC00 == 0xD800) & (second & 0xFC00 == 0xDC00));
        }
        surrogates += usize::from(some_surrogates);
        pairs += usize::from(some_pairs);
    }
    (surrogates, pairs)
}

#[inline(always)]
fn is_surrogate(unit: u16) -> bool {
    unit & 0xF800 == 0xD800
}
