//! The file system as a trait. Tests of the rules use one in memory instead of the disk.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// What a path leads to. Links are followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathKind {
    /// Nothing.
    Missing,
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A pipe, a device or a socket. Opening one may block forever.
    Other,
    /// A file that the kernel generates, such as those in `/proc`. Reading one may block forever.
    Kernel,
    /// A link whose target is missing.
    Dangling,
    /// The system returned an error, with this reason.
    Unreadable(String),
}

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// The name in the directory.
    pub name: OsString,
    /// Whether it is a directory. A link to a directory is not.
    pub is_directory: bool,
}

/// Identifies a file. Two paths with equal identities are the same file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Identity {
    /// The numbers that the system has for the file.
    Node {
        /// The number of the device.
        device: u64,
        /// The number of the file on the device. Windows has numbers of 128 bits.
        inode: u128,
    },
    /// The path with all links resolved, if there are no such numbers.
    Path(PathBuf),
}

/// Where to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At<'p> {
    /// The path.
    pub path: &'p Path,
    /// A directory above the path, if no link below that directory may be followed, whatever
    /// happens to the path in the meantime.
    pub root: Option<&'p Path>,
}

impl<'p> From<&'p Path> for At<'p> {
    fn from(path: &'p Path) -> Self {
        At { path, root: None }
    }
}

impl<'p> From<&'p PathBuf> for At<'p> {
    fn from(path: &'p PathBuf) -> Self {
        At { path, root: None }
    }
}

/// The bytes of a file: all of them, or both ends if the file is larger than requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContents {
    /// The whole file, or its beginning.
    pub head: Vec<u8>,
    /// The end of the file; `None` if `head` is the whole file.
    pub tail: Option<Vec<u8>>,
    /// The size of the whole file.
    pub bytes: u64,
}

/// The operations that discovery and reading need.
pub trait FileSystem: Sync {
    /// What the path leads to.
    fn path_kind<'p>(&self, at: impl Into<At<'p>>) -> PathKind;
    /// The identity of a file.
    fn identity<'p>(&self, at: impl Into<At<'p>>) -> io::Result<Identity>;
    /// Reads a file, or its first and last `max_bytes` bytes if it is larger.
    fn read<'p>(&self, at: impl Into<At<'p>>, max_bytes: usize) -> io::Result<FileContents>;
    /// Lists the entries of a directory, sorted by name. If there are more than `max_entries`,
    /// it lists some of them.
    fn list<'p>(
        &self,
        directory: impl Into<At<'p>>,
        max_entries: usize,
    ) -> io::Result<Vec<DirectoryEntry>>;
    /// Where a link leads, as it is written in the link; `None` if the path is not a link, and an
    /// error if nothing can be read there. Only links in its parents are followed.
    fn link_target(&self, path: &Path) -> io::Result<Option<PathBuf>>;
    /// The path with all links resolved.
    fn real_path(&self, path: &Path) -> io::Result<PathBuf>;
}

/// Why a file is not read: when its path was checked, there was no link.
pub fn became_a_link() -> io::Error {
    io::Error::other("became a link while it was looked at")
}

/// The reason for an error, as the end of a sentence about the path.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::IsADirectory => "is a directory".to_owned(),
        ErrorKind::WouldBlock => "its content does not come at once".to_owned(),
        _ => error.to_string(),
    }
}
