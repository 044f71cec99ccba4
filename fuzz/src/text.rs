//! Texts of fragments that the core looks for, and of arbitrary other characters.

use arbitrary::{Result, Unstructured};

/// Fragments that some rule treats differently.
const PIECES: [&str; 96] = [
    "",
    " ",
    "  ",
    "\t",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\u{b}",
    "\u{85}",
    "\u{2028}",
    "\u{3000}",
    "\u{a0}",
    "\u{feff}",
    "\u{200b}",
    "\u{200d}",
    "\u{301}",
    "e\u{301}",
    "a",
    "b",
    "word",
    "The ",
    "中",
    "文字",
    "각",
    "\u{1112}\u{1161}\u{11ab}",
    "👩",
    "👍🏽",
    "👨‍👩‍👧‍👦",
    "🇨🇳",
    "🇨",
    "\u{1b}[31m",
    "\u{9b}0m",
    "\u{1b}]0;x\u{7}",
    "\\",
    "\\\\",
    "`",
    "```",
    "```\n",
    "~~~",
    "[",
    "]",
    "[NEXT:a]",
    "[FROM: b]",
    "[DROP:x]",
    "[TEAM_TASK: t]",
    "[TEAM_TASK]",
    "[NE",
    "XT:b]",
    "[MESSAGE]",
    "[CONTEXT]\n",
    "[SYSTEM]",
    "[message]",
    "［MESSAGE］",
    "[МESSAGE]",
    "Last message:",
    "Conversation so far:",
    "- a -> all: hi",
    "- a: hi",
    ": ",
    " -> ",
    "\n[… 10 bytes omitted …]\n",
    "[… messages omitted …]",
    "bytes omitted …]\n",
    "\n[… ",
    "0",
    "42",
    "1024",
    "@file.md",
    "@~/x",
    "@./a b",
    "$name",
    "/command",
    "!",
    "#",
    " #",
    "---",
    "---\n",
    "globs: ",
    "applyTo: ",
    "description: x\n",
    "alwaysApply: true\n",
    "- item\n",
    "\"",
    "'",
    "{",
    "}",
    ",",
    "{a,b}",
    "*",
    "**/",
    "?",
    "[a-c]",
    "[!x]",
    "https://x/y",
    "\0",
];

/// A text of up to `most` fragments.
pub fn text(u: &mut Unstructured, most: usize) -> Result<String> {
    let mut text = String::new();
    for _ in 0..u.int_in_range(0..=most)? {
        if u.is_empty() {
            break;
        }
        match u.arbitrary::<u8>()? {
            choice @ 0..=191 => text.push_str(PIECES[usize::from(choice) % PIECES.len()]),
            192..=223 => text.push(u.arbitrary()?),
            224..=239 => text.push(char::from(u.arbitrary::<u8>()? & 0x7f)),
            // Long enough to be shortened.
            _ => {
                let piece = PIECES[usize::from(u.arbitrary::<u8>()?) % PIECES.len()];
                text.push_str(&piece.repeat(usize::from(u.arbitrary::<u8>()?)));
            }
        }
    }
    Ok(text)
}

/// A short text, such as a name.
pub fn name(u: &mut Unstructured) -> Result<String> {
    const NAMES: [&str; 8] = ["max", "Max ", "sarah", "all", "张三", "msg-1", "a, b", ""];
    match u.arbitrary::<u8>()? {
        choice @ 0..=191 => Ok(NAMES[usize::from(choice) % NAMES.len()].to_owned()),
        _ => text(u, 3),
    }
}
