//! The portable conversion: eight elements at a time if they are all ASCII, or all units of
//! three bytes; one character at a time otherwise.

use std::mem::MaybeUninit;

use super::{OUTPUT_WINDOW, Progress};

const LANES: usize = 8;

/// Converts some of the next units, at least one.
#[inline]
pub fn encode(units: &[u16], out: &mut [MaybeUninit<u8>; OUTPUT_WINDOW]) -> Progress {
    if let Some(lanes) = units.first_chunk()
        && let Some(written) = encode_lanes(lanes, out)
    {
        return Progress { read: LANES, written };
    }
    // Convert about eight elements one by one before trying eight at once again.
    let (mut read, mut written) = (0, 0);
    while read < units.len().min(LANES)
        && let Some(out) = out[written..].first_chunk_mut::<4>()
    {
        let (units_read, bytes, length) = encode_one(&units[read..]);
        // The next store overwrites the unused bytes.
        out.write_copy_of_slice(&bytes);
        read += units_read;
        written += length;
    }
    Progress { read, written }
}

/// Converts eight units at once if all are ASCII or all take three bytes, and returns the number
/// of bytes.
#[inline]
fn encode_lanes(units: &[u16; LANES], out: &mut [MaybeUninit<u8>; OUTPUT_WINDOW]) -> Option<usize> {
    if units.iter().fold(0, |all, unit| all | unit) < 0x80 {
        out[..LANES].write_copy_of_slice(&units.map(|unit| unit as u8));
        return Some(LANES);
    }
    if units.iter().fold(true, |all, unit| all & is_three_bytes(*unit)) {
        for pair in 0..LANES / 2 {
            let two = u64::from(three_bytes(units[pair * 2]))
                | u64::from(three_bytes(units[pair * 2 + 1])) << 24;
            // Six of the eight bytes are used. The next store overwrites the others.
            out[pair * 6..pair * 6 + 8].write_copy_of_slice(&two.to_le_bytes());
        }
        return Some(LANES * 3);
    }
    None
}

#[inline]
fn is_three_bytes(unit: u16) -> bool {
    (unit >= 0x800) & (unit & 0xF800 != 0xD800)
}

/// The three bytes of a unit, in little-endian order.
#[inline]
fn three_bytes(unit: u16) -> u32 {
    let unit = u32::from(unit);
    0x0080_80E0 | unit >> 12 | (unit << 2) & 0x3F00 | (unit & 0x3F) << 16
}

/// Converts one character. Returns its number of units, its bytes, and how many bytes are used.
#[inline]
fn encode_one(units: &[u16]) -> (usize, [u8; 4], usize) {
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
    let mut bytes = [0; 4];
    let length = character.encode_utf8(&mut bytes).len();
    (1 + usize::from(pair.is_some()), bytes, length)
}

/// Converts some of the next characters, at least one.
#[inline]
pub fn decode(bytes: &[u8], out: &mut [MaybeUninit<u16>; OUTPUT_WINDOW]) -> Progress {
    let (mut read, mut written) = (0, 0);
    while let Some(lanes) = bytes[read..].first_chunk::<LANES>()
        && let Some(out) = out[written..].first_chunk_mut::<LANES>()
        && lanes.is_ascii()
    {
        out.write_copy_of_slice(&lanes.map(u16::from));
        read += LANES;
        written += LANES;
    }
    // Convert about eight elements one by one before trying eight at once again.
    let stop = written + LANES;
    while read < bytes.len()
        && written < stop
        && let Some(out) = out[written..].first_chunk_mut::<2>()
    {
        let (bytes_read, units, length) = decode_one(&bytes[read..]);
        // The next store overwrites the unused unit.
        out.write_copy_of_slice(&units);
        read += bytes_read;
        written += length;
    }
    Progress { read, written }
}

/// Converts one character. Returns its number of bytes, its units, and how many units are used.
#[inline]
fn decode_one(bytes: &[u8]) -> (usize, [u16; 2], usize) {
    let six = |byte: u8| u16::from(byte & 0x3F);
    match *bytes {
        [one @ 0..0x80, ..] => (1, [u16::from(one), 0], 1),
        [a @ 0xC2..0xE0, b @ 0x80..0xC0, ..] => (2, [u16::from(a & 0x1F) << 6 | six(b), 0], 1),
        [a @ 0xE0..0xF0, b @ 0x80..0xC0, c @ 0x80..0xC0, ..]
            if is_three_bytes(u16::from(a) << 12 | six(b) << 6 | six(c)) =>
        {
            (3, [u16::from(a) << 12 | six(b) << 6 | six(c), 0], 1)
        }
        _ => {
            let (bytes_read, character) = decode_any(bytes);
            let mut units = [0; 2];
            let length = character.encode_utf16(&mut units).len();
            (bytes_read, units, length)
        }
    }
}

/// Decodes one character, or U+FFFD for a malformed sequence, and returns its number of bytes.
fn decode_any(bytes: &[u8]) -> (usize, char) {
    let ahead = &bytes[..bytes.len().min(4)];
    let chunk = ahead.utf8_chunks().next();
    match chunk.map(|chunk| (chunk.valid().chars().next(), chunk.invalid().len())) {
        Some((Some(character), _)) => (character.len_utf8(), character),
        Some((None, invalid)) => (invalid.max(1), char::REPLACEMENT_CHARACTER),
        None => (1, char::REPLACEMENT_CHARACTER),
    }
}
