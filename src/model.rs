//! The checked input: what a caller wants assembled, and how.

mod insertions;
mod options;
mod redacted;
mod session_report;
mod template;
mod token_budget;

pub use insertions::{BrokenKeys, GivenText};
pub use options::{Assembler, AssemblerOptions, Markers};
pub use redacted::RedactedPart;
pub use session_report::{SessionMode, SessionReport};
pub use template::Template;
pub use token_budget::TokenBudget;

use crate::layout::Part;
use crate::structure::Finding;
use crate::text::{Stretch, Text, trim_js};
use std::borrow::Cow;

/// A message outside the conversation window: the parent, or a sibling reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Quote {
    /// Who wrote it.
    pub from: String,
    /// What is shown of it.
    pub content: String,
    /// How many bytes of that the account counts as the writer's; 0 if it repeats a text given
    /// elsewhere.
    pub own_bytes: usize,
    /// The tool calls and results in what is shown, which a cut keeps together.
    pub stretches: Vec<Stretch>,
    /// Which message of a kept conversation it is.
    pub origin: Option<QuoteOrigin>,
}

impl Quote {
    /// A message that is given only here.
    pub fn new(from: String, content: String) -> Self {
        Quote { own_bytes: content.len(), from, content, ..Quote::default() }
    }
}

/// The message of a kept conversation that a quote comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuoteOrigin {
    /// Its id.
    pub id: String,
    /// Its index in the conversation.
    pub index: usize,
}

/// Who wrote the current message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sender<'t> {
    /// The writer's name.
    pub from: Cow<'t, str>,
    /// Who it is for; empty for everyone.
    pub to: Cow<'t, str>,
}

/// Parts left out because the agent already has them in its session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SeenParts {
    /// The system text.
    pub system: bool,
    /// The team task.
    pub team_task: bool,
    /// The summary.
    pub summary: bool,
}

impl SeenParts {
    /// Whether a part is among these.
    pub fn has(self, part: Part) -> bool {
        match part {
            Part::System => self.system,
            Part::TeamTask => self.team_task,
            Part::Summary => self.summary,
            _ => false,
        }
    }
}

/// A member's role as the first line of the system text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoleLine {
    /// The line; empty without a role.
    pub text: String,
    /// The size of the role as given.
    pub given_bytes: usize,
    /// How much of it the line has.
    pub kept_bytes: usize,
    /// How much of it exceeds the limit.
    pub cut_bytes: usize,
}

/// Everything that goes into a prompt except the conversation, which is read
/// separately (see [`crate::reading`]) because most of it may not be needed.
#[derive(Debug, Clone, Default)]
pub struct Materials<'t> {
    /// The member's role, before the configured instruction.
    pub role: RoleLine,
    /// The configured instruction, one element per given string.
    pub system_instruction: Cow<'t, [String]>,
    /// The text of the member's instruction file.
    pub instruction_file: Cow<'t, str>,
    /// What the team works on.
    pub team_task: Cow<'t, str>,
    /// How much of the task was cut earlier.
    pub team_task_cut_bytes: usize,
    /// The summary of what preceded the conversation shown.
    pub summary: Cow<'t, str>,
    /// The message that is being answered.
    pub parent: Option<Quote>,
    /// Other replies to that message, newest first.
    pub siblings: Vec<Quote>,
    /// The message to act on.
    pub message: Text<'t>,
    /// The tool calls and results in it, which a cut keeps together; none if it was not read whole.
    pub message_stretches: Vec<Stretch>,
    /// Tool calls without results, and results without calls, in it and in the quotes.
    pub unpaired: Vec<Finding>,
    /// Who wrote it, if the prompt says so.
    pub sender: Option<Sender<'t>>,
    /// The keys that were broken up in these texts for a fenced prompt.
    pub keys: BrokenKeys,
    /// The identifier of the message that is being answered.
    pub parent_message_id: Cow<'t, str>,
    /// The intent of the route.
    pub intent: Cow<'t, str>,
    /// Parts that the agent already has in its session.
    pub seen: SeenParts,
    /// Whether the system text goes only to the flag, because the session already has the copy in
    /// the prompt.
    pub system_in_flag_only: bool,
    /// What was replaced in these texts because it looks like a key or a token.
    pub redacted: Vec<RedactedPart>,
    /// How much of the parent was cut earlier.
    pub parent_cut_bytes: usize,
    /// How many messages are outside the prompt's scope, and their bytes.
    pub outside: Option<(usize, usize)>,
    /// Bytes of routing values that are not shown, because there is no message to answer.
    pub unused_routing_bytes: usize,
    /// The most bytes for prompt and flag together.
    pub max_bytes: usize,
    /// The token budget, if tokens are counted.
    pub tokens: Option<TokenBudget>,
}

