//! What is kept from call to call for each engine: functions that were made once, and names that
//! a script knows by number.

use super::{Border, Value};
use crate::binding::failure::Failure;
use napi::sys;
use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr;

thread_local! {
    /// What is kept for each engine. A thread mostly has one.
    static ENGINES: RefCell<Vec<Engine>> = const { RefCell::new(Vec::new()) };
}

/// No script knows more of them.
const MOST_NAMES: usize = 256;

/// A function that is kept: a script, or something that was made by one or for them.
#[derive(Clone, Copy)]
pub enum Name {
    AssemblerInput,
    PromptInput,
    MethodOptions,
    Messages,
    PromptOutput,
    JoinedOutput,
    BufferOutput,
    BytesOutput,
    Doors,
    NumberAssembler,
    NumberManager,
    Receiver,
}

impl Name {
    const COUNT: usize = Name::Receiver as usize + 1;
}

/// What is kept for one environment.
struct Engine {
    env: sys::napi_env,
    /// Names that a script knows by number.
    names: Vec<Vec<u8>>,
    /// By their names; null until they are made.
    functions: [sys::napi_ref; Name::COUNT],
}

impl Engine {
    fn new(env: sys::napi_env) -> Self {
        Engine { env, names: Vec::new(), functions: [ptr::null_mut(); Name::COUNT] }
    }
}

/// The environment ends, and its references with it.
unsafe extern "C" fn forget(env: *mut c_void) {
    // The thread's own memory may be gone already.
    let _ =
        ENGINES.try_with(|engines| engines.borrow_mut().retain(|engine| engine.env.cast() != env));
}

impl<'s> Border<'s> {
    /// Keeps a name for [`Border::push_name`], and answers a copy of it.
    pub fn keep_name(self, number: usize, name: Value) -> Result<Value<'s>, Failure> {
        if number >= MOST_NAMES {
            return Err(Failure::panicked());
        }
        let name = self.string(name)?;
        let copy = self.utf8(&name)?;
        ENGINES.with_borrow_mut(|engines| {
            if let Some(engine) = engines.iter_mut().find(|engine| engine.env == self.env) {
                engine.names.resize_with(engine.names.len().max(number + 1), Vec::new);
                engine.names[number] = name.into_bytes();
            }
        });
        Ok(copy)
    }

    /// Appends the name that was kept with this number.
    pub fn push_name(self, number: usize, out: &mut Vec<u8>) -> Result<(), Failure> {
        let found = ENGINES.with_borrow(|engines| {
            let engine = engines.iter().find(|engine| engine.env == self.env)?;
            out.extend_from_slice(engine.names.get(number)?);
            Some(())
        });
        found.ok_or_else(Failure::panicked)
    }

    /// A function that was kept.
    pub fn kept(self, name: Name) -> Result<Option<Value<'s>>, Failure> {
        let reference = ENGINES.with_borrow(|engines| {
            let engine = engines.iter().find(|engine| engine.env == self.env);
            engine.map_or(ptr::null_mut(), |engine| engine.functions[name as usize])
        });
        if reference.is_null() {
            return Ok(None);
        }
        // SAFETY: references are forgotten when their environment ends, so this one is alive.
        self.make(|out| unsafe { sys::napi_get_reference_value(self.env, reference, out) })
            .map(Some)
    }

    /// Keeps a function as long as its environment lives.
    pub fn keep(self, name: Name, function: Value) -> Result<(), Failure> {
        let mut reference = ptr::null_mut();
        // SAFETY: live handle of a function; the reference lives as long as the environment.
        self.check(unsafe {
            sys::napi_create_reference(self.env, function.raw, 1, &mut reference)
        })?;
        let is_new = ENGINES.with_borrow_mut(|engines| {
            let known = engines.iter().position(|engine| engine.env == self.env);
            let index = known.unwrap_or_else(|| {
                engines.push(Engine::new(self.env));
                engines.len() - 1
            });
            engines[index].functions[name as usize] = reference;
            known.is_none()
        });
        if is_new {
            // SAFETY: the hook is called once, on this thread, with the environment's own
            // address, which it only compares.
            self.check(unsafe {
                sys::napi_add_env_cleanup_hook(self.env, Some(forget), self.env.cast())
            })?;
        }
        Ok(())
    }
}
