//! UTF-8 to UTF-16, several characters of the same number of bytes at once.

use super::super::scalar;
use super::super::steps::{OUTPUT_WINDOW, Progress};
use super::{UnitWindow, copy_ascii, each, first_zero_lane};
use std::mem::MaybeUninit;

/// The number of bytes that a step looks at.
const BYTES: usize = 16;

/// Converts as much as there is room for.
///
/// The branches that know how much they have read and written continue with constants: the
/// processor then need not wait for the result of one step to begin the next.
#[inline(always)]
pub fn decode(bytes: &[u8], out: &mut [MaybeUninit<u16>]) -> Progress {
    let (size, capacity) = (bytes.len(), out.len());
    let (mut bytes, mut out) = (bytes, out);
    while let Some(next) = bytes.first_chunk::<BYTES>()
        && let Some(window) = out.first_chunk_mut::<OUTPUT_WINDOW>()
    {
        let word = word_at(next, 0);
        if word & 0x80 == 0 {
            let ascii = if next.is_ascii() {
                copy_ascii(bytes, out, |bytes| bytes.is_ascii(), u16::from)
            } else {
                store(spread(word as u32), window, 0);
                store(spread((word >> 32) as u32), window, 4);
                (word & each(0x8080)).trailing_zeros() as usize / 8
            };
            bytes = &bytes[ascii..];
            out = &mut out[ascii..];
            continue;
        }
        if next[0] < 0xE0 {
            if let Some(units) = four_of_two(word) {
                store(units, window, 0);
                bytes = &bytes[8..];
                out = &mut out[4..];
                continue;
            }
            if let Some(unit) = one_of_two(word) {
                window[0].write(unit);
                bytes = &bytes[2..];
                out = &mut out[1..];
                continue;
            }
        } else if next[0] < 0xF0 {
            if let Some(units) = four_of_three(next) {
                store(units, window, 0);
                bytes = &bytes[12..];
                out = &mut out[4..];
                continue;
            }
            if let Some(unit) = one_of_three(word) {
                window[0].write(unit);
                bytes = &bytes[3..];
                out = &mut out[1..];
                continue;
            }
        } else if let Some(pair) = one_of_four(word as u32) {
            window[..2].write_copy_of_slice(&pair);
            bytes = &bytes[4..];
            out = &mut out[2..];
            continue;
        }
        let progress = scalar::decode(bytes, window);
        bytes = &bytes[progress.read..];
        out = &mut out[progress.written..];
    }
    while bytes.len() < BYTES
        && !bytes.is_empty()
        && let Some(window) = out.first_chunk_mut()
    {
        let progress = scalar::decode(bytes, window);
        bytes = &bytes[progress.read..];
        out = &mut out[progress.written..];
    }
    Progress { read: size - bytes.len(), written: capacity - out.len() }
}

#[inline(always)]
fn word_at(bytes: &[u8; BYTES], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// Stores four units, the first one in the lowest bits.
#[inline(always)]
fn store(units: u64, out: &mut UnitWindow<u16>, at: usize) {
    let out = &mut out[at..at + 4];
    if cfg!(target_endian = "little") {
        #[expect(unsafe_code, reason = "the compiler does not make one store of four")]
        // SAFETY: there are the eight bytes that are stored.
        unsafe {
            out.as_mut_ptr().cast::<u64>().write_unaligned(units);
        }
    } else {
        out.write_copy_of_slice(&[0, 16, 32, 48].map(|at| (units >> at) as u16));
    }
}

/// The units of four ASCII bytes.
#[inline(always)]
fn spread(bytes: u32) -> u64 {
    let bytes = u64::from(bytes);
    let bytes = (bytes | bytes << 16) & 0x0000_FFFF_0000_FFFF;
    (bytes | bytes << 8) & each(0x00FF)
}

/// The units of four characters of two bytes each, if there are as many.
#[inline(always)]
fn four_of_two(bytes: u64) -> Option<u64> {
    let is_two = bytes & each(0xC0E0) == each(0x80C0);
    // C0 and C1 begin no character.
    (is_two && first_zero_lane(bytes & each(0x001E)) == 0)
        .then_some((bytes & each(0x001F)) << 6 | bytes >> 8 & each(0x003F))
}

/// The unit of a character of two bytes.
#[inline(always)]
fn one_of_two(bytes: u64) -> Option<u16> {
    (bytes & 0xC0E0 == 0x80C0 && bytes & 0x1E != 0)
        .then_some((bytes << 6 & 0x7C0 | bytes >> 8 & 0x3F) as u16)
}

/// The units of four characters of three bytes each, if there are as many.
#[inline(always)]
fn four_of_three(bytes: &[u8; BYTES]) -> Option<u64> {
    let at = |at| word_at(bytes, at) & 0xFFFF_FFFF;
    // Two characters in a word, so that there is room for the units of the others.
    let [even, odd] = [at(0) | at(6) << 32, at(3) | word_at(bytes, 8) >> 8 << 32];
    let wrong = (even ^ 0x0080_80E0_0080_80E0) | (odd ^ 0x0080_80E0_0080_80E0);
    if wrong & 0x00C0_C0F0_00C0_C0F0 != 0 {
        return None;
    }
    let [even, odd] = [even, odd].map(|bytes| {
        bytes << 12 & 0x0000_F000_0000_F000
            | bytes >> 2 & 0x0000_0FC0_0000_0FC0
            | bytes >> 16 & 0x0000_003F_0000_003F
    });
    let units = even | odd << 16;
    let top = units & each(0xF800);
    let is_wrong = first_zero_lane(top) | first_zero_lane(top ^ each(0xD800)) != 0;
    (!is_wrong).then_some(units)
}

/// The unit of a character of three bytes.
#[inline(always)]
fn one_of_three(bytes: u64) -> Option<u16> {
    let unit = (bytes << 12 & 0xF000 | bytes >> 2 & 0xFC0 | bytes >> 16 & 0x3F) as u16;
    let is_wrong = unit < 0x800 || unit & 0xF800 == 0xD800;
    (bytes & 0xC0_C0F0 == 0x80_80E0 && !is_wrong).then_some(unit)
}

/// The surrogates of a character of four bytes.
#[inline(always)]
fn one_of_four(bytes: u32) -> Option<[u16; 2]> {
    // What the first surrogate holds: the character without its last ten bits, minus 0x40.
    let first = ((bytes & 7) << 8 | bytes >> 6 & 0xFC | bytes >> 20 & 3).wrapping_sub(0x40);
    let second = bytes >> 10 & 0x3C0 | bytes >> 24 & 0x3F;
    (bytes & 0xC0C0_C0F8 == 0x8080_80F0 && first < 0x400)
        .then_some([(0xD800 | first) as u16, (0xDC00 | second) as u16])
}
