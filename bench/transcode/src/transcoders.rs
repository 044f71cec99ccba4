//! The transcoders, all with the same text and memory.

use crate::transcode::{Portable, Transcoder, measure_utf16, push_utf8, push_utf16};
use std::hint::black_box;

/// Our own with vector instructions, our own without, and two others.
pub const TRANSCODERS: [&str; 4] = ["ours", "portable", "encoding_rs", "simdutf"];
/// To UTF-8, to UTF-16, and the size of UTF-16 in UTF-8.
pub const CONVERSIONS: [&str; 3] = ["encode", "decode", "measure"];

/// A text in both encodings, and memory for the results.
pub struct Job {
    text: String,
    pub units: Vec<u16>,
    bytes_out: Vec<u8>,
    units_out: Vec<u16>,
    byte_room: Vec<u8>,
    unit_room: Vec<u16>,
}

/// Converts the text once.
pub type Run = fn(&mut Job);

/// Returns `None` if this transcoder has no such conversion.
pub fn find(conversion: &str, transcoder: &str) -> Option<Run> {
    Some(match (conversion, transcoder) {
        ("encode", "ours") => |job| {
            job.bytes_out.clear();
            push_utf16(&job.units, &mut job.bytes_out);
        },
        ("encode", "portable") => |job| {
            job.bytes_out.clear();
            Portable.push_utf16(&job.units, &mut job.bytes_out);
        },
        ("encode", "encoding_rs") => |job| {
            let room = job.byte_room.as_mut_slice();
            black_box(encoding_rs::mem::convert_utf16_to_utf8(&job.units, room));
        },
        ("decode", "ours") => |job| {
            job.units_out.clear();
            push_utf8(job.text.as_bytes(), &mut job.units_out);
        },
        ("decode", "portable") => |job| {
            job.units_out.clear();
            Portable.push_utf8(job.text.as_bytes(), &mut job.units_out);
        },
        // It need not check that the text is well-formed. Ours do.
        ("decode", "encoding_rs") => |job| {
            black_box(encoding_rs::mem::convert_utf8_to_utf16(
                job.text.as_bytes(),
                &mut job.unit_room,
            ));
        },
        ("measure", "ours") => |job| {
            black_box(measure_utf16(&job.units));
        },
        ("measure", "portable") => |job| {
            black_box(Portable.measure_utf16(&job.units));
        },
        #[cfg(feature = "simdutf")]
        ("encode", "simdutf") => |job| {
            // SAFETY: there is room for three bytes a unit.
            black_box(unsafe {
                let (units, count) = (job.units.as_ptr(), job.units.len());
                simdutf::convert_utf16le_to_utf8(units, count, job.byte_room.as_mut_ptr())
            });
        },
        #[cfg(feature = "simdutf")]
        ("decode", "simdutf") => |job| {
            // SAFETY: there is room for a unit a byte.
            black_box(unsafe {
                let (text, size) = (job.text.as_ptr(), job.text.len());
                simdutf::convert_utf8_to_utf16le(text, size, job.unit_room.as_mut_ptr())
            });
        },
        #[cfg(feature = "simdutf")]
        ("measure", "simdutf") => |job| {
            black_box(simdutf::utf8_length_from_utf16le(&job.units));
        },
        _ => return None,
    })
}

impl Job {
    pub fn new(text: &str) -> Self {
        let units: Vec<u16> = text.encode_utf16().collect();
        Self {
            text: text.to_owned(),
            bytes_out: Vec::new(),
            units_out: Vec::new(),
            byte_room: vec![0; units.len() * 3 + 64],
            unit_room: vec![0; text.len() + 64],
            units,
        }
    }

    /// Panics if one of ours converts wrongly.
    pub fn check(&mut self) {
        for transcoder in &TRANSCODERS[..2] {
            for run in CONVERSIONS.iter().filter_map(|conversion| find(conversion, transcoder)) {
                run(self);
            }
            assert_eq!(self.bytes_out, self.text.as_bytes());
            assert_eq!(self.units_out, self.units);
        }
        assert_eq!(measure_utf16(&self.units).bytes, self.text.len());
        assert_eq!(Portable.measure_utf16(&self.units).bytes, self.text.len());
    }
}
