//! Converts up to 16 UTF-16 units to UTF-8 at once, and up to 32 bytes of UTF-8 to UTF-16.
//!
//! 1. Encoding computes the UTF-8 bytes of every unit in a lane of fixed width. Decoding
//!    computes a unit for every byte.
//! 2. A shuffle from a table moves the used bytes or units together, over the unused ones. Text
//!    of three bytes a character needs none: there are instructions that load and store groups
//!    of three.
//! 3. This file loads and stores vectors. Computations without memory access are in `lanes`.

#![expect(unsafe_code, reason = "vector loads and stores take pointers")]

use std::arch::aarch64::*;
use std::mem::MaybeUninit;

use super::super::steps::{OUTPUT_WINDOW, Progress};
use super::super::tables::{SOME_UNITS, Shuffles, UP_TO_THREE_BYTES, UP_TO_TWO_BYTES};
use super::lanes::{
    Units, are_pairs, before_each, bits_of_bytes, bits_of_lanes, each, each_byte, encode_pairs,
    encode_surrogates, is_surrogate, is_well_formed, units_by_last_byte, with_pairs,
};

/// Converts 16 units if all are ASCII, all take three bytes, or all are pairs of surrogates.
/// Otherwise converts eight, or seven if the last of them is a high surrogate. Returns `None` if
/// there is a lone surrogate.
#[inline]
#[target_feature(enable = "neon")]
pub fn encode(units: &[u16; 16], out: &mut [MaybeUninit<u8>; OUTPUT_WINDOW]) -> Option<Progress> {
    // SAFETY: the array has the 32 bytes that are loaded.
    let (a, b) = unsafe { (vld1q_u16(units.as_ptr()), vld1q_u16(units.as_ptr().add(8))) };
    if vmaxvq_u16(vorrq_u16(a, b)) < 0x80 {
        // SAFETY: the window has the 16 bytes that are stored.
        unsafe { vst1q_u8(out.as_mut_ptr().cast(), vmovn_high_u16(vmovn_u16(a), b)) };
        return Some(Progress { read: 16, written: 16 });
    }
    if vminvq_u16(vminq_u16(a, b)) >= 0x800 {
        if vmaxvq_u16(vorrq_u16(is_surrogate(a), is_surrogate(b))) == 0 {
            store_three(a, b, out);
            return Some(Progress { read: 16, written: 48 });
        }
        if are_pairs(a, b) {
            store_pairs(a, b, out);
            return Some(Progress { read: 16, written: 32 });
        }
    }
    encode_eight(a, out)
}

/// Converts eight units, or seven if the last one is a high surrogate. Returns `None` if there is
/// a lone surrogate.
#[inline]
#[target_feature(enable = "neon")]
fn encode_eight(units: uint16x8_t, out: &mut [MaybeUninit<u8>; OUTPUT_WINDOW]) -> Option<Progress> {
    let is_one = vcltq_u16(units, each(0x80));
    let last = vorrq_u16(vandq_u16(units, each(0x3F)), each(0x80));
    let two = vorrq_u16(vorrq_u16(vshrq_n_u16::<6>(units), each(0xC0)), vshlq_n_u16::<8>(last));
    let up_to_two = vbslq_u16(is_one, units, two);
    let below_three = vcltq_u16(units, each(0x800));
    if vminvq_u16(below_three) != 0 {
        return Some(Progress { read: 8, written: store_up_to_two(up_to_two, is_one, out) });
    }
    // The first two of three bytes.
    let three = vorrq_u16(
        vorrq_u16(vshrq_n_u16::<12>(units), each(0x80E0)),
        vandq_u16(vshlq_n_u16::<2>(units), each(0x3F00)),
    );
    let first_two = vbslq_u16(below_three, up_to_two, three);
    let is_surrogate = is_surrogate(units);
    if vmaxvq_u16(is_surrogate) == 0 {
        let written = store_up_to_three(first_two, last, is_one, below_three, out);
        return Some(Progress { read: 8, written });
    }
    let (surrogates, ends_with_high) = encode_surrogates(units)?;
    let first_two = vbslq_u16(is_surrogate, surrogates, first_two);
    let below_three = vorrq_u16(below_three, is_surrogate);
    let written = store_up_to_three(first_two, last, is_one, below_three, out);
    // A high surrogate at the end is left to the next step, which has its low surrogate.
    Some(Progress {
        read: 8 - usize::from(ends_with_high),
        written: written - 2 * usize::from(ends_with_high),
    })
}

