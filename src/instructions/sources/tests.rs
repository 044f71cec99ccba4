use super::*;
use crate::instructions::ProcessEnvironment;
use crate::instructions::in_memory::InMemoryFileSystem;
use crate::instructions::load::finish;
use crate::instructions::preset::PRESETS;
use crate::instructions::recorder::Recorder;
use std::path::Path;

/// Names of files that tools read.
const NAMES: [&str; 14] = [
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".claude/CLAUDE.md",
    ".claude/rules/a.md",
    "GEMINI.md",
    "QWEN.md",
    "CONTEXT.md",
    "ETCODE.md",
    ".github/copilot-instructions.md",
    ".github/instructions/a.instructions.md",
    ".cursorrules",
    ".cursor/rules/a.mdc",
];

const MENTIONS: &str = "@/secret/key @~/.ssh/id @../secret/key @out @folder/key @.git/config \
                        @self @good.md @loop @/dev/zero";

const CONFIG: &str = r#"{ "instructions": [
    "/secret/key", "~/.ssh/id", "../secret/key", "/secret/*", "~/**", "../**/*", "/**/*", "out",
    "folder/key", "folder/*", "folder/**/*", ".git/config", ".git/*", "git/config", "git/*",
    "loop", "pipe", "http://169.254.169.254/", "good.md", "**/*", "a/../../secret/key"
] }"#;

/// A repository that tries to reach `/secret`, the home directory and `.git`. With `is_link`, the
/// instruction files themselves are links out.
fn attack(is_link: bool) -> InMemoryFileSystem {
    let mut fs = InMemoryFileSystem::with(&[
        ("/secret/key", "SECRET"),
        ("/home/u/.ssh/id", "SECRET"),
        ("/r/.git/config", "SECRET"),
        ("/r/good.md", MENTIONS),
        ("/r/etcode.json", CONFIG),
        ("/r/opencode.json", CONFIG),
        ("/AGENTS.md", "SECRET above the repository"),
        ("/CLAUDE.md", "SECRET above the repository"),
    ])
    .link("/r/out", "/secret/key")
    .link("/r/folder", "../secret")
    .link("/r/git", ".git")
    .link("/r/loop", "loop")
    .link("/r/.claude/rules/deep", "/secret")
    .link("/r/self", "self")
    .pipe("/r/pipe");
    for name in NAMES {
        let path = format!("/r/{name}");
        fs = match is_link {
            true => fs.link(&path, "/secret/key"),
            false => fs.bytes(&path, format!("---\nalwaysApply: true\n---\n{MENTIONS}").as_bytes()),
        };
    }
    fs
}

fn options(untrusted: bool, preset: &'static Preset) -> InstructionOptions {
    let process =
        ProcessEnvironment { home: Some("/home/u".into()), ..ProcessEnvironment::default() };
    InstructionOptions {
        untrusted,
        preset,
        includes: Some(true),
        already_read_by: Preset::of_agent("claude-code").filter(|of| of.name != preset.name),
        ..InstructionOptions::new("/r/sub", process)
    }
}

/// Everything that a preset loads, as text, and every path that was accessed.
fn run(fs: InMemoryFileSystem, options: &InstructionOptions) -> (String, Vec<PathBuf>) {
    let fs = Recorder::new(fs);
    let mut sources = Sources::find(&fs, options).unwrap();
    if options.untrusted {
        assert!(sources.urls().is_empty(), "{:?}", sources.urls());
    }
    sources.read(&fs, options);
    let loaded = format!("{:?}", finish(sources.entries, Vec::new()));
    (loaded, fs.paths())
}

/// Whether a path is in the repository, or belongs to the user or the administrator.
fn is_expected(path: &Path) -> bool {
    let places = [
        "/r",
        "/home/u/.claude",
        "/home/u/.codex",
        "/home/u/.gemini",
        "/home/u/.qwen",
        "/home/u/.copilot",
        "/home/u/.config",
        "/home/u/.opencode",
        "/etc/claude-code",
    ];
    let is_git = path.starts_with("/r/.git") && path != Path::new("/r/.git");
    places.iter().any(|place| path.starts_with(place)) && !is_git
}

#[test]
fn nothing_outside_an_untrusted_repository_is_accessed() {
    for preset in PRESETS {
        for is_link in [false, true] {
            let (loaded, paths) = run(attack(is_link), &options(true, preset));
            assert!(!loaded.contains("SECRET"), "{}: {loaded}", preset.name);
            let outside: Vec<_> = paths.iter().filter(|path| !is_expected(path)).collect();
            assert!(outside.is_empty(), "{}: {outside:?}", preset.name);
            assert!(paths.len() > 10, "{}", preset.name);
        }
    }
}

#[test]
fn a_trusted_repository_may_read_outside_files() {
    for preset in PRESETS {
        let trusted = InstructionOptions { already_read_by: None, ..options(false, preset) };
        let (loaded, paths) = run(attack(true), &trusted);
        assert!(loaded.contains("SECRET"), "{}", preset.name);
        assert!(paths.iter().any(|path| !is_expected(path)), "{}", preset.name);
    }
}

#[test]
fn the_total_size_of_all_files_is_limited() {
    let texts: Vec<(String, String)> =
        (0..20).map(|n| (format!("/p/{n:02}.md"), "x ".repeat(50))).collect();
    let files: Vec<_> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let mut options = InstructionOptions::new("/p", ProcessEnvironment::default());
    options.instructions = Some(vec!["*.md".to_owned()]);
    options.limits.max_total_bytes = 1000;
    let fs = InMemoryFileSystem::with(&files);
    let mut sources = Sources::find(&fs, &options).unwrap();
    sources.read(&fs, &options);
    let loaded = finish(sources.entries, Vec::new());
    let used: usize =
        loaded.iter().filter_map(|one| one.result.text.as_ref()).map(String::len).sum();
    assert_eq!((loaded.len(), used), (20, 1000));
    assert!(
        loaded[10].result.reason.as_ref().unwrap().starts_with("the files before it have reached")
    );
}
