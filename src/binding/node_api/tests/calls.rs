//! Calls in both directions, and the loop over messages.

use super::super::{
    MessageKind, NativeFunction, Scope, Visited, VisitedMessage, native_function, receive,
    visit_messages,
};
use super::engine::{Engine, Js, js};
use crate::binding::failure::Failure;
use napi::{Env, JsValue};
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

/// A loop that passes the numbers from 0 on, until it is told to stop.
fn loop_over(engine: &Engine, count: usize) -> napi::sys::napi_value {
    engine.add(Js::Function(Box::new(move |raw, _| {
        let env = Env::from_raw(raw);
        let scope = Scope::enter(&env);
        for number in 0..count {
            let Ok(value) = scope.double(number as f64) else { break };
            let kind = MessageKind::Given;
            let message = VisitedMessage { scope, from: value, to: value, content: value, kind };
            if receive(message).is_break() {
                break;
            }
        }
        value_of(scope)
    })))
}

fn value_of(scope: Scope) -> napi::sys::napi_value {
    scope.undefined().map_or(std::ptr::null_mut(), |value| value.raw())
}

fn number_of(message: VisitedMessage) -> Result<f64, Failure> {
    message.scope.number(message.content)
}

#[test]
fn each_message_reaches_the_visitor_until_it_stops() {
    Engine::run(|engine, scope| {
        let visit = scope.value(loop_over(engine, 5));
        let mut seen = Vec::new();
        let visited = visit_messages(scope, visit, &[], |message| {
            seen.push(number_of(message)?);
            Ok(if seen.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(true) })
        });
        assert!(visited.is_ok());
        assert_eq!(seen, [0.0, 1.0, 2.0]);
    });
}

#[test]
fn a_loop_inside_a_visitor_has_messages_of_its_own() {
    Engine::run(|engine, scope| {
        let (outer, inner) = (scope.value(loop_over(engine, 3)), scope.value(loop_over(engine, 2)));
        let seen = RefCell::new(Vec::new());
        let note = |at: &str, message: VisitedMessage| -> Result<Visited, Failure> {
            seen.borrow_mut().push(format!("{at}{}", number_of(message)?));
            Ok(ControlFlow::Continue(false))
        };
        let visited = visit_messages(scope, outer, &[], |message| {
            // The loop of this visitor is busy.
            assert!(receive(message).is_break());
            visit_messages(scope, inner, &[], |message| note("inner ", message))?;
            note("outer ", message)
        });
        assert!(visited.is_ok());
        let each = |outer| ["inner 0".to_owned(), "inner 1".to_owned(), format!("outer {outer}")];
        assert_eq!(seen.into_inner(), (0..3).flat_map(each).collect::<Vec<_>>());
    });
}

#[test]
fn a_failure_or_a_panic_ends_the_loop_and_nothing_is_received_after_it() {
    Engine::run(|engine, scope| {
        let visit = scope.value(loop_over(engine, 5));
        let seen = Cell::new(0);
        let failed = visit_messages(scope, visit, &[], |message| {
            seen.set(seen.get() + 1);
            message.scope.string(message.content).map(|_| ControlFlow::Continue(true))
        });
        assert!(failed.is_err() && seen.get() == 1);
        let panicked = visit_messages(scope, visit, &[], |_| panic!("a visitor that panics"));
        assert!(matches!(panicked, Err(Failure::Ours(_))));
        let Ok(value) = scope.undefined() else { return };
        let kind = MessageKind::Known;
        let late = VisitedMessage { scope, from: value, to: value, content: value, kind };
        assert!(receive(late).is_break());
    });
}

native_function! {
    /// Adds its arguments; panics if the second is missing.
    "add": Add, |scope, first, second| {
        match scope.optional_number(second)? {
            Some(second) => scope.double(scope.number(first)? + second),
            None => panic!("no second number"),
        }
    }
}

#[test]
fn an_exported_function_takes_its_arguments_and_throws_what_goes_wrong() {
    Engine::run(|engine, scope| {
        let exports = scope.value(engine.add(Js::Object { is_tagged: Cell::new(false) }));
        assert!(scope.export::<Add>(exports).is_ok());
        let Some(add) = engine.exported.take().map(|raw| scope.value(raw)) else {
            panic!("nothing was exported")
        };
        assert_eq!((Add::NAME, Add::PARAMETERS), ("add", ["first", "second"].as_slice()));
        let [one, two] = [1.0, 2.0].map(|number| scope.value(engine.add(Js::Number(number))));
        let text = scope.value(engine.string(&[0x61]));
        let sum = scope.call_function(one, add, &[one, two, text]);
        assert!(sum.is_ok_and(|sum| matches!(js(sum.raw()), Js::Number(3.0))));
        // Of the wrong type, and missing.
        for arguments in [&[text, two][..], &[one], &[]] {
            assert!(matches!(scope.call_function(one, add, arguments), Err(Failure::Thrown)));
            assert!(engine.take_exception());
        }
    });
}
