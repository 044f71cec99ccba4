use super::*;

/// A value that the pattern matches, with a body of this length.
fn value(pattern: &Pattern, length: usize) -> String {
    let all = "aB3dE5fG7hJ9kLmN2pQrS4tUvW6xYz8A";
    let characters: Vec<char> =
        all.chars().filter(|one| pattern.characters.has(*one as u8)).collect();
    let is_dot = |nth: usize| pattern.dot_at > 0 && nth == pattern.dot_at;
    let body =
        (0..length).map(|nth| if is_dot(nth) { '.' } else { characters[nth % characters.len()] });
    [pattern.prefix.to_owned(), body.collect()].concat()
}

#[test]
fn every_kind_of_value_is_replaced_in_every_context() {
    for pattern in PATTERNS {
        let max = pattern.max.min(pattern.min + 40);
        for secret in [value(pattern, pattern.min), value(pattern, max)] {
            for (before, after) in [
                ("", ""),
                ("key=", "\n"),
                ("\"", "\","),
                ("echo\\n", "\\nls"),
                ("\u{1b}[1;32m", "\u{1b}[0m"),
                ("\\u001b[32m", " 词"),
                ("Bearer%20", "&"),
                ("token\\u003d", "\\u0026"),
                ("https://", "@example.com"),
                ("é", "。"),
            ] {
                let text = [before, &secret, after].concat();
                let redacted = redact(&text).unwrap_or_default();
                assert!(!redacted.text.contains(&secret[pattern.prefix.len()..]), "{text}");
                assert!(redacted.text.starts_with(before) && redacted.text.ends_with(after));
                let marks: usize = redacted.marks.iter().map(ExactSizeIterator::len).sum();
                assert_eq!(redacted.text.len() - marks + redacted.secret_bytes, text.len());
            }
        }
    }
}

#[test]
fn shorter_and_longer_values_are_kept() {
    for pattern in PATTERNS.iter().filter(|pattern| pattern.name != "API key") {
        let short = value(pattern, pattern.min - 1);
        assert_eq!(redact(&short), None, "{short}");
    }
    let long = "AKIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    assert_eq!(redact(long), None);
    assert_eq!(redact("task-abcdefghijklmnopqrstuvwxyzabcdefghijk"), None);
}

#[test]
fn private_keys_and_tokens_are_replaced() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n".repeat(4);
    let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----");
    let mark = "[redacted: private key]";
    let text_of = |text: &str| redact(text).map(|redacted| redacted.text).unwrap_or_default();
    assert_eq!(text_of(&format!("a {key} b")), format!("a {mark} b"));
    assert_eq!(text_of(&key.replace('\n', "\\n")), mark);
    assert_eq!(text_of(&format!("{key}\n{key}")), format!("{mark}\n{mark}"));
    let cut = &key[..key.len() - 60];
    assert_eq!(text_of(&format!("{cut} and so on")), format!("{mark} and so on"));
    let encrypted = key.replacen('\n', "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n", 1);
    assert_eq!(text_of(&encrypted), mark);
    assert_eq!(redact("-----BEGIN PRIVATE KEY----- begins a key."), None);
    assert_eq!(redact(&key.replace("PRIVATE", "PUBLIC")), None);
    let part = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9";
    let token = format!("{part}.{part}.SflKxwRJSMeKKF2QT4fwpMeJf36POk6y");
    assert_eq!(text_of(&format!("Bearer {token};")), "Bearer [redacted: JSON Web Token];");
    assert_eq!(redact(&format!("{part}.{part}")), None);
    let short = format!("{part}.eyJhIjoxfQ.SflKxwRJSM");
    assert_eq!(text_of(&format!("Bearer%20{short}")), "Bearer%20[redacted: JSON Web Token]");
    assert_eq!(text_of(&format!("{part}.e30.SflKxwRJSM")), "[redacted: JSON Web Token]");
    let of_app = format!("ghs_123456_{token}");
    assert_eq!(text_of(&of_app), "[redacted: GitHub token]");
    let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
    for name in
        ["aws_secret_access_key = ", "AWS_SECRET_ACCESS_KEY=\"", "SecretAccessKey\\\": \\\""]
    {
        assert_eq!(
            text_of(&format!("{name}{secret}\"")),
            format!("{name}[redacted: AWS secret key]\"")
        );
    }
}

