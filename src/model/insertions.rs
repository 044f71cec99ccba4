//! Keys in the texts around the conversation, and lines of the current message that imitate
//! structure. They are broken up or escaped before anything is measured or cut, so budgets need not
//! know about it. For the account, we keep where the hyphens and backslashes are, along with
//! everything else in these texts that the caller did not give.

use super::{Assembler, Markers, Materials, Quote};
use crate::fence::{BREAK, Broken, Fence, findings_in};
use crate::layout::Part;
use crate::redact::overlap;
use crate::structure::{Finding, NameField, Structure};
use crate::text::{EndBytes, Text, is_js_whitespace, is_shortened, move_stretches, trim_js};
use std::borrow::Cow;
use std::ops::Range;

/// As long as a hyphen.
const BACKSLASH_BYTES: usize = BREAK.len_utf8();

/// A text that a caller gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenText {
    /// An element of the configured instruction.
    Instruction(usize),
    /// The instruction file.
    File,
    /// The team task.
    TeamTask,
    /// The summary.
    Summary,
    /// The parent message.
    Parent,
    /// The current message.
    Message,
    /// The identifier of the message that is being answered.
    ParentMessageId,
    /// The intent.
    Intent,
}

/// What was inserted into a given text: hyphens, marks in place of secrets, omission lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insertions {
    text: GivenText,
    /// Ascending.
    ranges: Vec<Range<usize>>,
}

/// What was broken up in the materials of a prompt.
#[derive(Debug, Clone, Default)]
pub struct BrokenKeys {
    insertions: Vec<Insertions>,
    /// The lines and names that contained a key.
    pub findings: Vec<Finding>,
    /// Whether the parent repeats the current message, if that was compared before.
    pub parent_repeats: Option<bool>,
}

impl BrokenKeys {
    /// What was inserted into a text, ascending.
    pub(crate) fn ranges(&self, text: GivenText) -> &[Range<usize>] {
        let found = self.insertions.iter().find(|insertions| insertions.text == text);
        found.map_or(&[], |insertions| &insertions.ranges)
    }

    /// Bytes of all insertions in a text.
    pub fn bytes(&self, text: GivenText) -> usize {
        overlap(self.ranges(text), 0..usize::MAX)
    }

    /// Bytes of the insertions in what is left of a text that was trimmed and then cut.
    pub fn bytes_in(&self, text: GivenText, whole: &str, kept: EndBytes) -> usize {
        let start = whole.len() - whole.trim_start_matches(is_js_whitespace).len();
        self.bytes_between(text, start..start + trim_js(whole).len(), kept)
    }

    /// The same for a text that was cut without being trimmed.
    pub fn bytes_in_untrimmed(&self, text: GivenText, whole: &str, kept: EndBytes) -> usize {
        self.bytes_between(text, 0..whole.len(), kept)
    }

    fn bytes_between(&self, text: GivenText, range: Range<usize>, kept: EndBytes) -> usize {
        let (head, tail) = (range.start + kept.head, range.end - kept.tail);
        let ranges = self.ranges(text);
        overlap(ranges, 0..head) + overlap(ranges, tail..usize::MAX)
    }

    /// Records what was inserted into a text.
    pub fn insert(&mut self, text: GivenText, ranges: Vec<Range<usize>>) {
        self.insertions.retain(|insertions| insertions.text != text);
        self.insertions.push(Insertions { text, ranges });
    }
}

