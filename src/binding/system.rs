//! The exported namespace `SystemPrompt`.

use super::background;
use super::border::{Arguments, Border, Callback, Kind, Value};
use super::failure::Failure;
use super::instructions::{as_array, instruction_options, options_reader, string_argument, web};
use super::process::{date_string, directory, platform};
use super::reader::{Reader, wrong};
use crate::instructions::file_system::Disk;
use crate::system::environment::{Environment, ExtraLine, environment as block};
use crate::system::layers::{self, Layers};
use crate::system::provider::{Family, check_pattern, provider as base_prompt};
use napi::{Env, Unknown};
use napi_derive::napi;

/// The base prompt of a model's family: of Anthropic's for `claude`, OpenAI's for `gpt-`, and
/// `o1`, `o3` and `o4` at the start of a part of the name, Google's for `gemini`, and a general
/// one for all others.
#[napi(
    namespace = "SystemPrompt",
    catch_unwind,
    ts_args_type = "modelID: string, options?: ProviderOptions",
    ts_return_type = "string[]"
)]
pub fn provider<'s>(
    env: &'s Env,
    model_id: Unknown<'s>,
    options: Option<Unknown<'s>>,
) -> napi::Result<Unknown<'s>> {
    Border::enter(env).answer(|border| {
        let model_id = string_argument(border, border.received(&model_id), "modelID")?;
        let families = families(&options_reader(border, options)?)?;
        as_array(border, base_prompt(&model_id, &families))
    })
}

/// What the agent should know about the machine: one text with an `<env>` block.
#[napi(
    namespace = "SystemPrompt",
    catch_unwind,
    ts_args_type = "options?: EnvironmentOptions",
    ts_return_type = "string[]"
)]
pub fn environment<'s>(env: &'s Env, options: Option<Unknown<'s>>) -> napi::Result<Unknown<'s>> {
    Border::enter(env).answer(|border| {
        let given = environment_options(&options_reader(border, options)?)?;
        as_array(border, vec![block(&Disk, &given)])
    })
}

/// The system prompt, a text for each part: the agent's own prompt or that of the model's
/// family, the environment, and every instruction that is found. `transform` has the last word.
#[napi(
    namespace = "SystemPrompt",
    catch_unwind,
    ts_generic_types = "Agent extends object",
    ts_args_type = "input: SystemPromptInput<Agent>",
    ts_return_type = "Promise<string[]>"
)]
pub fn build<'s>(env: &'s Env, input: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    Border::enter(env).answer(|border| {
        border.promise(|border| {
            let reader = Reader::new(border, border.received(&input), "input", "")?;
            let Some((agent, _)) = reader.given("agent")? else {
                let missing = border.undefined()?;
                return Err(reader.wrong("agent", missing, "an object"));
            };
            let of_agent = Reader::new(border, agent, "agent", "agent")?;
            let transform = transform(&reader)?;
            let model_id = reader.optional_string("modelID")?;
            let layers = Layers {
                agent_prompt: of_agent.string_or_empty("prompt")?,
                model_id: model_id.clone().unwrap_or_default(),
                families: families(&reader)?,
                environment: environment_options(&reader)?,
                instructions: instruction_options(&reader)?,
            };
            let work = move || layers::build(&Disk, &web(&layers.instructions), &layers);
            let parts = background::run(env, work, as_array)?;
            let Some(transform) = transform else { return Ok(parts) };
            let model_id = match model_id {
                Some(model_id) => border.utf8(&model_id)?,
                None => border.undefined()?,
            };
            let context = border.object([("agent", agent), ("modelID", model_id)])?;
            // The function and its context travel through the promise itself, so that nothing
            // has to be kept alive beside it.
            border.then::<Transform>(border.all(&[parts, transform, context])?)
        })
    })
}

fn transform<'s>(reader: &Reader<'s, '_>) -> Result<Option<Value<'s>>, Failure> {
    match reader.given("transform")? {
        None => Ok(None),
        Some((value, Kind::Function)) => Ok(Some(value)),
        Some((value, _)) => Err(reader.wrong("transform", value, "a function")),
    }
}

/// Calls `transform`, which may answer with a promise.
struct Transform;

impl Callback for Transform {
    const NAME: &'static str = "transform";

    fn call<'s>(border: Border<'s>, arguments: &'s Arguments<'s>) -> Result<Value<'s>, Failure> {
        let [parts, transform, context] = elements(border, arguments[0])?;
        let answer = border.call_function(border.undefined()?, transform, &[parts, context])?;
        border.then::<Transformed>(border.all(&[answer, parts])?)
    }
}

/// Checks what `transform` came to. One that returns nothing has changed the array it was
/// given, or left it as it was.
struct Transformed;

impl Callback for Transformed {
    const NAME: &'static str = "transformed";

    fn call<'s>(border: Border<'s>, arguments: &'s Arguments<'s>) -> Result<Value<'s>, Failure> {
        let [answer, parts] = elements(border, arguments[0])?;
        let result = if border.kind(answer)?.is_nothing() { parts } else { answer };
        let name = "the result of transform";
        let Some(length) = border.array_length(result)? else {
            return Err(wrong(border, name, result, "an array of strings"));
        };
        for index in 0..length {
            let element = border.element(result, index)?;
            if border.kind(element)? != Kind::String {
                return Err(wrong(border, format!("{name}[{index}]"), element, "a string"));
            }
        }
        Ok(result)
    }
}

fn elements<'s, const N: usize>(
    border: Border<'s>,
    array: Value<'s>,
) -> Result<[Value<'s>; N], Failure> {
    let mut elements = [array; N];
    for (index, element) in elements.iter_mut().enumerate() {
        *element = border.element(array, index as u32)?;
    }
    Ok(elements)
}

/// The caller's own families: which models, and what they are told.
fn families(reader: &Reader) -> Result<Vec<Family>, Failure> {
    let Some((value, _)) = reader.given("families")? else { return Ok(Vec::new()) };
    let path = reader.path("families");
    let given = Reader::new(reader.border, value, &path, &path)?;
    let mut families = Vec::new();
    for pattern in reader.border.keys(value)? {
        check_pattern(&path, &pattern)?;
        let prompts = given.strings(&pattern)?;
        families.push((pattern, prompts));
    }
    Ok(families)
}

fn environment_options(reader: &Reader) -> Result<Environment, Failure> {
    Ok(Environment {
        directory: directory(reader, "directory")?,
        platform: platform(reader.border)?,
        date: date_string(reader, "now")?,
        extra: extra(reader)?,
    })
}

/// Lines, or what becomes lines: names and values.
fn extra(reader: &Reader) -> Result<Vec<ExtraLine>, Failure> {
    let Some((value, kind)) = reader.given("extra")? else { return Ok(Vec::new()) };
    if kind != Kind::Object || reader.border.array_length(value)?.is_some() {
        return Ok(reader.strings("extra")?.into_iter().map(ExtraLine::Line).collect());
    }
    let path = reader.path("extra");
    let entries = Reader::new(reader.border, value, &path, &path)?;
    let mut lines = Vec::new();
    for name in reader.border.keys(value)? {
        if let Some(value) = entries.optional_string(&name)? {
            lines.push(ExtraLine::Entry { name, value });
        }
    }
    Ok(lines)
}
