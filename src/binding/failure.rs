//! Errors of the core, thrown, and results as JSON.
//!
//! Native code throws a description; `lib/errors.ts` makes the error of it. So the error belongs
//! to the realm of the caller, also in Jest and in vm contexts, where `TypeError` is another
//! one than here.

use crate::error::{self, Error};
use napi_derive::napi;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// The error of a call that panicked.
pub fn panicked() -> Error {
    Error::Internal("promptmason failed unexpectedly; please report this".to_owned())
}

/// Begins the message of what native code throws. The rest is the description as JSON.
#[napi]
pub const FAILURE_PREFIX: &str = "promptmason:";

/// What to do about a result that exceeds the longest string of the engine.
#[napi]
pub const STRING_TOO_LONG: &str = error::STRING_TOO_LONG;

impl From<Error> for napi::Error {
    fn from(error: Error) -> Self {
        napi::Error::from_reason(format!("{FAILURE_PREFIX}{}", description(&error)))
    }
}

/// A result with several fields. `JSON.parse` makes objects of the caller's realm, and calls no
/// setter that somebody put on a prototype.
pub fn json_of<T: Serialize>(value: &T) -> Result<String, Error> {
    serde_json::to_string(value)
        .map_err(|error| Error::Internal(format!("it is not JSON: {error}")))
}

/// An error as JSON: its class, its message, and its own properties.
#[derive(Serialize)]
struct Description<'e> {
    class: &'static str,
    message: String,
    properties: Properties<'e>,
}

/// `code`, and the fields of the variant that callers may use.
struct Properties<'e>(&'e Error);

/// Sizes of sections, in prompt order.
struct Sections<'e>(&'e [(&'static str, usize)]);

fn description(error: &Error) -> String {
    let (class, message) = (error.class(), error.to_string());
    let description = Description { class, message, properties: Properties(error) };
    // Strings and numbers can always be written as JSON.
    serde_json::to_string(&description).unwrap_or_default()
}

impl Serialize for Sections<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

impl Serialize for Properties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut properties = serializer.serialize_map(None)?;
        properties.serialize_entry("code", self.0.code())?;
        match self.0 {
            Error::BudgetExceeded {
                unit,
                required_bytes,
                max_bytes,
                system_max_bytes,
                tokens,
                sections,
            } => {
                properties.serialize_entry("unit", unit)?;
                if let Some(system_max_bytes) = system_max_bytes {
                    properties.serialize_entry("systemMaxBytes", system_max_bytes)?;
                }
                if let Some(tokens) = tokens {
                    if let Some(required_tokens) = tokens.required_tokens {
                        properties.serialize_entry("requiredTokens", &required_tokens)?;
                    }
                    properties.serialize_entry("maxTokens", &tokens.max_tokens)?;
                }
                properties.serialize_entry("requiredBytes", required_bytes)?;
                properties.serialize_entry("maxBytes", max_bytes)?;
                properties.serialize_entry("sections", &Sections(sections))?;
            }
            Error::BufferTooSmall { required_bytes, .. } => {
                properties.serialize_entry("requiredBytes", required_bytes)?;
            }
            Error::InvalidConfig { file, place, .. } => {
                properties.serialize_entry("file", file)?;
                if let Some((line, column)) = place {
                    properties.serialize_entry("line", line)?;
                    properties.serialize_entry("column", column)?;
                }
            }
            Error::UnreadableFile { file, .. }
            | Error::UnlockableFile { file, .. }
            | Error::NoRoom { file, .. } => {
                properties.serialize_entry("file", file)?;
            }
            _ => {}
        }
        properties.end()
    }
}
