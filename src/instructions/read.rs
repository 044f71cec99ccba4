//! Reads the text of files.

use super::decode::{Decoded, DecodedEnds, not_text, without_mark};
use super::file_system::{At, FileSystem, PathKind, reason};
use crate::text::{first_landmark, head_tail_of_ends, trim_js};
use std::path::Path;

/// The result of reading a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileText {
    /// The whole text.
    Whole {
        /// The text.
        text: String,
        /// The size of the source.
        bytes: u64,
        /// How many of them are not UTF-8 and were replaced.
        replaced_bytes: u64,
    },
    /// The beginning and the end of the text.
    Shortened {
        /// Both, with an omission line between them.
        text: String,
        /// How many bytes the beginning has.
        head_bytes: usize,
        /// How many bytes both have, including the line.
        kept_bytes: usize,
        /// The size of the source.
        bytes: u64,
        /// How many of the kept bytes are not UTF-8 and were replaced.
        replaced_bytes: u64,
    },
    /// There is only white space.
    Empty {
        /// The size of the source.
        bytes: u64,
    },
    /// The source could not be read.
    Failed {
        /// Why.
        reason: String,
        /// The size of the source, as far as it is known.
        bytes: u64,
    },
}

impl FileText {
    /// The size of the source, as far as it is known.
    pub fn bytes(&self) -> u64 {
        match self {
            FileText::Whole { bytes, .. }
            | FileText::Shortened { bytes, .. }
            | FileText::Empty { bytes }
            | FileText::Failed { bytes, .. } => *bytes,
        }
    }

    /// The text that was read.
    pub fn text(&self) -> Option<&str> {
        match self {
            FileText::Whole { text, .. } | FileText::Shortened { text, .. } => Some(text),
            FileText::Empty { .. } | FileText::Failed { .. } => None,
        }
    }

    /// The same with another text. A blank text is empty.
    pub fn with_text(self, new: String) -> Self {
        match self {
            FileText::Whole { bytes, .. } | FileText::Shortened { bytes, .. }
                if trim_js(&new).is_empty() =>
            {
                FileText::Empty { bytes }
            }
            FileText::Whole { bytes, replaced_bytes, .. } => {
                FileText::Whole { text: new, bytes, replaced_bytes }
            }
            FileText::Shortened { head_bytes, kept_bytes, bytes, replaced_bytes, .. } => {
                FileText::Shortened { text: new, head_bytes, kept_bytes, bytes, replaced_bytes }
            }
            other => other,
        }
    }

    /// How many bytes were replaced because they are not UTF-8.
    pub fn replaced_bytes(&self) -> u64 {
        match self {
            FileText::Whole { replaced_bytes, .. } | FileText::Shortened { replaced_bytes, .. } => {
                *replaced_bytes
            }
            FileText::Empty { .. } | FileText::Failed { .. } => 0,
        }
    }
}

/// Whether a file has text. It is read only as far as needed.
pub fn has_text(fs: &impl FileSystem, path: &Path) -> bool {
    const ENOUGH_BYTES: usize = 4096;
    read_file(fs, path, ENOUGH_BYTES).text().is_some()
}

/// The most bytes that are read of each end of a large file.
const MAX_END_BYTES: usize = 64 * 1024 * 1024;

/// Reads a file, shortened to `max_bytes` if it is larger.
pub fn read_file<'p>(fs: &impl FileSystem, at: impl Into<At<'p>>, max_bytes: usize) -> FileText {
    let at = at.into();
    // Ends that are a little longer than what is kept mostly show where a cut may be, and whether
    // there is text at all. If not, more is read.
    let mut end_bytes = max_bytes.saturating_mul(2);
    loop {
        let contents = match fs.read(at, end_bytes) {
            Ok(contents) => contents,
            Err(error) => return FileText::Failed { reason: reason(&error), bytes: 0 },
        };
        let bytes = contents.bytes;
        let failed = |reason| FileText::Failed { reason, bytes };
        let Some(tail) = contents.tail else { return decode_short(&contents.head, max_bytes) };
        let ends = match DecodedEnds::new(without_mark(&contents.head), &tail, bytes) {
            Ok(ends) => ends,
            Err(reason) => return failed(reason),
        };
        let (head, tail) = (&*ends.head.text, &*ends.tail.text);
        let is_blank = trim_js(head).is_empty() && trim_js(tail).is_empty();
        let is_sure = tail.len() - first_landmark(tail) > max_bytes;
        if is_sure && !is_blank {
            let mark_bytes = contents.head.len() - without_mark(&contents.head).len();
            let total = usize::try_from(bytes).unwrap_or(usize::MAX) - mark_bytes;
            let total = total.saturating_add(ends.head.growth() + ends.tail.growth());
            return shorten(&ends.head, &ends.tail, total, max_bytes, bytes);
        }
        if end_bytes >= MAX_END_BYTES {
            return failed(match is_blank {
                true => "has only white space in its first and last megabytes".to_owned(),
                false => cannot_shorten(max_bytes),
            });
        }
        end_bytes = end_bytes.saturating_mul(4).min(MAX_END_BYTES);
    }
}

