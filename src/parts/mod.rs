//! Messages with parts: texts, reasoning, tool calls, tool results and files.
//!
//! 1. A tool result is shown right after its call, even if it came in a later message. So budget,
//!    window, pins and session always keep or leave out a call together with its result.
//! 2. A result belongs to the nearest call before it that has the same id and no result yet.
//! 3. A message with nothing but results of earlier calls has no line of its own.
//! 4. The parts are laid out as one text, which budget, report and account treat as the content of
//!    the message. It excludes reasoning, unless that is kept, and the data of files.

mod pairs;
mod stretches;

pub(crate) use pairs::{Answers, OpenCalls, Place};
pub(crate) use stretches::Places;

use crate::layout::ToolLines;
use crate::redact::{overlap, redact};
use crate::text::{EndBytes, size, without_line_breaks};
use std::ops::Range;

/// The kind of a part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PartKind {
    /// What somebody says.
    #[default]
    Text,
    /// What a model thought beforehand.
    Reasoning,
    /// A tool call.
    Call,
    /// The result of a tool.
    Result,
    /// A file, by its name.
    File,
}

/// A part of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessagePart {
    /// Its kind.
    pub kind: PartKind,
    /// The id of the call that it is or answers; for a file, its media type.
    pub id: String,
    /// The name of the tool or the file.
    pub name: String,
    /// The text: for a call, its arguments as JSON; for a file, its location if only that is given.
    pub text: String,
    /// Whether the tool failed.
    pub is_error: bool,
    /// The size of the given file data.
    pub data_bytes: usize,
    /// Where marks replace secrets in the text, ascending.
    pub marks: Vec<Range<usize>>,
    /// How many bytes of the name are such marks.
    pub name_mark_bytes: usize,
    /// The total size of these secrets.
    pub secret_bytes: usize,
}

impl MessagePart {
    /// How many given bytes a line can show: what the account counts, without the layout's texts
    /// around it.
    pub(crate) fn shown_bytes(&self) -> usize {
        let name_bytes = if self.shows_name() { self.name.len() } else { 0 };
        name_bytes + self.text.len() - self.mark_bytes()
    }

    fn shows_name(&self) -> bool {
        matches!(self.kind, PartKind::Call | PartKind::File)
    }

    /// Whether it is a tool call or a result.
    pub(crate) fn is_of_tool(&self) -> bool {
        matches!(self.kind, PartKind::Call | PartKind::Result)
    }

    /// How many bytes of it are marks that replace secrets.
    pub(crate) fn mark_bytes(&self) -> usize {
        self.name_mark_bytes + overlap(&self.marks, 0..self.text.len())
    }

    /// How many given bytes of its text are left out if only its ends are kept.
    pub(crate) fn omitted_bytes(&self, kept: EndBytes) -> usize {
        let middle = kept.head..self.text.len() - kept.tail;
        middle.len() - overlap(&self.marks, middle)
    }

    /// The part without secrets.
    pub(crate) fn redacted(&self) -> MessagePart {
        let mut part = self.clone();
        if let Some(redacted) = redact(&self.text) {
            part.text = redacted.text;
            part.marks = redacted.marks;
            part.secret_bytes = redacted.secret_bytes;
        }
        if self.shows_name()
            && let Some(redacted) = redact(&self.name)
        {
            part.name_mark_bytes = overlap(&redacted.marks, 0..redacted.text.len());
            part.secret_bytes += redacted.secret_bytes;
            part.name = redacted.text;
        }
        // The type of a file is shown, too, but nobody counts it.
        if self.kind == PartKind::File
            && let Some(redacted) = redact(&self.id)
        {
            part.id = redacted.text;
        }
        part
    }
}

/// The sum of [`MessagePart::shown_bytes`].
pub(crate) fn shown_bytes(parts: &[MessagePart]) -> usize {
    parts.iter().map(MessagePart::shown_bytes).sum()
}

/// Bytes of a message that its text lacks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PartLosses {
    /// Reasoning that is left out.
    pub reasoning: usize,
    /// Data of files.
    pub files: usize,
    /// Routing markers that were stripped.
    pub markers: usize,
    /// Secrets that were replaced.
    pub secrets: usize,
}

