//! Opening files that may be anything: only of a regular file, the content comes at once.

use crate::instructions::disk::open_without_waiting;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// More of a small file is not read.
const MOST_SMALL_BYTES: u64 = 64 * 1024;

/// Opens a regular file, or one that a link leads to. Anything else is an error: a pipe would wait
/// for somebody who writes to it.
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
