//! What `assembleSystemPrompt` and the hints in `lib/system-prompt/system-prompt.ts` call.

use super::background::run_in_background;
use super::process::directory;
use super::strings::JsText;
use crate::error::Error;
use crate::instructions::disk::Disk;
use crate::instructions::read::read_text;
use crate::redact::redact;
use crate::system_prompt::hints;
use crate::system_prompt::segments::{DEFAULT_CORE_FILE, Locale, Tool, join_segments};
use napi::Env;
use napi::bindgen_prelude::PromiseRaw;
use napi_derive::napi;

/// The length from which on a tool's output is truncated, in UTF-16 units.
#[napi]
pub const DEFAULT_MAX_OUTPUT_CHARS: u32 = hints::DEFAULT_MAX_OUTPUT_CHARS as u32;

/// The segments of a system prompt.
#[napi(object, object_to_js = false)]
pub struct SegmentsInput {
    pub core: Option<String>,
    pub core_file: Option<String>,
    pub tools: Vec<ToolInput>,
    pub locale: Option<String>,
}

/// A tool, and when and how to use it.
#[napi(object, object_to_js = false)]
pub struct ToolInput {
    pub name: String,
    pub usage: String,
}

/// An attribute of a hint.
#[napi(object, object_to_js = false)]
pub struct HintAttribute {
    pub name: String,
    pub value: String,
}

/// The locale with a name; that of a text if there is no name, or it is `auto`.
fn locale(name: Option<String>, text: &str) -> Locale {
    name.and_then(|name| Locale::parse(&name)).unwrap_or_else(|| Locale::of(text))
}

/// A system prompt as one text.
#[napi(catch_unwind)]
pub fn assemble_system_prompt(
    env: &Env,
    runtime_hints: Vec<String>,
    input: SegmentsInput,
    cwd: String,
) -> napi::Result<PromiseRaw<'_, String>> {
    let SegmentsInput { core, core_file, tools, locale: name } = input;
    let tool = |ToolInput { name, usage }| Tool { name, usage };
    let tools: Vec<Tool> = tools.into_iter().map(tool).collect();
    run_in_background(env, move || {
        let core = core.map_or_else(|| read_core(&cwd, core_file), Ok)?;
        Ok(join_segments(&core, &tools, &runtime_hints, locale(name, &core)))
    })
}

fn read_core(cwd: &str, file: Option<String>) -> Result<String, Error> {
    let path = directory(cwd, file.or_else(|| Some(DEFAULT_CORE_FILE.to_owned())));
    read_text(&Disk, &path).map_err(|problem| Error::UnreadableFile {
        file: path.to_string_lossy().into_owned(),
        problem,
        remedy: "pass its text as options.core, or its path as options.coreFile".to_owned(),
    })
}

/// The hint that takes the place of an earlier conversation.
#[napi(catch_unwind)]
pub fn compression_hint(summary: JsText, locale_name: Option<String>) -> String {
    hints::compression_hint(&summary, locale(locale_name, &summary))
}

/// A `<system_hint>` with attributes.
#[napi(catch_unwind)]
pub fn system_hint(attributes: Vec<HintAttribute>, text: JsText) -> String {
    let attribute = |HintAttribute { name, value }| (name, value);
    let attributes: Vec<_> = attributes.into_iter().map(attribute).collect();
    hints::system_hint(&attributes, &text)
}

/// The beginning of a tool's output, and a hint; nothing if it is short enough.
#[napi(catch_unwind)]
pub fn truncate_tool_output(
    tool: String,
    output: JsText,
    max_chars: i64,
    locale_name: Option<String>,
) -> Option<String> {
    let locale = locale_name.and_then(|name| Locale::parse(&name)).unwrap_or_default();
    hints::truncate_output(&tool, &output, max_chars as usize, locale)
}

/// A text without what looks like a key or a token.
#[napi(catch_unwind)]
pub fn redact_text(text: JsText) -> String {
    let text = String::from(text);
    redact(&text).map_or(text, |redacted| redacted.text)
}
