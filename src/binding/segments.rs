//! What `assembleSystemPrompt` and the hints in `js/system-prompt.js` call.

use super::background::run_in_background;
use super::failure::Failure;
use super::node_api::{Kind, run};
use super::read::fields::{Field, Object};
use super::read::process::ProcessFacts;
use crate::error::Error;
use crate::instructions::disk::Disk;
use crate::instructions::paths::absolute;
use crate::instructions::read::read_text;
use crate::system::hints;
use crate::system::segments::{DEFAULT_CORE_FILE, Locale, Tool, join_segments};
use napi::{Env, Unknown};
use napi_derive::napi;

/// A system prompt as one text.
#[napi(ts_return_type = "Promise<string>")]
pub fn assemble_system_prompt<'s>(
    env: &'s Env,
    runtime_hints: Unknown<'s>,
    options: Unknown<'s>,
    process: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let hints = match Field::new(scope, "runtimeHints", runtime_hints).given()? {
            Some(given) => given.string_array("an array of strings")?,
            None => Vec::new(),
        };
        let given = Field::new(scope, "options", options).object_or_empty()?;
        let core = given.field("core")?.optional_string()?;
        let file = given.field("coreFile")?.optional_string()?;
        let file = file.as_deref().unwrap_or(DEFAULT_CORE_FILE);
        let path = absolute(&ProcessFacts::new(scope, process)?.cwd, file);
        let tools = tools(&given)?;
        let locale = locale(&given)?;
        let work = move || {
            let core = match core {
                Some(core) => core,
                None => read_text(&Disk, &path).map_err(|problem| Error::UnreadableFile {
                    file: path.to_string_lossy().into_owned(),
                    problem,
                    remedy: "pass its text as options.core, or its path as options.coreFile"
                        .to_owned(),
                })?,
            };
            Ok(join_segments(&core, &tools, &hints, locale))
        };
        run_in_background(env, work, |scope, text| scope.utf8(&text))
    })
}

/// The hint that takes the place of an earlier conversation.
#[napi(ts_return_type = "string")]
pub fn compression_hint<'s>(
    env: &'s Env,
    summary: Unknown<'s>,
    options: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let summary = Field::new(scope, "summary", summary).string()?;
        let locale = locale(&Field::new(scope, "options", options).object_or_empty()?)?;
        scope.utf8(&hints::compression_hint(&summary, locale))
    })
}

/// A `<system_hint>` with attributes.
#[napi(ts_return_type = "string")]
pub fn system_hint<'s>(
    env: &'s Env,
    attributes: Unknown<'s>,
    text: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let attributes = hint_attributes(Field::new(scope, "attributes", attributes))?;
        let text = Field::new(scope, "text", text).string()?;
        scope.utf8(&hints::system_hint(&attributes, &text))
    })
}

/// A tool's output, or its beginning and a hint.
#[napi(ts_return_type = "string")]
pub fn truncate_tool_output<'s>(
    env: &'s Env,
    tool: Unknown<'s>,
    output: Unknown<'s>,
    options: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let tool = Field::new(scope, "tool", tool).string()?;
        let field = Field::new(scope, "output", output);
        if field.kind()? != Kind::String {
            return Err(field.wrong("a string"));
        }
        let given = Field::new(scope, "options", options).object_or_empty()?;
        let max = given.field("maxChars")?.integer_or(0, hints::DEFAULT_MAX_OUTPUT_CHARS)?;
        let actual = scope.utf16_length(output)?;
        // A text that is short enough is not read.
        if !hints::is_too_long(actual, max) {
            return Ok(output);
        }
        match hints::truncate_output(&tool, &scope.string(output)?, actual, max) {
            Some(truncated) => scope.utf8(&truncated),
            None => Ok(output),
        }
    })
}

fn locale(given: &Object) -> Result<Locale, Failure> {
    let field = given.field("locale")?;
    match field.optional_string()? {
        None => Ok(Locale::default()),
        Some(name) => Locale::parse(&name).ok_or_else(|| field.unknown(Locale::EXPECTED, &name)),
    }
}

/// A list of tools, or the registry that an SDK keeps.
fn tools(given: &Object) -> Result<Vec<Tool>, Failure> {
    let field = given.field("tools")?;
    let Some(field) = field.given()? else { return Ok(Vec::new()) };
    if field.scope.array_length(field.value)?.is_some() {
        let tool = |element: Field| {
            let tool = element.object()?;
            Ok(Tool { name: tool.field("name")?.string()?, usage: tool.field("usage")?.string()? })
        };
        return field.elements("an array")?.map(|element| tool(element?.field())).collect();
    }
    if field.kind()? != Kind::Object {
        return Err(field.wrong("an array or an object"));
    }
    let registry = field.object()?;
    let tools = registry.keys()?.into_iter().map(|name| {
        let tool = registry.own_field(&name)?.object()?;
        let usage = tool.field("description")?.string_or_empty()?;
        Ok(Tool { name, usage })
    });
    tools.collect()
}

fn hint_attributes(field: Field) -> Result<Vec<(String, String)>, Failure> {
    let given = field.object()?;
    let mut attributes = Vec::new();
    for name in given.keys()? {
        if !hints::is_attribute_name(&name) {
            return Err(field.unknown("an object whose keys are attribute names", &name));
        }
        let attribute = given.own_field(&name)?;
        match attribute.kind()? {
            kind if kind.is_nothing() => {}
            Kind::String => attributes.push((name.clone(), attribute.string()?)),
            Kind::Number | Kind::Boolean => {
                attributes.push((name.clone(), given.scope.printed(attribute.value)?));
            }
            _ => return Err(attribute.wrong("a string, a number or a boolean")),
        }
    }
    if !attributes.iter().any(|(name, _)| name == "type") {
        return Err(given.own_field("type")?.wrong("a string"));
    }
    Ok(attributes)
}
