//! Messages as callers have them, to messages as the core keeps them.

use super::fields::{Field, check_string};
use crate::binding::failure::Failure;
use crate::binding::node_api::{Kind, Scope, Value};
use crate::context::message::{
    ADDRESSEE_FIELDS, ADDRESSEE_LISTS, AI_SPEAKER, Envelope, MessageText, Speaker, SpeakerForm,
    addressee_of_fields,
};
use crate::error::Error;
use crate::visibility::members::Addressee;
use std::borrow::Cow;

/// The fields of a message, of its speaker and of its routing, as `js/fields.js` passes them.
pub struct MessageFields<'s> {
    pub message: Value<'s>,
    pub content: Value<'s>,
    pub speaker: Value<'s>,
    pub id: Value<'s>,
    pub name: Value<'s>,
    pub display_name: Value<'s>,
    pub kind: Value<'s>,
    pub role_id: Value<'s>,
    pub role_name: Value<'s>,
    pub role_title: Value<'s>,
    pub routing: Value<'s>,
    /// In the order of [`ADDRESSEE_LISTS`].
    pub addressee_lists: [Value<'s>; 2],
}

impl<'s> MessageFields<'s> {
    /// The fields of an object that were not passed by position.
    pub fn of_object(scope: Scope<'s>, message: Value<'s>) -> Result<Self, Failure> {
        let field = |of: Value<'s>, name: &str| match scope.kind(of)? {
            Kind::Object => scope.named(of, name),
            _ => scope.undefined(),
        };
        let (speaker, routing) = (field(message, "speaker")?, field(message, "routing")?);
        let [resolved, addressees] = ADDRESSEE_LISTS;
        Ok(MessageFields {
            message,
            content: field(message, "content")?,
            speaker,
            id: field(speaker, "id")?,
            name: field(speaker, "name")?,
            display_name: field(speaker, "displayName")?,
            kind: field(speaker, "type")?,
            role_id: field(speaker, "roleId")?,
            role_name: field(speaker, "roleName")?,
            role_title: field(speaker, "roleTitle")?,
            routing,
            addressee_lists: [field(routing, resolved)?, field(routing, addressees)?],
        })
    }

    /// Checks a message, and reads everything but its content.
    pub fn envelope(&self, scope: Scope<'s>) -> Result<Envelope, Failure> {
        match scope.kind(self.message)? {
            Kind::Undefined | Kind::Null => {
                return Err(Error::invalid_message("cannot be null or undefined").into());
            }
            Kind::Object => {}
            kind => {
                let problem = format!("content must be a string, got none on a {}", kind.name());
                return Err(Error::invalid_message(problem).into());
            }
        }
        check_string(message_field(scope, "content", self.content)).map_err(as_message_error)?;
        let envelope = Envelope {
            speaker: self.read_speaker(scope).map_err(as_message_error)?,
            addressees: self.addressees(scope).map_err(as_message_error)?,
        };
        Ok(envelope.checked()?)
    }

    fn read_speaker(&self, scope: Scope<'s>) -> Result<Speaker, Failure> {
        if scope.kind(self.speaker)?.is_nothing() {
            return Err(Error::invalid_message("speaker is required").into());
        }
        let is_given = |value| Ok::<bool, Failure>(!scope.kind(value)?.is_nothing());
        let is_role = !is_given(self.id)? && (is_given(self.role_id)? || is_given(self.role_name)?);
        let (form, id, name, display_name) = match is_role {
            true => (SpeakerForm::Role, self.role_id, self.role_name, self.role_title),
            false => (SpeakerForm::Member, self.id, self.name, self.display_name),
        };
        let id = match scope.kind(id)? {
            Kind::String => scope.string(id)?,
            _ => String::new(),
        };
        let mut speaker = Speaker::new(form, id)?;
        let name_path = format!("speaker.{}", form.name_field());
        if let Some(name) = message_field(scope, &name_path, name).optional_string()? {
            speaker.name = name;
        }
        let display_path = format!("speaker.{}", form.display_name_field());
        speaker.display_name =
            message_field(scope, &display_path, display_name).string_or_empty()?;
        if let Some(kind) = message_field(scope, "speaker.type", self.kind).given()? {
            check_string(kind)?;
            speaker.is_ai = scope.is_string(kind.value, AI_SPEAKER)?;
        }
        Ok(speaker)
    }

    fn addressees(&self, scope: Scope<'s>) -> Result<Vec<Addressee>, Failure> {
        let Some(routing) = message_field(scope, "routing", self.routing).given()? else {
            return Ok(Vec::new());
        };
        routing.object()?;
        if scope.array_length(self.routing)?.is_some() {
            return Err(routing.wrong("an object"));
        }
        for (name, list) in ADDRESSEE_LISTS.into_iter().zip(self.addressee_lists) {
            let path = format!("routing.{name}");
            let Some(list) = message_field(scope, &path, list).given()? else { continue };
            let addressees = list.elements("an array")?.map(|element| addressee(element?.field()));
            let mut addressees = addressees.collect::<Result<Vec<_>, _>>()?;
            addressees.retain(|addressee| !addressee.shown().is_empty());
            if !addressees.is_empty() {
                return Ok(addressees);
            }
        }
        Ok(Vec::new())
    }
}

/// A name, or an object that has one.
fn addressee(field: Field) -> Result<Addressee, Failure> {
    let kind = field.kind()?;
    if kind == Kind::String {
        return field.string().map(Addressee::Text);
    }
    let mut names = [const { None }; 4];
    if kind == Kind::Object {
        let object = field.object()?;
        for (name, value) in names.iter_mut().zip(ADDRESSEE_FIELDS) {
            let given = object.field(value)?;
            if given.kind()? == Kind::String {
                *name = Some(given.string()?);
            }
        }
    }
    let fields = ADDRESSEE_FIELDS.join(", ");
    let expected = || format!("a string, or an object with one of {fields}");
    addressee_of_fields(names).ok_or_else(|| field.wrong(&expected()))
}

/// What a message says, and what it answers.
pub fn message_text<'s, 't>(
    scope: Scope<'s>,
    content: Cow<'t, str>,
    parent_message_id: Value<'s>,
    intent: Value<'s>,
) -> Result<MessageText<'t>, Failure> {
    let optional =
        |name, value| message_field(scope, name, value).optional_string().map_err(as_message_error);
    Ok(MessageText {
        content,
        parent_id: optional("routing.parentMessageId", parent_message_id)?,
        intent: optional("routing.intent", intent)?,
        pinned: false,
    })
}

fn message_field<'s, 'p>(scope: Scope<'s>, name: &'p str, value: Value<'s>) -> Field<'s, 'p> {
    Field::new(scope, name, value).below("Message")
}

/// `Message.content must …` as existing callers expect it: `Message content must …`.
fn as_message_error(failure: Failure) -> Failure {
    match failure {
        Failure::Ours(Error::InvalidArgType { path, expected, got }) => {
            let field = path.strip_prefix("Message.").unwrap_or(&path);
            Error::invalid_message(format!("{field} must be {expected}, got {got}")).into()
        }
        other => other,
    }
}

/// Whether a message is pinned, by its field.
pub fn is_pinned<'s>(scope: Scope<'s>, pinned: Value<'s>) -> Result<bool, Failure> {
    let pinned = Field::new(scope, "pinned", pinned).optional_boolean();
    Ok(pinned.map_err(as_message_error)?.unwrap_or(false))
}
