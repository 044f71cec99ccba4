//! Calls, scopes and exceptions of the stand-in.

use super::engine::{Js, engine, give, js};
use napi::sys::{self, Status, napi_env, napi_handle_scope, napi_status, napi_value};
use std::ffi::{c_char, c_void};
use std::{ptr, slice};

#[unsafe(no_mangle)]
extern "C" fn napi_open_handle_scope(env: napi_env, out: *mut napi_handle_scope) -> napi_status {
    give(out, ptr::without_provenance_mut(engine(env).live_values() + 1))
}

#[unsafe(no_mangle)]
extern "C" fn napi_close_handle_scope(env: napi_env, scope: napi_handle_scope) -> napi_status {
    engine(env).free_from(scope.addr() - 1);
    Status::napi_ok
}

#[unsafe(no_mangle)]
extern "C" fn napi_throw(env: napi_env, exception: napi_value) -> napi_status {
    engine(env).exception.set(Some(exception));
    Status::napi_ok
}

#[unsafe(no_mangle)]
extern "C" fn napi_is_exception_pending(env: napi_env, out: *mut bool) -> napi_status {
    give(out, engine(env).exception.get().is_some())
}

#[unsafe(no_mangle)]
extern "C" fn napi_call_function(
    env: napi_env,
    _: napi_value,
    function: napi_value,
    count: usize,
    arguments: *const napi_value,
    out: *mut napi_value,
) -> napi_status {
    // SAFETY: if there are not as many, Miri says so.
    let arguments = unsafe { slice::from_raw_parts(arguments, count) };
    let result = match js(function) {
        Js::Function(body) => body(env, arguments),
        Js::Native(Some(callback)) => {
            let info = ptr::from_ref(&arguments).cast_mut().cast();
            // SAFETY: a callback of ours, which asks `napi_get_cb_info` for the arguments.
            unsafe { callback(env, info) }
        }
        _ => return Status::napi_function_expected,
    };
    match engine(env).exception.get() {
        Some(_) => Status::napi_pending_exception,
        None => give(out, result),
    }
}

#[unsafe(no_mangle)]
extern "C" fn napi_get_cb_info(
    env: napi_env,
    info: sys::napi_callback_info,
    count: *mut usize,
    arguments: *mut napi_value,
    _: *mut napi_value,
    _: *mut *mut c_void,
) -> napi_status {
    // SAFETY: the arguments of `napi_call_function`, and room for as many as were asked for.
    let (given, asked) = unsafe { (*info.cast::<&[napi_value]>(), count.read()) };
    for index in 0..asked {
        let value = given.get(index).copied().unwrap_or_else(|| engine(env).add(Js::Undefined));
        // SAFETY: the same.
        unsafe { arguments.add(index).write(value) };
    }
    give(count, given.len())
}

#[unsafe(no_mangle)]
extern "C" fn napi_create_function(
    env: napi_env,
    name: *const c_char,
    length: isize,
    callback: sys::napi_callback,
    _: *mut c_void,
    out: *mut napi_value,
) -> napi_status {
    // SAFETY: if it is not readable, Miri says so.
    assert!(unsafe { slice::from_raw_parts(name.cast::<u8>(), length as usize) }.is_ascii());
    give(out, engine(env).add(Js::Native(callback)))
}

#[unsafe(no_mangle)]
extern "C" fn napi_set_property(
    env: napi_env,
    exports: napi_value,
    key: napi_value,
    function: napi_value,
) -> napi_status {
    assert!(matches!((js(exports), js(key)), (Js::Object { .. }, Js::String(..))));
    engine(env).exported.set(Some(function));
    Status::napi_ok
}
