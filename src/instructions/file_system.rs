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
    /// A file that the kernel makes up, such as those in `/proc`. Reading one may block forever.
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
        /// The number of the file on the device.
        inode: u64,
    },
    /// The path with all links resolved, where there are no such numbers.
    Path(PathBuf),
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
    fn path_kind(&self, path: &Path) -> PathKind;
    /// The identity of a file.
    fn identity(&self, path: &Path) -> io::Result<Identity>;
    /// Reads a file, or its first and last `max_bytes` bytes if it is larger.
    fn read(&self, path: &Path, max_bytes: usize) -> io::Result<FileContents>;
    /// Lists the entries of a directory, sorted by name. If there are more than `max_entries`,
    /// it lists some of them.
    fn list(&self, directory: &Path, max_entries: usize) -> io::Result<Vec<DirectoryEntry>>;
    /// Where a link leads to, as it is written in the link; `None` if the path is no link. Only
    /// links in its parents are followed.
    fn link_target(&self, path: &Path) -> Option<PathBuf>;
    /// The path with all links resolved.
    fn real_path(&self, path: &Path) -> io::Result<PathBuf>;
}

/// The reason of an error, as the end of a sentence about the path.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::IsADirectory => "is a directory".to_owned(),
        ErrorKind::WouldBlock => "its content does not come at once".to_owned(),
        _ => error.to_string(),
    }
}
