//! Ends what deliveries have started, and removes their files.
//!
//! `js/delivery/unfinished.js` lists both here, before they are started or made: JavaScript of a
//! worker that is terminated can stop between any two steps. Node calls a hook when it has stopped
//! the environment's JavaScript, on the environment's thread. When the main thread calls
//! `process.exit`, Node calls no hooks, but it does call listeners of `exit`.

use super::background::run_in_background;
use super::processes::{self, Program};
use napi::Env;
use napi::bindgen_prelude::PromiseRaw;
use napi_derive::napi;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::remove_dir_all;
use std::time::Duration;

/// How long programs may take to end when this thread ends.
const GRACE_AT_EXIT: Duration = Duration::from_millis(1000);

/// What an unfinished delivery would leave behind.
enum Unfinished {
    Program(Program),
    /// A directory of its own.
    Directory(String),
}

/// What is unfinished in one environment, by number.
#[derive(Default)]
struct List {
    entries: BTreeMap<u32, Unfinished>,
    last: u32,
    is_hooked: bool,
}

thread_local! {
    /// An environment stays on its thread.
    static LIST: RefCell<List> = RefCell::default();
}

/// Lists something, and returns its number.
fn list(env: Env, unfinished: Unfinished) -> napi::Result<u32> {
    let is_hooked = LIST.with_borrow_mut(|list| std::mem::replace(&mut list.is_hooked, true));
    if !is_hooked {
        env.add_env_cleanup_hook((), |()| {
            // Another environment may use the thread after this one.
            end_all(LIST.take().entries);
        })?;
    }
    Ok(LIST.with_borrow_mut(|list| {
        list.last = list.last.wrapping_add(1);
        list.entries.insert(list.last, unfinished);
        list.last
    }))
}

/// Programs first: one that still runs could write to its directory. Whatever goes wrong, there is
/// nobody left to tell.
fn end_all(entries: BTreeMap<u32, Unfinished>) {
    let mut programs = Vec::new();
    let mut directories = Vec::new();
    for unfinished in entries.into_values() {
        match unfinished {
            Unfinished::Program(program) => programs.push(program),
            Unfinished::Directory(path) => directories.push(path),
        }
    }
    if !programs.is_empty() {
        processes::end(programs, GRACE_AT_EXIT);
    }
    for path in directories {
        let _ = remove_dir_all(path);
    }
}

/// Lists a program that is about to be started with `mark` in its environment. Returns a number for
/// the functions below.
#[napi(catch_unwind)]
pub fn watch_program(env: Env, mark: String) -> napi::Result<u32> {
    list(env, Unfinished::Program(Program { id: None, mark }))
}

/// Notes the process id of a program that was started.
#[napi(catch_unwind)]
pub fn note_program(number: u32, process_id: u32) {
    LIST.with_borrow_mut(|list| {
        if let Some(Unfinished::Program(program)) = list.entries.get_mut(&number) {
            program.id = Some(process_id);
        }
    });
}

/// Ends a program with all that it has started. The promise is fulfilled when they are gone.
#[napi(catch_unwind)]
pub fn end_program<'e>(
    env: &'e Env,
    number: u32,
    grace_ms: u32,
) -> napi::Result<PromiseRaw<'e, ()>> {
    let program = LIST.with_borrow(|list| match list.entries.get(&number) {
        Some(Unfinished::Program(program)) => Some(program.clone()),
        _ => None,
    });
    run_in_background(env, move || {
        processes::end(program.into_iter().collect(), Duration::from_millis(grace_ms.into()));
        Ok(())
    })
}

/// Lists a directory that is about to be made. Returns a number for `forgetUnfinished`.
#[napi(catch_unwind)]
pub fn watch_directory(env: Env, path: String) -> napi::Result<u32> {
    list(env, Unfinished::Directory(path))
}

/// Forgets what has ended or was removed.
#[napi(catch_unwind)]
pub fn forget_unfinished(number: u32) {
    LIST.with_borrow_mut(|list| list.entries.remove(&number));
}

/// Ends and removes all that is listed, and returns when that is done.
#[napi(catch_unwind)]
pub fn end_unfinished() {
    end_all(LIST.with_borrow_mut(|list| std::mem::take(&mut list.entries)));
}
