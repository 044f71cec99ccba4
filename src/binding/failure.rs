//! Why a call did not succeed, and how JavaScript learns of it.

use super::border::{Border, Value};
use crate::error::Error;
use napi::{Status, sys};

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
    /// What is said of a mistake of ours.
    pub const PANICKED: &str = "promptmason failed unexpectedly; please report this";

    /// The failure of a call that panicked.
    pub fn panicked() -> Self {
        Failure::Ours(Error::Internal(Failure::PANICKED.to_owned()))
    }

    /// Throws into JavaScript, and answers with what napi-rs needs to know of it.
    pub fn throw(self, border: Border) -> napi::Error {
        let failure = match self {
            Failure::Ours(error) => throw_ours(border, &error).err().unwrap_or(Failure::Thrown),
            other => other,
        };
        match failure {
            Failure::Engine(status) => {
                napi::Error::new(Status::from(status), "Node-API refused a call")
            }
            _ => napi::Error::new(Status::PendingException, "an exception is pending"),
        }
    }

    /// The error as a value, such as a promise is rejected with. Nothing is thrown any more.
    pub fn into_value(self, border: Border) -> Result<Value, Failure> {
        match self {
            Failure::Ours(error) => error_object(border, &error),
            Failure::Thrown => border.take_exception(),
            Failure::Engine(status) => {
                let error = Error::Internal(format!("Node-API refused a call (status {status})"));
                error_object(border, &error)
            }
        }
    }
}

fn throw_ours(border: Border, error: &Error) -> Result<(), Failure> {
    border.throw(error_object(border, error)?)
}

/// A real JS error with `code` and the fields of the variant.
fn error_object<'s>(border: Border<'s>, error: &Error) -> Result<Value<'s>, Failure> {
    let object = border.error(error.class(), error.code(), &error.to_string())?;
    let number = |bytes: usize| border.double(bytes as f64);
    match error {
        Error::BudgetExceeded { required_bytes, max_bytes, sections } => {
            let sizes = border.object([])?;
            for (part, bytes) in sections {
                border.set(sizes, part.name(), number(*bytes)?)?;
            }
            border.set(object, "requiredBytes", number(*required_bytes)?)?;
            border.set(object, "maxBytes", number(*max_bytes)?)?;
            border.set(object, "sections", sizes)?;
        }
        Error::BufferTooSmall { required_bytes, .. } => {
            border.set(object, "requiredBytes", number(*required_bytes)?)?;
        }
        Error::InvalidConfig { file, place, .. } => {
            border.set(object, "file", border.utf8(file)?)?;
            if let Some((line, column)) = place {
                border.set(object, "line", number(*line)?)?;
                border.set(object, "column", number(*column)?)?;
            }
        }
        Error::UnreadableFile { file, .. } => {
            border.set(object, "file", border.utf8(file)?)?;
        }
        Error::InvalidArgType { .. }
        | Error::OutOfRange { .. }
        | Error::InvalidMessage { .. }
        | Error::InvalidSnapshot { .. }
        | Error::Internal(_) => {}
    }
    Ok(object)
}
