//! Instructions for a file that a tool reads: in directories below the working directory, and
//! rules for certain paths. The system prompt does not contain these.

use super::discovery::{Candidate, Source, Verdict, in_directories};
use super::file_system::{FileSystem, Identity, PathKind};
use super::find_up::git_root;
use super::paths::upwards;
use super::read::read_file;
use super::rule::{Applies, Rule};
use super::search::Search;
use super::sources::Sources;
use super::trust::Boundary;
use super::{InstructionOptions, Order};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The first instruction file in a directory.
pub fn find(
    fs: &impl FileSystem,
    directory: &Path,
    options: &InstructionOptions,
) -> Option<PathBuf> {
    let boundary = match options.untrusted {
        true => Boundary::around(fs, git_root(fs, directory).unwrap_or(directory)),
        false => Boundary::default(),
    };
    let is_file = |path: &PathBuf| match boundary.locate(fs, path.clone()) {
        Ok(file) => fs.path_kind(&file) == PathKind::File,
        Err(_) => false,
    };
    let search = Search::new(options);
    search.file_names().map(|name| directory.join(name)).find(is_file)
}

/// The instruction files for `file`: those from its directory up to the working directory, which
/// is not searched because the system prompt has its instructions; and all rules for certain
/// paths that apply to it. `file` itself and the paths in `loaded` are left out.
pub fn resolve(
    fs: &impl FileSystem,
    options: &InstructionOptions,
    file: &Path,
    loaded: &[PathBuf],
) -> Vec<PathBuf> {
    let start = match fs.path_kind(file) {
        PathKind::Directory => file,
        _ => file.parent().unwrap_or(file),
    };
    if !start.starts_with(&options.directory) {
        return Vec::new();
    }
    let mut directories: Vec<&Path> = upwards(start, Some(&options.directory)).collect();
    directories.pop();
    if Search::new(options).order == Order::RootFirst {
        directories.reverse();
    }
    let identity = |path: &Path| fs.identity(path).unwrap_or_else(|_| Identity::Path(path.into()));
    let mut known: HashSet<Identity> = loaded.iter().map(|path| identity(path)).collect();
    known.insert(identity(file));

    let nested = in_directories(fs, options, &directories);
    let nested = nested.iter().filter_map(|one| applicable(fs, options, one, file));
    let mut found: Vec<PathBuf> = nested.collect();
    // A configuration that is broken is an error of the system prompt's.
    if let Ok(mut sources) = Sources::find(fs, options)
        && sources.depends_on_texts()
    {
        sources.read(fs, options);
        for entry in &sources.entries {
            if let (Source::File(path), Some(place), Some(rule)) =
                (&entry.candidate.source, &entry.candidate.rule, &entry.rule)
                && let Applies::Paths(patterns) = &rule.applies
                && place.matches(patterns, file)
            {
                found.push(path.shown.clone());
            }
        }
    }
    found.retain(|path| known.insert(identity(path)));
    found
}

