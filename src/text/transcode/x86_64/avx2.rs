//! Converts 16 UTF-16 units to UTF-8 at once, and 32 bytes of UTF-8 to UTF-16.
//!
//! 1. Encoding computes the UTF-8 bytes of every unit in a lane of fixed width. Decoding
//!    computes a unit for every byte.
//! 2. A shuffle from a table moves the used bytes or units together, over the unused ones.
//! 3. This file loads and stores vectors. Computations without memory access are in `lanes`.

#![expect(unsafe_code, reason = "vector loads and stores take pointers")]

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::super::steps::{OUTPUT_WINDOW, Progress};
use super::super::tables::{SOME_UNITS, Shuffles, UP_TO_THREE_BYTES, UP_TO_TWO_BYTES};
use super::lanes::{
    Units, before_each, each, each_byte, encode_surrogates, is_well_formed, is_zero,
    units_by_last_byte, with_pairs,
};

/// Converts 16 units, or 15 if the last one is a high surrogate. Returns `None` if there is a
/// lone surrogate.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub fn encode(units: &[u16; 16], out: &mut [MaybeUninit<u8>; OUTPUT_WINDOW]) -> Option<Progress> {
    // SAFETY: the array has the 32 bytes that are loaded.
    let units = unsafe { _mm256_loadu_si256(units.as_ptr().cast()) };
    let above_one = _mm256_and_si256(units, each(0xFF80));
    if is_zero(above_one) {
        let packed = _mm256_permute4x64_epi64(_mm256_packus_epi16(units, units), 0b1000);
        // SAFETY: the window has the 16 bytes that are stored.
        unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), _mm256_castsi256_si128(packed)) };
        return Some(Progress { read: 16, written: 16 });
    }
    let is_one = _mm256_cmpeq_epi16(above_one, _mm256_setzero_si256());
    let last = _mm256_or_si256(_mm256_and_si256(units, each(0x3F)), each(0x80));
    let two = _mm256_or_si256(
        _mm256_or_si256(_mm256_srli_epi16(units, 6), each(0xC0)),
        _mm256_slli_epi16(last, 8),
    );
    let up_to_two = _mm256_blendv_epi8(two, units, is_one);
    let top = _mm256_and_si256(units, each(0xF800));
    if is_zero(top) {
        return Some(Progress { read: 16, written: store_up_to_two(up_to_two, is_one, out) });
    }
    // The first two of three bytes.
    let three = _mm256_or_si256(
        _mm256_or_si256(_mm256_srli_epi16(units, 12), each(0x80E0)),
        _mm256_and_si256(_mm256_slli_epi16(units, 2), each(0x3F00)),
    );
    let below_three = _mm256_cmpeq_epi16(top, _mm256_setzero_si256());
    let is_surrogate = _mm256_cmpeq_epi16(top, each(0xD800));
    let first_two = _mm256_blendv_epi8(three, up_to_two, below_three);
    if is_zero(is_surrogate) {
        if is_zero(below_three) {
            store_three(three, last, out);
            return Some(Progress { read: 16, written: 48 });
        }
        let written = store_up_to_three(first_two, last, is_one, below_three, out);
        return Some(Progress { read: 16, written });
    }
    let (surrogates, ends_with_high) = encode_surrogates(units)?;
    let first_two = _mm256_blendv_epi8(first_two, surrogates, is_surrogate);
    let below_three = _mm256_or_si256(below_three, is_surrogate);
    let written = store_up_to_three(first_two, last, is_one, below_three, out);
    // A high surrogate at the end is left to the next step, which has its low surrogate.
    Some(Progress {
        read: 16 - usize::from(ends_with_high),
        written: written - 2 * usize::from(ends_with_high),
    })
}

/// Stores lanes of one or two bytes and returns the number of bytes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn store_up_to_two(
    lanes: __m256i,
    is_one: __m256i,
    out: &mut [MaybeUninit<u8>; OUTPUT_WINDOW],
) -> usize {
    let ones = _mm256_movemask_epi8(_mm256_packs_epi16(is_one, is_one)) as u32;
    let [low, _, high, _] = ones.to_le_bytes();
    let bytes = _mm256_shuffle_epi8(lanes, rows(&UP_TO_TWO_BYTES, low, high));
    let at = 16 - low.count_ones() as usize;
    // SAFETY: 16 bytes are stored at 0 and at no more than 16, which is within the window.
    unsafe {
        let start = out.as_mut_ptr();
        _mm_storeu_si128(start.cast(), _mm256_castsi256_si128(bytes));
        _mm_storeu_si128(start.add(at).cast(), _mm256_extracti128_si256(bytes, 1));
    }
    at + 16 - high.count_ones() as usize
}

