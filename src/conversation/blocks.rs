//! Lines as blocks of a request to a model API.
//!
//! The member's own messages become its own blocks, without a line that names the speaker.
//! Everything else is user text: the line as a CLI prompt shows it.

use super::Lines;
use super::pins::Segment;
use super::source::Said;
use crate::arrays::Api;
use crate::arrays::apis::{Costs, Rules, Shape};
use crate::arrays::blocks::{Block, blank_bytes, blocks_of, separator, shape};
use crate::parts::MessagePart;
use crate::text::trim_js;
use crate::tokens::Tokenizer;
use std::borrow::Cow;

/// The bytes of the texts that an API counts.
fn bytes_of(blocks: &[Block], api: Api) -> usize {
    let texts = blocks.iter().flat_map(|block| block.counted(api));
    texts.map(|text| text.len()).sum()
}

impl Lines<'_> {
    /// Whether lines are blocks.
    pub fn is_array(&self) -> bool {
        self.array.is_some()
    }

    /// The API whose blocks the lines are.
    pub(super) fn api(&self) -> Option<Api> {
        self.array.as_ref().map(|array| array.api)
    }

    fn said_by_member(&self, line: usize) -> Option<Said<'_>> {
        let member = self.array.as_ref()?.member.as_deref()?;
        self.source().said_by(member, line)
    }

    /// The blocks of a line that the member wrote. `None` for lines of others, for empty ones, and
    /// for those that contain the key of a fenced prompt: these appear like a line of somebody
    /// else.
    pub(super) fn own_blocks(&self, line: usize) -> Option<Vec<Block<'_>>> {
        match self.said_by_member(line)? {
            Said::Content(text) if trim_js(&text).is_empty() => None,
            Said::Content(text) => self.without_key(vec![Block::Assistant(text)]),
            Said::Parts(_) => match self.shown_parts(line)? {
                Cow::Borrowed(parts) => self.own_blocks_of(parts),
                Cow::Owned(parts) => {
                    let blocks = self.own_blocks_of(&parts)?;
                    Some(blocks.into_iter().map(Block::into_owned).collect())
                }
            },
        }
    }

    /// Like [`Self::own_blocks`], for parts that the member sent.
    fn own_blocks_of<'p>(&self, parts: &'p [MessagePart]) -> Option<Vec<Block<'p>>> {
        self.without_key(blocks_of(parts, self.source().tools(), Rules::of(self.api()?)))
    }

    fn without_key<'p>(&self, blocks: Vec<Block<'p>>) -> Option<Vec<Block<'p>>> {
        let has_key = |block: &Block| {
            let texts = block.counted(Api::AiSdk);
            self.fence
                .as_ref()
                .is_some_and(|fence| texts.iter().any(|text| fence.break_up(text).is_some()))
        };
        (!blocks.is_empty() && !blocks.iter().any(has_key)).then_some(blocks)
    }

    /// The bytes of a line that the member wrote, with whole results.
    pub(super) fn own_bytes(&self, line: usize) -> Option<usize> {
        let api = self.api()?;
        if self.is_absent(line) {
            return None;
        }
        match self.said_by_member(line)? {
            Said::Parts(parts) => self.own_blocks_of(parts).map(|blocks| bytes_of(&blocks, api)),
            Said::Content(_) => self.own_blocks(line).map(|blocks| bytes_of(&blocks, api)),
        }
    }

    /// The bytes and units of a line with these parts; `told` is its text where it is not the
    /// member's own.
    pub(super) fn size_of_short(
        &self,
        line: usize,
        parts: &[MessagePart],
        told: &str,
    ) -> (usize, Option<u64>) {
        let Some(api) = self.api() else { return (told.len(), None) };
        let is_own = self.said_by_member(line).is_some();
        let own = if is_own { self.own_blocks_of(parts) } else { None };
        let bytes = own.as_ref().map_or(told.len(), |blocks| bytes_of(blocks, api));
        let blocks = own.unwrap_or_else(|| vec![Block::User(told.into())]);
        let units =
            self.tokenizer.and_then(|_| self.measure_blocks(line, &blocks, bytes + 1, u64::MAX));
        (bytes, units)
    }

    fn blocks(&self, line: usize) -> Vec<Block<'_>> {
        if self.is_absent(line) {
            return Vec::new();
        }
        self.own_blocks(line).unwrap_or_else(|| vec![Block::User(self.line_text(line))])
    }

    /// Appends what is kept if the window is kept from `first` on. Returns the number of blocks up
    /// to the last pinned line before the window, which stay when the window moves on.
    pub fn push_blocks<'b>(&'b self, first: usize, blocks: &mut Vec<Block<'b>>) -> usize {
        let mut staying = blocks.len();
        for segment in self.pins().segments(first, 0) {
            blocks.extend(self.frame_line(&segment).map(|line| Block::User(line.into())));
            if let Segment::Lines(lines) = segment {
                let stays = lines.end <= first && !self.pins().are_of_delta();
                lines.for_each(|line| blocks.extend(self.blocks(line)));
                if stays {
                    staying = blocks.len();
                }
            }
        }
        staying
    }

    /// Whether prompts of this conversation can begin with the same lines: not if each shows only
    /// what is new, or if each new message replaces the oldest.
    pub fn may_begin_alike(&self) -> bool {
        !self.pins().are_of_delta() && !self.source().slides()
    }

    /// Whether enough of the member's turns, in what is kept from `first` on, came with at most
    /// this many messages, its own included. Writing to a cache costs a quarter more and reading
    /// saves nine tenths, so one in three is enough.
    pub fn are_turns_within(&self, first: usize, messages: usize) -> bool {
        let (mut turns, mut within) = (0, 0);
        // The current message is not a line.
        let mut length = 1;
        for line in (first..self.pins().window().end).rev() {
            length += 1;
            if self.said_by_member(line).is_some() {
                turns += 1;
                within += usize::from(length <= messages);
                length = 0;
            }
        }
        if turns == 0 { length <= messages } else { within * 3 >= turns }
    }

    /// The units of a line, including what the API counts besides texts; `None` if known to exceed
    /// `most`.
    pub(super) fn units_of_blocks(&self, line: usize, most: u64) -> Option<u64> {
        self.measure_blocks(line, &self.blocks(line), self.line_cost(line), most)
    }

    fn measure_blocks(
        &self,
        line: usize,
        blocks: &[Block],
        bytes: usize,
        most: u64,
    ) -> Option<u64> {
        let (Some(api), Some(tokenizer)) = (self.api(), self.tokenizer) else { return Some(0) };
        let around = tokenizer.units_within(Costs::of(api).around(&shape(blocks, api)));
        if let Tokenizer::Function { function, .. } = tokenizer {
            let counted = self.source().counted(function, line);
            return Some(around.saturating_add(tokenizer.measure_counted(bytes, counted)));
        }
        let mut units = around;
        for text in blocks.iter().flat_map(|block| block.counted(api)) {
            let left = most.saturating_sub(units);
            units = units.saturating_add(tokenizer.measure_up_to(&text, left)?);
        }
        Some(units)
    }

    /// The units of a line that is not a message.
    pub fn frame_units(&self, tokenizer: Tokenizer, line: &str) -> u64 {
        match self.api() {
            Some(api) => {
                let shape = Shape { messages: 1, parts: 1, ..Shape::default() };
                let around = tokenizer.units_within(Costs::of(api).around(&shape));
                let separator = tokenizer.measure(separator(api));
                tokenizer.measure(line).saturating_add(around).saturating_add(separator)
            }
            None => tokenizer.measure(&[line, "\n"].concat()),
        }
    }

    /// Bytes of kept texts that have no block because they are blank.
    pub(super) fn blank_bytes(&self, first: usize) -> usize {
        if !self.is_array() {
            return 0;
        }
        let blank = |line: usize| match self.said_by_member(line) {
            Some(Said::Parts(parts)) if self.own_blocks(line).is_some() => blank_bytes(parts),
            _ => 0,
        };
        let segments = self.pins().segments(first, 0);
        let lines = segments.filter_map(|segment| match segment {
            Segment::Lines(lines) => Some(lines),
            _ => None,
        });
        lines.flatten().map(blank).sum()
    }
}
