//! Work that takes its time, off the event loop.
//!
//! It has a thread of its own and not one of the engine's pool: the pool has four, and a
//! server that does not answer would keep file access and name lookups of the whole process
//! waiting.

use super::failure::Failure;
use super::node_api::{Scope, Settlement, Value, settle};
use crate::error::Error;
use napi::{Env, JsDeferred, JsValue};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

type Resolver = Box<dyn FnOnce(Env) -> napi::Result<Settlement> + Send>;
type Deferred = JsDeferred<Settlement, Resolver>;

/// A promise of what `finish` makes of the result of `work`. Only `finish` runs on the thread
/// of the engine.
pub fn run_in_background<'s, T: Send + 'static>(
    env: &'s Env,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
    finish: for<'f> fn(Scope<'f>, T) -> Result<Value<'f>, Failure>,
) -> Result<Value<'s>, Failure> {
    let refused = |error: napi::Error| Failure::Engine(error.status as i32);
    let (deferred, promise) = env.create_deferred::<Settlement, Resolver>().map_err(refused)?;
    // Shared, because a thread that cannot be started takes its closure with it.
    let deferred = Arc::new(Mutex::new(Some(deferred)));
    let of_thread = Arc::clone(&deferred);
    let started = thread::Builder::new().name("promptmason".to_owned()).spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(work));
        resolve(&of_thread, move |scope| match result {
            Ok(result) => finish(scope, result?),
            Err(_) => Err(Failure::panicked()),
        });
    });
    if let Err(error) = started {
        let error = Error::Internal(format!("no thread could be started: {error}"));
        resolve(&deferred, move |_| Err(error.into()));
    }
    Ok(promise.to_unknown())
}

fn resolve(
    deferred: &Mutex<Option<Deferred>>,
    work: impl for<'f> FnOnce(Scope<'f>) -> Result<Value<'f>, Failure> + Send + 'static,
) {
    let taken = deferred.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(deferred) = taken {
        deferred.resolve(Box::new(move |env| settle(env, work)));
    }
}
