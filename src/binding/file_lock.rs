//! What `js/conversation/stores/file.js` locks a conversation with.

use super::background::run_in_background;
use crate::file_lock::FileLock;
use napi::Env;
use napi::bindgen_prelude::PromiseRaw;
use napi_derive::napi;

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
