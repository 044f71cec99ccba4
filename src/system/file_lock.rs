//! A file that only one process at a time can lock.
//!
//! 1. The operating system holds the lock: it ends with the process, however that ends.
//! 2. The file is opened again for each lock, so two locks in one process exclude each other, too.
//! 3. Child processes do not inherit it.
//! 4. The file holds a number that each lock increases (its *fence*), so that what an earlier owner
//!    wrote can be told from what a later one writes.

use crate::error::Error;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Digits of the number in the file. It is always written in full, so that it never needs more disk
/// space than before.
const DIGITS: usize = 15;

/// A lock that is held as long as this value exists.
#[derive(Debug)]
pub struct FileLock {
    _file: File,
    fence: u64,
}

impl FileLock {
    /// Locks a file, creating it if it is missing. `None` if somebody else holds the lock.
    pub fn try_new(path: &Path) -> Result<Option<FileLock>, Error> {
        let failed = |error| failure(path, &error);
        let mut file = open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let fence = next_fence(&mut file).map_err(failed)?;
        Ok(Some(FileLock { _file: file, fence }))
    }

    /// A number higher than that of every earlier lock of this file.
    pub fn fence(&self) -> u64 {
        self.fence
    }
}

/// The same codes as the writes of `fileStore` have, which Node does.
fn failure(path: &Path, error: &io::Error) -> Error {
    let (file, problem) = (path.to_string_lossy().into_owned(), error.to_string());
    let code = match error.kind() {
        io::ErrorKind::StorageFull => "ENOSPC",
        io::ErrorKind::QuotaExceeded => "EDQUOT",
        io::ErrorKind::FileTooLarge => "EFBIG",
        _ => return Error::UnlockableFile { file, problem },
    };
    Error::NoRoom { file, problem, code }
}

/// Only the user may read or write it. Somebody else may have put something in its place: a link is not
/// followed, and a pipe is not waited for.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

/// Anything but a number counts as zero: somebody has edited the file by hand.
fn next_fence(file: &mut File) -> io::Result<u64> {
    let mut digits = Vec::new();
    Read::take(&mut *file, DIGITS as u64).read_to_end(&mut digits)?;
    let text = String::from_utf8_lossy(&digits);
    let fence = text.trim().parse::<u64>().unwrap_or_default() + 1;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(format!("{fence:0DIGITS$}\n").as_bytes())?;
    Ok(fence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A temporary directory that is removed at the end of a test.
    struct Place(std::path::PathBuf);

    impl Place {
        fn new(name: &str) -> Place {
            let directory =
                std::env::temp_dir().join(format!("promptmason-{name}-{}", std::process::id()));
            fs::create_dir_all(&directory).unwrap();
            Place(directory)
        }

        fn file(&self) -> std::path::PathBuf {
            self.0.join("a.lock")
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn one_lock_is_held_at_a_time_and_each_has_a_higher_fence() {
        let place = Place::new("one-lock");
        let first = FileLock::try_new(&place.file()).unwrap().unwrap();
        assert!(FileLock::try_new(&place.file()).unwrap().is_none());
        assert_eq!(first.fence(), 1);
        drop(first);
        let second = FileLock::try_new(&place.file()).unwrap().unwrap();
        assert_eq!(second.fence(), 2);
    }

    #[test]
    fn a_file_with_other_content_can_be_locked() {
        let place = Place::new("something-else");
        for content in [&b"hello"[..], b"", b"\xff\xfe", b"-3", b"7"] {
            fs::write(place.file(), content).unwrap();
            let lock = FileLock::try_new(&place.file()).unwrap().unwrap();
            let fence = lock.fence();
            drop(lock);
            let next = FileLock::try_new(&place.file()).unwrap().unwrap();
            assert_eq!(next.fence(), fence + 1, "{content:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_the_file() {
        use std::os::unix::fs::PermissionsExt;
        let place = Place::new("user-only");
        let _lock = FileLock::try_new(&place.file()).unwrap().unwrap();
        assert_eq!(fs::metadata(place.file()).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn what_a_link_leads_to_is_not_changed() {
        let place = Place::new("link");
        let (other, missing) = (place.0.join("other"), place.0.join("missing"));
        fs::write(&other, "precious").unwrap();
        for target in [&other, &missing] {
            let _ = fs::remove_file(place.file());
            std::os::unix::fs::symlink(target, place.file()).unwrap();
            let error = FileLock::try_new(&place.file()).unwrap_err();
            assert_eq!(error.code(), "ERR_UNREADABLE_FILE");
        }
        assert_eq!(fs::read(&other).unwrap(), b"precious");
        assert!(!missing.exists());
    }

    #[test]
    fn an_error_names_the_path_that_cannot_be_created() {
        let place = Place::new("no-file");
        let error = FileLock::try_new(&place.0.join("missing").join("a.lock")).unwrap_err();
        assert_eq!(error.code(), "ERR_UNREADABLE_FILE");
        assert!(error.to_string().contains("a.lock cannot be locked: "), "{error}");
    }

    #[test]
    fn a_full_disk_has_the_code_of_node() {
        let code = |kind: io::ErrorKind| failure(Path::new("a.lock"), &kind.into()).code();
        assert_eq!(code(io::ErrorKind::StorageFull), "ENOSPC");
        assert_eq!(code(io::ErrorKind::QuotaExceeded), "EDQUOT");
        assert_eq!(code(io::ErrorKind::FileTooLarge), "EFBIG");
        assert_eq!(code(io::ErrorKind::PermissionDenied), "ERR_UNREADABLE_FILE");
    }
}
