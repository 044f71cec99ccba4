//! What keys and tokens of providers look like, as data.
//!
//! Source: the prefixes, lengths and characters in the rules of gitleaks (`config/gitleaks.toml`,
//! commit b58d3f1 of 2026-07-22, read on 2026-11-18), which name the providers' own descriptions.
//! Lengths are given as ranges where providers have changed them.

/// The characters that a value has after its prefix. Any other character ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Characters {
    /// Letters and digits.
    Alphanumeric,
    /// Letters, digits, `_` and `-`.
    Word,
    /// The same and `.`, `=`.
    Dotted,
    /// Letters, digits, `+`, `/`, `=`, `_` and `-`.
    Base64,
    /// Digits and letters up to `f`.
    Hex,
    /// Capital letters and digits from 2 to 7.
    Base32,
}

impl Characters {
    /// Whether a byte is one of these.
    pub const fn has(self, byte: u8) -> bool {
        match self {
            Characters::Alphanumeric => byte.is_ascii_alphanumeric(),
            Characters::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Characters::Dotted => Characters::Word.has(byte) || matches!(byte, b'.' | b'='),
            Characters::Base64 => Characters::Word.has(byte) || matches!(byte, b'+' | b'/' | b'='),
            Characters::Hex => byte.is_ascii_hexdigit(),
            Characters::Base32 => byte.is_ascii_uppercase() || matches!(byte, b'2'..=b'7'),
        }
    }
}

/// A kind of value: a prefix, and what follows it.
#[derive(Debug, Clone, Copy)]
pub struct Pattern {
    /// What it is, for people.
    pub name: &'static str,
    /// How it begins.
    pub prefix: &'static str,
    /// Its characters after that.
    pub characters: Characters,
    /// How many of them there are at least.
    pub min: usize,
    /// And at most: a longer value is something else.
    pub max: usize,
    /// Whether the prefix is so short that it must begin a word.
    pub begins_word: bool,
}

const ANY: usize = usize::MAX;

const fn pattern(
    name: &'static str,
    prefix: &'static str,
    characters: Characters,
    min: usize,
    max: usize,
) -> Pattern {
    Pattern { name, prefix, characters, min, max, begins_word: false }
}

const fn word(
    name: &'static str,
    prefix: &'static str,
    characters: Characters,
    min: usize,
    max: usize,
) -> Pattern {
    Pattern { name, prefix, characters, min, max, begins_word: true }
}

use Characters::{Alphanumeric, Base32, Base64, Dotted, Hex, Word};

