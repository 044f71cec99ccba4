//! The front matter of rule files.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use promptmason::instructions::front_matter::split;
use promptmason::instructions::rule::{Rule, RuleKind, RulePlace};
use promptmason_fuzz::text::text;
use std::path::Path;

fuzz_target!(|data: &[u8]| {
    let any = String::from_utf8_lossy(data).into_owned();
    let made = text(&mut Unstructured::new(data), 80).unwrap_or_default();
    for text in [any, format!("---\n{made}\n---\n{made}"), made] {
        if let Some((fields, rest)) = split(&text) {
            assert!(text.ends_with(rest));
            let lists = [&fields.globs, &fields.apply_to, &fields.paths];
            assert!(lists.iter().all(|list| list.iter().all(|item| !item.is_empty())));
            assert!(fields.description.as_deref() != Some(""));
        }
        for name in ["a.mdc", "a.instructions.md", "a.md"] {
            let Some(kind) = RuleKind::of_name(Path::new(name)) else { continue };
            let (rule, rest) = Rule::read(kind, &text);
            assert!(text.ends_with(rest));
            drop(rule.reason());
        }
    }
    let _: fn(&RulePlace, &[String], &Path) -> bool = RulePlace::matches;
});
