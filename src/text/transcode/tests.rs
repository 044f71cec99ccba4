use super::steps::RESERVE_CHUNK;
use super::*;

type Push<From, To> = fn(&[From], &mut Vec<To>);

/// The fast conversion of this processor, if it has one, and the portable one.
const ENCODERS: [Push<u16, u8>; 2] = [push_utf16, |units, out| Portable.push_utf16(units, out)];
const DECODERS: [Push<u8, u16>; 2] = [push_utf8, |bytes, out| Portable.push_utf8(bytes, out)];
const MEASURES: [fn(&[u16]) -> Measured; 2] =
    [measure_utf16, |units| Portable.measure_utf16(units)];

fn check(units: &[u16]) {
    let text = String::from_utf16_lossy(units);
    for push in ENCODERS {
        let mut bytes = b"before".to_vec();
        push(units, &mut bytes);
        assert_eq!(bytes, ["before", &text].concat().as_bytes(), "{units:x?}");
    }
    let expected = Measured { bytes: text.len(), well_formed: String::from_utf16(units).is_ok() };
    for measure in MEASURES {
        assert_eq!(measure(units), expected, "{units:x?}");
    }
    assert_eq!(utf8_bytes(units), text.len());
    check_bytes(text.as_bytes());
}

fn check_bytes(bytes: &[u8]) {
    let expected: Vec<u16> =
        "before".encode_utf16().chain(String::from_utf8_lossy(bytes).encode_utf16()).collect();
    for push in DECODERS {
        let mut units: Vec<u16> = "before".encode_utf16().collect();
        push(bytes, &mut units);
        assert_eq!(units, expected, "{bytes:x?}");
    }
}

/// The whole range; under Miri, which is thousands of times slower, only these `few`.
fn all_or_few<T: Clone>(all: impl Iterator<Item = T>, few: impl AsRef<[T]>) -> Vec<T> {
    if cfg!(miri) { few.as_ref().to_vec() } else { all.collect() }
}

/// The number of random texts.
fn rounds(usually: usize) -> usize {
    if cfg!(miri) { usually / 500 } else { usually }
}

/// A small pseudorandom generator with a fixed seed.
fn numbers() -> impl FnMut(u32) -> u32 {
    let mut state = 42_u32;
    move |below| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state % below
    }
}

/// The first, the last and some other character of each length, and lone surrogates.
const PARTS: [&[u16]; 16] = [
    &[0x61],
    &[0x00],
    &[0x7F],
    &[0x80],
    &[0x7FF],
    &[0x800],
    &[0x4E2D],
    &[0xD7FF],
    &[0xE000],
    &[0xFFFF],
    &[0xD800, 0xDC00],
    &[0xD83D, 0xDE00],
    &[0xDBFF, 0xDFFF],
    &[0xD83D],
    &[0xDE00],
    &[0xD83D, 0xD83D, 0xDE00, 0xDE00],
];

#[test]
fn every_unit_is_converted_as_the_standard_library_does() {
    let borders =
        [0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000, 0xFFFF];
    let all = all_or_few(0..=u16::MAX, borders);
    for unit in &all {
        check(&[*unit]);
        check(&[0x61, *unit, 0x4E2D]);
    }
    check(&all);
}

#[test]
fn every_pair_is_converted_as_the_standard_library_does() {
    let borders = [
        0x10000, 0x103FF, 0x10400, 0x1FFFF, 0x20000, 0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF,
    ];
    let pairs = all_or_few(0x10000..=0x10FFFF, borders);
    let text: String = pairs.into_iter().filter_map(char::from_u32).collect();
    check(&text.encode_utf16().collect::<Vec<_>>());
}

#[test]
fn random_text_of_all_kinds_is_converted_as_the_standard_library_does() {
    let kinds = [0..0x80, 0x80..0x800, 0x4E00..0x9FFF, 0xD800..0xDC00, 0xDC00..0xE000];
    let mut below = numbers();
    for round in 0..rounds(3000) {
        let mut units = Vec::new();
        for _ in 0..below(12) {
            // Half of the texts have no lone surrogates.
            let kind = &kinds[below(if round % 2 == 0 { 5 } else { 3 }) as usize];
            let run = if below(3) == 0 { below(600) } else { below(12) };
            units.extend((0..run).map(|_| (kind.start + below(kind.end - kind.start)) as u16));
            if below(3) == 0 {
                units.extend([0xD800 + below(0x400) as u16, 0xDC00 + below(0x400) as u16]);
            }
        }
        check(&units);
    }
}

#[test]
fn every_length_of_every_kind_is_converted() {
    for part in PARTS {
        let text = part.repeat(200);
        for length in all_or_few(0..200, [0, 1, 15, 17, 33]) {
            check(&text[..length]);
            check(&text[1..][..length]);
        }
    }
}

