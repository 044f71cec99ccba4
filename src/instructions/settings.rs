//! Settings of a tool that decide which files it reads. What is not followed is listed, so that
//! nobody expects more of the preset than it does.

use super::InstructionOptions;
use super::file_system::{FileSystem, PathKind, reason};
use super::preset::{Setting, SettingsFile, SettingsPlace};
use super::search::place;
use super::trust::{Boundary, FilePath};
use super::{jsonc, jsonc::SyntaxError, toml};
use serde_json::Value;
use std::path::PathBuf;

/// A larger file is not read.
const MAX_SETTINGS_BYTES: usize = 1024 * 1024;

/// What the settings of a tool say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// The names of instruction files, instead of the preset's.
    pub names: Option<Vec<String>>,
    /// Names of instruction files, before the preset's.
    pub more_names: Vec<String>,
    /// Names used where the preset's are missing.
    pub fallback_names: Vec<String>,
    /// What marks the root of a project, instead of `.git`.
    pub root_markers: Option<Vec<String>>,
    /// The most bytes of the project's files.
    pub max_bytes: Option<usize>,
    /// Patterns of paths that are not read, and the file that has them.
    pub excludes: Vec<(String, PathBuf)>,
    /// What is not followed: a file or a variable, and why.
    pub not_followed: Vec<(PathBuf, String)>,
}

impl Settings {
    /// Reads the settings of the tool.
    pub fn read(fs: &impl FileSystem, options: &InstructionOptions, boundary: &Boundary) -> Self {
        let mut settings = Settings::default();
        for variable in options.preset.variables_not_followed {
            if options.process.places.contains_key(variable) {
                let why = "is set in the environment, and not followed".to_owned();
                settings.not_followed.push((variable.into(), why));
            }
        }
        for file in options.preset.settings {
            let path = match &file.place {
                SettingsPlace::User(of_user) => match place(&options.process, of_user) {
                    Some(directory) => FilePath::trusted(directory.join(file.name)),
                    None => continue,
                },
                SettingsPlace::Directory => {
                    let path = options.directory.join(file.name);
                    match boundary.locate(fs, path.clone()) {
                        Ok(path) => path,
                        Err(why) => {
                            settings.not_followed.push((path, why));
                            continue;
                        }
                    }
                }
            };
            if fs.path_kind(&path) != PathKind::File {
                continue;
            }
            match values(fs, file, &path) {
                Ok(values) => settings.add(file, &path, &values),
                Err(why) => settings.not_followed.push((path.shown, why)),
            }
        }
        settings
    }

    fn add(&mut self, file: &SettingsFile, path: &FilePath, values: &Value) {
        for (key, setting) in file.keys {
            let Some(value) = lookup(values, key, file.is_toml).filter(|value| !value.is_null())
            else {
                continue;
            };
            let strings = || strings(value);
            let used = match setting {
                Setting::FileNames => strings().filter(|names| !names.is_empty()).map(|names| {
                    self.names = Some(names);
                }),
                Setting::MoreNames => strings().map(|names| self.more_names = names),
                Setting::FallbackNames => strings().map(|names| {
                    let given = names.into_iter().filter(|name| !name.is_empty());
                    self.fallback_names = given.collect();
                }),
                Setting::RootMarkers => strings().map(|markers| self.root_markers = Some(markers)),
                Setting::MaxBytes => value.as_u64().map(|bytes| {
                    self.max_bytes = Some(usize::try_from(bytes).unwrap_or(usize::MAX));
                }),
                Setting::Excludes => strings().map(|patterns| {
                    let patterns = patterns.into_iter();
                    self.excludes.extend(patterns.map(|pattern| (pattern, path.shown.clone())));
                }),
                Setting::NotFollowed => None,
            };
            if used.is_none() {
                let why = match setting {
                    Setting::NotFollowed => format!("has {key}, which is not followed"),
                    _ => format!("has {key} with a value that is not followed"),
                };
                self.not_followed.push((path.shown.clone(), why));
            }
        }
    }
}

