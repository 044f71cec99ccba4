//! Compares both conversions between UTF-16 and UTF-8, with and without vector instructions, with
//! the standard library.
#![no_main]

use libfuzzer_sys::fuzz_target;
use promptmason::text::{measure_utf16, push_utf8, push_utf16, use_only_portable, utf8_bytes};

fuzz_target!(|data: &[u8]| {
    for only_portable in [false, true] {
        use_only_portable(only_portable);
        check(data);
    }
});

fn check(data: &[u8]) {
    let units: Vec<u16> =
        data.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    let expected = String::from_utf16_lossy(&units);
    let mut bytes = b"before".to_vec();
    push_utf16(&units, &mut bytes);
    assert_eq!(&bytes[6..], expected.as_bytes());
    let measured = measure_utf16(&units);
    assert_eq!((measured.bytes, utf8_bytes(&units)), (expected.len(), expected.len()));
    assert_eq!(measured.well_formed, String::from_utf16(&units).is_ok());

    let mut decoded = vec![7];
    push_utf8(data, &mut decoded);
    assert_eq!(decoded[1..], String::from_utf8_lossy(data).encode_utf16().collect::<Vec<_>>());
}
