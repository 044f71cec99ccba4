//! Messages and snapshots as callers have them, to messages as the core keeps them.

use super::border::{Border, Kind, Value};
use super::failure::Failure;
use super::reader::Reader;
use crate::context::{Conversation, NewMessage};
use crate::error::Error;

/// Where the addressees of a message may stand, and what may name one of them.
const ADDRESSEE_LISTS: [&str; 2] = ["resolvedAddressees", "addressees"];
const ADDRESSEE_NAMES: [&str; 3] = ["identifier", "name", "id"];

/// What the door of `addMessage` has read: fields of the message, of its speaker, and of its
/// routing.
const MESSAGE_FIELDS: &[&str] = &["content", "speaker", "routing"];
const SPEAKER_FIELDS: &[&str] = &["id", "name", "type"];
const ROUTING_FIELDS: &[&str] = &["resolvedAddressees", "addressees", "parentMessageId", "intent"];

/// Reads a message that is to be added. `fields` are those that have been read, if they have;
/// all others are looked up.
pub fn new_message<'s>(
    border: Border<'s>,
    message: Value<'s>,
    fields: &'s [Value<'s>],
) -> Result<NewMessage, Failure> {
    match border.kind(message)? {
        Kind::Undefined | Kind::Null => {
            return Err(Error::invalid_message("cannot be null or undefined").into());
        }
        Kind::Object => {}
        kind => {
            let problem = format!("content must be a string, got none on a {}", kind.name());
            return Err(Error::invalid_message(problem).into());
        }
    }
    let (of_message, rest) = fields.split_at(fields.len().min(MESSAGE_FIELDS.len()));
    let (of_speaker, of_routing) = rest.split_at(rest.len().min(SPEAKER_FIELDS.len()));
    let fields =
        Reader::new(border, message, "Message", "Message")?.having_read(MESSAGE_FIELDS, of_message);
    let content = fields.required_string("content").map_err(spoken)?;
    let speaker = match fields.given("speaker")? {
        Some((speaker, Kind::Object)) => {
            Reader::new(border, speaker, "Message.speaker", "Message.speaker")?
                .having_read(SPEAKER_FIELDS, of_speaker)
        }
        None => return Err(Error::invalid_message("speaker is required").into()),
        Some(_) => return Err(Error::invalid_message("speaker.id is required").into()),
    };
    let speaker_id = match speaker.given("id")? {
        Some((id, Kind::String)) => border.string(id)?,
        _ => String::new(),
    };
    if speaker_id.is_empty() {
        let problem = "speaker.id is required: a string that is not empty";
        return Err(Error::invalid_message(problem).into());
    }
    let name = speaker.optional_string("name").map_err(spoken)?;
    let is_ai = match speaker.given("type")? {
        None => false,
        Some((kind, Kind::String)) => border.is_string(kind, "ai")?,
        Some((other, _)) => return Err(spoken(speaker.wrong("type", other, "a string"))),
    };
    let mut new = NewMessage {
        name: name.unwrap_or_else(|| speaker_id.clone()),
        speaker_id,
        is_ai,
        content,
        ..NewMessage::default()
    };
    if let Some((routing, Kind::Object)) = fields.given("routing")? {
        let routing = Reader::new(border, routing, "Message.routing", "Message.routing")?
            .having_read(ROUTING_FIELDS, of_routing);
        new.addressees = addressees(&routing)?;
        new.parent_id = routing.optional_string("parentMessageId").map_err(spoken)?;
        new.intent = routing.optional_string("intent").map_err(spoken)?;
    }
    Ok(new)
}

/// `Message.content must …` as existing callers expect it: `Message content must …`.
fn spoken(failure: Failure) -> Failure {
    match failure {
        Failure::Ours(Error::InvalidArgType { path, expected, got }) => {
            let field = path.strip_prefix("Message.").unwrap_or(&path);
            Error::invalid_message(format!("{field} must be {expected}, got {got}")).into()
        }
        other => other,
    }
}

