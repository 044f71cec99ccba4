//! Signals that end this process while only workers deliver.
//!
//! Node tells JavaScript of signals on the main thread alone, and only if that listens. If it does
//! not, SIGINT, SIGTERM and SIGHUP end the process at once. While a worker has something unfinished,
//! a handler of ours takes the place of that default: it wakes a thread, which ends what is
//! unfinished, restores what was there before and raises the signal again. A program that listens to a signal
//! itself keeps its listener.

use std::collections::BTreeMap;
use std::io::Read;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

const SIGNALS: [i32; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// The end of a pipe that the handler writes to; -1 as long as there is none.
static WAKE: AtomicI32 = AtomicI32::new(-1);

/// Whether the thread runs.
static WAITING: OnceLock<bool> = OnceLock::new();

/// Only what is allowed in a handler: `write`, and nothing of the library around it.
#[expect(unsafe_code, reason = "a handler may call little else")]
extern "C" fn wake(signal: i32) {
    let byte = signal.to_le_bytes();
    // SAFETY: it writes one byte of a local array. A failure leaves nobody to tell.
    unsafe { libc::write(WAKE.load(Ordering::Relaxed), byte.as_ptr().cast(), 1) };
}

fn wake_address() -> libc::sighandler_t {
    wake as extern "C" fn(i32) as libc::sighandler_t
}

/// What was done before when a signal came, for each of the signals that were taken over.
static BEFORE: Mutex<BTreeMap<i32, Action>> = Mutex::new(BTreeMap::new());

/// What is done when a signal comes.
#[derive(Clone, Copy)]
struct Action(libc::sigaction);

impl Action {
    #[expect(unsafe_code, reason = "libc has no safe function for handlers")]
    fn of(signal: i32) -> Option<Action> {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: with no new action, `sigaction` only writes the present one into ours.
        let result = unsafe { libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) };
        // SAFETY: all bits zero are a valid action, and `sigaction` writes whole ones.
        (result == 0).then(|| Action(unsafe { action.assume_init() }))
    }

    #[expect(unsafe_code, reason = "libc has no safe function for handlers")]
    fn ours() -> Action {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: all bits zero are a valid action, whose fields are then written.
        unsafe {
            (*action.as_mut_ptr()).sa_sigaction = wake_address();
            (*action.as_mut_ptr()).sa_flags = libc::SA_RESTART;
            libc::sigemptyset(&raw mut (*action.as_mut_ptr()).sa_mask);
            Action(action.assume_init())
        }
    }

    fn is_ours(&self) -> bool {
        self.0.sa_sigaction == wake_address()
    }

    /// Whether the process would end, as it does if nobody listens. Node has a handler for that case
    /// too, which restores the terminal and raises the signal again. It is used once, which tells it
    /// from the handler that Node has if somebody listens.
    fn is_default(&self) -> bool {
        self.0.sa_sigaction == libc::SIG_DFL
            || (!self.is_ours() && self.0.sa_flags & libc::SA_RESETHAND != 0)
    }

    #[expect(unsafe_code, reason = "libc has no safe function for handlers")]
    fn set(&self, signal: i32) {
        // SAFETY: the action was made above, or the system has given it to us. Its handler is a function
        // of this library, which is never unloaded, or what was there before.
        unsafe { libc::sigaction(signal, &raw const self.0, ptr::null_mut()) };
    }
}

fn before() -> MutexGuard<'static, BTreeMap<i32, Action>> {
    BEFORE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Restores what was done before, unless somebody else has changed it.
fn restore(signal: i32) {
    let taken = before().remove(&signal);
    if let Some(action) = taken
        && Action::of(signal).is_some_and(|present| present.is_ours())
    {
        action.set(signal);
    }
}

/// Starts the thread that waits for signals. Whether it runs.
fn wait_for_signals(end_all: fn()) -> bool {
    let Ok((reader, writer)) = std::io::pipe() else { return false };
    let writer = OwnedFd::from(writer);
    WAKE.store(writer.as_raw_fd(), Ordering::Relaxed);
    // The pipe is open as long as the process runs.
    std::mem::forget(writer);
    let wait = move || {
        let mut reader = reader;
        let mut byte = [0_u8];
        while reader.read_exact(&mut byte).is_ok() {
            end_all();
            let signal = i32::from(byte[0]);
            restore(signal);
            super::list::send(std::process::id(), signal);
        }
    };
    thread::Builder::new().name("promptmason-signals".to_owned()).spawn(wait).is_ok()
}

/// Ends everything before a signal ends this process, unless the program listens to it.
pub fn guard(end_all: fn()) {
    if !*WAITING.get_or_init(|| wait_for_signals(end_all)) {
        return;
    }
    for signal in SIGNALS {
        if let Some(action) = Action::of(signal).filter(Action::is_default) {
            before().insert(signal, action);
            Action::ours().set(signal);
        }
    }
}

/// Has this process live through the signals that end it.
pub fn ignore() {
    for signal in SIGNALS {
        if let Some(Action(mut action)) = Action::of(signal) {
            action.sa_sigaction = libc::SIG_IGN;
            Action(action).set(signal);
        }
    }
}

/// Restores what was done before.
pub fn unguard() {
    SIGNALS.into_iter().for_each(restore);
}
