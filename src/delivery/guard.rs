//! Finds the places in a prompt at which a CLI would act.
//!
//! The rules are those of the CLIs or a little wider: a place too many is a needless warning,
//! one too few is a file that leaves the machine. Prompts are searched for one byte, so text
//! without it costs next to nothing.

use super::profile::Trigger;
use crate::text::is_js_whitespace;
use memchr::memchr_iter;

/// After these, or at the end, an `@` names no path.
const NO_PATH: &[u8] = b" \t\n\r,;!?()[]{}";

/// Variables of the shell that Codex does not take for skills, in any letter case.
const SHELL_VARIABLES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "SHELL",
    "PWD",
    "TMPDIR",
    "TEMP",
    "TMP",
    "LANG",
    "TERM",
    "XDG_CONFIG_HOME",
];

/// Where the signs are, as byte offsets in ascending order.
pub fn find(trigger: Trigger, text: &[u8]) -> Vec<usize> {
    match trigger {
        Trigger::LeadingSlash => {
            if begins_with_command(text) {
                vec![0]
            } else {
                Vec::new()
            }
        }
        Trigger::AtAfterSpace => signs(text, b'@', |at| {
            let before = char_before(text, at);
            let after = char_at(text, at + 1);
            before.is_none_or(is_js_whitespace) && after.is_some_and(|c| !is_js_whitespace(c))
        }),
        Trigger::AtAnywhere => signs(text, b'@', |at| {
            (at == 0 || text[at - 1] != b'\\') && begins_with_path(&text[at + 1..])
        }),
        Trigger::DollarName => signs(text, b'$', |at| begins_with_skill(&text[at + 1..])),
    }
}

fn signs(text: &[u8], sign: u8, is_active: impl Fn(usize) -> bool) -> Vec<usize> {
    memchr_iter(sign, text).filter(|at| is_active(*at)).collect()
}

/// `/` and a word. Comments (`//`, `/*`) and paths (`/etc/hosts`) are no commands anywhere.
fn begins_with_command(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"/") else { return false };
    let mut at = 0;
    while let Some(space) = char_at(rest, at).filter(|c| is_js_whitespace(*c)) {
        at += space.len_utf8();
    }
    let start = at;
    while let Some(letter) = char_at(rest, at).filter(|c| !is_js_whitespace(*c)) {
        if letter == '/' || (at == start && letter == '*') {
            return false;
        }
        at += letter.len_utf8();
    }
    at > start
}

fn begins_with_path(text: &[u8]) -> bool {
    match text {
        [] => false,
        [b'.', rest @ ..] => !matches!(rest, [] | [b' ' | b'\t' | b'\n' | b'\r', ..]),
        [first, ..] => !NO_PATH.contains(first),
    }
}

fn begins_with_skill(text: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-:".contains(byte);
    let length = text.iter().position(|byte| !is_name(byte)).unwrap_or(text.len());
    let name = &text[..length];
    let is_amount = name.iter().all(u8::is_ascii_digit);
    let is_variable = |variable: &&str| variable.as_bytes().eq_ignore_ascii_case(name);
    !is_amount && !name.ends_with(b":") && !SHELL_VARIABLES.iter().any(is_variable)
}

/// The character that begins at this offset.
pub fn char_at(text: &[u8], at: usize) -> Option<char> {
    let bytes = text.get(at..text.len().min(at + 4))?;
    if let Some(ascii) = bytes.first().filter(|byte| byte.is_ascii()) {
        return Some(char::from(*ascii));
    }
    bytes.utf8_chunks().next()?.valid().chars().next()
}

