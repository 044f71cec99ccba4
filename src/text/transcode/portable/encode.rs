//! UTF-16 to UTF-8, four units at once.

use super::super::scalar;
use super::super::steps::{OUTPUT_WINDOW, Progress};
use super::{UnitWindow, copy_ascii, each, first_zero_lane};
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
        } else if word & each(0xFC00) == 0xDC00_D800_DC00_D800 {
            store(two_pairs(word), window, 0);
            units = &units[UNITS..];
            out = &mut out[8..];
        } else {
            let progress = match up_to_four(word, window) {
                Some(progress) => progress,
                None => scalar::encode(units, window),
            };
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
fn store(bytes: u64, out: &mut UnitWindow<u8>, at: usize) {
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
    let as_two = each(0x80C0) | units >> 6 & each(0x001F) | units << 8 & each(0x3F00);
    let lanes = select(two, as_two, units);
    // Move the second and the fourth unit down if there is only one byte before it.
    let moved = lanes & select(two << 16, 0, 0xFFFF_0000_FFFF_0000);
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

/// Converts four units of any kind, or three if the last one is a high surrogate. Returns `None`
/// if there is a lone surrogate. Nothing here depends on a branch, which would be mispredicted
/// often: text that gets here has characters of different lengths side by side.
#[inline(always)]
fn up_to_four(units: u64, out: &mut UnitWindow<u8>) -> Option<Progress> {
    let top = units & each(0xFC00);
    let is_first = !non_zero_lanes(top ^ each(0xD800)) & each(0x8000);
    let is_second = !non_zero_lanes(top ^ each(0xDC00)) & each(0x8000);
    if is_second != is_first << 16 {
        return None;
    }
    let beyond_one = non_zero_lanes(units & each(0xFF80));
    let beyond_two = non_zero_lanes(units & each(0xF800));
    // The first two bytes of each unit. Each half of a pair has two.
    let last_six = units << 8 & each(0x3F00);
    let two = each(0x80C0) | units >> 6 & each(0x001F) | last_six;
    let three = each(0x80E0) | units >> 12 & each(0x000F) | units << 2 & each(0x3F00);
    // The code point without its last ten bits.
    let above_ten = (units & each(0x03FF)) + each(0x0040);
    let first = each(0x80F0) | above_ten >> 8 & each(0x0007) | above_ten << 6 & each(0x3F00);
    let from_first = (units << 16 & each(0x0003)) << 4;
    let second = each(0x8080) | from_first | units >> 6 & each(0x000F) | last_six;
    let lanes = select(beyond_one, two, units);
    let lanes = select(beyond_two, three, lanes);
    let lanes = select(is_first, first, lanes);
    let lanes = select(is_second, second, lanes);
    let third_bytes = each(0x0080) | units & each(0x003F);
    // In each lane the number of bytes up to its end.
    let halves = is_first | is_second;
    let lengths = each(1) + (beyond_one >> 15) + (beyond_two >> 15) - (halves >> 15);
    let ends = lengths.wrapping_mul(each(1));
    let mut start = 0;
    for lane in [0, 16, 32, 48] {
        let bytes = (lanes >> lane & 0xFFFF | (third_bytes >> lane) << 16) as u32;
        // The next store overwrites the bytes that are not used.
        out[start..start + 4].write_copy_of_slice(&bytes.to_le_bytes());
        start = (ends >> lane & 0xF) as usize;
    }
    // A high surrogate at the end is left to the next step, which has its low surrogate.
    let left = (is_first >> 63) as usize;
    Some(Progress { read: UNITS - left, written: start - 2 * left })
}

/// Sets the highest bit of each lane that is not zero.
#[inline(always)]
fn non_zero_lanes(lanes: u64) -> u64 {
    (((lanes & each(0x7FFF)) + each(0x7FFF)) | lanes) & each(0x8000)
}

/// In each lane `a` if the lane's highest bit is set in `highest`, otherwise `b`.
#[inline(always)]
fn select(highest: u64, a: u64, b: u64) -> u64 {
    let mask = (highest << 1).wrapping_sub(highest >> 15);
    b ^ (a ^ b) & mask
}
