//! Why a call did not succeed, and how JavaScript learns of it.
//!
//! Native code throws a description; `js/errors.js` makes the error of it. So the error belongs
//! to the realm of the caller, also in Jest and in vm contexts, where `TypeError` is another
//! one than here.

use super::node_api::{Scope, Value, run};
use crate::error::{Error, ErrorClass};
use napi::{Env, Status, Unknown, sys};
use napi_derive::napi;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// Why a call did not succeed.
pub enum Failure {
    /// An error of ours, still to be thrown.
    Ours(Error),
    /// A JS exception is pending already, such as a getter's own.
    Thrown,
    /// Node-API refused, for example because the worker is being torn down.
    Engine(sys::napi_status),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Ours(error)
    }
}

impl Failure {
    /// The failure of a call that panicked.
    pub fn panicked() -> Self {
        Failure::Ours(panicked())
    }

    /// Throws, and returns what napi-rs needs to know of it.
    pub fn throw(self, scope: Scope) -> napi::Error {
        let failure = match self {
            Failure::Thrown => Failure::Thrown,
            other => other.throw_description(scope).err().unwrap_or(Failure::Thrown),
        };
        match failure {
            Failure::Engine(status) => {
                napi::Error::new(Status::from(status), "Node-API refused a call")
            }
            _ => napi::Error::new(Status::PendingException, "an exception is pending"),
        }
    }

    fn throw_description(self, scope: Scope) -> Result<(), Failure> {
        scope.throw(self.into_exception(scope)?)
    }

    /// What is thrown, as a value. Nothing is pending any more.
    pub fn into_exception(self, scope: Scope) -> Result<Value, Failure> {
        match self {
            Failure::Thrown => scope.take_exception(),
            Failure::Ours(error) => scope.tagged_failure(&description(&error)),
            Failure::Engine(status) => {
                let error = Error::Internal(format!("Node-API refused a call (status {status})"));
                scope.tagged_failure(&description(&error))
            }
        }
    }
}

/// The error of a call that panicked.
pub fn panicked() -> Error {
    Error::Internal("promptmason failed unexpectedly; please report this".to_owned())
}

/// Begins the message of what native code throws. The rest is the description as JSON.
#[napi]
pub const FAILURE_PREFIX: &str = "promptmason:";

/// For functions that return a `napi::Result`.
impl From<Error> for napi::Error {
    fn from(error: Error) -> Self {
        napi::Error::from_reason(format!("{FAILURE_PREFIX}{}", description(&error)))
    }
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
    let class = match error.class() {
        ErrorClass::Type => "TypeError",
        ErrorClass::Range => "RangeError",
        ErrorClass::Plain => "Error",
    };
    let message = error.to_string();
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
            Error::BudgetExceeded { unit, required_bytes, max_bytes, tokens, sections } => {
                properties.serialize_entry("unit", unit.name())?;
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
            Error::UnreadableFile { file, .. } => properties.serialize_entry("file", file)?,
            Error::Undeliverable { cli, size, .. } => {
                properties.serialize_entry("cli", cli)?;
                if let Some((size, limit, unit)) = size {
                    properties.serialize_entry("size", size)?;
                    properties.serialize_entry("limit", limit)?;
                    properties.serialize_entry("unit", unit.name())?;
                }
            }
            Error::InvalidArgType { .. }
            | Error::MisnamedField { .. }
            | Error::MissingTokenizer { .. }
            | Error::OutOfRange { .. }
            | Error::InvalidMessage { .. }
            | Error::InvalidSnapshot { .. }
            | Error::UnknownMessage { .. }
            | Error::CoveredMessage { .. }
            | Error::Internal(_) => {}
        }
        properties.end()
    }
}

/// The description of a failure that native code has thrown, as JSON; undefined for any other
/// exception.
#[napi(ts_return_type = "string | undefined")]
pub fn failure_description<'s>(env: &'s Env, thrown: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    run(env, |scope| match scope.is_tagged_failure(thrown)? {
        true => scope.element(thrown, 0),
        false => scope.undefined(),
    })
}
