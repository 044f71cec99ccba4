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
    assert!(matches!(Disk.path_kind(&link("loop", Path::new("loop"))), PathKind::Unreadable(_)));
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
fn kernel_files_are_not_read() {
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
        // Some cannot be opened at all.
        assert!(Disk.read(&path, 10).is_err(), "{path:?}");
    }
    assert_eq!(Disk.path_kind(Path::new("/proc/self")), PathKind::Directory);
}

#[test]
fn links_are_distinguished_from_files_and_resolved() {
    let folder = Folder::new();
    let file = folder.file("file", "x");
    symlink("file", folder.0.join("link")).unwrap();
    assert_eq!(Disk.link_target(&folder.0.join("link")).unwrap(), Some("file".into()));
    assert_eq!(Disk.link_target(&file).unwrap(), None);
    assert!(Disk.link_target(&folder.0.join("nowhere")).is_err());
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

fn within<'p>(root: &'p Path, path: &'p Path) -> At<'p> {
    At { path, root: Some(root) }
}

#[test]
fn below_a_root_no_link_is_followed() {
    let folder = Folder::new();
    let root = fs::canonicalize(&folder.0).unwrap();
    fs::create_dir_all(root.join("repo/docs")).unwrap();
    let secret = folder.file("secret.md", "SECRET");
    folder.file("repo/own.md", "own");
    folder.file("repo/docs/own.md", "own");
    let repo = root.join("repo");
    for (link, target) in
        [("link.md", secret.as_path()), ("folder", &root), ("self", Path::new("docs"))]
    {
        symlink(target, repo.join(link)).unwrap();
    }
    for name in ["own.md", "docs/own.md"] {
        let path = repo.join(name);
        let at = within(&repo, &path);
        assert_eq!(Disk.path_kind(at), PathKind::File, "{name}");
        assert_eq!(Disk.read(at, 10).unwrap().head, b"own", "{name}");
        assert_eq!(Disk.identity(at).unwrap(), Disk.identity(&path).unwrap(), "{name}");
    }
    let became = "became a link while it was looked at";
    for (name, kind) in [
        ("link.md", PathKind::Unreadable(became.to_owned())),
        ("folder", PathKind::Unreadable(became.to_owned())),
        ("folder/secret.md", PathKind::Missing),
        ("self/own.md", PathKind::Missing),
        ("nothing", PathKind::Missing),
        ("own.md/below", PathKind::Missing),
        ("docs", PathKind::Directory),
    ] {
        let path = repo.join(name);
        let at = within(&repo, &path);
        assert_eq!(Disk.path_kind(at), kind, "{name}");
        assert!(Disk.read(at, 10).is_err(), "{name}");
        assert_eq!(Disk.identity(at).is_ok(), name == "docs", "{name}");
        assert_eq!(Disk.list(at, 10).is_ok(), name == "docs", "{name}");
    }
    assert_eq!(reason(&Disk.read(within(&repo, &repo.join("link.md")), 10).unwrap_err()), became);
    for outside in [root.join("secret.md"), repo.join("../secret.md")] {
        assert!(Disk.read(within(&repo, &outside), 10).is_err(), "{outside:?}");
        assert!(Disk.path_kind(within(&repo, &outside)) != PathKind::File, "{outside:?}");
    }
    // Without a root, all links are followed.
    assert_eq!(Disk.read(&repo.join("folder/secret.md"), 10).unwrap().head, b"SECRET");
}

#[test]
fn listing_below_a_root_gives_the_same_entries() {
    let folder = Folder::new();
    let root = fs::canonicalize(&folder.0).unwrap();
    folder.file("b", "");
    fs::create_dir(root.join("a")).unwrap();
    symlink("a", root.join("c")).unwrap();
    let at = within(&root, &root);
    assert_eq!(Disk.list(at, 10).unwrap(), Disk.list(&root, 10).unwrap());
    assert_eq!(Disk.list(at, 2).unwrap().len(), 2);
    assert_eq!(Disk.list(at, 0).unwrap().len(), 0);
    assert_eq!(Disk.path_kind(at), PathKind::Directory);
}
