//! A message as a caller describes it, and the rules that make a stored message of it.
//!
//! 1. A speaker is `{ id, name, displayName }` or, in older code,
//!    `{ roleId, roleName, roleTitle }`. Without a name, the identifier is the name.
//! 2. `resolvedAddressees` says whom a message is for; if that has nobody, `addressees` does.
//! 3. An addressee is a name, or an object with `identifier`, `name`, `id` or `memberId`. The
//!    first of these is shown. Anything else is an error: it must never become everyone.

use crate::error::Error;
use crate::text::trim_js;
use crate::visibility::members::Addressee;
use std::borrow::Cow;

/// The `type` of a speaker whose repeated messages are shown once.
pub const AI_SPEAKER: &str = "ai";

/// How a caller wrote a speaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpeakerForm {
    /// `{ id, name, displayName }`
    Member,
    /// `{ roleId, roleName, roleTitle }`
    Role,
}

impl SpeakerForm {
    /// The name of the field with the identifier.
    pub fn id_field(self) -> &'static str {
        match self {
            SpeakerForm::Member => "id",
            SpeakerForm::Role => "roleId",
        }
    }

    /// The name of the field with the name.
    pub fn name_field(self) -> &'static str {
        match self {
            SpeakerForm::Member => "name",
            SpeakerForm::Role => "roleName",
        }
    }

    /// The name of the field with the longer name.
    pub fn display_name_field(self) -> &'static str {
        match self {
            SpeakerForm::Member => "displayName",
            SpeakerForm::Role => "roleTitle",
        }
    }
}

/// Who wrote a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Speaker {
    /// Identifies the speaker; not empty.
    pub id: String,
    /// The name in prompts.
    pub name: String,
    /// Another name by which the speaker is known; empty if there is none.
    pub display_name: String,
    /// Whether it is an AI.
    pub is_ai: bool,
}

impl Speaker {
    /// A speaker who is called by its identifier; an error without one.
    pub fn new(form: SpeakerForm, id: String) -> Result<Self, Error> {
        if id.is_empty() {
            let field = form.id_field();
            let problem = format!("speaker.{field} is required: a string that is not empty");
            return Err(Error::invalid_message(problem));
        }
        Ok(Speaker { name: id.clone(), id, ..Speaker::default() })
    }
}

/// The fields that can name an addressee. The first that is given is shown.
pub const ADDRESSEE_FIELDS: [&str; 4] = ["identifier", "name", "id", "memberId"];

/// The fields that can list addressees. The first that has anybody counts.
pub const ADDRESSEE_LISTS: [&str; 2] = ["resolvedAddressees", "addressees"];

/// An addressee with these values of [`ADDRESSEE_FIELDS`]; `None` if there is no name in them.
pub fn addressee_of_fields(fields: [Option<String>; 4]) -> Option<Addressee> {
    let fields = fields.map(|name| name.filter(|name| !trim_js(name).is_empty()));
    let shown = fields.iter().flatten().next()?.clone();
    let [identifier, name, id, member_id] = fields;
    let names = [id, member_id, identifier, name].into_iter().flatten().collect();
    Some(Addressee::Member { shown, names })
}

/// Everything about a message but its content: messages of one speaker to the same addressees
/// have it in common.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Envelope {
    /// Who wrote it.
    pub speaker: Speaker,
    /// Whom it is for; empty for everyone.
    pub addressees: Vec<Addressee>,
}

impl Envelope {
    /// The same; an error if it is larger than what a line can begin with.
    pub fn checked(self) -> Result<Self, Error> {
        let separators = 2 * self.addressees.len();
        let to: usize = self.addressees.iter().map(|addressee| addressee.shown().len()).sum();
        let is_small = |bytes: usize| u32::try_from(bytes).is_ok();
        if is_small(self.speaker.name.len()) && is_small(to.saturating_add(separators)) {
            return Ok(self);
        }
        let problem = format!("names must not have more than {} bytes together", u32::MAX);
        Err(Error::invalid_message(problem))
    }
}

/// What a message says, and what it answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageText<'t> {
    /// What it says, markers and all.
    pub content: Cow<'t, str>,
    /// The message that it replies to.
    pub parent_id: Option<String>,
    /// With which intent.
    pub intent: Option<String>,
    /// Whether it is pinned.
    pub pinned: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speaker_is_called_by_its_identifier_at_first() {
        let speaker = Speaker::new(SpeakerForm::Member, "max".into()).unwrap();
        assert_eq!((speaker.id.as_str(), speaker.name.as_str()), ("max", "max"));
    }

    #[test]
    fn an_addressee_is_shown_by_its_first_field_and_identified_by_its_id() {
        let fields =
            [Some(" "), Some("Sarah"), Some("u1"), None].map(|name| name.map(String::from));
        let names = vec!["u1".to_owned(), "Sarah".to_owned()];
        let expected = Addressee::Member { shown: "Sarah".into(), names };
        assert_eq!(addressee_of_fields(fields), Some(expected));
        assert_eq!(addressee_of_fields([None, Some(String::new()), None, None]), None);
    }

    #[test]
    fn a_missing_identifier_is_named_by_the_form_that_was_used() {
        let problem = |form| Speaker::new(form, String::new()).unwrap_err().to_string();
        assert!(problem(SpeakerForm::Member).starts_with("Message speaker.id is required"));
        assert!(problem(SpeakerForm::Role).starts_with("Message speaker.roleId is required"));
    }
}
