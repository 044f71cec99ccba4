//! Changes to messages that are already in a conversation: corrections, redaction and late
//! addressees. A change takes the same time in a longer conversation. A removal does not: later
//! messages get other indices.

use super::message::{Envelope, MessageText};
use super::store::{Conversation, LineOpening, ReplyTo};
use super::visible::{Concerned, close_up, insert_index, remove_index};
use crate::error::Error;
use crate::visibility::audience::Addressee;
use std::rc::Rc;

/// A message that was updated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Updated {
    /// Its index.
    pub index: usize,
    /// Whether prompts show it differently than before: its line, or its intent among sibling
    /// replies. Late addressees do not count.
    pub is_shown_otherwise: bool,
}

/// The content of a late routing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LateRouting {
    /// Who the message is for.
    pub addressees: Vec<Addressee>,
    /// The message it replies to.
    pub parent_id: Option<String>,
    /// The intent of the reply.
    pub intent: Option<String>,
}

impl Conversation {
    /// Replaces the message with this id and keeps the id.
    pub fn update(
        &mut self,
        id: &str,
        envelope: &Envelope,
        text: &MessageText,
    ) -> Result<Updated, Error> {
        let index = self.index_of(id)?;
        if text.parts.is_empty() && !self.has_parts(index) {
            return Ok(self.update_text(index, envelope, text));
        }
        let before = self.message(index).content.to_owned();
        let content = if text.parts.is_empty() { text.content.clone() } else { (&before).into() };
        let text = MessageText { content, ..text.clone() };
        let updated = self.update_text(index, envelope, &text);
        self.set_parts(index, &text.parts);
        let is_other = self.message(index).content != before;
        Ok(Updated { is_shown_otherwise: updated.is_shown_otherwise || is_other, ..updated })
    }

    fn update_text(&mut self, index: usize, envelope: &Envelope, text: &MessageText) -> Updated {
        let content = self.kept_content(&text.content);
        let before = Rc::clone(&self.messages[index].opening);
        let reply = ReplyTo::of(text);
        let is_same_text = self.message(index).content == content;
        let is_same_content = is_same_text && self.given_bytes(index) == text.content.len();
        let intent = |reply: &Option<Box<ReplyTo>>| reply.as_ref().and_then(|to| to.intent.clone());
        let (old, new) = (&before.envelope, envelope);
        let is_shown_otherwise = !is_same_text
            || old.speaker.name != new.speaker.name
            || old.addressees != new.addressees && !old.addressees.is_empty()
            || intent(&self.messages[index].reply) != intent(&reply);
        let is_readdressed = old != new;
        if is_readdressed {
            let opening = Rc::new(self.opening(envelope));
            if old.speaker != new.speaker {
                self.has_unlearnable_names = true;
            }
            self.readdress(index, opening, &content, is_same_content);
        }
        if !is_same_content {
            let line = [&*self.messages[index].opening.text, &*content, "\n"].concat();
            self.replace_line(index, Some(line));
            self.set_given_bytes(index, text.content.len());
        }
        self.reply_to(index, reply);
        self.pin(index, text.pinned);
        Updated { index, is_shown_otherwise }
    }

    /// Applies a routing that arrived after the message.
    pub fn address(&mut self, index: usize, routing: &LateRouting) {
        let Some(message) = self.messages.get(index) else { return };
        if !routing.addressees.is_empty() {
            let addressees = routing.addressees.clone();
            let envelope = Envelope { addressees, ..message.opening.envelope.clone() };
            let opening = self.shared_opening(&envelope);
            let content = self.message(index).content.to_owned();
            // A message without a line does not get one.
            self.readdress(index, opening, &content, !self.is_absent(index));
            self.pair_parts_of(index);
            self.messages[index].decided.late_at = self.messages.len() as u32;
        }
        let parent_id = routing.parent_id.clone();
        let text = MessageText { parent_id, intent: routing.intent.clone(), ..Default::default() };
        self.reply_to(index, ReplyTo::of(&text));
    }