/// All patterns. If two match, the first one counts.
#[rustfmt::skip]
pub const PATTERNS: &[Pattern] = &[
    pattern("Anthropic key", "sk-ant-", Word, 20, ANY),
    pattern("OpenAI key", "sk-proj-", Word, 20, ANY),
    pattern("OpenAI key", "sk-svcacct-", Word, 20, ANY),
    pattern("OpenAI key", "sk-admin-", Word, 20, ANY),
    pattern("OpenRouter key", "sk-or-v1-", Hex, 64, 64),
    word("API key", "sk-", Alphanumeric, 32, 64),
    pattern("Google API key", "AIza", Word, 35, 35),
    pattern("Google client secret", "GOCSPX-", Word, 28, 28),
    word("Google access token", "ya29.", Word, 30, ANY),
    pattern("AWS access key", "AKIA", Base32, 16, 16),
    pattern("AWS access key", "ASIA", Base32, 16, 16),
    pattern("AWS access key", "ABIA", Base32, 16, 16),
    pattern("AWS access key", "ACCA", Base32, 16, 16),
    word("Amazon Bedrock key", "ABSK", Base64, 109, 271),
    pattern("GitHub token", "ghp_", Alphanumeric, 36, 255),
    pattern("GitHub token", "gho_", Alphanumeric, 36, 255),
    pattern("GitHub token", "ghu_", Alphanumeric, 36, 255),
    pattern("GitHub token", "ghs_", Alphanumeric, 36, 255),
    pattern("GitHub token", "ghr_", Alphanumeric, 36, 255),
    pattern("GitHub token", "github_pat_", Word, 60, 255),
    pattern("GitLab token", "glpat-", Dotted, 20, 330),
    pattern("GitLab token", "gldt-", Word, 20, 330),
    pattern("GitLab token", "glrt-", Dotted, 20, 330),
    pattern("GitLab token", "glptt-", Word, 40, 330),
    pattern("GitLab token", "glcbt-", Word, 20, 330),
    pattern("Slack token", "xoxb-", Word, 20, ANY),
    pattern("Slack token", "xoxp-", Word, 20, ANY),
    pattern("Slack token", "xoxa-", Word, 20, ANY),
    pattern("Slack token", "xoxr-", Word, 20, ANY),
    pattern("Slack token", "xoxs-", Word, 20, ANY),
    pattern("Slack token", "xoxe-", Word, 20, ANY),
    pattern("Slack token", "xoxe.xoxb-", Word, 20, ANY),
    pattern("Slack token", "xoxe.xoxp-", Word, 20, ANY),
    pattern("Slack token", "xapp-", Word, 20, ANY),
    pattern("Slack webhook", "hooks.slack.com/services/", Base64, 40, 60),
    pattern("Slack webhook", "hooks.slack.com/workflows/", Base64, 40, 80),
    pattern("Slack webhook", "hooks.slack.com/triggers/", Base64, 40, 80),
    pattern("Stripe key", "sk_live_", Alphanumeric, 16, 255),
    pattern("Stripe key", "sk_test_", Alphanumeric, 16, 255),
    pattern("Stripe key", "rk_live_", Alphanumeric, 16, 255),
    pattern("Stripe key", "rk_test_", Alphanumeric, 16, 255),
    word("Stripe webhook secret", "whsec_", Base64, 32, 80),
    word("npm token", "npm_", Alphanumeric, 36, 36),
    pattern("PyPI token", "pypi-AgE", Word, 50, 2000),
    word("RubyGems key", "rubygems_", Hex, 48, 48),
    word("Docker token", "dckr_pat_", Word, 27, 40),
    word("Hugging Face token", "hf_", Alphanumeric, 34, 40),
    word("Groq key", "gsk_", Alphanumeric, 52, 52),
    word("xAI key", "xai-", Alphanumeric, 80, 80),
    word("Perplexity key", "pplx-", Alphanumeric, 48, 48),
    word("Replicate token", "r8_", Alphanumeric, 37, 37),
    word("SendGrid key", "SG.", Dotted, 66, 66),
    word("DigitalOcean token", "dop_v1_", Hex, 64, 64),
    word("DigitalOcean token", "doo_v1_", Hex, 64, 64),
    word("DigitalOcean token", "dor_v1_", Hex, 64, 64),
    word("Databricks token", "dapi", Hex, 32, 32),
    word("Heroku key", "HRKU-AA", Word, 58, 58),
    word("Shopify token", "shpat_", Hex, 32, 32),
    word("Shopify token", "shpca_", Hex, 32, 32),
    word("Shopify token", "shppa_", Hex, 32, 32),
    word("Shopify secret", "shpss_", Hex, 32, 32),
    word("Linear key", "lin_api_", Alphanumeric, 40, 40),
    word("Notion token", "ntn_", Alphanumeric, 46, 46),
    word("Atlassian token", "ATATT3", Dotted, 186, 186),
    word("Vault token", "hvs.", Word, 90, 300),
    word("Vault token", "hvb.", Word, 138, 300),
    word("Doppler token", "dp.pt.", Alphanumeric, 43, 43),
    word("Postman key", "PMAK-", Word, 59, 59),
    word("PlanetScale token", "pscale_tkn_", Dotted, 32, 64),
    word("PlanetScale token", "pscale_oauth_", Dotted, 32, 64),
    word("PlanetScale password", "pscale_pw_", Dotted, 32, 64),
    word("Fly.io token", "fo1_", Word, 43, 43),
    word("Fly.io token", "fm2_", Base64, 100, ANY),
    word("Grafana token", "glsa_", Word, 41, 41),
    word("Grafana token", "glc_", Base64, 32, 400),
    word("Sentry token", "sntrys_", Base64, 60, 500),
    word("Sentry token", "sntryu_", Hex, 64, 64),
    word("New Relic key", "NRAK-", Alphanumeric, 27, 27),
    word("Twilio key", "SK", Hex, 32, 32),
    word("1Password token", "ops_eyJ", Base64, 250, ANY),
    word("age key", "AGE-SECRET-KEY-1", Alphanumeric, 58, 58),
];
