//! Opens files that may be anything: only a regular file yields its content at once.

use crate::instructions::disk::open_without_waiting;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The most that is read of a small file.
const MOST_SMALL_BYTES: u64 = 64 * 1024;

/// Opens a regular file, or one that a link leads to. Anything else is an error: opening a pipe
/// would wait for a writer.
pub fn open(path: &Path) -> io::Result<File> {
    let file = open_without_waiting(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
    }
}

/// The text of a small file; `None` if there is none.
pub fn small_text(path: &Path) -> Option<String> {
    let mut text = String::new();
    open(path).ok()?.take(MOST_SMALL_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}