    /// Gives a message another envelope. Decides again who it is for only if its addressees
    /// changed.
    fn readdress(
        &mut self,
        index: usize,
        opening: Rc<LineOpening>,
        content: &str,
        writes_line: bool,
    ) {
        let old = Rc::clone(&self.messages[index].opening);
        let mut concerned = self.visibility.concerned(index);
        let speaker = &opening.envelope.speaker;
        let names = [speaker.name.as_str(), speaker.display_name.as_str()];
        let names_before = self.visibility.names_known();
        let sender = self.visibility.learn_member(&speaker.id, names);
        self.follow_owners(names_before);
        let Envelope { addressees, is_private, .. } = &opening.envelope;
        if *addressees != old.envelope.addressees || *is_private != old.envelope.is_private {
            concerned.audience = self.visibility.decide(addressees, *is_private);
            let names_known = self.visibility.names_known() as u32;
            let decided = &mut self.messages[index].decided;
            decided.is_explicit |= decided.names_known != names_known;
        }
        if writes_line && old.text != opening.text {
            self.replace_line(index, Some([&*opening.text, content, "\n"].concat()));
        }
        if old.speaker != opening.speaker {
            remove_index(&mut self.said_by[old.speaker as usize], index);
            insert_index(&mut self.said_by[opening.speaker as usize], index);
        }
        let concerned = Concerned { sender, is_private: *is_private, ..concerned };
        self.messages[index].opening = opening;
        self.visibility.readdress(index, concerned);
    }

    /// Replaces the line of a message, including the line break; `None` lays it out when it is read.
    pub(super) fn replace_line(&mut self, index: usize, line: Option<String>) {
        match line {
            Some(line) => self.lines.replace(index, line),
            None => self.lines.replace_when_read(index),
        }
        self.forget_pinned_text();
        self.counts.get_mut().forget(index);
    }

    /// Sets what a message replies to.
    fn reply_to(&mut self, index: usize, reply: Option<Box<ReplyTo>>) {
        let old = self.messages[index].reply.take();
        let parent_of = |reply: &Option<Box<ReplyTo>>| reply.as_ref()?.parent.clone();
        let (before, after) = (parent_of(&old), parent_of(&reply));
        self.messages[index].reply = reply;
        if before == after {
            return;
        }
        if let Some(replies) = before.as_ref().and_then(|parent| self.replies.get_mut(parent)) {
            remove_index(replies, index);
        }
        if let Some(parent) = after {
            insert_index(self.replies.entry(parent).or_default(), index);
        }
    }

    /// Removes the message with this id, which is never reused. Returns its former index.
    pub fn remove(&mut self, id: &str) -> Result<usize, Error> {
        let index = self.index_of(id)?;
        self.set_parts(index, &[]);
        self.lines.remove(index);
        self.forget_pinned_text();
        let removed = self.messages.remove(index);
        self.given_sums.get_mut().forget_from(index);
        self.has_unlearnable_names |= removed.decided.has_taught;
        self.counts.get_mut().remove(index);
        if let Some(places) = &mut self.places {
            places.remove(&removed.id);
            places.values_mut().for_each(|at| *at -= u32::from(*at as usize > index));
        }
        self.uncover(index);
        let pins = std::iter::once(&mut self.pins);
        for indices in self.said_by.iter_mut().chain(self.replies.values_mut()).chain(pins) {
            close_up(indices, index);
        }
        self.replies.retain(|_, replies| !replies.is_empty());
        self.visibility.message_removed(index);
        self.removed_parts(index);
        Ok(index)
    }

    /// The index of the message with this id.
    pub fn index_of(&self, id: &str) -> Result<usize, Error> {
        self.find(id).ok_or_else(|| Error::unknown_message(id))
    }

