use super::*;
use crate::instructions::in_memory::InMemoryFileSystem;

/// The text of `/p/main.md` with its includes, and what happened to each: path and reason.
fn expanded(fs: &InMemoryFileSystem, boundary: &Boundary) -> (String, Vec<(String, String)>) {
    let file = FilePath::trusted("/p/main.md".into());
    let text = String::from_utf8(fs.read(&file, 1 << 20).unwrap().head).unwrap();
    let mut known = HashMap::from([(fs.identity(&file).unwrap(), same_file(&file.shown))]);
    let mut includer = Includer {
        fs,
        home: Some(Path::new("/home/u")),
        lookups: &mut Lookups::default(),
        known: &mut known,
        max_file_bytes: 1000,
        bytes_left: &mut 1_000_000,
        rules: Includes::ClaudeCode,
        found: Vec::new(),
        noted: HashSet::new(),
    };
    let text = includer.expand(&file, boundary, &text);
    let shown = |include: Include| {
        let reason = match (include.verdict, include.reading) {
            (Verdict::Skip(why) | Verdict::Fail(why), _) => why,
            (Verdict::Read, Some(FileText::Failed { reason, .. })) => reason,
            (Verdict::Read, _) => String::new(),
        };
        (include.path.display().to_string(), reason)
    };
    (text, includer.found.into_iter().map(shown).collect())
}

fn text_of(files: &[(&str, &str)]) -> String {
    expanded(&InMemoryFileSystem::with(files), &Boundary::default()).0
}

#[test]
fn a_mention_is_replaced_by_the_file() {
    let text = text_of(&[
        ("/p/main.md", "See @a.md , @docs/b.md and @~/c.md .\n@/abs.md"),
        ("/p/a.md", "A"),
        ("/p/docs/b.md", "B with @c.md"),
        ("/p/docs/c.md", "C"),
        ("/home/u/c.md", "H"),
        ("/abs.md", "X\n"),
    ]);
    assert_eq!(text, "See A , B with C and H .\nX\n");
}

#[test]
fn a_mention_that_is_not_a_file_stays_text_and_is_not_listed() {
    let fs = InMemoryFileSystem::with(&[
        ("/p/main.md", "@types/node @Component max@example.com @docs `@a.md` @nobody."),
        ("/p/docs/x.md", ""),
        ("/p/a.md", "A"),
    ]);
    let (text, listed) = expanded(&fs, &Boundary::default());
    assert_eq!(text, "@types/node @Component max@example.com @docs `@a.md` @nobody.");
    assert!(listed.is_empty(), "{listed:?}");
}

#[test]
fn a_file_is_included_once_even_in_a_cycle() {
    let fs = InMemoryFileSystem::with(&[
        ("/p/main.md", "@a.md @a.md @./a.md"),
        ("/p/a.md", "A(@b.md)  @b.md"),
        ("/p/b.md", "B @a.md @main.md @b.md"),
    ]);
    let (text, listed) = expanded(&fs, &Boundary::default());
    assert_eq!(text, "A(@b.md)  B @a.md @main.md @b.md @a.md @./a.md");
    let cycle = "is a file that includes this one: a cycle";
    let expected = [
        ("/p/a.md", ""),
        ("/p/b.md", ""),
        ("/p/a.md", cycle),
        ("/p/main.md", cycle),
        ("/p/b.md", cycle),
    ];
    let listed: Vec<_> = listed.iter().map(|(path, why)| (path.as_str(), why.as_str())).collect();
    assert_eq!(listed, expected);
}

#[test]
fn a_file_that_two_files_mention_is_included_once() {
    let fs = InMemoryFileSystem::with(&[
        ("/p/main.md", "@a.md @b.md"),
        ("/p/a.md", "A"),
        ("/p/b.md", "B @a.md"),
    ]);
    let (text, listed) = expanded(&fs, &Boundary::default());
    assert_eq!(text, "A B @a.md");
    assert_eq!(listed[2], ("/p/a.md".to_owned(), "is the same file as /p/a.md".to_owned()));
}

#[test]
fn includes_are_followed_five_levels_deep() {
    let files: Vec<(String, String)> =
        (1..=7).map(|n| (format!("/p/{n}.md"), format!("{n} @{}.md", n + 1))).collect();
    let mut all: Vec<(&str, &str)> = files.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    all.push(("/p/main.md", "0 @1.md"));
    let (text, listed) = expanded(&InMemoryFileSystem::with(&all), &Boundary::default());
    assert_eq!(text, "0 1 2 3 4 5 @6.md");
    assert_eq!(listed.len(), 6);
    let last = ("/p/6.md".to_owned(), "is nested more than 5 includes deep".to_owned());
    assert_eq!(listed.last(), Some(&last));
}

#[test]
fn repeated_includes_do_not_multiply() {
    // Each file mentions the next one ten times: copying every mention would give 10^5 files.
    let files: Vec<(String, String)> =
        (1..=6).map(|n| (format!("/p/{n}.md"), format!("@{}.md ", n + 1).repeat(10))).collect();
    let mut all: Vec<(&str, &str)> = files.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    let mentions = "@1.md ".repeat(50_000);
    all.push(("/p/main.md", &mentions));
    let (text, listed) = expanded(&InMemoryFileSystem::with(&all), &Boundary::default());
    assert!(text.len() < mentions.len() + 1000);
    // Six files, and a note that there are too many mentions.
    assert_eq!(listed.len(), 7, "{listed:?}");
    assert!(listed[6].1.starts_with("was not examined"), "{listed:?}");
}

#[test]
fn an_unreadable_file_stays_text_and_is_listed() {
    let fs =
        InMemoryFileSystem::with(&[("/p/main.md", "@pipe @link @binary @large"), ("/p/e", "")])
            .pipe("/p/pipe")
            .link("/p/link", "nowhere")
            .bytes("/p/binary", b"\xFF\0")
            .bytes("/p/large", "x ".repeat(2000).as_bytes());
    let (text, listed) = expanded(&fs, &Boundary::default());
    assert!(text.starts_with("@pipe @link @binary x x x"), "{text}");
    assert!(text.contains(" bytes omitted …]"));
    let reasons: Vec<_> = listed.into_iter().map(|(_, why)| why).collect();
    let expected = ["is not a regular file", "is a link to nothing", "is not UTF-8 text", ""];
    assert_eq!(reasons, expected);
}

#[test]
fn an_untrusted_repository_includes_only_its_own_files() {
    let fs = InMemoryFileSystem::with(&[
        ("/p/main.md", "@/etc/passwd @~/.ssh/id @../x @out @in.md @.git/config"),
        ("/p/in.md", "IN @/etc/passwd"),
        ("/p/.git/config", "token"),
        ("/etc/passwd", "secret"),
        ("/home/u/.ssh/id", "secret"),
        ("/x", "secret"),
    ])
    .link("/p/out", "/etc/passwd");
    let boundary = Boundary::around(&fs, Path::new("/p"));
    let (text, listed) = expanded(&fs, &boundary);
    assert_eq!(text, "@/etc/passwd @~/.ssh/id @../x @out IN @/etc/passwd @.git/config");
    assert_eq!(listed.iter().filter(|(_, why)| why.starts_with("leads ")).count(), 6);
    assert!(expanded(&fs, &Boundary::default()).0.contains("secret"));
}
