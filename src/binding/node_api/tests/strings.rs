//! Strings in and out.

use super::super::{ReadString, Scope, Value};
use super::engine::{Engine, Js, js};
use napi::JsValue;
use std::cell::Cell;

/// A character of each length in UTF-8, and a lone surrogate.
const KINDS: [&[u16]; 5] = [&[0x61], &[0xE9], &[0x4E2D], &[0xD83D, 0xDE00], &[0xD83D]];

/// Texts of all kinds and of these lengths, as the caller's strings.
fn each_text(lengths: &[usize], test: impl for<'s> Fn(Scope<'s>, Value<'s>, &[u16])) {
    Engine::run(|engine, scope| {
        for kind in KINDS {
            for &length in lengths {
                let mut units = kind.repeat(length);
                units.truncate(length);
                test(scope, scope.value(engine.string(&units)), &units);
            }
        }
    });
}

#[test]
fn a_string_is_read_whole_into_any_memory() {
    // Around those that fill the first room of 256 bytes or units, and beyond the second one.
    each_text(&[0, 1, 252, 256, 600], |scope, string, units| {
        let text = String::from_utf16_lossy(units);
        assert!(scope.string(string).is_ok_and(|read| read == text));
        for room in [0, 300] {
            let mut out = Vec::with_capacity(room);
            out.extend_from_slice(b"before");
            assert!(scope.append_utf8(string, &mut out, usize::MAX).is_ok());
            assert_eq!(out, ["before", &text].concat().as_bytes());
        }
        let (mut out, mut memory) = (b"before".to_vec(), vec![7; 3]);
        assert!(scope.append_utf8_wide(string, &mut out, usize::MAX, &mut memory).is_ok());
        assert_eq!((out, memory), (["before", &text].concat().into_bytes(), units.to_vec()));
        for expect_wide in [false, true] {
            let (mut buffer, expect_wide) = (b"before".to_vec(), Cell::new(expect_wide));
            let read = scope.read_text(string, &mut buffer, &expect_wide);
            assert!(read.is_ok_and(|read| read == text));
        }
    });
}

#[test]
fn a_string_beyond_the_limit_leaves_memory_as_it_was() {
    each_text(&[0, 1, 90], |scope, string, units| {
        let size = String::from_utf16_lossy(units).len();
        for limit in [0, size.saturating_sub(1), size, size + 1] {
            let expected = if size > limit { ReadString::TooLong } else { ReadString::Whole };
            let mut out = b"before".to_vec();
            assert!(scope.append_utf8(string, &mut out, limit).is_ok_and(|read| read == expected));
            assert_eq!(out.len(), if size > limit { 6 } else { 6 + size });
            let mut out = b"before".to_vec();
            let read = scope.append_utf8_wide(string, &mut out, limit, &mut Vec::new());
            assert!(read.is_ok_and(|read| read == expected));
            assert_eq!(out.len(), if size > limit { 6 } else { 6 + size });
        }
    });
}

#[test]
fn what_is_no_string_is_not_read() {
    Engine::run(|engine, scope| {
        let number = scope.value(engine.add(Js::Number(1.0)));
        let (mut out, mut units) = (Vec::new(), Vec::new());
        let read = scope.append_utf8(number, &mut out, 10);
        assert!(read.is_ok_and(|read| read == ReadString::NotAString));
        let read = scope.read_utf16(number, 10, &mut units);
        assert!(read.is_ok_and(|read| read == ReadString::NotAString));
        assert!(scope.string(number).is_err() && scope.utf16_length(number).is_err());
        assert!(out.is_empty() && units.is_empty());
    });
}

#[test]
fn the_beginning_of_a_string_is_read_up_to_a_character() {
    each_text(&[0, 1, 256], |scope, string, units| {
        let text = String::from_utf16_lossy(units);
        for max_bytes in [0, 1, 5, 300] {
            let beginning = scope.string_beginning(string, max_bytes);
            assert!(
                beginning.is_ok_and(|read| read == text[..text.floor_char_boundary(max_bytes)])
            );
        }
    });
}

#[test]
fn short_strings_are_compared() {
    Engine::run(|engine, scope| {
        for (text, is_same) in [("utf8", true), ("", false), ("utf8 and much more of it", false)] {
            let string = scope.value(engine.string(&text.encode_utf16().collect::<Vec<_>>()));
            assert!(scope.is_string(string, "utf8").is_ok_and(|same| same == is_same));
        }
    });
}

#[test]
fn strings_are_made_of_utf8() {
    Engine::run(|_, scope| {
        for text in ["", "a", "é", "中文", "😀", &"aé中😀".repeat(100)] {
            let made = scope.utf8(text).map(|made| made.raw());
            let units: Vec<u16> = text.encode_utf16().collect();
            assert!(
                made.is_ok_and(|made| matches!(js(made), Js::String(made, _) if *made == units))
            );
        }
    });
}

#[test]
fn a_property_is_asked_for_by_a_name_that_ends() {
    Engine::run(|engine, scope| {
        let object = scope.value(engine.add(Js::Object { is_tagged: Cell::new(false) }));
        for length in [0, 1, 46, 47, 48, 49, 100] {
            let name = "n".repeat(length);
            let read = scope.named(object, &name).and_then(|value| scope.string(value));
            assert!(read.is_ok_and(|read| read == name));
        }
    });
}