/// The path of a candidate, if it applies to a file.
fn applicable(
    fs: &impl FileSystem,
    options: &InstructionOptions,
    candidate: &Candidate,
    file: &Path,
) -> Option<PathBuf> {
    let (Source::File(path), Verdict::Read) = (&candidate.source, &candidate.verdict) else {
        return None;
    };
    let Some(place) = &candidate.rule else { return Some(path.shown.clone()) };
    let reading = read_file(fs, path, options.limits.max_file_bytes);
    let (rule, _) = Rule::read(place.kind, reading.text()?);
    let applies = match &rule.applies {
        Applies::Always => true,
        Applies::Paths(patterns) => place.matches(patterns, file),
        Applies::OnRequest => false,
    };
    applies.then(|| path.shown.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::ProcessEnvironment;
    use crate::instructions::in_memory::InMemoryFileSystem;
    use crate::instructions::preset::Preset;

    fn fs() -> InMemoryFileSystem {
        InMemoryFileSystem::with(&[
            ("/p/AGENTS.md", ""),
            ("/p/a/AGENTS.md", ""),
            ("/p/a/ETCODE.md", ""),
            ("/p/a/b/c/AGENTS.md", ""),
            ("/p/a/b/c/file.ts", ""),
            ("/p/d/AGENTS.md/x", ""),
            ("/p/d/ETCODE.md", ""),
            ("/p/file.ts", ""),
            ("/other/AGENTS.md", ""),
        ])
    }

    fn options() -> InstructionOptions {
        InstructionOptions::new("/p", ProcessEnvironment::default())
    }

    fn resolved(file: &str, loaded: &[&str]) -> Vec<PathBuf> {
        let loaded: Vec<PathBuf> = loaded.iter().map(PathBuf::from).collect();
        resolve(&fs(), &options(), Path::new(file), &loaded)
    }

    #[test]
    fn the_first_file_name_that_is_a_file_is_found() {
        let found = |directory| find(&fs(), Path::new(directory), &options());
        assert_eq!(found("/p/a"), Some("/p/a/AGENTS.md".into()));
        assert_eq!(found("/p/d"), Some("/p/d/ETCODE.md".into()));
        assert_eq!(found("/p/a/b"), None);
    }

    #[test]
    fn directories_between_the_file_and_the_project_are_searched() {
        let expected = ["/p/a/b/c/AGENTS.md", "/p/a/AGENTS.md", "/p/a/ETCODE.md"];
        assert_eq!(resolved("/p/a/b/c/file.ts", &[]), expected.map(PathBuf::from));
        assert_eq!(resolved("/p/a/b/c", &[]), expected.map(PathBuf::from), "a directory");
        assert_eq!(resolved("/p/a/b/c/new.ts", &[]), expected.map(PathBuf::from), "not there yet");
        assert!(resolved("/p/file.ts", &[]).is_empty());
        assert!(resolved("/other/file.ts", &[]).is_empty());
        let root_first = InstructionOptions { order: Some(Order::RootFirst), ..options() };
        let found = resolve(&fs(), &root_first, Path::new("/p/a/b/c/file.ts"), &[]);
        assert_eq!(found[0], Path::new("/p/a/AGENTS.md"));
    }

    #[test]
    fn loaded_files_are_left_out() {
        let loaded = ["/p/a/AGENTS.md", "/p/a/ETCODE.md"];
        assert_eq!(resolved("/p/a/b/c/file.ts", &loaded), [Path::new("/p/a/b/c/AGENTS.md")]);
        assert_eq!(resolved("/p/a/AGENTS.md", &[]), [Path::new("/p/a/ETCODE.md")], "itself");
        let fs = fs().link("/p/e/AGENTS.md", "/p/a/AGENTS.md");
        let loaded = [PathBuf::from("/p/a/AGENTS.md")];
        assert!(resolve(&fs, &options(), Path::new("/p/e/x"), &loaded).is_empty(), "by a link");
    }

    #[test]
    fn rules_for_certain_paths_are_found_for_these_paths() {
        let fs = InMemoryFileSystem::with(&[
            ("/p/.cursor/rules/always.mdc", "---\nalwaysApply: true\n---\nx"),
            ("/p/.cursor/rules/ts.mdc", "---\nglobs: *.ts\n---\nx"),
            ("/p/.cursor/rules/css.mdc", "---\nglobs: *.css\n---\nx"),
            ("/p/web/.cursor/rules/near.mdc", "---\nalwaysApply: true\n---\nx"),
            ("/p/web/.cursor/rules/sub.mdc", "---\nglobs: src/**\n---\nx"),
            ("/p/web/AGENTS.md", "x"),
        ]);
        let preset = Preset::named("cursor").unwrap();
        let options = InstructionOptions { preset, ..options() };
        let found = |file| resolve(&fs, &options, Path::new(file), &[]);
        assert_eq!(found("/p/a.ts"), [Path::new("/p/.cursor/rules/ts.mdc")]);
        let expected = [
            "/p/web/AGENTS.md",
            "/p/web/.cursor/rules/near.mdc",
            "/p/web/.cursor/rules/sub.mdc",
            "/p/.cursor/rules/ts.mdc",
        ];
        assert_eq!(found("/p/web/src/b.ts"), expected.map(PathBuf::from));
        assert!(found("/p/a.md").is_empty());
    }
}
