//! UTF-16 to UTF-8 and back, several times faster than the engine's own conversion for text
//! beyond ASCII.
//!
//! Eight units at a time where that is possible, one at a time otherwise. A lone surrogate
//! becomes U+FFFD.

#[cfg(target_arch = "x86_64")]
use super::avx2;

/// How many units are converted before they are appended.
const BLOCK: usize = 256;
const LANES: usize = 8;

/// Three bytes a unit, and room for the last store to write beyond its character.
const BLOCK_BYTES: usize = BLOCK * 3 + 32;

/// Appends UTF-16 as UTF-8.
pub fn push_utf16(units: &[u16], out: &mut Vec<u8>) {
    let encode_block = best_encoder();
    let mut block = [0; BLOCK_BYTES];
    let mut rest = units;
    while !rest.is_empty() {
        let (read, written) = encode_block(rest, &mut block);
        out.extend_from_slice(&block[..written]);
        rest = &rest[read..];
    }
}

type BlockEncoder = fn(&[u16], &mut [u8; BLOCK_BYTES]) -> (usize, usize);

#[cfg(target_arch = "x86_64")]
fn best_encoder() -> BlockEncoder {
    #[target_feature(enable = "avx2")]
    fn with_avx2(units: &[u16], block: &mut [u8; BLOCK_BYTES]) -> (usize, usize) {
        encode_block(units, block, |lanes, out| avx2::encode(lanes, out.first_chunk_mut()?))
    }
    #[expect(unsafe_code, reason = "the compiler cannot know what processor this will run on")]
    fn detected(units: &[u16], block: &mut [u8; BLOCK_BYTES]) -> (usize, usize) {
        // SAFETY: only handed out after the processor was asked.
        unsafe { with_avx2(units, block) }
    }
    if std::arch::is_x86_feature_detected!("avx2") { detected } else { encode_block_anywhere }
}

#[cfg(not(target_arch = "x86_64"))]
fn best_encoder() -> BlockEncoder {
    encode_block_anywhere
}

fn encode_block_anywhere(units: &[u16], block: &mut [u8; BLOCK_BYTES]) -> (usize, usize) {
    encode_block(units, block, encode_lanes)
}

/// Converts the next units, at least one and at most a block; answers how many, and to how
/// many bytes. `encode_lanes` converts eight, or says that it cannot.
#[inline(always)]
fn encode_block(
    units: &[u16],
    block: &mut [u8; BLOCK_BYTES],
    encode_lanes: impl Fn(&[u16; LANES], &mut [u8]) -> Option<usize>,
) -> (usize, usize) {
    let end = units.len().min(BLOCK);
    let (mut read, mut written) = (0, 0);
    while read < end {
        while let Some(lanes) = units[read..end].first_chunk::<LANES>()
            && let Some(bytes) = encode_lanes(lanes, &mut block[written..])
        {
            read += LANES;
            written += bytes;
        }
        // Get over a stretch that is not for all eight one by one before trying again.
        let stop = end.min(read + LANES);
        while read < stop {
            let (units_read, bytes) = encode_one(&units[read..], &mut block[written..]);
            read += units_read;
            written += bytes;
        }
    }
    (read, written)
}

/// Eight units of one kind at once; `None` if they are not.
fn encode_lanes(units: &[u16; LANES], out: &mut [u8]) -> Option<usize> {
    if units.iter().fold(0, |all, unit| all | unit) < 0x80 {
        let bytes = out.first_chunk_mut::<LANES>()?;
        *bytes = units.map(|unit| unit as u8);
        return Some(LANES);
    }
    if units.iter().fold(true, |all, unit| all & is_three_bytes(*unit)) {
        let bytes = out.first_chunk_mut::<{ LANES * 3 + 2 }>()?;
        for pair in 0..LANES / 2 {
            let two = u64::from(three_bytes(units[pair * 2]))
                | u64::from(three_bytes(units[pair * 2 + 1])) << 24;
            // Six of the eight bytes count; the next store writes over the others.
            bytes[pair * 6..pair * 6 + 8].copy_from_slice(&two.to_le_bytes());
        }
        return Some(LANES * 3);
    }
    None
}

fn is_three_bytes(unit: u16) -> bool {
    (unit >= 0x800) & (unit & 0xF800 != 0xD800)
}

/// The three bytes of a unit, first byte lowest.
fn three_bytes(unit: u16) -> u32 {
    let unit = u32::from(unit);
    0x0080_80E0 | unit >> 12 | (unit << 2) & 0x3F00 | (unit & 0x3F) << 16
}

