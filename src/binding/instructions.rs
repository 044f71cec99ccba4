//! What the namespace `InstructionPrompt`, and `findUp`, in `js/` call.
//!
//! Instructions are loaded in three steps, because URLs are fetched by JavaScript:
//!
//! 1. `findSources` (or `findSystemPrompt`) finds what there is, and says which URLs to fetch.
//! 2. While JavaScript does that, `InstructionSources.read` reads the files.
//! 3. `InstructionSources.finish` takes what was fetched, and returns what happened to everything.

use super::background::run_in_background;
use super::failure::json_of;
use super::process::{ProcessFacts, directory};
use crate::error::Error;
use crate::instructions::disk::Disk;
use crate::instructions::load::{finish, messages};
use crate::instructions::paths::absolute;
use crate::instructions::preset::{PRESETS, Preset};
use crate::instructions::sources::Sources;
use crate::instructions::url::Fetched;
use crate::instructions::{InstructionOptions, Limits, Order};
use crate::instructions::{find_up as walk, nested};
use crate::system_prompt::layers::parts;
use napi::Env;
use napi::bindgen_prelude::{PromiseRaw, Uint8Array};
use napi_derive::napi;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What requests name as their sender.
const USER_AGENT: &str = concat!("promptmason/", env!("CARGO_PKG_VERSION"));

/// Where to look, and for what. What is not given is as in the preset, or by default.
#[napi(object, object_to_js = false)]
pub struct InstructionInput {
    pub timeout_ms: Option<i64>,
    pub already_read_by: Option<String>,
    pub directory: Option<String>,
    pub preset: Option<String>,
    pub files: Option<Vec<String>>,
    pub app_name: Option<String>,
    pub order: Option<String>,
    /// The `instructions` of the configuration.
    pub config: Option<Vec<String>>,
    pub includes: Option<bool>,
    pub untrusted: Option<bool>,
    pub allow_hosts: Option<Vec<String>>,
    pub max_file_bytes: Option<i64>,
    pub max_url_bytes: Option<i64>,
}

/// The URLs to fetch, and how.
#[napi(object, object_from_js = false)]
pub struct UrlRequests {
    pub urls: Vec<String>,
    pub timeout_ms: i64,
    pub max_url_bytes: i64,
    /// Absent if all hosts are allowed.
    pub allow_hosts: Option<Vec<String>>,
    pub user_agent: &'static str,
}

/// What came of a request: the body, or why there is none.
#[napi(object, object_to_js = false)]
pub struct UrlResponse {
    pub body: Option<Uint8Array>,
    pub reason: Option<String>,
    /// Whether the request was not made at all.
    pub refused: Option<bool>,
    /// The size of a body that was not read to its end.
    pub bytes: Option<i64>,
}

/// Instructions that were found, and are being read.
#[napi]
pub struct InstructionSources {
    /// The parts of a system prompt before the instructions.
    opening: Vec<String>,
    options: Arc<InstructionOptions>,
    sources: Arc<Mutex<Sources>>,
}

impl InstructionInput {
    pub fn in_process(self, process: ProcessFacts) -> InstructionOptions {
        let defaults = Limits::default();
        let size = |given: Option<i64>, default| given.map_or(default, |bytes| bytes as usize);
        let timeout = self.timeout_ms.map(|ms| Duration::from_millis(ms as u64));
        InstructionOptions {
            directory: directory(&process.cwd, self.directory),
            preset: self.preset.and_then(|name| Preset::named(&name)).unwrap_or(PRESETS[0]),
            files: self.files,
            app_name: self.app_name,
            order: self.order.and_then(|name| Order::parse(&name)),
            instructions: self.config,
            includes: self.includes,
            untrusted: self.untrusted.unwrap_or(false),
            already_read_by: self.already_read_by.and_then(|agent| Preset::of_agent(&agent)),
            allow_hosts: self.allow_hosts,
            limits: Limits {
                max_file_bytes: size(self.max_file_bytes, defaults.max_file_bytes),
                max_url_bytes: size(self.max_url_bytes, defaults.max_url_bytes),
                url_timeout: timeout.unwrap_or(defaults.url_timeout).min(Limits::MAX_URL_TIMEOUT),
                ..defaults
            },
            process: process.into(),
        }
    }
}

impl From<UrlResponse> for Fetched {
    fn from(UrlResponse { body, reason, refused, bytes }: UrlResponse) -> Self {
        match (body, reason.unwrap_or_default()) {
            (Some(body), _) => Fetched::Body(body.to_vec()),
            (None, reason) if refused == Some(true) => Fetched::Refused(reason),
            (None, reason) => Fetched::Failed { reason, bytes: bytes.unwrap_or(0) as u64 },
        }
    }
}

#[napi]
impl InstructionSources {
    /// Finds all sources of a prompt that begins with `opening`.
    pub fn find(opening: Vec<String>, options: InstructionOptions) -> Result<Self, Error> {
        let sources = Sources::find(&Disk, &options)?;
        Ok(InstructionSources::new(opening, options, sources))
    }

