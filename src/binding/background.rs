//! Work that takes its time, off the event loop.
//!
//! It has a thread of its own and not one of the engine's pool, as with `AsyncTask` of napi-rs:
//! the pool has four, and a file server that does not answer would keep file access and name
//! lookups of the whole process waiting.

use super::failure::panicked;
use crate::error::Error;
use napi::bindgen_prelude::{PromiseRaw, ToNapiValue};
use napi::{Env, JsValue};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;

/// A promise of what `work` returns.
pub fn run_in_background<'e, T: ToNapiValue + Send + 'static>(
    env: &'e Env,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> napi::Result<PromiseRaw<'e, T>> {
    type Resolver<T> = Box<dyn FnOnce(Env) -> napi::Result<T> + Send>;
    // The thread comes first: a promise of one that could not be started would never settle.
    let (promised, promise) = mpsc::channel::<napi::JsDeferred<T, Resolver<T>>>();
    let thread = thread::Builder::new().name("promptmason".to_owned()).spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(panicked()));
        if let Ok(deferred) = promise.recv() {
            deferred.resolve(Box::new(move |_| result.map_err(napi::Error::from)));
        }
    });
    thread.map_err(|error| Error::Internal(format!("no thread could be started: {error}")))?;
    let (deferred, promise) = env.create_deferred()?;
    // It fails only if the thread has ended, which waits for this.
    let _ = promised.send(deferred);
    Ok(PromiseRaw::new(env.raw(), promise.raw()))
}
