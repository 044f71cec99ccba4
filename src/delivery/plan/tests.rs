use super::*;
use crate::delivery::measure::Unit;
use crate::delivery::{
    BUILT_IN, CLAUDE, CODEX, COPILOT, GEMINI, Limit, MAX_LISTED_PLACES, OPENCODE, QWEN,
};

const UUID: &str = "01a1e545-01a4-7321-8aae-d8e4dd5ff4d8";

fn request(prompt: &str) -> Request<'_> {
    Request {
        prompt: prompt.as_bytes(),
        system: None,
        platform: Platform::of("linux"),
        json: true,
        model: None,
        cwd: None,
        resume: None,
        system_via: SystemVia::Auto,
        guard: GuardMode::Report,
        instructions: Instructions::Keep,
        trust_workspace: false,
        extra_args: &[],
    }
}

fn stdin(plan: &Plan, prompt: &str) -> String {
    let mut written = Vec::new();
    plan.insertions.write(prompt.as_bytes(), &mut written);
    String::from_utf8(written).unwrap()
}

fn codes(plan: &Plan) -> Vec<&'static str> {
    plan.warnings.iter().map(|warning| warning.code).collect()
}

fn refused(profile: &Profile, request: &Request) -> (String, Option<(usize, usize, Unit)>) {
    match plan(profile, request) {
        Err(Error::Undeliverable { problem, size, .. }) => (problem, size),
        other => panic!("{other:?}"),
    }
}

#[test]
fn arguments_of_a_first_turn() {
    for (profile, line) in [
        (&CLAUDE, "claude -p --output-format stream-json --verbose"),
        (&CODEX, "codex exec --json --skip-git-repo-check -"),
        (&GEMINI, "gemini -o stream-json"),
        (&OPENCODE, "opencode run --format json"),
        (&QWEN, "qwen -o stream-json"),
        (&COPILOT, "copilot --output-format json --allow-all-tools"),
    ] {
        let plan = plan(profile, &request("hello")).unwrap();
        assert_eq!(format!("{} {}", plan.command, plan.args.join(" ")), line);
        assert!(plan.warnings.is_empty() && plan.files.is_empty() && plan.insertions.is_empty());
        assert_eq!(plan.output, profile.agent_type);
    }
}

#[test]
fn arguments_of_a_resumed_turn_with_everything() {
    let extra = ["--extra".to_owned()];
    for (profile, line) in [
        (
            &CLAUDE,
            "-p --output-format stream-json --verbose --model m --append-system-prompt S \
             --system-prompt-snapshot off --extra --resume ID",
        ),
        (
            &CODEX,
            "exec resume --json --skip-git-repo-check --model m -c project_doc_max_bytes=0 \
             --extra ID -",
        ),
        (&QWEN, "-o stream-json --model m --bare --append-system-prompt=S --extra --resume ID"),
    ] {
        let request = Request {
            system: Some("S"),
            model: Some("m"),
            resume: Some(UUID),
            cwd: Some("/project"),
            instructions: Instructions::Skip,
            trust_workspace: true,
            extra_args: &extra,
            ..request("hello")
        };
        let plan = plan(profile, &request).unwrap();
        assert_eq!(plan.args.join(" ").replace(UUID, "ID"), line);
        assert_eq!(plan.cwd.as_deref(), Some("/project"));
    }
    let resumed =
        |cwd| Request { resume: Some("a"), cwd, trust_workspace: true, ..request("hello") };
    let args = |profile, cwd| plan(profile, &resumed(cwd)).unwrap().args.join(" ");
    assert_eq!(args(&GEMINI, Some("/p")), "-o stream-json --skip-trust --resume a");
    assert_eq!(args(&OPENCODE, Some("/p")), "run --format json --session a --dir /p");
    assert_eq!(args(&OPENCODE, None), "run --format json --session a");
    assert_eq!(args(&COPILOT, None), "--output-format json --allow-all-tools --resume a");
}

#[test]
fn plain_text_instead_of_json() {
    for (profile, line) in [
        (&CLAUDE, "-p"),
        (&CODEX, "exec --skip-git-repo-check -"),
        (&GEMINI, ""),
        (&COPILOT, "--silent --allow-all-tools"),
    ] {
        let plan = plan(profile, &Request { json: false, ..request("hello") }).unwrap();
        assert_eq!(plan.args.join(" "), line);
        assert_eq!(plan.output, "text");
    }
}

#[test]
fn a_session_is_found_where_it_began() {
    for (profile, is_warned) in
        [(&CLAUDE, false), (&GEMINI, true), (&OPENCODE, true), (&QWEN, true), (&COPILOT, false)]
    {
        let resumed = |cwd| plan(profile, &Request { resume: Some("a"), cwd, ..request("x") });
        assert_eq!(codes(&resumed(None).unwrap()) == ["resume-directory"], is_warned);
        assert!(codes(&resumed(Some("/p")).unwrap()).is_empty());
    }
}

