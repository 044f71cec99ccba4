//! The exported namespace `InstructionPrompt`, and `findUp`.

use super::background;
use super::border::{Border, Kind, Value};
use super::failure::Failure;
use super::process::{cwd, directory, process_environment, strings_of};
use super::reader::{Reader, wrong};
use crate::error::Error;
use crate::instructions::discovery::{candidates, paths};
use crate::instructions::file_system::Disk;
use crate::instructions::find_up as walk;
use crate::instructions::load;
use crate::instructions::nested;
use crate::instructions::paths::absolute;
use crate::instructions::url::Web;
use crate::instructions::{InstructionOptions, Limits, Order};
use napi::{Env, Unknown};
use napi_derive::napi;
use std::path::PathBuf;
use std::time::Duration;

/// A reader of options that may be missing.
pub fn options_reader<'s>(
    border: Border<'s>,
    options: Option<Unknown<'s>>,
) -> Result<Reader<'s, 'static>, Failure> {
    let given = options.map(|value| border.received(&value));
    let object = match given {
        Some(value) if !border.kind(value)?.is_nothing() => value,
        _ => border.object([])?,
    };
    Reader::new(border, object, "options", "options")
}

/// Where to look, and for what.
pub fn instruction_options(reader: &Reader) -> Result<InstructionOptions, Failure> {
    let app_name = app_name(reader)?;
    let defaults = Limits::default();
    let millis = defaults.url_timeout.as_millis() as usize;
    let timeout = Duration::from_millis(reader.integer_or("timeoutMs", 1, millis)? as u64);
    Ok(InstructionOptions {
        directory: directory(reader, "directory")?,
        files: files(reader, &app_name)?,
        app_name,
        order: match reader.optional_string("order")? {
            None => Order::default(),
            Some(name) => Order::parse(&name).ok_or_else(|| {
                Error::invalid_type(reader.path("order"), Order::EXPECTED, format!("'{name}'"))
            })?,
        },
        instructions: instructions(reader)?,
        limits: Limits {
            max_file_bytes: reader.integer_or("maxFileBytes", 1, defaults.max_file_bytes)?,
            max_url_bytes: reader.integer_or("maxUrlBytes", 1, defaults.max_url_bytes)?,
            url_timeout: timeout.min(Limits::MAX_URL_TIMEOUT),
        },
        process: process_environment(reader.border)?,
    })
}

/// The network, as the options have it.
pub fn web(options: &InstructionOptions) -> Web {
    Web {
        timeout: options.limits.url_timeout,
        max_bytes: options.limits.max_url_bytes,
        proxies: options.process.proxies.clone(),
    }
}

/// It becomes a part of file names.
fn app_name(reader: &Reader) -> Result<String, Failure> {
    let Some(name) = reader.optional_string("appName")? else {
        return Ok(InstructionOptions::APP_NAME.to_owned());
    };
    InstructionOptions::check_app_name(&reader.path("appName"), &name)?;
    Ok(name)
}

fn files(reader: &Reader, app_name: &str) -> Result<Vec<String>, Failure> {
    if reader.given("files")?.is_none() {
        return Ok(InstructionOptions::default_files(app_name));
    }
    let files = reader.strings("files")?;
    for (index, file) in files.iter().enumerate() {
        InstructionOptions::check_file_name(&reader.path(&format!("files[{index}]")), file)?;
    }
    Ok(files)
}

/// The `instructions` of a configuration that was given.
fn instructions(reader: &Reader) -> Result<Option<Vec<String>>, Failure> {
    let Some((config, _)) = reader.given("config")? else { return Ok(None) };
    let path = reader.path("config");
    let config = Reader::new(reader.border, config, &path, &path)?;
    config.strings("instructions").map(Some)
}

fn string_array<'s>(border: Border<'s>, texts: &[String]) -> Result<Value<'s>, Failure> {
    let values: Result<Vec<Value>, Failure> = texts.iter().map(|text| border.utf8(text)).collect();
    border.array_of(&values?)
}

