//! Decodes bytes to text. What is not UTF-8 is replaced as the tools replace it, and counted.

use std::borrow::Cow;
use std::str;

const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();

/// Bytes and their text. Each sequence that is not UTF-8 becomes one U+FFFD.
#[derive(Debug, Clone)]
pub struct Decoded<'b> {
    bytes: &'b [u8],
    /// The text.
    pub text: Cow<'b, str>,
}

impl<'b> Decoded<'b> {
    /// Decodes bytes; or says why they are not text.
    pub fn new(bytes: &'b [u8]) -> Result<Self, String> {
        let text = String::from_utf8_lossy(bytes);
        match text {
            Cow::Owned(_) if bytes.contains(&0) => Err(not_text(bytes)),
            _ => Ok(Decoded { bytes, text }),
        }
    }

    /// How many bytes the replacements added to the text.
    pub fn growth(&self) -> usize {
        self.text.len() - self.bytes.len()
    }

    /// How many bytes were replaced.
    pub fn replaced_bytes(&self) -> u64 {
        self.replaced_before(self.text.len())
    }

    /// How many bytes were replaced in the text before a place.
    pub fn replaced_before(&self, place: usize) -> u64 {
        if let Cow::Borrowed(_) = self.text {
            return 0;
        }
        let (mut at, mut replaced) = (0, 0);
        for chunk in self.bytes.utf8_chunks() {
            at += chunk.valid().len();
            if at >= place {
                break;
            }
            replaced += chunk.invalid().len() as u64;
            at += char::REPLACEMENT_CHARACTER.len_utf8();
        }
        replaced
    }
}

/// Both ends of a text that is too large to be read whole, each byte in one of them.
#[derive(Debug, Clone)]
pub struct DecodedEnds<'b> {
    /// The beginning.
    pub head: Decoded<'b>,
    /// The end.
    pub tail: Decoded<'b>,
}

impl<'b> DecodedEnds<'b> {
    /// Decodes both ends of a file of `bytes` bytes, without characters that are cut in two; or
    /// says why they are not text.
    pub fn new(head: &'b [u8], tail: &'b [u8], bytes: u64) -> Result<Self, String> {
        let head = complete(head);
        // A character has at most three continuation bytes.
        let continuation = tail.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
        let mut tail = &tail[continuation..];
        if str::from_utf8(head).is_err() || str::from_utf8(tail).is_err() {
            // What is replaced must not be counted twice.
            let both = (head.len() + tail.len()) as u64;
            let repeated = usize::try_from(both.saturating_sub(bytes)).unwrap_or(usize::MAX);
            tail = &tail[repeated.min(tail.len())..];
        }
        Ok(DecodedEnds { head: Decoded::new(head)?, tail: Decoded::new(tail)? })
    }
}

/// Bytes without a byte order mark.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// Why bytes are not text.
pub fn not_text(bytes: &[u8]) -> String {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "is UTF-16: save it as UTF-8".to_owned(),
        _ => "is not UTF-8 text".to_owned(),
    }
}

/// Bytes without an incomplete character at their end.
fn complete(bytes: &[u8]) -> &[u8] {
    let is_incomplete = |end: &[u8]| {
        str::from_utf8(end)
            .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    };
    let cut = (1..=bytes.len().min(3)).find(|cut| is_incomplete(&bytes[bytes.len() - cut..]));
    &bytes[..bytes.len() - cut.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_bytes_are_counted() {
        for (bytes, text, replaced) in [
            (&b"abc"[..], "abc", 0),
            (b"a\xFFb", "a\u{FFFD}b", 1),
            (b"\xFF\xFF", "\u{FFFD}\u{FFFD}", 2),
            (b"a\xE4\xB8", "a\u{FFFD}", 2),
            (b"\xF0\x9F\x98x", "\u{FFFD}x", 3),
            ("\u{FFFD}".as_bytes(), "\u{FFFD}", 0),
        ] {
            let decoded = Decoded::new(bytes).unwrap();
            assert_eq!((&*decoded.text, decoded.replaced_bytes()), (text, replaced));
            assert_eq!(decoded.growth(), text.len() - bytes.len());
        }
        let decoded = Decoded::new(b"a\xFFb\xFF\xFFc").unwrap();
        let before = |place| decoded.replaced_before(place);
        assert_eq!([0, 1, 2, 4, 5, 6, 8, 11, 12].map(before), [0, 0, 1, 1, 1, 2, 2, 3, 3]);
    }

    #[test]
    fn bytes_that_are_not_text_are_refused() {
        let refused = |bytes: &[u8]| Decoded::new(bytes).unwrap_err();
        assert_eq!(refused(b"\xFF\xFEa\0"), "is UTF-16: save it as UTF-8");
        assert_eq!(refused(b"\x89PNG\0\0"), "is not UTF-8 text");
        assert!(Decoded::new(b"a\0b").is_ok(), "UTF-8");
    }

    #[test]
    fn ends_are_cut_between_characters_and_do_not_overlap() {
        let ends = |head: &'static [u8], tail: &'static [u8], bytes| {
            let ends = DecodedEnds::new(head, tail, bytes).unwrap();
            (ends.head.text.into_owned(), ends.tail.text.into_owned())
        };
        assert_eq!(ends(b"ab\xE4\xB8", b"\xADcd", 100), ("ab".into(), "cd".into()));
        assert_eq!(ends(b"abcd", b"cdef", 6), ("abcd".into(), "cdef".into()), "nothing to count");
        assert_eq!(ends(b"ab\xFFd", b"\xFFdef", 6), ("ab\u{FFFD}d".into(), "ef".into()));
        assert_eq!(ends(b"\xFFbcd", b"bcd", 4), ("\u{FFFD}bcd".into(), String::new()));
        assert!(DecodedEnds::new(b"\xFF\xFEa\0", b"b\0", 100).is_err());
    }
}
