//! The options of `InstructionPrompt` and `SystemPrompt.build`.

use crate::binding::failure::Failure;
use crate::binding::node_api::{Scope, Value};
use crate::binding::read::fields::{Field, Object};
use crate::binding::read::process::ProcessFacts;
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
    let app_name = app_name(given)?;
    let defaults = Limits::default();
    let integer = |name, default| given.field(name)?.integer_or(1, default);
    let timeout = integer("timeoutMs", defaults.url_timeout.as_millis() as usize)?;
    Ok(InstructionOptions {
        directory: process.directory(given.field("directory")?)?,
        files: files(given, &app_name)?,
        app_name,
        order: order(given)?,
        instructions: configured(given)?,
        limits: Limits {
            max_file_bytes: integer("maxFileBytes", defaults.max_file_bytes)?,
            max_url_bytes: integer("maxUrlBytes", defaults.max_url_bytes)?,
            url_timeout: Duration::from_millis(timeout as u64).min(Limits::MAX_URL_TIMEOUT),
        },
        process: process.environment()?,
    })
}

fn order(given: &Object) -> Result<Order, Failure> {
    let field = given.field("order")?;
    match field.optional_string()? {
        None => Ok(Order::default()),
        Some(name) => Order::parse(&name).ok_or_else(|| field.unknown(Order::EXPECTED, &name)),
    }
}

pub fn app_name(given: &Object) -> Result<String, Failure> {
    let field = given.field("appName")?;
    let Some(name) = field.optional_string()? else {
        return Ok(InstructionOptions::APP_NAME.to_owned());
    };
    InstructionOptions::check_app_name(&field.path(), &name)?;
    Ok(name)
}

pub fn files(given: &Object, app_name: &str) -> Result<Vec<String>, Failure> {
    let field = given.field("files")?;
    if field.given()?.is_none() {
        return Ok(InstructionOptions::default_files(app_name));
    }
    let files = field.strings()?;
    for (index, file) in files.iter().enumerate() {
        InstructionOptions::check_file_name(&format!("{}[{index}]", field.path()), file)?;
    }
    Ok(files)
}

/// The `instructions` of a configuration that was given.
fn configured(given: &Object) -> Result<Option<Vec<String>>, Failure> {
    let Some(config) = given.field("config")?.given()? else { return Ok(None) };
    config.object()?.field("instructions")?.strings().map(Some)
}
