//! Where the CLIs keep their sessions.
//!
//! Directories are only listed, and only the first lines of a file are read, until one names the
//! session and its directory.

use super::format::{Format, header};
use super::lenient::{Object, Text};
use super::lines::Lines;
use super::message::trimmed;
use super::open::small_text;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Where a CLI keeps its sessions.
pub struct Place {
    /// The environment variable that replaces `folder`. Empty if there is none.
    pub variable: &'static str,
    /// The path below that directory; below `folder`, it is the same.
    pub below_variable: &'static str,
    /// Its folder in the home directory.
    pub folder: &'static str,
    /// The files of sessions below it; `*` is any name.
    pub files: &'static [&'static str],
    /// Which name in the path contains the session.
    pub naming: Naming,
    /// Whether the first folder is named after the directory of the session.
    pub is_by_directory: bool,
}

/// Where the id of a session is in the path of its file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// `<session>.jsonl`
    File,
    /// `….-<session>.jsonl`
    EndOfFile,
    /// `…-<the first eight letters of it>.jsonl`
    Beginning,
    /// `<session>/events.jsonl`
    Folder,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// Its id.
    pub session: String,
    /// Its file.
    pub file: String,
    /// When it was last written, in milliseconds since 1970.
    pub modified_at: f64,
    /// The size of the file.
    pub bytes: u64,
}

/// Which sessions are wanted: one, or those of a directory.
pub enum Wanted<'w> {
    /// The one with this id.
    Session(&'w str),
    /// All sessions about this directory.
    Directory(&'w Path),
}

/// The sessions below a CLI's folder, newest first.
pub fn find(format: &Format, root: &Path, wanted: &Wanted<'_>) -> Vec<Found> {
    let place = &format.place;
    let directory = match wanted {
        Wanted::Directory(directory) => Some(names_of(directory)),
        Wanted::Session(_) => None,
    };
    let mut found: HashMap<String, Found> = HashMap::new();
    for path in files_below(root, place.files) {
        let is_named = match wanted {
            Wanted::Session(session) => place.naming.is_of(&path, session),
            Wanted::Directory(_) => {
                !place.is_by_directory || is_in_folder(root, &path, directory.as_deref())
            }
        };
        if !is_named {
            continue;
        }
        let Some(candidate) = candidate(place, &path, wanted, directory.as_deref()) else {
            continue;
        };
        // After a resume, Gemini leaves files with the same session that contain no messages.
        match found.get(&candidate.session) {
            Some(other) if other.bytes >= candidate.bytes => {}
            _ => {
                found.insert(candidate.session.clone(), candidate);
            }
        }
    }
    let mut found: Vec<Found> = found.into_values().collect();
    found.sort_by(|a, b| {
        b.modified_at.total_cmp(&a.modified_at).then_with(|| b.session.cmp(&a.session))
    });
    found
}

fn candidate(
    place: &Place,
    path: &Path,
    wanted: &Wanted<'_>,
    directory: Option<&[String]>,
) -> Option<Found> {
    let data = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let peeked = peek(path)?;
    let session = peeked.session.or_else(|| place.naming.session_of(path))?;
    let is_wanted = match wanted {
        Wanted::Session(id) => session == *id,
        Wanted::Directory(_) => {
            let cwd = peeked.cwd.or_else(|| project_root(path));
            let is_its =
                |cwd: &String| directory.is_some_and(|names| names.contains(&comparable(cwd)));
            !peeked.is_sub_agent && cwd.as_ref().is_none_or(is_its)
        }
    };
    let modified = data.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    is_wanted.then(|| Found {
        session,
        file: path.to_string_lossy().into_owned(),
        modified_at: modified.map_or(0.0, |since| since.as_millis() as f64),
        bytes: data.len(),
    })
}

/// A directory as it was given, and by the system's name for it, which programs that run in it see.
fn names_of(directory: &Path) -> Vec<String> {
    let real = directory.canonicalize().ok();
    let names = real.iter().map(PathBuf::as_path).chain([directory]);
    names.map(|path| comparable(&path.to_string_lossy())).collect()
}

/// A path in the form in which paths are compared. On Windows, letter case, the kind of slashes,
/// and the prefix that the system adds make no difference.
fn comparable(path: &str) -> String {
    if cfg!(windows) {
        path.strip_prefix(r"\\?\").unwrap_or(path).replace('/', r"\").to_lowercase()
    } else {
        path.to_owned()
    }
}

/// Whether a file is in the folder named after a directory: every character but letters and digits
/// is a dash. Long names are cut, and end in something else.
fn is_in_folder(root: &Path, path: &Path, directory: Option<&[String]>) -> bool {
    const CUT_AFTER: usize = 200;
    let Ok(below) = path.strip_prefix(root) else { return false };
    let Some(folder) = below.components().nth(1) else { return false };
    let folder = comparable(&folder.as_os_str().to_string_lossy());
    let dashed = |name: &String| {
        let dash = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        name.chars().map(dash).collect::<String>()
    };
    directory.unwrap_or_default().iter().map(dashed).any(|name| {
        // Every character of the name is one byte.
        folder == name || (name.len() > CUT_AFTER && folder.starts_with(&name[..CUT_AFTER]))
    })
}

impl Naming {
    fn is_of(self, path: &Path, session: &str) -> bool {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        match self {
            Naming::File => stem == session,
            Naming::EndOfFile => stem.ends_with(session),
            Naming::Beginning => {
                let beginning: String = session.chars().take(8).collect();
                stem.ends_with(&beginning)
            }
            Naming::Folder => {
                path.parent().and_then(Path::file_name).is_some_and(|name| name == session)
            }
        }
    }

    fn session_of(self, path: &Path) -> Option<String> {
        let name = match self {
            Naming::File => path.file_stem(),
            Naming::Folder => path.parent()?.file_name(),
            Naming::EndOfFile | Naming::Beginning => None,
        };
        name.map(|name| name.to_string_lossy().into_owned())
    }
}

/// The files in a folder whose names have this ending, sorted by name.
pub fn files_in(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let files = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|own| own == ending)).collect();
    files.sort();
    files
}

