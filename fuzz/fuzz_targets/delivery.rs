//! Plans of deliveries to every CLI: what is passed is what was given, and TOML reads it the same.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use promptmason::delivery::{
    CLAUDE, CODEX, COPILOT, GEMINI, GuardMode, Instructions, OPENCODE, Platform, Profile, QWEN,
    Request, SystemVia, Unit, plan,
};
use promptmason_fuzz::text::{name, text};

static PROFILES: [&Profile; 6] = [&CLAUDE, &CODEX, &GEMINI, &OPENCODE, &QWEN, &COPILOT];

fn check(data: &[u8]) -> arbitrary::Result<()> {
    let mut u = Unstructured::new(data);
    let profile = *u.choose(&PROFILES)?;
    let (prompt, system) = (text(&mut u, 40)?, text(&mut u, 12)?);
    let (model, resume, cwd) = (name(&mut u)?, name(&mut u)?, name(&mut u)?);
    let extra_args = vec![text(&mut u, 2)?];
    let request = Request {
        prompt: prompt.as_bytes(),
        system: u.arbitrary::<bool>()?.then_some(&system),
        platform: Platform::of(u.choose(&["linux", "win32", "darwin"])?),
        json: u.arbitrary()?,
        model: u.arbitrary::<bool>()?.then_some(&model),
        cwd: u.arbitrary::<bool>()?.then_some(&cwd),
        resume: u.arbitrary::<bool>()?.then_some(&resume),
        system_via: *u.choose(&[SystemVia::Auto, SystemVia::Flag, SystemVia::File])?,
        guard: *u.choose(&[GuardMode::Report, GuardMode::Escape])?,
        instructions: *u.choose(&[Instructions::Keep, Instructions::Skip])?,
        trust_workspace: u.arbitrary()?,
        extra_args: if u.arbitrary()? { &extra_args } else { &[] },
    };
    let Ok(made) = plan(profile, &request) else { return Ok(()) };
    assert!(made.args.iter().all(|argument| !argument.contains('\0')));
    for file in &made.files {
        assert!(system.contains(&file.content) || file.content.contains(&system));
    }
    if let Some(toml) =
        made.args.iter().find(|argument| argument.starts_with("developer_instructions="))
    {
        let table: toml::Table = toml.parse().expect("TOML");
        assert_eq!(table["developer_instructions"].as_str(), Some(&*system));
    }
    let mut stdin = Vec::new();
    made.insertions.write(request.prompt, &mut stdin);
    assert_eq!(stdin.len(), prompt.len() + made.insertions.measure(Unit::Bytes));
    let stdin = String::from_utf8(stdin).expect("UTF-8");
    let mut rest = stdin.chars();
    assert!(prompt.chars().all(|c| rest.any(|other| other == c)));
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    // Too few bytes are no input.
    let _ = check(data);
});