/// One character: how many units it has, and how many bytes.
fn encode_one(units: &[u16], out: &mut [u8]) -> (usize, usize) {
    let pair = match *units {
        [high @ 0xD800..=0xDBFF, low @ 0xDC00..=0xDFFF, ..] => Some((high, low)),
        _ => None,
    };
    let character = match pair {
        Some((high, low)) => {
            char::from_u32(0x10000 + ((u32::from(high) - 0xD800) << 10) + u32::from(low) - 0xDC00)
        }
        None => units.first().and_then(|unit| char::from_u32(u32::from(*unit))),
    };
    let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
    (1 + usize::from(pair.is_some()), character.encode_utf8(out).len())
}

/// How many bytes UTF-16 takes in UTF-8.
pub fn utf8_bytes(units: &[u16]) -> usize {
    let alone: usize =
        units.iter().map(|unit| 1 + usize::from(*unit >= 0x80) + usize::from(*unit >= 0x800)).sum();
    let is_pair = |pair: &[u16]| pair[0] & 0xFC00 == 0xD800 && pair[1] & 0xFC00 == 0xDC00;
    // A pair takes four bytes, its halves alone three each.
    let pairs: usize = units.windows(2).map(|pair| usize::from(is_pair(pair))).sum();
    alone - 2 * pairs
}

/// Appends well-formed UTF-8 as UTF-16. What is not well-formed becomes U+FFFD.
pub fn push_utf8(bytes: &[u8], out: &mut Vec<u16>) {
    let decode_block = best_decoder();
    let mut block = [0; BLOCK + LANES];
    let mut rest = bytes;
    while !rest.is_empty() {
        let (read, written) = decode_block(rest, &mut block);
        out.extend_from_slice(&block[..written]);
        rest = &rest[read..];
    }
}

type BlockDecoder = fn(&[u8], &mut [u16; BLOCK + LANES]) -> (usize, usize);

#[cfg(target_arch = "x86_64")]
fn best_decoder() -> BlockDecoder {
    #[target_feature(enable = "avx2")]
    fn with_avx2(bytes: &[u8], block: &mut [u16; BLOCK + LANES]) -> (usize, usize) {
        decode_block(bytes, block, |bytes, out| avx2::decode(bytes.first_chunk()?, out))
    }
    #[expect(unsafe_code, reason = "the compiler cannot know what processor this will run on")]
    fn detected(bytes: &[u8], block: &mut [u16; BLOCK + LANES]) -> (usize, usize) {
        // SAFETY: only handed out after the processor was asked.
        unsafe { with_avx2(bytes, block) }
    }
    if std::arch::is_x86_feature_detected!("avx2") { detected } else { decode_block_anywhere }
}

#[cfg(not(target_arch = "x86_64"))]
fn best_decoder() -> BlockDecoder {
    decode_block_anywhere
}

fn decode_block_anywhere(bytes: &[u8], block: &mut [u16; BLOCK + LANES]) -> (usize, usize) {
    decode_block(bytes, block, |bytes, out| {
        let lanes = bytes.first_chunk::<LANES>()?;
        *out = lanes.is_ascii().then(|| lanes.map(u16::from))?;
        Some(LANES)
    })
}

/// Converts the next bytes to at most a block of units, at least one character; answers how
/// many bytes, and to how many units. `decode_lanes` converts eight characters of a unit each,
/// or says that it cannot.
#[inline(always)]
fn decode_block(
    bytes: &[u8],
    block: &mut [u16; BLOCK + LANES],
    decode_lanes: impl Fn(&[u8], &mut [u16; LANES]) -> Option<usize>,
) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    while read < bytes.len() && written < BLOCK {
        while let Some(lanes) = block[written..].first_chunk_mut()
            && written + LANES <= BLOCK
            && let Some(bytes_read) = decode_lanes(&bytes[read..], lanes)
        {
            read += bytes_read;
            written += LANES;
        }
        // A mixed stretch: get over it one by one before trying again.
        for _ in 0..LANES {
            if read == bytes.len() || written >= BLOCK {
                break;
            }
            let (bytes_read, units) = decode_next(&bytes[read..], &mut block[written..]);
            read += bytes_read;
            written += units;
        }
    }
    (read, written)
}

