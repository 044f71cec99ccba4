//! Computations on the lanes of vectors, without memory access.

use std::arch::x86_64::*;

use super::super::tables::{MALFORMED, TWO_CONTINUATIONS};

/// A vector with `lane` in each lane of 16 bits.
#[inline]
#[target_feature(enable = "avx2")]
pub fn each(lane: u16) -> __m256i {
    _mm256_set1_epi16(lane as i16)
}

/// Whether all bits are zero.
#[inline]
#[target_feature(enable = "avx2")]
pub fn is_zero(vector: __m256i) -> bool {
    _mm256_testz_si256(vector, vector) == 1
}

/// A vector with `byte` in each byte.
#[inline]
#[target_feature(enable = "avx2")]
pub fn each_byte(byte: u8) -> __m256i {
    _mm256_set1_epi8(byte as i8)
}

/// For each surrogate its half of the pair's four bytes, and whether the last lane is a high
/// surrogate. Returns `None` if there is a lone surrogate.
#[inline]
#[target_feature(enable = "avx2")]
pub fn encode_surrogates(units: __m256i) -> Option<(__m256i, bool)> {
    let top = _mm256_and_si256(units, each(0xFC00));
    let is_first = _mm256_cmpeq_epi16(top, each(0xD800));
    // Two bits for each lane.
    let firsts = _mm256_movemask_epi8(is_first) as u32;
    let seconds = _mm256_movemask_epi8(_mm256_cmpeq_epi16(top, each(0xDC00))) as u32;
    if seconds != firsts << 2 {
        return None;
    }
    // The code point without its last ten bits.
    let above_ten = _mm256_sub_epi16(units, each(0xD7C0));
    let first = _mm256_or_si256(
        _mm256_or_si256(_mm256_srli_epi16(above_ten, 8), each(0x80F0)),
        _mm256_and_si256(_mm256_slli_epi16(above_ten, 6), each(0x3F00)),
    );
    let low_lane_up = _mm256_permute2x128_si256(units, units, 0x08);
    let before = _mm256_alignr_epi8(units, low_lane_up, 14);
    let second = _mm256_or_si256(
        _mm256_or_si256(
            _mm256_and_si256(_mm256_slli_epi16(before, 4), each(0x30)),
            _mm256_and_si256(_mm256_srli_epi16(units, 6), each(0x0F)),
        ),
        _mm256_or_si256(_mm256_and_si256(_mm256_slli_epi16(units, 8), each(0x3F00)), each(0x8080)),
    );
    Some((_mm256_blendv_epi8(second, first, is_first), firsts >> 31 == 1))
}

/// For each byte the bytes before it. There are zeros before the first byte.
pub struct Before {
    /// The previous byte.
    one: __m256i,
    /// The byte before the previous one.
    two: __m256i,
    /// The highest bit is set if the byte is the third of a character.
    is_third: __m256i,
    /// The highest bit is set if the byte is the fourth of a character.
    pub is_fourth: __m256i,
}

/// Computes [`Before`] for a vector.
#[inline]
#[target_feature(enable = "avx2")]
pub fn before_each(bytes: __m256i) -> Before {
    let low_half_up = _mm256_permute2x128_si256(bytes, bytes, 0x08);
    let two = _mm256_alignr_epi8(bytes, low_half_up, 14);
    let three = _mm256_alignr_epi8(bytes, low_half_up, 13);
    Before {
        one: _mm256_alignr_epi8(bytes, low_half_up, 15),
        two,
        is_third: _mm256_subs_epu8(two, each_byte(0xE0 - 0x80)),
        is_fourth: _mm256_subs_epu8(three, each_byte(0xF0 - 0x80)),
    }
}

