//! What `js/delivery/plan.js` calls.

use super::failure::Failure;
use super::node_api::{Scope, Value, run};
use super::read::delivery::{CallerProfile, Options};
use super::read::fields::Field;
use crate::delivery::{BUILT_IN, Insertions, Plan, Profile, plan, profile_of};
use crate::error::Error;
use crate::render::FixedSink;
use napi::{Env, Unknown};
use napi_derive::napi;

/// Plans a delivery. Returns the plan as JSON, and stdin if it is not the prompt as it came:
/// a new Buffer, which `allocate` makes. `cwd` is absolute.
#[napi(ts_return_type = "[plan: string, stdin: Buffer | undefined]")]
pub fn plan_delivery<'s>(
    env: &'s Env,
    prompt: Unknown<'s>,
    system_flag: Unknown<'s>,
    options: Unknown<'s>,
    cwd: Unknown<'s>,
    platform: Unknown<'s>,
    allocate: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let system = Field::new(scope, "systemFlag", system_flag).below("output");
        let system = system.optional_string()?;
        let given = Field::new(scope, "options", options).object()?;
        let profile = CallerProfile::read(&given)?;
        let options = Options::read(scope, &given, cwd, platform)?;
        // All code of the caller's has run by now.
        let planned = with_profile(profile, &options, |profile| {
            let make = |prompt: &[u8]| plan(profile, &options.request(prompt, system.as_deref()));
            let field = Field::new(scope, "prompt", prompt).below("output");
            let made = scope.with_bytes(prompt, make)?;
            made.ok_or_else(|| field.wrong("a string, a Buffer or a Uint8Array"))?
                .map_err(Failure::from)
        })?;
        let json = serde_json::to_string(&planned)
            .map_err(|error| Error::Internal(format!("the plan is not JSON: {error}")))?;
        let stdin = disarmed(scope, prompt, &planned, allocate)?;
        scope.array_of(&[scope.utf8(&json)?, stdin])
    })
}

/// Lets `work` see the profile that is meant.
fn with_profile<R>(
    given: Option<CallerProfile>,
    options: &Options,
    work: impl FnOnce(&Profile) -> R,
) -> R {
    match given {
        Some(profile) => profile.with(work),
        None => match profile_of(&options.agent_type) {
            Some(profile) => work(profile),
            None => work(&Profile::unknown(&options.agent_type)),
        },
    }
}

/// The prompt with what disarms it; undefined if nothing does.
fn disarmed<'s>(
    scope: Scope<'s>,
    prompt: Value<'s>,
    plan: &Plan,
    allocate: Value<'s>,
) -> Result<Value<'s>, Failure> {
    if plan.insertions.is_empty() {
        return scope.undefined();
    }
    let bytes = scope.with_bytes(prompt, |prompt| stdin_bytes(prompt, &plan.insertions))?;
    let bytes = scope.double(bytes.unwrap_or_default() as f64)?;
    let stdin = scope.call_function(scope.undefined()?, allocate, &[bytes])?;
    let filled = scope.with_bytes(prompt, |prompt| {
        scope.with_uint8_array(stdin, |memory| {
            let fits = memory.len() == stdin_bytes(prompt, &plan.insertions);
            if fits {
                plan.insertions.write(prompt, &mut FixedSink::new(memory));
            }
            fits
        })
    })?;
    // Only otherwise if somebody has replaced `Buffer.allocUnsafe`.
    match filled {
        Some(Ok(Some(true))) => Ok(stdin),
        _ => Err(Failure::panicked()),
    }
}

fn stdin_bytes(prompt: &[u8], insertions: &Insertions) -> usize {
    prompt.len() + insertions.measure(crate::delivery::Unit::Bytes)
}

/// What is known of every CLI, as JSON.
#[napi(catch_unwind)]
pub fn delivery_profiles() -> String {
    // Strings and numbers can always be written as JSON.
    serde_json::to_string(&BUILT_IN).unwrap_or_default()
}

/// The name of an agent's output format: its type, or `text` for one that is not known.
#[napi(ts_return_type = "string")]
pub fn output_format<'s>(env: &'s Env, agent_type: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let agent_type = Field::new(scope, "agentType", agent_type).string()?;
        scope.utf8(crate::delivery::output_of(&agent_type))
    })
}
