//! A turn that answers a given message.

use super::options::{ManagerOptions, RouteOptions};
use super::scope::Scope;
use super::store::Conversation;
use super::stored_messages::StoredFields;
use super::turn::{Reply, ReplyFate, Turn};
use super::window::Window;
use crate::account::Reason;
use crate::layout::ToolLines;
use crate::model::{Quote, QuoteOrigin};
use crate::parts::{MessagePart, PartKind, Places, lay_out_texts};
use crate::text::{Stretch, Stretched, head_utf16};
use std::borrow::Cow;

/// A message as a prompt shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown<'c> {
    /// The writer's name, possibly with the intent.
    pub from: Cow<'c, str>,
    /// Who it is for.
    pub to: &'c str,
    /// What is shown of it.
    pub content: Cow<'c, str>,
}

/// The parent, repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeated<'c> {
    /// What is shown.
    pub shown: Shown<'c>,
    /// The tool calls and results in it.
    stretches: Vec<Stretch>,
}

/// Another member's reply, as a prompt shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sibling<'c> {
    /// What is shown.
    pub shown: Shown<'c>,
    /// Its index in the conversation.
    pub(super) index: usize,
    /// Bytes of its own text that are shown.
    own_bytes: usize,
    /// Bytes of its code blocks.
    code_bytes: usize,
    /// Bytes beyond the length limit.
    cut_bytes: usize,
}

/// What an agent also sees when it answers a given message.
#[derive(Debug)]
pub struct RouteView<'c> {
    /// The parent, repeated.
    pub parent: Option<Repeated<'c>>,
    /// Other members' replies to the parent, newest first.
    pub siblings: Vec<Sibling<'c>>,
    /// How many siblings there are in all.
    pub siblings_in_all: usize,
}

/// The turn of a route: the parent is the message to act on, with the window before it. `None` if
/// the parent is missing or the recipient may not see it.
///
/// A session reads in order and each message once. So it gets everything up to the newest message
/// instead, with no sibling replies and no repeated parent.
pub fn routed<'c>(
    conversation: &'c Conversation,
    tools: &ToolLines,
    route: &RouteOptions,
    window_size: usize,
    scope: &Scope,
    options: &ManagerOptions,
) -> Option<(Turn, RouteView<'c>)> {
    let parent = conversation.find_visible(&route.parent_id, scope.recipient)?;
    if scope.in_session {
        let view = RouteView { parent: None, siblings: Vec::new(), siblings_in_all: 0 };
        let turn = match scope.session {
            Some(session) => Turn::delta(conversation, scope, session, Some(parent))?,
            None => Turn::answer(conversation, parent, window_size, scope),
        };
        return Some((turn, view));
    }
    let mut window = Window::before(conversation, parent, window_size, scope);
    let own = conversation.last_said(&route.target_id, parent);
    // Pinned messages are shown, no matter who wrote them.
    if let Some(own) = own.filter(|own| window.contains(*own) && !conversation.is_pinned(*own)) {
        window = window.without(own);
    }
    let omission = window.is_without_one().then_some(Reason::Own);
    let max_siblings = route.max_siblings.unwrap_or(options.max_siblings);
    let mut siblings = Vec::new();
    let mut siblings_in_all = 0;
    let mut replies = Vec::new();
    for index in conversation.replies(&route.parent_id).filter(scope.may_see(conversation)) {
        let fate = if conversation.is_by(index, &route.target_id) {
            ReplyFate::Own
        } else if siblings.len() == max_siblings {
            siblings_in_all += 1;
            ReplyFate::OverLimit
        } else {
            siblings_in_all += 1;
            let sibling = Sibling::new(conversation, tools, index, options.sibling_max_units);
            let Sibling { code_bytes, cut_bytes, .. } = sibling;
            siblings.push(sibling);
            ReplyFate::Shown { code_bytes, cut_bytes }
        };
        replies.push(Reply { index, fate });
    }
    let may_reinsert = route.reinsert_parent.unwrap_or(options.reinsert_parent);
    let repeated = match may_reinsert && !window.contains(parent) {
        true => repeat(conversation, tools, parent, options.parent_max_bytes),
        false => None,
    };
    let turn = Turn::new(conversation, parent, window, omission, replies);
    Some((turn, RouteView { parent: repeated, siblings, siblings_in_all }))
}