/// Whether every byte may follow the bytes before it in UTF-8.
#[inline]
#[target_feature(enable = "avx2")]
pub fn is_well_formed(bytes: __m256i, before: &Before) -> bool {
    let upper = |bytes| _mm256_and_si256(_mm256_srli_epi16(bytes, 4), each_byte(0x0F));
    let lower = |bytes| _mm256_and_si256(bytes, each_byte(0x0F));
    let malformed = _mm256_and_si256(
        _mm256_and_si256(
            look_up(MALFORMED.first_upper, upper(before.one)),
            look_up(MALFORMED.first_lower, lower(before.one)),
        ),
        look_up(MALFORMED.second_upper, upper(bytes)),
    );
    // A third or fourth byte must be the second of two continuation bytes in a row. Any other
    // byte must not.
    let is_later = _mm256_or_si256(before.is_third, before.is_fourth);
    let is_later = _mm256_and_si256(is_later, each_byte(TWO_CONTINUATIONS));
    is_zero(_mm256_xor_si256(malformed, is_later))
}

/// The table's value for each index.
#[inline]
#[target_feature(enable = "avx2")]
fn look_up(table: [u8; 16], indices: __m256i) -> __m256i {
    let table = u128::from_le_bytes(table);
    let table = _mm_set_epi64x((table >> 64) as i64, table as i64);
    _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), indices)
}

/// 32 units.
pub struct Units {
    /// The low byte of each unit.
    pub low: __m256i,
    /// The high byte of each unit.
    pub high: __m256i,
}

/// The units of characters of up to three bytes, each at the last byte of its character.
#[inline]
#[target_feature(enable = "avx2")]
pub fn units_by_last_byte(bytes: __m256i, is_continuation: __m256i, before: &Before) -> Units {
    let six_before =
        _mm256_and_si256(_mm256_and_si256(before.one, each_byte(0x3F)), is_continuation);
    let is_third = _mm256_cmpgt_epi8(_mm256_setzero_si256(), before.is_third);
    let first_four = _mm256_and_si256(_mm256_slli_epi16(before.two, 4), each_byte(0xF0));
    Units {
        low: _mm256_or_si256(
            _mm256_and_si256(bytes, each_byte(0x7F)),
            _mm256_and_si256(_mm256_slli_epi16(six_before, 6), each_byte(0xC0)),
        ),
        high: _mm256_or_si256(
            _mm256_and_si256(_mm256_srli_epi16(six_before, 2), each_byte(0x0F)),
            _mm256_and_si256(first_four, is_third),
        ),
    }
}

/// Adds the surrogates of characters of four bytes: the low surrogate at the last byte, the high
/// surrogate at the byte before, where all of its bits are known.
#[inline]
#[target_feature(enable = "avx2")]
pub fn with_pairs(units: Units, bytes: __m256i, before: &Before) -> Units {
    let second_high =
        _mm256_or_si256(_mm256_and_si256(units.high, each_byte(0x03)), each_byte(0xDC));
    let high = _mm256_blendv_epi8(units.high, second_high, before.is_fourth);

    let above_ten = _mm256_or_si256(
        _mm256_and_si256(_mm256_slli_epi16(before.one, 2), each_byte(0xFC)),
        _mm256_and_si256(_mm256_srli_epi16(bytes, 4), each_byte(0x03)),
    );
    // Add 0xD7C0, the low byte first. The sum of the low bytes has a carry unless `above_ten` is
    // below 0x40, so the high byte gets 0xD8, minus one where there is no carry: there the
    // comparison is -1.
    let first_low = _mm256_add_epi8(above_ten, each_byte(0xC0));
    let has_no_carry =
        _mm256_cmpeq_epi8(_mm256_and_si256(above_ten, each_byte(0xC0)), _mm256_setzero_si256());
    let first_high = _mm256_add_epi8(
        _mm256_add_epi8(_mm256_and_si256(before.two, each_byte(0x07)), each_byte(0xD8)),
        has_no_carry,
    );
    let is_first = _mm256_subs_epu8(before.two, each_byte(0xF0 - 0x80));
    Units {
        low: _mm256_blendv_epi8(units.low, first_low, is_first),
        high: _mm256_blendv_epi8(high, first_high, is_first),
    }
}