/// Examples in the published formats of providers, each with what stays of it. In pieces, so that
/// scanners of secrets ignore this file.
#[test]
fn published_formats_are_replaced() {
    let all = |of: &str, length: usize| of.chars().cycle().take(length).collect::<String>();
    let hex = |length| all("0a1b2c3d4e5f6789", length);
    let word = |length| all("aB3dE5fG7hJ9kLmN2pQrS4tUvW6xYz8A", length);
    let base = |length| all("aB3dE5+G7hJ9/LmN2pQrS4tUvW6xYz8A", length);
    let number = |length| all("1928374650", length);
    let token = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOjF9.c2lnbmF0dXJl";
    let key = word(36);
    for (name, value) in [
        ("GitHub token", format!("ghs_{}_{token}", number(7))),
        ("JSON Web Token", token.to_owned()),
        ("Slack token", format!("xoxc-{}-{}-{}", number(12), number(13), hex(64))),
        ("Slack token", format!("xoxd-{}%2B{}%2F{}%3D", word(40), word(40), word(60))),
        ("GitLab token", format!("gloas-{}", hex(64))),
        ("GitLab token", format!("glsoat-{}", word(20))),
        ("GitLab token", format!("glft-{}", word(20))),
        ("GitLab token", format!("glagent-{}", word(50))),
        ("Azure secret", format!("aB3{}Q~{}", 8, word(34))),
        ("Google refresh token", format!("1//0{}-{}_{}", word(20), word(40), word(20))),
        ("Docker token", format!("dckr_oat_{}", word(32))),
        ("Terraform token", format!("{}.atlasv1.{}", word(14), word(67))),
        ("NVIDIA key", format!("nvapi-{}-{}_{}", word(20), word(21), word(21))),
        ("Supabase token", format!("sbp_{}", hex(40))),
        ("Supabase token", format!("sbp_oauth_{}", hex(40))),
        ("Supabase key", format!("sb_secret_{}_{}", word(22), word(8))),
        ("Figma token", format!("figd_{}-{}", word(19), word(20))),
        ("Airtable token", format!("pat{}.{}", word(14), hex(64))),
        ("Netlify token", format!("nfp_{}", word(36))),
        ("Pinecone key", format!("pcsk_{}_{}", word(5), word(63))),
        ("LangSmith key", format!("lsv2_pt_{}_{}", hex(32), hex(10))),
        ("LangSmith key", format!("lsv2_sk_{}_{}", hex(32), hex(10))),
        ("Brevo key", format!("xkeysib-{}-{}", hex(64), word(16))),
        ("Brevo key", format!("xsmtpsib-{}-{}", hex(64), word(16))),
        ("Square token", format!("EAAA{}", word(60))),
        ("Square token", format!("sq0atp-{}", word(22))),
        ("Square secret", format!("sq0csp-{}", word(43))),
        ("SonarQube token", format!("squ_{}", hex(40))),
        ("SonarQube token", format!("sqp_{}", hex(40))),
        ("SonarQube token", format!("sqa_{}", hex(40))),
        ("Dynatrace token", format!("dt0c01.{}.{}", word(24), word(64))),
        ("Linear token", format!("lin_oauth_{}", hex(64))),
        ("Doppler token", format!("dp.pt.{}", word(43))),
        ("Doppler token", format!("dp.st.dev_personal.{}", word(43))),
        ("Bitbucket token", format!("ATCTT3x{}={}", word(168), all("0123ABCD", 8))),
        ("Bitbucket password", format!("ATBB{}", word(32))),
        ("ClickHouse key", format!("4b1d{}", word(38))),
    ] {
        for (before, after) in [("Bearer%20", ""), ("token\\u003d", "\\u0026"), ("x: '", "',")] {
            let redacted = redact(&[before, &value, after].concat()).unwrap_or_default();
            assert_eq!(redacted.text, format!("{before}[redacted: {name}]{after}"), "{value}");
        }
    }
    for (text, kept) in [
        (
            format!("bot{}:AA{}/", number(10), word(33)),
            format!("bot{}:[redacted: Telegram token]/", number(10)),
        ),
        (
            format!("AccountKey={}==;", base(86)),
            "AccountKey=[redacted: Azure storage key];".to_owned(),
        ),
        (format!("?t=ghp_{key}"), "?t=[redacted: GitHub token]".to_owned()),
    ] {
        assert_eq!(redact(&text).unwrap_or_default().text, kept, "{text}");
    }
}

#[test]
fn values_around_an_infix_are_replaced() {
    let text_of = |text: &str| redact(text).map(|redacted| redacted.text).unwrap_or_default();
    let word = |length: usize| {
        "aB3dE5fG7hJ9kLmN2pQrS4tUvW6xYz8A".chars().cycle().take(length).collect::<String>()
    };
    let azure = format!("k8x8Q~{}", word(33));
    assert_eq!(text_of(&format!("secret: \"{azure}\"")), "secret: \"[redacted: Azure secret]\"");
    let terraform = format!("{}.atlasv1.{}", word(14), word(67));
    assert_eq!(text_of(&format!("{terraform}.")), "[redacted: Terraform token].");
    let telegram = format!("123456789:AA{}", word(33));
    assert_eq!(
        text_of(&format!("/bot{telegram}/getMe")),
        "/bot123456789:[redacted: Telegram token]/getMe"
    );
    let storage = format!("AccountName=a;AccountKey={}==;EndpointSuffix", word(86));
    assert_eq!(
        text_of(&storage),
        "AccountName=a;AccountKey=[redacted: Azure storage key];EndpointSuffix"
    );
    for kept in ["12:AM", "20261119:A", "Q~", "a.atlasv1.b", "accountkey = name"] {
        assert_eq!(redact(kept), None, "{kept}");
    }
    // A value never reaches back into one that was replaced before it.
    let key = format!("ghp_{}", word(36));
    assert_eq!(text_of(&format!("{key}Q~{}", word(33))).matches("[redacted").count(), 1);
}

#[test]
fn the_cost_is_linear_for_any_text() {
    // A quadratic search would take minutes.
    let size = 1 << 17;
    for piece in [
        "sk-",
        "sk-ant-",
        "AKIA",
        "eyJ",
        "eyJ.",
        "eyJa-",
        "-----BEGIN PRIVATE KEY-----",
        "-",
        "-----",
        "-----BEGIN ",
        "secret_key",
        "secret_key=",
        "ghp_",
        "xoxb-",
        "\u{1b}[",
        "\u{1b}[0;0;0;0m",
        "SG.",
        "glpat-",
        "00000000:A",
        "aaaaQ~",
        ".atlasv1.",
        "accountkey=",
        "ghs_eyJ.",
        "xoxd-%",
    ] {
        redact(&piece.repeat(size / piece.len()));
        redact(&[piece, &"a".repeat(size), piece].concat());
    }
}
