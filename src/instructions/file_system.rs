//! The file system as a trait, and its implementation for the disk. Tests of the rules use one in
//! memory instead.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
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
    /// Lists the entries of a directory, sorted by name.
    fn list(&self, directory: &Path) -> io::Result<Vec<DirectoryEntry>>;
}

/// The file system of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl FileSystem for Disk {
    fn path_kind(&self, path: &Path) -> PathKind {
        match fs::metadata(path) {
            Ok(found) if found.is_file() => PathKind::File,
            Ok(found) if found.is_dir() => PathKind::Directory,
            Ok(_) => PathKind::Other,
            Err(error) if is_missing(&error) => match fs::symlink_metadata(path) {
                Ok(_) => PathKind::Dangling,
                Err(_) => PathKind::Missing,
            },
            Err(error) => PathKind::Unreadable(reason(&error)),
        }
    }

    fn identity(&self, path: &Path) -> io::Result<Identity> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let found = fs::metadata(path)?;
            // Some network file systems have no inode numbers.
            if found.ino() != 0 {
                return Ok(Identity::Node { device: found.dev(), inode: found.ino() });
            }
        }
        fs::canonicalize(path).map(Identity::Path)
    }

    fn read(&self, path: &Path, max_bytes: usize) -> io::Result<FileContents> {
        let mut file = File::open(path)?;
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "is not a regular file"));
        }
        let mut head = Vec::new();
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

    fn list(&self, directory: &Path) -> io::Result<Vec<DirectoryEntry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            entries.push(DirectoryEntry { name: entry.file_name(), is_directory });
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The reason of an error, as the end of a sentence about the path.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::IsADirectory => "is a directory".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A temporary directory that is removed at the end of a test.
    struct Folder(PathBuf);

    impl Folder {
        fn new() -> Self {
            static COUNT: AtomicU32 = AtomicU32::new(0);
            let unique = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("promptmason-unit-{}-{unique}", std::process::id());
            let path = std::env::temp_dir().join(name);
            fs::create_dir_all(&path).unwrap();
            Folder(path)
        }

        fn file(&self, name: &str, contents: &str) -> PathBuf {
            let path = self.0.join(name);
            fs::write(&path, contents).unwrap();
            path
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn all_kinds_of_paths_are_distinguished() {
        let folder = Folder::new();
        let file = folder.file("file", "x");
        let link = |name: &str, target: &Path| {
            symlink(target, folder.0.join(name)).unwrap();
            folder.0.join(name)
        };
        assert_eq!(Disk.path_kind(&file), PathKind::File);
        assert_eq!(Disk.path_kind(&folder.0), PathKind::Directory);
        assert_eq!(Disk.path_kind(&link("link", &file)), PathKind::File);
        assert_eq!(Disk.path_kind(&link("dangling", Path::new("nowhere"))), PathKind::Dangling);
        assert_eq!(Disk.path_kind(&folder.0.join("nowhere")), PathKind::Missing);
        assert_eq!(Disk.path_kind(&file.join("below a file")), PathKind::Missing);
        assert_eq!(Disk.path_kind(Path::new("/dev/null")), PathKind::Other);
        assert!(matches!(
            Disk.path_kind(&link("loop", Path::new("loop"))),
            PathKind::Unreadable(_)
        ));
        assert!(matches!(Disk.path_kind(Path::new("a\0b")), PathKind::Unreadable(_)));
    }

    #[test]
    fn all_paths_of_a_file_have_the_same_identity() {
        let folder = Folder::new();
        let file = folder.file("file", "x");
        symlink(&file, folder.0.join("link")).unwrap();
        fs::hard_link(&file, folder.0.join("hard")).unwrap();
        let same = Disk.identity(&file).unwrap();
        for name in ["link", "hard", "./file"] {
            assert_eq!(Disk.identity(&folder.0.join(name)).unwrap(), same, "{name}");
        }
        assert_ne!(Disk.identity(&folder.file("other", "x")).unwrap(), same);
        assert!(Disk.identity(&folder.0.join("nowhere")).is_err());
    }

    #[test]
    fn a_file_is_read_whole_or_at_both_ends() {
        let folder = Folder::new();
        let file = folder.file("file", "0123456789");
        let read = |max| Disk.read(&file, max).unwrap();
        let all = FileContents { head: b"0123456789".to_vec(), tail: None, bytes: 10 };
        assert_eq!(read(10), all);
        assert_eq!(read(100), all);
        let ends = |head: &str, tail: &str| FileContents {
            head: head.into(),
            tail: Some(tail.into()),
            bytes: 10,
        };
        assert_eq!(read(9), ends("012345678", "123456789"));
        assert_eq!(read(2), ends("01", "89"));
        for not_a_file in [folder.0.as_path(), Path::new("/dev/null")] {
            let error = Disk.read(not_a_file, 10).unwrap_err();
            assert_eq!(reason(&error), "is not a regular file");
        }
        // Files in /proc have a size of zero.
        #[cfg(target_os = "linux")]
        assert!(!Disk.read(Path::new("/proc/self/status"), 1 << 20).unwrap().head.is_empty());
    }

    #[test]
    fn a_directory_is_sorted_by_name_and_links_are_not_directories() {
        let folder = Folder::new();
        folder.file("b", "");
        fs::create_dir(folder.0.join("a")).unwrap();
        symlink("a", folder.0.join("c")).unwrap();
        let names: Vec<(OsString, bool)> = Disk
            .list(&folder.0)
            .unwrap()
            .into_iter()
            .map(|entry| (entry.name, entry.is_directory))
            .collect();
        assert_eq!(names, [("a".into(), true), ("b".into(), false), ("c".into(), false)]);
        assert!(Disk.list(&folder.0.join("nowhere")).is_err());
    }
}
