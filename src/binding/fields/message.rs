//! Messages of a conversation.

use crate::binding::strings::{JsString, is_wide, text_of};
use crate::error::Error;
use crate::manager::message::{Envelope, MessageText, Speaker};
use crate::visibility::members::Addressee;
use napi::bindgen_prelude::Either;
use napi_derive::napi;
use std::borrow::Cow;

/// A message, as `js/checks/messages.js` reads it: content; id, name and display name of the
/// speaker, and whether it is an AI; addressees (a text that may name several, or of a member what is
/// shown and then its names); the message that it answers; its intent; whether it is pinned. It is an
/// array, because a property takes 150 ns to read, and an element 50.
#[napi]
pub type MessageFields = (
    JsString,
    String,
    Option<String>,
    Option<String>,
    bool,
    Option<Vec<Either<String, Vec<String>>>>,
    Option<String>,
    Option<String>,
    bool,
);

/// A message, its content still unread.
pub struct UnreadMessage {
    pub envelope: Envelope,
    pub content: JsString,
    pub text: MessageText<'static>,
}

impl UnreadMessage {
    pub fn new(fields: MessageFields) -> Self {
        let (content, id, name, display_name, is_ai, addressees, parent_id, intent, pinned) =
            fields;
        let speaker = Speaker {
            // Without a name, the id is the name.
            name: name.unwrap_or_else(|| id.clone()),
            id,
            display_name: display_name.unwrap_or_default(),
            is_ai,
        };
        let addressees = addressees.unwrap_or_default().into_iter().map(addressee).collect();
        let envelope = Envelope { speaker, addressees };
        let text = MessageText { content: Cow::Borrowed(""), parent_id, intent, pinned };
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

fn addressee(given: Either<String, Vec<String>>) -> Addressee {
    match given {
        Either::A(text) => Addressee::Text(text),
        Either::B(mut names) => {
            let shown = if names.is_empty() { String::new() } else { names.remove(0) };
            Addressee::Member { shown, names }
        }
    }
}