#[test]
fn ids_and_models_are_no_options() {
    for word in ["", "-x", "--dangerously-skip-permissions", "a\nb", "a\0"] {
        for request in [
            Request { resume: Some(word), ..request("x") },
            Request { model: Some(word), ..request("x") },
        ] {
            let error = plan(&CLAUDE, &request).unwrap_err();
            assert_eq!(error.code(), "ERR_INVALID_ARG_TYPE", "{word}");
        }
    }
    // Codex would begin a new session.
    for id in ["my session", "01a1e545", "01a1e545-01a4-7321-8aae-d8e4dd5ff4dg"] {
        let request = Request { resume: Some(id), ..request("x") };
        assert!(plan(&CODEX, &request).unwrap_err().to_string().contains("UUID"), "{id}");
    }
    let nul = ["a\0".to_owned()];
    assert!(plan(&CLAUDE, &Request { extra_args: &nul, ..request("x") }).is_err());
    assert!(plan(&CLAUDE, &Request { cwd: Some("a\0"), ..request("x") }).is_err());
}

#[test]
fn what_an_unknown_cli_cannot_be_told_is_not_lost() {
    let unknown = Profile::unknown("mine");
    let planned = plan(&unknown, &request("/x @y $z")).unwrap();
    assert_eq!((planned.command.as_str(), planned.args.len()), ("mine", 0));
    assert!(planned.warnings.is_empty());
    for request in [
        Request { resume: Some("a"), ..request("x") },
        Request { model: Some("m"), ..request("x") },
        Request { system: Some("S"), ..request("x") },
    ] {
        assert!(plan(&unknown, &request).is_err());
    }
    let skip = Request { instructions: Instructions::Skip, ..request("x") };
    assert_eq!(codes(&plan(&unknown, &skip).unwrap()), ["instructions-kept"]);
}

#[test]
fn empty_and_blank_prompts() {
    for profile in BUILT_IN {
        refused(profile, &request(""));
        for blank in [" ", "\n\t", "\u{3000}\u{FEFF}"] {
            let is_refused = plan(profile, &request(blank)).is_err();
            assert_eq!(is_refused, !["gemini", "qwen"].contains(&profile.command));
        }
        assert!(plan(profile, &request("\u{85}")).is_ok());
    }
}

#[test]
fn the_system_text_is_an_argument_up_to_the_limit_of_the_platform_and_then_a_file() {
    let via = |platform, size: usize| {
        let text = "s".repeat(size);
        let platform = Platform::of(platform);
        let plan =
            plan(&CLAUDE, &Request { system: Some(&text), platform, ..request("x") }).unwrap();
        let file = plan.files.first().map(|file| file.content == text);
        assert_eq!(plan.args.contains(&"{file:system-prompt.md}".to_owned()), file == Some(true));
        assert_eq!(plan.args.contains(&text), file.is_none());
        if file.is_some() { "file" } else { "flag" }
    };
    assert_eq!(via("linux", 131_071), "flag");
    assert_eq!(via("linux", 131_072), "file");
    assert_eq!(via("darwin", 900_000), "flag");
    assert_eq!(via("darwin", 1_000_000), "file");
    // 8,191 without the room for paths and the other arguments.
    assert_eq!(via("win32", 7_000), "flag");
    assert_eq!(via("win32", 7_200), "file");
    for text in ["a\0b", "say \"hi\"", "a\nb"] {
        let platform = Platform::of(if text.contains('\0') { "linux" } else { "win32" });
        let request = Request { system: Some(text), platform, ..request("x") };
        assert_eq!(plan(&CLAUDE, &request).unwrap().files.len(), 1, "{text:?}");
    }
}

#[test]
fn the_system_text_goes_where_the_caller_wants_it() {
    let with = |system_via, platform, text: &str| {
        let platform = Platform::of(platform);
        plan(&CLAUDE, &Request { system: Some(text), system_via, platform, ..request("x") })
    };
    assert_eq!(with(SystemVia::File, "linux", "S").unwrap().files.len(), 1);
    assert_eq!(codes(&with(SystemVia::Flag, "win32", "a\nb").unwrap()), ["shim"]);
    assert!(with(SystemVia::Flag, "linux", &"漢".repeat(43_690)).is_ok());
    let error = with(SystemVia::Flag, "linux", &"漢".repeat(43_691)).unwrap_err();
    assert!(error.to_string().contains("(131073 bytes, at most 131071)"), "{error}");
    let error = with(SystemVia::Flag, "win32", &"a".repeat(31_700)).unwrap_err();
    assert!(error.to_string().contains("UTF-16 units, at most 31742"), "{error}");
    assert!(with(SystemVia::Flag, "linux", "a\0").unwrap_err().to_string().contains("NUL"));
    // Nothing to pass.
    assert!(with(SystemVia::File, "linux", "").unwrap().files.is_empty());
}

