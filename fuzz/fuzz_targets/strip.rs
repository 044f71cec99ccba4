//! Routing markers: stripping only removes bytes, and stripping twice changes nothing.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use promptmason::text::strip_markers;
use promptmason_fuzz::text::text;

fn is_subsequence(short: &str, long: &str) -> bool {
    let mut rest = long.chars();
    short.chars().all(|c| rest.any(|other| other == c))
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = text(&mut Unstructured::new(data), 120) else { return };
    let stripped = strip_markers(&text);
    assert!(is_subsequence(&stripped, &text));
    assert_eq!(strip_markers(&stripped), stripped, "{text:?}");
});
