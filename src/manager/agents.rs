//! Which assembler serves which agent type in one conversation.

use crate::layout::{BUILT_IN, LayoutRef, Layouts, PLAIN, normalized};
use crate::model::{Assembler, AssemblerOptions, Markers};
use crate::tokens::Tokenizer;
use std::collections::HashMap;

/// The assemblers of a conversation, each under a number that never changes.
#[derive(Debug)]
pub struct Agents {
    assemblers: Vec<Assembler>,
    /// Maps each name of a known agent to the number of its assembler.
    by_name: HashMap<String, usize>,
}

/// The number of the assembler for unknown agents.
const PLAIN_ASSEMBLER: usize = 0;

/// The result of looking up an agent type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentLookup {
    /// The number of its assembler.
    pub assembler: usize,
    /// The warning for the user if the type is unknown.
    pub warning: Option<String>,
}

/// The manager's defaults for agents that set nothing themselves.
#[derive(Debug, Clone, Copy, Default)]
pub struct AgentDefaults {
    /// The tokenizer.
    pub tokenizer: Option<Tokenizer>,
    /// Whether the current message shows its sender and addressees.
    pub show_sender: Option<bool>,
    /// What happens to message text that reads like structure.
    pub markers: Option<Markers>,
}

impl AgentDefaults {
    fn apply_to(self, options: &mut AssemblerOptions) {
        options.tokenizer = options.tokenizer.or(self.tokenizer);
        options.show_sender = options.show_sender.or(self.show_sender);
        options.markers = options.markers.or(self.markers);
    }
}

impl Agents {
    /// Builds the agents that have a layout and those that the caller configured.
    pub fn new(
        layouts: &Layouts,
        configured: Vec<(String, Assembler)>,
        defaults: AgentDefaults,
    ) -> Self {
        let default = |layout| {
            let mut assembler = Assembler::new(layout, AssemblerOptions::default());
            defaults.apply_to(&mut assembler.options);
            assembler
        };
        let mut agents = Agents {
            assemblers: vec![default(LayoutRef::BuiltIn(&PLAIN))],
            by_name: HashMap::new(),
        };
        for (agent_type, mut assembler) in configured {
            defaults.apply_to(&mut assembler.options);
            agents.add(&agent_type, assembler);
        }
        let built_in = BUILT_IN.into_iter().map(LayoutRef::from).filter(|layout| !is_plain(layout));
        for layout in layouts.own.iter().cloned().chain(built_in) {
            agents.add("", default(layout));
        }
        agents
    }

    /// Adds an assembler under every name of its layout that is still free. An agent without a
    /// layout of its own is added under its type.
    fn add(&mut self, agent_type: &str, assembler: Assembler) {
        let number = self.assemblers.len();
        let names: Vec<String> = match is_plain(&assembler.layout) {
            true => vec![normalized(agent_type)],
            false => assembler.layout.names().map(normalized).collect(),
        };
        for name in names {
            self.by_name.entry(name).or_insert(number);
        }
        self.assemblers.push(assembler);
    }

    /// Looks up an agent type by name or alias, ignoring case.
    pub fn look_up(&self, agent_type: &str) -> AgentLookup {
        let name = normalized(agent_type);
        if let Some(assembler) = self.by_name.get(&name) {
            return AgentLookup { assembler: *assembler, warning: None };
        }
        AgentLookup {
            assembler: PLAIN_ASSEMBLER,
            warning: Some(format!(
                "[ContextManager] Unknown agentType \"{agent_type}\" \
                 (normalized: \"{name}\"), using PlainTextAssembler. This is said once for each type; to \
                 silence it, pass {{ assemblers: {{ {name:?}: {{}} }} }}"
            )),
        }
    }

    /// The assembler with a number that [`Agents::look_up`] returned.
    pub fn assembler(&self, number: usize) -> Option<&Assembler> {
        self.assemblers.get(number)
    }
}

fn is_plain(layout: &LayoutRef) -> bool {
    matches!(layout, LayoutRef::BuiltIn(layout) if std::ptr::eq(*layout, &PLAIN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{CODEX, LayoutDefinition, SectionDefinition};

    fn own_layouts() -> Layouts {
        let definition = LayoutDefinition {
            agent_type: " Own-Agent".into(),
            aliases: vec!["Own".into()],
            sections: vec![SectionDefinition { part: "message".into(), ..Default::default() }],
            ..LayoutDefinition::default()
        };
        Layouts::new(vec![definition.check("layouts[0]").unwrap()], "layouts").unwrap()
    }

    #[test]
    fn configured_types_are_found_and_unknown_ones_cause_a_warning() {
        let options = AssemblerOptions { eviction_step: Some(7), ..AssemblerOptions::default() };
        let mine = Assembler::new((&PLAIN).into(), options.clone());
        let codex = Assembler::new((&CODEX).into(), options);
        let configured = vec![("\u{FEFF}Mine ".into(), mine), ("codex".into(), codex)];
        let agents = Agents::new(&own_layouts(), configured, AgentDefaults::default());
        let step = |agent_type: &str| {
            let found = agents.look_up(agent_type);
            let Assembler { layout, options, .. } = agents.assembler(found.assembler).unwrap();
            (layout.agent_type.to_string(), options.eviction_step, found.warning.is_some())
        };
        for (name, agent_type, eviction_step, is_warned_of) in [
            ("MINE", "unknown", Some(7), false),
            ("OpenAI-Codex", "openai-codex", Some(7), false),
            ("claude", "claude-code", None, false),
            ("qwen", "qwen-code", None, false),
            ("own-AGENT ", " Own-Agent", None, false),
            ("own", " Own-Agent", None, false),
            ("other", "unknown", None, true),
            ("unknown", "unknown", None, true),
            ("", "unknown", None, true),
        ] {
            assert_eq!(step(name), (agent_type.to_owned(), eviction_step, is_warned_of), "{name}");
        }
        let warning = agents.look_up(" Other").warning.unwrap();
        assert_eq!(
            warning,
            "[ContextManager] Unknown agentType \" Other\" (normalized: \"other\"), \
             using PlainTextAssembler. This is said once for each type; to silence it, pass \
             { assemblers: { \"other\": {} } }"
        );
    }
}
