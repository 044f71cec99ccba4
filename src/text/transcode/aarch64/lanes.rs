//! Computations on the lanes of vectors, without memory access.

use std::arch::aarch64::*;

use super::super::tables::{MALFORMED, TWO_CONTINUATIONS};

/// A vector with `lane` in each lane of 16 bits.
#[inline]
#[target_feature(enable = "neon")]
pub fn each(lane: u16) -> uint16x8_t {
    vdupq_n_u16(lane)
}

/// A vector with `byte` in each byte.
#[inline]
#[target_feature(enable = "neon")]
pub fn each_byte(byte: u8) -> uint8x16_t {
    vdupq_n_u8(byte)
}

/// A bit for each byte that has all bits set. The others are zero.
#[inline]
#[target_feature(enable = "neon")]
pub fn bits_of_bytes(bytes: uint8x16_t) -> u16 {
    let bit_of_each = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
    let bits = vandq_u8(bytes, bit_of_each);
    u16::from_le_bytes([vaddv_u8(vget_low_u8(bits)), vaddv_u8(vget_high_u8(bits))])
}

/// A bit for each lane of 16 bits that has all bits set. The others are zero.
#[inline]
#[target_feature(enable = "neon")]
pub fn bits_of_lanes(lanes: uint16x8_t) -> u8 {
    let bit_of_each = vcreate_u8(0x8040_2010_0804_0201);
    vaddv_u8(vand_u8(vmovn_u16(lanes), bit_of_each))
}

/// Which lanes are surrogates.
#[inline]
#[target_feature(enable = "neon")]
pub fn is_surrogate(units: uint16x8_t) -> uint16x8_t {
    vceqq_u16(vandq_u16(units, each(0xF800)), each(0xD800))
}

/// For each surrogate its half of the pair's four bytes, and whether the last lane is a high
/// surrogate. Returns `None` if there is a lone surrogate.
#[inline]
#[target_feature(enable = "neon")]
pub fn encode_surrogates(units: uint16x8_t) -> Option<(uint16x8_t, bool)> {
    let top = vandq_u16(units, each(0xFC00));
    let is_first = vceqq_u16(top, each(0xD800));
    let firsts = bits_of_lanes(is_first);
    let seconds = bits_of_lanes(vceqq_u16(top, each(0xDC00)));
    if seconds != firsts << 1 {
        return None;
    }
    // The code point without its last ten bits.
    let above_ten = vsubq_u16(units, each(0xD7C0));
    let first = vorrq_u16(
        vorrq_u16(vshrq_n_u16::<8>(above_ten), each(0x80F0)),
        vandq_u16(vshlq_n_u16::<6>(above_ten), each(0x3F00)),
    );
    let before = vextq_u16::<7>(units, units);
    let second = vorrq_u16(
        vorrq_u16(
            vandq_u16(vshlq_n_u16::<4>(before), each(0x30)),
            vandq_u16(vshrq_n_u16::<6>(units), each(0x0F)),
        ),
        vorrq_u16(vandq_u16(vshlq_n_u16::<8>(units), each(0x3F00)), each(0x8080)),
    );
    Some((vbslq_u16(is_first, first, second), firsts >> 7 == 1))
}

/// Whether the lanes are pairs of surrogates, with the first unit of a pair in each even lane.
#[inline]
#[target_feature(enable = "neon")]
pub fn are_pairs(a: uint16x8_t, b: uint16x8_t) -> bool {
    let pair = vreinterpretq_u16_u32(vdupq_n_u32(0xDC00_D800));
    let others = vorrq_u16(veorq_u16(a, pair), veorq_u16(b, pair));
    vmaxvq_u16(others) < 0x0400
}

/// The bytes of four pairs of surrogates.
#[inline]
#[target_feature(enable = "neon")]
pub fn encode_pairs(units: uint16x8_t) -> uint8x16_t {
    let pairs = vreinterpretq_u32_u16(units);
    let some = |bits, mask| vandq_u32(bits, vdupq_n_u32(mask));
    // The code point without its last ten bits.
    let above_ten = vaddq_u32(some(pairs, 0x03FF), vdupq_n_u32(0x40));
    let first_two =
        vorrq_u32(vshrq_n_u32::<8>(above_ten), some(vshlq_n_u32::<6>(above_ten), 0x3F00));
    let third = vorrq_u32(
        some(vshlq_n_u32::<20>(above_ten), 0x30_0000),
        some(vshrq_n_u32::<6>(pairs), 0x0F_0000),
    );
    let last = some(vshlq_n_u32::<8>(pairs), 0x3F00_0000);
    let bits = vorrq_u32(vorrq_u32(first_two, third), last);
    vreinterpretq_u8_u32(vorrq_u32(bits, vdupq_n_u32(0x8080_80F0)))
}

