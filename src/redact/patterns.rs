//! What keys and tokens of providers look like, as data.
//!
//! Source: the prefixes, lengths and characters in the rules of gitleaks (`config/gitleaks.toml`,
//! commit b58d3f1 of 2026-07-22, read on 2026-11-18), which name the providers' own descriptions.
//! `scripts/redact/compare.mjs` lists what a newer version has and this list lacks. Kinds that it does
//! not have are from the providers' own pages. Lengths are given as ranges where providers have
//! changed them.

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
    /// Digits.
    Digits,
    /// Letters, digits, `_`, `-`, `.` and `~`.
    Tilde,
    /// What Base64 has, and `%`.
    Percent,
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
            Characters::Digits => byte.is_ascii_digit(),
            Characters::Tilde => Characters::Word.has(byte) || matches!(byte, b'.' | b'~'),
            Characters::Percent => Characters::Base64.has(byte) || byte == b'%',
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
    /// After how many characters there is a full stop; 0 if anywhere or nowhere.
    pub dot_at: usize,
}

const ANY: usize = usize::MAX;

const fn pattern(
    name: &'static str,
    prefix: &'static str,
    characters: Characters,
    min: usize,
    max: usize,
) -> Pattern {
    Pattern { name, prefix, characters, min, max, begins_word: false, dot_at: 0 }
}

const fn word(
    name: &'static str,
    prefix: &'static str,
    characters: Characters,
    min: usize,
    max: usize,
) -> Pattern {
    Pattern { name, prefix, characters, min, max, begins_word: true, dot_at: 0 }
}

/// A value of two pieces, this many characters long, with a full stop between them.
const fn pieces(name: &'static str, prefix: &'static str, first: usize, second: usize) -> Pattern {
    let length = first + 1 + second;
    Pattern { dot_at: first, ..word(name, prefix, Characters::Dotted, length, length) }
}

/// A value that is recognised only by the name before it. The name stays.
#[derive(Debug, Clone, Copy)]
pub struct NamedValue {
    /// What it is, for people.
    pub name: &'static str,
    /// The names, in small letters.
    pub names: &'static [&'static str],
    /// Its characters.
    pub characters: Characters,
    /// How many of them there are.
    pub length: usize,
}

/// All of these.
pub const NAMED: [NamedValue; 2] = [
    NamedValue {
        name: "AWS secret key",
        names: &["secret_access_key", "secretaccesskey", "secret_key", "secretkey"],
        characters: Characters::Base64,
        length: 40,
    },
    NamedValue {
        name: "Azure storage key",
        names: &["accountkey", "account_key", "storage_key", "storagekey"],
        characters: Characters::Base64,
        length: 88,
    },
];

/// A value that is recognised by something inside it.
#[derive(Debug, Clone, Copy)]
pub struct Infix {
    /// What it is, for people.
    pub name: &'static str,
    /// What is inside.
    pub text: &'static str,
    /// The characters before it, and how many.
    pub before: (Characters, usize),
    /// Whether those before it are replaced as well.
    pub replaces_before: bool,
    /// The characters after it, and how many at least and at most.
    pub after: (Characters, usize, usize),
}

/// All of these.
pub const INFIXES: [Infix; 3] = [
    Infix {
        name: "Terraform token",
        text: ".atlasv1.",
        before: (Characters::Alphanumeric, 14),
        replaces_before: true,
        after: (Characters::Dotted, 60, 70),
    },
    Infix {
        name: "Azure secret",
        text: "Q~",
        before: (Characters::Tilde, 4),
        replaces_before: true,
        after: (Characters::Tilde, 31, 34),
    },
    // The number before it is the bot's, which is public.
    Infix {
        name: "Telegram token",
        text: ":A",
        before: (Characters::Digits, 8),
        replaces_before: false,
        after: (Characters::Word, 34, 34),
    },
];

