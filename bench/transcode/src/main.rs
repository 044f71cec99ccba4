//! Times of transcoders for the texts in a folder: see `../transcode.mjs`. For each text a line
//! with its name and the nanoseconds of a call, tab-separated: to UTF-8 and to UTF-16, each by
//! our own, by encoding_rs and by simdutf, then the same three for measuring, where encoding_rs
//! has nothing.

#[allow(dead_code, reason = "only the conversions are compared")]
#[path = "../../../src/text/transcode/mod.rs"]
mod transcode;

use std::hint::black_box;
use std::time::Instant;
use transcode::{measure_utf16, push_utf8, push_utf16};

/// The fastest of many rounds: everything that disturbs makes it slower.
fn nanoseconds(units: usize, mut call: impl FnMut()) -> f64 {
    let (rounds, calls) = if units > 10_000 { (60, 1) } else { (300, 40_000 / units.max(200)) };
    let round = || {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        start.elapsed().as_nanos() as f64 / calls as f64
    };
    std::iter::repeat_with(round).take(rounds).fold(f64::INFINITY, f64::min)
}

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_default();
    let mut paths: Vec<_> = std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    paths.sort();
    for path in paths {
        let text = std::fs::read_to_string(&path)?;
        let units: Vec<u16> = text.encode_utf16().collect();
        let (mut bytes, mut wide) = (Vec::new(), Vec::new());
        push_utf16(&units, &mut bytes);
        push_utf8(text.as_bytes(), &mut wide);
        assert!(
            bytes == text.as_bytes() && wide == units && measure_utf16(&units).bytes == bytes.len()
        );

        let count = units.len();
        let (mut narrow_room, mut wide_room) = (vec![0; count * 3 + 64], vec![0; text.len() + 64]);
        let times = [
            nanoseconds(count, || {
                bytes.clear();
                push_utf16(black_box(&units), &mut bytes);
            }),
            nanoseconds(count, || {
                black_box(encoding_rs::mem::convert_utf16_to_utf8(
                    black_box(&units),
                    &mut narrow_room,
                ));
            }),
            nanoseconds(count, || {
                // SAFETY: there is room for three bytes a unit.
                black_box(unsafe {
                    simdutf::convert_utf16le_to_utf8(
                        black_box(&units).as_ptr(),
                        count,
                        narrow_room.as_mut_ptr(),
                    )
                });
            }),
            nanoseconds(count, || {
                wide.clear();
                push_utf8(black_box(text.as_bytes()), &mut wide);
            }),
            nanoseconds(count, || {
                black_box(encoding_rs::mem::convert_str_to_utf16(black_box(&text), &mut wide_room));
            }),
            nanoseconds(count, || {
                // SAFETY: there is room for a unit a byte.
                black_box(unsafe {
                    simdutf::convert_utf8_to_utf16le(
                        black_box(&text).as_ptr(),
                        text.len(),
                        wide_room.as_mut_ptr(),
                    )
                });
            }),
            nanoseconds(count, || {
                black_box(measure_utf16(black_box(&units)));
            }),
            f64::NAN,
            nanoseconds(count, || {
                black_box(simdutf::utf8_length_from_utf16le(black_box(&units)));
            }),
        ];
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let times: Vec<String> = times.iter().map(|time| format!("{time:.0}")).collect();
        println!("{name}\t{}", times.join("\t"));
    }
    Ok(())
}
