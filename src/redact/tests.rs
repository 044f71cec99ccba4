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