/// Stores lanes of three bytes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn store_three(first_two: __m256i, last: __m256i, out: &mut [MaybeUninit<u8>; OUTPUT_WINDOW]) {
    let all_three = rows(&UP_TO_THREE_BYTES, 0, 0);
    let a_and_c = _mm256_shuffle_epi8(_mm256_unpacklo_epi16(first_two, last), all_three);
    let b_and_d = _mm256_shuffle_epi8(_mm256_unpackhi_epi16(first_two, last), all_three);
    // SAFETY: 16 bytes are stored at no more than 36, which is within the window.
    unsafe {
        let start = out.as_mut_ptr();
        _mm_storeu_si128(start.cast(), _mm256_castsi256_si128(a_and_c));
        _mm_storeu_si128(start.add(12).cast(), _mm256_castsi256_si128(b_and_d));
        _mm_storeu_si128(start.add(24).cast(), _mm256_extracti128_si256(a_and_c, 1));
        _mm_storeu_si128(start.add(36).cast(), _mm256_extracti128_si256(b_and_d, 1));
    }
}

/// Stores lanes of up to three bytes and returns the number of bytes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn store_up_to_three(
    first_two: __m256i,
    last: __m256i,
    is_one: __m256i,
    below_three: __m256i,
    out: &mut [MaybeUninit<u8>; OUTPUT_WINDOW],
) -> usize {
    // A byte for every four units: the low four bits mark units of less than two bytes, the
    // high four bits mark units of less than three.
    let lengths = _mm256_movemask_epi8(_mm256_packs_epi16(
        _mm256_unpacklo_epi64(is_one, below_three),
        _mm256_unpackhi_epi64(is_one, below_three),
    )) as u32;
    let [a, b, c, d] = lengths.to_le_bytes();
    let a_and_c = _mm256_unpacklo_epi16(first_two, last);
    let b_and_d = _mm256_unpackhi_epi16(first_two, last);
    let a_and_c = _mm256_shuffle_epi8(a_and_c, rows(&UP_TO_THREE_BYTES, a, c));
    let b_and_d = _mm256_shuffle_epi8(b_and_d, rows(&UP_TO_THREE_BYTES, b, d));
    let before =
        |units: u32| 3 * units as usize - _bzhi_u32(lengths, units * 2).count_ones() as usize;
    let (b_at, c_at, d_at) = (before(4), before(8), before(12));
    // SAFETY: 16 bytes are stored at no more than 36, which is within the window.
    unsafe {
        let start = out.as_mut_ptr();
        _mm_storeu_si128(start.cast(), _mm256_castsi256_si128(a_and_c));
        _mm_storeu_si128(start.add(b_at).cast(), _mm256_castsi256_si128(b_and_d));
        _mm_storeu_si128(start.add(c_at).cast(), _mm256_extracti128_si256(a_and_c, 1));
        _mm_storeu_si128(start.add(d_at).cast(), _mm256_extracti128_si256(b_and_d, 1));
    }
    before(16)
}

/// A vector of two table rows: `low` for the lower half, `high` for the upper half.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn rows(table: &Shuffles, low: u8, high: u8) -> __m256i {
    // SAFETY: a row has the 16 bytes that are loaded.
    let [low, high] = [low, high]
        .map(|index| unsafe { _mm_loadu_si128(table[usize::from(index)].as_ptr().cast()) });
    _mm256_set_m128i(high, low)
}

/// Converts the characters that end within the 32 bytes. Returns `None` if the bytes are not
/// well-formed. The first byte must be the start of a character.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub fn decode(array: &[u8; 32], out: &mut [MaybeUninit<u16>; OUTPUT_WINDOW]) -> Option<Progress> {
    // SAFETY: the array has the 32 bytes that are loaded.
    let bytes = unsafe { _mm256_loadu_si256(array.as_ptr().cast()) };
    if _mm256_movemask_epi8(bytes) == 0 {
        let low = _mm256_cvtepu8_epi16(_mm256_castsi256_si128(bytes));
        let high = _mm256_cvtepu8_epi16(_mm256_extracti128_si256(bytes, 1));
        // SAFETY: the window has the 32 units that are stored.
        unsafe {
            let start = out.as_mut_ptr();
            _mm256_storeu_si256(start.cast(), low);
            _mm256_storeu_si256(start.add(16).cast(), high);
        }
        return Some(Progress { read: 32, written: 32 });
    }
    let is_continuation = _mm256_cmpgt_epi8(each_byte(0xC0), bytes);
    let continuations = _mm256_movemask_epi8(is_continuation) as u32;
    // Eight times a lead byte with two continuation bytes, then no continuation byte.
    if continuations & 0x1FF_FFFF == 0xDB_6DB6
        && let Some(progress) = decode_three(array, out)
    {
        return Some(progress);
    }

    let before = before_each(bytes);
    if !is_well_formed(bytes, &before) {
        return None;
    }
    let units = units_by_last_byte(bytes, is_continuation, &before);
    let ends = !continuations >> 1 | 1 << 31;
    let fourths = _mm256_movemask_epi8(before.is_fourth) as u32;
    let (units, ends) = match fourths {
        0 => (units, ends),
        // A character of four bytes has a unit at its third byte as well.
        _ => (with_pairs(units, bytes, &before), ends | fourths >> 1),
    };
    let read = whole_characters(array);
    let ends = _bzhi_u32(ends, read as u32);
    Some(Progress { read, written: store_units(units, ends, out) })
}

