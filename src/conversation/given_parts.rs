//! The parts of messages that a caller passes, and which result belongs to which call.
//!
//! 1. Messages are read newest first, so results wait for their calls.
//! 2. What a message shows depends neither on the budget nor on which messages are shown. If a
//!    result still waits once the window is full, or a pinned message has a call without a result,
//!    other messages that the recipient may see are read for their parts.
//! 3. A result that waits to the end has no call, and is shown as text.

use crate::account::{Cause, Ledger, Loss, MessageName, Reason};
use crate::layout::Part;
use crate::layout::ToolLines;
use crate::model::Assembler;
use crate::parts::{
    Answers, MessagePart, PartKind, PartLosses, lay_out, longest_result, said_bytes, shown_bytes,
    unpaired,
};
use std::collections::{BTreeMap, BTreeSet};

/// What was read of messages with parts.
#[derive(Debug)]
pub struct GivenParts {
    tools: ToolLines,
    keeps_reasoning: bool,
    /// Whether secrets are replaced.
    pub(crate) redacts: bool,
    /// Results that wait for their calls.
    answers: Answers,
    /// What each message shows, by its index.
    read: BTreeMap<usize, ReadParts>,
    /// The parts of messages from this one on are paired.
    paired_from: usize,
    /// The oldest pinned message with a call whose result does not follow in the same message.
    oldest_open: Option<usize>,
    /// An upper bound on the bytes of any result read.
    longest_result: usize,
}

#[derive(Debug, Default)]
struct ReadParts {
    /// The parts as given, until they are paired.
    given: Vec<MessagePart>,
    /// How many bytes a caller-supplied function counted.
    said_bytes: usize,
    shown: Vec<MessagePart>,
    /// Whether it has results.
    has_results: bool,
    losses: PartLosses,
    /// Results of newer messages shown in it: where they came from, and their size.
    moved: Vec<(usize, usize)>,
}

impl GivenParts {
    /// Starts reading the messages of a prompt.
    pub fn new(assembler: &Assembler) -> Self {
        GivenParts {
            tools: assembler.layout.tools.clone(),
            keeps_reasoning: assembler.options.keeps_reasoning,
            redacts: false,
            answers: Answers::default(),
            read: BTreeMap::new(),
            paired_from: usize::MAX,
            oldest_open: None,
            longest_result: 0,
        }
    }

    fn shows(&self, part: &MessagePart) -> bool {
        self.keeps_reasoning || part.kind != PartKind::Reasoning
    }

    /// Reads the parts of a message. They are paired with those of its own only.
    pub(super) fn read(&mut self, index: usize, parts: &[MessagePart]) {
        let given: Vec<MessagePart> = match self.redacts {
            // What is not shown need not be examined.
            true => parts
                .iter()
                .map(|part| if self.shows(part) { part.redacted() } else { part.clone() })
                .collect(),
            false => parts.to_vec(),
        };
        self.longest_result = self.longest_result.max(longest_result(&given));
        let mut shown = Answers::default().pair(index, &given).shown;
        shown.retain(|part| self.shows(part));
        let read = ReadParts {
            said_bytes: said_bytes(&given),
            losses: PartLosses::of(&given, self.keeps_reasoning),
            moved: Vec::new(),
            has_results: given.iter().any(|part| part.kind == PartKind::Result),
            shown,
            given,
        };
        self.read.insert(index, read);
    }

    /// Records that a message is pinned: newer messages may have the results of its calls.
    pub(super) fn pin(&mut self, index: usize) {
        let shown = self.shown(index).unwrap_or_default();
        let is_open = |part: &&MessagePart| part.kind == PartKind::Call;
        if unpaired(shown).iter().any(is_open) {
            self.oldest_open = Some(self.oldest_open.map_or(index, |oldest| oldest.min(index)));
        }
    }

    /// Pairs the parts of the next older message, which may have none.
    pub(super) fn pair(&mut self, index: usize) {
        self.paired_from = index;
        let Some(read) = self.read.get_mut(&index) else { return };
        let given = std::mem::take(&mut read.given);
        if given.is_empty() {
            return;
        }
        let mut paired = self.answers.pair(index, &given);
        read.shown = std::mem::take(&mut paired.shown);
        read.moved = std::mem::take(&mut paired.moved);
        self.answers.settle(index, &mut paired);
        let keeps_reasoning = self.keeps_reasoning;
        read.shown.retain(|part| keeps_reasoning || part.kind != PartKind::Reasoning);
    }

