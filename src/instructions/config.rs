//! Configuration files. Only their `instructions` are used.

use super::InstructionOptions;
use super::file_system::{FileSystem, PathKind, reason};
use super::jsonc::{self, SyntaxError};
use super::preset::ConfigPlace;
use super::search::SearchConfig;
use super::trust::{Boundary, FilePath};
use crate::error::Error;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A larger file is refused.
const MAX_CONFIG_BYTES: usize = 1024 * 1024;

/// The instructions of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Paths, patterns and URLs.
    pub instructions: Vec<String>,
    /// The directory of the configuration file, if there is one.
    pub directory: Option<PathBuf>,
    /// Who wrote it.
    pub author: Author,
}

/// Who wrote a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The caller, who is trusted.
    Caller,
    /// The user. What it leads to is trusted, unless that is in the repository.
    User,
    /// The author of the repository.
    Project,
}

/// All configurations, in order, and the files that are not read, with the reason.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Configs {
    /// The configurations.
    pub lists: Vec<Config>,
    /// Files that are not read, and why.
    pub refused: Vec<(PathBuf, String)>,
}

/// The fields of a file that are used.
#[derive(Deserialize)]
struct ConfigJson {
    #[serde(default)]
    instructions: Option<Vec<String>>,
}

impl Configs {
    /// Reads all configuration files. `directories` are those of the project, nearest first.
    pub fn find(
        fs: &impl FileSystem,
        options: &InstructionOptions,
        searched: &[SearchConfig],
        directories: &[&Path],
        boundary: &Boundary,
    ) -> Result<Self, Error> {
        if let Some(given) = &options.instructions {
            let author = Author::Caller;
            let config = Config { instructions: given.clone(), directory: None, author };
            return Ok(Configs { lists: vec![config], refused: Vec::new() });
        }
        let mut configs = Configs::default();
        for files in searched {
            match (&files.place, &files.directory) {
                (ConfigPlace::User(_), Some(directory)) => {
                    configs.add(fs, files, directory, None)?;
                }
                (ConfigPlace::RootFirst, _) => {
                    for directory in directories.iter().rev() {
                        configs.add(fs, files, directory, Some(boundary))?;
                    }
                }
                (ConfigPlace::NearestFirst, _) => {
                    for directory in directories {
                        configs.add(fs, files, directory, Some(boundary))?;
                    }
                }
                (ConfigPlace::Nearest, _) => {
                    for directory in directories {
                        if configs.add(fs, files, directory, Some(boundary))? {
                            break;
                        }
                    }
                }
                (ConfigPlace::User(_), None) => {}
            }
        }
        Ok(configs)
    }

    /// Adds the files in a directory. Returns whether there is one. The project's files have a
    /// boundary, the user's have none.
    fn add(
        &mut self,
        fs: &impl FileSystem,
        files: &SearchConfig,
        directory: &Path,
        boundary: Option<&Boundary>,
    ) -> Result<bool, Error> {
        let mut lists = Vec::new();
        let mut is_any = false;
        for name in &files.names {
            let path = directory.join(name);
            let located = match boundary {
                Some(boundary) => boundary.locate(fs, path.clone()),
                None => Ok(FilePath::trusted(path.clone())),
            };
            let file = match located {
                Ok(file) => file,
                Err(why) => {
                    self.refused.push((path, why));
                    is_any = true;
                    continue;
                }
            };
            let problem = match fs.path_kind(&file) {
                PathKind::Missing | PathKind::Directory => continue,
                PathKind::File => None,
                PathKind::Unreadable(why) => Some(why),
                PathKind::Dangling => Some("is a link to nothing".to_owned()),
                PathKind::Other | PathKind::Kernel => Some("is not a regular file".to_owned()),
            };
            if let Some(problem) = problem {
                return Err(invalid(&path, None, problem));
            }
            is_any = true;
            let author = if boundary.is_some() { Author::Project } else { Author::User };
            let directory = path.parent().map(Path::to_owned);
            if let Some(instructions) = read(fs, &file)? {
                lists.push(Config { instructions, directory, author });
            }
        }
        if files.only_last {
            lists = lists.pop().into_iter().collect();
        }
        self.lists.append(&mut lists);
        Ok(is_any)
    }
}

