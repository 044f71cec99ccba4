//! A JavaScript loop over messages that calls [`receive`] once for each.
//!
//! To read a property from here costs as much as to read a short string; compiled JavaScript
//! needs a few instructions for it. So `js/messages.js` loops over the array, reads the fields
//! of each message and passes them in one call, until it is told to stop.
//!
//! 1. What is passed lives in the handle scope of that call, and cannot leave it.
//! 2. The loop that runs is on the stack of [`visit_messages`]. A getter may start another
//!    one meanwhile: each restores what was there before, whatever happens.

use super::{Scope, Value};
use crate::binding::failure::Failure;
use napi_derive::napi;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

/// A message as the loop passes it.
#[derive(Clone, Copy)]
pub struct VisitedMessage<'i> {
    pub scope: Scope<'i>,
    pub from: Value<'i>,
    pub to: Value<'i>,
    pub content: Value<'i>,
    pub kind: MessageKind,
}

/// What the loop has found, and so what `from`, `to` and `content` are.
#[napi]
#[derive(Clone, Copy)]
pub enum MessageKind {
    /// `from` and `to` are numbers of names that were kept before.
    Known,
    /// All three are what the caller gave.
    Given,
    /// The message is no object: `content` is what the caller gave instead.
    NotAnObject,
}

impl MessageKind {
    pub fn from_number(number: f64) -> Option<Self> {
        let kinds = [MessageKind::Known, MessageKind::Given, MessageKind::NotAnObject];
        kinds.get(number as usize).copied()
    }
}

/// What became of a message: `Continue` says whether its content is certainly well-formed.
pub type Visited = ControlFlow<(), bool>;

type Visitor<'v> = dyn for<'i> FnMut(VisitedMessage<'i>) -> Result<Visited, Failure> + 'v;

/// The loop that is running.
struct Visit<'v> {
    visitor: &'v mut Visitor<'v>,
    failure: Option<Failure>,
}

thread_local! {
    /// What [`receive`] calls, if a loop is running.
    static CURRENT: Cell<Option<NonNull<Visit<'static>>>> = const { Cell::new(None) };
}

/// Sets `CURRENT`, and restores what was there when it is dropped.
struct Replaced(Option<NonNull<Visit<'static>>>);

impl Replaced {
    fn with(visit: Option<NonNull<Visit<'static>>>) -> Self {
        Replaced(CURRENT.replace(visit))
    }
}

impl Drop for Replaced {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// Calls the JavaScript function `visit` with `arguments`, and `visitor` for each message that
/// it passes to [`receive`].
pub fn visit_messages<'s>(
    scope: Scope<'s>,
    visit: Value<'s>,
    arguments: &[Value<'s>],
    mut visitor: impl for<'i> FnMut(VisitedMessage<'i>) -> Result<Visited, Failure>,
) -> Result<(), Failure> {
    let mut running = Visit { visitor: &mut visitor, failure: None };
    let running_here = NonNull::from(&mut running).cast::<Visit<'static>>();
    let result = {
        let _until_it_returns = Replaced::with(Some(running_here));
        scope.undefined().and_then(|this| scope.call_function(this, visit, arguments))
    };
    match running.failure {
        Some(failure) => Err(failure),
        None => result.map(drop),
    }
}

/// Passes a message to the loop that is running. Breaks if there is none, or on a failure,
/// which [`visit_messages`] then returns.
pub fn receive(message: VisitedMessage) -> Visited {
    let Some(mut visit) = CURRENT.get() else { return ControlFlow::Break(()) };
    // Nobody but this call may use it until the visitor returns.
    let _meanwhile = Replaced::with(None);
    // SAFETY: it is on the stack of `visit_messages`, which waits for the loop that calls here,
    // and `CURRENT`, from which alone others could get it, is empty now.
    let visit = unsafe { visit.as_mut() };
    let visited = catch_unwind(AssertUnwindSafe(|| (visit.visitor)(message)));
    match visited.unwrap_or_else(|_| Err(Failure::panicked())) {
        Ok(visited) => visited,
        Err(failure) => {
            visit.failure = Some(failure);
            ControlFlow::Break(())
        }
    }
}
