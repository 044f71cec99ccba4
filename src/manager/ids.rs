//! Message ids: generated ones and those of snapshots.

use crate::error::Error;
use std::collections::HashSet;

/// The prefix of generated ids; a number follows.
pub const ID_PREFIX: &str = "msg-";

/// The largest number in an id: the largest integer that JavaScript counts to without gaps.
pub const MAX_NUMBER: u64 = (1 << 53) - 1;

/// An id. Most are numbered, so the number suffices.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Id {
    /// [`ID_PREFIX`] and this number.
    Numbered(u64),
    /// Any other id.
    Named(Box<str>),
}

impl Id {
    /// Parses an id.
    pub fn parse(id: &str) -> Id {
        let number = digits_of(id).and_then(|digits| digits.parse().ok());
        match number.filter(|number| *number <= MAX_NUMBER) {
            Some(number) => Id::Numbered(number),
            None => Id::Named(id.into()),
        }
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Id::Numbered(number) => write!(f, "{ID_PREFIX}{number}"),
            Id::Named(id) => f.write_str(id),
        }
    }
}

/// The digits of an id that looks generated; `None` for any other id.
fn digits_of(id: &str) -> Option<&str> {
    let digits = id.strip_prefix(ID_PREFIX)?;
    let are_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (are_digits && !digits.starts_with('0')).then_some(digits)
}

/// The ids of a snapshot, collected while it is read.
#[derive(Debug, Default)]
pub struct SnapshotIds(HashSet<Id>);

impl SnapshotIds {
    /// Checks the id of the next message: not empty, not a duplicate, and not a generated-looking
    /// id that could never have been generated.
    pub fn check(&mut self, id: &str) -> Result<(), Error> {
        if id.is_empty() {
            return Err(Error::invalid_message("id must not be empty"));
        }
        let parsed = Id::parse(id);
        if matches!(parsed, Id::Named(_)) && digits_of(id).is_some() {
            let problem = format!("id {id:?} has a number beyond {MAX_NUMBER}");
            return Err(Error::invalid_message(problem));
        }
        match self.0.insert(parsed) {
            true => Ok(()),
            false => Err(Error::invalid_message(format!(
                "id {id:?} is already used by an earlier message"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_ids_are_numbers_and_other_ids_are_names() {
        assert_eq!(Id::parse("msg-1"), Id::Numbered(1));
        assert_eq!(Id::parse("msg-9007199254740991"), Id::Numbered(MAX_NUMBER));
        for name in ["msg-0", "msg-02", "msg-", "msg--1", "2", "MSG-1", "msg-1x", "msg-٣"] {
            assert_eq!(Id::parse(name), Id::Named(name.into()), "{name}");
        }
    }

    #[test]
    fn a_snapshot_has_each_id_once() {
        let mut ids = SnapshotIds::default();
        for id in ["msg-1", "mine", "msg-01", "msg-2", "msg-9007199254740991", "msg-"] {
            assert_eq!(ids.check(id), Ok(()), "{id}");
        }
        for id in ["msg-1", "mine", "msg-01", "msg-9007199254740991"] {
            assert!(ids.check(id).is_err(), "{id}");
        }
    }

    #[test]
    fn an_id_that_is_never_generated_is_refused() {
        for id in ["msg-9007199254740992", "msg-9007199254740993", "msg-99999999999999999999", ""] {
            assert!(SnapshotIds::default().check(id).is_err(), "{id}");
        }
    }
}
