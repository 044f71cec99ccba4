//! The only entry point of the core: from checked input to a prompt that can be written anywhere.
//!
//! 1. [`assemble`] plans what is kept, for any conversation ([`Lines`]) and any policy.
//! 2. The [`Assembly`] knows how large the prompt is before a byte of it is written.
//! 3. It is written to any [`Sink`], in one pass, and described by a [`Report`].

use crate::budget::{self, Request};
use crate::conversation::Lines;
use crate::debug;
use crate::error::Error;
use crate::layout::Part;
use crate::plan::{Body, Plan};
use crate::render::{self, render};
use crate::report::{Report, decisions_unread, report};
use crate::text::{Sink, one_line};

/// What a prompt shows, as far as a session needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    /// The first line of the window that is kept; `None` if the conversation is not shown.
    pub first: Option<usize>,
    /// Whether the system text is in the prompt itself.
    pub system: bool,
    /// Whether the team task is shown.
    pub team_task: bool,
    /// Whether the summary, or what is left of it, is shown.
    pub summary: bool,
}

/// A prompt that fits its budget, planned but not yet written.
pub struct Assembly<'a> {
    request: Request<'a>,
    plan: Plan<'a>,
    /// The size of the prompt.
    pub prompt_bytes: usize,
    lines: &'a Lines<'a>,
}

/// Decides what is kept of the materials and the conversation.
pub fn assemble<'a>(request: Request<'a>, lines: &'a mut Lines<'_>) -> Result<Assembly<'a>, Error> {
    let plan = budget::plan(request, lines)?;
    Ok(Assembly { request, prompt_bytes: plan.prompt_bytes(), plan, lines })
}

impl Assembly<'_> {
    /// The text for the CLI's system flag.
    pub fn system_flag(&self) -> Option<&str> {
        self.plan.system_flag()
    }

    /// What the prompt shows.
    pub fn shown(&self) -> Shown {
        let is_shown = |part| self.plan.section(part).is_some_and(|one| one.prompt_bytes() > 0);
        Shown {
            first: match self.plan.section(Part::Context).map(|section| &section.body) {
                Some(Body::Context { first, .. }) => Some(*first),
                // There is nothing to show, or no place for it.
                _ => self.request.assembler.layout.has(Part::Context).then_some(0),
            },
            system: is_shown(Part::System),
            team_task: is_shown(Part::TeamTask),
            summary: is_shown(Part::Summary),
        }
    }

    /// Writes exactly [`Assembly::prompt_bytes`] bytes.
    pub fn write<K: Sink>(&self, sink: &mut K) {
        render(&self.plan, self.lines, sink);
    }

    /// The request to a model API as JSON, if one was planned.
    pub fn request(&self) -> Result<Option<String>, Error> {
        let form = self.request.assembler.array.as_ref();
        form.map(|form| render::request(form, &self.plan, self.lines)).transpose()
    }

    /// The request without marks for the provider's cache, for comparison with other requests.
    pub fn unmarked_request(&self) -> Result<Option<String>, Error> {
        let form = self.request.assembler.array.as_ref();
        form.map(|form| render::unmarked(form, &self.plan, self.lines)).transpose()
    }

    /// Describes what was kept and left out.
    pub fn report(&self) -> Report {
        report(self.request, &self.plan, self.lines)
    }

    /// What is written to stderr when `DEBUG` asks for it.
    pub fn debug_text(&self, prompt: &[u8]) -> String {
        let decisions = decisions_unread(self.request, &self.plan, self.lines);
        let agent_type = &self.request.assembler.layout.agent_type;
        let agent = match self.request.agent_id {
            Some(agent_id) => format!("{} ({agent_type})", one_line(agent_id)),
            None => agent_type.to_string(),
        };
        debug::describe(&agent, &self.plan, prompt, &decisions)
    }
}
