//! Secrets in the texts around the conversation, and a first task that is too long. Both are
//! handled before anything is measured.

use super::{GivenText, Materials, Quote};
use crate::layout::Part;
use crate::redact::{Redacted, overlap, redact};
use crate::text::{HeadTail, Text, head_tail};
use std::borrow::Cow;

/// What was replaced in one part of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RedactedPart {
    /// Where.
    pub part: Part,
    /// In how many texts.
    pub count: usize,
    /// The size of what was there.
    pub secret_bytes: usize,
    /// The size of what is there now.
    pub mark_bytes: usize,
}

impl Materials<'_> {
    /// Replaces secrets in everything but the system text, which is the caller's own.
    pub fn redact(&mut self) {
        let mut texts = [
            (Part::TeamTask, GivenText::TeamTask, &mut self.team_task),
            (Part::Summary, GivenText::Summary, &mut self.summary),
        ]
        .into_iter()
        .collect::<Vec<_>>();
        if let Text::Whole(message) = &mut self.message {
            texts.push((Part::Message, GivenText::Message, message));
        }
        for (part, name, text) in texts {
            let Some(redacted) = redact(text) else { continue };
            self.redacted.push(entry(part, &redacted));
            self.keys.insert(name, redacted.marks);
            *text = Cow::Owned(redacted.text);
        }
        if let Some(parent) = &mut self.parent
            && let Some(redacted) = redact_quote(parent)
        {
            self.redacted.push(entry(Part::Parent, &redacted));
            self.keys.insert(GivenText::Parent, redacted.marks);
        }
        for sibling in &mut self.siblings {
            if let Some(redacted) = redact_quote(sibling) {
                // The report on siblings already accounts for their marks.
                self.redacted
                    .push(RedactedPart { mark_bytes: 0, ..entry(Part::Siblings, &redacted) });
            }
        }
    }

    /// Cuts the parent to at most `max_bytes`, if it can be cut.
    pub fn limit_parent(&mut self, max_bytes: usize) {
        let Some(parent) = &mut self.parent else { return };
        let content = std::mem::take(&mut parent.content);
        let cut = (content.len() > max_bytes).then(|| head_tail(&content, max_bytes)).flatten();
        let Some(cut) = cut else {
            parent.content = content;
            return;
        };
        let (kept, [head, omission, tail]) = (cut.end_bytes(), HeadTail::parts(&cut));
        let removed = kept.head..content.len() - kept.tail;
        let marks = self.keys.ranges(GivenText::Parent);
        let before = marks.iter().filter(|mark| mark.start < removed.start);
        let before = before.map(|mark| mark.start..mark.end.min(removed.start));
        let moved = |at: usize| at - removed.end + head.len() + omission.len();
        let after = marks.iter().filter(|mark| mark.end > removed.end);
        let after = after.map(|mark| moved(mark.start.max(removed.end))..moved(mark.end));
        let line = head.len()..head.len() + omission.len();
        let ranges: Vec<_> = before.chain([line]).chain(after).collect();
        let shown = [head, omission, tail].concat();
        let given = shown.len() - overlap(&ranges, 0..shown.len());
        self.parent_cut_bytes = parent.own_bytes - given;
        (parent.content, parent.own_bytes) = (shown, given);
        self.keys.insert(GivenText::Parent, ranges);
    }
}

fn redact_quote(quote: &mut Quote) -> Option<Redacted> {
    let redacted = redact(&quote.content)?;
    let marks = overlap(&redacted.marks, 0..redacted.text.len());
    quote.content.clone_from(&redacted.text);
    quote.own_bytes = quote.content.len() - marks;
    Some(redacted)
}

fn entry(part: Part, redacted: &Redacted) -> RedactedPart {
    RedactedPart {
        part,
        count: 1,
        secret_bytes: redacted.secret_bytes,
        mark_bytes: overlap(&redacted.marks, 0..redacted.text.len()),
    }
}
