//! What `lib/transcripts/` calls.

use super::background::run_in_background;
use super::failure::json_of;
use crate::error::Error;
use crate::transcripts::discover::{Wanted, find};
use crate::transcripts::{FORMATS, Format, format_of, read};
use napi::Env;
use napi::bindgen_prelude::PromiseRaw;
use napi_derive::napi;
use std::path::{Path, PathBuf};

/// A CLI whose sessions can be read, and where they are.
#[napi(object, object_from_js = false)]
pub struct TranscriptPlace {
    pub agent: String,
    pub measured_on: String,
    /// Names a directory that replaces the one in the home directory. Empty if there is none.
    pub variable: String,
    /// What is below that directory.
    pub below_variable: String,
    /// What is below the home directory otherwise.
    pub folder: String,
}

/// Where the CLIs keep their sessions.
#[napi(catch_unwind)]
pub fn transcript_places() -> Vec<TranscriptPlace> {
    let place = |format: &'static Format| TranscriptPlace {
        agent: format.agent.to_owned(),
        measured_on: format.measured_on.to_owned(),
        variable: format.place.variable.to_owned(),
        below_variable: format.place.below_variable.to_owned(),
        folder: format.place.folder.to_owned(),
    };
    FORMATS.into_iter().map(place).collect()
}

fn known(agent: &str) -> Result<&'static Format, Error> {
    format_of(agent).ok_or_else(|| Error::Internal(format!("there is no format of {agent}")))
}

/// The transcript in a file, as JSON.
#[napi(catch_unwind)]
pub fn read_transcript(
    env: &Env,
    agent: String,
    file: String,
    max_bytes: f64,
) -> napi::Result<PromiseRaw<'_, String>> {
    run_in_background(env, move || {
        json_of(&read(known(&agent)?, Path::new(&file), max_bytes as usize)?)
    })
}

/// The sessions below a CLI's folder, newest first, as JSON: one, or all of a directory.
#[napi(catch_unwind)]
pub fn find_transcripts(
    env: &Env,
    agent: String,
    root: String,
    session: Option<String>,
    cwd: String,
) -> napi::Result<PromiseRaw<'_, String>> {
    run_in_background(env, move || {
        let directory = PathBuf::from(cwd);
        let wanted = match &session {
            Some(session) => Wanted::Session(session),
            None => Wanted::Directory(&directory),
        };
        json_of(&find(known(&agent)?, Path::new(&root), &wanted))
    })
}
