//! What will be written, as data: the sections, their contents and their sizes.

use crate::arrays::Api;
use crate::layout::SECTION_BREAK;
use crate::layout::{Part, SystemPlacement};
use crate::model::TokenBudget;
use crate::structure::Finding;
use crate::text::{EndBytes, Ends, HeadTail};
use crate::tokens::BudgetUnit;
use std::borrow::Cow;
use std::cell::Cell;

/// The content of a section.
#[derive(Debug)]
pub enum Body<'a> {
    /// One text.
    Text(Cow<'a, str>),
    /// A text that must be cut before it is written.
    Ends(&'a Ends),
    /// A cut text; boxed, because it is large and rare.
    Cut(Box<HeadTail<'a>>),
    /// A list of texts, one per line.
    Items(Vec<String>),
    /// The conversation from line `first` of its window on, and what is pinned.
    Context {
        /// The oldest line of the window that is kept.
        first: usize,
        /// The oldest line for which there was room; the lines from it to `first` were also
        /// dropped, to reach a multiple of the eviction step.
        first_fitting: usize,
        /// How many there are in all.
        count: usize,
        /// How many are kept.
        kept: usize,
        /// Bytes of the gap lines between them, with their line breaks.
        gap_bytes: usize,
        /// Bytes of the kept lines and the line breaks between them.
        bytes: usize,
        /// How many more bytes the kept lines have with whole tool results.
        saved_bytes: usize,
        /// Whether the next prompt probably begins with the same lines.
        is_steady: bool,
    },
}

impl Body<'_> {
    /// Bytes without the title.
    pub fn bytes(&self) -> usize {
        match self {
            Body::Text(text) => text.len(),
            Body::Ends(ends) => ends.bytes(),
            Body::Cut(cut) => cut.bytes(),
            Body::Items(items) => {
                let texts: usize = items.iter().map(String::len).sum();
                texts + items.len().saturating_sub(1)
            }
            Body::Context { bytes, .. } => *bytes,
        }
    }

    /// How many items it holds, if it is a list.
    pub fn items(&self) -> Option<usize> {
        match self {
            Body::Text(_) | Body::Ends(_) | Body::Cut(_) => None,
            Body::Items(items) => Some(items.len()),
            Body::Context { kept, .. } => Some(*kept),
        }
    }
}

/// The lines above the body of a section; empty ones are omitted.
#[derive(Debug, Default)]
pub struct Heading<'a> {
    /// The title.
    pub title: &'a str,
    /// The line that explains the title.
    pub note: &'a str,
    /// Who wrote what follows, or what it is.
    pub opening: String,
}

impl Heading<'_> {
    /// The non-empty lines.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        [self.title, self.note, &self.opening].into_iter().filter(|line| !line.is_empty())
    }

    /// Bytes of these lines, with their line breaks.
    fn bytes(&self) -> usize {
        self.lines().map(|line| line.len() + 1).sum()
    }
}

/// A section of the prompt, before and after planning.
#[derive(Debug)]
pub struct PlannedSection<'a> {
    /// Which part it is.
    pub part: Part,
    /// The lines above the body.
    pub heading: Heading<'a>,
    /// A line below the body; empty for none.
    pub ending: &'a str,
    /// What it holds now.
    pub body: Body<'a>,
    /// In the prompt, beside it, or both. Only the system text can be beside it.
    pub placement: SystemPlacement,
    /// Bytes before anything was dropped or cut; `None` if never measured.
    pub bytes_before: Option<usize>,
    /// Items before anything was dropped, if it is a list.
    pub items_before: Option<usize>,
    /// The units of the body, once counted.
    pub body_units: Cell<Option<u64>>,
    /// Bytes of the body before it was cut; unused for the conversation.
    pub body_bytes_before: usize,
    /// Tokens before anything was dropped or cut; `None` if never counted.
    pub tokens_before: Option<usize>,
}

impl<'a> PlannedSection<'a> {
    /// Replaces the body.
    pub fn set_body(&mut self, body: Body<'a>) {
        self.body = body;
        self.body_units.set(None);
    }

    /// Bytes of the lines above and below the body, with their line breaks.
    pub fn frame_bytes(&self) -> usize {
        let ending = if self.ending.is_empty() { 0 } else { self.ending.len() + 1 };
        self.heading.bytes() + ending
    }

