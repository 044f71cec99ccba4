//! Writes a plan as a prompt, copying each byte once, in prompt order.

mod request;

pub use request::{request, unmarked};

use crate::conversation::Lines;
use crate::layout::SECTION_BREAK;
use crate::plan::{Body, Plan};
use crate::text::Sink;

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
