//! A file system that records every path that is accessed, for tests.

use super::file_system::{At, DirectoryEntry, FileContents, FileSystem, Identity, PathKind};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Records the accesses to another file system.
pub struct Recorder<F> {
    fs: F,
    paths: Mutex<Vec<PathBuf>>,
}

impl<F: FileSystem> Recorder<F> {
    pub fn new(fs: F) -> Self {
        Recorder { fs, paths: Mutex::default() }
    }

    /// Every path that was accessed, including the targets of links that the system follows.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.paths.lock().unwrap().clone()
    }

    fn record(&self, path: &Path) {
        self.paths.lock().unwrap().push(path.to_owned());
    }

    fn record_followed<'p>(&self, at: impl Into<At<'p>>) {
        let At { path, root } = at.into();
        self.record(path);
        // In that case, no link is followed.
        if root.is_some() {
            return;
        }
        if let Ok(real) = self.fs.real_path(path) {
            self.record(&real);
        }
    }
}

impl<F: FileSystem> FileSystem for Recorder<F> {
    fn path_kind<'p>(&self, at: impl Into<At<'p>>) -> PathKind {
        let at = at.into();
        self.record_followed(at);
        self.fs.path_kind(at)
    }

    fn identity<'p>(&self, at: impl Into<At<'p>>) -> io::Result<Identity> {
        let at = at.into();
        self.record_followed(at);
        self.fs.identity(at)
    }

    fn read<'p>(&self, at: impl Into<At<'p>>, max_bytes: usize) -> io::Result<FileContents> {
        let at = at.into();
        self.record_followed(at);
        self.fs.read(at, max_bytes)
    }

    fn list<'p>(
        &self,
        directory: impl Into<At<'p>>,
        max_entries: usize,
    ) -> io::Result<Vec<DirectoryEntry>> {
        let directory = directory.into();
        self.record_followed(directory);
        self.fs.list(directory, max_entries)
    }

    fn link_target(&self, path: &Path) -> io::Result<Option<PathBuf>> {
        self.record(path);
        if let Some(parent) = path.parent() {
            self.record_followed(parent);
        }
        self.fs.link_target(path)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.record_followed(path);
        self.fs.real_path(path)
    }
}