/// For each byte the bytes before it. There are zeros before the first byte.
pub struct Before {
    /// The previous byte.
    one: uint8x16_t,
    /// The byte before the previous one.
    two: uint8x16_t,
    /// Whether the byte is the third of a character.
    is_third: uint8x16_t,
    /// Whether the byte is the fourth of a character.
    pub is_fourth: uint8x16_t,
}

/// Computes [`Before`] for a vector.
#[inline]
#[target_feature(enable = "neon")]
pub fn before_each(bytes: uint8x16_t) -> Before {
    let zeros = each_byte(0);
    let two = vextq_u8::<14>(zeros, bytes);
    let three = vextq_u8::<13>(zeros, bytes);
    Before {
        one: vextq_u8::<15>(zeros, bytes),
        two,
        is_third: vcgeq_u8(two, each_byte(0xE0)),
        is_fourth: vcgeq_u8(three, each_byte(0xF0)),
    }
}

/// Whether every byte may follow the bytes before it in UTF-8.
#[inline]
#[target_feature(enable = "neon")]
pub fn is_well_formed(bytes: uint8x16_t, before: &Before) -> bool {
    let malformed = vandq_u8(
        vandq_u8(
            look_up(MALFORMED.first_upper, vshrq_n_u8::<4>(before.one)),
            look_up(MALFORMED.first_lower, vandq_u8(before.one, each_byte(0x0F))),
        ),
        look_up(MALFORMED.second_upper, vshrq_n_u8::<4>(bytes)),
    );
    // A third or fourth byte must be the second of two continuation bytes in a row. Any other
    // byte must not.
    let is_later = vorrq_u8(before.is_third, before.is_fourth);
    let is_later = vandq_u8(is_later, each_byte(TWO_CONTINUATIONS));
    vmaxvq_u8(veorq_u8(malformed, is_later)) == 0
}

/// The table's value for each index.
#[inline]
#[target_feature(enable = "neon")]
fn look_up(table: [u8; 16], indices: uint8x16_t) -> uint8x16_t {
    let table = u128::from_le_bytes(table);
    let table = vcombine_u8(vcreate_u8(table as u64), vcreate_u8((table >> 64) as u64));
    vqtbl1q_u8(table, indices)
}

/// 16 units.
pub struct Units {
    /// The low byte of each unit.
    pub low: uint8x16_t,
    /// The high byte of each unit.
    pub high: uint8x16_t,
}

/// The units of characters of up to three bytes, each at the last byte of its character.
#[inline]
#[target_feature(enable = "neon")]
pub fn units_by_last_byte(
    bytes: uint8x16_t,
    is_continuation: uint8x16_t,
    before: &Before,
) -> Units {
    let six_before = vandq_u8(vandq_u8(before.one, each_byte(0x3F)), is_continuation);
    let first_four = vandq_u8(vshlq_n_u8::<4>(before.two), before.is_third);
    Units {
        // The continuation bit is overwritten by the lowest bit of the byte before.
        low: vorrq_u8(vandq_u8(bytes, each_byte(0x7F)), vshlq_n_u8::<6>(six_before)),
        high: vorrq_u8(vshrq_n_u8::<2>(six_before), first_four),
    }
}

/// Adds the surrogates of characters of four bytes: the low surrogate at the last byte, the high
/// surrogate at the byte before, where all of its bits are known.
#[inline]
#[target_feature(enable = "neon")]
pub fn with_pairs(units: Units, bytes: uint8x16_t, before: &Before) -> Units {
    let second_high = vorrq_u8(vandq_u8(units.high, each_byte(0x03)), each_byte(0xDC));
    let high = vbslq_u8(before.is_fourth, second_high, units.high);

    let above_ten =
        vorrq_u8(vshlq_n_u8::<2>(before.one), vandq_u8(vshrq_n_u8::<4>(bytes), each_byte(0x03)));
    // Add 0xD7C0, the low byte first. The sum of the low bytes has a carry unless `above_ten` is
    // below 0x40, so the high byte gets 0xD8, minus one where there is no carry: there the
    // comparison is -1.
    let first_low = vaddq_u8(above_ten, each_byte(0xC0));
    let has_no_carry = vcltq_u8(above_ten, each_byte(0x40));
    let first_high =
        vaddq_u8(vaddq_u8(vandq_u8(before.two, each_byte(0x07)), each_byte(0xD8)), has_no_carry);
    let is_first = vcgeq_u8(before.two, each_byte(0xF0));
    Units {
        low: vbslq_u8(is_first, first_low, units.low),
        high: vbslq_u8(is_first, first_high, high),
    }
}
