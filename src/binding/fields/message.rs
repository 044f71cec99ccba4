//! Messages of a conversation.

use crate::binding::strings::{JsString, is_wide, text_of};
use crate::error::Error;
use crate::manager::edit::LateRouting;
use crate::manager::message::{Envelope, MessageText, Speaker};
use crate::parts::{MessagePart, PartKind};
use crate::visibility::audience::Addressee;
use napi::bindgen_prelude::Either;
use napi_derive::napi;
use std::borrow::Cow;

/// An addressee: a text, or a member.
#[napi]
pub type AddresseeFields = Either<String, Vec<Option<String>>>;

/// A message, as `lib/messages/messages.ts` reads it: content; id, name and display name of the
/// speaker, and whether it is an AI; addressees (a text that may name several, or identifier, name, id
/// and memberId of a member); the message that it answers; its intent; whether it is pinned, and
/// whether it is private; its parts, if it has some instead of a content. It is an array, because a property takes 150 ns to read, and an element 50.
#[napi]
pub type MessageFields = (
    JsString,
    String,
    Option<String>,
    Option<String>,
    bool,
    Option<Vec<AddresseeFields>>,
    Option<String>,
    Option<String>,
    bool,
    bool,
    Option<Vec<PartFields>>,
);

/// A part of a message: what it is; the id of a call, or the media type of a file; the name of a tool
/// or a file; what it says; whether a tool has failed; the size of a file.
#[napi]
pub type PartFields = (String, String, String, String, bool, f64);

/// The parts of a message as the core has them.
pub fn parts_of(given: Option<Vec<PartFields>>) -> Vec<MessagePart> {
    let part = |(kind, id, name, text, is_error, data_bytes): PartFields| MessagePart {
        kind: match &*kind {
            "reasoning" => PartKind::Reasoning,
            "tool-call" => PartKind::Call,
            "tool-result" => PartKind::Result,
            "file" => PartKind::File,
            _ => PartKind::Text,
        },
        id,
        name,
        text,
        is_error,
        data_bytes: data_bytes as usize,
        ..MessagePart::default()
    };
    given.unwrap_or_default().into_iter().map(part).collect()
}

/// A routing that came late: addressees, the message that it answers, and its intent.
#[napi]
pub type RoutingFields = (Option<Vec<AddresseeFields>>, Option<String>, Option<String>);

/// The same as the core has it.
pub fn late_routing((addressees, parent_id, intent): RoutingFields) -> LateRouting {
    LateRouting { addressees: addressees_of(addressees), parent_id, intent }
}

/// A message, its content still unread.
pub struct UnreadMessage {
    pub envelope: Envelope,
    pub content: JsString,
    pub text: MessageText<'static>,
}

impl UnreadMessage {
    pub fn new(fields: MessageFields) -> Self {
        let (
            content,
            id,
            name,
            display_name,
            is_ai,
            addressees,
            parent_id,
            intent,
            pinned,
            is_private,
            parts,
        ) = fields;
        let speaker = Speaker {
            // Without a name, the id is the name.
            name: name.unwrap_or_else(|| id.clone()),
            id,
            display_name: display_name.unwrap_or_default(),
            is_ai,
        };
        let envelope = Envelope { speaker, addressees: addressees_of(addressees), is_private };
        let text = MessageText {
            content: Cow::Borrowed(""),
            parts: parts_of(parts),
            parent_id,
            intent,
            pinned,
        };
        UnreadMessage { envelope, content, text }
    }

    /// The same with the content. `expect_wide` says whether the one before was mostly beyond
    /// ASCII, and is updated.
    pub fn read(self, expect_wide: &mut bool) -> Result<(Envelope, MessageText<'static>), Error> {
        let mut bytes = Vec::new();
        self.content.append(&mut bytes, *expect_wide)?;
        *expect_wide = is_wide(bytes.as_slice());
        bytes.shrink_to_fit();
        let content = text_of(bytes).into();
        Ok((self.envelope, MessageText { content, ..self.text }))
    }
}

/// The addressees of a message.
fn addressees_of(given: Option<Vec<AddresseeFields>>) -> Vec<Addressee> {
    given.unwrap_or_default().into_iter().map(addressee).collect()
}

fn addressee(given: AddresseeFields) -> Addressee {
    match given {
        Either::A(text) => Addressee::Text(text),
        Either::B(names) => {
            let mut names = names.into_iter();
            let [identifier, name, id, member_id] =
                std::array::from_fn(|_| names.next().unwrap_or_default());
            let shown = [&identifier, &name, &id, &member_id].into_iter().flatten().next();
            Addressee::Member {
                shown: shown.cloned().unwrap_or_default(),
                ids: [id, member_id, identifier].into_iter().flatten().collect(),
                name,
            }
        }
    }
}
