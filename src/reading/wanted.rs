//! What a caller is asked to pass next. Messages are passed together, and how many are needed is only
//! known once they are laid out, so this is a guess where it must be one: never too much of what was
//! passed before, and never so little that a prompt takes many steps.

use super::{Phase, Reading};
use crate::account::MAX_LISTED;
use crate::conversation::{GivenLines, Lines, MAX_MEASURED, WindowRoom};
use crate::layout::{EVERYONE, LineStyle};
use std::ops::Range;

/// How much of a message is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Sender and addressees.
    Names,
    /// These and the content.
    Content,
    /// The names, and the size of the content.
    Size,
}

/// A list of messages, in the order in which they are needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// How much of each is needed.
    pub need: Need,
    /// The messages, if they are not adjacent.
    pub indices: Vec<usize>,
    /// The messages otherwise, newest first.
    pub range: Range<usize>,
    /// Whether the list begins where the one before has ended.
    pub continues: bool,
    /// How many messages at most.
    pub most: usize,
    /// The list ends with the message whose line exceeds this sum of units.
    pub units: usize,
    /// A content with more units certainly does not fit, so the rest of it is not needed.
    pub longest: usize,
    /// Whether a caller-supplied function has to count their contents.
    pub is_counted: bool,
}

/// The units of a line in addition to sender, addressees and content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineUnits {
    /// What the layout puts around them, with a line break.
    pub frame: usize,
    /// The units of an addressee that is empty; `None` if addressees are not shown.
    pub everyone: Option<usize>,
}

impl LineUnits {
    /// Of lines in this style.
    pub fn of(style: &LineStyle) -> Self {
        let arrow = style.arrow.as_deref();
        let frame = style.open.len() + arrow.map_or(0, str::len) + style.colon.len() + 1;
        LineUnits { frame, everyone: arrow.map(|_| EVERYONE.len()) }
    }
}

/// The bytes of a token, until some were counted.
const BYTES_PER_TOKEN: usize = 4;

/// How many messages are asked for first where only their parts are needed, and how many times as
/// many as before then.
const FEW_PAIRED: usize = 4;
const GROWTH: usize = 3;

/// A guess is larger by one in this many.
const MARGIN: usize = 16;

impl Wanted {
    pub(super) fn range(need: Need, range: Range<usize>) -> Self {
        let (most, units, longest) = (usize::MAX, usize::MAX, usize::MAX);
        let (indices, continues, is_counted) = (Vec::new(), false, false);
        Wanted { need, indices, range, continues, most, units, longest, is_counted }
    }

    pub(super) fn indices(need: Need, indices: Vec<usize>) -> Self {
        Wanted { indices, ..Wanted::range(need, 0..0) }
    }

    /// Lines of a conversation, newest first.
    pub(super) fn lines(need: Need, lines: &Lines, wanted: Range<usize>) -> Self {
        let Some(last) = wanted.clone().next_back() else { return Wanted::range(need, 0..0) };
        let (first, last) = (lines.index(wanted.start), lines.index(last));
        match last - first == wanted.len() - 1 {
            true => Wanted::range(need, first..last + 1),
            false => Wanted::indices(need, wanted.rev().map(|line| lines.index(line)).collect()),
        }
    }
}

/// How much room what was read took, to guess how much of the rest fits.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// UTF-16 units of contents.
    pub units: usize,
    /// What was left of the token budget before the window was read.
    pub tokens_before: u64,
}

impl Taken {
    /// About how many units of lines fit into what is left. Text of ASCII alone has a byte for each.
    fn fitting(&self, room: &WindowRoom, lines: &Lines) -> usize {
        let left = self.bytes_left(room, lines);
        let bytes = lines.passed().map_or(0, GivenLines::content_bytes);
        if bytes <= self.units {
            return left;
        }
        let line_bytes = Taken::line_bytes(lines).max(bytes);
        scaled(left, line_bytes - bytes + self.units, line_bytes).clamp(1, room.bytes.max(1))
    }

    /// The bytes of the lines that were read of the window.
    fn line_bytes(lines: &Lines) -> usize {
        let window = lines.pins().window();
        let read_from = lines.passed().map_or(0, GivenLines::read_from);
        lines.cost_from(read_from.clamp(window.start, window.end))
    }

