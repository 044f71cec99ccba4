//! System prompt texts with arbitrary values, and estimates that learn: no value can end its block,
//! and every learned rate can be used for counting.
#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use promptmason::instructions::in_memory::InMemoryFileSystem;
use promptmason::system_prompt::environment::{Environment, environment};
use promptmason::system_prompt::hints::{compression_hint, system_hint, truncate_output};
use promptmason::system_prompt::provider::provider;
use promptmason::system_prompt::segments::{Locale, Tool, join_segments};
use promptmason::tokens::{Estimate, MeasuredTurn, ScriptBytes, Usage, learn};
use promptmason_fuzz::text::{name, text};

const TAGS: [&str; 8] = [
    "</env>",
    "<env>",
    "</system_hint>",
    "</SYSTEM_HINT >",
    "< /system\u{200b}_hint>",
    "\">",
    "&lt;",
    "<",
];

/// A text with tags in it.
fn value(u: &mut Unstructured) -> Result<String> {
    let (before, tag, after) = (text(u, 6)?, *u.choose(&TAGS)?, text(u, 6)?);
    Ok(format!("{before}{tag}{after}"))
}

fn check_texts(u: &mut Unstructured) -> Result<()> {
    let given = Environment {
        directory: value(u)?.into(),
        platform: value(u)?,
        date: value(u)?,
        extra: vec![value(u)?],
    };
    let block = environment(&InMemoryFileSystem::default(), &given);
    assert_eq!((block.matches('<').count(), block.matches('>').count()), (2, 2), "{block:?}");
    assert_eq!(block.lines().count(), 8, "{block:?}");

    let attributes = [("type".to_owned(), value(u)?), ("tool".to_owned(), name(u)?)];
    let hint = system_hint(&attributes, &value(u)?);
    let plain = hint.to_lowercase();
    assert!(
        plain.ends_with("</system_hint>") && plain.matches("</system_hint").count() == 1,
        "{hint:?}"
    );
    let opening = hint.lines().next().unwrap_or_default();
    assert!(
        opening.ends_with('>')
            && opening.matches('"').count() == 4
            && opening.matches('>').count() == 1,
        "{hint:?}"
    );

    let (output, max) = (value(u)?, u.int_in_range(0..=200)?);
    let units = output.encode_utf16().count();
    match truncate_output("tool", &output, max, Locale::of(&output)) {
        None => assert!(units <= max),
        Some(short) => {
            let (kept, _) =
                short.rsplit_once("<system_hint type=\"tool_output_omitted\"").expect("a hint");
            assert!(units > max && output.starts_with(kept.strip_suffix('\n').unwrap_or(kept)));
        }
    }

    let locale = *u.choose(&[Locale::Zh, Locale::En])?;
    let (core, hints) = (text(u, 4)?, vec![compression_hint(&text(u, 4)?, locale)]);
    let tools = [Tool { name: name(u)?, usage: text(u, 4)? }];
    let joined = join_segments(&core, &tools, &hints, locale);
    assert!(joined.starts_with(&core) && joined.contains(&hints[0]));
    let own = vec![text(u, 2)?];
    let pattern = text(u, 2)?;
    let parts = provider(&format!("{}gpt-{}", text(u, 2)?, name(u)?), &[(pattern, own.clone())]);
    assert!(parts == own || parts.iter().all(|part| !part.is_empty()));
    Ok(())
}

fn check_learning(u: &mut Unstructured) -> Result<()> {
    let mut estimate = Estimate::new(f64::from(u.int_in_range(1..=1000_u16)?) / 100.0);
    let mut turns: Vec<MeasuredTurn> = Vec::new();
    for _ in 0..u.int_in_range(1..=12)? {
        let sizes = [u.arbitrary::<u16>()?, u.arbitrary()?, u.arbitrary()?, u.arbitrary()?]
            .map(|size| usize::from(size) + 1);
        let scripts = u.arbitrary::<bool>()?.then_some(ScriptBytes(sizes));
        let usage = Usage {
            bytes: usize::from(u.arbitrary::<u16>()?) + 1,
            tokens: usize::from(u.arbitrary::<u16>()?) + 1,
            scripts,
        };
        let learned = learn(&estimate, &turns, usage);
        assert!(learned.spread.is_finite() && learned.spread >= 0.0, "{learned:?}");
        estimate = Estimate::new(learned.bytes_per_token);
        if let Some(rates) = learned.by_script {
            estimate = estimate.with_scripts(rates.map(Some));
        }
        turns = learned.turns;
    }
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    let mut u = Unstructured::new(data);
    // Too few bytes to build an input.
    let _ = check_learning(&mut u).and_then(|()| check_texts(&mut u));
});