/// Stores lanes of one or two bytes and returns the number of bytes.
#[inline]
#[target_feature(enable = "neon")]
fn store_up_to_two(
    lanes: uint16x8_t,
    is_one: uint16x8_t,
    out: &mut [MaybeUninit<u8>; OUTPUT_WINDOW],
) -> usize {
    let ones = bits_of_lanes(is_one);
    let bytes = shuffle(vreinterpretq_u8_u16(lanes), &UP_TO_TWO_BYTES, ones);
    // SAFETY: the window has the 16 bytes that are stored.
    unsafe { vst1q_u8(out.as_mut_ptr().cast(), bytes) };
    16 - ones.count_ones() as usize
}

/// Stores 16 units of three bytes each.
#[inline]
#[target_feature(enable = "neon")]
fn store_three(a: uint16x8_t, b: uint16x8_t, out: &mut [MaybeUninit<u8>; OUTPUT_WINDOW]) {
    let narrow = |a, b| vmovn_high_u16(vmovn_u16(a), b);
    let low = narrow(a, b);
    let middle = vshrn_high_n_u16::<6>(vshrn_n_u16::<6>(a), b);
    let high = narrow(vshrq_n_u16::<12>(a), vshrq_n_u16::<12>(b));
    let six = |bytes| vorrq_u8(vandq_u8(bytes, each_byte(0x3F)), each_byte(0x80));
    let bytes = uint8x16x3_t(vorrq_u8(high, each_byte(0xE0)), six(middle), six(low));
    // SAFETY: the window has the 48 bytes that are stored.
    unsafe { vst3q_u8(out.as_mut_ptr().cast(), bytes) };
}

/// Stores eight pairs of surrogates, of four bytes each.
#[inline]
#[target_feature(enable = "neon")]
fn store_pairs(a: uint16x8_t, b: uint16x8_t, out: &mut [MaybeUninit<u8>; OUTPUT_WINDOW]) {
    // SAFETY: the window has the 32 bytes that are stored.
    unsafe {
        let start = out.as_mut_ptr().cast::<u8>();
        vst1q_u8(start, encode_pairs(a));
        vst1q_u8(start.add(16), encode_pairs(b));
    }
}

/// Stores lanes of up to three bytes and returns the number of bytes.
#[inline]
#[target_feature(enable = "neon")]
fn store_up_to_three(
    first_two: uint16x8_t,
    last: uint16x8_t,
    is_one: uint16x8_t,
    below_three: uint16x8_t,
    out: &mut [MaybeUninit<u8>; OUTPUT_WINDOW],
) -> usize {
    // A byte for every four units: the low four bits mark units of less than two bytes, the
    // high four bits mark units of less than three.
    let four_of_each = |a, b| vreinterpretq_u16_u64(vtrn1q_u64(a, b));
    let other_four_of_each = |a, b| vreinterpretq_u16_u64(vtrn2q_u64(a, b));
    let (ones, below) = (vreinterpretq_u64_u16(is_one), vreinterpretq_u64_u16(below_three));
    let a = bits_of_lanes(four_of_each(ones, below));
    let b = bits_of_lanes(other_four_of_each(ones, below));
    let lanes = |zipped| vreinterpretq_u8_u16(zipped);
    let a_bytes = shuffle(lanes(vzip1q_u16(first_two, last)), &UP_TO_THREE_BYTES, a);
    let b_bytes = shuffle(lanes(vzip2q_u16(first_two, last)), &UP_TO_THREE_BYTES, b);
    let b_at = 12 - a.count_ones() as usize;
    // SAFETY: 16 bytes are stored at no more than 12, which is within the window.
    unsafe {
        let start = out.as_mut_ptr().cast::<u8>();
        vst1q_u8(start, a_bytes);
        vst1q_u8(start.add(b_at), b_bytes);
    }
    b_at + 12 - b.count_ones() as usize
}

/// Moves bytes as the table says for the index.
#[inline]
#[target_feature(enable = "neon")]
fn shuffle(bytes: uint8x16_t, table: &Shuffles, index: u8) -> uint8x16_t {
    // SAFETY: a row has the 16 bytes that are loaded.
    let row = unsafe { vld1q_u8(table[usize::from(index)].as_ptr()) };
    vqtbl1q_u8(bytes, row)
}

