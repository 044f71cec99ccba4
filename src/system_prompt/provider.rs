//! The base prompts of model families.

/// The patterns of each family and its base prompt. A model belongs to a family if its identifier
/// contains a pattern, without regard to letter case. After a caret, the pattern must be at the
/// start of a word: `^o3` matches `openai/o3-mini` and not `turbo3`.
const FAMILIES: [(&[&str], &str); 3] = [
    (&["claude"], include_str!("prompts/anthropic.txt")),
    (&["gpt-", "^o1", "^o3", "^o4"], include_str!("prompts/openai.txt")),
    (&["gemini"], include_str!("prompts/gemini.txt")),
];
const DEFAULT: &str = include_str!("prompts/default.txt");

/// A caller's own family: a pattern and its base prompts.
pub type Family = (String, Vec<String>);

/// The base prompt of a model: that of the caller's first matching family, else that of the first
/// matching built-in family, else the default.
pub fn provider(model_id: &str, families: &[Family]) -> Vec<String> {
    let model_id = model_id.to_lowercase();
    if let Some((_, prompts)) =
        families.iter().find(|(pattern, _)| matches_pattern(&model_id, pattern))
    {
        return prompts.clone();
    }
    let built_in = FAMILIES
        .iter()
        .find(|(patterns, _)| patterns.iter().any(|pattern| matches_pattern(&model_id, pattern)))
        .map_or(DEFAULT, |(_, prompt)| prompt);
    vec![built_in.trim_end().to_owned()]
}

fn matches_pattern(lower_case_id: &str, pattern: &str) -> bool {
    let pattern = pattern.to_lowercase();
    match pattern.strip_prefix('^') {
        None => lower_case_id.contains(&pattern),
        Some(start) => lower_case_id.match_indices(start).any(|(at, _)| {
            lower_case_id[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric())
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(model_id: &str) -> &'static str {
        let prompts = provider(model_id, &[]);
        assert_eq!(prompts.len(), 1);
        let is = |text: &str| text.trim_end() == prompts[0];
        match () {
            () if is(FAMILIES[0].1) => "anthropic",
            () if is(FAMILIES[1].1) => "openai",
            () if is(FAMILIES[2].1) => "gemini",
            () => "default",
        }
    }

    #[test]
    fn models_belong_to_families() {
        for (model_id, expected) in [
            ("claude-3.5-sonnet", "anthropic"),
            ("anthropic/Claude-Opus", "anthropic"),
            ("us.anthropic.claude-sonnet-4-v1:0", "anthropic"),
            ("gpt-4o-mini", "openai"),
            ("azure/GPT-4", "openai"),
            ("openai/o3-mini", "openai"),
            ("o1", "openai"),
            ("O4-mini", "openai"),
            ("openrouter:o3", "openai"),
            ("turbo1", "default"),
            ("solo3-large", "default"),
            ("中o1", "default"),
            ("gemini-2.5-pro", "gemini"),
            ("google/GEMINI", "gemini"),
            ("qwen3-coder", "default"),
            ("", "default"),
        ] {
            assert_eq!(family(model_id), expected, "{model_id}");
        }
    }

    #[test]
    fn callers_can_add_and_override_families() {
        let families = [
            ("qwen".to_owned(), vec!["for Qwen".to_owned()]),
            ("Claude".to_owned(), vec!["ours".to_owned(), "and more".to_owned()]),
            ("^k2".to_owned(), vec!["for Kimi".to_owned()]),
        ];
        assert_eq!(provider("Qwen3", &families), ["for Qwen"]);
        assert_eq!(provider("claude-x", &families), ["ours", "and more"]);
        assert_eq!(provider("kimi-k2", &families), ["for Kimi"]);
        assert_eq!(provider("mak2", &families), provider("", &[]));
    }

    #[test]
    fn the_built_in_prompts_are_different_texts() {
        let mut texts: Vec<&str> = FAMILIES.iter().map(|(_, text)| *text).collect();
        texts.push(DEFAULT);
        for text in &texts {
            assert!(text.len() > 1000 && text.starts_with("You are a"), "{text}");
            assert!(text.is_ascii() && !text.contains('\r'), "{text}");
        }
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), 4);
    }
}
