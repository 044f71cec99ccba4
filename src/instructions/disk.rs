//! The file system of the operating system.

use super::file_system::{DirectoryEntry, FileContents, FileSystem, Identity, PathKind, reason};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The file system of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl FileSystem for Disk {
    fn path_kind(&self, path: &Path) -> PathKind {
        match fs::metadata(path) {
            Ok(found) if is_kernel_file(path, &found) => PathKind::Kernel,
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
        let mut file = open(path)?;
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "is not a regular file"));
        }
        if is_kernel_file(path, &found) {
            return Err(io::Error::new(ErrorKind::InvalidInput, "is a file of the kernel"));
        }
        let mut head = Vec::new();
        // What has no size and still has content is not stored anywhere: something makes it up,
        // when it pleases.
        if found.len() == 0 {
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

    fn list(&self, directory: &Path, max_entries: usize) -> io::Result<Vec<DirectoryEntry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(directory)?.take(max_entries) {
            let entry = entry?;
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            entries.push(DirectoryEntry { name: entry.file_name(), is_directory });
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn link_target(&self, path: &Path) -> Option<PathBuf> {
        fs::read_link(path).ok()
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }
}

/// Opens a file without waiting: a path that was a file may have become a pipe.
fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    }
    options.open(path)
}

/// Whether a file is made up by the kernel. These have the type of regular files.
#[cfg(target_os = "linux")]
fn is_kernel_file(path: &Path, found: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    const ROOTS: [&str; 2] = ["/proc", "/sys"];
    if !found.is_file() {
        return false;
    }
    // By the path, for what is mounted below them; by the device, if they are mounted elsewhere.
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let is_of_device = |root: &str| fs::metadata(root).is_ok_and(|at| at.dev() == found.dev());
    ROOTS.into_iter().any(|root| real.starts_with(root) || is_of_device(root))
}

#[cfg(not(target_os = "linux"))]
fn is_kernel_file(_: &Path, _: &fs::Metadata) -> bool {
    false
}

/// A name that is too long names nothing, but it may be a pattern.
fn is_missing(error: &io::Error) -> bool {
    let missing = [ErrorKind::NotFound, ErrorKind::NotADirectory, ErrorKind::InvalidFilename];
    missing.contains(&error.kind())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;
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
        assert_eq!(Disk.path_kind(&folder.0.join("x".repeat(5000))), PathKind::Missing);
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
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_of_the_kernel_are_not_read() {
        let folder = Folder::new();
        symlink("/proc/self/status", folder.0.join("link")).unwrap();
        symlink("/proc/self", folder.0.join("folder")).unwrap();
        let linked = [folder.0.join("link"), folder.0.join("folder/status")];
        let direct = ["/proc/self/status", "/proc/kmsg", "/sys/kernel/uevent_seqnum"];
        for path in linked.into_iter().chain(direct.map(PathBuf::from)) {
            if !path.exists() {
                continue;
            }
            assert_eq!(Disk.path_kind(&path), PathKind::Kernel, "{path:?}");
            // Some may not be opened at all.
            assert!(Disk.read(&path, 10).is_err(), "{path:?}");
        }
        assert_eq!(Disk.path_kind(Path::new("/proc/self")), PathKind::Directory);
    }

    #[test]
    fn links_are_told_from_files_and_resolved() {
        let folder = Folder::new();
        let file = folder.file("file", "x");
        symlink("file", folder.0.join("link")).unwrap();
        assert_eq!(Disk.link_target(&folder.0.join("link")), Some("file".into()));
        assert_eq!(Disk.link_target(&file), None);
        let real = fs::canonicalize(&file).unwrap();
        assert_eq!(Disk.real_path(&folder.0.join("link")).unwrap(), real);
    }

    #[test]
    fn a_directory_is_sorted_by_name_and_links_are_not_directories() {
        let folder = Folder::new();
        folder.file("b", "");
        fs::create_dir(folder.0.join("a")).unwrap();
        symlink("a", folder.0.join("c")).unwrap();
        let names: Vec<(OsString, bool)> = Disk
            .list(&folder.0, 10)
            .unwrap()
            .into_iter()
            .map(|entry| (entry.name, entry.is_directory))
            .collect();
        assert_eq!(names, [("a".into(), true), ("b".into(), false), ("c".into(), false)]);
        assert_eq!(Disk.list(&folder.0, 2).unwrap().len(), 2);
        assert!(Disk.list(&folder.0.join("nowhere"), 10).is_err());
    }
}