/// The character that ends at this offset.
pub fn char_before(text: &[u8], at: usize) -> Option<char> {
    let start = (at.saturating_sub(4)..at).rev().find(|start| text[*start] & 0xC0 != 0x80)?;
    char_at(text, start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(trigger: Trigger, text: &str) -> Vec<usize> {
        find(trigger, text.as_bytes())
    }

    #[test]
    fn commands_stand_at_the_beginning() {
        for text in ["/clear", "/help me", "/a:b", "/中文 x", "/ init", "/a\nb", "/a.b", "/-", "/1"]
        {
            assert_eq!(places(Trigger::LeadingSlash, text), [0], "{text}");
        }
        for text in [
            "",
            "/",
            "//",
            "// note",
            "/*",
            "/* note",
            "/etc/hosts is",
            "/a/",
            " /clear",
            "\n/clear",
            "a /clear",
            "\u{FEFF}/clear",
            "/ ",
            "/\u{3000}",
            "/\u{3000}a/b",
        ] {
            assert!(places(Trigger::LeadingSlash, text).is_empty(), "{text:?}");
        }
    }

    #[test]
    fn mentions_after_space() {
        for (text, at) in [
            ("@a", 0),
            ("see @secret.txt", 4),
            ("x\n@a,", 2),
            ("a\t@\"my file\"", 2),
            ("a\u{3000}@a", 4),
            ("a\u{A0}@a", 3),
            ("\u{FEFF}@a", 3),
            ("漢 @漢", 4),
        ] {
            assert_eq!(places(Trigger::AtAfterSpace, text), [at], "{text:?}");
        }
        for text in [
            "@",
            "@ a",
            "x@a",
            "(@a)",
            "中@a",
            "`@a`",
            "a\u{200B}@a",
            "a\u{85}@a",
            "a @\u{3000}",
            "a @",
        ] {
            assert!(places(Trigger::AtAfterSpace, text).is_empty(), "{text:?}");
        }
        assert_eq!(places(Trigger::AtAfterSpace, "@a @b\n@c"), [0, 3, 6]);
    }

    #[test]
    fn mentions_anywhere() {
        for text in
            ["x@a", "me@example.org", "中@a", "x@漢", "x@\u{A0}", "x@.a", "x@\"a b\"", "x@\\ a"]
        {
            let at = text.find('@').unwrap();
            assert_eq!(places(Trigger::AtAnywhere, text), [at], "{text:?}");
        }
        for text in
            ["@", "a @ b", "a@, b", "a@.", "a@. B", "a@.\n", "\\@a", "\\\\@a", "@(a)", "@\n"]
        {
            assert!(places(Trigger::AtAnywhere, text).is_empty(), "{text:?}");
        }
        // The second one would act as soon as the first one does not.
        assert_eq!(places(Trigger::AtAnywhere, "@@a"), [0, 1]);
    }

    #[test]
    fn skills() {
        for text in
            ["$a", "`$my-skill`", "x$ns:sk y", "\\$a", "中$a中", "$a.", "$HOMES", "$5x", "[$a](b)"]
        {
            let at = text.find('$').unwrap();
            assert_eq!(places(Trigger::DollarName, text), [at], "{text:?}");
        }
        for text in [
            "$",
            "$ a",
            "$5",
            "$1,000",
            "$HOME",
            "$home/x",
            "$PATH:/usr/bin",
            "$Xdg_Config_Home",
            "${a}",
            "$\u{2060}a",
            "$(a)",
            "＄a",
            "$é",
        ] {
            assert!(places(Trigger::DollarName, text).is_empty(), "{text:?}");
        }
        assert_eq!(places(Trigger::DollarName, "$$a"), [1]);
    }

    #[test]
    fn bytes_that_are_no_text_are_no_reason_to_panic() {
        let mut state = 1_u32;
        for _ in 0..2000 {
            let bytes: Vec<u8> = (0..state % 37)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    [b'@', b'$', b'/', b'\\', b' ', 0xE3, 0x80, 0xFF, 0xF0, b'a']
                        [(state >> 24) as usize % 10]
                })
                .collect();
            state = state.wrapping_add(1);
            for trigger in [
                Trigger::LeadingSlash,
                Trigger::AtAfterSpace,
                Trigger::AtAnywhere,
                Trigger::DollarName,
            ] {
                assert!(find(trigger, &bytes).is_sorted());
            }
        }
    }
}