/// The values in a file; or why they are not followed.
fn values(fs: &impl FileSystem, file: &SettingsFile, path: &FilePath) -> Result<Value, String> {
    let contents = fs.read(path, MAX_SETTINGS_BYTES).map_err(|error| reason(&error))?;
    if contents.tail.is_some() {
        return Err(format!("is larger than {MAX_SETTINGS_BYTES} bytes, and not followed"));
    }
    let invalid = |SyntaxError { place: (line, column), problem }| {
        format!("is not followed: {problem} at line {line}, column {column}")
    };
    if !file.is_toml {
        return jsonc::parse(&contents.head).map_err(invalid);
    }
    let text = String::from_utf8_lossy(&contents.head);
    let keys = toml::top_level(&text).map_err(invalid)?;
    Ok(Value::Object(keys.into_iter().map(|(key, value)| (key, json(value))).collect()))
}

fn json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Array(values) => values.into_iter().map(json).collect(),
        // A value of another type is present, but not followed.
        toml::Value::Other => Value::Bool(true),
    }
}

/// The value of a key. The parts of a key in TOML are joined already.
fn lookup<'v>(values: &'v Value, key: &str, is_toml: bool) -> Option<&'v Value> {
    match is_toml {
        true => values.get(key),
        false => key.split('.').try_fold(values, |value, part| value.get(part)),
    }
}

/// A string or an array of strings.
fn strings(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.trim().to_owned()]),
        Value::Array(values) => {
            values.iter().map(|value| Some(value.as_str()?.trim().to_owned())).collect()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::ProcessEnvironment;
    use crate::instructions::in_memory::InMemoryFileSystem;
    use crate::instructions::preset::Preset;

    fn read(preset: &str, files: &[(&str, &str)]) -> Settings {
        let process = ProcessEnvironment { home: Some("/h".into()), ..Default::default() };
        let preset = Preset::named(preset).unwrap();
        let options = InstructionOptions { preset, ..InstructionOptions::new("/p", process) };
        Settings::read(&InMemoryFileSystem::with(files), &options, &Boundary::default())
    }

    #[test]
    fn supported_settings_are_read() {
        let gemini = |json| read("gemini-cli", &[("/h/.gemini/settings.json", json)]);
        let one = vec!["A.md".to_owned()];
        assert_eq!(gemini("{ // x\n \"context\": {\"fileName\": \"A.md\"},}").more_names, one);
        assert_eq!(gemini("{\"contextFileName\": [\"A.md\"]}").more_names, one);
        let qwen =
            read("qwen-code", &[("/p/.qwen/settings.json", "{\"contextFileName\": \"A.md\"}")]);
        assert_eq!(qwen.names, Some(one));
        let codex = read(
            "codex",
            &[(
                "/h/.codex/config.toml",
                "project_root_markers = []\nproject_doc_max_bytes = 10\n\
                 project_doc_fallback_filenames = ['', 'B.md']\n[x]\n",
            )],
        );
        assert_eq!(codex.root_markers, Some(Vec::new()));
        assert_eq!((codex.max_bytes, codex.fallback_names), (Some(10), vec!["B.md".to_owned()]));
        let excludes = "{\"claudeMdExcludes\": [\"**/x\"]}";
        let files =
            [("/h/.claude/settings.json", excludes), ("/p/.claude/settings.json", excludes)];
        assert_eq!(read("claude-code", &files).excludes.len(), 2);
    }

    #[test]
    fn unsupported_settings_are_listed() {
        let why = |files: &[(&str, &str)]| -> Vec<String> {
            let settings = read("gemini-cli", files);
            settings.not_followed.into_iter().map(|(_, why)| why).collect()
        };
        let flat = "{\"context\": {\"importFormat\": \"flat\", \"fileName\": 1}}";
        assert_eq!(
            why(&[("/h/.gemini/settings.json", flat)]),
            [
                "has context.fileName with a value that is not followed",
                "has context.importFormat, which is not followed"
            ]
        );
        let project = "{\"context\": {\"fileName\": \"A.md\"}}";
        let expected = ["has context.fileName, which is not followed"];
        assert_eq!(why(&[("/p/.gemini/settings.json", project)]), expected);
        let broken = why(&[("/h/.gemini/settings.json", "{\n1}")]);
        assert_eq!(broken, ["is not followed: key must be a string at line 2, column 1"]);
        assert!(why(&[("/h/.gemini/settings.json", "{}")]).is_empty());
        let toml = read("codex", &[("/h/.codex/config.toml", "a")]).not_followed;
        assert_eq!(toml[0].1, "is not followed: expected an equals sign at line 1, column 2");
    }
}