fn repeat<'c>(
    conversation: &'c Conversation,
    tools: &ToolLines,
    parent: usize,
    max_bytes: usize,
) -> Option<Repeated<'c>> {
    let StoredFields { from, to, .. } = conversation.message(parent);
    let content = conversation.content_with(parent, tools);
    let stretches = conversation.stretches(parent, tools);
    let (content, stretches) = match content.len() <= max_bytes {
        true => (content, stretches),
        false => {
            let whole = Stretched::new(&content, &stretches);
            let cut = whole.head_tail(max_bytes)?;
            (cut.parts().concat().into(), whole.stretches_in(&cut))
        }
    };
    Some(Repeated { shown: Shown { from: from.into(), to, content }, stretches })
}

impl Repeated<'_> {
    /// The parent in the form that the planner takes; the account already counts it as the current
    /// message.
    pub fn into_quote(self) -> Quote {
        let Shown { from, content, .. } = self.shown;
        let quote = Quote::new(from.into_owned(), content.into_owned());
        Quote { own_bytes: 0, stretches: self.stretches, ..quote }
    }
}

impl Conversation {
    /// The tool calls and results in the content of a message with a layout's texts for them.
    pub(super) fn stretches(&self, index: usize, tools: &ToolLines) -> Vec<Stretch> {
        let Some(shown) = self.shown_parts(index) else { return Vec::new() };
        let texts = shown.iter().map(|part| (part, part.text.as_str()));
        Places::of(texts, tools).stretches
    }
}

impl<'c> Sibling<'c> {
    /// A reply without its code blocks, cut to `max_units`.
    fn new(
        conversation: &'c Conversation,
        tools: &ToolLines,
        index: usize,
        max_units: usize,
    ) -> Self {
        let StoredFields { from, to, .. } = conversation.message(index);
        let content = conversation.content_with(index, tools);
        let without = match conversation.shown_parts(index) {
            Some(shown) => WithoutCode::of_parts(shown, tools),
            None => WithoutCode::new(&content),
        };
        let WithoutCode { text, stretches, placeholders, code_bytes } = without;
        let kept = Stretched::new(&text, &stretches).head(head_utf16(&text, max_units).len());
        let inserted = |start: &usize| kept.len().saturating_sub(*start).min(CODE_OMITTED.len());
        let own_bytes = kept.len() - placeholders.iter().map(inserted).sum::<usize>();
        let shown = match kept.len() < text.len() {
            true => format!("{kept}..."),
            false => text.into_owned(),
        };
        let from = match conversation.intent(index).filter(|intent| !intent.is_empty()) {
            Some(intent) => format!("{from} [{intent}]").into(),
            None => from.into(),
        };
        Sibling {
            shown: Shown { from, to, content: shown.into() },
            index,
            own_bytes,
            code_bytes,
            cut_bytes: content.len() - code_bytes - own_bytes,
        }
    }

    /// The reply in the form that the planner takes.
    pub fn into_quote(self, conversation: &Conversation) -> Quote {
        let Shown { from, content, .. } = self.shown;
        Quote {
            from: from.into_owned(),
            content: content.into_owned(),
            own_bytes: self.own_bytes,
            // It is dropped whole, or not at all.
            stretches: Vec::new(),
            origin: Some(QuoteOrigin { id: conversation.id(self.index), index: self.index }),
        }
    }
}

/// Replaces a code block.
const CODE_OMITTED: &str = "[code block omitted]";

/// A text without its code blocks.
struct WithoutCode<'t> {
    text: Cow<'t, str>,
    /// The tool calls and results in it.
    stretches: Vec<Stretch>,
    /// Where [`CODE_OMITTED`] was inserted.
    placeholders: Vec<usize>,
    /// Bytes of all code blocks.
    code_bytes: usize,
}

impl<'t> WithoutCode<'t> {
    fn new(text: &'t str) -> Self {
        const FENCE: &str = "```";
        let mut kept = String::new();
        let mut placeholders = Vec::new();
        let mut rest = text;
        while let Some((before, inside)) = rest.split_once(FENCE)
            && let Some((_, after)) = inside.split_once(FENCE)
        {
            kept += before;
            placeholders.push(kept.len());
            kept += CODE_OMITTED;
            rest = after;
        }
        let own_bytes = kept.len() - placeholders.len() * CODE_OMITTED.len() + rest.len();
        let code_bytes = text.len() - own_bytes;
        let text = if placeholders.is_empty() { text.into() } else { (kept + rest).into() };
        WithoutCode { text, stretches: Vec::new(), placeholders, code_bytes }
    }

