//! The file system of the operating system.
//!
//! - `confined`: below a directory, without following links;
//! - `handles`: what Windows says about an open file.

#[cfg_attr(unix, path = "disk/confined_unix.rs")]
#[cfg_attr(windows, path = "disk/confined_windows.rs")]
mod confined;
#[cfg(windows)]
mod handles;

use super::file_system::{
    At, DirectoryEntry, FileContents, FileSystem, Identity, PathKind, reason,
};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The file system of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl FileSystem for Disk {
    fn path_kind<'p>(&self, at: impl Into<At<'p>>) -> PathKind {
        let At { path, root } = at.into();
        let found = match root {
            Some(root) => confined::status(root, path),
            None => status(path),
        };
        match found {
            Ok(found) => kind_of(path, &found),
            Err(error) if is_missing(&error) => match root.is_none() && path.is_symlink() {
                true => PathKind::Dangling,
                false => PathKind::Missing,
            },
            Err(error) => PathKind::Unreadable(reason(&error)),
        }
    }

    fn identity<'p>(&self, at: impl Into<At<'p>>) -> io::Result<Identity> {
        let At { path, root } = at.into();
        match node_at(root, path)? {
            Some((device, inode)) => Ok(Identity::Node { device, inode }),
            None if root.is_some() => Ok(Identity::Path(path.to_owned())),
            // Some Windows drivers do not report a file's path.
            None => Ok(Identity::Path(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()))),
        }
    }

    fn read<'p>(&self, at: impl Into<At<'p>>, max_bytes: usize) -> io::Result<FileContents> {
        let At { path, root } = at.into();
        let mut file = match root {
            Some(root) => confined::open(root, path)?,
            None => open_without_waiting(path)?,
        };
        let found = Status::of(&file.metadata()?);
        let refused = |why| Err(io::Error::new(ErrorKind::InvalidInput, why));
        match kind_of(path, &found) {
            PathKind::File => {}
            PathKind::Kernel => return refused("is a file of the kernel"),
            _ => return refused("is not a regular file"),
        }
        let mut head = Vec::new();
        // What has no size but still has content is not stored anywhere: something generates it,
        // whenever it likes.
        if found.bytes == 0 {
            return Ok(FileContents { head, tail: None, bytes: 0 });
        }
        // Reading one more byte than requested shows whether the file is larger.
        Read::by_ref(&mut file).take(max_bytes as u64 + 1).read_to_end(&mut head)?;
        if head.len() <= max_bytes {
            let bytes = head.len() as u64;
            return Ok(FileContents { head, tail: None, bytes });
        }
        head.truncate(max_bytes);
        let end = file.seek(SeekFrom::End(0))?.max(max_bytes as u64 + 1);
        file.seek(SeekFrom::Start(end - max_bytes as u64))?;
        let mut tail = Vec::new();
        file.take(max_bytes as u64).read_to_end(&mut tail)?;
        Ok(FileContents { head, tail: Some(tail), bytes: end })
    }

    fn list<'p>(
        &self,
        directory: impl Into<At<'p>>,
        max_entries: usize,
    ) -> io::Result<Vec<DirectoryEntry>> {
        let At { path, root } = directory.into();
        let mut entries = match root {
            Some(root) => confined::list(root, path, max_entries)?,
            None => list(path, max_entries)?,
        };
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn link_target(&self, path: &Path) -> io::Result<Option<PathBuf>> {
        match fs::symlink_metadata(path)?.is_symlink() {
            true => fs::read_link(path).map(Some),
            false => Ok(None),
        }
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        real_path(path)
    }
}

/// What the system says about a file or directory.
#[derive(Debug, Clone, Copy)]
struct Status {
    is_file: bool,
    is_directory: bool,
    bytes: u64,
    /// The numbers of the device and of the file, if the file system has them.
    #[cfg(unix)]
    node: Option<Node>,
}

/// The numbers of a device and of a file on it.
type Node = (u64, u128);