#[test]
fn clis_without_an_option_for_a_system_text_want_it_inline() {
    for profile in [&GEMINI, &OPENCODE, &COPILOT] {
        let (problem, _) = refused(profile, &Request { system: Some("S"), ..request("x") });
        assert!(problem.contains("inline"), "{problem}");
    }
    for profile in [&CODEX, &QWEN] {
        let via = SystemVia::File;
        refused(profile, &Request { system: Some("S"), system_via: via, ..request("x") });
        // Too long for an argument, and there is no file.
        let long = "s".repeat(131_072);
        let (_, size) = refused(profile, &Request { system: Some(&long), ..request("x") });
        assert!(size.is_some());
    }
}

#[test]
fn codex_takes_a_toml_string_and_keeps_the_first() {
    let first = plan(&CODEX, &Request { system: Some("a\n\"b\"\0"), ..request("x") }).unwrap();
    assert!(first.args.contains(&r#"developer_instructions="a\n\"b\"\u0000""#.to_owned()));
    assert_eq!(codes(&first), ["system-overrides"]);
    let request = Request { system: Some("S"), resume: Some(UUID), ..request("x") };
    let resumed = plan(&CODEX, &request).unwrap();
    assert_eq!(codes(&resumed), ["system-ignored"]);
    assert!(!resumed.args.join(" ").contains("developer_instructions"));
}

#[test]
fn limits_are_counted_in_the_units_of_the_cli() {
    let most = 1_048_576;
    assert!(plan(&CODEX, &request(&"a".repeat(most))).is_ok());
    let (_, size) = refused(&CODEX, &request(&"a".repeat(most + 1)));
    assert_eq!(size, Some((most + 1, most, Unit::CodePoints)));
    // Four bytes and two units each, and one code point.
    assert!(plan(&CODEX, &request(&"😀".repeat(most))).is_ok());
    refused(&CODEX, &request(&"😀".repeat(most + 1)));

    assert!(plan(&CLAUDE, &request(&"漢".repeat(10_485_760 / 3))).is_ok());
    let (_, size) = refused(&CLAUDE, &request(&"a".repeat(10_485_761)));
    assert_eq!(size, Some((10_485_761, 10_485_760, Unit::Bytes)));

    assert!(plan(&GEMINI, &request(&"a".repeat(4_190_000))).is_ok());
    let (_, size) = refused(&GEMINI, &request(&"a".repeat(4_190_001)));
    assert_eq!(size, Some((4_190_001, 4_190_000, Unit::Utf16)));
    let (_, size) = refused(&GEMINI, &request(&"漢".repeat(8_388_608 / 3 + 1)));
    assert_eq!(size, Some((8_388_609, 8_388_608, Unit::Bytes)));
    assert!(plan(&QWEN, &request(&"a".repeat(8_388_608))).is_ok());
    refused(&QWEN, &request(&"a".repeat(8_388_609)));
}

#[test]
fn what_is_inserted_counts() {
    let tight =
        Profile { limits: &[Limit { unit: Unit::Bytes, max: 10, beyond: "stop" }], ..GEMINI };
    let escaped = |prompt| plan(&tight, &Request { guard: GuardMode::Escape, ..request(prompt) });
    assert!(plan(&tight, &request("1234567 @a")).is_ok());
    assert_eq!(stdin(&escaped("123456 @a").unwrap(), "123456 @a"), "123456 \\@a");
    assert!(escaped("1234567 @a").unwrap_err().to_string().contains("(11 bytes, at most 10)"));
    // More is inserted than there may be in all.
    assert!(escaped("@@@@@@@@@a").is_err());
}

#[test]
fn places_are_listed_in_utf_16_units_and_disarmed() {
    let prompt = "/x 漢😀 @a\n😀@b";
    let planned = |profile, guard| plan(profile, &Request { guard, ..request(prompt) }).unwrap();
    let places = |plan: &Plan| -> Vec<_> {
        plan.warnings.iter().map(|warning| (warning.code, warning.at)).collect()
    };
    let listed = [("command", Some(0)), ("file-mention", Some(7)), ("file-mention", Some(12))];

    let gemini = planned(&GEMINI, GuardMode::Report);
    assert_eq!(places(&gemini), listed);
    assert!(gemini.insertions.is_empty());
    assert!(gemini.warnings[1].message.contains("at \"@a\" gemini would"));
    let gemini = planned(&GEMINI, GuardMode::Escape);
    assert_eq!(places(&gemini), listed);
    assert_eq!(stdin(&gemini, prompt), " /x 漢😀 \\@a\n😀\\@b");
    assert!(gemini.warnings[1].message.ends_with("a backslash was put before it"));

    let claude = planned(&CLAUDE, GuardMode::Escape);
    assert_eq!(places(&claude), listed[..2]);
    assert_eq!(stdin(&claude, prompt), format!(" {prompt}"));
    let switch = ("CLAUDE_CODE_DISABLE_FILE_MENTIONS".to_owned(), Some("1".to_owned()));
    assert!(claude.env.contains(&switch));
    assert!(!planned(&CLAUDE, GuardMode::Report).env.contains(&switch));
    for profile in [&OPENCODE, &COPILOT, &CODEX] {
        assert!(planned(profile, GuardMode::Escape).insertions.is_empty());
    }

    let prompt = "echo $HOME $my-skill";
    let codex = plan(&CODEX, &Request { guard: GuardMode::Escape, ..request(prompt) }).unwrap();
    assert_eq!(places(&codex), [("skill-mention", Some(11))]);
    assert_eq!(stdin(&codex, prompt), "echo $HOME $\u{2060}my-skill");
}

#[test]
fn disarmed_text_has_no_places_left() {
    let pieces =
        ["@", "@a", "\\", "/", "/x", "$a", "$", " ", "\n", ".", "漢", "a", "\"", "\u{2060}"];
    let mut state = 5_u32;
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % below
    };
    for _ in 0..5000 {
        let prompt: String = (0..1 + next(12)).map(|_| pieces[next(pieces.len())]).collect();
        for profile in BUILT_IN {
            let escape = Request { guard: GuardMode::Escape, ..request(&prompt) };
            let Ok(planned) = plan(profile, &escape) else { continue };
            let sent = stdin(&planned, &prompt);
            for guard in profile.guards {
                if !matches!(guard.disarm, Disarm::Env(..)) {
                    let left = guard::find(guard.trigger, sent.as_bytes());
                    assert!(left.is_empty(), "{} {prompt:?} {sent:?}", profile.command);
                }
            }
        }
    }
}

#[test]
fn many_places_are_counted() {
    let prompt = "@a ".repeat(MAX_LISTED_PLACES + 23);
    let escape = Request { guard: GuardMode::Escape, ..request(&prompt) };
    let planned = plan(&GEMINI, &escape).unwrap();
    assert_eq!(planned.warnings.len(), MAX_LISTED_PLACES + 1);
    let last = planned.warnings.last().unwrap();
    assert!(last.message.starts_with("23 more") && last.at.is_none());
    assert_eq!(stdin(&planned, &prompt), "\\@a ".repeat(MAX_LISTED_PLACES + 23));
    let planned = plan(&GEMINI, &request(&"@a ".repeat(MAX_LISTED_PLACES))).unwrap();
    assert_eq!(planned.warnings.len(), MAX_LISTED_PLACES);
}

#[test]
fn what_is_stripped_is_said() {
    for (profile, bom, space) in [
        (&CLAUDE, false, false),
        (&CODEX, true, false),
        (&GEMINI, false, false),
        (&OPENCODE, true, false),
        (&COPILOT, true, true),
    ] {
        let codes = codes(&plan(profile, &request("\u{FEFF}a漢 \n\u{3000}")).unwrap());
        assert_eq!(codes.contains(&"byte-order-mark"), bom);
        assert_eq!(codes.contains(&"trailing-space"), space);
    }
    let planned = plan(&COPILOT, &request("a漢 \n\u{3000}")).unwrap();
    assert_eq!(planned.warnings[0].at, Some(2));
    assert!(plan(&COPILOT, &request(" a")).unwrap().warnings.is_empty());
}

#[test]
fn project_instructions_are_skipped_by_argument_or_environment() {
    let skipped = |profile| {
        let request = Request { instructions: Instructions::Skip, ..request("x") };
        plan(profile, &request).unwrap()
    };
    let set = |name: &str| (name.to_owned(), Some("1".to_owned()));
    assert!(skipped(&CLAUDE).env.contains(&set("CLAUDE_CODE_DISABLE_CLAUDE_MDS")));
    assert!(skipped(&OPENCODE).env.contains(&set("OPENCODE_DISABLE_PROJECT_CONFIG")));
    assert!(skipped(&COPILOT).args.contains(&"--no-custom-instructions".to_owned()));
    assert_eq!(codes(&skipped(&GEMINI)), ["instructions-kept"]);
    assert!(skipped(&GEMINI).env.contains(&("DEBUG".to_owned(), None)));
}

#[test]
fn arguments_of_the_caller_count_too() {
    let extra = ["a".repeat(131_072)];
    let (problem, size) = refused(&GEMINI, &Request { extra_args: &extra, ..request("x") });
    assert!(problem.contains("argument 2"), "{problem}");
    assert_eq!(size, Some((131_072, 131_071, Unit::Bytes)));
}