/// [`read_text`] refuses larger files.
const MAX_TEXT_BYTES: usize = 64 * 1024 * 1024;

/// Reads a whole file, or returns the reason why it cannot be read.
pub fn read_text(fs: &impl FileSystem, path: &Path) -> Result<String, String> {
    // Opening a pipe or a device may block forever.
    match fs.path_kind(path) {
        PathKind::File | PathKind::Missing | PathKind::Unreadable(_) => {}
        PathKind::Dangling => return Err("is a link to nothing".to_owned()),
        PathKind::Directory => return Err("is a directory".to_owned()),
        PathKind::Other => return Err("is not a regular file".to_owned()),
        PathKind::Kernel => return Err("is a file of the kernel".to_owned()),
    }
    let contents = fs.read(path, MAX_TEXT_BYTES).map_err(|error| reason(&error))?;
    match contents.tail {
        None => {
            let text = without_mark(&contents.head).to_owned();
            String::from_utf8(text).map_err(|error| not_text(error.as_bytes()))
        }
        Some(_) => Err(format!("is larger than {MAX_TEXT_BYTES} bytes")),
    }
}

/// Decodes the bytes of a whole source.
pub fn decode_whole(bytes: &[u8]) -> FileText {
    decode_short(bytes, usize::MAX)
}

/// Decodes the bytes of a whole source, and shortens the text if it is longer than `max_bytes`.
fn decode_short(whole: &[u8], max_bytes: usize) -> FileText {
    let bytes = whole.len() as u64;
    let decoded = match Decoded::new(without_mark(whole)) {
        Ok(decoded) => decoded,
        Err(reason) => return FileText::Failed { reason, bytes },
    };
    if trim_js(&decoded.text).is_empty() {
        return FileText::Empty { bytes };
    }
    if decoded.text.len() > max_bytes {
        return shorten(&decoded, &decoded, decoded.text.len(), max_bytes, bytes);
    }
    let replaced_bytes = decoded.replaced_bytes();
    FileText::Whole { text: decoded.text.into_owned(), bytes, replaced_bytes }
}

/// Shortens a text of `total_bytes` bytes whose ends are known.
fn shorten(
    head: &Decoded,
    tail: &Decoded,
    total_bytes: usize,
    max_bytes: usize,
    bytes: u64,
) -> FileText {
    let Some(short) = head_tail_of_ends(&head.text, &tail.text, total_bytes, max_bytes) else {
        return FileText::Failed { reason: cannot_shorten(max_bytes), bytes };
    };
    let [kept_head, _, kept_tail] = short.parts();
    let tail_start = tail.text.len() - kept_tail.len();
    let in_tail = tail.replaced_bytes() - tail.replaced_before(tail_start);
    FileText::Shortened {
        text: short.parts().concat(),
        head_bytes: kept_head.len(),
        kept_bytes: short.bytes(),
        bytes,
        replaced_bytes: head.replaced_before(kept_head.len()) + in_tail,
    }
}

