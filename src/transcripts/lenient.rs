//! JSON of programs that change every week: a field with an unexpected type is treated as missing,
//! and is never a reason to lose the entry.

use super::message::Timestamp;
use serde::de::value::MapAccessDeserializer;
use serde::de::{
    Deserialize, DeserializeOwned, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A string, or nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(pub Option<String>);

impl Text {
    /// The string, or an empty one.
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or("")
    }

    /// Whether it is this string.
    pub fn is(&self, text: &str) -> bool {
        self.0.as_deref() == Some(text)
    }
}

/// `true`, or nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flag(pub bool);

/// An object with these fields, or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object<T>(pub Option<T>);

// Derived, it would want a default of the fields.
impl<T> Default for Object<T> {
    fn default() -> Self {
        Object(None)
    }
}

/// A list of strings. Other elements, and anything but a list, count as nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts(pub Vec<String>);

/// What JSON of each type becomes: nothing, unless a type says otherwise.
trait FromAny<'de>: Default {
    fn of_text(_: String) -> Self {
        Self::default()
    }

    fn of_flag(_: bool) -> Self {
        Self::default()
    }

    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }

    fn of_object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

impl FromAny<'_> for Text {
    fn of_text(text: String) -> Self {
        Text(Some(text))
    }
}

impl FromAny<'_> for Flag {
    fn of_flag(flag: bool) -> Self {
        Flag(flag)
    }
}

impl<'de> FromAny<'de> for Texts {
    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = list.next_element::<Text>()? {
            texts.extend(text.0);
        }
        Ok(Texts(texts))
    }
}

impl<'de, T: Deserialize<'de>> FromAny<'de> for Object<T> {
    fn of_object<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|object| Object(Some(object)))
    }
}

struct AnyVisitor<T>(PhantomData<T>);

impl<'de, T: FromAny<'de>> Visitor<'de> for AnyVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("anything")
    }

    fn visit_str<E>(self, text: &str) -> Result<T, E> {
        Ok(T::of_text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<T, E> {
        Ok(T::of_text(text))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<T, E> {
        Ok(T::of_flag(flag))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<T, A::Error> {
        T::of_list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::of_object(map)
    }

    fn visit_i64<E>(self, _: i64) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::default())
    }
}

macro_rules! deserialize_any {
    ($($type:ty $(, $parameter:ident)?;)*) => {$(
        impl<'de $(, $parameter: Deserialize<'de>)?> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(AnyVisitor(PhantomData))
            }
        }
    )*};
}

deserialize_any! {
    Text;
    Flag;
    Texts;
    Object<T>, T;
}

/// Any JSON, to be examined later.
pub type Json = Option<Box<RawValue>>;

/// Some JSON as this type, if it is of this type.
pub fn read<T: DeserializeOwned>(json: &Json) -> Option<T> {
    serde_json::from_str(json.as_deref()?.get()).ok()
}

/// The elements of a list that are of this type; none for anything else.
pub fn list<T: DeserializeOwned>(json: &Json) -> Vec<T> {
    json.as_deref().map(elements).unwrap_or_default()
}

/// Like `list`, for JSON that is present.
pub fn elements<T: DeserializeOwned>(json: &RawValue) -> Vec<T> {
    let elements: Vec<Box<RawValue>> = serde_json::from_str(json.get()).unwrap_or_default();
    elements.iter().filter_map(|each| serde_json::from_str(each.get()).ok()).collect()
}

pub fn is_string(json: &RawValue) -> bool {
    serde_json::from_str::<String>(json.get()).is_ok()
}

/// A time, as text or as a number of milliseconds.
pub fn timestamp(json: &Json) -> Option<Timestamp> {
    read(json).map(Timestamp::Text).or_else(|| read(json).map(Timestamp::Milliseconds))
}

/// Parses one line or one element, replacing what cannot be text: halves of surrogate pairs, which
/// JavaScript programs write when they cut a string, and bytes that are not UTF-8.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    serde_json::from_slice(&mended(bytes)).ok()
}

/// JSON with a replacement character in place of what cannot be text.
fn mended(bytes: &[u8]) -> Cow<'_, [u8]> {
    let utf8 = match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(_) => Cow::Borrowed(bytes),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    };
    let halves = lone_surrogates(&utf8);
    if halves.is_empty() {
        return utf8;
    }
    let mut mended = utf8.into_owned();
    for at in halves {
        mended[at..at + 6].copy_from_slice(b"\\ufffd");
    }
    Cow::Owned(mended)
}

/// Where the escapes of lone surrogates begin.
fn lone_surrogates(json: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while at + 1 < json.len() {
        if json[at] != b'\\' {
            at += 1;
            continue;
        }
        match unit_at(json, at) {
            Some(0xd800..=0xdbff) => {
                if matches!(unit_at(json, at + 6), Some(0xdc00..=0xdfff)) {
                    at += 12;
                } else {
                    found.push(at);
                    at += 6;
                }
            }
            Some(0xdc00..=0xdfff) => {
                found.push(at);
                at += 6;
            }
            // Every other escape has at least two characters, and the second may be a backslash.
            _ => at += 2,
        }
    }
    found
}

/// The code unit of an escape such as `\u00e9`.
fn unit_at(json: &[u8], at: usize) -> Option<u32> {
    let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Sample {
        text: Text,
        any: Json,
    }

    #[test]
    fn a_field_of_the_wrong_type_counts_as_missing() {
        for wrong in ["1", "-1", "1.5", "null", "true", "[1,[2]]", "{\"a\":{}}"] {
            let sample: Sample =
                parse(format!("{{\"text\":{wrong},\"any\":1}}").as_bytes()).unwrap();
            assert_eq!(sample.text, Text(None), "{wrong}");
            assert_eq!(read::<u8>(&sample.any), Some(1));
        }
        assert_eq!(
            list::<u8>(&read(&RawValue::from_string("[1,\"a\",2]".to_owned()).ok())),
            [1, 2]
        );
    }

    #[test]
    fn halves_of_surrogate_pairs_are_replaced() {
        let text = |json: &str| parse::<Sample>(json.as_bytes()).unwrap().text.0.unwrap();
        assert_eq!(text(r#"{"text":"a\ud83db"}"#), "a\u{fffd}b");
        assert_eq!(text(r#"{"text":"\udd11\ud83d\udd11\ud83d"}"#), "\u{fffd}🔑\u{fffd}");
        assert_eq!(text(r#"{"text":"\\ud83d"}"#), "\\ud83d");
        assert_eq!(text("{\"text\":\"\\ud83d\\n\"}"), "\u{fffd}\n");
        assert!(parse::<Sample>(b"{\"text\":\"\\ud8").is_none());
    }

    #[test]
    fn bytes_that_are_not_text_are_replaced() {
        let sample: Sample = parse(b"{\"text\":\"a\xffb\"}").unwrap();
        assert_eq!(sample.text.as_str(), "a\u{fffd}b");
    }
}
