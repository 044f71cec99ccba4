//! Lookup tables, computed at compile time: shuffles that move used bytes together, and which
//! byte may follow which in UTF-8.

/// For each index a shuffle: the source of each of 16 bytes.
pub type Shuffles = [[u8; 16]; 256];

/// The source of a byte that becomes zero.
const UNUSED: u8 = 0x80;

/// Moves the used bytes of four lanes of four bytes together. Bit `n` of the index is set if lane
/// `n` uses less than two bytes, bit `n + 4` if it uses less than three.
pub static UP_TO_THREE_BYTES: Shuffles = {
    let mut table = [[UNUSED; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < 4 {
            let length = 3 - (index >> lane & 1) - (index >> (lane + 4) & 1);
            at = place(&mut table[index], at, lane * 4, length);
            lane += 1;
        }
        index += 1;
    }
    table
};

/// Moves the used bytes of eight lanes of two bytes together. Bit `n` of the index is set if lane
/// `n` uses only one byte.
pub static UP_TO_TWO_BYTES: Shuffles = of_eight_lanes(2, 1);

/// Moves the used ones of eight units together. Bit `n` of the index is set if unit `n` is used.
pub static SOME_UNITS: Shuffles = of_eight_lanes(0, 2);

/// Moves the used bytes of eight lanes of two bytes together. The arguments say how many bytes a
/// lane uses, by whether its bit of the index is set.
const fn of_eight_lanes(bytes_if_not_set: usize, bytes_if_set: usize) -> Shuffles {
    let mut table = [[UNUSED; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < 8 {
            let length = if index >> lane & 1 == 1 { bytes_if_set } else { bytes_if_not_set };
            at = place(&mut table[index], at, lane * 2, length);
            lane += 1;
        }
        index += 1;
    }
    table
}

/// Makes the bytes from `at` on come from the `length` bytes from `from` on, and returns the
/// position after them.
const fn place(row: &mut [u8; 16], at: usize, from: usize, length: usize) -> usize {
    let mut byte = 0;
    while byte < length {
        row[at + byte] = (from + byte) as u8;
        byte += 1;
    }
    at + length
}

/// Each bit stands for one rule by which two bytes may not follow each other. Two bytes break a
/// rule if its bit is set for all three: the upper half of the first byte, its lower half, and the
/// upper half of the second byte.
pub struct Malformed {
    /// By the upper half of the first byte.
    pub first_upper: [u8; 16],
    /// By the lower half of the first byte.
    pub first_lower: [u8; 16],
    /// By the upper half of the second byte.
    pub second_upper: [u8; 16],
}

/// The bit for two continuation bytes in a row. The caller knows where these are allowed.
pub const TWO_CONTINUATIONS: u8 = 0x80;

/// The rules.
pub static MALFORMED: Malformed = {
    let mut malformed =
        Malformed { first_upper: [0; 16], first_lower: [0; 16], second_upper: [0; 16] };
    let every = 0xFFFF;
    let continuation = 0x0F00;
    // A continuation byte after ASCII.
    add(&mut malformed, 0x01, 0x00FF, every, continuation);
    // No continuation byte after a lead byte.
    add(&mut malformed, 0x02, 0xF000, every, !continuation);
    // Overlong encodings: C0 and C1, E0 before less than A0.
    add(&mut malformed, 0x04, 1 << 0xC, 0b11, continuation);
    add(&mut malformed, 0x08, 1 << 0xE, 1 << 0x0, 1 << 0x8 | 1 << 0x9);
    // A surrogate.
    add(&mut malformed, 0x10, 1 << 0xE, 1 << 0xD, 1 << 0xA | 1 << 0xB);
    // Beyond U+10FFFF: F4 before 90 or more, and everything above F4. Before less than 90, bytes
    // above F4 share a bit with F0, which is overlong there.
    add(&mut malformed, 0x20, 1 << 0xF, 0xFFF0, continuation & !(1 << 0x8));
    add(&mut malformed, 0x40, 1 << 0xF, 0xFFE1, 1 << 0x8);
    add(&mut malformed, TWO_CONTINUATIONS, continuation, every, continuation);
    malformed
};

/// Adds a rule. Bit `n` of the last three arguments is set if the rule applies to the value `n`.
const fn add(
    malformed: &mut Malformed,
    bit: u8,
    first_upper: u16,
    first_lower: u16,
    second_upper: u16,
) {
    let mut half = 0;
    while half < 16 {
        malformed.first_upper[half] |= bit * (first_upper >> half & 1) as u8;
        malformed.first_lower[half] |= bit * (first_lower >> half & 1) as u8;
        malformed.second_upper[half] |= bit * (second_upper >> half & 1) as u8;
        half += 1;
    }
}
