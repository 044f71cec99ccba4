//! Eight UTF-16 units to UTF-8 at once, and back, on processors with AVX2.
//!
//! To UTF-8, each unit becomes a lane of one to three bytes, whatever its neighbours are; a table says
//! for every combination of lengths how to close the gaps between them.

#![expect(unsafe_code, reason = "vector loads and stores take pointers")]

use std::arch::x86_64::*;

/// What [`encode`] may write to, though it uses less.
pub const ROOM: usize = 32;

/// For four lanes: which bytes to keep. Bit `n` of the index says that lane `n` has less than
/// two bytes, bit `n + 4` that it has less than three.
static KEEP: [[u8; 16]; 256] = keep_table();

const fn keep_table() -> [[u8; 16]; 256] {
    let mut table = [[0x80; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < 4 {
            let length = 3 - (index >> lane & 1) - (index >> (lane + 4) & 1);
            let mut byte = 0;
            while byte < length {
                table[index][at] = (lane * 4 + byte) as u8;
                at += 1;
                byte += 1;
            }
            lane += 1;
        }
        index += 1;
    }
    table
}

/// The bytes that four lanes have, by the same index.
fn bytes_of(index: usize) -> usize {
    12 - index.count_ones() as usize
}

/// Writes eight units, and answers how many bytes that are. `None` if there is a surrogate.
#[target_feature(enable = "avx2")]
pub fn encode(units: &[u16; 8], out: &mut [u8; ROOM]) -> Option<usize> {
    // SAFETY: the array has the 16 bytes that are loaded.
    let units = unsafe { _mm_loadu_si128(units.as_ptr().cast()) };
    if _mm_testz_si128(units, _mm_set1_epi16(0xFF80_u16 as i16)) == 1 {
        // SAFETY: the memory has the 16 bytes that are stored.
        unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), _mm_packus_epi16(units, units)) };
        return Some(8);
    }
    let top = _mm_and_si128(units, _mm_set1_epi16(0xF800_u16 as i16));
    if _mm_movemask_epi8(_mm_cmpeq_epi16(top, _mm_set1_epi16(0xD800_u16 as i16))) != 0 {
        return None;
    }
    let lanes = _mm256_cvtepu16_epi32(units);
    let last_six = _mm256_and_si256(lanes, _mm256_set1_epi32(0x3F));
    let two = _mm256_or_si256(
        _mm256_or_si256(_mm256_set1_epi32(0x80C0), _mm256_srli_epi32(lanes, 6)),
        _mm256_slli_epi32(last_six, 8),
    );
    let middle_six = _mm256_and_si256(_mm256_slli_epi32(lanes, 2), _mm256_set1_epi32(0x3F00));
    let three = _mm256_or_si256(
        _mm256_or_si256(_mm256_set1_epi32(0x0080_80E0), _mm256_srli_epi32(lanes, 12)),
        _mm256_or_si256(middle_six, _mm256_slli_epi32(last_six, 16)),
    );
    let is_one = _mm256_cmpgt_epi32(_mm256_set1_epi32(0x80), lanes);
    let is_three = _mm256_cmpgt_epi32(lanes, _mm256_set1_epi32(0x7FF));
    let encoded = _mm256_blendv_epi8(_mm256_blendv_epi8(two, three, is_three), lanes, is_one);

    let ones = _mm256_movemask_ps(_mm256_castsi256_ps(is_one)) as usize;
    let below_three = !_mm256_movemask_ps(_mm256_castsi256_ps(is_three)) as usize & 0xFF;
    let low = ones & 0xF | (below_three & 0xF) << 4;
    let high = ones >> 4 | below_three & 0xF0;
    let at = bytes_of(low);
    // SAFETY: the table's rows have 16 bytes; 16 bytes are stored at 0 and at no more than 12,
    // which is within the memory.
    unsafe {
        let keep_low = _mm_loadu_si128(KEEP[low].as_ptr().cast());
        let keep_high = _mm_loadu_si128(KEEP[high].as_ptr().cast());
        let low_bytes = _mm_shuffle_epi8(_mm256_castsi256_si128(encoded), keep_low);
        let high_bytes = _mm_shuffle_epi8(_mm256_extracti128_si256(encoded, 1), keep_high);
        _mm_storeu_si128(out.as_mut_ptr().cast(), low_bytes);
        _mm_storeu_si128(out[at..].as_mut_ptr().cast(), high_bytes);
    }
    Some(at + bytes_of(high))
}

/// What [`decode`] reads, though it may use less.
pub const DECODE_ROOM: usize = 28;

/// Reads eight characters of one byte each, or of three bytes each, and answers how many bytes
/// that are. `None` if they are neither.
#[target_feature(enable = "avx2")]
pub fn decode(bytes: &[u8; DECODE_ROOM], out: &mut [u16; 8]) -> Option<usize> {
    // SAFETY: the array has 16 bytes from 0 and from 12 on.
    let (first, second) = unsafe {
        let start = bytes.as_ptr();
        (_mm_loadu_si128(start.cast()), _mm_loadu_si128(start.add(12).cast()))
    };
    let out = out.as_mut_ptr().cast();
    if _mm_movemask_epi8(first) & 0xFF == 0 {
        // SAFETY: the memory has the 16 bytes that are stored.
        unsafe { _mm_storeu_si128(out, _mm_cvtepu8_epi16(first)) };
        return Some(8);
    }
    // The three bytes of a character into a lane, the first one highest.
    let lanes = _mm_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1);
    let lanes = _mm256_set_m128i(_mm_shuffle_epi8(second, lanes), _mm_shuffle_epi8(first, lanes));
    let marks = _mm256_and_si256(lanes, _mm256_set1_epi32(0x00F0_C0C0));
    let all_three = _mm256_cmpeq_epi32(marks, _mm256_set1_epi32(0x00E0_8080));
    let units = _mm256_or_si256(
        _mm256_or_si256(
            _mm256_and_si256(_mm256_srli_epi32(lanes, 4), _mm256_set1_epi32(0xF000)),
            _mm256_and_si256(_mm256_srli_epi32(lanes, 2), _mm256_set1_epi32(0x0FC0)),
        ),
        _mm256_and_si256(lanes, _mm256_set1_epi32(0x3F)),
    );
    let too_low = _mm256_cmpgt_epi32(_mm256_set1_epi32(0x800), units);
    let top = _mm256_and_si256(units, _mm256_set1_epi32(0xF800));
    let surrogate = _mm256_cmpeq_epi32(top, _mm256_set1_epi32(0xD800));
    let wrong = _mm256_or_si256(too_low, surrogate);
    if _mm256_movemask_epi8(_mm256_andnot_si256(wrong, all_three)) != -1 {
        return None;
    }
    let packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(units, units), 0b1000);
    // SAFETY: the memory has the 16 bytes that are stored.
    unsafe { _mm_storeu_si128(out, _mm256_castsi256_si128(packed)) };
    Some(24)
}