/// All files whose path below a directory matches this pattern. A directory that cannot be listed
/// has none.
pub fn files_below(directory: &Path, pattern: &[&str]) -> Vec<PathBuf> {
    let Some((first, rest)) = pattern.split_first() else { return vec![directory.to_owned()] };
    let Some(ending) = first.strip_prefix('*') else {
        return files_below(&directory.join(first), rest);
    };
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    let is_meant = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ending))
    };
    paths.filter(is_meant).flat_map(|path| files_below(&path, rest)).collect()
}

/// What the first lines say about a session.
#[derive(Default)]
struct Peeked {
    session: Option<String>,
    cwd: Option<String>,
    is_sub_agent: bool,
}

/// The most lines that are examined.
const MOST_LINES: usize = 32;

/// The fields about a session that lines of any of these CLIs may have.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Header {
    session_id: Text,
    cwd: Text,
    kind: Text,
    payload: Object<CodexMeta>,
    data: Object<CopilotStart>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct CodexMeta {
    id: Text,
    cwd: Text,
    source: Object<serde::de::IgnoredAny>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct CopilotStart {
    session_id: Text,
    context: Object<CopilotContext>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct CopilotContext {
    cwd: Text,
}

fn peek(path: &Path) -> Option<Peeked> {
    let mut lines = Lines::open(path).ok()?;
    let mut peeked = Peeked::default();
    for _ in 0..MOST_LINES {
        let Some((_, (header, _))) = lines.next(header::<Header>).ok()? else { break };
        let Some(header) = header else { continue };
        let payload = header.payload.0.unwrap_or_default();
        let data = header.data.0.unwrap_or_default();
        let context = data.context.0.unwrap_or_default();
        let session = header.session_id.0.or(payload.id.0).or(data.session_id.0);
        peeked.session = peeked.session.or(session);
        peeked.cwd = peeked.cwd.or(header.cwd.0).or(payload.cwd.0).or(context.cwd.0);
        // Codex: a source that is an object. Gemini: a kind of session.
        peeked.is_sub_agent |= payload.source.0.is_some() || header.kind.is("subagent");
        if peeked.session.is_some() && peeked.cwd.is_some() {
            break;
        }
    }
    Some(peeked)
}

/// Gemini keeps the directory of a project in a file beside the folder of its chats.
pub fn project_root(path: &Path) -> Option<String> {
    let text = small_text(&path.parent()?.parent()?.join(".project_root"))?;
    trimmed(&text)
}