    fn bytes_left(&self, room: &WindowRoom, lines: &Lines) -> usize {
        let Some(meter) = &room.meter else { return room.bytes };
        let left = meter.room();
        let taken = self.tokens_before.saturating_sub(left);
        let guess = match taken {
            0 => meter.tokenizer().tokens(left).saturating_mul(BYTES_PER_TOKEN),
            _ => scaled(Taken::line_bytes(lines), left as usize, taken as usize),
        };
        guess.clamp(1, room.bytes.max(1))
    }
}

/// `size × part / whole`, and a little more.
fn scaled(size: usize, part: usize, whole: usize) -> usize {
    let scaled = (size as u128 * part as u128 / whole.max(1) as u128) as usize;
    scaled.saturating_add(scaled / MARGIN)
}

impl Reading {
    /// How much of the wanted message is needed.
    pub(super) fn need(&self) -> Need {
        match &self.phase {
            Phase::Choosing(_) | Phase::Pairs => Need::Names,
            Phase::Pinned(_) | Phase::Window(_) => Need::Content,
            Phase::Unkept(unkept) => unkept.need(),
            Phase::Done => Need::Names,
        }
    }

    /// What to pass next. Empty if nothing more is needed.
    pub fn wanted_next(&self) -> Vec<Wanted> {
        let Some(index) = self.wanted else { return Vec::new() };
        match &self.phase {
            Phase::Choosing(choosing) => vec![choosing.wanted_next()],
            Phase::Pinned(_) => {
                let positions = self.lines.pins().positions().iter();
                let indices = positions.map(|line| self.lines.index(*line));
                let rest = indices.skip_while(|pinned| *pinned != index).collect();
                let pinned = Wanted::indices(Need::Content, rest);
                vec![Wanted { is_counted: self.counts_by_function(), ..pinned }]
            }
            Phase::Window(room) => self.wanted_of_window(index, room),
            Phase::Pairs => {
                // Mostly, the next message has them.
                let start = index.saturating_sub(FEW_PAIRED + GROWTH * self.paired);
                vec![Wanted::range(Need::Names, start..index + 1)]
            }
            Phase::Unkept(unkept) => unkept.wanted_next(&self.lines),
            Phase::Done => Vec::new(),
        }
    }

    fn wanted_of_window(&self, index: usize, room: &WindowRoom) -> Vec<Wanted> {
        let lines = &self.lines;
        let end = self.lines_up_to(index);
        let wanted = Wanted::lines(Need::Content, lines, lines.pins().window().start..end);
        let start = wanted.range.start;
        let wanted = Wanted {
            units: self.taken.fitting(room, lines),
            // A report describes all of it.
            longest: if self.inputs.report { usize::MAX } else { room.bytes },
            is_counted: self.counts_by_function(),
            ..wanted
        };
        if !self.inputs.report || !wanted.indices.is_empty() {
            return vec![wanted];
        }
        // Where the room ends is probably known, and what a report reads begins there: the message that
        // does not fit is listed, too.
        let listed = Wanted::range(Need::Content, start..index);
        let measured = Wanted::range(Need::Size, 0..index);
        let listed = Wanted { most: MAX_LISTED - 1, continues: true, ..listed };
        vec![wanted, listed, Wanted { most: MAX_MEASURED, continues: true, ..measured }]
    }

    /// How many lines of the conversation are not newer than a message.
    fn lines_up_to(&self, index: usize) -> usize {
        partition_point(0..self.lines.len(), |line| self.lines.index(line) <= index)
    }

    /// Whether a caller-supplied function counts tokens.
    pub(super) fn counts_by_function(&self) -> bool {
        let budget = self.inputs.materials.tokens.as_ref();
        budget.is_some_and(|budget| budget.tokenizer.function().is_some())
    }

    /// The units of a line in addition to what is in its message.
    pub fn line_units(&self) -> LineUnits {
        LineUnits::of(self.inputs.assembler.message_line())
    }
}

/// The first of some numbers for which `is_before` does not hold.
fn partition_point(numbers: Range<usize>, is_before: impl Fn(usize) -> bool) -> usize {
    let Range { mut start, mut end } = numbers;
    while start < end {
        let middle = start + (end - start) / 2;
        if is_before(middle) { start = middle + 1 } else { end = middle }
    }
    start
}