use Characters::{Alphanumeric, Base32, Base64, Dotted, Hex, Percent, Word};

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
    word("Google refresh token", "1//0", Word, 40, ANY),
    pattern("AWS access key", "AKIA", Base32, 16, 16),
    pattern("AWS access key", "ASIA", Base32, 16, 16),
    pattern("AWS access key", "ABIA", Base32, 16, 16),
    pattern("AWS access key", "ACCA", Base32, 16, 16),
    word("Amazon Bedrock key", "ABSK", Base64, 109, 271),
    pattern("Amazon Bedrock key", "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t", Base64, 20, ANY),
    pattern("GitHub token", "ghp_", Alphanumeric, 36, 255),
    pattern("GitHub token", "gho_", Alphanumeric, 36, 255),
    pattern("GitHub token", "ghu_", Alphanumeric, 36, 255),
    // Since 2026 those of apps hold a JSON Web Token.
    pattern("GitHub token", "ghs_", Dotted, 36, ANY),
    pattern("GitHub token", "ghr_", Alphanumeric, 36, 255),
    pattern("GitHub token", "github_pat_", Word, 60, 255),
    pattern("GitLab token", "glpat-", Dotted, 20, 330),
    pattern("GitLab token", "gldt-", Word, 20, 330),
    pattern("GitLab token", "glrt-", Dotted, 20, 330),
    pattern("GitLab token", "glptt-", Word, 40, 330),
    pattern("GitLab token", "glcbt-", Word, 20, 330),
    pattern("GitLab token", "glft-", Word, 20, 330),
    pattern("GitLab token", "glffct-", Word, 20, 330),
    pattern("GitLab token", "glimt-", Word, 25, 330),
    pattern("GitLab token", "glagent-", Word, 50, 330),
    pattern("GitLab token", "gloas-", Word, 64, 330),
    pattern("GitLab token", "glsoat-", Word, 20, 330),
    pattern("GitLab token", "GR1348941", Word, 20, 20),
    pattern("GitLab session", "_gitlab_session=", Alphanumeric, 32, 32),
    pattern("Slack token", "xoxb-", Word, 20, ANY),
    pattern("Slack token", "xoxp-", Word, 20, ANY),
    pattern("Slack token", "xoxa-", Word, 20, ANY),
    pattern("Slack token", "xoxr-", Word, 20, ANY),
    pattern("Slack token", "xoxs-", Word, 20, ANY),
    pattern("Slack token", "xoxc-", Word, 20, ANY),
    pattern("Slack token", "xoxd-", Percent, 20, ANY),
    pattern("Slack token", "xoxo-", Word, 20, ANY),
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
    pattern("Stripe key", "sk_prod_", Alphanumeric, 16, 255),
    pattern("Stripe key", "rk_prod_", Alphanumeric, 16, 255),
    word("Stripe webhook secret", "whsec_", Base64, 32, 80),
    word("npm token", "npm_", Alphanumeric, 36, 36),
    pattern("PyPI token", "pypi-AgE", Word, 50, 2000),
    word("RubyGems key", "rubygems_", Hex, 48, 48),
    word("Docker token", "dckr_pat_", Word, 27, 40),
    word("Docker token", "dckr_oat_", Word, 27, 40),
    word("Hugging Face token", "hf_", Alphanumeric, 34, 40),
    word("Hugging Face token", "api_org_", Alphanumeric, 34, 40),
    word("Groq key", "gsk_", Alphanumeric, 52, 52),
    word("xAI key", "xai-", Alphanumeric, 80, 80),
    word("Perplexity key", "pplx-", Alphanumeric, 48, 48),
    word("Replicate token", "r8_", Alphanumeric, 37, 37),
    pieces("SendGrid key", "SG.", 22, 43),
    word("Brevo key", "xkeysib-", Word, 81, 81),
    word("Brevo key", "xsmtpsib-", Word, 81, 81),
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
    word("Linear token", "lin_oauth_", Alphanumeric, 32, 64),
    word("Notion token", "ntn_", Alphanumeric, 46, 46),
    word("Atlassian token", "ATATT3", Dotted, 186, 186),
    word("Bitbucket token", "ATCTT3", Dotted, 160, 200),
    word("Bitbucket password", "ATBB", Alphanumeric, 32, 32),
    word("Vault token", "hvs.", Word, 90, 300),
    word("Vault token", "hvb.", Word, 138, 300),
    word("Doppler token", "dp.pt.", Alphanumeric, 40, 44),
    word("Doppler token", "dp.ct.", Alphanumeric, 40, 44),
    word("Doppler token", "dp.sa.", Alphanumeric, 40, 44),
    word("Doppler token", "dp.said.", Alphanumeric, 40, 44),
    word("Doppler token", "dp.scim.", Alphanumeric, 40, 44),
    word("Doppler token", "dp.audit.", Alphanumeric, 40, 44),
    // The name of an environment may stand before the key.
    word("Doppler token", "dp.st.", Dotted, 40, 80),
    word("Postman key", "PMAK-", Word, 59, 59),
    word("PlanetScale token", "pscale_tkn_", Dotted, 32, 64),
    word("PlanetScale token", "pscale_oauth_", Dotted, 32, 64),
    word("PlanetScale password", "pscale_pw_", Dotted, 32, 64),
    word("Fly.io token", "fo1_", Word, 43, 43),
    word("Fly.io token", "fm2_", Base64, 100, ANY),
    word("Fly.io token", "fm1a_", Base64, 100, ANY),
    word("Fly.io token", "fm1r_", Base64, 100, ANY),
    word("Grafana token", "glsa_", Word, 41, 41),
    word("Grafana key", "eyJrIjoi", Alphanumeric, 70, 400),
    word("Grafana token", "glc_", Base64, 32, 400),
    word("Sentry token", "sntrys_", Base64, 60, 500),
    word("Sentry token", "sntryu_", Hex, 64, 64),
    word("New Relic key", "NRAK-", Alphanumeric, 27, 27),
    word("Twilio key", "SK", Hex, 32, 32),
    word("1Password token", "ops_eyJ", Base64, 250, ANY),
    word("1Password key", "A3-", Word, 35, 36),
    word("age key", "AGE-SECRET-KEY-1", Alphanumeric, 58, 58),
    word("NVIDIA key", "nvapi-", Word, 60, 80),
    word("Supabase token", "sbp_", Hex, 40, 40),
    word("Supabase token", "sbp_oauth_", Hex, 40, 40),
    word("Supabase key", "sb_secret_", Word, 20, 64),
    word("Figma token", "figd_", Word, 40, 48),
    word("Figma token", "figu_", Word, 40, 48),
    pieces("Airtable token", "pat", 14, 64),
    word("Netlify token", "nfp_", Alphanumeric, 36, 44),
    word("Pinecone key", "pcsk_", Word, 60, 80),
    word("LangSmith key", "lsv2_pt_", Word, 43, 43),
    word("LangSmith key", "lsv2_sk_", Word, 43, 43),
    word("Square token", "EAAA", Word, 60, 60),
    word("Square token", "sq0atp-", Word, 22, 60),
    word("Square secret", "sq0csp-", Word, 43, 60),
    word("SonarQube token", "squ_", Hex, 40, 40),
    word("SonarQube token", "sqp_", Hex, 40, 40),
    word("SonarQube token", "sqa_", Hex, 40, 40),
    pieces("Dynatrace token", "dt0c01.", 24, 64),
    pieces("Dynatrace token", "dt0s01.", 24, 64),
    word("Adobe secret", "p8e-", Alphanumeric, 32, 32),
    word("Alibaba key", "LTAI", Alphanumeric, 20, 20),
    word("Artifactory key", "AKCp", Alphanumeric, 69, 69),
    word("Artifactory token", "cmVmd", Alphanumeric, 59, 59),
    word("42 secret", "s-s4t2ud-", Hex, 64, 64),
    word("42 secret", "s-s4t2af-", Hex, 64, 64),
    word("ClickHouse key", "4b1d", Alphanumeric, 38, 38),
    word("Clojars token", "CLOJARS_", Alphanumeric, 60, 60),
    word("Cloudflare key", "v1.0-", Word, 171, 171),
    word("Duffel token", "duffel_live_", Dotted, 43, 43),
    word("Duffel token", "duffel_test_", Dotted, 43, 43),
    word("EasyPost token", "EZAK", Alphanumeric, 54, 54),
    word("EasyPost token", "EZTK", Alphanumeric, 54, 54),
    word("Flutterwave key", "FLWSECK_TEST-", Word, 12, 34),
    word("Frame.io token", "fio-u-", Dotted, 64, 64),
    word("Infracost key", "ico-", Alphanumeric, 32, 32),
    word("Octopus key", "API-", Alphanumeric, 26, 26),
    word("OpenShift token", "sha256~", Word, 43, 43),
    word("Prefect token", "pnu_", Alphanumeric, 36, 36),
    word("Pulumi token", "pul-", Hex, 40, 40),
    word("ReadMe token", "rdme_", Alphanumeric, 70, 70),
    word("Scalingo token", "tk-us-", Word, 48, 48),
    word("Shippo token", "shippo_live_", Hex, 40, 40),
    word("Shippo token", "shippo_test_", Hex, 40, 40),
    word("Sourcegraph token", "sgp_", Word, 40, 57),
    word("SettleMint token", "sm_aat_", Alphanumeric, 16, 16),
    word("SettleMint token", "sm_pat_", Alphanumeric, 16, 16),
    word("SettleMint token", "sm_sat_", Alphanumeric, 16, 16),
];