    fn new(opening: Vec<String>, options: InstructionOptions, sources: Sources) -> Self {
        let (options, sources) = (Arc::new(options), Arc::new(Mutex::new(sources)));
        InstructionSources { opening, options, sources }
    }

    /// The paths of the files that are used, once they are read.
    #[napi(catch_unwind)]
    pub fn paths(&self) -> Vec<String> {
        let sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        all_shown(sources.used_paths())
    }

    /// The URLs to fetch, and how.
    #[napi(catch_unwind)]
    pub fn requests(&self) -> UrlRequests {
        let sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let limits = self.options.limits;
        UrlRequests {
            urls: sources.urls().into_iter().map(str::to_owned).collect(),
            timeout_ms: limits.url_timeout.as_millis() as i64,
            max_url_bytes: limits.max_url_bytes as i64,
            allow_hosts: self.options.allow_hosts.clone(),
            user_agent: USER_AGENT,
        }
    }

    /// Reads the files.
    #[napi(catch_unwind)]
    pub fn read<'e>(&self, env: &'e Env) -> napi::Result<PromiseRaw<'e, ()>> {
        let (sources, options) = (Arc::clone(&self.sources), Arc::clone(&self.options));
        run_in_background(env, move || {
            let mut sources = sources.lock().unwrap_or_else(PoisonError::into_inner);
            sources.read(&Disk, &options);
            Ok(())
        })
    }

    /// The parts of the prompt, and what happened to everything, as JSON, given a response for each of the
    /// URLs.
    #[napi(catch_unwind)]
    pub fn finish(&self, responses: Vec<UrlResponse>) -> napi::Result<String> {
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let responses = responses.into_iter().map(Fetched::from).collect();
        let loaded = finish(std::mem::take(&mut sources.entries), responses);
        Ok(json_of(&(parts(self.opening.clone(), messages(&loaded)), loaded))?)
    }
}

fn shown(path: PathBuf) -> String {
    path.to_string_lossy().into_owned()
}

fn all_shown(paths: Vec<PathBuf>) -> Vec<String> {
    paths.into_iter().map(shown).collect()
}

/// The names of all presets.
#[napi(catch_unwind)]
pub fn instruction_presets() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

/// Finds all files and URLs.
#[napi(catch_unwind)]
pub fn find_sources(
    env: &Env,
    input: InstructionInput,
    process: ProcessFacts,
) -> napi::Result<PromiseRaw<'_, InstructionSources>> {
    let options = input.in_process(process);
    run_in_background(env, move || InstructionSources::find(Vec::new(), options))
}

/// The instruction files that there are, in the order in which they are loaded.
#[napi(catch_unwind)]
pub fn instruction_paths(
    env: &Env,
    input: InstructionInput,
    process: ProcessFacts,
) -> napi::Result<PromiseRaw<'_, Vec<String>>> {
    let options = input.in_process(process);
    run_in_background(env, move || Ok(all_shown(Sources::paths(&Disk, &options)?)))
}

/// The first instruction file in a directory.
#[napi(catch_unwind)]
pub fn find_instructions(
    env: &Env,
    directory: String,
    input: InstructionInput,
    process: ProcessFacts,
) -> napi::Result<PromiseRaw<'_, Option<String>>> {
    let options = input.in_process(process);
    let directory = absolute(&options.process.cwd, directory);
    run_in_background(env, move || Ok(nested::find(&Disk, &directory, &options).map(shown)))
}

/// Finds the instructions for a file that are not in `loaded`.
#[napi(catch_unwind)]
pub fn find_sources_for(
    env: &Env,
    file_path: String,
    loaded: Vec<String>,
    input: InstructionInput,
    process: ProcessFacts,
) -> napi::Result<PromiseRaw<'_, InstructionSources>> {
    let options = input.in_process(process);
    let file = absolute(&options.directory, file_path);
    let loaded: Vec<_> = loaded.iter().map(|path| absolute(&options.directory, path)).collect();
    run_in_background(env, move || {
        let sources = nested::resolve(&Disk, &options, &file, &loaded);
        Ok(InstructionSources::new(Vec::new(), options, sources))
    })
}

/// The nearest file or directory called `name`, in `from` or above.
#[napi(catch_unwind)]
pub fn find_up(
    env: &Env,
    name: String,
    from: Option<String>,
    cwd: String,
) -> napi::Result<PromiseRaw<'_, Option<String>>> {
    let from = directory(&cwd, from);
    run_in_background(env, move || Ok(walk::find_up(&Disk, &name, &from).map(shown)))
}

/// Every file or directory called one of `names`, nearest first, from `from` up to `root`,
/// which is looked in as well; without a root, up to that of the file system.
#[napi(catch_unwind)]
pub fn find_up_all(
    env: &Env,
    names: Vec<String>,
    from: Option<String>,
    root: Option<String>,
    cwd: String,
) -> napi::Result<PromiseRaw<'_, Vec<String>>> {
    let from = directory(&cwd, from);
    let root = root.map(|root| absolute(cwd.as_ref(), root));
    let work = move || Ok(all_shown(walk::find_up_all(&Disk, &names, &from, root.as_deref())));
    run_in_background(env, work)
}
