//! The project's configuration file, of which only `instructions` is used.

use super::file_system::{FileSystem, PathKind, reason};
use super::paths::upwards;
use super::trust::{Boundary, FilePath};
use crate::error::Error;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A larger file is refused.
const MAX_CONFIG_BYTES: usize = 1024 * 1024;

/// The instructions of a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// Paths, patterns and URLs.
    pub instructions: Vec<String>,
    /// The directory of the configuration file, if there is one.
    pub directory: Option<PathBuf>,
    /// Whether the caller has passed it, and not the project.
    pub is_trusted: bool,
}

/// What a search for a configuration file comes to.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// A configuration; an empty one if there is no file.
    Config(Config),
    /// A file that is not read, for this reason.
    Refused(PathBuf, String),
}

/// The fields of the file that are used.
#[derive(Deserialize)]
struct ConfigJson {
    #[serde(default)]
    instructions: Option<Vec<String>>,
}

/// Reads the nearest file called `name` from `directory` up to `root`.
pub fn find(
    fs: &impl FileSystem,
    name: &str,
    directory: &Path,
    root: &Path,
    boundary: &Boundary,
) -> Result<Found, Error> {
    for ancestor in upwards(directory, Some(root)) {
        let path = ancestor.join(name);
        let file = match boundary.locate(fs, path.clone()) {
            Ok(file) => file,
            Err(why) => return Ok(Found::Refused(path, why)),
        };
        match fs.path_kind(&file) {
            PathKind::Missing | PathKind::Directory => {}
            PathKind::File => return read(fs, &file, ancestor).map(Found::Config),
            PathKind::Unreadable(why) => return Err(invalid(&path, None, why)),
            PathKind::Dangling => {
                return Err(invalid(&path, None, "is a link to nothing".to_owned()));
            }
            PathKind::Other | PathKind::Kernel => {
                return Err(invalid(&path, None, "is not a regular file".to_owned()));
            }
        }
    }
    Ok(Found::Config(Config::default()))
}

fn read(fs: &impl FileSystem, file: &FilePath, directory: &Path) -> Result<Config, Error> {
    let path = &file.shown;
    let contents =
        fs.read(file, MAX_CONFIG_BYTES).map_err(|error| invalid(path, None, reason(&error)))?;
    if contents.tail.is_some() {
        return Err(invalid(path, None, format!("is larger than {MAX_CONFIG_BYTES} bytes")));
    }
    let json = contents.head.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(&contents.head);
    if let Some(place) = array_at(json) {
        let problem = "expected an object with a field \"instructions\", got an array".to_owned();
        return Err(invalid(path, Some(place), problem));
    }
    let parsed: ConfigJson = serde_json::from_slice(json).map_err(|error| {
        // The parser appends the position, which the error message has before the problem.
        let message = error.to_string();
        let problem = message.rsplit_once(" at line ").map_or(&*message, |(problem, _)| problem);
        invalid(path, Some((error.line(), error.column())), without_value(problem))
    })?;
    Ok(Config {
        instructions: parsed.instructions.unwrap_or_default(),
        directory: Some(directory.to_owned()),
        is_trusted: false,
    })
}

/// What the parser says, without the string that it quotes: it may be a URL with a password.
fn without_value(problem: &str) -> String {
    match (problem.find(" \""), problem.rfind("\", expected")) {
        (Some(start), Some(end)) => format!("{}{}", &problem[..start], &problem[end + 1..]),
        _ => problem.to_owned(),
    }
}

/// Line and column of the array that the file consists of, if it does. The parser would take its
/// elements for the fields, in their order.
fn array_at(json: &[u8]) -> Option<(usize, usize)> {
    let start = json.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let lines_before = json[..start].iter().filter(|byte| **byte == b'\n').count();
    let line_start = json[..start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    (json[start] == b'[').then_some((lines_before + 1, start - line_start + 1))
}

fn invalid(path: &Path, place: Option<(usize, usize)>, problem: String) -> Error {
    Error::InvalidConfig { file: path.display().to_string(), place, problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::find_up::git_root;
    use crate::instructions::in_memory::InMemoryFileSystem;

    fn find_at(fs: &InMemoryFileSystem, directory: &str) -> Result<Vec<String>, Error> {
        let directory = Path::new(directory);
        let root = git_root(fs, directory).unwrap_or(directory);
        match find(fs, "etcode.json", directory, root, &Boundary::default())? {
            Found::Config(config) => Ok(config.instructions),
            Found::Refused(_, why) => panic!("{why}"),
        }
    }

    fn find_in(files: &[(&str, &str)], directory: &str) -> Result<Vec<String>, Error> {
        find_at(&InMemoryFileSystem::with(files), directory)
    }

    #[test]
    fn instructions_are_read_and_other_fields_are_ignored() {
        let json = r#"{ "provider": [{ "id": 1 }], "instructions": ["a.md", "~/b.md"] }"#;
        assert_eq!(find_in(&[("/p/etcode.json", json)], "/p").unwrap(), ["a.md", "~/b.md"]);
        let with_mark = format!("\u{FEFF}{json}");
        assert_eq!(find_in(&[("/p/etcode.json", &with_mark)], "/p").unwrap().len(), 2);
        for none in ["{}", r#"{ "instructions": null }"#] {
            assert!(find_in(&[("/p/etcode.json", none)], "/p").unwrap().is_empty(), "{none}");
        }
        assert!(find_in(&[("/p/a", "")], "/p").unwrap().is_empty());
    }

    #[test]
    fn the_nearest_up_to_the_repository_root_is_used() {
        let root = r#"{ "instructions": ["root.md"] }"#;
        let files = [("/r/.git/HEAD", ""), ("/r/etcode.json", root), ("/etcode.json", "broken")];
        assert_eq!(find_in(&files, "/r/packages/a").unwrap(), ["root.md"]);
        // Outside a repository, only the directory itself is searched.
        assert!(find_in(&[("/etcode.json", "broken")], "/p").unwrap().is_empty());
    }

    #[test]
    fn a_syntax_error_is_reported_with_its_position() {
        let place = |json: &str| match find_in(&[("/p/etcode.json", json)], "/p") {
            Err(Error::InvalidConfig { file, place, problem }) => (file, place.unwrap(), problem),
            other => panic!("{other:?}"),
        };
        let (file, at, problem) = place("{\n  \"instructions\": [\n    \"a\",\n  ]\n}");
        assert_eq!((file.as_str(), at), ("/p/etcode.json", (4, 3)));
        assert_eq!(problem, "trailing comma");
        let (_, at, problem) = place("{\n  \"instructions\": \"a.md\"\n}");
        assert_eq!(at.0, 2, "{problem}");
        assert_eq!(problem, "invalid type: string, expected a sequence");
        let (_, at, _) = place("");
        assert_eq!(at, (1, 0));
        place("{\"instructions\": [1]}");
        place("[]x");
        let (_, at, problem) = place("\n [[\"a.md\"]]");
        assert_eq!(at, (2, 2));
        assert_eq!(problem, "expected an object with a field \"instructions\", got an array");
    }

    #[test]
    fn an_unreadable_file_is_an_error() {
        let fs = InMemoryFileSystem::with(&[("/p/a", "")]).refused("/p/etcode.json");
        assert!(matches!(find_at(&fs, "/p"), Err(Error::InvalidConfig { place: None, .. })));
        let fs = InMemoryFileSystem::with(&[("/p/a", "")]).link("/p/etcode.json", "/nowhere");
        assert!(find_at(&fs, "/p").is_err());
    }
}