/// Texts as a JS array; how most of what is found or built goes back.
pub fn as_array(border: Border, texts: Vec<String>) -> Result<Value, Failure> {
    string_array(border, &texts)
}

fn as_set(border: Border, texts: Vec<String>) -> Result<Value, Failure> {
    border.construct("Set", &[string_array(border, &texts)?])
}

fn as_optional(border: Border, text: Option<String>) -> Result<Value, Failure> {
    text.map_or_else(|| border.undefined(), |text| border.utf8(&text))
}

fn shown(path: PathBuf) -> String {
    path.to_string_lossy().into_owned()
}

/// An argument that has to be a string.
pub fn string_argument(border: Border, value: Value, name: &str) -> Result<String, Failure> {
    match border.kind(value)? {
        Kind::String => border.string(value),
        _ => Err(wrong(border, name, value, "a string")),
    }
}

/// An argument that is a path, seen from the working directory.
fn path_argument(border: Border, value: Value, name: &str) -> Result<PathBuf, Failure> {
    Ok(absolute(&cwd(border)?, string_argument(border, value, name)?))
}

/// The instruction files that there are, in the order in which `system` has them: those of the
/// project, the user's own, those that the configuration names. URLs are not among them.
#[napi(
    namespace = "InstructionPrompt",
    catch_unwind,
    ts_args_type = "options?: InstructionOptions",
    ts_return_type = "Promise<Set<string>>"
)]
pub fn system_paths<'s>(env: &'s Env, options: Option<Unknown<'s>>) -> napi::Result<Unknown<'s>> {
    Border::enter(env).answer(|border| {
        border.promise(|border| {
            let options = instruction_options(&options_reader(border, options)?)?;
            let work =
                move || Ok(paths(candidates(&Disk, &options)?).into_iter().map(shown).collect());
            background::run(env, work, as_set)
        })
    })
}

/// The instructions as system messages, each `Instructions from: <path or URL>` and its text.
/// What cannot be read is left out; `load` says why.
#[napi(
    namespace = "InstructionPrompt",
    catch_unwind,
    ts_args_type = "options?: InstructionOptions",
    ts_return_type = "Promise<string[]>"
)]
pub fn system<'s>(env: &'s Env, options: Option<Unknown<'s>>) -> napi::Result<Unknown<'s>> {
    Border::enter(env).answer(|border| {
        border.promise(|border| {
            let options = instruction_options(&options_reader(border, options)?)?;
            let work = move || Ok(load::messages(load::load(&Disk, &web(&options), &options)?));
            background::run(env, work, as_array)
        })
    })
}

/// Everything that was considered, used or not, and what became of it.
#[napi(
    namespace = "InstructionPrompt",
    js_name = "load",
    catch_unwind,
    ts_args_type = "options?: InstructionOptions",
    ts_return_type = "Promise<LoadedInstruction[]>"
)]
pub fn load_all<'s>(env: &'s Env, options: Option<Unknown<'s>>) -> napi::Result<Unknown<'s>> {
    Border::enter(env).answer(|border| {
        border.promise(|border| {
            let options = instruction_options(&options_reader(border, options)?)?;
            let work = move || load::load(&Disk, &web(&options), &options);
            background::run(env, work, |border, loaded| border.plain(&loaded))
        })
    })
}

/// The first instruction file in a directory.
#[napi(
    namespace = "InstructionPrompt",
    catch_unwind,
    ts_args_type = "directory: string, options?: Pick<InstructionOptions, 'files' | 'appName'>",
    ts_return_type = "Promise<string | undefined>"
)]
pub fn find<'s>(
    env: &'s Env,
    directory: Unknown<'s>,
    options: Option<Unknown<'s>>,
) -> napi::Result<Unknown<'s>> {
    Border::enter(env).answer(|border| {
        border.promise(|border| {
            let directory = path_argument(border, border.received(&directory), "directory")?;
            let reader = options_reader(border, options)?;
            let files = files(&reader, &app_name(&reader)?)?;
            let work = move || Ok(nested::find(&Disk, &directory, &files).map(shown));
            background::run(env, work, as_optional)
        })
    })
}

