use super::*;

fn matches(pattern: &str, name: &str) -> bool {
    Pattern::new(pattern).unwrap().matches(name)
}

#[test]
fn special_characters_match() {
    for (pattern, names) in [
        ("*.md", &["a.md", ".md", "中.md"][..]),
        ("a*b*c", &["abc", "a1b2c", "abbc"]),
        ("?.md", &["a.md", "😀.md"]),
        ("[a-c].md", &["a.md", "b.md", "c.md"]),
        ("[!a-c].md", &["d.md", "-.md"]),
        ("[^a].md", &["b.md"]),
        ("[]a].md", &["].md", "a.md"]),
        ("[a-]x", &["ax", "-x"]),
        ("{a,b}.md", &["a.md", "b.md"]),
        ("{a,b{c,d}}e", &["ae", "bce", "bde"]),
        ("{,a}b", &["b", "ab"]),
        ("{a}", &["a"]),
        ("a,b}", &["a,b}"]),
        ("{[,}],x}", &[",", "}", "x"]),
        ("**", &["a", "a/b/c", ""]),
        ("**/a", &["a", "x/a", "x/y/a"]),
        ("a/**", &["a/b", "a/b/c"]),
        ("a/**/b", &["a/b", "a/x/b", "a/x/y/b"]),
        ("**/**/b", &["b", "x/b", "x/y/b"]),
        ("{a,**/b}", &["a", "b", "x/y/b"]),
        ("{x,{a,**/b}}", &["x", "a", "b", "x/y/b"]),
        ("a/{b/**,c}/d", &["a/b/x/d", "a/b/x/y/d", "a/c/d"]),
        ("a**b", &["ab", "axb"]),
        ("***", &["a"]),
    ] {
        for name in names {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
    }
    #[cfg(not(windows))]
    assert!(matches("\\*\\{[\\]]\\", "*{]\\"));
}

#[test]
fn names_that_do_not_match() {
    for (pattern, names) in [
        ("*.md", &["a.txt", "a/b.md", "a.md.bak"][..]),
        ("a?c", &["a/c", "ac", "abbc"]),
        ("[a-c]", &["d", "/", "", "ab"]),
        ("[!a]", &["a", "/"]),
        ("[z-a]", &["a", "m", "z"]),
        ("{a,b}", &["c", "ab", "{a,b}"]),
        ("**/a", &["ba", "a/b"]),
        ("a/**", &["a", "b/a/c"]),
        ("a**b", &["a/b"]),
        ("***", &["a/b"]),
        ("", &["a"]),
    ] {
        for name in names {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}

#[test]
fn an_invalid_pattern_is_an_error_with_a_reason() {
    for (pattern, why) in [
        ("!draft*.md", "a leading ! does not exclude files: list the files that are wanted"),
        ("{a,b", "the pattern has a { that is not closed"),
        ("a/[b", "the pattern has a [ that is not closed"),
        ("[]", "the pattern has a [ that is not closed"),
    ] {
        assert_eq!(Pattern::new(pattern).unwrap_err(), why);
    }
    assert!(Pattern::new(&"*".repeat(1001)).unwrap_err().contains("longer than 1000 bytes"));
    assert!(Pattern::new("a!b").is_ok());
}

#[test]
fn alternatives_do_not_backtrack() {
    // With backtracking, each of these would take exponential time.
    let name = "a".repeat(255);
    for pattern in [
        format!("{}*b", "{a,a,a,a,a,a,a,a}".repeat(10)),
        format!("{}b", "*a".repeat(300)),
        format!("{}b", "{*,*}".repeat(190)),
        format!("{}b", "{a,{a,{a,*}}}".repeat(70)),
        format!("{}b", "**/".repeat(300)),
        format!("{}b{}", "{a,".repeat(240), "}".repeat(240)),
    ] {
        assert!(!matches(&pattern, &name), "{pattern}");
    }
}

/// Matches by brute force, following the documented rules. For short patterns only.
fn naive(pattern: &[char], name: &[char]) -> bool {
    match pattern {
        [] => name.is_empty(),
        ['*', rest @ ..] => {
            naive(rest, name) || matches!(name, [c, ..] if *c != '/') && naive(pattern, &name[1..])
        }
        ['?', rest @ ..] => matches!(name, [c, ..] if *c != '/') && naive(rest, &name[1..]),
        ['{', rest @ ..] => {
            let close = rest.iter().position(|c| *c == '}').unwrap();
            let (inner, rest) = (&rest[..close], &rest[close + 1..]);
            inner.split(|c| *c == ',').any(|one| naive(&[one, rest].concat(), name))
        }
        [c, rest @ ..] => name.first() == Some(c) && naive(rest, &name[1..]),
    }
}

#[test]
fn results_equal_those_of_brute_force() {
    let pieces = ["a", "b", "/", "*", "?", "{a,b}", "{a*,}", "{b/,a?}"];
    let names = ["", "a", "b", "ab", "aa", "a/b", "b/a", "ab/a", "aab", "b/ab", "abab"];
    for code in 0..pieces.len().pow(4) {
        let piece = |place: u32| pieces[code / pieces.len().pow(place) % pieces.len()];
        let pattern = [piece(0), piece(1), piece(2), piece(3)].concat();
        // Two stars have another meaning.
        if pattern.contains("**") {
            continue;
        }
        let compiled = Pattern::new(&pattern).unwrap();
        let chars: Vec<char> = pattern.chars().collect();
        for name in names {
            let expected = naive(&chars, &name.chars().collect::<Vec<_>>());
            assert_eq!(compiled.matches(name), expected, "{pattern} {name}");
        }
    }
}

#[test]
fn a_name_can_be_matched_in_parts() {
    let pattern = Pattern::new("a/*/c{.md,/**}").unwrap();
    let start = pattern.start();
    let after = |states: &States, text| {
        let states = pattern.after(states, text, &mut 1000).unwrap();
        let is_match = pattern.is_match(&states);
        (states, is_match)
    };
    let (directory, is_match) = after(&start, "a/");
    assert!(!directory.is_dead() && !is_match);
    let (below, _) = after(&directory, "b/");
    assert!(after(&below, "c.md").1);
    assert!(after(&start, "b").0.is_dead());
    assert!(after(&below, "d").0.is_dead());
}

#[test]
fn matching_stops_when_the_work_limit_is_reached() {
    let pattern = Pattern::new(&"{*,*}".repeat(100)).unwrap();
    assert!(pattern.after(&pattern.start(), &"a".repeat(100), &mut 1000).is_none());
}
