//! UTF-16 to UTF-8, four units at once.

use super::super::scalar;
use super::super::steps::{OUTPUT_WINDOW, Progress};
use super::{Window, copy_ascii, each, first_zero_lane};
use std::mem::MaybeUninit;

/// The number of units in a word.
const UNITS: usize = 4;

/// Converts as much as there is room for.
///
/// The branches that know how much they have read and written continue with constants: the
/// processor then need not wait for the result of one step to begin the next.
#[inline(always)]
pub fn encode(units: &[u16], out: &mut [MaybeUninit<u8>]) -> Progress {
    let (length, capacity) = (units.len(), out.len());
    let (mut units, mut out) = (units, out);
    while let Some(next) = units.first_chunk::<UNITS>()
        && let Some(window) = out.first_chunk_mut::<OUTPUT_WINDOW>()
    {
        let word = word_of(next);
        let top = word & each(0xF800);
        if word & each(0xFF80) == 0 {
            store(pack(word), window, 0);
            units = &units[UNITS..];
            out = &mut out[UNITS..];
            if units.first_chunk().is_some_and(is_ascii) {
                let ascii = copy_ascii(units, out, is_ascii, |unit| unit as u8);
                units = &units[ascii..];
                out = &mut out[ascii..];
            }
        } else if top == 0 {
            let (bytes, count) = up_to_two(word);
            store(bytes, window, 0);
            units = &units[UNITS..];
            out = &mut out[count..];
        } else if first_zero_lane(top) | first_zero_lane(top ^ each(0xD800)) == 0 {
            store(two_of_three(word), window, 0);
            store(two_of_three(word >> 32), window, 6);
            units = &units[UNITS..];
            out = &mut out[12..];
        } else if word & 0xFC00_FC00 == 0xDC00_D800 {
            store(two_pairs(word), window, 0);
            if word >> 32 & 0xFC00_FC00 == 0xDC00_D800 {
                units = &units[4..];
                out = &mut out[8..];
            } else {
                units = &units[2..];
                out = &mut out[4..];
            }
        } else if top & 0xFFFF == 0xD800 {
            let progress = scalar::encode(units, window);
            units = &units[progress.read..];
            out = &mut out[progress.written..];
        } else {
            let progress = up_to_first_surrogate(next, top, window);
            units = &units[progress.read..];
            out = &mut out[progress.written..];
        }
    }
    while units.len() < UNITS
        && !units.is_empty()
        && let Some(window) = out.first_chunk_mut()
    {
        let progress = scalar::encode(units, window);
        units = &units[progress.read..];
        out = &mut out[progress.written..];
    }
    Progress { read: length - units.len(), written: capacity - out.len() }
}

#[inline(always)]
fn word_of(units: &[u16; UNITS]) -> u64 {
    let [a, b, c, d] = units.map(u64::from);
    a | b << 16 | c << 32 | d << 48
}

#[inline(always)]
fn is_ascii(units: &[u16; 16]) -> bool {
    units.iter().fold(0, |any, unit| any | unit) < 0x80
}

/// Stores eight bytes. The next store overwrites those that are not used.
#[inline(always)]
fn store(bytes: u64, out: &mut Window<u8>, at: usize) {
    out[at..at + 8].write_copy_of_slice(&bytes.to_le_bytes());
}

/// The bytes of four ASCII units.
#[inline(always)]
fn pack(units: u64) -> u64 {
    let packed = (units | units >> 8) & 0x0000_FFFF_0000_FFFF;
    packed | packed >> 16
}

/// The bytes of four units of one or two bytes, and their number.
#[inline(always)]
fn up_to_two(units: u64) -> (u64, usize) {
    // The highest bit of each unit of two bytes.
    let two = (units + each(0x7F80)) & each(0x8000);
    let is_two = (two << 1).wrapping_sub(two >> 15);
    let as_two = each(0x80C0) | units >> 6 & each(0x001F) | units << 8 & each(0x3F00);
    let lanes = units ^ (units ^ as_two) & is_two;
    // Move the second and the fourth unit down if there is only one byte before it.
    let moved = lanes & (!is_two & 0x0000_FFFF_0000_FFFF) << 16;
    let halves = lanes ^ moved ^ moved >> 8;
    // In each lane the number of units of two bytes up to it.
    let counts = (two >> 15).wrapping_mul(each(1));
    let low_bits = 16 + 8 * (counts >> 16 & 3);
    let bytes = halves & 0xFFFF_FFFF | halves >> 32 << low_bits;
    (bytes, UNITS + (counts >> 48) as usize)
}

/// The bytes of the first two units, which take three each.
#[inline(always)]
fn two_of_three(units: u64) -> u64 {
    let apart = units & 0xFFFF | (units & 0xFFFF_0000) << 8;
    0x8080_E080_80E0
        | apart >> 12 & 0x0000_0F00_000F
        | apart << 2 & 0x003F_0000_3F00
        | apart << 16 & 0x3F00_003F_0000
}

/// The bytes of two pairs of surrogates.
#[inline(always)]
fn two_pairs(units: u64) -> u64 {
    // The code points without their last ten bits.
    let above_ten = (units & 0x0000_03FF_0000_03FF) + 0x0000_0040_0000_0040;
    0x8080_80F0_8080_80F0
        | above_ten >> 8 & 0x0000_0007_0000_0007
        | above_ten << 6 & 0x0000_3F00_0000_3F00
        | above_ten << 20 & 0x0030_0000_0030_0000
        | units >> 6 & 0x000F_0000_000F_0000
        | units << 8 & 0x3F00_0000_3F00_0000
}

/// Converts the units before the first surrogate. The first one of `top`, the highest five bits
/// of each unit, is none.
#[inline(always)]
fn up_to_first_surrogate(units: &[u16; UNITS], top: u64, out: &mut Window<u8>) -> Progress {
    let mut ends = [0; UNITS + 1];
    // Convert all four: a branch for each unit would be mispredicted often.
    for (index, unit) in units.iter().enumerate() {
        let (bytes, length) = up_to_three(*unit);
        let start = ends[index];
        out[start..start + 4].write_copy_of_slice(&bytes.to_le_bytes());
        ends[index + 1] = start + length;
    }
    let read = first_zero_lane(top ^ each(0xD800)).trailing_zeros() as usize / 16;
    Progress { read, written: ends[read] }
}

/// The bytes of a unit that is no surrogate, and their number.
#[inline(always)]
fn up_to_three(unit: u16) -> (u32, usize) {
    let wide = u32::from(unit);
    let two = 0x80C0 | wide >> 6 | (wide & 0x3F) << 8;
    let three = 0x0080_80E0 | wide >> 12 | (wide << 2) & 0x3F00 | (wide & 0x3F) << 16;
    let up_to_two = if unit < 0x80 { wide } else { two };
    let bytes = if unit < 0x800 { up_to_two } else { three };
    (bytes, 1 + usize::from(unit >= 0x80) + usize::from(unit >= 0x800))
}