    /// The text of laid-out parts. A code block ends in the part in which it begins: otherwise it
    /// could swallow the result of a call.
    fn of_parts(parts: &'t [MessagePart], tools: &ToolLines) -> Self {
        let said = |part: &'t MessagePart| match part.kind {
            PartKind::File => "",
            _ => part.text.as_str(),
        };
        let texts: Vec<_> = parts.iter().map(|part| WithoutCode::new(said(part))).collect();
        let laid = || parts.iter().zip(texts.iter().map(|without| &*without.text));
        let places = Places::of(laid(), tools);
        let placeholders = texts.iter().zip(&places.texts).flat_map(|(without, start)| {
            without.placeholders.iter().map(move |placeholder| start + placeholder)
        });
        WithoutCode {
            text: lay_out_texts(laid(), tools).into(),
            placeholders: placeholders.collect(),
            stretches: places.stretches,
            code_bytes: texts.iter().map(|without| without.code_bytes).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::TOOL_LINES;
    use crate::manager::message::{Envelope, MessageText};

    fn part(kind: PartKind, text: &str) -> MessagePart {
        MessagePart { kind, text: text.into(), id: "1".into(), ..MessagePart::default() }
    }

    /// A conversation of one message that begins with a text and then calls a tool.
    fn with_call(arguments: &str, result: &str) -> Conversation {
        let parts = vec![
            part(PartKind::Text, "I looked."),
            part(PartKind::Call, arguments),
            part(PartKind::Result, result),
        ];
        let mut conversation = Conversation::default();
        let text = MessageText { parts, ..MessageText::default() };
        conversation.add(&Envelope::default(), &text);
        conversation
    }

    #[test]
    fn a_sibling_is_cut_before_a_call_or_in_its_result() {
        let conversation = with_call("{}", "contents");
        let whole = "I looked.\n→  {}\n← result\ncontents";
        let (call, result) = (whole.find('→').unwrap(), whole.find("contents").unwrap());
        for max_units in 0..40 {
            let shown = Sibling::new(&conversation, &TOOL_LINES, 0, max_units).shown.content;
            let kept = head_utf16(whole, max_units).len();
            let kept = if (call..=result).contains(&kept) { call } else { kept };
            let expected = [&whole[..kept], if kept < whole.len() { "..." } else { "" }].concat();
            assert_eq!(shown, expected, "{max_units}");
        }
    }

    #[test]
    fn a_code_block_of_a_sibling_ends_in_its_part() {
        let conversation = with_call("```", "``` ```x``` ```");
        let Sibling { shown, own_bytes, code_bytes, cut_bytes, .. } =
            Sibling::new(&conversation, &TOOL_LINES, 0, 1000);
        let expected = "I looked.\n→  ```\n← result\n[code block omitted]x[code block omitted]";
        assert_eq!(shown.content, expected);
        assert_eq!((code_bytes, cut_bytes), (14, 0));
        assert_eq!(own_bytes, expected.len() - 2 * CODE_OMITTED.len());
    }

    #[test]
    fn a_repeated_parent_is_cut_around_a_call_and_records_its_position() {
        let conversation = with_call("{}", &"contents ".repeat(90));
        for max_bytes in 70..800 {
            let repeated = repeat(&conversation, &TOOL_LINES, 0, max_bytes);
            let Some(Quote { content, stretches, .. }) = repeated.map(Repeated::into_quote) else {
                panic!("{max_bytes}");
            };
            assert!(content.len() <= max_bytes);
            assert_eq!(content.contains('→'), content.contains("← result\nc"), "{content}");
            assert_eq!(content.contains("contents"), content.contains('→'), "{content}");
            assert_eq!(stretches.len(), content.matches('→').count(), "{content}");
        }
    }

    #[test]
    fn code_blocks_are_left_out_if_they_are_closed() {
        for (text, shown, code_bytes) in [
            ("no code", "no code", 0),
            (
                "a ```ts\nx\n``` b ```y``` c ```open",
                "a [code block omitted] b [code block omitted] c ```open",
                11 + 7,
            ),
            ("``````", "[code block omitted]", 6),
        ] {
            let without = WithoutCode::new(text);
            assert_eq!((&*without.text, without.code_bytes), (shown, code_bytes));
        }
    }
}
