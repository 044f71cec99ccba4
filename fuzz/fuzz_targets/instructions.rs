//! Finds and reads instruction files in arbitrary file systems: includes, links, patterns, rules.
//! In an untrusted repository, nothing outside it is read.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use promptmason::instructions::file_system::FileSystem;
use promptmason::instructions::in_memory::InMemoryFileSystem;
use promptmason::instructions::load::{finish, messages};
use promptmason::instructions::nested::{find, resolve};
use promptmason::instructions::preset::PRESETS;
use promptmason::instructions::sources::Sources;
use promptmason::instructions::url::Fetched;
use promptmason::instructions::{InstructionOptions, ProcessEnvironment};
use promptmason_fuzz::text::text;
use std::path::Path;

const SECRET: &str = "the secret outside";

const PATHS: [&str; 28] = [
    "/r/etcode.jsonc",
    "/r/.opencode/opencode.jsonc",
    "/r/.qwen/QWEN.local.md",
    "/r/.qwen/rules/r.md",
    "/r/sub/.claude/settings.json",
    "/r/sub/.qwen/settings.json",
    "/r/.git/HEAD",
    "/r/AGENTS.md",
    "/r/CLAUDE.md",
    "/r/GEMINI.md",
    "/r/QWEN.md",
    "/r/sub/AGENTS.md",
    "/r/sub/AGENTS.override.md",
    "/r/sub/deep/AGENTS.md",
    "/r/etcode.json",
    "/r/opencode.json",
    "/r/.cursor/rules/a.mdc",
    "/r/.github/copilot-instructions.md",
    "/r/.github/instructions/x.instructions.md",
    "/r/.claude/rules/r.md",
    "/r/docs/a.md",
    "/r/docs/b.md",
    "/r/sub/file.md",
    "/r/file.md",
    "/r/.cursorrules",
    "/r/sub/CLAUDE.local.md",
    "/r/link",
    "/r/sub/link.md",
];
const TARGETS: [&str; 6] = [
    "/outside/secret.md",
    "/outside",
    "../outside/secret.md",
    "/r/docs",
    "/r/AGENTS.md",
    "/r/link",
];
const ENTRIES: [&str; 12] = [
    "*.md",
    "docs/**/*.md",
    "../outside/*.md",
    "/outside/secret.md",
    "https://example.com/x",
    "~/x.md",
    "{a,b}.md",
    "[",
    "link/*",
    "**",
    "./file.md",
    "sub",
];

fn content(u: &mut Unstructured) -> arbitrary::Result<Vec<u8>> {
    Ok(match u.int_in_range(0..=5)? {
        0 => {
            let count = usize::from(u.arbitrary::<u8>()?).min(u.len());
            u.bytes(count)?.to_vec()
        }
        1 => format!("@{} @../outside/secret.md @/outside/secret.md {}", text(u, 2)?, text(u, 4)?)
            .into_bytes(),
        2 => format!("---\n{}\n---\n{}", text(u, 8)?, text(u, 4)?).into_bytes(),
        3 => {
            let entries: Vec<&str> = (0..u.int_in_range(0..=3)?)
                .map(|_| u.choose(&ENTRIES).copied())
                .collect::<Result<_, _>>()?;
            serde_json::json!({ "instructions": entries }).to_string().into_bytes()
        }
        _ => text(u, 12)?.into_bytes(),
    })
}

fn check(data: &[u8]) -> arbitrary::Result<()> {
    let mut u = Unstructured::new(data);
    let mut fs = InMemoryFileSystem::default().bytes("/outside/secret.md", SECRET.as_bytes());
    for _ in 0..u.int_in_range(0..=8)? {
        let path = *u.choose(&PATHS)?;
        fs = match u.int_in_range(0..=9)? {
            0 => fs.link(path, u.choose(&TARGETS)?),
            1 => fs.refused(path),
            2 => fs.pipe(path),
            _ => fs.bytes(path, &content(&mut u)?),
        };
    }
    let process = ProcessEnvironment { cwd: "/r/sub".into(), ..ProcessEnvironment::default() };
    let untrusted: bool = u.arbitrary()?;
    let options = InstructionOptions {
        preset: u.choose(&PRESETS)?,
        includes: u.arbitrary()?,
        untrusted,
        already_read_by: u.arbitrary::<bool>()?.then_some(*u.choose(&PRESETS)?),
        ..InstructionOptions::new("/r/sub", process)
    };
    // The instructions that apply to a file in the repository.
    let mut near = resolve(&fs, &options, Path::new("/r/sub/deep/file.md"), &[]);
    near.read(&fs, &options);
    let found = find(&fs, Path::new("/r/sub"), &options);
    for path in near.used_paths().into_iter().chain(found) {
        assert!(
            !untrusted
                || fs.identity(&path).ok() != fs.identity(Path::new("/outside/secret.md")).ok(),
            "{path:?}"
        );
    }
    if untrusted {
        let near = finish(near.entries, Vec::new());
        assert!(!messages(&near).iter().any(|message| message.contains(SECRET)), "{near:?}");
    }
    let Ok(mut sources) = Sources::find(&fs, &options) else { return Ok(()) };
    sources.read(&fs, &options);
    let responses = sources.urls().iter().map(|_| Fetched::Body(b"fetched".to_vec())).collect();
    let loaded = finish(sources.entries, responses);
    if untrusted {
        assert!(!messages(&loaded).iter().any(|message| message.contains(SECRET)), "{loaded:?}");
    }
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    // Too few bytes to build an input.
    let _ = check(data);
});
