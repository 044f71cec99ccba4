//! Processes, directories and locks, for `lib/delivery/` and `lib/conversation/stores/file.ts`.
//!
//! Node calls a hook when it has stopped an environment's JavaScript, on the environment's thread. When
//! the main thread calls `process.exit`, Node calls no hooks, but it does call listeners of `exit`. On
//! the main thread, `lib/delivery/interruptions.ts` listens to signals.

use super::background::run_in_background;
use crate::system::file_lock::FileLock;
use crate::system::guard::{self, Start};
use crate::system::private_directory;
use crate::system::processes::{self, Program};
use crate::system::unfinished::{self, Unfinished};
use napi::Env;
use napi::bindgen_prelude::PromiseRaw;
use napi_derive::napi;
use std::cell::Cell;
use std::collections::HashMap;
use std::time::Duration;

thread_local! {
    /// Whether Node calls us at the end of this thread's environment, which stays on its thread.
    static IS_HOOKED: Cell<bool> = const { Cell::new(false) };
}

/// Has Node call us at the end of this thread's environment.
fn hook(env: Env) -> napi::Result<()> {
    if !IS_HOOKED.replace(true) {
        env.add_env_cleanup_hook((), |()| {
            // Another environment may use the thread after this one.
            IS_HOOKED.set(false);
            unfinished::end_own();
        })?;
    }
    Ok(())
}

/// Lists a program that is about to be started with `mark` in its environment. Returns a number for
/// the functions below.
#[napi(catch_unwind)]
pub fn watch_program(env: Env, mark: String, is_of_worker: bool) -> napi::Result<u32> {
    hook(env)?;
    Ok(unfinished::list(Unfinished::Program(Program { id: None, mark }), is_of_worker))
}

/// Notes the process id of a program that was started, if it is listed, and marks it.
#[napi(catch_unwind)]
pub fn note_program(number: Option<u32>, mark: String, process_id: u32) {
    processes::mark(process_id, &mark);
    if let Some(number) = number {
        unfinished::note_program(number, process_id);
    }
}

/// The file of this library.
#[napi(catch_unwind)]
pub fn library_path() -> Option<String> {
    processes::library::path()
}

/// Says how a process is started that calls `guardProcess` with the id of this one.
#[napi(catch_unwind)]
pub fn set_guard(program: String, args: Vec<String>, env: HashMap<String, String>, cwd: String) {
    guard::set_start(Start { program, args, env: env.into_iter().collect(), cwd });
}

/// Ends and removes what another process has listed once that has ended. Returns when it is done.
#[napi(catch_unwind)]
pub fn guard_process(id: u32) {
    guard::serve_stdin(id);
}

/// Ends a program with everything it has started. The promise is fulfilled when they are gone.
#[napi(catch_unwind)]
pub fn end_program<'e>(
    env: &'e Env,
    number: u32,
    grace_ms: u32,
) -> napi::Result<PromiseRaw<'e, ()>> {
    let program = unfinished::program(number);
    run_in_background(env, move || {
        processes::end(program.into_iter().collect(), Duration::from_millis(grace_ms.into()));
        Ok(())
    })
}

/// Ends what was started with an entry of the environment, by any process. The promise is fulfilled when
/// all of it is gone.
#[napi(catch_unwind)]
pub fn end_left(env: &Env, mark: String, grace_ms: u32) -> napi::Result<PromiseRaw<'_, ()>> {
    run_in_background(env, move || {
        processes::end_left(mark, Duration::from_millis(grace_ms.into()));
        Ok(())
    })
}

/// Lists a directory that is about to be made. Returns a number for `forgetUnfinished`.
#[napi(catch_unwind)]
pub fn watch_directory(env: Env, path: String, is_of_worker: bool) -> napi::Result<u32> {
    hook(env)?;
    Ok(unfinished::list(Unfinished::Directory(path), is_of_worker))
}

/// Lists a session that is about to be used. Returns a number for `forgetUnfinished`, or nothing if a
/// delivery of any thread of this process uses it.
#[napi(catch_unwind)]
pub fn use_session(env: Env, key: String) -> napi::Result<Option<u32>> {
    hook(env)?;
    Ok(unfinished::use_session(key))
}

/// Forgets what has ended or was removed.
#[napi(catch_unwind)]
pub fn forget_unfinished(number: u32) {
    unfinished::forget(number);
}

/// Ends and removes all that is listed, of this thread or of this process, and returns when that is
/// done.
#[napi(catch_unwind)]
pub fn end_unfinished(is_of_process: bool) {
    if is_of_process { unfinished::end_all() } else { unfinished::end_own() }
}

/// Makes a directory for the user alone. Returns whether it did: Node says best why it cannot be made.
#[napi(catch_unwind)]
pub fn make_private_directory(path: String) -> bool {
    private_directory::make(path.as_ref()).is_ok()
}

/// A lock that is held until `unlock`, or until the process or the worker that has it ends.
#[napi]
pub struct NativeFileLock {
    lock: Option<FileLock>,
    fence: f64,
}

#[napi]
impl NativeFileLock {
    /// A number that is higher than that of every earlier lock of this file.
    #[napi(getter, catch_unwind)]
    pub fn fence(&self) -> f64 {
        self.fence
    }

    #[napi(catch_unwind)]
    pub fn unlock(&mut self) {
        self.lock = None;
    }
}

/// Locks a file, which is made if it is not there. Null if somebody else has locked it.
#[napi(catch_unwind)]
pub fn lock_file(env: &Env, path: String) -> napi::Result<PromiseRaw<'_, Option<NativeFileLock>>> {
    run_in_background(env, move || {
        let lock = FileLock::try_new(path.as_ref())?;
        // It has fifteen digits at most: below 2^53.
        Ok(lock.map(|lock| NativeFileLock { fence: lock.fence() as f64, lock: Some(lock) }))
    })
}
