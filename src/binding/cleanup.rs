//! Ends what deliveries have started, removes their files, and knows which sessions they use.
//!
//! `js/delivery/unfinished.js` lists both here, before they are started or made: JavaScript of a
//! worker that is terminated can stop between any two steps. Node calls a hook when it has stopped
//! the environment's JavaScript, on the environment's thread. When the main thread calls
//! `process.exit`, Node calls no hooks, but it does call listeners of `exit`. Signals that nobody
//! listens to are handled in `processes/signals.rs` while a worker delivers; on the main thread,
//! `js/delivery/interruptions.js` listens.

use super::background::run_in_background;
use super::processes::{self, Program};
use napi::Env;
use napi::bindgen_prelude::PromiseRaw;
use napi_derive::napi;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::remove_dir_all;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{ThreadId, current};
use std::time::Duration;

/// How long programs may take to end when this thread ends.
const GRACE_AT_EXIT: Duration = Duration::from_millis(1000);

/// What an unfinished delivery would leave behind.
enum Unfinished {
    Program(Program),
    /// A directory of its own.
    Directory(String),
    /// A session of a CLI that is in use: nothing is left behind but this entry.
    Session(String),
}

/// Something unfinished, and the thread whose environment it belongs to. An environment stays on its
/// thread.
struct Entry {
    owner: ThreadId,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no signals"))]
    is_of_worker: bool,
    unfinished: Unfinished,
}

/// What is unfinished in this process, by number. A signal ends all of it.
static ENTRIES: Mutex<BTreeMap<u32, Entry>> = Mutex::new(BTreeMap::new());

static LAST: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// Whether Node calls us at the end of this thread's environment.
    static IS_HOOKED: Cell<bool> = const { Cell::new(false) };
}

/// A panic in another thread leaves the list as it is.
fn entries() -> MutexGuard<'static, BTreeMap<u32, Entry>> {
    ENTRIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lists something, and returns its number.
fn list(env: Env, is_of_worker: bool, unfinished: Unfinished) -> napi::Result<u32> {
    hook(env)?;
    let number = LAST.fetch_add(1, Ordering::Relaxed);
    entries().insert(number, Entry { owner: current().id(), is_of_worker, unfinished });
    #[cfg(unix)]
    if is_of_worker {
        processes::signals::guard(|| end(&|_| true));
    }
    Ok(number)
}

/// Has Node call us at the end of this thread's environment.
fn hook(env: Env) -> napi::Result<()> {
    if !IS_HOOKED.replace(true) {
        env.add_env_cleanup_hook((), |()| {
            // Another environment may use the thread after this one.
            IS_HOOKED.set(false);
            end_own();
        })?;
    }
    Ok(())
}

/// Leaves signals alone if no worker has anything unfinished.
fn unguard(entries: &BTreeMap<u32, Entry>) {
    #[cfg(unix)]
    if !entries.values().any(|entry| entry.is_of_worker) {
        processes::signals::unguard();
    }
    #[cfg(not(unix))]
    let _ = entries;
}

/// Takes what is meant off the list.
fn take(is_meant: &dyn Fn(&Entry) -> bool) -> Vec<Entry> {
    let mut entries = entries();
    let meant = entries.iter().filter(|(_, entry)| is_meant(entry)).map(|(number, _)| *number);
    let meant: Vec<u32> = meant.collect();
    let taken = meant.iter().filter_map(|number| entries.remove(number)).collect();
    unguard(&entries);
    taken
}

/// Ends and removes what is listed. Programs first: one that still runs could write to its directory.
/// Sessions last: they are in use as long as their programs run. Whatever goes wrong, there is nobody
/// left to tell.
fn end(is_meant: &dyn Fn(&Entry) -> bool) {
    let is_session = |entry: &Entry| matches!(entry.unfinished, Unfinished::Session(_));
    let mut programs = Vec::new();
    let mut directories = Vec::new();
    for entry in take(&|entry| is_meant(entry) && !is_session(entry)) {
        match entry.unfinished {
            Unfinished::Program(program) => programs.push(program),
            Unfinished::Directory(path) => directories.push(path),
            Unfinished::Session(_) => {}
        }
    }
    if !programs.is_empty() {
        processes::end(programs, GRACE_AT_EXIT);
    }
    for path in directories {
        let _ = remove_dir_all(path);
    }
    take(&|entry| is_meant(entry) && is_session(entry));
}

/// The same of what belongs to this thread.
fn end_own() {
    let owner = current().id();
    end(&|entry| entry.owner == owner);
}

/// Lists a program that is about to be started with `mark` in its environment. Returns a number for
/// the functions below.
#[napi(catch_unwind)]
pub fn watch_program(env: Env, mark: String, is_of_worker: bool) -> napi::Result<u32> {
    list(env, is_of_worker, Unfinished::Program(Program { id: None, mark }))
}

/// Notes the process id of a program that was started.
#[napi(catch_unwind)]
pub fn note_program(number: u32, process_id: u32) {
    if let Some(Entry { unfinished: Unfinished::Program(program), .. }) = entries().get_mut(&number)
    {
        program.id = Some(process_id);
    }
}

/// Ends a program with everything it has started. The promise is fulfilled when they are gone.
#[napi(catch_unwind)]
pub fn end_program<'e>(
    env: &'e Env,
    number: u32,
    grace_ms: u32,
) -> napi::Result<PromiseRaw<'e, ()>> {
    let program = match entries().get(&number) {
        Some(Entry { unfinished: Unfinished::Program(program), .. }) => Some(program.clone()),
        _ => None,
    };
    run_in_background(env, move || {
        processes::end(program.into_iter().collect(), Duration::from_millis(grace_ms.into()));
        Ok(())
    })
}

/// Lists a directory that is about to be made. Returns a number for `forgetUnfinished`.
#[napi(catch_unwind)]
pub fn watch_directory(env: Env, path: String, is_of_worker: bool) -> napi::Result<u32> {
    list(env, is_of_worker, Unfinished::Directory(path))
}

/// Lists a session that is about to be used. Returns a number for `forgetUnfinished`, or nothing if a
/// delivery of any thread of this process uses it.
#[napi(catch_unwind)]
pub fn use_session(env: Env, key: String) -> napi::Result<Option<u32>> {
    hook(env)?;
    let mut entries = entries();
    let is_it =
        |entry: &Entry| matches!(&entry.unfinished, Unfinished::Session(used) if *used == key);
    if entries.values().any(is_it) {
        return Ok(None);
    }
    let number = LAST.fetch_add(1, Ordering::Relaxed);
    // Signals need not be handled for its sake.
    let (owner, is_of_worker) = (current().id(), false);
    entries.insert(number, Entry { owner, is_of_worker, unfinished: Unfinished::Session(key) });
    Ok(Some(number))
}

/// Forgets what has ended or was removed.
#[napi(catch_unwind)]
pub fn forget_unfinished(number: u32) {
    let mut entries = entries();
    entries.remove(&number);
    unguard(&entries);
}

/// Ends and removes all that is listed, of this thread or of this process, and returns when that is
/// done.
#[napi(catch_unwind)]
pub fn end_unfinished(is_of_process: bool) {
    if is_of_process {
        end(&|_| true);
    } else {
        end_own();
    }
}
