//! Everything that can go wrong, as data. The binding turns each variant into a
//! JS error of [`Error::class`] with [`Error::code`] and the variant's fields.

use crate::tokens::BudgetUnit;
use thiserror::Error;

/// What went wrong, and with which field.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A field is missing or is not of its type.
    #[error("{path} must be {expected}, got {got}")]
    InvalidArgType {
        /// The field as a caller would write it, such as `contextMessages[3].content`.
        path: String,
        /// What is accepted there.
        expected: String,
        /// What was found.
        got: String,
    },

    /// A message cannot be added to a conversation, for this reason; nothing was stored.
    #[error("Message {0}")]
    InvalidMessage(String),

    /// A snapshot cannot be restored, for this reason; the conversation is unchanged.
    #[error("Invalid snapshot format: {0}")]
    InvalidSnapshot(String),

    /// The conversation has no message with this id; nothing was changed.
    #[error("there is no message with the id {0:?} in this conversation")]
    UnknownMessage(String),

    /// A summary up to this id would cover less than the one that it replaces.
    #[error(
        "the current summary covers more than the messages up to {0:?}: pass the id of a later \
         message, or clear the summary first"
    )]
    CoveredMessage(String),

    /// The session of this agent already has every message that it may see.
    #[error(
        "there is nothing to send to {0:?}: it has been shown or has written every message it may \
         see; add a message first, or call forget({0:?}) for a whole prompt"
    )]
    NothingToSend(String),

    /// The prompt does not fit into the caller's buffer; nothing was written.
    #[error(
        "buffer has {available_bytes} bytes from offset {offset}, but the prompt needs \
         {required_bytes}: pass a larger buffer"
    )]
    BufferTooSmall {
        /// Bytes that the prompt needs.
        required_bytes: usize,
        /// Bytes between the offset and the end of the buffer.
        available_bytes: usize,
        /// Where writing would have begun.
        offset: usize,
    },

    /// What cannot be dropped or cut any further exceeds a budget.
    #[error("{}", budget_exceeded(
        .sections, *.unit, *.required_bytes, (*.max_bytes, *.system_max_bytes), *.tokens,
    ))]
    BudgetExceeded {
        /// Which budget.
        unit: BudgetUnit,
        /// The smallest `maxBytes` that would have succeeded, or `systemMaxBytes` if that is
        /// exceeded.
        required_bytes: usize,
        /// The given budget.
        max_bytes: usize,
        /// The given share for the system text, if that is exceeded.
        system_max_bytes: Option<usize>,
        /// The budget in tokens, if there is one.
        tokens: Option<ExceededTokens>,
        /// The least that each section can be cut down to, in prompt order.
        sections: Vec<(&'static str, usize)>,
    },

    /// There is a budget in tokens, but no tokenizer for this agent type.
    #[error(
        "maxTokens needs a tokenizer for {0}, whose vocabulary is not public: pass tokenizer: \
         'o200k', 'cl100k', {{ bytesPerToken }} or a function"
    )]
    MissingTokenizer(String),

    /// A configuration file cannot be understood. Ignoring it would silently drop what the
    /// user asked for.
    #[error("{file}{} {problem}; correct the file, or pass options.config", at(.place))]
    InvalidConfig {
        /// The file's path.
        file: String,
        /// Line and column, counted from 1, where something in the file is wrong.
        place: Option<(usize, usize)>,
        /// What is wrong.
        problem: String,
    },

    /// A file that is needed cannot be read.
    #[error("{file} cannot be read: {problem}; {remedy}")]
    UnreadableFile {
        /// The file's path.
        file: String,
        /// Why.
        problem: String,
        /// What a caller can do.
        remedy: String,
    },

    /// A file that is needed cannot be opened and locked.
    #[error(
        "{file} cannot be locked: {problem}; use a directory on a local disk that you can write to"
    )]
    UnlockableFile {
        /// The file's path.
        file: String,
        /// Why.
        problem: String,
    },

    /// There is no room for a file that is needed. The code is that of Node's own error.
    #[error("{file} cannot be written: {problem}; free disk space, or raise the limit")]
    NoRoom {
        /// The file's path.
        file: String,
        /// Why.
        problem: String,
        /// What Node calls it.
        code: &'static str,
    },

    /// A result exceeds the longest string of the engine.
    #[error("{}", STRING_TOO_LONG)]
    StringTooLong,

    /// Something failed that cannot be the caller's fault.
    #[error("{0}")]
    Internal(String),
}

/// What to do about a result that exceeds the longest string of the engine.
pub const STRING_TOO_LONG: &str = "the result is longer than the longest string of this JavaScript \
    engine: pass { as: 'buffer' } if it is a prompt, or lower maxBytes";

