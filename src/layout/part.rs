//! The kinds of texts in a prompt, and where the system text goes.

use serde::Serialize;

/// A part of the prompt. The variants are in prompt order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// The member's instructions.
    System,
    /// What the team works on.
    TeamTask,
    /// The summary of what preceded the conversation shown.
    Summary,
    /// The conversation so far.
    Context,
    /// The message that is being answered.
    Parent,
    /// Other replies to that message.
    Siblings,
    /// The message to act on.
    Message,
    /// Identifiers of the route.
    Routing,
}

impl Part {
    /// Every part, in prompt order.
    pub const ALL: [Part; 8] = [
        Part::System,
        Part::TeamTask,
        Part::Summary,
        Part::Context,
        Part::Parent,
        Part::Siblings,
        Part::Message,
        Part::Routing,
    ];

    /// The name in options, reports and errors.
    pub const fn name(self) -> &'static str {
        self.names().0
    }

    /// The part with this name.
    pub fn parse(name: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.name() == name)
    }

    /// The bracketed tag: a title in the layouts that use brackets, and in any layout the name of
    /// the part in sentences for people.
    pub const fn tag(self) -> &'static str {
        self.names().1
    }

    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Part::System => ("system", "[SYSTEM]"),
            Part::TeamTask => ("teamTask", "[TEAM_TASK]"),
            Part::Summary => ("summary", "[SUMMARY]"),
            Part::Context => ("context", "[CONTEXT]"),
            Part::Parent => ("parent", "[PARENT_CONTEXT]"),
            Part::Siblings => ("siblings", "[RELATED_CONTEXT]"),
            Part::Message => ("message", "[MESSAGE]"),
            Part::Routing => ("routing", "[ROUTING_META]"),
        }
    }
}

/// Where the system text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemPlacement {
    /// Beside the prompt, for the CLI's own flag.
    Flag,
    /// Into the prompt.
    Inline,
    /// Both, and both copies count against the budget.
    Both,
}

impl SystemPlacement {
    /// Parses the name that options use.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "flag" => Some(SystemPlacement::Flag),
            "inline" => Some(SystemPlacement::Inline),
            "both" => Some(SystemPlacement::Both),
            _ => None,
        }
    }

    /// How often the system text is sent.
    pub fn copies(self) -> usize {
        usize::from(self.in_prompt()) + usize::from(self.in_flag())
    }

    /// Whether there is a copy in the prompt.
    pub fn in_prompt(self) -> bool {
        self != SystemPlacement::Flag
    }

    /// Whether there is a copy for the flag.
    pub fn in_flag(self) -> bool {
        self != SystemPlacement::Inline
    }
}
