//! The options of `InstructionPrompt` and `SystemPrompt.build`.

use crate::binding::failure::Failure;
use crate::binding::node_api::{Scope, Value};
use crate::binding::read::fields::{Field, Object};
use crate::binding::read::process::ProcessFacts;
use crate::error::Error;
use crate::instructions::preset::{PRESETS, Preset};
use crate::instructions::{InstructionOptions, Limits, Order};
use std::time::Duration;

/// All options of a call.
pub fn all_options<'s>(
    scope: Scope<'s>,
    options: Value<'s>,
    process: Value<'s>,
) -> Result<InstructionOptions, Failure> {
    let given = Field::new(scope, "options", options).object_or_empty()?;
    instruction_options(&given, &ProcessFacts::new(scope, process)?)
}

/// Where to look, and for what.
pub fn instruction_options(
    given: &Object,
    process: &ProcessFacts,
) -> Result<InstructionOptions, Failure> {
    let defaults = Limits::default();
    let integer = |name, default| given.field(name)?.integer_or(1, default);
    let timeout = integer("timeoutMs", defaults.url_timeout.as_millis() as usize)?;
    let already_read_by = given.field("alreadyReadBy")?.optional_string()?;
    Ok(InstructionOptions {
        directory: process.directory(given.field("directory")?)?,
        preset: preset(given)?,
        files: checked_strings(given.field("files")?, InstructionOptions::check_file_name)?,
        app_name: app_name(given)?,
        order: order(given)?,
        instructions: configured(given)?,
        includes: given.field("includes")?.optional_boolean()?,
        untrusted: given.field("untrusted")?.optional_boolean()?.unwrap_or(false),
        already_read_by: already_read_by.and_then(|agent| Preset::of_agent(&agent)),
        allow_hosts: checked_strings(given.field("allowHosts")?, InstructionOptions::check_host)?,
        limits: Limits {
            max_file_bytes: integer("maxFileBytes", defaults.max_file_bytes)?,
            max_url_bytes: integer("maxUrlBytes", defaults.max_url_bytes)?,
            url_timeout: Duration::from_millis(timeout as u64).min(Limits::MAX_URL_TIMEOUT),
            ..defaults
        },
        process: process.environment()?,
    })
}

fn preset(given: &Object) -> Result<&'static Preset, Failure> {
    let field = given.field("preset")?;
    match field.optional_string()? {
        None => Ok(PRESETS[0]),
        Some(name) => Preset::named(&name).ok_or_else(|| field.unknown(&Preset::expected(), &name)),
    }
}

fn order(given: &Object) -> Result<Option<Order>, Failure> {
    let field = given.field("order")?;
    match field.optional_string()? {
        None => Ok(None),
        Some(name) => {
            Order::parse(&name).map(Some).ok_or_else(|| field.unknown(Order::EXPECTED, &name))
        }
    }
}

fn app_name(given: &Object) -> Result<Option<String>, Failure> {
    let field = given.field("appName")?;
    let name = field.optional_string()?;
    if let Some(name) = &name {
        InstructionOptions::check_app_name(&field.path(), name)?;
    }
    Ok(name)
}

/// Strings that are all checked, if they are given.
fn checked_strings(
    field: Field,
    check: fn(&str, &str) -> Result<(), Error>,
) -> Result<Option<Vec<String>>, Failure> {
    if field.given()?.is_none() {
        return Ok(None);
    }
    let strings = field.strings()?;
    for (index, string) in strings.iter().enumerate() {
        check(&format!("{}[{index}]", field.path()), string)?;
    }
    Ok(Some(strings))
}

/// The `instructions` of a configuration that was given.
fn configured(given: &Object) -> Result<Option<Vec<String>>, Failure> {
    let Some(config) = given.field("config")?.given()? else { return Ok(None) };
    config.object()?.field("instructions")?.strings().map(Some)
}
