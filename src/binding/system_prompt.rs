//! What the namespace `SystemPrompt` in `lib/system-prompt/system-prompt.ts` calls.

use super::background::run_in_background;
use super::instructions::{InstructionInput, InstructionSources};
use super::process::{ProcessFacts, directory};
use crate::instructions::disk::Disk;
use crate::system_prompt::environment::{Environment, environment as block};
use crate::system_prompt::layers::{Layers, opening};
use crate::system_prompt::provider::{Family, provider as base_prompt};
use napi::Env;
use napi::bindgen_prelude::PromiseRaw;
use napi_derive::napi;
use std::path::PathBuf;

/// A caller-supplied family of models, and what they are told.
#[napi(object, object_to_js = false)]
pub struct FamilyInput {
    pub pattern: String,
    pub prompts: Vec<String>,
}

/// What the agent should know about the machine.
#[napi(object, object_to_js = false)]
pub struct EnvironmentInput {
    pub platform: String,
    pub date: String,
    pub extra: Vec<String>,
}

/// A system prompt, without its instructions.
#[napi(object, object_to_js = false)]
pub struct LayersInput {
    pub agent_prompt: String,
    #[napi(js_name = "modelID")]
    pub model_id: String,
    pub families: Vec<FamilyInput>,
    pub environment: EnvironmentInput,
}

fn families(given: Vec<FamilyInput>) -> Vec<Family> {
    given.into_iter().map(|FamilyInput { pattern, prompts }| (pattern, prompts)).collect()
}

impl EnvironmentInput {
    fn of(self, directory: PathBuf) -> Environment {
        let EnvironmentInput { platform, date, extra } = self;
        Environment { directory, platform, date, extra }
    }
}

/// The base prompt of a model's family.
#[napi(catch_unwind)]
pub fn provider_prompt(model_id: String, given: Vec<FamilyInput>) -> Vec<String> {
    base_prompt(&model_id, &families(given))
}

/// What the agent should know about the machine.
#[napi(catch_unwind)]
pub fn environment_prompt(path: Option<String>, input: EnvironmentInput, cwd: String) -> String {
    block(&Disk, &input.of(directory(&cwd, path)))
}

/// Finds the instructions of a system prompt, and makes the parts before them.
#[napi(catch_unwind)]
pub fn find_system_prompt(
    env: &Env,
    layers: LayersInput,
    instructions: InstructionInput,
    process: ProcessFacts,
) -> napi::Result<PromiseRaw<'_, InstructionSources>> {
    let options = instructions.in_process(process);
    let layers = Layers {
        agent_prompt: layers.agent_prompt,
        model_id: layers.model_id,
        families: families(layers.families),
        environment: layers.environment.of(options.directory.clone()),
    };
    run_in_background(env, move || InstructionSources::find(opening(&Disk, &layers), options))
}