fn addressees(routing: &Reader) -> Result<Vec<String>, Failure> {
    let border = routing.border;
    for field in ADDRESSEE_LISTS {
        let Some((list, _)) = routing.given(field)? else { continue };
        let Some(length) = border.array_length(list)? else {
            return Err(spoken(routing.wrong(field, list, "an array")));
        };
        let names = (0..length).map(|index| addressee(border, border.element(list, index)?));
        let not_empty =
            |name: &Result<String, Failure>| !matches!(name, Ok(name) if name.is_empty());
        return names.filter(not_empty).collect();
    }
    Ok(Vec::new())
}

/// A name, or an object that has one.
fn addressee<'s>(border: Border<'s>, value: Value<'s>) -> Result<String, Failure> {
    match border.kind(value)? {
        Kind::String => border.string(value),
        Kind::Object => {
            let path = "Message.routing.addressees[]";
            let reader = Reader::new(border, value, path, path)?;
            for field in ADDRESSEE_NAMES {
                if let Some((name, Kind::String)) = reader.given(field)? {
                    return border.string(name);
                }
            }
            Ok(String::new())
        }
        _ => Ok(String::new()),
    }
}

/// A snapshot, checked: the conversation, and the messages for the caller.
pub struct Restored<'s> {
    pub conversation: Conversation,
    pub messages: Value<'s>,
    /// The size of a team task that was cut, before and after.
    pub task_cut: Option<(usize, usize)>,
}

/// Checks all of a snapshot, and makes of it what replaces a conversation.
pub fn restore<'s>(border: Border<'s>, snapshot: Value<'s>) -> Result<Restored<'s>, Failure> {
    let reader = Reader::new(border, snapshot, "snapshot", "").map_err(unrestorable)?;
    let version = reader.given("version")?;
    if !matches!(version, Some((version, Kind::Number)) if border.number(version)? == 1.0) {
        return Err(Error::invalid_snapshot("version must be 1").into());
    }
    let (given, length) = reader.array("messages").map_err(unrestorable)?;
    let task = reader.optional_string("teamTask").map_err(unrestorable)?;

    let messages = border.array(length as usize)?;
    let mut conversation = Conversation::default();
    for index in 0..length {
        let (id, message) = border
            .nested(|border| {
                let copy = restored_message(border, border.element(given, index)?)?;
                border.set_element(messages, index as usize, copy)?;
                let reader = Reader::new(border, copy, "message", "")?;
                Ok((reader.required_string("id")?, new_message(border, copy, &[])?))
            })
            .map_err(|failure| in_message(index, failure))?;
        if id.is_empty() {
            let problem = format!("messages[{index}].id must not be empty");
            return Err(Error::invalid_snapshot(problem).into());
        }
        conversation.restore(&id, &message);
    }
    let task_cut = conversation.set_team_task(task.as_deref());
    Ok(Restored { conversation, messages, task_cut })
}

/// A copy of a message, with a date again if JSON made a string of it.
fn restored_message<'s>(border: Border<'s>, message: Value<'s>) -> Result<Value<'s>, Failure> {
    Reader::new(border, message, "message", "")?;
    let copy = border.copy_object(message)?;
    let reader = Reader::new(border, copy, "message", "")?;
    if let Some((timestamp, kind)) = reader.given("timestamp")? {
        let milliseconds = border.date_milliseconds(timestamp)?;
        if milliseconds.is_nan() {
            return Err(reader.wrong("timestamp", timestamp, "a date"));
        }
        if kind != Kind::Object {
            border.set(copy, "timestamp", border.date(milliseconds)?)?;
        }
    }
    Ok(copy)
}

fn unrestorable(failure: Failure) -> Failure {
    match failure {
        Failure::Ours(error) => Error::invalid_snapshot(error.to_string()).into(),
        other => other,
    }
}

fn in_message(index: u32, failure: Failure) -> Failure {
    match failure {
        Failure::Ours(error) => {
            let problem = error.to_string();
            let problem = problem.strip_prefix("Message ").unwrap_or(&problem);
            Error::invalid_snapshot(format!("messages[{index}]: {problem}")).into()
        }
        other => other,
    }
}
