//! Reads the text of files.

use super::file_system::{At, FileSystem, PathKind, reason};
use crate::text::{HeadTail, first_landmark, head_tail, head_tail_of_ends, trim_js};
use std::path::Path;
use std::str;

/// The result of reading a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileText {
    /// The whole text.
    Whole {
        /// The text.
        text: String,
        /// The size of the source.
        bytes: u64,
    },
    /// The beginning and the end of the text.
    Shortened {
        /// Both, with an omission line between them.
        text: String,
        /// How many bytes the beginning has.
        head_bytes: usize,
        /// How many bytes both have, with the line.
        kept_bytes: usize,
        /// The size of the source.
        bytes: u64,
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

    /// The same with another text. What is blank is empty.
    pub fn with_text(self, new: String) -> Self {
        match self {
            FileText::Whole { bytes, .. } | FileText::Shortened { bytes, .. }
                if trim_js(&new).is_empty() =>
            {
                FileText::Empty { bytes }
            }
            FileText::Whole { bytes, .. } => FileText::Whole { text: new, bytes },
            FileText::Shortened { head_bytes, kept_bytes, bytes, .. } => {
                FileText::Shortened { text: new, head_bytes, kept_bytes, bytes }
            }
            other => other,
        }
    }

    fn shortened(short: HeadTail, bytes: u64) -> Self {
        let (head_bytes, kept_bytes) = (short.parts()[0].len(), short.bytes());
        FileText::Shortened { text: short.parts().concat(), head_bytes, kept_bytes, bytes }
    }
}

/// Whether a file has text. It is read as far as that takes.
pub fn has_text(fs: &impl FileSystem, path: &Path) -> bool {
    const ENOUGH_BYTES: usize = 4096;
    read_file(fs, path, ENOUGH_BYTES).text().is_some()
}

/// The most that is read of each end of a large file.
const MAX_END_BYTES: usize = 64 * 1024 * 1024;

/// Reads a file, shortened to `max_bytes` if it is larger.
pub fn read_file<'p>(fs: &impl FileSystem, at: impl Into<At<'p>>, max_bytes: usize) -> FileText {
    let at = at.into();
    // Where a cut may be, and whether there is text at all, mostly shows in ends that are a
    // little longer than what is kept. If not, more is read.
    let mut end_bytes = max_bytes.saturating_mul(2);
    loop {
        let contents = match fs.read(at, end_bytes) {
            Ok(contents) => contents,
            Err(error) => return FileText::Failed { reason: reason(&error), bytes: 0 },
        };
        let bytes = contents.bytes;
        let failed = |reason| FileText::Failed { reason, bytes };
        let Some(tail) = contents.tail else { return decode_short(contents.head, max_bytes) };
        let Some((head, tail)) = decode_ends(&contents.head, &tail) else {
            return failed(not_utf8(&contents.head));
        };
        let is_blank = trim_js(head).is_empty() && trim_js(tail).is_empty();
        let is_sure = tail.len() - first_landmark(tail) > max_bytes;
        if is_sure && !is_blank {
            let (head, total) = match head.strip_prefix(BYTE_ORDER_MARK) {
                Some(rest) => (rest, bytes - BYTE_ORDER_MARK.len_utf8() as u64),
                None => (head, bytes),
            };
            let total = usize::try_from(total).unwrap_or(usize::MAX);
            return match head_tail_of_ends(head, tail, total, max_bytes) {
                Some(short) => FileText::shortened(short, bytes),
                None => failed(cannot_shorten(max_bytes)),
            };
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
        None => decode(contents.head),
        Some(_) => Err(format!("is larger than {MAX_TEXT_BYTES} bytes")),
    }
}

/// Decodes the bytes of a whole source.
pub fn decode_whole(bytes: Vec<u8>) -> FileText {
    let size = bytes.len() as u64;
    match decode(bytes) {
        Err(reason) => FileText::Failed { reason, bytes: size },
        Ok(text) if trim_js(&text).is_empty() => FileText::Empty { bytes: size },
        Ok(text) => FileText::Whole { text, bytes: size },
    }
}

/// Decodes the bytes of a whole source, and shortens the text if it is longer than `max_bytes`.
fn decode_short(whole: Vec<u8>, max_bytes: usize) -> FileText {
    match decode_whole(whole) {
        FileText::Whole { text, bytes } if text.len() > max_bytes => {
            match head_tail(&text, max_bytes) {
                Some(short) => FileText::shortened(short, bytes),
                None => FileText::Failed { reason: cannot_shorten(max_bytes), bytes },
            }
        }
        other => other,
    }
}

const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// Decodes UTF-8 and removes a byte order mark.
fn decode(bytes: Vec<u8>) -> Result<String, String> {
    let mut text = String::from_utf8(bytes).map_err(|error| not_utf8(error.as_bytes()))?;
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len_utf8());
    }
    Ok(text)
}

/// Both ends of a text, without the characters that are incomplete. Returns `None` if they are
/// not UTF-8.
fn decode_ends<'t>(head: &'t [u8], tail: &'t [u8]) -> Option<(&'t str, &'t str)> {
    let head = match str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            str::from_utf8(&head[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    // A character has at most three continuation bytes.
    let continuation = tail.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    Some((head, str::from_utf8(&tail[continuation..]).ok()?))
}

fn cannot_shorten(max_bytes: usize) -> String {
    format!("cannot be shortened to {max_bytes} bytes: there is no place for a cut")
}

/// Why bytes are not UTF-8.
fn not_utf8(bytes: &[u8]) -> String {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "is UTF-16: save it as UTF-8".to_owned(),
        _ => "is not UTF-8 text".to_owned(),
    }
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
        let whole = |bytes: usize| FileText::Whole { text: text.to_owned(), bytes: bytes as u64 };
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
    fn white_space_is_empty() {
        for nothing in ["", " \n\t", "\u{FEFF}", "\u{FEFF}\n"] {
            let bytes = nothing.len() as u64;
            assert_eq!(read(nothing.as_bytes(), 100), FileText::Empty { bytes }, "{nothing:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_fail() {
        let failed = |reading| match reading {
            FileText::Failed { reason, .. } => reason,
            other => panic!("{other:?}"),
        };
        assert_eq!(failed(read(b"a\xFFb", 100)), "is not UTF-8 text");
        assert_eq!(failed(read(b"\xFF\xFEa\0", 100)), "is UTF-16: save it as UTF-8");
        assert_eq!(failed(read(&[b'a', 0xFF].repeat(200), 100)), "is not UTF-8 text");
        assert_eq!(failed(read(&[0xE4].repeat(200), 100)), "is not UTF-8 text");
        let gone = read_file(&InMemoryFileSystem::default(), Path::new("/gone"), 100);
        assert_eq!(failed(gone), "there is no such file");
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
    fn what_cannot_be_cut_fails_with_that_reason() {
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
