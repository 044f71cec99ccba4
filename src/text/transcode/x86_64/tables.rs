//! What the transcoder looks up, computed while compiling: shuffles that close the gaps
//! between lanes, and which byte may come after which in UTF-8.

/// For each index, which byte goes to which place.
pub type Shuffles = [[u8; 16]; 256];

/// Leaves a place empty.
const NOTHING: u8 = 0x80;

/// Four lanes of four bytes to the bytes that count. Bit `n` of the index says that lane `n`
/// has less than two bytes, bit `n + 4` that it has less than three.
pub static UP_TO_THREE_BYTES: Shuffles = {
    let mut table = [[NOTHING; 16]; 256];
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

/// Eight lanes of two bytes to the bytes that count. Bit `n` of the index says that lane `n`
/// has only one.
pub static UP_TO_TWO_BYTES: Shuffles = {
    let mut table = [[NOTHING; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < 8 {
            at = place(&mut table[index], at, lane * 2, 2 - (index >> lane & 1));
            lane += 1;
        }
        index += 1;
    }
    table
};

/// Eight units to those that count. Bit `n` of the index says that unit `n` does.
pub static SOME_UNITS: Shuffles = {
    let mut table = [[NOTHING; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut unit, mut at) = (0, 0);
        while unit < 8 {
            at = place(&mut table[index], at, unit * 2, (index >> unit & 1) * 2);
            unit += 1;
        }
        index += 1;
    }
    table
};

/// Has `length` bytes from `from` on go to the places from `at` on; answers the next place.
const fn place(row: &mut [u8; 16], at: usize, from: usize, length: usize) -> usize {
    let mut byte = 0;
    while byte < length {
        row[at + byte] = (from + byte) as u8;
        byte += 1;
    }
    at + length
}

/// Each bit is one way for two bytes not to follow each other in UTF-8. They do it in that
/// way if the upper half of the first, its lower half and the upper half of the second all
/// allow it.
pub struct Wrong {
    pub first_upper: [u8; 16],
    pub first_lower: [u8; 16],
    pub second_upper: [u8; 16],
}

/// Two bytes from within characters, which is wrong only for some: the caller knows.
pub const TWO_INNER: u8 = 0x80;

pub static WRONG: Wrong = {
    let mut wrong = Wrong { first_upper: [0; 16], first_lower: [0; 16], second_upper: [0; 16] };
    let every = 0xFFFF;
    let inner = 0x0F00;
    // An inner byte after a whole character.
    add(&mut wrong, 0x01, 0x00FF, every, inner);
    // None after the first byte of a longer one.
    add(&mut wrong, 0x02, 0xF000, every, !inner);
    // What fewer bytes could say: C0 and C1, E0 before less than A0.
    add(&mut wrong, 0x04, 1 << 0xC, 0b11, inner);
    add(&mut wrong, 0x08, 1 << 0xE, 1 << 0x0, 1 << 0x8 | 1 << 0x9);
    // A surrogate.
    add(&mut wrong, 0x10, 1 << 0xE, 1 << 0xD, 1 << 0xA | 1 << 0xB);
    // Beyond the last character: F4 before 90 or more, and all above F4. The latter before
    // less than 90 are together with F0, which could be said with fewer bytes there.
    add(&mut wrong, 0x20, 1 << 0xF, 0xFFF0, inner & !(1 << 0x8));
    add(&mut wrong, 0x40, 1 << 0xF, 0xFFE1, 1 << 0x8);
    add(&mut wrong, TWO_INNER, inner, every, inner);
    wrong
};

/// Adds a way to be wrong. Bit `n` of each of the others says that it applies to the value `n`.
const fn add(wrong: &mut Wrong, bit: u8, first_upper: u16, first_lower: u16, second_upper: u16) {
    let mut half = 0;
    while half < 16 {
        wrong.first_upper[half] |= bit * (first_upper >> half & 1) as u8;
        wrong.first_lower[half] |= bit * (first_lower >> half & 1) as u8;
        wrong.second_upper[half] |= bit * (second_upper >> half & 1) as u8;
        half += 1;
    }
}
