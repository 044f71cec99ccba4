//! Opens what is below a directory without following links, step by step. Each step starts from the
//! directory that the previous step opened, so it does not matter if names change meanwhile.

#![expect(unsafe_code, reason = "the standard library opens nothing relative to a directory")]

use super::Status;
use crate::instructions::file_system::{DirectoryEntry, became_a_link};
use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path};

/// Enough to continue from a directory, even from one that may not be listed.
#[cfg(any(target_os = "linux", target_os = "android"))]
const STEP: libc::c_int = libc::O_PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const STEP: libc::c_int = libc::O_RDONLY;

/// Opens a file without waiting.
pub fn open(root: &Path, path: &Path) -> io::Result<File> {
    let (parent, name) = parent(root, path)?;
    let flags = libc::O_RDONLY | libc::O_NONBLOCK | libc::O_NOCTTY;
    open_at(&parent, &name, flags).map(File::from)
}

/// What a file or directory is.
pub fn status(root: &Path, path: &Path) -> io::Result<Status> {
    let (parent, name) = parent(root, path)?;
    let found = status_at(&parent, &name)?;
    let kind = found.st_mode & libc::S_IFMT;
    match kind == libc::S_IFLNK {
        true => Err(became_a_link()),
        false => Ok(Status {
            is_file: kind == libc::S_IFREG,
            is_directory: kind == libc::S_IFDIR,
            bytes: found.st_size as u64,
            node: (found.st_ino != 0).then_some((found.st_dev as u64, found.st_ino.into())),
        }),
    }
}

/// Lists up to `max_entries` entries of a directory.
pub fn list(root: &Path, path: &Path, max_entries: usize) -> io::Result<Vec<DirectoryEntry>> {
    let (parent, name) = parent(root, path)?;
    let mut listing = Listing::of(open_at(&parent, &name, libc::O_RDONLY | libc::O_DIRECTORY)?)?;
    let mut entries = Vec::new();
    while entries.len() < max_entries
        && let Some(entry) = listing.next()
    {
        entries.extend(entry);
    }
    Ok(entries)
}

/// The directory of a path, opened, and the name of the path in it.
fn parent(root: &Path, path: &Path) -> io::Result<(OwnedFd, CString)> {
    let relative = path.strip_prefix(root).map_err(|_| ErrorKind::InvalidInput)?;
    let root = File::options().read(true).custom_flags(STEP | libc::O_DIRECTORY).open(root)?;
    let mut directory = OwnedFd::from(root);
    let mut last = c".".to_owned();
    for (step, name) in relative.components().enumerate() {
        let Component::Normal(name) = name else { return Err(ErrorKind::InvalidInput.into()) };
        if step > 0 {
            directory = open_at(&directory, &last, STEP | libc::O_DIRECTORY)?;
        }
        last = CString::new(name.as_bytes())?;
    }
    Ok((directory, last))
}

fn open_at(directory: &OwnedFd, name: &CStr, flags: libc::c_int) -> io::Result<OwnedFd> {
    let flags = flags | libc::O_NOFOLLOW | libc::O_CLOEXEC;
    // SAFETY: the descriptor is open, and the name ends with a zero.
    let opened = unsafe { libc::openat(directory.as_raw_fd(), name.as_ptr(), flags) };
    if opened >= 0 {
        // SAFETY: the descriptor was just opened, and nobody else has it.
        return Ok(unsafe { OwnedFd::from_raw_fd(opened) });
    }
    let error = io::Error::last_os_error();
    Err(if error.raw_os_error() == Some(libc::ELOOP) { became_a_link() } else { error })
}

fn status_at(directory: &OwnedFd, name: &CStr) -> io::Result<libc::stat> {
    let mut found = std::mem::MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the descriptor is open, the name ends with a zero, and there is room for the result.
    let result = unsafe {
        libc::fstatat(
            directory.as_raw_fd(),
            name.as_ptr(),
            found.as_mut_ptr(),
            libc::AT_SYMLINK_NOFOLLOW,
        )
    };
    match result {
        // SAFETY: the system has filled it in.
        0 => Ok(unsafe { found.assume_init() }),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The entries of an open directory.
struct Listing {
    stream: std::ptr::NonNull<libc::DIR>,
}

impl Listing {
    fn of(directory: OwnedFd) -> io::Result<Self> {
        let descriptor = directory.into_raw_fd();
        // SAFETY: the descriptor is open, and belongs to the stream from now on.
        let stream = unsafe { libc::fdopendir(descriptor) };
        std::ptr::NonNull::new(stream).map(|stream| Listing { stream }).ok_or_else(|| {
            let error = io::Error::last_os_error();
            // SAFETY: the stream was not created, so the descriptor is still ours.
            drop(unsafe { OwnedFd::from_raw_fd(descriptor) });
            error
        })
    }

    /// The next entry, with `None` in it for the directory itself and its parent. Also ends where
    /// the system cannot continue.
    fn next(&mut self) -> Option<Option<DirectoryEntry>> {
        // SAFETY: the stream is open, and nobody else reads from it.
        let entry = unsafe { libc::readdir(self.stream.as_ptr()).as_ref() }?;
        // SAFETY: the system ends a name with a zero. It is copied before the stream goes on.
        let name = unsafe { CStr::from_ptr(entry.d_name.as_ptr()) };
        if name == c"." || name == c".." {
            return Some(None);
        }
        let is_directory = match entry.d_type {
            libc::DT_DIR => true,
            libc::DT_UNKNOWN => self.is_directory(name),
            _ => false,
        };
        Some(Some(DirectoryEntry {
            name: OsStr::from_bytes(name.to_bytes()).to_owned(),
            is_directory,
        }))
    }

    /// Some file systems do not say what an entry is.
    fn is_directory(&self, name: &CStr) -> bool {
        // SAFETY: the stream is open, and its descriptor is borrowed only here.
        let directory =
            unsafe { std::os::fd::BorrowedFd::borrow_raw(libc::dirfd(self.stream.as_ptr())) };
        let found = directory.try_clone_to_owned().and_then(|owned| status_at(&owned, name));
        found.is_ok_and(|found| found.st_mode & libc::S_IFMT == libc::S_IFDIR)
    }
}

impl Drop for Listing {
    fn drop(&mut self) {
        // SAFETY: the stream is open, and is not used any more.
        unsafe { libc::closedir(self.stream.as_ptr()) };
    }
}
