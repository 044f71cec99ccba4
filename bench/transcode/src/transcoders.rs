//! The transcoders, all with the same text and memory.

use crate::transcode::{Portable, Transcoder, measure_utf16, push_utf8, push_utf16};
use std::hint::black_box;

/// Our own with vector instructions, our own without, and others. All but one check UTF-8.
pub const TRANSCODERS: [&str; 5] =
    ["ours", "portable", "encoding_rs", "encoding_rs, unchecked", "simdutf"];
/// To UTF-8, to UTF-16, and the size of UTF-16 in UTF-8.
pub const CONVERSIONS: [&str; 3] = ["encode", "decode", "measure"];

/// A text in both encodings.
pub struct Text {
    pub utf8: String,
    pub utf16: Vec<u16>,
}

/// Memory for the results, the same for all texts.
pub struct Room {
    bytes: Vec<u8>,
    units: Vec<u16>,
    byte_slice: Vec<u8>,
    unit_slice: Vec<u16>,
}

/// Converts a text once.
pub type Run = fn(&Text, &mut Room);

/// Returns `None` if this transcoder has no such conversion.
pub fn find(conversion: &str, transcoder: &str) -> Option<Run> {
    Some(match (conversion, transcoder) {
        ("encode", "ours") => |text, room| {
            room.bytes.clear();
            push_utf16(&text.utf16, &mut room.bytes);
        },
        ("encode", "portable") => |text, room| {
            room.bytes.clear();
            Portable.push_utf16(&text.utf16, &mut room.bytes);
        },
        ("encode", "encoding_rs") => |text, room| {
            let bytes = room.byte_slice.as_mut_slice();
            black_box(encoding_rs::mem::convert_utf16_to_utf8(&text.utf16, bytes));
        },
        ("decode", "ours") => |text, room| {
            room.units.clear();
            push_utf8(text.utf8.as_bytes(), &mut room.units);
        },
        ("decode", "portable") => |text, room| {
            room.units.clear();
            Portable.push_utf8(text.utf8.as_bytes(), &mut room.units);
        },
        ("decode", "encoding_rs") => |text, room| {
            let (bytes, units) = (text.utf8.as_bytes(), room.unit_slice.as_mut_slice());
            black_box(encoding_rs::mem::convert_utf8_to_utf16(bytes, units));
        },
        ("decode", "encoding_rs, unchecked") => |text, room| {
            let units = room.unit_slice.as_mut_slice();
            black_box(encoding_rs::mem::convert_str_to_utf16(&text.utf8, units));
        },
        ("measure", "ours") => |text, _| {
            black_box(measure_utf16(&text.utf16));
        },
        ("measure", "portable") => |text, _| {
            black_box(Portable.measure_utf16(&text.utf16));
        },
        #[cfg(feature = "simdutf")]
        ("encode", "simdutf") => |text, room| {
            // SAFETY: there is room for three bytes a unit.
            black_box(unsafe {
                let (units, count) = (text.utf16.as_ptr(), text.utf16.len());
                simdutf::convert_utf16le_to_utf8(units, count, room.byte_slice.as_mut_ptr())
            });
        },
        #[cfg(feature = "simdutf")]
        ("decode", "simdutf") => |text, room| {
            // SAFETY: there is room for a unit a byte.
            black_box(unsafe {
                let (text, size) = (text.utf8.as_ptr(), text.utf8.len());
                simdutf::convert_utf8_to_utf16le(text, size, room.unit_slice.as_mut_ptr())
            });
        },
        #[cfg(feature = "simdutf")]
        ("measure", "simdutf") => |text, _| {
            black_box(simdutf::utf8_length_from_utf16le(&text.utf16));
        },
        _ => return None,
    })
}

impl Text {
    pub fn new(utf8: &str) -> Self {
        Self { utf8: utf8.to_owned(), utf16: utf8.encode_utf16().collect() }
    }
}

impl Room {
    /// Memory for texts of up to this many units.
    pub fn new(units: usize) -> Self {
        Self {
            bytes: Vec::new(),
            units: Vec::new(),
            byte_slice: vec![0; units * 3 + 64],
            unit_slice: vec![0; units * 3 + 64],
        }
    }

    /// Panics if one of ours converts wrongly.
    pub fn check(&mut self, text: &Text) {
        for transcoder in ["ours", "portable"] {
            for run in CONVERSIONS.iter().filter_map(|conversion| find(conversion, transcoder)) {
                run(text, self);
            }
            assert_eq!(self.bytes, text.utf8.as_bytes());
            assert_eq!(self.units, text.utf16);
        }
        assert_eq!(measure_utf16(&text.utf16).bytes, text.utf8.len());
        assert_eq!(Portable.measure_utf16(&text.utf16).bytes, text.utf8.len());
    }
}
