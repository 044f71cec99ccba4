//! Sizes of UTF-8 text in the units that CLIs and systems count in.

use serde::Serialize;

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Unit {
    /// Bytes of UTF-8.
    Bytes,
    /// Unicode code points.
    CodePoints,
    /// Units of UTF-16: the `length` of a JavaScript string.
    Utf16,
}

impl Unit {
    /// Every unit.
    pub const ALL: [Unit; 3] = [Unit::Bytes, Unit::CodePoints, Unit::Utf16];

    /// The name in options and errors.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Bytes => "bytes",
            Unit::CodePoints => "codePoints",
            Unit::Utf16 => "utf16",
        }
    }

    /// The unit with this name.
    pub fn parse(name: &str) -> Option<Unit> {
        Unit::ALL.into_iter().find(|unit| unit.name() == name)
    }

    /// The name in sentences.
    pub const fn words(self) -> &'static str {
        match self {
            Unit::Bytes => "bytes",
            Unit::CodePoints => "code points",
            Unit::Utf16 => "UTF-16 units",
        }
    }

    /// The size of a text.
    pub fn measure(self, text: &[u8]) -> usize {
        match self {
            Unit::Bytes => text.len(),
            Unit::CodePoints => code_points(text),
            Unit::Utf16 => utf16_units(text),
        }
    }

    /// The size of a text if it is over a limit. A code point and a UTF-16 unit take a byte or
    /// more, so most texts need not be counted.
    pub fn excess(self, text: &[u8], max: usize) -> Option<usize> {
        if text.len() <= max {
            return None;
        }
        Some(self.measure(text)).filter(|size| *size > max)
    }
}

/// Every character has one byte that is no continuation byte.
fn code_points(text: &[u8]) -> usize {
    sum(text, |byte| u8::from(byte & 0xC0 != 0x80))
}

/// A character of four bytes takes two units, any other one.
pub fn utf16_units(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    sum(text, |byte| u8::from(byte & 0xC0 != 0x80) + u8::from(byte >= 0xF0))
}

/// So many bytes of at most two each can be summed up in a byte. A multiple of what vector
/// instructions take.
const CHUNK: usize = 96;

/// The sum of what the bytes count for, at most two each. In bytes, so that the compiler makes
/// vector instructions of it.
fn sum(text: &[u8], count: impl Fn(u8) -> u8) -> usize {
    let of_chunk = |chunk: &[u8]| chunk.iter().map(|byte| count(*byte)).sum::<u8>();
    text.chunks(CHUNK).map(|chunk| usize::from(of_chunk(chunk))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_like_the_standard_library() {
        let pieces = ["a", "é", "漢", "😀", "\u{10FFFF}", "\0", "\u{FEFF}", "e\u{301}"];
        let mut text = String::new();
        for step in 0..30_000_usize {
            text.push_str(pieces[(step * 7 + step / 11) % pieces.len()]);
            // Every length around the size of a block, and then now and then.
            if step < 100 || step % 997 == 0 {
                assert_eq!(Unit::Bytes.measure(text.as_bytes()), text.len());
                assert_eq!(Unit::CodePoints.measure(text.as_bytes()), text.chars().count());
                assert_eq!(Unit::Utf16.measure(text.as_bytes()), text.encode_utf16().count());
            }
        }
    }

    #[test]
    fn a_chunk_does_not_overflow() {
        for bytes in [CHUNK - 1, CHUNK, CHUNK + 1, CHUNK * 3 + 5] {
            // No text, but as much as a byte can count for.
            assert_eq!(Unit::Utf16.measure(&vec![0xF0; bytes]), bytes * 2);
        }
    }

    #[test]
    fn a_limit_is_exceeded_by_one_more() {
        for (text, bytes, code_points, utf16) in
            [("aé漢😀", 10, 4, 5), ("漢字", 6, 2, 2), ("😀😀", 8, 2, 4)]
        {
            let text = text.as_bytes();
            for (unit, size) in
                [(Unit::Bytes, bytes), (Unit::CodePoints, code_points), (Unit::Utf16, utf16)]
            {
                assert_eq!(unit.excess(text, size), None, "{unit:?}");
                assert_eq!(unit.excess(text, size - 1), Some(size), "{unit:?}");
            }
        }
    }

    #[test]
    fn units_have_names() {
        for unit in Unit::ALL {
            assert_eq!(Unit::parse(unit.name()), Some(unit));
        }
        assert_eq!(Unit::parse("tokens"), None);
    }
}
