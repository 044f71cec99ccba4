//! Messages of a conversation.

use crate::binding::strings::{JsString, is_wide, text_of};
use crate::error::Error;
use crate::manager::message::{Envelope, MessageText, Speaker};
use crate::visibility::members::Addressee;
use napi_derive::napi;
use std::borrow::Cow;

/// A message, as `js/checks/messages.js` reads it.
#[napi(object, object_to_js = false)]
pub struct MessageFields {
    pub content: JsString,
    pub speaker_id: String,
    /// Without it, the id is the name.
    pub speaker_name: Option<String>,
    pub display_name: Option<String>,
    pub is_ai: bool,
    pub addressees: Option<Vec<AddresseeFields>>,
    pub parent_message_id: Option<String>,
    pub intent: Option<String>,
    pub pinned: bool,
}

/// An addressee: a text that may name several, or a member.
#[napi(object, object_to_js = false)]
pub struct AddresseeFields {
    /// What is shown.
    pub shown: String,
    /// By what a member is known; absent for a text.
    pub names: Option<Vec<String>>,
}

impl MessageFields {
    /// Everything but the content, and what the message answers.
    pub fn split(self) -> (Envelope, JsString, MessageText<'static>) {
        let speaker = Speaker {
            name: self.speaker_name.unwrap_or_else(|| self.speaker_id.clone()),
            id: self.speaker_id,
            display_name: self.display_name.unwrap_or_default(),
            is_ai: self.is_ai,
        };
        let addressee = |AddresseeFields { shown, names }| match names {
            None => Addressee::Text(shown),
            Some(names) => Addressee::Member { shown, names },
        };
        let addressees = self.addressees.unwrap_or_default().into_iter().map(addressee).collect();
        let text = MessageText {
            content: Cow::Borrowed(""),
            parent_id: self.parent_message_id,
            intent: self.intent,
            pinned: self.pinned,
        };
        (Envelope { speaker, addressees }, self.content, text)
    }

    /// The same with the content. `expect_wide` says whether the one before was mostly beyond
    /// ASCII, and is updated.
    pub fn read(self, expect_wide: &mut bool) -> Result<(Envelope, MessageText<'static>), Error> {
        let (envelope, content, text) = self.split();
        let mut bytes = Vec::new();
        content.append(&mut bytes, *expect_wide)?;
        *expect_wide = is_wide(bytes.as_slice());
        bytes.shrink_to_fit();
        Ok((envelope, MessageText { content: text_of(bytes).into(), ..text }))
    }
}
