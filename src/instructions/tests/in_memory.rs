//! A file system in memory, for tests.

use super::file_system::{
    At, DirectoryEntry, FileContents, FileSystem, Identity, PathKind, became_a_link,
};
use super::paths::absolute;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
enum Node {
    File(Vec<u8>),
    Link(PathBuf),
    Refused,
    Other,
}

/// Files, links and other paths. A directory exists if something is in it.
#[derive(Debug, Clone, Default)]
pub struct InMemoryFileSystem {
    nodes: BTreeMap<PathBuf, Node>,
}

impl InMemoryFileSystem {
    /// A file system with these paths and texts.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let nodes =
            files.iter().map(|(path, text)| (path.into(), Node::File(text.as_bytes().to_vec())));
        InMemoryFileSystem { nodes: nodes.collect() }
    }

    /// Adds a file.
    pub fn bytes(mut self, path: &str, bytes: &[u8]) -> Self {
        self.nodes.insert(path.into(), Node::File(bytes.to_vec()));
        self
    }

    /// Adds a link.
    pub fn link(mut self, path: &str, target: &str) -> Self {
        self.nodes.insert(path.into(), Node::Link(target.into()));
        self
    }

    /// Adds an unreadable path.
    pub fn refused(mut self, path: &str) -> Self {
        self.nodes.insert(path.into(), Node::Refused);
        self
    }

    /// Adds a path that is neither a file, a directory nor a link.
    pub fn pipe(mut self, path: &str) -> Self {
        self.nodes.insert(path.into(), Node::Other);
        self
    }

    /// The path with all links resolved, including those in its parents. Cycles are left unresolved.
    fn follow(&self, path: &Path) -> PathBuf {
        let mut path = path.to_owned();
        for _ in 0..40 {
            let link = path.ancestors().find_map(|ancestor| match self.nodes.get(ancestor) {
                Some(Node::Link(target)) => Some((ancestor, target)),
                _ => None,
            });
            let Some((ancestor, target)) = link else { break };
            let rest = path.strip_prefix(ancestor).unwrap_or(Path::new(""));
            let target = absolute(ancestor.parent().unwrap_or(ancestor), target);
            path = if rest == Path::new("") { target } else { target.join(rest) };
        }
        path
    }

    /// The same, or an error if the path contains a link that must not be followed.
    fn reach(&self, at: At) -> io::Result<PathBuf> {
        let real = self.follow(at.path);
        match at.root {
            Some(root) if at.path.strip_prefix(root).is_err() || real != at.path => {
                Err(became_a_link())
            }
            _ => Ok(real),
        }
    }

    fn is_directory(&self, path: &Path) -> bool {
        self.nodes.keys().any(|node| node != path && node.starts_with(path))
    }
}

impl FileSystem for InMemoryFileSystem {
    fn path_kind<'p>(&self, at: impl Into<At<'p>>) -> PathKind {
        let at = at.into();
        let real = match self.reach(at) {
            Ok(real) => real,
            Err(error) => return PathKind::Unreadable(error.to_string()),
        };
        match self.nodes.get(&real) {
            Some(Node::File(_)) => PathKind::File,
            Some(Node::Other) => PathKind::Other,
            Some(Node::Refused) => PathKind::Unreadable("permission denied".to_owned()),
            _ if self.is_directory(&real) => PathKind::Directory,
            _ if matches!(self.nodes.get(at.path), Some(Node::Link(_))) => PathKind::Dangling,
            _ => PathKind::Missing,
        }
    }

    fn identity<'p>(&self, at: impl Into<At<'p>>) -> io::Result<Identity> {
        self.reach(at.into()).map(Identity::Path)
    }

    fn read<'p>(&self, at: impl Into<At<'p>>, max_bytes: usize) -> io::Result<FileContents> {
        let Some(Node::File(all)) = self.nodes.get(&self.reach(at.into())?) else {
            return Err(ErrorKind::NotFound.into());
        };
        let bytes = all.len() as u64;
        if all.len() <= max_bytes {
            return Ok(FileContents { head: all.clone(), tail: None, bytes });
        }
        let head = all[..max_bytes].to_vec();
        let tail = Some(all[all.len() - max_bytes..].to_vec());
        Ok(FileContents { head, tail, bytes })
    }

    fn list<'p>(
        &self,
        directory: impl Into<At<'p>>,
        max_entries: usize,
    ) -> io::Result<Vec<DirectoryEntry>> {
        let real = self.reach(directory.into())?;
        if !self.is_directory(&real) {
            return Err(ErrorKind::NotFound.into());
        }
        let mut entries = Vec::new();
        for node in self.nodes.keys() {
            let Ok(rest) = node.strip_prefix(&real) else { continue };
            let Some(first) = rest.components().next() else { continue };
            let name = first.as_os_str().to_owned();
            let is_directory = self.is_directory(&real.join(&name));
            let entry = DirectoryEntry { name, is_directory };
            if entries.last() != Some(&entry) {
                entries.push(entry);
            }
        }
        entries.truncate(max_entries);
        Ok(entries)
    }

    fn link_target(&self, path: &Path) -> io::Result<Option<PathBuf>> {
        let (parent, name) = path.parent().zip(path.file_name()).ok_or(ErrorKind::InvalidInput)?;
        let path = self.follow(parent).join(name);
        match self.nodes.get(&path) {
            Some(Node::Link(target)) => Ok(Some(target.clone())),
            None if !self.is_directory(&path) => Err(ErrorKind::NotFound.into()),
            _ => Ok(None),
        }
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(self.follow(path))
    }
}
