//! Reads the text of files.

use super::file_system::{FileContents, FileSystem, PathKind, reason};
use crate::text::{shorten_ends, trim_js};
use std::path::Path;
use std::str;

/// The result of reading a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
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

/// Reads a file, shortened to `max_bytes` if it is larger.
pub fn read_file(fs: &impl FileSystem, path: &Path, max_bytes: usize) -> Reading {
    match fs.read(path, max_bytes) {
        Ok(FileContents { head, tail: None, .. }) => decode_whole(head),
        Ok(FileContents { head, tail: Some(tail), bytes }) => {
            match shorten_file_ends(&head, &tail, bytes, max_bytes) {
                Some(text) => Reading::Shortened { text, bytes },
                None => Reading::Failed { reason: not_utf8(&head), bytes },
            }
        }
        Err(error) => Reading::Failed { reason: reason(&error), bytes: 0 },
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
    }
    let contents = fs.read(path, MAX_TEXT_BYTES).map_err(|error| reason(&error))?;
    match contents.tail {
        None => decode(contents.head),
        Some(_) => Err(format!("is larger than {MAX_TEXT_BYTES} bytes")),
    }
}

/// Decodes the bytes of a whole source.
pub fn decode_whole(bytes: Vec<u8>) -> Reading {
    let size = bytes.len() as u64;
    match decode(bytes) {
        Err(reason) => Reading::Failed { reason, bytes: size },
        Ok(text) if trim_js(&text).is_empty() => Reading::Empty { bytes: size },
        Ok(text) => Reading::Whole { text, bytes: size },
    }
}

/// Decodes UTF-8 and removes a byte order mark.
fn decode(bytes: Vec<u8>) -> Result<String, String> {
    let mut text = String::from_utf8(bytes).map_err(|error| not_utf8(error.as_bytes()))?;
    if text.starts_with('\u{FEFF}') {
        text.drain(..'\u{FEFF}'.len_utf8());
    }
    Ok(text)
}

/// Shortens a text of which both ends were read. Returns `None` if these are not UTF-8.
fn shorten_file_ends(head: &[u8], tail: &[u8], bytes: u64, max_bytes: usize) -> Option<String> {
    let mut total = usize::try_from(bytes).ok()?;
    let mut head = match str::from_utf8(head) {
        Ok(text) => text,
        // The last character may be incomplete.
        Err(error) if error.error_len().is_none() => {
            str::from_utf8(&head[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    if let Some(text) = head.strip_prefix('\u{FEFF}') {
        total -= head.len() - text.len();
        head = text;
    }
    // The first character may be incomplete. A character has at most three continuation bytes.
    let continuation = tail.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    let tail = str::from_utf8(&tail[continuation..]).ok()?;
    shorten_ends(head, tail, total, max_bytes)
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

    fn read(bytes: &[u8], max_bytes: usize) -> Reading {
        let fs = InMemoryFileSystem::default().bytes("/f", bytes);
        read_file(&fs, Path::new("/f"), max_bytes)
    }

    #[test]
    fn only_a_byte_order_mark_is_removed() {
        let text = "\n  # Rules\r\n中文 \n";
        let whole = |bytes: usize| Reading::Whole { text: text.to_owned(), bytes: bytes as u64 };
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
            assert_eq!(read(nothing.as_bytes(), 100), Reading::Empty { bytes }, "{nothing:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_fail() {
        let failed = |reading| match reading {
            Reading::Failed { reason, .. } => reason,
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
    fn a_large_file_keeps_both_ends_at_every_limit() {
        for unit in ["x", "é", "中", "😀"] {
            for max in 100..110 {
                let text = format!("begin {} end", unit.repeat(500));
                let Reading::Shortened { text: short, bytes } = read(text.as_bytes(), max) else {
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
