//! The room that the other sections of a prompt leave for the conversation.

use super::context_tokens::PinnedUnits;
use super::{LineMeter, Lines, TokenRoom, WindowRoom};
use crate::tokens::Tokenizer;

/// The room that other sections leave for the conversation.
#[derive(Clone)]
pub struct Room {
    /// Bytes for the lines; `None` if not even what surrounds them fits.
    pub(crate) bytes: Option<usize>,
    /// Room in tokens, if they are counted.
    pub(crate) tokens: Option<TokenRoom>,
}

impl Room {
    /// The tokenizer, if tokens are counted.
    pub fn tokenizer(&self) -> Option<Tokenizer> {
        self.tokens.as_ref().map(|room| room.tokenizer)
    }

    /// The room for lines of the window that are not pinned. It is slightly more than pinned lines
    /// leave: a line may replace a longer gap line.
    pub fn of_window(&self, lines: &mut Lines) -> WindowRoom {
        if lines.pins().is_plain() {
            let meter = self.tokens.clone().map(LineMeter::new);
            return WindowRoom { bytes: self.bytes.map_or(0, |bytes| bytes + 1), meter };
        }
        let pinned_bytes = lines.pinned_bytes();
        // Apart from gap lines, anything larger neither fits nor is the least.
        let limit = self.bytes.unwrap_or(0).max(only_pinned_bytes(lines, pinned_bytes));
        let tokens = self.tokens.clone().map(|tokens| PinnedUnits::new(lines, tokens));
        WindowRoom {
            bytes: (limit + 1).saturating_sub(pinned_bytes),
            meter: tokens.map(|tokens| tokens.meter_of_others(lines)),
        }
    }
}

/// The bytes of the pinned lines with the gap lines between them.
fn only_pinned_bytes(lines: &Lines, pinned_bytes: usize) -> usize {
    joined_bytes(lines, pinned_bytes, lines.pins().window().end)
}

/// The bytes of lines with their line breaks, and of the notes and gap lines among them if the
/// window is kept from `first` on, without the last line break.
pub(crate) fn joined_bytes(lines: &Lines, line_bytes: usize, first: usize) -> usize {
    let notes: usize = lines.notes().map(|note| note.len() + 1).sum();
    let gaps = lines.pins().gaps(first);
    (line_bytes + notes + gaps * (lines.gap_line().len() + 1)).saturating_sub(1)
}

/// The bytes of the unpinned lines from `first` on, including line breaks.
pub(crate) fn free_bytes(lines: &Lines, first: usize) -> usize {
    let run = first..lines.pins().window().end;
    if run.is_empty() {
        return 0;
    }
    let pinned = lines.pins().among(run).iter().map(|position| lines.line_cost(*position));
    lines.cost_from(first) - pinned.sum::<usize>()
}
