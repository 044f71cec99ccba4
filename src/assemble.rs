//! The one entry of the core: from checked input to a prompt that can be written anywhere.
//!
//! 1. [`assemble`] plans what is kept, for any conversation ([`Context`]) and any policy.
//! 2. The [`Assembly`] knows how large the prompt is before a byte of it is written.
//! 3. It is written to any [`Sink`], in one pass, and described by a [`Report`].

use crate::budget::{self, ASSEMBLER_POLICY, Step};
use crate::debug;
use crate::error::Error;
use crate::model::{Assembler, Materials, Part};
use crate::plan::{Body, Plan};
use crate::render::{Sink, render};
use crate::report::{Report, SessionReport, decisions_unread, report};
use crate::text::one_line;
use crate::transcript::{Context, WriteLines};

/// What is to be assembled, without the conversation.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Layout and options.
    pub assembler: &'a Assembler,
    /// Everything but the conversation.
    pub materials: &'a Materials<'a>,
    /// In which order bytes are saved.
    pub policy: &'a [Step],
    /// The number of dropped context messages is rounded up to a multiple of this.
    pub eviction_step: usize,
    /// Whether there is going to be a report: what it needs is kept on the way.
    pub report: bool,
    /// Whom the prompt is for, for reports and debug output.
    pub agent_id: Option<&'a str>,
    /// Which part of a session it is, for reports.
    pub session: Option<&'a SessionReport>,
}

/// What a prompt shows whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownWhole {
    /// The first line of the window that is kept; `None` if the conversation is not shown.
    pub first: Option<usize>,
    /// Whether the current message is shown, not cut.
    pub message: bool,
    /// How many sibling replies are shown.
    pub siblings: usize,
    /// Whether the system text is shown, not cut.
    pub system: bool,
    /// Whether the team task is shown.
    pub team_task: bool,
    /// Whether the summary is shown, not cut.
    pub summary: bool,
}

impl<'a> Request<'a> {
    /// A request with the assembler's own eviction step.
    pub fn new(
        assembler: &'a Assembler,
        materials: &'a Materials<'a>,
        policy: &'a [Step],
        report: bool,
    ) -> Self {
        let eviction_step = assembler.options.eviction_step.unwrap_or(1);
        let (agent_id, session) = (None, None);
        Request { assembler, materials, policy, eviction_step, report, agent_id, session }
    }

    /// A request that saves bytes as the assemblers do.
    pub fn of_assembler(
        assembler: &'a Assembler,
        materials: &'a Materials<'a>,
        report: bool,
    ) -> Self {
        Request::new(assembler, materials, ASSEMBLER_POLICY, report)
    }
}

/// A prompt that fits into its budget, planned and not yet written.
pub struct Assembly<'a, 'c, C> {
    request: Request<'a>,
    plan: Plan<'a>,
    prompt_bytes: usize,
    context: &'c mut C,
}

/// Decides what is kept of the materials and of the conversation.
pub fn assemble<'a, 'c, C>(
    request: Request<'a>,
    context: &'c mut C,
) -> Result<Assembly<'a, 'c, C>, C::Error>
where
    C: Context,
    C::Error: From<Error>,
{
    let plan = budget::plan(request, context)?;
    Ok(Assembly { request, prompt_bytes: plan.prompt_bytes(), plan, context })
}

impl<C: Context> Assembly<'_, '_, C> {
    /// How many bytes the prompt has.
    pub fn prompt_bytes(&self) -> usize {
        self.prompt_bytes
    }

    /// The text for the CLI's system flag.
    pub fn system_flag(&self) -> Option<&str> {
        self.plan.system_flag()
    }

    /// What the prompt shows whole.
    pub fn shown_whole(&self) -> ShownWhole {
        let body = |part: Part| {
            let mut sections = self.plan.sections.iter();
            sections.find(|section| section.part == part).map(|section| &section.body)
        };
        let is_shown = |part: Part| body(part).is_some_and(|body| body.bytes() > 0);
        ShownWhole {
            first: match body(Part::Context) {
                Some(Body::Context { first, .. }) => Some(*first),
                // There is nothing to be shown, or no place for it.
                _ => self.request.assembler.layout.has(Part::Context).then_some(0),
            },
            message: match body(Part::Message) {
                Some(body) => matches!(body, Body::Text(_)),
                None => self.request.assembler.layout.has(Part::Message),
            },
            siblings: body(Part::Siblings).and_then(Body::items).unwrap_or(0),
            system: is_shown(Part::System) && self.plan.kept.file.is_none(),
            team_task: is_shown(Part::TeamTask),
            summary: is_shown(Part::Summary) && self.plan.kept.summary.is_none(),
        }
    }

    /// Writes exactly [`Assembly::prompt_bytes`] bytes.
    pub fn write<K: Sink>(&self, sink: &mut K)
    where
        C: WriteLines<K>,
    {
        render(&self.plan, self.context, sink);
    }

    /// Describes what was kept and left out. Reads the dropped messages for it.
    pub fn report(&self) -> Result<Report, C::Error> {
        report(self.request, &self.plan, self.context)
    }

    /// What is written to stderr when `DEBUG` asks for it. Reads no dropped messages.
    pub fn debug_text(&self, prompt: &[u8]) -> Result<String, C::Error> {
        let decisions = decisions_unread(self.request, &self.plan, self.context)?;
        let agent_type = &self.request.assembler.layout.agent_type;
        let agent = match self.request.agent_id {
            Some(agent_id) => format!("{} ({agent_type})", one_line(agent_id)),
            None => agent_type.to_string(),
        };
        Ok(debug::describe(&agent, &self.plan, prompt, &decisions))
    }
}