fn read(fs: &impl FileSystem, file: &FilePath) -> Result<Option<Vec<String>>, Error> {
    let path = &file.shown;
    let contents =
        fs.read(file, MAX_CONFIG_BYTES).map_err(|error| invalid(path, None, reason(&error)))?;
    if contents.tail.is_some() {
        return Err(invalid(path, None, format!("is larger than {MAX_CONFIG_BYTES} bytes")));
    }
    if let Some(place) = jsonc::array_at(&contents.head) {
        let problem = "expected an object with a field \"instructions\", got an array".to_owned();
        return Err(invalid(path, Some(place), problem));
    }
    let parsed: Result<ConfigJson, SyntaxError> = jsonc::parse(&contents.head);
    let config = parsed.map_err(|error| invalid(path, Some(error.place), error.problem))?;
    Ok(config.instructions)
}

fn invalid(path: &Path, place: Option<(usize, usize)>, problem: String) -> Error {
    Error::InvalidConfig { file: path.display().to_string(), place, problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::ProcessEnvironment;
    use crate::instructions::find_up::git_root;
    use crate::instructions::in_memory::InMemoryFileSystem;
    use crate::instructions::paths::upwards;
    use crate::instructions::search::Search;
    use crate::instructions::settings::Settings;

    fn find_at(fs: &InMemoryFileSystem, directory: &str) -> Result<Vec<String>, Error> {
        let process = ProcessEnvironment { home: Some("/h".into()), ..Default::default() };
        let options = InstructionOptions::new(directory, process);
        let search = Search::new(&options, &Settings::default());
        let directory = Path::new(directory);
        let root = git_root(fs, directory).unwrap_or(directory);
        let directories: Vec<&Path> = upwards(directory, Some(root)).collect();
        let open = Boundary::default();
        let configs = Configs::find(fs, &options, &search.config, &directories, &open)?;
        Ok(configs.lists.into_iter().flat_map(|config| config.instructions).collect())
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
    fn all_files_of_the_nearest_directory_and_of_the_user_are_joined() {
        let of = |name: &str| format!(r#"{{ "instructions": ["{name}"], }} // {name}"#);
        let files = [
            ("/r/.git/HEAD", String::new()),
            ("/r/etcode.json", of("root")),
            ("/r/a/.etcode.json", of("dot")),
            ("/r/a/etcode.jsonc", of("jsonc")),
            ("/r/b/etcode.json", of("json")),
            ("/h/.config/etcode/etcode.json", of("user")),
            ("/h/.config/etcode/etcode.jsonc", of("user2")),
        ];
        let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        assert_eq!(find_in(&files, "/r/a/x").unwrap(), ["jsonc", "dot", "user", "user2"]);
        assert_eq!(find_in(&files, "/r/b").unwrap(), ["json", "user", "user2"]);
        assert_eq!(find_in(&files, "/r").unwrap(), ["root", "user", "user2"]);
        // Both lists are kept.
        let twice = r#"{ "instructions": ["a"], "instructions": ["b"] }"#;
        assert!(find_in(&[("/p/etcode.json", twice)], "/p").is_err());
    }

    #[test]
    fn a_syntax_error_is_reported_with_its_position() {
        let place = |json: &str| match find_in(&[("/p/etcode.json", json)], "/p") {
            Err(Error::InvalidConfig { file, place, problem }) => (file, place.unwrap(), problem),
            other => panic!("{other:?}"),
        };
        let (file, at, problem) = place("{\n  \"instructions\": [\n    \"a\" 1\n  ]\n}");
        assert_eq!((file.as_str(), at), ("/p/etcode.json", (3, 9)));
        assert_eq!(problem, "expected `,` or `]`");
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
