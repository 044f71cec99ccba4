//! Where lines come from.

use super::pins::Pins;
use super::{GivenLines, KeptLines};
use crate::structure::NameField;
use crate::tokens::{CountedText, Tokenizer};
use std::ops::Range;

/// Where the lines of a conversation come from.
pub(super) enum Backing<'c> {
    /// A caller passes the messages.
    Given(Box<GivenLines>),
    /// A manager keeps them.
    Kept(KeptLines<'c>),
}

impl Backing<'_> {
    pub fn pins(&self) -> &Pins {
        match self {
            Backing::Given(given) => given.pins(),
            Backing::Kept(kept) => kept.pins(),
        }
    }
}

/// What a source knows of its lines, before anything is escaped.
pub(super) trait LineSource {
    /// The message of a line: its index in the list of the caller or of the manager.
    fn index(&self, line: usize) -> usize;

    /// A line as pieces that follow each other, all but the first perhaps empty.
    fn pieces(&self, line: usize) -> [&[u8]; 6];

    /// The longest run of lines before `end` that lie together; empty if the last of them was not
    /// read.
    fn run_before(&self, end: usize) -> Range<usize>;

    /// The bytes of some lines of a run with the line breaks between them; at least one line.
    fn run_bytes(&self, run: Range<usize>) -> usize;

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

/// Pinned lines with the gap lines between them.
pub(super) struct PinnedTogether<'s> {
    pub text: &'s str,
    /// Bytes of all pinned lines, each with a line break.
    pub line_bytes: usize,
    /// Whether these are all pinned lines.
    pub are_all: bool,
}
