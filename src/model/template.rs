//! The texts of a layout around those of a prompt that has nothing but the common texts and a
//! conversation.

use super::{Assembler, Markers};
use crate::layout::{EVERYONE, Part};
use serde::Serialize;

/// What is written around the texts of such a prompt.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Template<'t> {
    /// The sections in prompt order, each with the lines above its text.
    pub sections: Vec<(Part, String)>,
    /// Whether the system text is in the prompt.
    pub in_prompt: bool,
    /// Whether the system text is beside the prompt.
    pub in_flag: bool,
    /// Before the sender of a message.
    pub open: &'t str,
    /// Between sender and addressee; `None` leaves the addressee out.
    pub arrow: Option<&'t str>,
    /// The addressee of a message that names none.
    pub everyone: &'static str,
    /// Before the content.
    pub colon: &'t str,
}

impl Assembler {
    /// The template; `None` if more than the layout and the texts decides about the prompt.
    pub fn template(&self) -> Option<Template<'_>> {
        let is_plain = self.markers() == Markers::Verbatim
            && self.array.is_none()
            && self.options.show_sender != Some(true)
            && self.options.eviction_step.unwrap_or(1) <= 1
            && self.layout.has(Part::Context);
        let line = self.message_line();
        is_plain.then(|| Template {
            sections: self
                .layout
                .sections
                .iter()
                .map(|section| {
                    let lines = [self.title(section), &section.note];
                    let lines = lines.into_iter().filter(|line| !line.is_empty());
                    (section.part, lines.map(|line| format!("{line}\n")).collect())
                })
                .collect(),
            in_prompt: self.system_placement().in_prompt(),
            in_flag: self.system_placement().in_flag(),
            open: &line.open,
            arrow: line.arrow.as_deref(),
            everyone: EVERYONE,
            colon: &line.colon,
        })
    }
}
