//! A system prompt of several parts, in this order:
//!
//! 1. the agent's own prompt, or the base prompt of the model's family if it is blank;
//! 2. the environment;
//! 3. the instructions of the project and the user.

use super::environment::{Environment, environment};
use super::provider::{Family, provider};
use crate::instructions::file_system::FileSystem;
use crate::text::trim_js;

/// The input for the parts that are not instructions.
#[derive(Debug, Clone)]
pub struct Layers {
    /// The agent's own prompt, which replaces the base prompt.
    pub agent_prompt: String,
    /// The identifier of the model.
    pub model_id: String,
    /// The caller's own model families.
    pub families: Vec<Family>,
    /// The values of the environment block.
    pub environment: Environment,
}

/// The parts before the instructions.
pub fn opening(fs: &impl FileSystem, layers: &Layers) -> Vec<String> {
    let mut parts = match trim_js(&layers.agent_prompt) {
        "" => provider(&layers.model_id, &layers.families),
        _ => vec![layers.agent_prompt.clone()],
    };
    parts.push(environment(fs, &layers.environment));
    parts
}

/// All parts. Blank ones are left out.
pub fn parts(opening: Vec<String>, instructions: Vec<String>) -> Vec<String> {
    let all = opening.into_iter().chain(instructions);
    all.filter(|part| !trim_js(part).is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::in_memory::InMemoryFileSystem;

    fn layers() -> Layers {
        Layers {
            agent_prompt: String::new(),
            model_id: "gemini-pro".to_owned(),
            families: Vec::new(),
            environment: Environment { directory: "/p".into(), ..Environment::default() },
        }
    }

    fn build(layers: &Layers, instructions: &[&str]) -> Vec<String> {
        let instructions = instructions.iter().map(|text| text.to_string()).collect();
        parts(opening(&InMemoryFileSystem::default(), layers), instructions)
    }

    #[test]
    fn layers_are_agent_or_provider_then_environment_then_instructions() {
        let parts = build(&layers(), &["be kind"]);
        assert_eq!(parts.len(), 3);
        assert_eq!(parts[0], provider("gemini", &[])[0]);
        assert!(parts[1].contains("<env>"));
        assert_eq!(parts[2], "be kind");

        let agent = Layers { agent_prompt: " I am Max\n".to_owned(), ..layers() };
        assert_eq!(build(&agent, &[])[0], " I am Max\n");
        let blank = Layers { agent_prompt: " \n".to_owned(), ..layers() };
        assert_eq!(build(&blank, &["be kind"]), parts);
    }

    #[test]
    fn blank_parts_are_left_out() {
        let blank = [("gemini".to_owned(), vec![" ".to_owned(), "a".to_owned()])];
        let layers = Layers { families: blank.to_vec(), ..layers() };
        let parts = build(&layers, &[" \n"]);
        assert_eq!((parts.len(), parts[0].as_str()), (2, "a"));
    }
}
