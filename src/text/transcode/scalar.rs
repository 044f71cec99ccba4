//! Converts any text, character by character.

use std::mem::MaybeUninit;

use super::steps::{OUTPUT_WINDOW, Progress};

/// The number of characters after which a faster conversion is tried again.
const CHARACTERS: usize = 8;

/// Converts some of the next units, at least one.
#[inline(never)]
pub fn encode(units: &[u16], out: &mut [MaybeUninit<u8>; OUTPUT_WINDOW]) -> Progress {
    let (mut read, mut written) = (0, 0);
    while read < units.len().min(CHARACTERS)
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
#[inline(never)]
pub fn decode(bytes: &[u8], out: &mut [MaybeUninit<u16>; OUTPUT_WINDOW]) -> Progress {
    let (mut read, mut written) = (0, 0);
    while read < bytes.len()
        && written < CHARACTERS
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
        [a @ 0xE0..0xF0, b @ 0x80..0xC0, c @ 0x80..0xC0, ..] if !matches!(u16::from(a) << 12 | six(b) << 6 | six(c), 0..0x800 | 0xD800..0xE000) => {
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
