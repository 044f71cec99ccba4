//! Opens what is below a directory, and asks the system what was opened. While it is open, neither
//! it nor a directory above it can be renamed or removed.

use super::Status;
use super::handles::{BACKUP_SEMANTICS, final_path};
use crate::instructions::file_system::{DirectoryEntry, became_a_link};
use crate::instructions::paths::is_git;
use std::fs::File;
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Others may read and write meanwhile, but not rename or remove.
const SHARE_READ_AND_WRITE: u32 = 0x1 | 0x2;
/// Opens a file, if it is inside.
pub fn open(root: &Path, path: &Path) -> io::Result<File> {
    open_checked(root, path).map(|(file, _)| file)
}

/// What a file or directory is.
pub fn status(root: &Path, path: &Path) -> io::Result<Status> {
    Ok(Status::of(&open(root, path)?.metadata()?))
}

/// Lists up to `max_entries` entries of a directory.
pub fn list(root: &Path, path: &Path, max_entries: usize) -> io::Result<Vec<DirectoryEntry>> {
    // Kept open until the end, so that the name keeps its meaning.
    let (_open, real) = open_checked(root, path)?;
    super::list(&real, max_entries)
}

fn open_checked(root: &Path, path: &Path) -> io::Result<(File, PathBuf)> {
    let mut options = File::options();
    options.read(true).share_mode(SHARE_READ_AND_WRITE).custom_flags(BACKUP_SEMANTICS);
    let file = options.open(path)?;
    let real = final_path(&file)?;
    match real.strip_prefix(root) {
        Ok(relative) if !relative.iter().any(is_git) => Ok((file, real)),
        _ => Err(became_a_link()),
    }
}
