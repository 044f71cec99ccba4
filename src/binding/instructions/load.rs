//! Finds and reads instructions, in three steps, because URLs are fetched by JavaScript:
//!
//! 1. `findSources` (or `findSystemPrompt`) finds what there is. JavaScript learns which URLs
//!    to fetch, and begins.
//! 2. Meanwhile `readSources` reads the files.
//! 3. `finishSources` takes what was fetched, and returns what became of everything.

use super::options::all_options;
use crate::binding::background::run_in_background;
use crate::binding::failure::Failure;
use crate::binding::handles;
use crate::binding::node_api::{Scope, Value, run};
use crate::binding::read::fields::Field;
use crate::error::Error;
use crate::instructions::InstructionOptions;
use crate::instructions::disk::Disk;
use crate::instructions::load::{Loaded, finish, messages};
use crate::instructions::sources::Sources;
use crate::instructions::url::Fetched;
use crate::system::layers::parts;
use napi::{Env, Unknown};
use napi_derive::napi;
use serde::Serialize;
use std::rc::Rc;

/// What requests name as their sender.
const USER_AGENT: &str = concat!("promptmason/", env!("CARGO_PKG_VERSION"));

/// Instructions between two steps.
pub struct PendingSources {
    /// The parts of a system prompt before the instructions.
    opening: Vec<String>,
    sources: Sources,
    options: InstructionOptions,
}

/// What JavaScript has to know to go on.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    handle: f64,
    urls: Vec<String>,
    timeout_ms: f64,
    max_url_bytes: f64,
    allow_hosts: Option<Vec<String>>,
    user_agent: &'static str,
}

/// The result; what was not asked for is absent.
#[derive(Serialize)]
struct Finished<'f> {
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sources: Option<&'f [Loaded]>,
}

impl PendingSources {
    /// Finds all sources of a prompt that begins with `opening`.
    pub fn find(opening: Vec<String>, options: InstructionOptions) -> Result<Self, Error> {
        let sources = Sources::find(&Disk, &options)?;
        Ok(PendingSources { opening, sources, options })
    }

    /// Gives the sources a number, and describes them as JSON.
    pub fn describe(scope: Scope, pending: PendingSources) -> Result<Value, Failure> {
        let limits = pending.options.limits;
        let found = Found {
            urls: pending.sources.urls().into_iter().map(str::to_owned).collect(),
            timeout_ms: limits.url_timeout.as_millis() as f64,
            max_url_bytes: limits.max_url_bytes as f64,
            allow_hosts: pending.options.allow_hosts.clone(),
            user_agent: USER_AGENT,
            handle: handles::add(pending) as f64,
        };
        scope.utf8(&to_json(&found)?)
    }

    /// Takes the sources with this number. The next step gives them another one.
    fn take(scope: Scope, handle: Value) -> Result<Self, Failure> {
        let taken = handles::remove(scope.number(handle)? as u64).and_then(Rc::into_inner);
        taken.ok_or_else(|| Error::Internal("the sources are gone".to_owned()).into())
    }
}

fn to_json(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::Internal(error.to_string()))
}

/// Finds all files and URLs. Returns what JavaScript has to know to go on, as JSON.
#[napi(ts_return_type = "Promise<string>")]
pub fn find_sources<'s>(
    env: &'s Env,
    options: Unknown<'s>,
    fetch: Unknown<'s>,
    process: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        Field::new(scope, "fetch", fetch).below("options").check_optional_function()?;
        let options = all_options(scope, options, process)?;
        let work = move || PendingSources::find(Vec::new(), options);
        run_in_background(env, work, PendingSources::describe)
    })
}

/// Reads the files. Returns the number for `finishSources`.
#[napi(ts_return_type = "Promise<number>")]
pub fn read_sources<'s>(env: &'s Env, handle: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let mut pending = PendingSources::take(scope, handle)?;
        let work = move || {
            pending.sources.read(&Disk, &pending.options);
            Ok(pending)
        };
        run_in_background(env, work, |scope, pending| scope.double(handles::add(pending) as f64))
    })
}

/// What became of everything, as JSON: the `parts` of a prompt, all `sources`, or both.
#[napi(ts_return_type = "Promise<string>")]
pub fn finish_sources<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    responses: Unknown<'s>,
    wants_parts: bool,
    wants_sources: bool,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let pending = PendingSources::take(scope, handle)?;
        let responses = fetched(Field::new(scope, "responses", responses))?;
        let work = move || {
            let loaded = finish(pending.sources, responses);
            let instructions = wants_parts.then(|| messages(&loaded));
            let finished = Finished {
                parts: instructions.map(|texts| parts(pending.opening, texts)),
                sources: wants_sources.then_some(&*loaded),
            };
            to_json(&finished)
        };
        run_in_background(env, work, |scope, json| scope.utf8(&json))
    })
}

/// What `js/fetch-url.js` returned for each URL: the body, or why there is none.
fn fetched(responses: Field) -> Result<Vec<Fetched>, Failure> {
    let responses = responses.elements("an array")?.map(|response| {
        let response = response?;
        let field = response.field();
        if let Some(bytes) = field.scope.bytes(field.value)? {
            return Ok(Fetched::Body(bytes));
        }
        let failure = field.object()?;
        let reason = failure.field("reason")?.string()?;
        Ok(match failure.field("refused")?.optional_boolean()? {
            Some(true) => Fetched::Refused(reason),
            _ => {
                let bytes = failure.field("bytes")?.integer_or(0, 0)? as u64;
                Fetched::Failed { reason, bytes }
            }
        })
    });
    responses.collect()
}
