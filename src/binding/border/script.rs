//! A little JavaScript of our own, where the engine is faster at a thing than Node-API is.
//!
//! From outside, every look-up of a property is a call that costs as much as reading a short
//! string; compiled JavaScript needs a few instructions for it. So a script looks the fields
//! up, and hands them over in one call: for an object, [`Border::open`]; for many, a loop that
//! calls once for each and stops when it is told to, [`Border::each`].
//!
//! 1. What is handed over lives in the handle scope of that call, and cannot leave it.
//! 2. Scripts are compiled once for each engine, when they are first needed.
//! 3. The function that they hand over to is never seen by anybody else's code: scripts are
//!    strict, and pass it on to nobody.

use super::{Border, Name, Value};
use crate::binding::failure::Failure;
use napi::sys;
use std::cell::Cell;
use std::ffi::{c_char, c_void};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};

/// A function in JavaScript. Those that hand over take the function for that first, and stop
/// when it answers `undefined`.
pub struct Script {
    pub name: Name,
    /// A program whose value is the function.
    pub source: &'static str,
}

/// More fields than any script hands over.
const MOST_FIELDS: usize = 12;

/// What was handed over. Values from before the call, of lifetime `'s`, are still good.
#[derive(Clone, Copy)]
pub struct Opened<'i, 's: 'i> {
    pub border: Border<'i>,
    pub fields: &'i [Value<'i>],
    outer: PhantomData<&'i &'s ()>,
}

impl<'s> Border<'s> {
    /// Calls a script that hands over once, and answers what it makes of the answer.
    pub fn open(
        self,
        script: &Script,
        arguments: &[Value<'s>],
        work: impl for<'i> FnOnce(Opened<'i, 's>) -> Result<Value<'i>, Failure>,
    ) -> Result<Value<'s>, Failure> {
        let mut work = Some(work);
        self.hand_over(script, arguments, &mut |opened| match work.take() {
            Some(work) => work(opened).map(Some),
            None => Ok(None),
        })
    }

    /// Calls a script that hands over again and again, until `work` answers `None`. It is told
    /// each answer.
    pub fn each(
        self,
        script: &Script,
        arguments: &[Value<'s>],
        mut work: impl for<'i> FnMut(Opened<'i, 's>) -> Result<Option<Value<'i>>, Failure>,
    ) -> Result<Value<'s>, Failure> {
        self.hand_over(script, arguments, &mut work)
    }

    /// Calls a script that needs nothing of us.
    pub fn run(self, script: &Script, arguments: &[Value<'s>]) -> Result<Value<'s>, Failure> {
        let function = self.compiled(script)?;
        self.call_function(function, function, arguments)
    }

    /// Calls a function that was kept; does nothing if there is none.
    pub fn run_kept(self, name: Name, arguments: &[Value<'s>]) -> Result<(), Failure> {
        match self.kept(name)? {
            Some(function) => self.call_function(function, function, arguments).map(drop),
            None => Ok(()),
        }
    }

    fn hand_over(
        self,
        script: &Script,
        arguments: &[Value<'s>],
        work: &mut Work<'_, 's>,
    ) -> Result<Value<'s>, Failure> {
        let function = self.compiled(script)?;
        let mut given = [self.receiver()?; 1 + MOST_ARGUMENTS];
        given[1..=arguments.len()].copy_from_slice(arguments);

        let mut waiting = Waiting { work, failure: None };
        let waiting_here = NonNull::from(&mut waiting).cast::<Waiting<'static, 'static>>();
        let result = {
            let _until_called = Turn::begin(Some(waiting_here));
            self.call_function(function, function, &given[..=arguments.len()])
        };
        match waiting.failure {
            Some(failure) => Err(failure),
            None => result,
        }
    }

    fn compiled(self, script: &Script) -> Result<Value<'s>, Failure> {
        if let Some(function) = self.kept(script.name)? {
            return Ok(function);
        }
        let source = self.utf8(script.source)?;
        // SAFETY: live handle of a string of this environment.
        let function =
            self.make(|out| unsafe { sys::napi_run_script(self.env, source.raw, out) })?;
        self.keep(script.name, function)?;
        Ok(function)
    }

    /// The function that scripts hand over to.
    fn receiver(self) -> Result<Value<'s>, Failure> {
        if let Some(function) = self.kept(Name::Receiver)? {
            return Ok(function);
        }
        let name = "receive";
        let (chars, length) = (name.as_ptr().cast::<c_char>(), name.len() as isize);
        // SAFETY: the name is readable for its length, and the function needs no data.
        let function = self.make(|out| unsafe {
            let data = ptr::null_mut::<c_void>();
            sys::napi_create_function(self.env, chars, length, Some(receive), data, out)
        })?;
        self.keep(Name::Receiver, function)?;
        Ok(function)
    }
}

/// More arguments than any script takes.
const MOST_ARGUMENTS: usize = 5;

type Work<'w, 's> = dyn for<'i> FnMut(Opened<'i, 's>) -> Result<Option<Value<'i>>, Failure> + 'w;

/// The work that a running script hands over to.
struct Waiting<'w, 's> {
    work: &'w mut Work<'w, 's>,
    failure: Option<Failure>,
}

thread_local! {
    /// What the script that runs right now hands over to. Getters may call us again, and have
    /// scripts of their own run meanwhile: see `Turn`.
    static CURRENT: Cell<Option<NonNull<Waiting<'static, 'static>>>> = const { Cell::new(None) };

}

/// Puts something in the place of `CURRENT`, and back what was there, whatever happens.
struct Turn(Option<NonNull<Waiting<'static, 'static>>>);

impl Turn {
    fn begin(with: Option<NonNull<Waiting<'static, 'static>>>) -> Self {
        Turn(CURRENT.replace(with))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// What the engine calls when a script hands over. Nothing unwinds into it.
unsafe extern "C" fn receive(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    let Some(mut waiting) = CURRENT.get() else { return ptr::null_mut() };
    // Nobody but this call may use it until the work is done.
    let _meanwhile = Turn::begin(None);
    // SAFETY: it is on the stack of `hand_over`, which waits for the script that calls here,
    // and `CURRENT`, from which alone others could get it, is empty now.
    let waiting = unsafe { waiting.as_mut() };

    let (mut count, mut raw) = (MOST_FIELDS, [ptr::null_mut(); MOST_FIELDS]);
    // SAFETY: there is room for as many arguments as are asked for; the engine fills in
    // undefined for missing ones. What is not asked for may be null.
    let status = unsafe {
        let (this, data) = (ptr::null_mut(), ptr::null_mut());
        sys::napi_get_cb_info(env, info, &mut count, raw.as_mut_ptr(), this, data)
    };
    let border = Border { env, scope: PhantomData };
    let fields = raw.map(|raw| border.value(raw));
    let given = &fields[..count.min(MOST_FIELDS)];
    let answer = border.check(status).and_then(|()| {
        let opened = Opened { border, fields: given, outer: PhantomData };
        let work = AssertUnwindSafe(|| (waiting.work)(opened));
        catch_unwind(work).unwrap_or_else(|_| Err(Failure::panicked()))
    });
    match answer {
        Ok(Some(value)) => value.raw,
        Ok(None) => ptr::null_mut(),
        Err(failure) => {
            waiting.failure = Some(failure);
            ptr::null_mut()
        }
    }
}
