//! The classes of characters that the patterns of the vocabularies distinguish, in the Unicode
//! version of the reference. A class is one bit, so a set of classes is a mask.

/// What is in no other class: punctuation, symbols, controls.
pub const OTHER: u8 = 1;
/// Letters in upper case or title case.
pub const UPPER: u8 = 1 << 1;
/// Letters in lower case.
pub const LOWER: u8 = 1 << 2;
/// Letters of scripts without case.
pub const CASELESS: u8 = 1 << 3;
/// Combining marks.
pub const MARK: u8 = 1 << 4;
/// Digits and other numbers.
pub const NUMBER: u8 = 1 << 5;
/// White space other than line breaks.
pub const SPACE: u8 = 1 << 6;
/// `\r` and `\n`.
pub const LINE_BREAK: u8 = 1 << 7;

/// The class of what comes after the end of a text.
pub const END: u8 = 0;

/// All letters.
pub const LETTER: u8 = UPPER | LOWER | CASELESS;
/// All white space.
pub const WHITE_SPACE: u8 = SPACE | LINE_BREAK;

/// For each block of characters the index of its classes, followed by the classes, made by
/// `scripts/tokens/make-data.py`.
static DATA: &[u8; INDEX_BYTES + BLOCKS * BLOCK] = include_bytes!("data/classes.bin");
const BLOCK: usize = 128;
const INDEX_BYTES: usize = 0x11_0000 / BLOCK;
const BLOCKS: usize = 230;

static ASCII: [u8; 128] = {
    let mut classes = [OTHER; 128];
    let mut byte = 0;
    while byte < classes.len() {
        classes[byte] = class_of_code_point(byte);
        byte += 1;
    }
    classes
};

const fn class_of_code_point(code_point: usize) -> u8 {
    let block = DATA[code_point / BLOCK] as usize;
    DATA[INDEX_BYTES + block * BLOCK + code_point % BLOCK]
}

/// The class of a character.
pub fn class_of(character: char) -> u8 {
    class_of_code_point(character as usize)
}

/// The class of the character that begins at `at`, and how many bytes it has. `text` is
/// well-formed UTF-8.
#[inline(always)]
pub fn class_at(text: &[u8], at: usize) -> (u8, usize) {
    match text.get(at) {
        None => (END, 0),
        Some(&byte) if byte < 0x80 => (ASCII[byte as usize], 1),
        Some(&byte) => beyond_ascii(&text[at..], byte),
    }
}

#[inline(never)]
fn beyond_ascii(text: &[u8], first: u8) -> (u8, usize) {
    let bits = |at: usize| text.get(at).map_or(0, |byte| usize::from(byte & 0x3F));
    let first = usize::from(first);
    let (code_point, bytes) = if first < 0xE0 {
        ((first & 0x1F) << 6 | bits(1), 2)
    } else if first < 0xF0 {
        ((first & 0x0F) << 12 | bits(1) << 6 | bits(2), 3)
    } else {
        ((first & 0x07) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3), 4)
    };
    (class_of_code_point(code_point), bytes)
}

/// The end of the run of characters of these classes that begins at `at`.
#[inline(always)]
pub fn run_end(text: &[u8], mut at: usize, classes: u8) -> usize {
    loop {
        let (class, bytes) = class_at(text, at);
        if class & classes == 0 {
            return at;
        }
        at += bytes;
    }
}
