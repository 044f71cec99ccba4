//! Which assembler serves which agent type in one conversation.

use crate::layout::{BUILT_IN, Layout, PLAIN, layout_of};
use crate::model::{Assembler, AssemblerOptions};
use crate::text::trim_js;

/// The assemblers of a conversation, each found by a number that does not change.
#[derive(Debug)]
pub struct Agents {
    /// The agent types that the caller has configured, in lower case and without aliases.
    configured: Vec<String>,
    /// Those of the configured types, then one for each built-in layout.
    assemblers: Vec<Assembler>,
}

/// What is known about an agent type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentLookup {
    /// The number of its assembler.
    pub assembler: usize,
    /// What to tell the user if the type is not known.
    pub warning: Option<String>,
}

impl Agents {
    /// The built-in agents, and those that the caller has configured.
    pub fn new(configured: Vec<(String, Assembler)>) -> Self {
        let (configured, mut assemblers): (Vec<String>, Vec<Assembler>) = configured
            .into_iter()
            .map(|(agent_type, assembler)| (agent_name(&assembler.layout, &agent_type), assembler))
            .unzip();
        let defaults = BUILT_IN.map(|layout| Assembler {
            layout: layout.into(),
            options: AssemblerOptions::default(),
        });
        assemblers.extend(defaults);
        Agents { configured, assemblers }
    }

    /// Looks an agent type up, by its name or an alias, in any letter case.
    pub fn look_up(&self, agent_type: &str) -> AgentLookup {
        let layout = layout_of(agent_type);
        let name = agent_name(layout, agent_type);
        if let Some(assembler) = self.configured.iter().position(|known| *known == name) {
            return AgentLookup { assembler, warning: None };
        }
        let built_in = BUILT_IN.iter().position(|known| std::ptr::eq(*known, layout));
        let is_known = !std::ptr::eq(layout, &PLAIN);
        AgentLookup {
            assembler: self.configured.len() + built_in.unwrap_or(BUILT_IN.len() - 1),
            warning: (!is_known).then(|| {
                format!(
                    "[ContextManager] Unknown agentType \"{agent_type}\" \
                     (normalized: \"{name}\"), using PlainTextAssembler"
                )
            }),
        }
    }

    /// The assembler with a number that [`Agents::look_up`] returned.
    pub fn assembler(&self, number: usize) -> Option<&Assembler> {
        self.assemblers.get(number)
    }
}

/// One name for all the aliases of an agent.
fn agent_name(layout: &Layout, agent_type: &str) -> String {
    let is_known = !std::ptr::eq(layout, &PLAIN);
    if is_known { layout.agent_type.to_string() } else { trim_js(agent_type).to_lowercase() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::CODEX;

    #[test]
    fn configured_types_are_known_and_others_are_warned_of() {
        let options = AssemblerOptions { eviction_step: Some(7), ..AssemblerOptions::default() };
        let mine = Assembler { layout: (&PLAIN).into(), options: options.clone() };
        let codex = Assembler { layout: (&CODEX).into(), options };
        let agents = Agents::new(vec![("\u{FEFF}Mine ".into(), mine), ("codex".into(), codex)]);
        let step = |agent_type: &str| {
            let found = agents.look_up(agent_type);
            let assembler = agents.assembler(found.assembler).unwrap();
            (
                assembler.layout.agent_type.to_string(),
                assembler.options.eviction_step,
                found.warning.is_some(),
            )
        };
        assert_eq!(step("MINE"), ("unknown".to_owned(), Some(7), false));
        assert_eq!(step("OpenAI-Codex"), ("openai-codex".to_owned(), Some(7), false));
        assert_eq!(step("claude"), ("claude-code".to_owned(), None, false));
        assert_eq!(step("other"), ("unknown".to_owned(), None, true));
        let warning = agents.look_up(" Other").warning.unwrap();
        assert_eq!(
            warning,
            "[ContextManager] Unknown agentType \" Other\" (normalized: \"other\"), \
             using PlainTextAssembler"
        );
    }
}