    /// Bytes in the prompt, without the blank line before it; 0 if it is not there.
    pub fn prompt_bytes(&self) -> usize {
        match self.body.bytes() {
            0 => 0,
            _ if !self.placement.in_prompt() => 0,
            body => self.frame_bytes() + body,
        }
    }

    /// Bytes in the flag.
    pub fn flag_bytes(&self) -> usize {
        if self.placement.in_flag() { self.body.bytes() } else { 0 }
    }

    /// Bytes in prompt and flag.
    pub fn bytes(&self) -> usize {
        self.prompt_bytes() + self.flag_bytes()
    }
}

/// Everything that will be written.
#[derive(Debug)]
pub struct Plan<'a> {
    /// Every section that had content, in prompt order, including those emptied since.
    pub sections: Vec<PlannedSection<'a>>,
    /// A line at the top of the prompt, with a blank line below it; empty for none.
    pub top: &'a str,
    /// The most bytes there may be.
    pub max_bytes: usize,
    /// Lines in parent and siblings that read as structure.
    pub findings: Vec<Finding>,
    /// How much is left of cut texts.
    pub kept: KeptPieces,
    /// The token budget, if tokens are counted.
    pub tokens: Option<PlannedTokens<'a>>,
    /// Which budget made it shorter.
    pub limited_by: Option<BudgetUnit>,
    /// Set for a request to a model API, which is written as blocks.
    pub api: Option<Api>,
}

/// The tokens of a plan.
#[derive(Debug)]
pub struct PlannedTokens<'a> {
    /// The token budget.
    pub budget: &'a TokenBudget,
    /// The most there may be.
    pub max_tokens: usize,
    /// The kept part of the conversation as one text, where needed: while other sections are cut,
    /// and for a report.
    pub context_text: String,
    /// Tokens of the prompt, if known because nothing more will be cut.
    pub prompt_tokens: Option<usize>,
}

/// What is left of cut texts, without omission lines and without the texts joined to them; `None`
/// for those that were not cut.
#[derive(Debug, Default)]
pub struct KeptPieces {
    /// Of the instruction file, after the system text was cut to its share.
    pub file_in_share: Option<EndBytes>,
    /// Of the instruction file, in the end.
    pub file: Option<EndBytes>,
    /// Of the summary; zero if it was dropped.
    pub summary: Option<EndBytes>,
    /// Of the parent message.
    pub parent: Option<EndBytes>,
}

impl<'a> Plan<'a> {
    /// Bytes of the prompt.
    pub fn prompt_bytes(&self) -> usize {
        let add = |bytes: usize, section: &PlannedSection| match (bytes, section.prompt_bytes()) {
            (before, 0) => before,
            (0, first) => first,
            (before, next) => before + SECTION_BREAK.len() + next,
        };
        match self.sections.iter().fold(0, add) {
            0 => 0,
            sections => self.top_bytes() + sections,
        }
    }

    /// Bytes of the line at the top with the blank line below it.
    pub fn top_bytes(&self) -> usize {
        if self.top.is_empty() { 0 } else { self.top.len() + SECTION_BREAK.len() }
    }

    /// Bytes of the flag.
    pub fn flag_bytes(&self) -> usize {
        self.sections.iter().map(PlannedSection::flag_bytes).sum()
    }

    /// Bytes of everything that is sent.
    pub fn total_bytes(&self) -> usize {
        self.prompt_bytes() + self.flag_bytes()
    }

    /// The sections that stand in the prompt.
    pub fn written(&self) -> impl Iterator<Item = &PlannedSection<'a>> {
        self.sections.iter().filter(|section| section.prompt_bytes() > 0)
    }

    /// The text for the CLI's system flag.
    pub fn system_flag(&self) -> Option<&str> {
        let section = self.sections.iter().find(|section| section.flag_bytes() > 0)?;
        match &section.body {
            Body::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The section of a part, if there was anything for it.
    pub fn section(&self, part: Part) -> Option<&PlannedSection<'a>> {
        self.sections.iter().find(|section| section.part == part)
    }

    /// The section of a part, mutably.
    pub fn section_mut(&mut self, part: Part) -> Option<&mut PlannedSection<'a>> {
        self.sections.iter_mut().find(|section| section.part == part)
    }
}