impl Materials<'_> {
    /// Breaks up all keys in these texts if prompts are fenced. If lines are escaped and the prompt
    /// names the sender of the current message, escapes that message.
    pub fn disarm(&mut self, assembler: &Assembler) {
        match &assembler.fence {
            Some(fence) => self.break_up_keys(fence),
            None if assembler.markers() == Markers::Escape && self.sender.is_some() => {
                self.escape_message(&assembler.current_structure());
            }
            None => {}
        }
    }

    fn escape_message(&mut self, structure: &Structure) {
        let Text::Whole(message) = &self.message else { return };
        let Some((text, before)) = structure.escape_at(message) else { return };
        self.keys.parent_repeats = self.parent_repeats();
        self.keys.findings.extend(structure.findings(Part::Message, 0, message, true));
        move_stretches(&mut self.message_stretches, &before, BACKSLASH_BYTES);
        let escaped = Broken { text, before };
        self.message = self.keys.keep(GivenText::Message, escaped).into();
    }

    fn break_up_keys(&mut self, fence: &Fence) {
        let parent_repeats = self.parent_repeats();
        let insertions = std::mem::take(&mut self.keys.insertions);
        let mut keys = BrokenKeys { insertions, parent_repeats, ..BrokenKeys::default() };
        if let Some(broken) = fence.break_up(&self.role.text) {
            keys.list(Part::System, &self.role.text, &broken);
            self.role.text = broken.text;
        }
        for index in 0..self.system_instruction.len() {
            if let Some(broken) = fence.break_up(&self.system_instruction[index]) {
                let element = &mut self.system_instruction.to_mut()[index];
                keys.list(Part::System, element, &broken);
                *element = keys.keep(GivenText::Instruction(index), broken);
            }
        }
        keys.break_up(fence, GivenText::File, Part::System, &mut self.instruction_file);
        keys.break_up(fence, GivenText::TeamTask, Part::TeamTask, &mut self.team_task);
        keys.break_up(fence, GivenText::Summary, Part::Summary, &mut self.summary);
        if let Some(parent) = &mut self.parent {
            keys.break_up_name(fence, Part::Parent, 0, NameField::From, &mut parent.from);
            if let Some(broken) = fence.break_up(&parent.content) {
                keys.list(Part::Parent, &parent.content, &broken);
                move_stretches(&mut parent.stretches, &broken.before, BREAK.len_utf8());
                parent.content = keys.keep(GivenText::Parent, broken);
            }
        }
        for (index, Quote { from, content, .. }) in self.siblings.iter_mut().enumerate() {
            keys.break_up_name(fence, Part::Siblings, index, NameField::From, from);
            if let Some(Broken { text, before }) = fence.break_up(content) {
                keys.findings.extend(findings_in(Part::Siblings, index, content, &before));
                *content = text;
            }
        }
        if let Text::Whole(message) = &mut self.message
            && let Some(broken) = fence.break_up(message)
        {
            keys.list(Part::Message, message, &broken);
            move_stretches(&mut self.message_stretches, &broken.before, BREAK.len_utf8());
            *message = keys.keep(GivenText::Message, broken).into();
        }
        if let Some(sender) = &mut self.sender {
            keys.break_up_name(fence, Part::Message, 0, NameField::From, sender.from.to_mut());
            keys.break_up_name(fence, Part::Message, 0, NameField::To, sender.to.to_mut());
        }
        for (text, field, value) in [
            (GivenText::ParentMessageId, NameField::ParentMessageId, &mut self.parent_message_id),
            (GivenText::Intent, NameField::Intent, &mut self.intent),
        ] {
            if let Some(broken) = fence.break_up(value) {
                keys.findings.push(Finding::of_key(Part::Routing, 0, Some(field), 1, value));
                *value = keys.keep(text, broken).into();
            }
        }
        self.keys = keys;
    }

    /// Whether the parent repeats the current message, whole or shortened.
    pub fn parent_repeats(&self) -> Option<bool> {
        let (Some(parent), Text::Whole(message)) = (&self.parent, &self.message) else {
            return None;
        };
        let (trimmed, message_trimmed) = (trim_js(&parent.content), trim_js(message));
        let repeats = trimmed == message_trimmed
            || is_shortened(trimmed, message_trimmed)
            // Of a message that begins or ends with a tool call, only one end may be left.
            || is_shortened(&parent.content, message);
        Some(repeats)
    }
}

impl BrokenKeys {
    fn break_up(&mut self, fence: &Fence, name: GivenText, part: Part, text: &mut Cow<'_, str>) {
        if let Some(broken) = fence.break_up(text) {
            self.list(part, text, &broken);
            *text = self.keep(name, broken).into();
        }
    }

    fn break_up_name(
        &mut self,
        fence: &Fence,
        part: Part,
        index: usize,
        field: NameField,
        name: &mut String,
    ) {
        if let Some(broken) = fence.break_up(name) {
            self.findings.push(Finding::of_key(part, index, Some(field), 1, name));
            *name = broken.text;
        }
    }

    fn list(&mut self, part: Part, given: &str, broken: &Broken) {
        self.findings.extend(findings_in(part, 0, given, &broken.before));
    }

    /// Records where the hyphens are in a text, and returns the text.
    fn keep(&mut self, text: GivenText, Broken { text: broken, before }: Broken) -> String {
        let size = BREAK.len_utf8();
        // Earlier insertions shift; a hyphen inside one becomes part of it.
        let moved = self.ranges(text).iter().map(|range| {
            let start = range.start + before.partition_point(|at| *at <= range.start) * size;
            start..range.end + before.partition_point(|at| *at < range.end) * size
        });
        let moved: Vec<Range<usize>> = moved.collect();
        let is_inside = |at: usize| {
            let next = moved.partition_point(|range| range.end <= at);
            moved.get(next).is_some_and(|range| range.contains(&at))
        };
        let hyphens = before.iter().enumerate().map(|(nth, at)| at + nth * size);
        let hyphens = hyphens.filter(|at| !is_inside(*at)).map(|at| at..at + size);
        let mut ranges: Vec<Range<usize>> = moved.iter().cloned().chain(hyphens).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        self.insert(text, ranges);
        broken
    }
}
