//! UTF-16 to UTF-8 and back, several times faster than the engine's own conversion for text
//! beyond ASCII.
//!
//! Many units at a time where that is possible, one at a time otherwise. A lone surrogate
//! becomes U+FFFD.

mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use std::mem::MaybeUninit;
#[cfg(target_arch = "x86_64")]
use x86_64::avx2;

/// For how much of the text room is made at a time. A unit may need three bytes or one, and a
/// large text should not get room for three that it does not need.
const RESERVE_CHUNK: usize = 1024;

/// What a step may write to, though it uses less.
pub const OUTPUT_WINDOW: usize = 64;

/// How much was read and written at once, in units or bytes.
pub struct Progress {
    pub read: usize,
    pub written: usize,
}

/// Appends UTF-16 as UTF-8.
pub fn push_utf16(units: &[u16], out: &mut Vec<u8>) {
    #[cfg(target_arch = "x86_64")]
    if avx2::is_supported() {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn push(units: &[u16], out: &mut Vec<u8>) {
            push_transcoded(units, 3, out, |units, room| avx2::encode(units, room), scalar::encode);
        }
        #[expect(unsafe_code, reason = "the compiler does not know the processor")]
        // SAFETY: the processor was just asked.
        return unsafe { push(units, out) };
    }
    push_utf16_scalar(units, out);
}

fn push_utf16_scalar(units: &[u16], out: &mut Vec<u8>) {
    push_transcoded(units, 3, out, |_: &[u16; 8], _| None, scalar::encode);
}

/// Appends well-formed UTF-8 as UTF-16. What is not well-formed becomes U+FFFD.
pub fn push_utf8(bytes: &[u8], out: &mut Vec<u16>) {
    #[cfg(target_arch = "x86_64")]
    if avx2::is_supported() {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn push(bytes: &[u8], out: &mut Vec<u16>) {
            push_transcoded(bytes, 1, out, |bytes, room| avx2::decode(bytes, room), scalar::decode);
        }
        #[expect(unsafe_code, reason = "the compiler does not know the processor")]
        // SAFETY: the processor was just asked.
        return unsafe { push(bytes, out) };
    }
    push_utf8_scalar(bytes, out);
}

fn push_utf8_scalar(bytes: &[u8], out: &mut Vec<u16>) {
    push_transcoded(bytes, 1, out, |_: &[u8; 8], _| None, scalar::decode);
}

/// Appends what is written for the text, at most `most` for each of it. `many` writes for `N` or
/// some less, or says that it cannot; `few` writes for any, at least one.
#[inline(always)]
fn push_transcoded<const N: usize, From: Copy + Default, To: Copy>(
    text: &[From],
    most: usize,
    out: &mut Vec<To>,
    many: impl Fn(&[From; N], &mut [MaybeUninit<To>; OUTPUT_WINDOW]) -> Option<Progress>,
    few: impl Fn(&[From], &mut [MaybeUninit<To>; OUTPUT_WINDOW]) -> Progress,
) {
    let mut rest = text;
    while !rest.is_empty() {
        out.reserve(rest.len().min(RESERVE_CHUNK) * most + OUTPUT_WINDOW);
        let spare = out.spare_capacity_mut();
        let mut written = 0;
        while let Some(next) = rest.first_chunk()
            && let Some(room) = spare[written..].first_chunk_mut()
        {
            let step = many(next, room).unwrap_or_else(|| few(rest, room));
            rest = &rest[step.read..];
            written += step.written;
        }
        while !rest.is_empty()
            && rest.len() < N
            && let Some(room) = spare[written..].first_chunk_mut()
        {
            // Zeros after the text, which become one each.
            let mut padded = [From::default(); N];
            padded[..rest.len()].copy_from_slice(rest);
            let step = many(&padded, room).unwrap_or_else(|| few(rest, room));
            let padding = step.read.saturating_sub(rest.len());
            rest = &rest[step.read - padding..];
            written += step.written - padding;
        }
        let length = out.len() + written;
        #[expect(unsafe_code, reason = "there is no other way to keep what was written there")]
        // SAFETY: the steps have written to all of it, one after the other.
        unsafe {
            out.set_len(length);
        }
    }
}

/// The same as a string. What is written is well-formed, so nobody has to check it.
pub fn string_of_utf16(units: &[u16]) -> String {
    let mut bytes = Vec::new();
    push_utf16(units, &mut bytes);
    #[expect(unsafe_code, reason = "to check it takes longer than to write it")]
    // SAFETY: each step writes whole characters, and U+FFFD for what is none; the tests compare
    // them with the standard library's for every unit and every pair.
    unsafe {
        String::from_utf8_unchecked(bytes)
    }
}

/// How many bytes UTF-16 takes in UTF-8.
pub fn utf8_bytes(units: &[u16]) -> usize {
    measure_utf16(units).bytes
}

/// What UTF-16 is, without converting it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// How many bytes it takes in UTF-8, where a lone surrogate is U+FFFD.
    pub bytes: usize,
    /// Whether it is without lone surrogates.
    pub well_formed: bool,
}

/// Measures UTF-16.
pub fn measure_utf16(units: &[u16]) -> Measured {
    #[cfg(target_arch = "x86_64")]
    if avx2::is_supported() {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn measure(units: &[u16]) -> Measured {
            measure_scalar(units)
        }
        #[expect(unsafe_code, reason = "the compiler does not know the processor")]
        // SAFETY: the processor was just asked.
        return unsafe { measure(units) };
    }
    measure_scalar(units)
}

/// How many units are counted in 16 bits, of which the compiler can add many at once.
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
    // A pair takes four bytes, its halves alone three each.
    Measured { bytes: bytes - 2 * pairs, well_formed: surrogates == 2 * pairs }
}

#[inline(always)]
fn surrogates_and_pairs(units: &[u16]) -> (usize, usize) {
    let seconds = units.get(1..).unwrap_or_default();
    // Each is counted with the one after it, but for the last.
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
