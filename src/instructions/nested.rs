//! Instructions for a file that a tool reads: in directories below the working directory, and
//! rules for certain paths. The system prompt does not contain these.

use super::discovery::{
    Discovery, Project, Source, Verdict, discover, in_directories, skip_repeated,
};
use super::file_system::{FileSystem, Identity, PathKind};
use super::find_up::git_root;
use super::paths::upwards;
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
    let project = Project::find(fs, options);
    project.search.file_names().map(|name| directory.join(name)).find(is_file)
}

/// The instructions for `file`: those in the directories from its own up to the working directory,
/// which is not searched because the system prompt has its instructions; and all rules for certain
/// paths that apply to it. `file` itself and the paths in `loaded` are left out.
pub fn resolve(
    fs: &impl FileSystem,
    options: &InstructionOptions,
    file: &Path,
    loaded: &[PathBuf],
) -> Sources {
    let start = match fs.path_kind(file) {
        PathKind::Directory => file,
        _ => file.parent().unwrap_or(file),
    };
    if !start.starts_with(&options.directory) {
        return Sources::default();
    }
    let mut directories: Vec<&Path> = upwards(start, Some(&options.directory)).collect();
    directories.pop();
    if options.order.unwrap_or(options.preset.order) == Order::RootFirst {
        directories.reverse();
    }
    // A broken configuration is an error of the system prompt, not of this.
    let without_config = InstructionOptions { instructions: Some(Vec::new()), ..options.clone() };
    let found = discover(fs, options).or_else(|_| discover(fs, &without_config));
    let Ok(mut discovery) = found else { return Sources::default() };
    discovery.candidates.retain(|one| one.rule.is_some() && one.verdict == Verdict::Read);
    let mut candidates = in_directories(fs, options, &directories);
    candidates.append(&mut discovery.candidates);

    let identity = |path: &Path| fs.identity(path).unwrap_or_else(|_| Identity::Path(path.into()));
    let known: HashSet<Identity> =
        loaded.iter().map(PathBuf::as_path).chain([file]).map(identity).collect();
    candidates.retain(|candidate| match &candidate.source {
        Source::File(file) => fs.identity(file).map_or(true, |identity| !known.contains(&identity)),
        Source::Url(_) | Source::Unknown(_) => true,
    });
    skip_repeated(fs, &mut candidates);
    let known = known.into_iter().map(|identity| (identity, "is loaded already".to_owned()));
    Sources::new(Discovery { candidates, ..discovery }, known.collect(), Some(file.to_owned()))
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
        paths(&fs(), &options(), file, &loaded)
    }

    fn paths(
        fs: &InMemoryFileSystem,
        options: &InstructionOptions,
        file: &str,
        loaded: &[PathBuf],
    ) -> Vec<PathBuf> {
        let mut sources = resolve(fs, options, Path::new(file), loaded);
        sources.read(fs, options);
        sources.used_paths()
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
        let found = paths(&fs(), &root_first, "/p/a/b/c/file.ts", &[]);
        assert_eq!(found[0], Path::new("/p/a/AGENTS.md"));
    }

    #[test]
    fn loaded_files_are_skipped() {
        let loaded = ["/p/a/AGENTS.md", "/p/a/ETCODE.md"];
        assert_eq!(resolved("/p/a/b/c/file.ts", &loaded), [Path::new("/p/a/b/c/AGENTS.md")]);
        assert_eq!(resolved("/p/a/AGENTS.md", &[]), [Path::new("/p/a/ETCODE.md")], "itself");
        let fs = fs().link("/p/e/AGENTS.md", "/p/a/AGENTS.md");
        let loaded = [PathBuf::from("/p/a/AGENTS.md")];
        assert!(paths(&fs, &options(), "/p/e/x", &loaded).is_empty(), "by a link");
    }

    #[test]
    fn rules_are_found_for_the_paths_they_apply_to() {
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
        let found = |file| paths(&fs, &options, file, &[]);
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
