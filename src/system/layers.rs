//! A system prompt of several parts, in this order:
//!
//! 1. the agent's own prompt, or the base prompt of the model's family if it is blank;
//! 2. the environment;
//! 3. the instructions of the project and the user.

use super::environment::{Environment, environment};
use super::provider::{Family, provider};
use crate::error::Error;
use crate::instructions::InstructionOptions;
use crate::instructions::file_system::FileSystem;
use crate::instructions::load::{load, messages};
use crate::instructions::url::Fetch;
use crate::text::trim_js;

/// The input for a system prompt.
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
    /// How to find instructions.
    pub instructions: InstructionOptions,
}

/// Builds the parts. Blank ones are left out.
pub fn build(
    fs: &impl FileSystem,
    web: &impl Fetch,
    layers: &Layers,
) -> Result<Vec<String>, Error> {
    let mut parts = match trim_js(&layers.agent_prompt) {
        "" => provider(&layers.model_id, &layers.families),
        _ => vec![layers.agent_prompt.clone()],
    };
    parts.push(environment(fs, &layers.environment));
    parts.extend(messages(load(fs, web, &layers.instructions)?));
    parts.retain(|part| !trim_js(part).is_empty());
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::ProcessEnvironment;
    use crate::instructions::in_memory::InMemoryFileSystem;
    use crate::instructions::url::{Fetched, PendingFetch};

    struct Offline;

    impl Fetch for Offline {
        fn start(&self, _: &str) -> PendingFetch {
            Box::new(|| Fetched::Failed { reason: "offline".to_owned(), bytes: 0 })
        }
    }

    fn layers() -> Layers {
        Layers {
            agent_prompt: String::new(),
            model_id: "gemini-pro".to_owned(),
            families: Vec::new(),
            environment: Environment { directory: "/p".into(), ..Environment::default() },
            instructions: InstructionOptions::new("/p", ProcessEnvironment::default()),
        }
    }

    #[test]
    fn agent_or_provider_then_environment_then_instructions() {
        let fs = InMemoryFileSystem::with(&[
            ("/p/AGENTS.md", "be kind"),
            ("/p/ETCODE.md", " \n"),
            ("/p/etcode.json", r#"{ "instructions": ["http://h/x"] }"#),
        ]);
        let parts = build(&fs, &Offline, &layers()).unwrap();
        assert_eq!(parts.len(), 3);
        assert_eq!(parts[0], provider("gemini", &[])[0]);
        assert!(parts[1].contains("<env>"));
        assert_eq!(parts[2], "Instructions from: /p/AGENTS.md\nbe kind");

        let agent = Layers { agent_prompt: " I am Max\n".to_owned(), ..layers() };
        assert_eq!(build(&fs, &Offline, &agent).unwrap()[0], " I am Max\n");
        let blank = Layers { agent_prompt: " \n".to_owned(), ..layers() };
        assert_eq!(build(&fs, &Offline, &blank).unwrap(), parts);
    }

    #[test]
    fn blank_parts_are_left_out() {
        let blank = [("gemini".to_owned(), vec![" ".to_owned(), "a".to_owned()])];
        let layers = Layers { families: blank.to_vec(), ..layers() };
        let parts = build(&InMemoryFileSystem::default(), &Offline, &layers).unwrap();
        assert_eq!((parts.len(), parts[0].as_str()), (2, "a"));
    }

    #[test]
    fn a_broken_configuration_is_an_error() {
        let fs = InMemoryFileSystem::with(&[("/p/etcode.json", "{")]);
        assert!(matches!(build(&fs, &Offline, &layers()), Err(Error::InvalidConfig { .. })));
    }
}
