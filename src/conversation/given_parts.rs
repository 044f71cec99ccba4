//! The parts of messages that a caller passes. Messages are read newest first, so results wait for
//! their calls: a result is not shown until its call is found.

use crate::account::{Cause, Ledger, MessageName, Reason};
use crate::layout::Part;
use crate::layout::ToolLines;
use crate::model::Assembler;
use crate::parts::{
    Answers, MessagePart, Paired, PartKind, PartLosses, lay_out, longest_result, said_bytes,
    shown_bytes, without_open_calls,
};
use std::collections::BTreeMap;

/// A result whose call is not shown, or vice versa.
const WITHOUT_CALL: Cause = Cause::cut(Part::Context, Reason::Budget);

/// What was read of messages with parts.
#[derive(Debug)]
pub struct GivenParts {
    tools: ToolLines,
    keeps_reasoning: bool,
    /// Whether secrets are replaced.
    pub(crate) redacts: bool,
    /// Results that wait for their calls.
    answers: Answers,
    /// What each line shows.
    read: BTreeMap<usize, ReadParts>,
    /// The message read last, until it is known whether it fits.
    unsettled: Option<(usize, Paired)>,
    /// An upper bound on the bytes of any result read.
    longest_result: usize,
}

#[derive(Debug, Default)]
struct ReadParts {
    /// How many bytes a caller-supplied function counted.
    said_bytes: usize,
    shown: Vec<MessagePart>,
    losses: PartLosses,
    /// Calls hidden until it is known whether they have a result.
    hidden: Vec<MessagePart>,
    /// The parts as given, if calls are hidden.
    given: Vec<MessagePart>,
    /// Results of newer messages shown in it: where they came from, and their size.
    moved: Vec<(usize, usize)>,
    /// Results of its hidden calls for which there is no room either, in the same form.
    withheld: Vec<(usize, usize)>,
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
            unsettled: None,
            longest_result: 0,
        }
    }

    /// Reads the parts of a message. Returns its text; `None` if it has only results of older
    /// calls. When a pinned message is read, newer messages may be unread: its calls may have
    /// results there.
    pub(super) fn read(
        &mut self,
        line: usize,
        parts: &[MessagePart],
        is_pinned: bool,
    ) -> Option<String> {
        let redacted = self.redacts.then(|| self.redacted(parts));
        let parts = redacted.as_deref().unwrap_or(parts);
        self.longest_result = self.longest_result.max(longest_result(parts));
        let mut paired = self.answers.pair(line, parts);
        let is_shown =
            |part: &MessagePart| self.keeps_reasoning || part.kind != PartKind::Reasoning;
        paired.shown.retain(is_shown);
        let is_absent = paired.shown.is_empty() && !paired.results.is_empty();
        let mut shown = std::mem::take(&mut paired.shown);
        let mut hidden = Vec::new();
        if is_pinned {
            (shown, hidden) = without_open_calls(shown);
        }
        let read = ReadParts {
            said_bytes: said_bytes(parts),
            losses: PartLosses::of(parts, self.keeps_reasoning),
            moved: std::mem::take(&mut paired.moved),
            given: if hidden.is_empty() { Vec::new() } else { parts.to_vec() },
            withheld: Vec::new(),
            hidden,
            shown,
        };
        let text = lay_out(&read.shown, &self.tools);
        self.read.insert(line, read);
        self.unsettled = Some((line, paired));
        (!is_absent).then_some(text)
    }

    /// Parts without secrets. What is not shown need not be examined.
    fn redacted(&self, parts: &[MessagePart]) -> Vec<MessagePart> {
        let is_shown =
            |part: &MessagePart| self.keeps_reasoning || part.kind != PartKind::Reasoning;
        let each = |part| if is_shown(part) { part.redacted() } else { part.clone() };
        parts.iter().map(each).collect()
    }

    /// Records that the message read last is shown.
    pub(super) fn settle(&mut self) {
        if let Some((line, mut paired)) = self.unsettled.take() {
            self.answers.settle(line, &mut paired);
        }
    }

    /// Records that the message read last does not fit.
    pub(super) fn give_up(&mut self) {
        if let Some((line, _)) = self.unsettled.take() {
            self.read.remove(&line);
        }
    }

    /// What a line shows, if its message has parts.
    pub(super) fn shown(&self, line: usize) -> Option<&[MessagePart]> {
        self.read.get(&line).map(|read| &*read.shown)
    }

    pub(super) fn said_bytes(&self, line: usize) -> Option<usize> {
        self.read.get(&line).map(|read| read.said_bytes)
    }

    pub(super) fn tools(&self) -> &ToolLines {
        &self.tools
    }

    pub(super) fn longest_result(&self) -> usize {
        self.longest_result
    }

    /// The text of a dropped message.
    pub(super) fn alone(&self, parts: &[MessagePart]) -> String {
        let is_shown =
            |part: &&MessagePart| self.keeps_reasoning || part.kind != PartKind::Reasoning;
        let shown: Vec<MessagePart> = parts.iter().filter(is_shown).cloned().collect();
        lay_out(&shown, &self.tools)
    }

    /// The size of a dropped message, including what its text lacks.
    pub(crate) fn given_bytes(&self, parts: &[MessagePart]) -> usize {
        let is_left_out =
            |part: &&MessagePart| !self.keeps_reasoning && part.kind == PartKind::Reasoning;
        let reasoning: usize = parts.iter().filter(is_left_out).map(|part| part.text.len()).sum();
        shown_bytes(parts) - reasoning + PartLosses::of(parts, self.keeps_reasoning).sum()
    }

    /// Lines with hidden calls, newest first.
    pub(super) fn waiting(&self) -> Vec<usize> {
        let lines = self.read.iter().filter(|(_, read)| !read.hidden.is_empty());
        lines.map(|(line, _)| *line).rev().collect()
    }

    /// What a line with hidden calls shows now, and which calls are still hidden; `None` if nothing
    /// changed. With `is_all`, everything was read, so calls without a result are shown as well.
    pub(super) fn pair_waiting(
        &self,
        line: usize,
        is_all: bool,
    ) -> Option<(Paired, Vec<MessagePart>)> {
        let read = self.read.get(&line)?;
        let mut paired = self.answers.pair(line, &read.given);
        // They are waiting already.
        paired.results.clear();
        let is_shown =
            |part: &MessagePart| self.keeps_reasoning || part.kind != PartKind::Reasoning;
        paired.shown.retain(is_shown);
        let mut hidden = Vec::new();
        if !is_all {
            (paired.shown, hidden) = without_open_calls(std::mem::take(&mut paired.shown));
        }
        (paired.shown != read.shown).then_some((paired, hidden))
    }

    /// Shows what was hidden.
    pub(super) fn show_waiting(&mut self, line: usize, paired: Paired, hidden: Vec<MessagePart>) {
        let mut paired = paired;
        if let Some(read) = self.read.get_mut(&line) {
            read.shown = std::mem::take(&mut paired.shown);
            read.moved = std::mem::take(&mut paired.moved);
            read.hidden = hidden;
        }
        self.answers.settle(line, &mut paired);
    }

    /// Hides the results of a line's hidden calls too, because there is no room for the calls.
    pub(super) fn withhold(&mut self, line: usize, mut paired: Paired) {
        if let Some(read) = self.read.get_mut(&line) {
            read.withheld = std::mem::take(&mut paired.moved);
        }
        self.answers.settle(line, &mut paired);
    }

    /// Whether there are results whose calls were not found.
    pub(super) fn has_orphans(&self) -> bool {
        !self.answers.left().is_empty()
    }

    /// Lines with results whose calls were not found although everything was read, and the parts
    /// that such a line shows with them.
    pub(super) fn orphans(&self) -> Vec<(usize, Vec<MessagePart>)> {
        let with_results = |(line, results): (usize, Vec<&MessagePart>)| {
            let shown = self.read.get(&line).map_or(&[][..], |read| &read.shown);
            (line, shown.iter().chain(results).cloned().collect())
        };
        self.answers.left().into_iter().map(with_results).collect()
    }

    /// Shows the results of a line as text.
    pub(super) fn show_orphans(&mut self, line: usize, parts: Vec<MessagePart>) {
        self.answers.forget(line);
        self.read.entry(line).or_default().shown = parts;
    }

    /// Calls without a result, and results without a call, in a line.
    pub(super) fn unpaired(&self, line: usize) -> Vec<&MessagePart> {
        let Some(read) = self.read.get(&line) else { return Vec::new() };
        crate::parts::unpaired(&read.shown)
    }

    /// How many bytes a line sends, if its message has parts.
    pub(super) fn sent_bytes(&self, line: usize) -> Option<usize> {
        self.read.get(&line).map(|read| shown_bytes(&read.shown))
    }

    /// How many bytes of a dropped message are shown in kept lines.
    pub(crate) fn sent_elsewhere(
        &self,
        is_kept: impl Fn(&usize) -> bool,
    ) -> BTreeMap<usize, usize> {
        let mut sent = BTreeMap::new();
        for (_, read) in self.read.iter().filter(|(line, _)| is_kept(line)) {
            for (from, bytes) in &read.moved {
                *sent.entry(*from).or_default() += bytes;
            }
        }
        sent
    }

    /// Enters what kept lines do not show of their messages.
    pub(super) fn enter(
        &self,
        ledger: &mut Ledger,
        is_kept: impl Fn(&usize) -> bool,
        name: impl Fn(usize) -> MessageName,
    ) {
        let mut mark_bytes = 0;
        let mut leave_out = |cause, bytes, line| {
            if bytes > 0 {
                ledger.leave_out_message(cause, bytes, || name(line));
            }
        };
        for (line, read) in self.read.iter().rev() {
            if is_kept(line) {
                mark_bytes += read.shown.iter().map(MessagePart::mark_bytes).sum::<usize>();
                leave_out(
                    Cause::cut(Part::Context, Reason::Reasoning),
                    read.losses.reasoning,
                    *line,
                );
                leave_out(Cause::cut(Part::Context, Reason::Layout), read.losses.files, *line);
                leave_out(Cause::cut(Part::Context, Reason::Redacted), read.losses.secrets, *line);
                leave_out(WITHOUT_CALL, shown_bytes(&read.hidden), *line);
                for (from, bytes) in read.withheld.iter().filter(|(from, _)| is_kept(from)) {
                    leave_out(WITHOUT_CALL, *bytes, *from);
                }
                continue;
            }
            // Their own messages are kept, but without them.
            for (from, bytes) in read.moved.iter().filter(|(from, _)| is_kept(from)) {
                leave_out(WITHOUT_CALL, *bytes, *from);
            }
        }
        for (line, results) in self.answers.left().into_iter().rev().filter(|it| is_kept(&it.0)) {
            let bytes = results.into_iter().map(MessagePart::shown_bytes).sum();
            leave_out(WITHOUT_CALL, bytes, line);
        }
        ledger.insert_marks(Part::Context, mark_bytes);
    }
}
