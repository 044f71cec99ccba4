use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(strip_markers(text), expected, "{text:?}");
}

#[test]
fn markers_are_removed_anywhere_in_any_letter_case() {
    check("Hello [NEXT:max] world", "Hello world");
    check("[from:Max] Hello", "Hello");
    check("Hello [Drop: a, b]", "Hello");
    check("a[NEXT:x]b", "ab");
    check("[NEXT:]", "");
    check("[FROM:a][NEXT:b] [DROP:c]", "");
    check("do it [TEAM_TASK: build\n- this\n- that] now", "do it now");
}

#[test]
fn markers_formed_by_a_removal_are_removed() {
    check("[NE[NEXT:a]XT:b]", "");
    check("[NEXT:[NEXT:a]b]", "");
    check("x [FR[FR[NEXT:a]OM:b]OM:c] y", "x y");
    check("[TEAM_[NEXT:a]TASK]\nbuild it", "");
}

#[test]
fn text_without_markers_is_kept() {
    for text in [
        "",
        "plain",
        "arr[0] and [x]: y",
        "Use [TEAM_TASK] to set the task.",
        "[NEXT max] and [NEXT: never closed\nlet a = [1];",
        "[TEAM_TASK: open\n\nlet a = [1];",
        "[NEXTX:a] [ NEXT:a]",
        "  indented\n\n\n    code  with   spaces\t\n",
    ] {
        check(text, text);
    }
}

#[test]
fn spaces_and_lines_around_a_marker_are_removed_and_nothing_else() {
    check(
        "fn a() {\n    b();  // [NEXT:x] two  spaces\n}\n\n\nend",
        "fn a() {\n    b();  // two  spaces\n}\n\n\nend",
    );
    check("  [NEXT:x] indented", "  indented");
    check("one\n[NEXT:x]\ntwo", "one\ntwo");
    check("one\r\n[NEXT:x]\r\ntwo [NEXT:y]\r\nthree", "one\r\ntwo\r\nthree");
    check("one\n\n[NEXT:x]\n\ntwo", "one\n\ntwo");
    check("one\n\n\n[NEXT:x]\n\n\ntwo", "one\n\n\n\ntwo");
    check("one\n\n[NEXT:x]", "one");
    check("[FROM:x]\n\none", "one");
    check("one [NEXT:x]\n\ntwo\n", "one\n\ntwo\n");
    check("one\n  [NEXT:x]  \n", "one");
    check("hard break  \n[NEXT:x]", "hard break  ");
    check("a [NEXT:x] b [TEAM_TASK: open\n\nlet a = [1];", "a b [TEAM_TASK: open\n\nlet a = [1];");
    check("[TEAM_TASK: a\nb] [NEXT:c\nd]", "[NEXT:c\nd]");
}

#[test]
fn a_task_title_is_removed_with_its_text() {
    check("[TEAM_TASK]\nbuild it\n\nall of it", "");
    check("intro\n\n[team_task] \nbuild it\n\n[MESSAGE]\nhello", "intro\n\n[MESSAGE]\nhello");
    check("[TEAM_TASK]\nbuild\n\n[FROM:max] Hello there", "Hello there");
    check("[TEAM_TASK]\nbuild\n[MESSAGE]\nno blank line before", "");
    check("[TEAM_TASK]\na\n\nb\n\n[TEAM_TASK]\nc\n\n[X] d", "[X] d");
}

#[test]
fn markers_in_code_are_text() {
    for text in [
        "write `[NEXT:a]` or ``[NEXT:`]``",
        "```\n[NEXT:a]\n\n[TEAM_TASK]\nb\n```\nc",
        "~~~\n[NEXT:a]\n```\n[NEXT:b]",
        "[NEXT:a `]`",
    ] {
        check(text, text);
    }
    check("[NEXT:a] `[NEXT:b]` [NEXT:`]`]", "`[NEXT:b]`");
    check("` [NEXT:a]\n\n` b", "`\n\n` b");
    check("``` a `\n[NEXT:a]", "``` a `");
}

#[test]
fn a_task_does_not_end_inside_a_fence() {
    check("[TEAM_TASK]\n```\n\n[a]\n```\n\n[B] c", "[B] c");
    check("[TEAM_TASK]\n```\n\n[a]\n``\n\n[B] c", "");
    check("[TEAM_TASK]\n\n[a `]`\n\n[B] c", "[B] c");
}

#[test]
fn code_formed_by_a_removal_is_detected() {
    check("[FROM:a] ```\nb\n```\n[NEXT:c]", "```\nb\n```");
    check("``[NEXT:a]`[NEXT:b]`c", "````c");
}

#[test]
fn stripping_only_removes_bytes() {
    let pieces = [
        "[NEXT:",
        "a]",
        "[TEAM_TASK]\n",
        "[TEAM_TASK:",
        "]",
        " ",
        "\n",
        "\r\n",
        "`",
        "```\n",
        "中",
        "[X]",
    ];
    let mut seed = 1_u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..12 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            text.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
        }
        let mut given = text.bytes();
        let stripped = strip_markers(&text);
        assert!(stripped.bytes().all(|byte| given.any(|other| other == byte)), "{text:?}");
    }
}

#[test]
fn hostile_text_is_stripped() {
    let deep = format!("{}{}", "[NEXT:".repeat(100_000), "]".repeat(100_000));
    check(&deep, "");
    let split = format!("{}[NEXT:a]{}", "[NE".repeat(100_000), "XT:b]".repeat(100_000));
    check(&split, "");
    let open = "[".repeat(300_000) + &"]".repeat(300_000);
    check(&open, &open);
    let tasks = "[TEAM_TASK:".repeat(30_000) + &"x\n".repeat(30_000);
    check(&tasks, &tasks);
    let titles = "[TEAM_TASK]\n\n[A]\n".repeat(20_000);
    assert_eq!(strip_markers(&titles).matches("[A]").count(), 20_000);
}

/// If a rule scanned a long line backwards, or ahead for each backtick, this test would seem to
/// hang. Time itself is not measured: it depends on the machine.
#[test]
fn hostile_text_is_read_in_linear_time() {
    let long = 60_000;
    let texts = [
        " ".repeat(long) + "\n" + &"[NEXT:a]\n\n".repeat(long),
        "x".repeat(long) + &"[TEAM_TASK:\n]".repeat(long),
        " ".repeat(long)
            + &"[TEAM_TASK:\n]".repeat(long)
            + "[TEAM_TASK:"
            + &"\n[NEXT:a]".repeat(long),
        (1..2_000).map(|length| "`".repeat(length) + " ").collect::<String>() + "[NEXT:a]",
        "` `` ".repeat(long) + "\n\n[NEXT:a]",
        "```\n".repeat(long) + "[NEXT:a]",
        "[TEAM_TASK]\n\n[a `]` ".repeat(long),
        "\n".repeat(long) + &"[TEAM_TASK]\n\n".repeat(long),
    ];
    for text in &texts {
        assert!(strip_markers(text).len() <= text.len());
    }
}