impl Status {
    fn of(found: &fs::Metadata) -> Self {
        Status {
            is_file: found.is_file(),
            is_directory: found.is_dir(),
            bytes: found.len(),
            #[cfg(unix)]
            node: node_of(found),
        }
    }
}

/// Some network file systems have no inode numbers.
#[cfg(unix)]
fn node_of(found: &fs::Metadata) -> Option<Node> {
    use std::os::unix::fs::MetadataExt;
    (found.ino() != 0).then(|| (found.dev(), found.ino().into()))
}

#[cfg(unix)]
fn node_at(root: Option<&Path>, path: &Path) -> io::Result<Option<Node>> {
    let found = match root {
        Some(root) => confined::status(root, path),
        None => status(path),
    };
    found.map(|found| found.node)
}

#[cfg(windows)]
fn node_at(root: Option<&Path>, path: &Path) -> io::Result<Option<Node>> {
    let file = match root {
        Some(root) => confined::open(root, path)?,
        None => handles::open_to_ask(path)?,
    };
    Ok(handles::node_of(&file))
}

fn status(path: &Path) -> io::Result<Status> {
    fs::metadata(path).map(|found| Status::of(&found))
}

/// Opens a file without waiting: a path that was a file may have become a pipe.
pub(crate) fn open_without_waiting(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    }
    options.open(path)
}

fn list(directory: &Path, max_entries: usize) -> io::Result<Vec<DirectoryEntry>> {
    let entries = fs::read_dir(directory)?.take(max_entries);
    let entry = |entry: io::Result<fs::DirEntry>| {
        let entry = entry?;
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        Ok(DirectoryEntry { name: entry.file_name(), is_directory })
    };
    entries.map(entry).collect()
}

fn kind_of(path: &Path, found: &Status) -> PathKind {
    match found {
        Status { is_file: true, .. } if is_kernel_file(path, found) => PathKind::Kernel,
        Status { is_file: true, .. } => PathKind::File,
        Status { is_directory: true, .. } => PathKind::Directory,
        _ => PathKind::Other,
    }
}

/// The path with all links resolved.
#[cfg(not(target_os = "linux"))]
use fs::canonicalize as real_path;

/// The path with all links resolved. The C library asks about each directory from the root on, so
/// below 2,000 directories it takes 30 ms; the kernel knows the path of what is open.
#[cfg(target_os = "linux")]
fn real_path(path: &Path) -> io::Result<PathBuf> {
    use std::os::{fd::AsRawFd, unix::fs::OpenOptionsExt};
    let file = File::options().read(true).custom_flags(libc::O_PATH).open(path)?;
    let real = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
    real.ok().filter(|real| real.is_absolute()).map_or_else(|| fs::canonicalize(path), Ok)
}

/// Whether the kernel generates a file. Such files have the type of regular files.
#[cfg(target_os = "linux")]
fn is_kernel_file(path: &Path, found: &Status) -> bool {
    const ROOTS: [&str; 2] = ["/proc", "/sys"];
    // By the path, for what is mounted below them; by the device, if they are mounted elsewhere.
    let real = real_path(path).unwrap_or_else(|_| path.to_owned());
    let device = |node: Option<Node>| node.map(|(device, _)| device);
    let is_of_device = |root: &str| {
        let root = status(Path::new(root));
        root.is_ok_and(|root| device(root.node).is_some_and(|of| Some(of) == device(found.node)))
    };
    ROOTS.into_iter().any(|root| real.starts_with(root) || is_of_device(root))
}

#[cfg(not(target_os = "linux"))]
fn is_kernel_file(_: &Path, _: &Status) -> bool {
    false
}

/// A name that is too long names nothing, but it may be a pattern.
fn is_missing(error: &io::Error) -> bool {
    let missing = [ErrorKind::NotFound, ErrorKind::NotADirectory, ErrorKind::InvalidFilename];
    missing.contains(&error.kind())
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
