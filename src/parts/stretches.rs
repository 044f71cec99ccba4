//! Where tool calls and their results stand in laid-out parts, for cuts.

use super::{MessagePart, PartKind, Sheet, lay_out_on};
use crate::layout::ToolLines;
use crate::text::Stretch;

/// Where parts are in the text that [`lay_out_texts`](super::lay_out_texts) makes of them.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// The calls and results, each call together with its result.
    pub stretches: Vec<Stretch>,
    /// Where the text of each part begins.
    pub texts: Vec<usize>,
    at: usize,
    start: usize,
    kind: PartKind,
    id: String,
    /// The id of the call that was written last, if nothing stands after it.
    open: Option<String>,
}

impl Places {
    /// The places of these parts with these texts.
    pub fn of<'p>(
        parts: impl Iterator<Item = (&'p MessagePart, &'p str)>,
        lines: &ToolLines,
    ) -> Self {
        let mut places = Places::default();
        lay_out_on(&mut places, parts, lines);
        places
    }
}

impl Sheet for Places {
    fn is_blank(&self) -> bool {
        self.at == 0
    }

    fn write(&mut self, text: &str) {
        self.at += text.len();
    }

    fn begin(&mut self, part: &MessagePart) {
        self.start = self.at;
        self.kind = part.kind;
        self.id.clone_from(&part.id);
    }

    fn begin_text(&mut self) {
        self.texts.push(self.at);
    }

    fn end(&mut self) {
        let open = self.open.take();
        let (start, end) = (self.start, self.at);
        let text = self.texts.last().copied().unwrap_or(end);
        match self.kind {
            PartKind::Call => {
                self.stretches.push(Stretch {
                    range: start..end,
                    arguments: text..end,
                    result: end,
                });
                self.open = Some(std::mem::take(&mut self.id));
            }
            PartKind::Result => match self.stretches.last_mut() {
                Some(call) if open.as_ref() == Some(&self.id) => {
                    call.range.end = end;
                    call.result = text;
                }
                _ => {
                    let arguments = start..start;
                    self.stretches.push(Stretch { range: start..end, arguments, result: text });
                }
            },
            PartKind::Text | PartKind::Reasoning | PartKind::File => {}
        }
    }
}
