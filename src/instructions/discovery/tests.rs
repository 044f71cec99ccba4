use super::*;
use crate::instructions::in_memory::InMemoryFileSystem;
use crate::instructions::sources::Sources;
use crate::instructions::{Order, ProcessEnvironment};

fn options(directory: &str) -> InstructionOptions {
    let process =
        ProcessEnvironment { home: Some("/home/u".into()), ..ProcessEnvironment::default() };
    InstructionOptions::new(directory, process)
}

fn with_instructions(directory: &str, entries: &[&str]) -> InstructionOptions {
    let instructions = Some(entries.iter().map(|entry| entry.to_string()).collect());
    InstructionOptions { instructions, ..options(directory) }
}

fn candidates(fs: &InMemoryFileSystem, options: &InstructionOptions) -> Vec<Candidate> {
    discover(fs, options).unwrap().candidates
}

fn found(fs: &InMemoryFileSystem, options: &InstructionOptions) -> Vec<String> {
    let paths = Sources::paths(fs, options).unwrap();
    paths.iter().map(|path| path.display().to_string()).collect()
}

/// The reason why the only unread candidate is not read.
fn left_out(fs: &InMemoryFileSystem, options: &InstructionOptions) -> Verdict {
    let mut all = candidates(fs, options);
    all.retain(|candidate| candidate.verdict != Verdict::Read);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0).verdict
}

fn repository() -> InMemoryFileSystem {
    InMemoryFileSystem::with(&[
        ("/r/.git/HEAD", ""),
        ("/r/AGENTS.md", "root"),
        ("/r/ETCODE.md", "root, own"),
        ("/r/a/b/AGENTS.md", "nested"),
        ("/AGENTS.md", "someone else's"),
        ("/home/u/.config/etcode/AGENTS.md", "user"),
        ("/home/u/.config/etcode/ETCODE.md", "not looked for"),
    ])
}

#[test]
fn files_are_found_in_the_documented_order() {
    let fs = repository().bytes("/r/a/b/rules.md", b"x").bytes("/home/u/g.md", b"y");
    let options = with_instructions("/r/a/b", &["rules.md", "~/g.md"]);
    assert_eq!(
        found(&fs, &options),
        [
            "/r/a/b/AGENTS.md",
            "/r/AGENTS.md",
            "/r/ETCODE.md",
            "/home/u/.config/etcode/AGENTS.md",
            "/r/a/b/rules.md",
            "/home/u/g.md",
        ]
    );
}

#[test]
fn root_first_reverses_the_directories_and_not_the_names() {
    let options = InstructionOptions { order: Some(Order::RootFirst), ..options("/r/a/b") };
    assert_eq!(
        found(&repository(), &options)[..3],
        ["/r/AGENTS.md", "/r/ETCODE.md", "/r/a/b/AGENTS.md"]
    );
}

#[test]
fn outside_a_repository_only_the_directory_is_searched() {
    let fs = InMemoryFileSystem::with(&[("/p/AGENTS.md", ""), ("/p/q/ETCODE.md", "")]);
    assert_eq!(found(&fs, &options("/p/q")), ["/p/q/ETCODE.md"]);
}

#[test]
fn a_worktree_ends_at_its_own_root() {
    let fs = InMemoryFileSystem::with(&[
        ("/r/.git/HEAD", ""),
        ("/r/AGENTS.md", ""),
        ("/r/tree/.git", "gitdir: /r/.git/worktrees/tree"),
        ("/r/tree/AGENTS.md", ""),
    ]);
    assert_eq!(found(&fs, &options("/r/tree/src")), ["/r/tree/AGENTS.md"]);
}