/// The instruction files beside a file that a tool reads: from its directory up to, and
/// without, the project directory, whose own are in the system prompt already. The file itself
/// and what is `loaded` are left out.
#[napi(
    namespace = "InstructionPrompt",
    catch_unwind,
    ts_args_type = "filePath: string, options?: ResolveOptions",
    ts_return_type = "Promise<string[]>"
)]
pub fn resolve<'s>(
    env: &'s Env,
    file_path: Unknown<'s>,
    options: Option<Unknown<'s>>,
) -> napi::Result<Unknown<'s>> {
    Border::enter(env).answer(|border| {
        border.promise(|border| {
            let reader = options_reader(border, options)?;
            let options = instruction_options(&reader)?;
            let file = string_argument(border, border.received(&file_path), "filePath")?;
            let file = absolute(&options.directory, file);
            let loaded = match reader.given("loaded")? {
                None => Vec::new(),
                Some((value, _)) => strings_of(border, value, "options.loaded")?,
            };
            let loaded: Vec<PathBuf> =
                loaded.iter().map(|path| absolute(&options.directory, path)).collect();
            let work = move || {
                let found = nested::resolve(&Disk, &options, &file, &loaded);
                Ok(found.into_iter().map(shown).collect())
            };
            background::run(env, work, as_array)
        })
    })
}

/// The nearest file or directory called `name`, in `from` or above.
#[napi(
    catch_unwind,
    ts_args_type = "name: string, from?: string",
    ts_return_type = "Promise<string | undefined>"
)]
pub fn find_up<'s>(
    env: &'s Env,
    name: Unknown<'s>,
    from: Option<Unknown<'s>>,
) -> napi::Result<Unknown<'s>> {
    Border::enter(env).answer(|border| {
        border.promise(|border| {
            let name = string_argument(border, border.received(&name), "name")?;
            let from = optional_path(border, from, "from")?.map_or_else(|| cwd(border), Ok)?;
            let work = move || Ok(walk::find_up(&Disk, &name, &from).map(shown));
            background::run(env, work, as_optional)
        })
    })
}

/// Every file or directory called one of `names`, nearest first, from `from` up to `root`,
/// which is looked in as well; without a root, up to that of the file system.
#[napi(
    catch_unwind,
    ts_args_type = "names: string | string[], from?: string, root?: string",
    ts_return_type = "Promise<string[]>"
)]
pub fn find_up_all<'s>(
    env: &'s Env,
    names: Unknown<'s>,
    from: Option<Unknown<'s>>,
    root: Option<Unknown<'s>>,
) -> napi::Result<Unknown<'s>> {
    Border::enter(env).answer(|border| {
        border.promise(|border| {
            let names = border.received(&names);
            let names = match border.kind(names)? {
                Kind::String => vec![border.string(names)?],
                _ => strings_of(border, names, "names")?,
            };
            let from = optional_path(border, from, "from")?.map_or_else(|| cwd(border), Ok)?;
            let root = optional_path(border, root, "root")?;
            let work = move || {
                let found = walk::find_up_all(&Disk, &names, &from, root.as_deref());
                Ok(found.into_iter().map(shown).collect())
            };
            background::run(env, work, as_array)
        })
    })
}

fn optional_path<'s>(
    border: Border<'s>,
    value: Option<Unknown<'s>>,
    name: &str,
) -> Result<Option<PathBuf>, Failure> {
    let Some(value) = value.map(|value| border.received(&value)) else { return Ok(None) };
    match border.kind(value)? {
        kind if kind.is_nothing() => Ok(None),
        _ => path_argument(border, value, name).map(Some),
    }
}