/// One character: how many bytes it has, and how many units.
#[inline(always)]
fn decode_next(bytes: &[u8], out: &mut [u16]) -> (usize, usize) {
    let six = |byte: u8| u16::from(byte & 0x3F);
    match *bytes {
        [one @ 0..0x80, ..] => {
            out[0] = u16::from(one);
            (1, 1)
        }
        [a @ 0xC2..0xE0, b @ 0x80..0xC0, ..] => {
            out[0] = u16::from(a & 0x1F) << 6 | six(b);
            (2, 1)
        }
        [a @ 0xE0..0xF0, b @ 0x80..0xC0, c @ 0x80..0xC0, ..]
            if is_three_bytes(u16::from(a) << 12 | six(b) << 6 | six(c)) =>
        {
            out[0] = u16::from(a) << 12 | six(b) << 6 | six(c);
            (3, 1)
        }
        _ => {
            let (bytes_read, character) = decode_one(bytes);
            (bytes_read, character.encode_utf16(out).len())
        }
    }
}

/// Any character, or what is none, and how many bytes it has.
fn decode_one(bytes: &[u8]) -> (usize, char) {
    let ahead = &bytes[..bytes.len().min(4)];
    let chunk = ahead.utf8_chunks().next();
    match chunk.map(|chunk| (chunk.valid().chars().next(), chunk.invalid().len())) {
        Some((Some(character), _)) => (character.len_utf8(), character),
        Some((None, invalid)) => (invalid.max(1), char::REPLACEMENT_CHARACTER),
        None => (1, char::REPLACEMENT_CHARACTER),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(units: &[u16]) {
        let mut bytes = b"before".to_vec();
        push_utf16(units, &mut bytes);
        let text = ["before", &String::from_utf16_lossy(units)].concat();
        assert_eq!(bytes, text.as_bytes());
        let mut block = [0; BLOCK_BYTES];
        let (read, written) = encode_block_anywhere(units, &mut block);
        assert_eq!(&block[..written], String::from_utf16_lossy(&units[..read]).as_bytes());
        let mut block = [0; BLOCK + LANES];
        let (read, written) = decode_block_anywhere(&bytes, &mut block);
        let decoded = String::from_utf8_lossy(&bytes[..read]);
        assert_eq!(&block[..written], decoded.encode_utf16().collect::<Vec<_>>());
        assert_eq!(utf8_bytes(units), bytes.len() - "before".len());
        assert_eq!(utf16_of(&bytes), text.encode_utf16().collect::<Vec<_>>());
    }

    fn utf16_of(bytes: &[u8]) -> Vec<u16> {
        let mut units = Vec::new();
        push_utf8(bytes, &mut units);
        units
    }

    /// A small generator of numbers, the same on every run.
    fn numbers() -> impl Iterator<Item = u32> {
        let mut state = 42_u32;
        std::iter::repeat_with(move || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state
        })
    }

    #[test]
    fn every_unit_is_converted_as_the_standard_library_does() {
        for unit in 0..=u16::MAX {
            check(&[unit]);
            check(&[0x61, unit, 0x4E2D]);
        }
        let all: Vec<u16> = (0..=u16::MAX).collect();
        check(&all);
    }

    #[test]
    fn random_text_of_all_kinds_is_converted_as_the_standard_library_does() {
        let kinds = [0..0x80, 0x80..0x800, 0x4E00..0x9FFF, 0xD800..0xDC00, 0xDC00..0xE000];
        let mut numbers = numbers();
        let mut next = |below: u32| numbers.next().unwrap() % below;
        for _ in 0..3000 {
            let mut units = Vec::new();
            for _ in 0..next(12) {
                let kind = &kinds[next(5) as usize];
                let run = if next(3) == 0 { next(600) } else { next(12) };
                units.extend((0..run).map(|_| (kind.start + next(kind.end - kind.start)) as u16));
            }
            check(&units);
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_replaced() {
        let mut numbers = numbers();
        for _ in 0..3000 {
            let length = numbers.next().unwrap() % 40;
            let kinds = [0x41, 0x80, 0xBF, 0xC3, 0xE4, 0xED, 0xA0, 0xF0, 0x9F, 0xFF];
            let bytes: Vec<u8> =
                numbers.by_ref().take(length as usize).map(|n| kinds[n as usize % 10]).collect();
            let expected = String::from_utf8_lossy(&bytes);
            assert_eq!(utf16_of(&bytes), expected.encode_utf16().collect::<Vec<_>>(), "{bytes:x?}");
        }
    }

    #[test]
    fn a_pair_across_a_block_stays_a_pair() {
        for before in BLOCK - 3..BLOCK + 3 {
            let mut units = vec![0x61; before];
            units.extend([0xD83D, 0xDE00, 0x62]);
            check(&units);
        }
    }
}
