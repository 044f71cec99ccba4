//! Opens what is below a directory, and asks the system what was opened. As long as it is open,
//! neither it nor a directory above it can be renamed or removed.

#![expect(unsafe_code, reason = "the standard library does not say what a handle leads to")]

use super::Status;
use crate::instructions::file_system::{DirectoryEntry, became_a_link};
use crate::instructions::paths::is_git;
use std::ffi::{OsString, c_void};
use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::{Path, PathBuf};

/// Others may read and write meanwhile, but not rename or remove.
const SHARE_READ_AND_WRITE: u32 = 0x1 | 0x2;
/// Directories can be opened, too.
const BACKUP_SEMANTICS: u32 = 0x0200_0000;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetFinalPathNameByHandleW(
        file: *mut c_void,
        path: *mut u16,
        capacity: u32,
        flags: u32,
    ) -> u32;
}

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
    // Open until the end, so that the name keeps its meaning.
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

/// The path of what was opened, without links, in the same form as that of `fs::canonicalize`.
fn final_path(file: &File) -> io::Result<PathBuf> {
    let mut name = vec![0u16; 512];
    loop {
        let capacity = u32::try_from(name.len()).unwrap_or(u32::MAX);
        // SAFETY: the handle is open, and the buffer has room for as many units as we say.
        let units = unsafe {
            GetFinalPathNameByHandleW(file.as_raw_handle().cast(), name.as_mut_ptr(), capacity, 0)
        } as usize;
        match units {
            0 => return Err(io::Error::last_os_error()),
            _ if units < name.len() => return Ok(OsString::from_wide(&name[..units]).into()),
            // With the zero at its end.
            _ => name.resize(units + 1, 0),
        }
    }
}
