//! What is planned.

use super::Policy;
use crate::model::{Assembler, Materials, SessionReport};

/// What to assemble, without the conversation.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Layout and options.
    pub assembler: &'a Assembler,
    /// Everything but the conversation.
    pub materials: &'a Materials<'a>,
    /// The order in which bytes are saved.
    pub policy: Policy,
    /// The number of dropped context messages is rounded up to a multiple of this.
    pub eviction_step: usize,
    /// Whether there will be a report: what it needs is kept along the way.
    pub report: bool,
    /// The agent that the prompt is for, for reports and debug output.
    pub agent_id: Option<&'a str>,
    /// The role of the prompt in its session, for reports.
    pub session: Option<&'a SessionReport>,
}

impl<'a> Request<'a> {
    /// A request with the assembler's own eviction step.
    pub fn new(
        assembler: &'a Assembler,
        materials: &'a Materials<'a>,
        policy: Policy,
        report: bool,
    ) -> Self {
        let eviction_step = assembler.options.eviction_step.unwrap_or(1);
        let (agent_id, session) = (None, None);
        Request { assembler, materials, policy, eviction_step, report, agent_id, session }
    }
}
