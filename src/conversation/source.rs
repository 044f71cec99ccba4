//! Where lines come from.

use super::pins::Pins;
use super::{GivenLines, KeptMessages};
use crate::account::{Ledger, MessageName};
use crate::layout::ToolLines;
use crate::parts::MessagePart;
use crate::structure::NameField;
use crate::tokens::CountedText;
use crate::tokens::Tokenizer;
use std::borrow::Cow;
use std::ops::Range;

/// Where the lines of a conversation come from.
pub(super) enum Backing<'c> {
    /// A caller passes the messages.
    Given(Box<GivenLines>),
    /// A manager keeps them.
    Kept(Box<dyn LineSource + 'c>),
}

/// What a source knows about its lines, before escaping.
pub(crate) trait LineSource {
    /// How many lines there are: the window, and pinned lines outside it.
    fn len(&self) -> usize;

    /// Which lines are pinned, and which form the window.
    fn pins(&self) -> &Pins;

    /// How many older messages are not part of these lines and not covered by a summary.
    fn outside(&self) -> usize {
        0
    }

    /// Whether each new message replaces the oldest line, whatever the eviction step is.
    fn slides(&self) -> bool {
        false
    }

    /// The account of all messages of the conversation.
    fn ledger(&self, kept: &KeptMessages) -> Ledger;

    /// The message of a line: its index in the caller's or the manager's list.
    fn index(&self, line: usize) -> usize;

    /// A line as consecutive pieces, of which all but the first may be empty.
    fn pieces(&self, line: usize) -> [&[u8]; 6];

    /// The end of a line that is kept in UTF-16, after its pieces.
    fn wide_content(&self, _line: usize) -> &[u16] {
        &[]
    }

    /// The longest run of lines before `end` that are stored together; empty if the last of them
    /// was not read.
    fn run_before(&self, end: usize) -> Range<usize>;

    /// The bytes of some lines of a run, including line breaks; an absent line has none.
    fn run_cost(&self, run: Range<usize>) -> usize;

    /// Whether a message has no line of its own, because it has only tool results and these are
    /// shown with their calls.
    fn is_absent(&self, line: usize) -> bool;

    /// Whether the bytes of a run are known without looking at each line.
    fn knows_sums(&self) -> bool;

    /// Some lines of a run as one text, if they are stored that way.
    fn run_text(&self, _run: Range<usize>) -> Option<&str> {
        None
    }

    /// The first `count` pinned lines as one text, if they are stored that way.
    fn pinned_together(&self, _count: usize) -> Option<PinnedTogether<'_>> {
        None
    }

    /// What a message with parts shows, each result after its call; `None` if it has a content.
    fn shown_parts(&self, line: usize) -> Option<&[MessagePart]>;

    /// A line up to its content.
    fn opening(&self, line: usize) -> String;

    /// The texts of tool calls and results.
    fn tools(&self) -> &ToolLines;

    /// An upper bound on the bytes of any result read.
    fn longest_result(&self) -> usize;

    /// The name of the message.
    fn name(&self, line: usize) -> MessageName;

    /// What a line says, if this member wrote it.
    fn said_by(&self, member: &str, line: usize) -> Option<Said<'_>>;

    /// The names in a line that contained line breaks, as given.
    fn broken_names(&self, line: usize) -> Vec<(NameField, String)>;

    /// The size of a message as its sender gave it, if it is known without reading the message.
    fn given_bytes(&self, _line: usize) -> usize {
        0
    }

    /// The units of the content of the message at an index, without the rest of its line, if it
    /// has one in these lines.
    fn content_units(&self, _tokenizer: Tokenizer, _index: usize) -> Option<u64> {
        None
    }

    /// Announces the tokenizer.
    fn count_with(&self, _tokenizer: Tokenizer) {}

    /// What a caller-supplied function counted for a line's content.
    fn counted(&self, function: usize, line: usize) -> CountedText;

    /// The units of a line with a line break, counted once; `None` if more than `most`. `count`
    /// counts up to a limit.
    fn units(&self, line: usize, most: u64, count: &dyn Fn(u64) -> Option<u64>) -> Option<u64>;
}

/// What the message of a line says.
pub(crate) enum Said<'s> {
    /// A text.
    Content(Cow<'s, str>),
    /// What is shown of its parts.
    Parts(&'s [MessagePart]),
}

/// Pinned lines with the gap lines between them.
pub(crate) struct PinnedTogether<'s> {
    /// The lines.
    pub text: &'s str,
    /// Bytes of all pinned lines, each with a line break.
    pub line_bytes: usize,
    /// Whether these are all pinned lines.
    pub are_all: bool,
}
