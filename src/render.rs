//! Writes a plan as a prompt, copying each byte once, in prompt order.

use crate::conversation::Lines;
use crate::layout::SECTION_BREAK;
use crate::plan::{Body, Plan};
use std::mem::MaybeUninit;

/// Where the prompt goes.
pub trait Sink {
    /// Appends bytes.
    fn push(&mut self, bytes: &[u8]);

    /// Appends a content that stayed with the caller: that of the message passed with this number,
    /// counted from 0. Only called if the caller allowed contents to stay with it.
    fn push_content(&mut self, passed: usize) {
        debug_assert!(false, "the content of message {passed} is not here");
    }
}

impl Sink for Vec<u8> {
    fn push(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Uninitialised memory of a fixed size, filled front to back.
pub struct FixedSink<'m> {
    free: &'m mut [MaybeUninit<u8>],
}

impl<'m> FixedSink<'m> {
    /// Fills `memory`.
    pub fn new(memory: &'m mut [MaybeUninit<u8>]) -> Self {
        FixedSink { free: memory }
    }
}

impl Sink for FixedSink<'_> {
    fn push(&mut self, bytes: &[u8]) {
        let (here, rest) = std::mem::take(&mut self.free).split_at_mut(bytes.len());
        here.write_copy_of_slice(bytes);
        self.free = rest;
    }
}

/// Writes the prompt: exactly [`Plan::prompt_bytes`] bytes.
pub fn render<K: Sink>(plan: &Plan, lines: &Lines, sink: &mut K) {
    for (position, section) in plan.written().enumerate() {
        if position > 0 {
            sink.push(SECTION_BREAK.as_bytes());
        } else if !plan.top.is_empty() {
            sink.push(plan.top.as_bytes());
            sink.push(SECTION_BREAK.as_bytes());
        }
        for line in section.heading.lines() {
            sink.push(line.as_bytes());
            sink.push(b"\n");
        }
        match &section.body {
            Body::Text(text) => sink.push(text.as_bytes()),
            // It exceeds the budget, so a plan that fits has cut it.
            Body::Ends(_) => {}
            Body::Cut(cut) => cut.parts().iter().for_each(|part| sink.push(part.as_bytes())),
            Body::Context { first, .. } => lines.write(*first, sink),
            Body::Items(items) => {
                for (position, item) in items.iter().enumerate() {
                    if position > 0 {
                        sink.push(b"\n");
                    }
                    sink.push(item.as_bytes());
                }
            }
        }
        if !section.ending.is_empty() {
            sink.push(b"\n");
            sink.push(section.ending.as_bytes());
        }
    }
}
