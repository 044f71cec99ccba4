//! What the namespace `InstructionPrompt`, and `findUp`, in `js/` call.
//!
//! - `options`: where to look, and for what;
//! - `load`: finding and reading instructions, with the URLs fetched by JavaScript in between.

mod load;
mod options;

pub use load::PendingSources;
pub use options::instruction_options;

use super::background::run_in_background;
use super::failure::Failure;
use super::node_api::{Kind, Scope, Value, run};
use super::read::fields::Field;
use super::read::process::ProcessFacts;
use crate::instructions::disk::Disk;
use crate::instructions::find_up as walk;
use crate::instructions::nested;
use crate::instructions::paths::absolute;
use crate::instructions::sources::Sources;
use napi::{Env, Unknown};
use napi_derive::napi;
use options::all_options;
use std::path::PathBuf;

fn as_array(scope: Scope, texts: Vec<String>) -> Result<Value, Failure> {
    scope.strings(&texts)
}

fn as_optional(scope: Scope, text: Option<String>) -> Result<Value, Failure> {
    text.map_or_else(|| scope.undefined(), |text| scope.utf8(&text))
}

fn shown(path: PathBuf) -> String {
    path.to_string_lossy().into_owned()
}

fn all_shown(paths: Vec<PathBuf>) -> Vec<String> {
    paths.into_iter().map(shown).collect()
}

/// The instruction files that there are, in the order in which they are loaded.
#[napi(ts_return_type = "Promise<string[]>")]
pub fn instruction_paths<'s>(
    env: &'s Env,
    options: Unknown<'s>,
    process: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let options = all_options(scope, options, process)?;
        run_in_background(env, move || Ok(all_shown(Sources::paths(&Disk, &options)?)), as_array)
    })
}

/// The first instruction file in a directory.
#[napi(ts_return_type = "Promise<string | undefined>")]
pub fn find_instructions<'s>(
    env: &'s Env,
    directory: Unknown<'s>,
    options: Unknown<'s>,
    process: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let directory = Field::new(scope, "directory", directory).string()?;
        let options = all_options(scope, options, process)?;
        let directory = absolute(&options.process.cwd, directory);
        let work = move || Ok(nested::find(&Disk, &directory, &options).map(shown));
        run_in_background(env, work, as_optional)
    })
}

/// The instruction files between a file and the project directory that are not in `loaded`.
#[napi(ts_return_type = "Promise<string[]>")]
pub fn resolve_instructions<'s>(
    env: &'s Env,
    file_path: Unknown<'s>,
    options: Unknown<'s>,
    loaded: Unknown<'s>,
    process: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let options = all_options(scope, options, process)?;
        let file = Field::new(scope, "filePath", file_path).string()?;
        let file = absolute(&options.directory, file);
        let loaded = match Field::new(scope, "options.loaded", loaded).given()? {
            None => Vec::new(),
            Some(given) => given.string_array("an array or a Set of strings")?,
        };
        let loaded: Vec<PathBuf> =
            loaded.iter().map(|path| absolute(&options.directory, path)).collect();
        let work = move || Ok(all_shown(nested::resolve(&Disk, &options, &file, &loaded)));
        run_in_background(env, work, as_array)
    })
}

/// The nearest file or directory called `name`, in `from` or above.
#[napi(ts_return_type = "Promise<string | undefined>")]
pub fn find_up<'s>(
    env: &'s Env,
    name: Unknown<'s>,
    from: Unknown<'s>,
    process: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let process = ProcessFacts::new(scope, process)?;
        let name = Field::new(scope, "name", name).string()?;
        let from = process.directory(Field::new(scope, "from", from))?;
        let work = move || Ok(walk::find_up(&Disk, &name, &from).map(shown));
        run_in_background(env, work, as_optional)
    })
}

/// Every file or directory called one of `names`, nearest first, from `from` up to `root`,
/// which is looked in as well; without a root, up to that of the file system.
#[napi(ts_return_type = "Promise<string[]>")]
pub fn find_up_all<'s>(
    env: &'s Env,
    names: Unknown<'s>,
    from: Unknown<'s>,
    root: Unknown<'s>,
    process: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let process = ProcessFacts::new(scope, process)?;
        let names = Field::new(scope, "names", names);
        let names = match names.kind()? {
            Kind::String => vec![names.string()?],
            _ => names.string_array("an array or a Set of strings")?,
        };
        let from = process.directory(Field::new(scope, "from", from))?;
        let root = match Field::new(scope, "root", root).given()? {
            Some(root) => Some(process.directory(root)?),
            None => None,
        };
        let work = move || Ok(all_shown(walk::find_up_all(&Disk, &names, &from, root.as_deref())));
        run_in_background(env, work, as_array)
    })
}
