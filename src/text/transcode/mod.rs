//! Converts UTF-16 to UTF-8 and back. For text beyond ASCII this is several times faster than
//! V8's own conversion.
//!
//! 1. On processors with AVX2 (`x86_64`), a vector of units or bytes is converted at once.
//!    `scalar` converts on other processors, and what the vector conversion refuses.
//! 2. A lone surrogate becomes U+FFFD, and so does each malformed UTF-8 sequence, as in the
//!    standard library's lossy conversions.

mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use std::mem::MaybeUninit;
#[cfg(target_arch = "x86_64")]
use x86_64::avx2;

/// Output capacity is reserved for this many input elements at a time. A UTF-16 unit takes one to
/// three bytes, so reserving three for every unit of a large text would waste memory.
const RESERVE_CHUNK: usize = 1024;

/// The number of output elements that one conversion step may overwrite. It may write beyond
/// the part that it reports as written.
pub const OUTPUT_WINDOW: usize = 64;

/// How much one conversion step has read and written.
pub struct Progress {
    /// The number of input elements that were read.
    pub read: usize,
    /// The number of output elements that were written.
    pub written: usize,
}

/// Appends UTF-16 to `out` as UTF-8.
pub fn push_utf16(units: &[u16], out: &mut Vec<u8>) {
    #[cfg(target_arch = "x86_64")]
    if avx2::is_supported() {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn push(units: &[u16], out: &mut Vec<u8>) {
            push_transcoded(
                units,
                3,
                out,
                |units, window| avx2::encode(units, window),
                scalar::encode,
            );
        }
        #[expect(unsafe_code, reason = "calls a function that needs certain processor features")]
        // SAFETY: `is_supported` has checked these features.
        return unsafe { push(units, out) };
    }
    push_utf16_scalar(units, out);
}

fn push_utf16_scalar(units: &[u16], out: &mut Vec<u8>) {
    push_transcoded(units, 3, out, |_: &[u16; 8], _| None, scalar::encode);
}

/// Appends UTF-8 to `out` as UTF-16.
pub fn push_utf8(bytes: &[u8], out: &mut Vec<u16>) {
    #[cfg(target_arch = "x86_64")]
    if avx2::is_supported() {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn push(bytes: &[u8], out: &mut Vec<u16>) {
            push_transcoded(
                bytes,
                1,
                out,
                |bytes, window| avx2::decode(bytes, window),
                scalar::decode,
            );
        }
        #[expect(unsafe_code, reason = "calls a function that needs certain processor features")]
        // SAFETY: `is_supported` has checked these features.
        return unsafe { push(bytes, out) };
    }
    push_utf8_scalar(bytes, out);
}

fn push_utf8_scalar(bytes: &[u8], out: &mut Vec<u16>) {
    push_transcoded(bytes, 1, out, |_: &[u8; 8], _| None, scalar::decode);
}

/// Converts `text` and appends the result to `out`.
///
/// - `max_per_element`: the most output elements for one input element;
/// - `vector`: converts up to `N` elements, or returns `None` if it cannot convert them;
/// - `scalar`: converts at least one element of any input.
#[inline(always)]
fn push_transcoded<const N: usize, From: Copy + Default, To: Copy>(
    text: &[From],
    max_per_element: usize,
    out: &mut Vec<To>,
    vector: impl Fn(&[From; N], &mut [MaybeUninit<To>; OUTPUT_WINDOW]) -> Option<Progress>,
    scalar: impl Fn(&[From], &mut [MaybeUninit<To>; OUTPUT_WINDOW]) -> Progress,
) {
    let mut rest = text;
    while !rest.is_empty() {
        out.reserve(rest.len().min(RESERVE_CHUNK) * max_per_element + OUTPUT_WINDOW);
        let spare = out.spare_capacity_mut();
        let mut written = 0;
        while let Some(next) = rest.first_chunk()
            && let Some(window) = spare[written..].first_chunk_mut()
        {
            let progress = vector(next, window).unwrap_or_else(|| scalar(rest, window));
            rest = &rest[progress.read..];
            written += progress.written;
        }
        while !rest.is_empty()
            && rest.len() < N
            && let Some(window) = spare[written..].first_chunk_mut()
        {
            // The last elements are padded with zeros. Each zero becomes one output element.
            let mut padded = [From::default(); N];
            padded[..rest.len()].copy_from_slice(rest);
            let progress = vector(&padded, window).unwrap_or_else(|| scalar(rest, window));
            let padding = progress.read.saturating_sub(rest.len());
            rest = &rest[progress.read - padding..];
            written += progress.written - padding;
        }
        let length = out.len() + written;
        #[expect(
            unsafe_code,
            reason = "there is no safe way to keep elements written to spare capacity"
        )]
        // SAFETY: the steps have initialized these elements, one after the other.
        unsafe {
            out.set_len(length);
        }
    }
}

/// Converts UTF-16 to a string.
pub fn string_of_utf16(units: &[u16]) -> String {
    let mut bytes = Vec::new();
    push_utf16(units, &mut bytes);
    #[expect(unsafe_code, reason = "checking would take longer than converting")]
    // SAFETY: each step writes whole characters, with U+FFFD for lone surrogates. The tests
    // compare the result with the standard library's for every unit and every pair.
    unsafe {
        String::from_utf8_unchecked(bytes)
    }
}

/// The size of UTF-16 text in UTF-8.
pub fn utf8_bytes(units: &[u16]) -> usize {
    measure_utf16(units).bytes
}

/// What [`measure_utf16`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The size in UTF-8, with U+FFFD for each lone surrogate.
    pub bytes: usize,
    /// Whether the text has no lone surrogates.
    pub well_formed: bool,
}

/// Measures UTF-16 text without converting it.
pub fn measure_utf16(units: &[u16]) -> Measured {
    #[cfg(target_arch = "x86_64")]
    if avx2::is_supported() {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn measure(units: &[u16]) -> Measured {
            measure_scalar(units)
        }
        #[expect(unsafe_code, reason = "calls a function that needs certain processor features")]
        // SAFETY: `is_supported` has checked these features.
        return unsafe { measure(units) };
    }
    measure_scalar(units)
}

/// The number of units that are counted in 16-bit sums, which cannot overflow for so few. The
/// compiler vectorizes 16-bit sums.
const COUNT_CHUNK: usize = 8192;

#[inline(always)]
fn measure_scalar(units: &[u16]) -> Measured {
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

#[cfg(test)]
mod tests;
