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
use crate::text::{head_utf16, shorten};
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

/// Another member's reply, as a prompt shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sibling<'c> {
    /// What is shown.
    pub shown: Shown<'c>,
    index: usize,
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
    pub parent: Option<Shown<'c>>,
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
) -> Option<Shown<'c>> {
    let StoredFields { from, to, .. } = conversation.message(parent);
    let content = conversation.content_with(parent, tools);
    let content = match content.len() <= max_bytes {
        true => content,
        false => shorten(&content, max_bytes)?.into(),
    };
    Some(Shown { from: from.into(), to, content })
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
        let WithoutCode { text, placeholders, code_bytes } = WithoutCode::new(&content);
        let kept = head_utf16(&text, max_units);
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
            origin: Some(QuoteOrigin { id: conversation.id(self.index), index: self.index }),
        }
    }
}

/// Replaces a code block.
const CODE_OMITTED: &str = "[code block omitted]";

/// A text without its code blocks.
struct WithoutCode<'t> {
    text: Cow<'t, str>,
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
        WithoutCode { text, placeholders, code_bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