impl PartLosses {
    /// What the text of these parts lacks.
    pub fn of(parts: &[MessagePart], keeps_reasoning: bool) -> Self {
        let reasoning = |part: &&MessagePart| part.kind == PartKind::Reasoning && !keeps_reasoning;
        PartLosses {
            reasoning: parts.iter().filter(reasoning).map(|part| part.text.len()).sum(),
            files: parts.iter().map(|part| part.data_bytes).sum(),
            markers: 0,
            secrets: parts.iter().map(|part| part.secret_bytes).sum(),
        }
    }

    /// The total.
    pub fn sum(&self) -> usize {
        self.reasoning + self.files + self.markers + self.secrets
    }
}

/// How many bytes of parts a caller-supplied function counts.
pub(crate) fn said_bytes(parts: &[MessagePart]) -> usize {
    parts.iter().map(|part| part.text.len()).sum()
}

/// The size of the longest result among some parts.
pub(crate) fn longest_result(parts: &[MessagePart]) -> usize {
    let results = parts.iter().filter(|part| part.kind == PartKind::Result);
    results.map(|part| part.text.len()).max().unwrap_or(0)
}

/// Lays out parts as one text.
pub fn lay_out(parts: &[MessagePart], lines: &ToolLines) -> String {
    lay_out_texts(parts.iter().map(|part| (part, part.text.as_str())), lines)
}

/// Like [`lay_out`], with other texts in place of those of the parts.
pub(crate) fn lay_out_texts<'p>(
    parts: impl Iterator<Item = (&'p MessagePart, &'p str)>,
    lines: &ToolLines,
) -> String {
    let mut laid = String::new();
    lay_out_on(&mut laid, parts, lines);
    laid
}

/// What parts are laid out on.
trait Sheet {
    /// Whether there is nothing on it yet.
    fn is_blank(&self) -> bool;
    /// Adds a text.
    fn write(&mut self, text: &str);
    /// A part follows.
    fn begin(&mut self, _part: &MessagePart) {}
    /// The text of the part follows.
    fn begin_text(&mut self) {}
    /// The part is written.
    fn end(&mut self) {}
}

impl Sheet for String {
    fn is_blank(&self) -> bool {
        self.is_empty()
    }

    fn write(&mut self, text: &str) {
        self.push_str(text);
    }
}

fn lay_out_on<'p>(
    sheet: &mut impl Sheet,
    parts: impl Iterator<Item = (&'p MessagePart, &'p str)>,
    lines: &ToolLines,
) {
    for (part, text) in parts {
        if !sheet.is_blank() {
            let is_prose = matches!(part.kind, PartKind::Text | PartKind::Reasoning);
            sheet.write(if is_prose { "\n\n" } else { "\n" });
        }
        sheet.begin(part);
        match part.kind {
            PartKind::Text | PartKind::Reasoning => {}
            PartKind::Call => {
                sheet.write(&lines.call);
                sheet.write(&without_line_breaks(&part.name));
                sheet.write(" ");
            }
            PartKind::Result => {
                sheet.write(if part.is_error { &lines.error } else { &lines.result });
                sheet.write("\n");
            }
            PartKind::File => sheet.write(&file_line(part)),
        }
        sheet.begin_text();
        if part.kind != PartKind::File {
            sheet.write(text);
        }
        sheet.end();
    }
}

/// A file by its name, type and size, or by its address.
fn file_line(file: &MessagePart) -> String {
    let name = if file.name.is_empty() { "file" } else { &file.name };
    let what = match file.text.is_empty() {
        true => size(file.data_bytes),
        false => file.text.clone(),
    };
    let line = format!("[{name}, {}, {what}]", file.id);
    without_line_breaks(&line).into_owned()
}

/// The unpaired parts of a line: calls shown without a result, and results shown without a call.
pub(crate) fn unpaired(shown: &[MessagePart]) -> Vec<&MessagePart> {
    let mut open: Option<&MessagePart> = None;
    let mut unpaired = Vec::new();
    for part in shown {
        match (part.kind, open.take()) {
            (PartKind::Result, Some(call)) if call.id == part.id => {}
            (kind, call) => {
                unpaired.extend(call);
                match kind {
                    PartKind::Result => unpaired.push(part),
                    PartKind::Call => open = Some(part),
                    _ => {}
                }
            }
        }
    }
    unpaired.extend(open);
    unpaired
}