/// A budget in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExceededTokens {
    /// The smallest `maxTokens` that would have succeeded, if it was exceeded.
    pub required_tokens: Option<usize>,
    /// The given budget.
    pub max_tokens: usize,
}

impl Error {
    /// The stable, documented value of the JS error's `code`.
    pub fn code(&self) -> &'static str {
        match self {
            Error::InvalidArgType { .. }
            | Error::MissingTokenizer(_)
            | Error::InvalidMessage(_) => "ERR_INVALID_ARG_TYPE",
            Error::InvalidSnapshot(_) => "ERR_INVALID_SNAPSHOT",
            Error::UnknownMessage(_) | Error::CoveredMessage(_) => "ERR_UNKNOWN_MESSAGE",
            Error::NothingToSend(_) => "ERR_NOTHING_TO_SEND",
            Error::BufferTooSmall { .. } | Error::StringTooLong => "ERR_OUT_OF_RANGE",
            Error::BudgetExceeded { .. } => "ERR_BUDGET_EXCEEDED",
            Error::InvalidConfig { .. } => "ERR_INVALID_CONFIG",
            Error::UnreadableFile { .. } | Error::UnlockableFile { .. } => "ERR_UNREADABLE_FILE",
            Error::NoRoom { code, .. } => code,
            Error::Internal(_) => "ERR_INTERNAL",
        }
    }

    /// The JS class of the error.
    pub fn class(&self) -> &'static str {
        match self.code() {
            "ERR_INVALID_ARG_TYPE" => "TypeError",
            "ERR_OUT_OF_RANGE" | "ERR_BUDGET_EXCEEDED" => "RangeError",
            _ => "Error",
        }
    }

    /// A field that is missing or not of its type.
    pub fn invalid_type(
        path: impl Into<String>,
        expected: impl Into<String>,
        got: impl Into<String>,
    ) -> Self {
        Error::InvalidArgType { path: path.into(), expected: expected.into(), got: got.into() }
    }

    /// A message that cannot be added.
    pub fn invalid_message(problem: impl Into<String>) -> Self {
        Error::InvalidMessage(problem.into())
    }

    /// A message that the conversation does not have.
    pub fn unknown_message(id: impl Into<String>) -> Self {
        Error::UnknownMessage(id.into())
    }

    /// A snapshot that cannot be restored.
    pub fn invalid_snapshot(problem: impl Into<String>) -> Self {
        Error::InvalidSnapshot(problem.into())
    }
}

/// `:line:column:`, as editors and terminals recognize it.
fn at(place: &Option<(usize, usize)>) -> String {
    place.map_or(":".to_owned(), |(line, column)| format!(":{line}:{column}:"))
}

fn budget_exceeded(
    sections: &[(&'static str, usize)],
    unit: BudgetUnit,
    required_bytes: usize,
    (max_bytes, system_max_bytes): (usize, Option<usize>),
    tokens: Option<ExceededTokens>,
) -> String {
    if let Some(most) = system_max_bytes {
        return format!(
            "the system text needs at least {required_bytes} bytes, but systemMaxBytes is {most}: \
             raise systemMaxBytes or leave it out"
        );
    }
    let (name, required, field, most) = match (unit, tokens) {
        (BudgetUnit::Tokens, Some(ExceededTokens { required_tokens, max_tokens })) => {
            ("tokens", required_tokens, "maxTokens", max_tokens)
        }
        _ => ("bytes", Some(required_bytes), "maxBytes", max_bytes),
    };
    let required = required.map_or_else(|| format!("more than {most}"), |size| size.to_string());
    let sizes: Vec<String> =
        sections.iter().map(|(part, size)| format!("{part} {size} {name}")).collect();
    format!(
        "what must be kept needs {required} {name}, but {field} is {most}: {}; \
         raise {field} or shorten the largest of these",
        sizes.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_error_lists_the_size_of_each_section() {
        let error = |unit| Error::BudgetExceeded {
            unit,
            required_bytes: 3010,
            max_bytes: 100,
            system_max_bytes: None,
            tokens: Some(ExceededTokens { required_tokens: Some(700), max_tokens: 9 }),
            sections: vec![("system", 3000), ("message", 10)],
        };
        let text = error(BudgetUnit::Tokens).to_string();
        assert!(
            text.contains("needs 700 tokens, but maxTokens is 9: system 3000 tokens"),
            "{text}"
        );
        let text = error(BudgetUnit::Bytes).to_string();
        assert!(text.contains("needs 3010 bytes, but maxBytes is 100"), "{text}");
        assert!(text.contains("system 3000 bytes, message 10 bytes"), "{text}");
    }
}