fn cannot_shorten(max_bytes: usize) -> String {
    format!("cannot be shortened to {max_bytes} bytes: there is no place for a cut")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::in_memory::InMemoryFileSystem;

    fn read(bytes: &[u8], max_bytes: usize) -> FileText {
        let fs = InMemoryFileSystem::default().bytes("/f", bytes);
        read_file(&fs, Path::new("/f"), max_bytes)
    }

    #[test]
    fn only_a_byte_order_mark_is_removed() {
        let text = "\n  # Rules\r\n中文 \n";
        let whole = |bytes: usize| FileText::Whole {
            text: text.to_owned(),
            bytes: bytes as u64,
            replaced_bytes: 0,
        };
        assert_eq!(read(text.as_bytes(), 100), whole(text.len()));
        assert_eq!(read(format!("\u{FEFF}{text}").as_bytes(), 100), whole(text.len() + 3));
    }

    #[test]
    fn a_whole_file_is_read_unchanged_or_refused() {
        let fs = InMemoryFileSystem::with(&[("/a", " \n"), ("/d/x", "")])
            .bytes("/b", b"\xFF")
            .pipe("/p")
            .link("/l", "/nowhere");
        let text = |path| read_text(&fs, Path::new(path));
        assert_eq!(text("/a").unwrap(), " \n");
        for (path, why) in [
            ("/b", "is not UTF-8 text"),
            ("/d", "is a directory"),
            ("/p", "is not a regular file"),
            ("/l", "is a link to nothing"),
            ("/gone", "there is no such file"),
        ] {
            assert_eq!(text(path).unwrap_err(), why);
        }
    }

    #[test]
    fn a_file_of_white_space_is_empty() {
        for nothing in ["", " \n\t", "\u{FEFF}", "\u{FEFF}\n"] {
            let bytes = nothing.len() as u64;
            assert_eq!(read(nothing.as_bytes(), 100), FileText::Empty { bytes }, "{nothing:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced_and_counted() {
        let whole = |text: &str, bytes, replaced_bytes| FileText::Whole {
            text: text.to_owned(),
            bytes,
            replaced_bytes,
        };
        assert_eq!(read(b"a\xFFb", 100), whole("a\u{FFFD}b", 3, 1));
        assert_eq!(read(b"\xEF\xBB\xBFa\xE4\xB8", 100), whole("a\u{FFFD}", 6, 2));
        let failed = |reading| match reading {
            FileText::Failed { reason, .. } => reason,
            other => panic!("{other:?}"),
        };
        assert_eq!(failed(read(b"\xFF\xFEa\0", 100)), "is UTF-16: save it as UTF-8");
        assert_eq!(
            failed(read(b"\xFF\xFEa\0".repeat(500).as_slice(), 100)),
            "is UTF-16: save it as UTF-8"
        );
        let gone = read_file(&InMemoryFileSystem::default(), Path::new("/gone"), 100);
        assert_eq!(failed(gone), "there is no such file");
    }

    #[test]
    fn a_large_file_states_the_omitted_bytes_even_after_replacements() {
        for (unit, every) in [(&b"x\xFF"[..], 2), (b"\xFF", 1), (b"xx\xE4\xB8", 4), (b"xxx\xFF", 4)]
        {
            for count in [60, 61, 70, 100, 103, 400, 2000] {
                let bytes = unit.repeat(count);
                let whole = String::from_utf8_lossy(&bytes);
                let (text, replaced) = match read(&bytes, 120) {
                    FileText::Whole { text, replaced_bytes, .. } => (text, replaced_bytes),
                    FileText::Shortened { text, replaced_bytes, .. } => (text, replaced_bytes),
                    other => panic!("{other:?}"),
                };
                assert!(text.len() <= 120);
                let per_unit = unit.iter().filter(|byte| **byte > 0x7F).count() as u64;
                let marks = text.matches('\u{FFFD}').count() as u64;
                let marks_per_unit =
                    String::from_utf8_lossy(unit).matches('\u{FFFD}').count() as u64;
                assert_eq!(replaced, marks * per_unit / marks_per_unit, "{every} {count}");
                if let Some((head, rest)) = text.split_once("\n[… ") {
                    let (omitted, tail) = rest.split_once(" bytes omitted …]\n").unwrap();
                    let kept = head.len() + tail.len();
                    let omitted: usize = omitted.parse().unwrap();
                    let whole_end = kept + omitted;
                    // What was not read may contain more to replace.
                    assert!(whole_end <= whole.len() && whole_end >= bytes.len(), "{count}");
                    assert!(whole.starts_with(head) && whole.ends_with(tail), "{count}");
                }
            }
        }
    }

    #[test]
    fn a_large_file_of_white_space_is_empty_and_text_in_its_middle_is_not() {
        let spaces = " ".repeat(3000);
        let blank = FileText::Empty { bytes: 3000 };
        assert_eq!(read(spaces.as_bytes(), 100), blank);
        let hidden = format!("{spaces}text{spaces}");
        assert!(matches!(read(hidden.as_bytes(), 100), FileText::Shortened { .. }));
    }

    #[test]
    fn a_large_file_is_cut_between_flags() {
        for (before, flags) in [("", 300), ("x", 301), ("xx", 5000), ("中", 33)] {
            let text = format!("{before}{}", "🇨🇳".repeat(flags));
            for max in 120..136 {
                let FileText::Shortened { text: short, .. } = read(text.as_bytes(), max) else {
                    panic!("{before} at {max}");
                };
                let tail = short.rsplit('\n').next().unwrap();
                assert!(!tail.is_empty() && tail.len() % 8 == 0, "{before} at {max}: {short}");
                assert!(tail.starts_with("🇨🇳"), "{before} at {max}: {short}");
            }
        }
    }

    #[test]
    fn a_file_that_cannot_be_cut_fails_with_that_reason() {
        let reason = |text: &str, max| match read(text.as_bytes(), max) {
            FileText::Failed { reason, .. } => reason,
            other => panic!("{other:?}"),
        };
        let expected = "cannot be shortened to 20 bytes: there is no place for a cut";
        assert_eq!(reason(&"text ".repeat(100), 20), expected);
        assert!(reason(&format!("e{}", "\u{301}".repeat(500)), 100).starts_with("cannot be"));
    }

    #[test]
    fn a_large_file_keeps_both_ends_at_every_limit() {
        for unit in ["x", "é", "中", "😀"] {
            for max in 100..110 {
                let text = format!("begin {} end", unit.repeat(500));
                let FileText::Shortened { text: short, bytes, .. } = read(text.as_bytes(), max)
                else {
                    panic!("{unit} at {max}");
                };
                assert_eq!(bytes, text.len() as u64);
                assert!(short.len() <= max);
                assert!(short.starts_with("begin ") && short.ends_with(" end"), "{short}");
                let (head, rest) = short.split_once("\n[… ").unwrap();
                let (omitted, tail) = rest.split_once(" bytes omitted …]\n").unwrap();
                let omitted: usize = omitted.parse().unwrap();
                assert_eq!(head.len() + omitted + tail.len(), text.len(), "{short}");
            }
        }
    }
}
