//! The exported functions around a system prompt of segments: `assembleSystemPrompt` and the
//! hints.

use super::background;
use super::border::{Border, Kind, Value};
use super::failure::Failure;
use super::instructions::{options_reader, string_argument};
use super::process::cwd;
use super::reader::{Reader, wrong};
use crate::error::Error;
use crate::instructions::file_system::Disk;
use crate::instructions::paths::absolute;
use crate::instructions::read::read_text;
use crate::system::hints;
use crate::system::segments::{self, Locale, Tool};
use napi::{Env, Unknown};
use napi_derive::napi;

/// A system prompt as one text: the core; notes on the tools, if there are any; the runtime
/// hints, if there are any.
#[napi(
    catch_unwind,
    ts_args_type = "runtimeHints?: string[] | null, options?: SegmentOptions",
    ts_return_type = "Promise<string>"
)]
pub fn assemble_system_prompt<'s>(
    env: &'s Env,
    runtime_hints: Option<Unknown<'s>>,
    options: Option<Unknown<'s>>,
) -> napi::Result<Unknown<'s>> {
    Border::enter(env).answer(|border| {
        border.promise(|border| {
            let hints = runtime_hints.map(|value| border.received(&value));
            let hints = string_list(border, hints, "runtimeHints")?;
            let reader = options_reader(border, options)?;
            let core = reader.optional_string("core")?;
            let file = reader.optional_string("coreFile")?;
            let path =
                absolute(&cwd(border)?, file.as_deref().unwrap_or(segments::DEFAULT_CORE_FILE));
            let tools = tools(&reader)?;
            let locale = locale(&reader)?;
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
                Ok(segments::join_segments(&core, &tools, &hints, locale))
            };
            background::run(env, work, |border, text| border.utf8(&text))
        })
    })
}

/// The hint that takes the place of an earlier conversation: its summary.
#[napi(
    catch_unwind,
    ts_args_type = "summary: string, options?: Pick<SegmentOptions, 'locale'>",
    ts_return_type = "string"
)]
pub fn compression_hint<'s>(
    env: &'s Env,
    summary: Unknown<'s>,
    options: Option<Unknown<'s>>,
) -> napi::Result<Unknown<'s>> {
    Border::enter(env).answer(|border| {
        let summary = string_argument(border, border.received(&summary), "summary")?;
        let locale = locale(&options_reader(border, options)?)?;
        border.utf8(&hints::compression_hint(&summary, locale))
    })
}

/// A `<system_hint>` with the attributes in the order given, escaped, and the text inside.
#[napi(
    catch_unwind,
    ts_args_type = "attributes: SystemHintAttributes, text: string",
    ts_return_type = "string"
)]
pub fn system_hint<'s>(
    env: &'s Env,
    attributes: Unknown<'s>,
    text: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    Border::enter(env).answer(|border| {
        let attributes = hint_attributes(border, border.received(&attributes))?;
        let text = string_argument(border, border.received(&text), "text")?;
        border.utf8(&hints::system_hint(&attributes, &text))
    })
}

/// A tool's output if it has at most `maxChars` characters (as JavaScript counts them), else
/// its beginning and a hint of type `tool_output_omitted`.
#[napi(
    catch_unwind,
    ts_args_type = "tool: string, output: string, options?: TruncateOptions",
    ts_return_type = "string"
)]
pub fn truncate_tool_output<'s>(
    env: &'s Env,
    tool: Unknown<'s>,
    output: Unknown<'s>,
    options: Option<Unknown<'s>>,
) -> napi::Result<Unknown<'s>> {
    Border::enter(env).answer(|border| {
        let tool = string_argument(border, border.received(&tool), "tool")?;
        let output = border.received(&output);
        if border.kind(output)? != Kind::String {
            return Err(wrong(border, "output", output, "a string"));
        }
        let default = hints::DEFAULT_MAX_OUTPUT_CHARS;
        let max = options_reader(border, options)?.integer_or("maxChars", 0, default)?;
        let actual = border.utf16_length(output)?;
        if !hints::is_too_long(actual, max) {
            return Ok(output);
        }
        let text = border.string(output)?;
        match hints::truncate_output(&tool, &text, actual, max) {
            Some(truncated) => border.utf8(&truncated),
            None => Ok(output),
        }
    })
}

fn locale(reader: &Reader) -> Result<Locale, Failure> {
    let Some(name) = reader.optional_string("locale")? else { return Ok(Locale::default()) };
    Locale::parse(&name).ok_or_else(|| {
        Error::invalid_type(reader.path("locale"), Locale::EXPECTED, format!("'{name}'")).into()
    })
}

fn string_list(border: Border, value: Option<Value>, name: &str) -> Result<Vec<String>, Failure> {
    let Some(value) = value else { return Ok(Vec::new()) };
    if border.kind(value)?.is_nothing() {
        return Ok(Vec::new());
    }
    let Some(length) = border.array_length(value)? else {
        return Err(wrong(border, name, value, "an array of strings"));
    };
    let element =
        |index| string_argument(border, border.element(value, index)?, &format!("{name}[{index}]"));
    (0..length).map(element).collect()
}

/// A list of tools, or the registry that an SDK keeps.
fn tools(reader: &Reader) -> Result<Vec<Tool>, Failure> {
    let border = reader.border;
    let Some((value, kind)) = reader.given("tools")? else { return Ok(Vec::new()) };
    if let Some(length) = border.array_length(value)? {
        let tool = |index| {
            let path = reader.path(&format!("tools[{index}]"));
            let tool = Reader::new(border, border.element(value, index)?, &path, &path)?;
            let (name, usage) = (tool.required_string("name")?, tool.required_string("usage")?);
            Ok(Tool { name, usage })
        };
        return (0..length).map(tool).collect();
    }
    if kind != Kind::Object {
        return Err(reader.wrong("tools", value, "an array or an object"));
    }
    let registry = border.keys(value)?;
    let tools = registry.into_iter().map(|name| {
        let path = reader.path(&format!("tools.{name}"));
        let tool = border.named(value, &name)?;
        let usage = Reader::new(border, tool, &path, &path)?.string_or_empty("description")?;
        Ok(Tool { name, usage })
    });
    tools.collect()
}

fn hint_attributes(border: Border, value: Value) -> Result<Vec<(String, String)>, Failure> {
    if border.kind(value)? != Kind::Object {
        return Err(wrong(border, "attributes", value, "an object"));
    }
    let mut attributes = Vec::new();
    for name in border.keys(value)? {
        let path = format!("attributes.{name}");
        if !hints::is_attribute_name(&name) {
            let expected = "an object whose keys are attribute names";
            return Err(Error::invalid_type("attributes", expected, format!("'{name}'")).into());
        }
        let attribute = border.named(value, &name)?;
        match border.kind(attribute)? {
            kind if kind.is_nothing() => {}
            Kind::String => attributes.push((name, border.string(attribute)?)),
            Kind::Number | Kind::Boolean => {
                let text = border.call_function(
                    border.undefined()?,
                    border.global_object("String")?,
                    &[attribute],
                )?;
                attributes.push((name, border.string(text)?));
            }
            _ => return Err(wrong(border, path, attribute, "a string, a number or a boolean")),
        }
    }
    if !attributes.iter().any(|(name, _)| name == "type") {
        let missing = border.undefined()?;
        return Err(wrong(border, "attributes.type", missing, "a string"));
    }
    Ok(attributes)
}
