//! What the namespace `SystemPrompt` in `js/system-prompt.js` calls.

use super::background::run_in_background;
use super::failure::Failure;
use super::instructions::{PendingSources, instruction_options};
use super::node_api::{Kind, run};
use super::read::fields::{Field, Object};
use super::read::process::ProcessFacts;
use crate::instructions::disk::Disk;
use crate::system::environment::{Environment, ExtraLine, environment as block};
use crate::system::layers::{Layers, opening};
use crate::system::provider::{Family, check_pattern, provider as base_prompt};
use napi::{Env, Unknown};
use napi_derive::napi;

/// The base prompt of a model's family.
#[napi(ts_return_type = "string[]")]
pub fn provider_prompt<'s>(
    env: &'s Env,
    model_id: Unknown<'s>,
    options: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let model_id = Field::new(scope, "modelID", model_id).string()?;
        let families = families(&Field::new(scope, "options", options).object_or_empty()?)?;
        scope.strings(&base_prompt(&model_id, &families))
    })
}

/// What the agent should know about the machine.
#[napi(ts_return_type = "string")]
pub fn environment_prompt<'s>(
    env: &'s Env,
    options: Unknown<'s>,
    process: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let given = Field::new(scope, "options", options).object_or_empty()?;
        let process = ProcessFacts::new(scope, process)?;
        scope.utf8(&block(&Disk, &environment_options(&given, &process)?))
    })
}

/// Finds the instructions of a system prompt, and makes the parts before them. Goes on as
/// `findSources` does.
#[napi(ts_return_type = "Promise<string>")]
pub fn find_system_prompt<'s>(
    env: &'s Env,
    input: Unknown<'s>,
    fetch: Unknown<'s>,
    process: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let given = Field::new(scope, "input", input).object()?.at_top_level();
        let agent = given.field("agent")?.object()?;
        given.field("transform")?.check_optional_function()?;
        Field::new(scope, "fetch", fetch).check_optional_function()?;
        let process = ProcessFacts::new(scope, process)?;
        let layers = Layers {
            agent_prompt: agent.field("prompt")?.string_or_empty()?,
            model_id: given.field("modelID")?.string_or_empty()?,
            families: families(&given)?,
            environment: environment_options(&given, &process)?,
        };
        let options = instruction_options(&given, &process)?;
        let work = move || PendingSources::find(opening(&Disk, &layers), options);
        run_in_background(env, work, PendingSources::describe)
    })
}

/// Checks what `transform` has returned.
#[napi(ts_return_type = "void")]
pub fn check_transformed<'s>(env: &'s Env, parts: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let parts = Field::new(scope, "the result of transform", parts);
        parts.string_array("an array of strings")?;
        scope.undefined()
    })
}

/// The caller's own families: which models, and what they are told.
fn families(given: &Object) -> Result<Vec<Family>, Failure> {
    let field = given.field("families")?;
    let by_pattern = field.object_or_empty()?;
    let mut families = Vec::new();
    for pattern in by_pattern.keys()? {
        check_pattern(&field.path(), &pattern)?;
        let prompts = by_pattern.own_field(&pattern)?.strings()?;
        families.push((pattern, prompts));
    }
    Ok(families)
}

fn environment_options(given: &Object, process: &ProcessFacts) -> Result<Environment, Failure> {
    Ok(Environment {
        directory: process.directory(given.field("directory")?)?,
        platform: process.platform()?,
        date: process.date_string(given.field("now")?)?,
        extra: extra(given)?,
    })
}

/// Lines, or names and values.
fn extra(given: &Object) -> Result<Vec<ExtraLine>, Failure> {
    let field = given.field("extra")?;
    let is_entries =
        field.kind()? == Kind::Object && field.scope.array_length(field.value)?.is_none();
    if !is_entries {
        return Ok(field.strings()?.into_iter().map(ExtraLine::Line).collect());
    }
    let entries = field.object()?;
    let mut lines = Vec::new();
    for name in entries.keys()? {
        if let Some(value) = entries.own_field(&name)?.optional_string()? {
            lines.push(ExtraLine::Entry { name, value });
        }
    }
    Ok(lines)
}
