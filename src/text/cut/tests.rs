use super::*;
use unicode_segmentation::UnicodeSegmentation;

const FAMILY: &str = "👨‍👩‍👧‍👦";
const FLAG: &str = "🇨🇳";
const HANGUL: &str = "각";

#[test]
fn head_never_splits_a_grapheme() {
    for whole in [FAMILY, FLAG, HANGUL, "\r\n", "e\u{301}", "👍🏽", "क्षि"] {
        let text = format!("a{whole}b");
        for max in 1..=whole.len() {
            assert_eq!(head(&text, max), "a", "{whole:?} at {max}");
        }
        assert_eq!(head(&text, 1 + whole.len()), &text[..1 + whole.len()]);
    }
}

#[test]
fn head_utf16_counts_utf16_units_and_never_splits_a_grapheme() {
    for (text, max_units, expected) in [
        ("", 0, ""),
        ("ab", 0, ""),
        ("abc", 3, "abc"),
        ("abcd", 3, "abc"),
        ("ab", usize::MAX, "ab"),
        ("中文字", 2, "中文"),
        ("a😀b", 2, "a"),
        ("a😀b", 3, "a😀"),
        ("a👍🏽b", 4, "a"),
        ("a👍🏽b", 5, "a👍🏽"),
        ("e\u{301}x", 1, ""),
    ] {
        assert_eq!(head_utf16(text, max_units), expected, "{text:?} at {max_units}");
    }
}

#[test]
fn tail_never_splits_a_grapheme() {
    for whole in [FAMILY, FLAG, HANGUL, "\r\n", "e\u{301}", "👍🏽"] {
        let text = format!("a{whole}b");
        for max in 1..=whole.len() {
            assert_eq!(tail(&text, max), "b", "{whole:?} at {max}");
        }
        assert_eq!(tail(&text, 1 + whole.len()), &text[1..]);
    }
}

#[test]
fn consecutive_flags_are_cut_between_flags() {
    let text = FLAG.repeat(50);
    for max in 0..text.len() {
        assert_eq!(head(&text, max).len(), max / 8 * 8);
        assert_eq!(tail(&text, max).len(), max / 8 * 8);
    }
}

#[test]
fn shortening_keeps_both_ends_and_counts_omitted_bytes() {
    let text = format!("begin {} end", "x".repeat(500));
    let short = shorten(&text, 100).unwrap();
    assert!(short.len() <= 100);
    let (head, rest) = short.split_once("\n[… ").unwrap();
    let (omitted, tail) = rest.split_once(" bytes omitted …]\n").unwrap();
    assert!(head.starts_with("begin "));
    assert!(tail.ends_with(" end"));
    let omitted: usize = omitted.parse().unwrap();
    assert_eq!(head.len() + omitted + tail.len(), text.len());
}

#[test]
fn a_shortened_copy_is_detected() {
    let text = format!("begin {} end", "x".repeat(500));
    for max in 80..=text.len() {
        assert_eq!(is_shortened(&shorten(&text, max).unwrap(), &text), max < text.len());
    }
    let other = text.replace("end", "END");
    assert!(!is_shortened(&shorten(&other, 100).unwrap(), &text));
    assert!(!is_shortened("begin", &text));
}

#[test]
fn every_cut_has_an_omission_line() {
    let text = "Please delete the file but do not touch the others. ".repeat(9);
    for max in 0..text.len() {
        match shorten(&text, max) {
            Some(short) => assert!(short.contains(" bytes omitted …]") && short.len() <= max),
            None => assert!(max < omission_line(text.len()).len() + MIN_AROUND_MARKER),
        }
    }
}

#[test]
fn a_text_of_one_grapheme_is_not_cut() {
    let zalgo = format!("e{}", "\u{301}".repeat(5000));
    for max in [0, 100, 5000, zalgo.len() - 1] {
        assert_eq!(shorten(&zalgo, max), None);
    }
    assert_eq!(least_cut(&zalgo, &zalgo, zalgo.len(), 0), None);
    assert_eq!(shorten(&zalgo, zalgo.len()).unwrap(), zalgo);
}

#[test]
fn the_least_cut_is_minimal() {
    let zalgo = |marks| format!("e{}", "\u{301}".repeat(marks));
    let texts = [
        "x".repeat(1500),
        format!("{FAMILY}{FLAG} 中文 e\u{301}\r\n{HANGUL}").repeat(20),
        format!("{}{}", zalgo(60), "x".repeat(900)),
        format!("{}{}", "x".repeat(900), zalgo(60)),
        format!("{}{}{}", zalgo(70), "x".repeat(900), zalgo(50)),
        zalgo(60).repeat(20),
        "short".to_owned(),
    ];
    for text in &texts {
        let graphemes = text.graphemes(true).map(str::len);
        let longest = graphemes.max().unwrap();
        for min in 0..text.len() {
            let Some(least) = least_cut(text, text, text.len(), min) else {
                assert!(text.len() < min.max(64) + 3 * longest, "{text:?} to {min}");
                continue;
            };
            let [head, omission, tail] = least.parts();
            assert!(text.starts_with(head) && text.ends_with(tail));
            let omitted = text.len() - head.len() - tail.len();
            assert_eq!(omission, omission_line(omitted));
            assert!(!head.is_empty() && !tail.is_empty() && omitted > 0);
            let bytes = least.bytes();
            assert!((min..text.len()).contains(&bytes), "{text:?} to {min}: {bytes}");
            // The number of omitted bytes may have more or fewer digits.
            assert!(bytes < min.max(64) + 2 + 2 * longest, "{text:?} to {min}: {bytes}");
            if longest == 1 && min > 100 {
                assert_eq!(bytes, min);
            }
            for max in 0..text.len() {
                let cut = least.or_more(max, |max| head_tail(text, max));
                assert_eq!(cut.is_some(), max >= bytes);
                assert!(cut.is_none_or(|cut| (bytes..=max).contains(&cut.bytes())));
                if max > bytes + 3 {
                    break;
                }
            }
        }
    }
}

#[test]
fn no_size_is_exceeded() {
    let text = format!("{FAMILY}{FLAG} 中文 e\u{301}\r\n{HANGUL}").repeat(20);
    for max in 0..=text.len() + 1 {
        if let Some(short) = shorten(&text, max) {
            assert!(short.len() <= max && !short.is_empty());
        }
    }
}

#[test]
fn omission_lines_are_compared_in_linear_time() {
    let line = "\n[… 1 bytes omitted …]\n";
    let (short, whole) = (line.repeat(40_000), format!("{}x", line.repeat(40_000)));
    assert!(!is_shortened(&short, &whole));
    let cut = shorten(&whole, whole.len() / 2).unwrap();
    assert!(is_shortened(&cut, &whole));
}