#[test]
fn any_unit_is_converted_among_pairs() {
    for unit in [0x61, 0x7FF, 0x800, 0x4E2D, 0xD7FF, 0xD83D, 0xDE00, 0xE000] {
        for position in all_or_few(0..40, [0, 9, 15, 30]) {
            let mut units = [0xD83D, 0xDE00].repeat(20);
            units[position] = unit;
            check(&units);
            units.insert(position, unit);
            check(&units);
        }
    }
}

#[test]
fn every_kind_is_converted_at_every_position() {
    for around in [0x61, 0xE9, 0x4E2D] {
        for part in PARTS {
            for before in all_or_few(0..70, [6, 31]) {
                for after in all_or_few([0, 1, 2, 3, 7, 8, 15, 16, 31, 40].into_iter(), [2]) {
                    let mut units = vec![around; before];
                    units.extend(part);
                    units.extend(vec![around; after]);
                    check(&units);
                }
            }
        }
    }
}

#[test]
fn every_kind_is_converted_around_a_reserve() {
    for part in all_or_few(PARTS.into_iter(), [PARTS[6], PARTS[11]]) {
        for before in all_or_few(RESERVE_CHUNK - 70..RESERVE_CHUNK + 70, [RESERVE_CHUNK - 2]) {
            let mut units = vec![0x61; before];
            units.extend(part.repeat(3));
            check(&units);
        }
    }
}

#[test]
fn malformed_pairs_of_bytes_are_replaced() {
    let borders = [
        0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0,
        0xF4, 0xF5, 0xFF,
    ];
    for first in all_or_few(0..=u8::MAX, borders) {
        for second in all_or_few(0..=u8::MAX, [0x7F, 0x80, 0xA0]) {
            let mut bytes = "before 中".as_bytes().to_vec();
            bytes.extend([first, second, 0x80, 0x80]);
            bytes.extend("after, and more to fill a step".as_bytes());
            check_bytes(&bytes);
            bytes.remove(12);
            check_bytes(&bytes);
        }
    }
}

#[test]
fn malformed_sequences_are_replaced_at_every_position() {
    let malformed: [&[u8]; 16] = [
        b"\x80",
        b"\xBF\x80",
        b"\xC3",
        b"\xC1\xBF",
        b"\xE4",
        b"\xE4\xB8",
        b"\xE4\xB8\xAD\xAD",
        b"\xE0\x9F\xBF",
        b"\xED\xA0\x80",
        b"\xED\xA0\xBD\xED\xB8\x80",
        b"\xF0\x9F\x98",
        b"\xF0\x8F\xBF\xBF",
        b"\xF4\x90\x80\x80",
        b"\xF5\x80\x80\x80",
        b"\xF0\x9F\x98\x80\x80",
        b"\xFF",
    ];
    for around in ["a", "é", "中", "😀"] {
        for sequence in malformed {
            for before in all_or_few(0..40, [0, 15]) {
                for after in all_or_few([0, 1, 2, 12, 33].into_iter(), [12]) {
                    let (before, after) = (around.repeat(before), around.repeat(after));
                    check_bytes(&[before.as_bytes(), sequence, after.as_bytes()].concat());
                }
            }
        }
    }
}

#[test]
fn random_malformed_bytes_are_replaced() {
    let kinds = [0x41, 0x80, 0xBF, 0xC3, 0xE4, 0xED, 0xA0, 0xF0, 0x9F, 0xFF];
    let mut below = numbers();
    for _ in 0..rounds(20_000) {
        let length = below(80);
        check_bytes(&(0..length).map(|_| kinds[below(10) as usize]).collect::<Vec<_>>());
    }
}

#[test]
fn a_pair_across_a_step_stays_a_pair() {
    let lengths = (0..100)
        .chain(RESERVE_CHUNK - 100..RESERVE_CHUNK + 100)
        .chain(3 * RESERVE_CHUNK - 100..3 * RESERVE_CHUNK + 100);
    for before in all_or_few(lengths, [15, 31, RESERVE_CHUNK - 1]) {
        let mut units = vec![0x61; before];
        units.extend([0xD83D, 0xDE00, 0x62]);
        check(&units);
    }
}

#[test]
fn capacity_for_a_large_text_is_not_much_more_than_needed() {
    let (mut bytes, mut units) = (Vec::new(), Vec::new());
    let length = if cfg!(miri) { 10_000 } else { 1_000_000 };
    push_utf16(&vec![0x61; length], &mut bytes);
    push_utf8("中".repeat(length).as_bytes(), &mut units);
    for capacity in [bytes.capacity(), units.capacity()] {
        assert!(capacity < length * 21 / 10, "{capacity}");
    }
}

#[test]
fn vector_instructions_can_be_switched_off() {
    // Other tests may run at the same time: their results are the same either way.
    use_only_portable(true);
    assert!(vectors().is_none());
    use_only_portable(false);
    assert_eq!(vectors().is_some(), Vectors::detect().is_some());
}

#[test]
#[cfg(any(target_feature = "avx2", target_feature = "neon"))]
fn instructions_of_the_target_are_detected() {
    assert!(Vectors::detect().is_some());
}
