//! Runs of messages, with the pinned ones apart.

use std::ops::Range;

/// A pinned message, or some that are not.
pub(super) enum Piece {
    Pinned,
    Free(Range<usize>),
}

/// A run of messages as its pinned ones and the runs between them, newest first.
pub(super) fn pieces_newest_first(
    pins: &[u32],
    mut rest: Range<usize>,
) -> impl Iterator<Item = Piece> {
    let before_end = pins.partition_point(|pin| (*pin as usize) < rest.end);
    let mut pins = pins[..before_end].iter().rev().map(|pin| *pin as usize).peekable();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if pins.next_if(|pin| pin + 1 == rest.end).is_some() {
            rest.end -= 1;
            return Some(Piece::Pinned);
        }
        let after_pin = pins.peek().map_or(0, |pin| pin + 1);
        let free = rest.start.max(after_pin)..rest.end;
        rest.end = free.start;
        Some(Piece::Free(free))
    })
}