#[test]
fn names_and_application_can_be_chosen() {
    let fs = InMemoryFileSystem::with(&[
        ("/p/CLAUDE.md", ""),
        ("/p/AGENTS.md", ""),
        ("/p/TOOL.md", ""),
        ("/p/tool.json", r#"{ "instructions": ["extra.md"] }"#),
        ("/p/etcode.json", "not looked at"),
        ("/p/extra.md", ""),
        ("/xdg/tool/AGENTS.md", ""),
        ("/xdg/tool/CLAUDE.md", ""),
    ]);
    let tool = || {
        let mut options = options("/p");
        options.app_name = Some("tool".to_owned());
        options.process.config_home = Some("/xdg".into());
        options
    };
    let expected = ["/p/AGENTS.md", "/p/TOOL.md", "/xdg/tool/AGENTS.md", "/p/extra.md"];
    assert_eq!(found(&fs, &tool()), expected);
    let own = InstructionOptions { files: Some(vec!["CLAUDE.md".to_owned()]), ..tool() };
    assert_eq!(found(&fs, &own), ["/p/CLAUDE.md", "/xdg/tool/CLAUDE.md", "/p/extra.md"]);
}

#[test]
fn a_relative_config_home_is_ignored() {
    let mut options = options("/p");
    options.process.config_home = Some("relative".into());
    assert_eq!(found(&repository(), &options), ["/home/u/.config/etcode/AGENTS.md"]);
}

#[test]
fn a_file_with_several_paths_is_read_once() {
    let fs = InMemoryFileSystem::with(&[("/p/AGENTS.md", "")])
        .link("/p/ETCODE.md", "/p/AGENTS.md")
        .link("/q", "/p");
    let options = with_instructions("/p", &["./AGENTS.md", "/q/AGENTS.md", "../p/AGENTS.md"]);
    let all = candidates(&fs, &options);
    assert_eq!(all.len(), 5);
    assert_eq!(all[0].verdict, Verdict::Read);
    for repeated in &all[1..] {
        assert_eq!(repeated.verdict, Verdict::Skip("is the same file as /p/AGENTS.md".to_owned()));
    }
}

#[test]
fn paths_that_are_not_files_are_left_out_with_a_reason() {
    let fs = InMemoryFileSystem::with(&[("/p/AGENTS.md/inside", "")]);
    assert_eq!(left_out(&fs, &options("/p")), Verdict::Skip("is a directory".to_owned()));
    let fs = InMemoryFileSystem::default().pipe("/p/AGENTS.md");
    assert_eq!(left_out(&fs, &options("/p")), Verdict::Skip("is not a regular file".to_owned()));
    let fs = InMemoryFileSystem::default().link("/p/AGENTS.md", "/nowhere");
    assert_eq!(left_out(&fs, &options("/p")), Verdict::Fail("is a link to nothing".to_owned()));
    let fs = InMemoryFileSystem::default().refused("/p/AGENTS.md");
    assert_eq!(left_out(&fs, &options("/p")), Verdict::Fail("permission denied".to_owned()));
}

#[test]
fn entries_without_a_file_have_a_reason() {
    let fs = InMemoryFileSystem::with(&[("/p/a.md", "")]);
    let verdict = |entry: &str| left_out(&fs, &with_instructions("/p", &[entry]));
    assert_eq!(verdict("missing.md"), Verdict::Fail("there is no such file".to_owned()));
    assert_eq!(verdict("*.txt"), Verdict::Skip("no file matches the pattern".to_owned()));
    assert_eq!(verdict(""), Verdict::Skip("is an empty entry".to_owned()));
    let scheme = Verdict::Skip("only http and https URLs are read".to_owned());
    assert_eq!(verdict("file:///etc/passwd"), scheme);
    let mut without_home = with_instructions("/p", &["~/x.md"]);
    without_home.process.home = None;
    assert!(matches!(left_out(&fs, &without_home), Verdict::Fail(_)));
}

#[test]
fn a_pattern_is_expanded_unless_a_file_has_that_name() {
    let fs = InMemoryFileSystem::with(&[
        ("/p/a.md", ""),
        ("/p/b.md", ""),
        ("/p/[ab].txt", ""),
        ("/p/a.txt", ""),
    ]);
    assert_eq!(found(&fs, &with_instructions("/p", &["*.md"])), ["/p/a.md", "/p/b.md"]);
    assert_eq!(found(&fs, &with_instructions("/p", &["[ab].txt"])), ["/p/[ab].txt"]);
}

#[test]
fn paths_are_relative_to_the_working_directory_and_then_to_the_configuration() {
    let fs = InMemoryFileSystem::with(&[
        ("/r/.git/HEAD", ""),
        ("/r/etcode.json", r#"{ "instructions": ["near.md", "far.md", "docs/*.md"] }"#),
        ("/r/near.md", ""),
        ("/r/far.md", ""),
        ("/r/docs/d.md", ""),
        ("/r/a/near.md", ""),
    ]);
    assert_eq!(found(&fs, &options("/r/a")), ["/r/a/near.md", "/r/far.md", "/r/docs/d.md"]);
}

#[test]
fn urls_keep_their_position_and_are_requested_once() {
    let fs = InMemoryFileSystem::with(&[("/p/a.md", "")]);
    let options = with_instructions("/p", &["http://h/x", "a.md", "HTTPS://h/y", "http://h/x"]);
    let all = candidates(&fs, &options);
    assert_eq!(all[0].source, Source::Url("http://h/x".to_owned()));
    assert_eq!(all[2].source, Source::Url("HTTPS://h/y".to_owned()));
    assert_eq!(all[3].verdict, Verdict::Skip("is listed already".to_owned()));
    assert_eq!(found(&fs, &options), ["/p/a.md"]);

    let many: Vec<String> = (0..70).map(|n| format!("http://h/{n}")).collect();
    let many = InstructionOptions { instructions: Some(many), ..options };
    let all = candidates(&fs, &many);
    assert_eq!(all.iter().filter(|one| one.verdict == Verdict::Read).count(), 64);
}