/// Converts 32 bytes if all are ASCII, or 24 if they are characters of three bytes. Otherwise
/// converts the characters that end within the first 16 bytes. Returns `None` if these bytes are
/// not well-formed. The first byte must be the start of a character.
#[inline]
#[target_feature(enable = "neon")]
pub fn decode(array: &[u8; 32], out: &mut [MaybeUninit<u16>; OUTPUT_WINDOW]) -> Option<Progress> {
    // SAFETY: the array has the 32 bytes that are loaded.
    let (bytes, more) = unsafe { (vld1q_u8(array.as_ptr()), vld1q_u8(array.as_ptr().add(16))) };
    if vmaxvq_u8(vorrq_u8(bytes, more)) < 0x80 {
        store_ascii(bytes, out, 0);
        store_ascii(more, out, 16);
        return Some(Progress { read: 32, written: 32 });
    }
    if array[0] & 0xF0 == 0xE0
        && let Some(progress) = decode_three(array, out)
    {
        return Some(progress);
    }
    if vmaxvq_u8(bytes) < 0x80 {
        store_ascii(bytes, out, 0);
        return Some(Progress { read: 16, written: 16 });
    }

    let before = before_each(bytes);
    if !is_well_formed(bytes, &before) {
        return None;
    }
    let is_continuation = vcltq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(-64));
    let units = units_by_last_byte(bytes, is_continuation, &before);
    let ends = !bits_of_bytes(is_continuation) >> 1 | 1 << 15;
    let fourths = bits_of_bytes(before.is_fourth);
    let (units, ends) = match fourths {
        0 => (units, ends),
        // A character of four bytes has a unit at its third byte as well.
        _ => (with_pairs(units, bytes, &before), ends | fourths >> 1),
    };
    let read = whole_characters(array);
    let ends = ends & (0xFFFF >> (16 - read));
    Some(Progress { read, written: store_units(units, ends, out) })
}

/// Stores 16 ASCII characters.
#[inline]
#[target_feature(enable = "neon")]
fn store_ascii(bytes: uint8x16_t, out: &mut [MaybeUninit<u16>; OUTPUT_WINDOW], at: usize) {
    let out = &mut out[at..at + 16];
    // SAFETY: there are the 16 units that are stored.
    unsafe {
        let start = out.as_mut_ptr().cast::<u16>();
        vst1q_u16(start, vmovl_u8(vget_low_u8(bytes)));
        vst1q_u16(start.add(8), vmovl_high_u8(bytes));
    }
}

/// The number of bytes, of the first 16, without an incomplete character at the end. The bytes
/// are well-formed.
#[inline]
#[target_feature(enable = "neon")]
fn whole_characters(bytes: &[u8; 32]) -> usize {
    16 - 3 * usize::from(bytes[13] >= 0xF0)
        - 2 * usize::from(bytes[14] >= 0xE0)
        - usize::from(bytes[15] >= 0xC0)
}

/// Converts eight characters of three bytes each. Returns `None` if they are not that or not
/// well-formed.
#[inline]
#[target_feature(enable = "neon")]
fn decode_three(bytes: &[u8; 32], out: &mut [MaybeUninit<u16>; OUTPUT_WINDOW]) -> Option<Progress> {
    // SAFETY: the array has the 24 bytes that are loaded.
    let uint8x8x3_t(a, b, c) = unsafe { vld3_u8(bytes.as_ptr()) };
    // What is left of each byte without its mark is zero in the higher bits.
    let (four, six) = (veor_u8(a, vdup_n_u8(0xE0)), vdup_n_u8(0x80));
    let (b, c) = (veor_u8(b, six), veor_u8(c, six));
    let is_three = vand_u8(vclt_u8(four, vdup_n_u8(0x10)), vclt_u8(vorr_u8(b, c), vdup_n_u8(0x40)));
    let units =
        vorrq_u16(vorrq_u16(vshlq_n_u16::<12>(vmovl_u8(four)), vshll_n_u8::<6>(b)), vmovl_u8(c));
    let is_wrong = vorrq_u16(vcltq_u16(units, each(0x800)), is_surrogate(units));
    if vminv_u8(vbic_u8(is_three, vmovn_u16(is_wrong))) == 0 {
        return None;
    }
    // SAFETY: the window has the eight units that are stored.
    unsafe { vst1q_u16(out.as_mut_ptr().cast(), units) };
    Some(Progress { read: 24, written: 8 })
}

/// Stores those of 16 units that have a bit in `used`, and returns their number.
#[inline]
#[target_feature(enable = "neon")]
fn store_units(
    Units { low, high }: Units,
    used: u16,
    out: &mut [MaybeUninit<u16>; OUTPUT_WINDOW],
) -> usize {
    let [a, b] = used.to_le_bytes();
    let a_units = shuffle(vzip1q_u8(low, high), &SOME_UNITS, a);
    let b_units = shuffle(vzip2q_u8(low, high), &SOME_UNITS, b);
    let b_at = a.count_ones() as usize;
    // SAFETY: eight units are stored at no more than 8, which is within the window.
    unsafe {
        let start = out.as_mut_ptr().cast::<u16>();
        vst1q_u16(start, vreinterpretq_u16_u8(a_units));
        vst1q_u16(start.add(b_at), vreinterpretq_u16_u8(b_units));
    }
    used.count_ones() as usize
}
