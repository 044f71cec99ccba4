//! Where lines come from.

use super::pins::Pins;
use super::{GivenLines, KeptLines, KeptMessages};
use crate::account::{Ledger, MessageName};
use crate::layout::ToolLines;
use crate::parts::MessagePart;
use crate::structure::NameField;
use crate::tokens::{CountedText, Tokenizer};
use std::borrow::Cow;
use std::ops::Range;

/// Where the lines of a conversation come from.
pub(super) enum Backing<'c> {
    /// A caller passes the messages.
    Given(Box<GivenLines>),
    /// A manager keeps them.
    Kept(KeptLines<'c>),
}

/// What a source knows of its lines, before anything is escaped.
pub(super) trait LineSource {
    /// How many lines there are: the window, and what is pinned outside of it.
    fn len(&self) -> usize;

    /// Which lines are pinned, and which are the window.
    fn pins(&self) -> &Pins;

    /// How many older messages the conversation has that are not part of this, and that no summary
    /// covers.
    fn outside(&self) -> usize {
        0
    }

    /// Whether each new message takes the place of the oldest line, whatever the eviction step is.
    fn slides(&self) -> bool {
        false
    }

    /// The account of all messages of the conversation.
    fn ledger(&self, kept: &KeptMessages) -> Ledger;

    /// The message of a line: its index in the list of the caller or of the manager.
    fn index(&self, line: usize) -> usize;

    /// A line as pieces that follow each other, all but the first perhaps empty.
    fn pieces(&self, line: usize) -> [&[u8]; 6];

    /// The longest run of lines before `end` that lie together; empty if the last of them was not
    /// read.
    fn run_before(&self, end: usize) -> Range<usize>;

    /// The bytes of some lines of a run, each with a line break; a line that is absent has none.
    fn run_cost(&self, run: Range<usize>) -> usize;

    /// Whether a message has no line of its own: all that it brings are tool results, and these
    /// stand with their calls.
    fn is_absent(&self, line: usize) -> bool;

    /// Whether the bytes of a run are known without looking at each line.
    fn knows_sums(&self) -> bool;

    /// Some lines of a run as one text, if they are stored so.
    fn run_text(&self, _run: Range<usize>) -> Option<&str> {
        None
    }

    /// The first `count` pinned lines as one text, if they are stored so.
    fn pinned_together(&self, _count: usize) -> Option<PinnedTogether<'_>> {
        None
    }

    /// What a message with parts shows, each result after its call; `None` if it has a content.
    fn shown_parts(&self, line: usize) -> Option<&[MessagePart]>;

    /// A line up to its content.
    fn opening(&self, line: usize) -> String;

    /// The texts of tool calls and results.
    fn tools(&self) -> &ToolLines;

    /// No result that was read has more bytes than this.
    fn longest_result(&self) -> usize;

    /// Which message it is.
    fn name(&self, line: usize) -> MessageName;

    /// What a line says, if this member wrote it.
    fn said_by(&self, member: &str, line: usize) -> Option<Said<'_>>;

    /// Tool calls without a result, and results without a call, in a line.
    fn unpaired(&self, line: usize) -> Vec<&MessagePart>;

    /// Names in a line that had line breaks in them, as they were given.
    fn broken_names(&self, line: usize) -> Vec<(NameField, String)>;

    /// Says what is going to count tokens.
    fn count_with(&self, _tokenizer: Tokenizer) {}

    /// What a function of the caller's has counted of a line's content.
    fn counted(&self, function: usize, line: usize) -> CountedText;

    /// The units of a line with a line break, counted once; `None` if they are more than `most`.
    /// `count` counts up to a number.
    fn units(&self, line: usize, most: u64, count: &dyn Fn(u64) -> Option<u64>) -> Option<u64>;
}

/// What the message of a line says.
pub(super) enum Said<'s> {
    /// A text.
    Content(Cow<'s, str>),
    /// What is shown of its parts.
    Parts(&'s [MessagePart]),
}

/// Pinned lines with the gap lines between them.
pub(super) struct PinnedTogether<'s> {
    pub text: &'s str,
    /// Bytes of all pinned lines, each with a line break.
    pub line_bytes: usize,
    /// Whether these are all pinned lines.
    pub are_all: bool,
}