impl Materials<'_> {
    /// The most tokens for prompt and flag together.
    pub fn max_tokens(&self) -> Option<usize> {
        self.tokens.as_ref()?.max_tokens
    }

    /// What was found in the given texts before they are laid out.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.unpaired.iter().chain(&self.keys.findings)
    }

    /// Every given text with its part, trimmed. For a message that was not read whole, its
    /// beginning.
    pub fn texts(&self) -> impl Iterator<Item = (Part, &str)> {
        let instruction = self.system_instruction.iter().map(String::as_str);
        let file = [self.role.text.as_str(), &self.instruction_file].into_iter();
        let system = instruction.chain(file).map(|text| (Part::System, text));
        let parent = self.parent.iter().map(|quote| (Part::Parent, quote.content.as_str()));
        let siblings = self.siblings.iter().map(|quote| (Part::Siblings, quote.content.as_str()));
        let others = [
            (Part::TeamTask, &*self.team_task),
            (Part::Summary, &*self.summary),
            (Part::Message, self.message.beginning()),
        ];
        let all = system.chain(parent).chain(siblings).chain(others);
        all.map(|(part, text)| (part, trim_js(text)))
    }

    /// Whether a part can have any text; most turns have no summary and no route.
    pub fn may_have(&self, part: Part) -> bool {
        match part {
            _ if self.seen.has(part) => false,
            Part::Summary => !self.summary.is_empty(),
            Part::Parent => self.parent.is_some(),
            Part::Siblings => !self.siblings.is_empty(),
            Part::Routing => !self.parent_message_id.is_empty() || !self.intent.is_empty(),
            Part::System | Part::TeamTask | Part::Context | Part::Message => true,
        }
    }

    /// The role and the configured instruction, a line per element.
    pub fn instruction_text(&self) -> Cow<'_, str> {
        let elements = self.system_instruction.iter().map(String::as_str);
        joined([self.role.text.as_str()].into_iter().chain(elements), "\n")
    }

    /// The system text with this much of the instruction file: the configured instruction,
    /// a blank line, the file; either alone if the other is empty.
    pub fn system_text<'m>(&'m self, instruction_file: &'m str) -> Cow<'m, str> {
        match (self.instruction_text(), trim_js(instruction_file)) {
            (instruction, "") => instruction,
            (instruction, file) if instruction.is_empty() => file.into(),
            (instruction, file) => [&instruction, "\n\n", file].concat().into(),
        }
    }
}

/// Joins the non-empty texts, trimmed. A single text is not copied.
fn joined<'t>(texts: impl Iterator<Item = &'t str>, separator: &str) -> Cow<'t, str> {
    let mut texts = texts.map(trim_js).filter(|text| !text.is_empty());
    let mut all = Cow::from(texts.next().unwrap_or_default());
    for text in texts {
        let all = all.to_mut();
        all.push_str(separator);
        all.push_str(text);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_text_joins_its_parts() {
        let text = |instruction: &[&str], file: &str| {
            Materials {
                system_instruction: instruction
                    .iter()
                    .map(|s| s.to_string())
                    .collect::<Vec<_>>()
                    .into(),
                ..Materials::default()
            }
            .system_text(file)
            .into_owned()
        };
        assert_eq!(text(&[], ""), "");
        assert_eq!(text(&["You are Max"], ""), "You are Max");
        assert_eq!(text(&[], "Always be helpful"), "Always be helpful");
        assert_eq!(text(&[" You are Max\n"], " Always "), "You are Max\n\nAlways");
        assert_eq!(text(&["  "], "text"), "text");
        assert_eq!(text(&["a ", " ", "\nb"], "c"), "a\nb\n\nc");
    }
}