    pub(super) fn set_given_bytes(&mut self, index: usize, bytes: usize) {
        let before = std::mem::replace(&mut self.messages[index].given_bytes, bytes);
        self.given_sums.get_mut().change(index, before, bytes);
        self.visibility.size_changed(index, before, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manager::message::Speaker;

    fn by(speaker: &str) -> Envelope {
        let (id, name) = (speaker.to_owned(), speaker.to_uppercase());
        let speaker = Speaker { id, name, is_ai: speaker == "max", ..Speaker::default() };
        Envelope { speaker, ..Envelope::default() }
    }

    fn reply(content: &str, parent: &str) -> MessageText<'static> {
        let parent_id = (!parent.is_empty()).then(|| parent.to_owned());
        MessageText { content: content.to_owned().into(), parent_id, ..MessageText::default() }
    }

    fn talk() -> Conversation {
        let mut conversation = Conversation::default();
        let said =
            [("lee", "q", ""), ("max", "a", "msg-1"), ("sarah", "b", "msg-1"), ("max", "c", "")];
        for (speaker, content, parent) in said {
            conversation.add(&by(speaker), &reply(content, parent));
        }
        conversation
    }

    fn replies(conversation: &Conversation, parent: &str) -> Vec<usize> {
        conversation.replies(parent).collect()
    }

    #[test]
    fn a_message_is_replaced_in_its_place() {
        let mut talk = talk();
        for content in ["longer than before [NEXT:x]", "", "中文"] {
            let updated = talk.update("msg-2", &by("sarah"), &reply(content, "msg-3"));
            assert_eq!(updated, Ok(Updated { index: 1, is_shown_otherwise: true }));
            let shown = content.trim_end_matches(" [NEXT:x]");
            let lines = [
                "- LEE -> all: q",
                &format!("- SARAH -> all: {shown}"),
                "- SARAH -> all: b",
                "- MAX -> all: c",
            ];
            assert_eq!(talk.lines(0..4), lines.join("\n"));
            assert_eq!(talk.lines(3..4), lines[3]);
            assert!(!talk.is_by_ai(1));
        }
        assert_eq!(replies(&talk, "msg-1"), [2]);
        assert_eq!(replies(&talk, "msg-3"), [1]);
        assert_eq!((talk.last_said("max", 4), talk.last_said("max", 3)), (Some(3), None));
        assert_eq!((talk.last_said("sarah", 4), talk.last_said("sarah", 2)), (Some(2), Some(1)));
        talk.update("msg-2", &by("sarah"), &reply("x", "")).unwrap();
        assert!(replies(&talk, "msg-3").is_empty());
    }

    #[test]
    fn a_message_counts_as_changed_if_its_line_or_intent_differs() {
        let mut talk = talk();
        let named = |name: &str| {
            let mut envelope = by("max");
            envelope.speaker.name = name.into();
            envelope
        };
        let intent = |intent: &str| MessageText { intent: Some(intent.into()), ..reply("x", "") };
        let pinned = MessageText { pinned: true, ..reply("x", "msg-3") };
        // Applied in order, each with whether the message counts as changed.
        let steps = [
            ("a text", by("max"), reply("x", "msg-1"), true),
            ("nothing", by("max"), reply("x", "msg-1"), false),
            ("a marker, which is stripped", by("max"), reply("x [NEXT:lee]", "msg-1"), false),
            ("what it answers, and a pin", by("max"), pinned, false),
            ("an intent", by("max"), intent("review"), true),
            ("no intent", by("max"), reply("x", ""), true),
            ("a name", named("M"), reply("x", ""), true),
            ("a name that ends elsewhere", named("M -> all"), reply("x", ""), true),
        ];
        for (change, envelope, text, expected) in steps {
            let updated = talk.update("msg-2", &envelope, &text).unwrap();
            assert_eq!(updated, Updated { index: 1, is_shown_otherwise: expected }, "{change}");
        }
    }

    #[test]
    fn the_id_of_a_removed_message_is_not_reused() {
        let mut talk = talk();
        assert_eq!(talk.remove("msg-2"), Ok(1));
        assert_eq!(talk.lines(0..3), "- LEE -> all: q\n- SARAH -> all: b\n- MAX -> all: c");
        assert_eq!(replies(&talk, "msg-1"), [1]);
        assert_eq!((talk.last_said("max", 3), talk.last_said("max", 2)), (Some(2), None));
        assert_eq!((talk.find("msg-2"), talk.find("msg-4")), (None, Some(2)));
        assert_eq!(talk.remove("msg-4"), Ok(2));
        assert_eq!(talk.lines(0..2), "- LEE -> all: q\n- SARAH -> all: b");
        assert_eq!(talk.add(&by("max"), &reply("d", "msg-1")), 5);
        assert_eq!(replies(&talk, "msg-1"), [2, 1]);
        for id in ["msg-1", "msg-3", "msg-5"] {
            talk.remove(id).unwrap();
        }
        assert!(talk.is_empty() && talk.lines(0..0).is_empty());
        assert_eq!(talk.add(&by("max"), &reply("e", "")), 6);
        assert_eq!(talk.lines(0..1), "- MAX -> all: e");
    }

    #[test]
    fn an_unknown_id_changes_nothing() {
        let mut talk = talk();
        let unknown = Error::unknown_message("msg-9");
        assert_eq!(talk.remove("msg-9"), Err(unknown.clone()));
        assert_eq!(talk.update("msg-9", &by("new"), &reply("x", "")), Err(unknown));
        assert_eq!(talk.len(), 4);
        assert_eq!(talk.last_said("new", 4), None);
    }
}