/// The number of bytes without an incomplete character at the end. The bytes are well-formed.
#[inline]
fn whole_characters(bytes: &[u8; 32]) -> usize {
    // The next step depends on this result. Reading the four bytes from memory is faster than
    // extracting them from the vector, and the volatile read keeps the compiler from doing that.
    // SAFETY: the array has four bytes from 28 on.
    let last = unsafe { bytes.as_ptr().add(28).cast::<[u8; 4]>().read_volatile() };
    let last = u32::from_le_bytes(last);
    32 - 3 * usize::from(last << 16 >= 0xF000_0000)
        - 2 * usize::from(last << 8 >= 0xE000_0000)
        - usize::from(last >= 0xC000_0000)
}

/// Converts eight characters of three bytes each. Returns `None` if they are not well-formed. The
/// caller has checked the positions of lead and continuation bytes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn decode_three(bytes: &[u8; 32], out: &mut [MaybeUninit<u16>; OUTPUT_WINDOW]) -> Option<Progress> {
    // SAFETY: the array has 16 bytes from 0 and from 12 on.
    let (first, second) = unsafe {
        let start = bytes.as_ptr();
        (_mm_loadu_si128(start.cast()), _mm_lddqu_si128(start.add(12).cast()))
    };
    // Move the three bytes of a character into a lane of 32 bits, the lead byte highest.
    let highest_first = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1,
    ));
    let lanes = _mm256_shuffle_epi8(_mm256_set_m128i(second, first), highest_first);
    let mark = _mm256_and_si256(lanes, _mm256_set1_epi32(0x00F0_0000));
    let is_three = _mm256_cmpeq_epi32(mark, _mm256_set1_epi32(0x00E0_0000));
    let values = _mm256_and_si256(lanes, _mm256_set1_epi32(0x000F_3F3F));
    // Multiply the bytes by 1, 64 and 4096 and add them, in two steps.
    let halves = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x0001_4001));
    let units = _mm256_madd_epi16(halves, _mm256_set1_epi32(0x1000_0001));
    let too_low = _mm256_cmpgt_epi32(_mm256_set1_epi32(0x800), units);
    let top = _mm256_and_si256(units, _mm256_set1_epi32(0xF800));
    let surrogate = _mm256_cmpeq_epi32(top, _mm256_set1_epi32(0xD800));
    let wrong = _mm256_or_si256(too_low, surrogate);
    if _mm256_movemask_epi8(_mm256_andnot_si256(wrong, is_three)) != -1 {
        return None;
    }
    let packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(units, units), 0b1000);
    // SAFETY: the window has the 16 bytes that are stored.
    unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), _mm256_castsi256_si128(packed)) };
    Some(Progress { read: 24, written: 8 })
}

/// Stores those of 32 units that have a bit in `used`, and returns their number.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn store_units(
    Units { low, high }: Units,
    used: u32,
    out: &mut [MaybeUninit<u16>; OUTPUT_WINDOW],
) -> usize {
    let [a, b, c, d] = used.to_le_bytes();
    let a_and_c = _mm256_shuffle_epi8(_mm256_unpacklo_epi8(low, high), rows(&SOME_UNITS, a, c));
    let b_and_d = _mm256_shuffle_epi8(_mm256_unpackhi_epi8(low, high), rows(&SOME_UNITS, b, d));
    let before = |lanes: u32| _bzhi_u32(used, lanes).count_ones() as usize;
    let (b_at, c_at, d_at) = (before(8), before(16), before(24));
    // SAFETY: 8 units are stored at no more than 24, which is within the window.
    unsafe {
        let start = out.as_mut_ptr();
        _mm_storeu_si128(start.cast(), _mm256_castsi256_si128(a_and_c));
        _mm_storeu_si128(start.add(b_at).cast(), _mm256_castsi256_si128(b_and_d));
        _mm_storeu_si128(start.add(c_at).cast(), _mm256_extracti128_si256(a_and_c, 1));
        _mm_storeu_si128(start.add(d_at).cast(), _mm256_extracti128_si256(b_and_d, 1));
    }
    before(32)
}
