//! A turn that answers a given message.

use super::store::{Conversation, MessageFields};
use super::window::{Turn, Window};
use crate::model::Quote;
use crate::text::{head_utf16, shorten};
use std::borrow::Cow;

/// Which message a member is to answer.
#[derive(Debug, Clone, Copy)]
pub struct Route<'r> {
    /// The message to answer.
    pub parent_id: &'r str,
    /// Who answers.
    pub target_id: &'r str,
    /// Only messages that this member may see.
    pub recipient: Option<&'r str>,
}

/// How much a member sees besides.
#[derive(Debug, Clone, Copy)]
pub struct RouteLimits {
    /// The newest messages before the parent.
    pub window_size: usize,
    /// The most replies of others.
    pub max_siblings: usize,
    /// How much of a reply is shown, in UTF-16 units, as JavaScript counts.
    pub sibling_max_units: usize,
    /// Whether the parent goes along once more if the window does not show it.
    pub reinsert_parent: bool,
    /// How much of the parent, in bytes.
    pub parent_max_bytes: usize,
}

/// A message as it is shown to somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown<'c> {
    /// The writer's name, perhaps with the intent.
    pub from: Cow<'c, str>,
    /// Whom it is for.
    pub to: &'c str,
    /// What is shown of it.
    pub content: Cow<'c, str>,
}

impl From<Shown<'_>> for Quote {
    fn from(shown: Shown) -> Self {
        Quote { from: shown.from.into_owned(), content: shown.content.into_owned() }
    }
}

/// What a member sees who answers a given message.
#[derive(Debug)]
pub struct RoutedTurn<'c> {
    /// The parent as the message to act on, and the window before it.
    pub turn: Turn,
    /// The parent, repeated.
    pub parent: Option<Shown<'c>>,
    /// Other members' replies to the parent, newest first.
    pub siblings: Vec<Shown<'c>>,
    /// How many of those there are in all.
    pub siblings_in_all: usize,
}

impl<'c> RoutedTurn<'c> {
    /// The turn of a route; `None` if there is no such parent, or if the recipient may not see
    /// it.
    pub fn new(conversation: &'c Conversation, route: Route, limits: RouteLimits) -> Option<Self> {
        let parent = conversation.find_visible(route.parent_id, route.recipient)?;
        let mut window = Window::before(conversation, parent, limits.window_size, route.recipient);
        let own = conversation.last_said(route.target_id, parent);
        if let Some(own) = own.filter(|own| window.contains(*own)) {
            window = window.without(own);
        }
        let visible = route.recipient.map(|recipient| conversation.visible_to(recipient));
        let may_see = |index: &usize| match &visible {
            Some(visible) => visible.binary_search(&(*index as u32)).is_ok(),
            None => true,
        };
        let replies =
            conversation.replies_of_others(route.parent_id, route.target_id).filter(may_see);
        let reinsert = limits.reinsert_parent && !window.contains(parent);
        Some(RoutedTurn {
            turn: Turn { message: Some(parent), window },
            parent: if reinsert {
                repeat(conversation, parent, limits.parent_max_bytes)
            } else {
                None
            },
            siblings_in_all: replies.clone().count(),
            siblings: replies
                .take(limits.max_siblings)
                .map(|index| summarize(conversation, index, limits.sibling_max_units))
                .collect(),
        })
    }
}

fn repeat(conversation: &Conversation, parent: usize, max_bytes: usize) -> Option<Shown<'_>> {
    let MessageFields { from, to, content } = conversation.message(parent);
    let content = match content.len() <= max_bytes {
        true => content.into(),
        false => shorten(content, max_bytes)?.into(),
    };
    Some(Shown { from: from.into(), to, content })
}

/// A reply, short enough not to be repeated.
fn summarize(conversation: &Conversation, index: usize, max_units: usize) -> Shown<'_> {
    let MessageFields { from, to, content } = conversation.message(index);
    let mut summary = omit_code_blocks(content);
    let kept = head_utf16(&summary, max_units);
    if kept.len() < summary.len() {
        summary = Cow::Owned(format!("{kept}..."));
    }
    let from = match conversation.intent(index).filter(|intent| !intent.is_empty()) {
        Some(intent) => format!("{from} [{intent}]").into(),
        None => from.into(),
    };
    Shown { from, to, content: summary }
}

fn omit_code_blocks(text: &str) -> Cow<'_, str> {
    const FENCE: &str = "```";
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once(FENCE)
        && let Some((_, after)) = inside.split_once(FENCE)
    {
        kept += before;
        kept += "[code block omitted]";
        rest = after;
    }
    if rest.len() == text.len() { text.into() } else { (kept + rest).into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_blocks_are_left_out_if_they_are_closed() {
        assert_eq!(omit_code_blocks("no code"), "no code");
        assert_eq!(
            omit_code_blocks("a ```ts\nx\n``` b ```y``` c ```open"),
            "a [code block omitted] b [code block omitted] c ```open"
        );
        assert_eq!(omit_code_blocks("``````"), "[code block omitted]");
    }
}