    /// The next older message whose parts have to be read, after pairing those that were.
    /// `is_known` says whether a message without parts need not be read.
    pub(super) fn next_to_pair(
        &mut self,
        read_from: usize,
        is_known: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        self.paired_from = self.paired_from.min(read_from);
        loop {
            let next = self.paired_from.checked_sub(1)?;
            let older = self.read.range(..=next).next_back().map(|(index, _)| *index);
            let is_needed = !self.answers.is_empty()
                || self.oldest_open.is_some_and(|oldest| oldest < self.paired_from);
            match is_needed {
                true if older == Some(next) || is_known(next) => self.pair(next),
                true => return Some(next),
                false => self.pair(older?),
            }
        }
    }

    /// Shows the results that still wait as text. Returns the messages that now show something else
    /// than when they were read: also pinned ones with results of newer messages.
    pub(super) fn end_pairing(&mut self, is_pinned: impl Fn(usize) -> bool) -> BTreeSet<usize> {
        let has_newer =
            |(index, read): &(&usize, &ReadParts)| !read.moved.is_empty() && is_pinned(**index);
        let changed = self.read.iter().filter(has_newer).map(|(index, _)| *index);
        let mut changed: BTreeSet<usize> = changed.collect();
        for (index, results) in std::mem::take(&mut self.answers).left() {
            let read = self.read.entry(index).or_default();
            read.shown.extend(results.into_iter().cloned());
            changed.insert(index);
        }
        changed
    }

    /// Whether a message has nothing but results of older calls.
    pub(super) fn is_absent(&self, index: usize) -> bool {
        self.read.get(&index).is_some_and(|read| read.shown.is_empty() && read.has_results)
    }

    /// What a message shows, if it has parts.
    pub(super) fn shown(&self, index: usize) -> Option<&[MessagePart]> {
        self.read.get(&index).map(|read| &*read.shown)
    }

    pub(super) fn said_bytes(&self, index: usize) -> Option<usize> {
        self.read.get(&index).map(|read| read.said_bytes)
    }

    pub(super) fn tools(&self) -> &ToolLines {
        &self.tools
    }

    pub(super) fn longest_result(&self) -> usize {
        self.longest_result
    }

    /// The text of a message.
    pub(super) fn text(&self, index: usize) -> String {
        lay_out(self.shown(index).unwrap_or_default(), &self.tools)
    }

    /// The text of a dropped message.
    pub(super) fn alone(&self, parts: &[MessagePart]) -> String {
        let shown: Vec<_> = parts.iter().filter(|part| self.shows(part)).cloned().collect();
        lay_out(&shown, &self.tools)
    }

    /// The size of a dropped message, including what its text lacks.
    pub(crate) fn given_bytes(&self, parts: &[MessagePart]) -> usize {
        let reasoning = parts.iter().filter(|part| !self.shows(part));
        let reasoning: usize = reasoning.map(|part| part.text.len()).sum();
        shown_bytes(parts) - reasoning + PartLosses::of(parts, self.keeps_reasoning).sum()
    }

    /// How many bytes a message sends, if it has parts.
    pub(super) fn sent_bytes(&self, index: usize) -> Option<usize> {
        self.shown(index).map(shown_bytes)
    }

    /// How many bytes of each message are shown in other messages that are kept.
    pub(crate) fn sent_elsewhere(&self, is_kept: impl Fn(usize) -> bool) -> BTreeMap<usize, usize> {
        let mut sent = BTreeMap::new();
        for (_, read) in self.read.iter().filter(|(index, _)| is_kept(**index)) {
            for (from, bytes) in &read.moved {
                *sent.entry(*from).or_default() += bytes;
            }
        }
        sent
    }

    /// Enters what kept messages do not show. `cause_of` says why another one is left out.
    pub(super) fn enter(
        &self,
        ledger: &mut Ledger,
        is_kept: impl Fn(usize) -> bool,
        cause_of: impl Fn(usize) -> Cause,
    ) {
        let mut mark_bytes = 0;
        let mut leave_out = |cause, bytes, index| {
            if bytes > 0 {
                ledger.leave_out_message(cause, bytes, || MessageName::given(index));
            }
        };
        for (index, read) in self.read.iter().rev() {
            if is_kept(*index) {
                mark_bytes += read.shown.iter().map(MessagePart::mark_bytes).sum::<usize>();
                for (reason, bytes) in [
                    (Reason::Reasoning, read.losses.reasoning),
                    (Reason::Layout, read.losses.files),
                    (Reason::Redacted, read.losses.secrets),
                ] {
                    leave_out(Cause::cut(Part::Context, reason), bytes, *index);
                }
                continue;
            }
            // Their own messages are kept, but without them.
            for (from, bytes) in read.moved.iter().filter(|(from, _)| is_kept(*from)) {
                leave_out(Cause { action: Loss::Cut, ..cause_of(*index) }, *bytes, *from);
            }
        }
        ledger.insert_marks(Part::Context, mark_bytes);
    }
}
