//! A stand-in for the engine, because Miri cannot run Node: as much of Node-API as the tests call.
//!
//! It is strict where an engine is not. A value is freed when its handle scope is closed, so Miri
//! sees a handle that is used later. It writes no more than Node does, so Miri sees memory that is
//! read and was not written.

use super::super::Scope;
use napi::{Env, sys};
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_void};
use std::{ptr, slice};
use sys::{Status, ValueType, napi_env, napi_status, napi_value};

/// What a function of the stand-in does with its arguments.
pub type Body = dyn Fn(napi_env, &[napi_value]) -> napi_value;

/// A JavaScript value.
pub enum Js {
    Undefined,
    Number(f64),
    /// In both forms, as each is asked for often.
    String(Vec<u16>, String),
    /// A Uint8Array over memory of the test.
    Bytes(*mut u8, usize),
    /// An array or another object, whose properties nobody asks for.
    Object {
        is_tagged: Cell<bool>,
    },
    Function(Box<Body>),
    Native(sys::napi_callback),
}

/// An environment of the stand-in.
#[derive(Default)]
pub struct Engine {
    values: RefCell<Vec<*mut Js>>,
    pub exception: Cell<Option<napi_value>>,
    /// The function that was made a property last.
    pub exported: Cell<Option<napi_value>>,
}

impl Engine {
    /// Runs a test in an environment of its own.
    pub fn run(test: impl for<'s> FnOnce(&Engine, Scope<'s>)) {
        let engine = Engine::default();
        let env = Env::from_raw(engine.raw());
        test(&engine, Scope::enter(&env));
        engine.free_from(0);
    }

    fn raw(&self) -> napi_env {
        ptr::from_ref(self).cast_mut().cast()
    }

    /// A new value in the innermost handle scope.
    pub fn add(&self, value: Js) -> napi_value {
        let value = Box::into_raw(Box::new(value));
        self.values.borrow_mut().push(value);
        value.cast()
    }

    pub fn string(&self, units: &[u16]) -> napi_value {
        self.add(Js::String(units.to_vec(), String::from_utf16_lossy(units)))
    }

    /// The number of values that are not freed yet.
    pub fn live_values(&self) -> usize {
        self.values.borrow().len()
    }

    /// Whether an exception is pending, which is forgotten.
    pub fn take_exception(&self) -> bool {
        self.exception.take().is_some()
    }

    pub fn free_from(&self, start: usize) {
        for value in self.values.borrow_mut().drain(start..) {
            // SAFETY: `add` has made it, and it is freed once.
            drop(unsafe { Box::from_raw(value) });
        }
    }
}

pub fn engine<'e>(env: napi_env) -> &'e Engine {
    // SAFETY: it is the one of `Engine::run`, which lives longer than the test.
    unsafe { &*env.cast::<Engine>() }
}

/// A value, as long as its scope is open.
pub fn js<'e>(value: napi_value) -> &'e Js {
    // SAFETY: if not, Miri says so.
    unsafe { &*value.cast::<Js>() }
}

/// Writes what a function of Node-API returns.
pub fn give<T>(out: *mut T, value: T) -> napi_status {
    // SAFETY: if it cannot be written, Miri says so.
    unsafe { out.write(value) };
    Status::napi_ok
}

/// Copies the beginning of a text and a closing NUL to `out`, or gives the length if that is null.
fn copy_text<T: Copy + Default>(
    text: &[T],
    beginning: impl FnOnce(usize) -> usize,
    out: *mut T,
    room: usize,
    result: *mut usize,
) -> napi_status {
    if out.is_null() {
        return give(result, text.len());
    }
    let length = beginning(text.len().min(room - 1));
    // SAFETY: the caller says that there is room for `room`; if not, Miri says so.
    unsafe {
        out.copy_from(text.as_ptr(), length);
        out.add(length).write(T::default());
    }
    give(result, length)
}

#[unsafe(no_mangle)]
extern "C" fn napi_get_value_string_utf8(
    _: napi_env,
    value: napi_value,
    out: *mut c_char,
    room: usize,
    result: *mut usize,
) -> napi_status {
    let Js::String(_, text) = js(value) else { return Status::napi_string_expected };
    let whole_characters = |length| text.floor_char_boundary(length);
    copy_text(text.as_bytes(), whole_characters, out.cast::<u8>(), room, result)
}

#[unsafe(no_mangle)]
extern "C" fn napi_get_value_string_utf16(
    _: napi_env,
    value: napi_value,
    out: *mut u16,
    room: usize,
    result: *mut usize,
) -> napi_status {
    let Js::String(units, _) = js(value) else { return Status::napi_string_expected };
    copy_text(units, |length| length, out, room, result)
}

#[unsafe(no_mangle)]
extern "C" fn napi_create_string_latin1(
    env: napi_env,
    text: *const c_char,
    length: isize,
    out: *mut napi_value,
) -> napi_status {
    // SAFETY: if it is not readable, Miri says so.
    let bytes = unsafe { slice::from_raw_parts(text.cast::<u8>(), length as usize) };
    give(out, engine(env).string(&bytes.iter().map(|byte| u16::from(*byte)).collect::<Vec<_>>()))
}

#[unsafe(no_mangle)]
extern "C" fn napi_create_string_utf16(
    env: napi_env,
    text: *const u16,
    length: isize,
    out: *mut napi_value,
) -> napi_status {
    // SAFETY: the same.
    give(out, engine(env).string(unsafe { slice::from_raw_parts(text, length as usize) }))
}

#[unsafe(no_mangle)]
extern "C" fn napi_get_typedarray_info(
    _: napi_env,
    value: napi_value,
    kind: *mut sys::napi_typedarray_type,
    length: *mut usize,
    data: *mut *mut c_void,
    _: *mut napi_value,
    _: *mut usize,
) -> napi_status {
    let Js::Bytes(memory, size) = js(value) else { return Status::napi_invalid_arg };
    give(kind, sys::TypedarrayType::uint8_array);
    give(length, *size);
    give(data, memory.cast())
}

#[unsafe(no_mangle)]
extern "C" fn napi_get_undefined(env: napi_env, out: *mut napi_value) -> napi_status {
    give(out, engine(env).add(Js::Undefined))
}

#[unsafe(no_mangle)]
extern "C" fn napi_create_double(env: napi_env, number: f64, out: *mut napi_value) -> napi_status {
    give(out, engine(env).add(Js::Number(number)))
}

#[unsafe(no_mangle)]
extern "C" fn napi_get_value_double(_: napi_env, value: napi_value, out: *mut f64) -> napi_status {
    match js(value) {
        Js::Number(number) => give(out, *number),
        _ => Status::napi_number_expected,
    }
}

#[unsafe(no_mangle)]
extern "C" fn napi_typeof(
    _: napi_env,
    value: napi_value,
    out: *mut sys::napi_valuetype,
) -> napi_status {
    let kind = match js(value) {
        Js::Undefined => ValueType::napi_undefined,
        Js::Number(_) => ValueType::napi_number,
        Js::String(..) => ValueType::napi_string,
        Js::Bytes(..) | Js::Object { .. } => ValueType::napi_object,
        Js::Function(_) | Js::Native(_) => ValueType::napi_function,
    };
    give(out, kind)
}

#[unsafe(no_mangle)]
extern "C" fn napi_create_array_with_length(
    env: napi_env,
    _: usize,
    out: *mut napi_value,
) -> napi_status {
    give(out, engine(env).add(Js::Object { is_tagged: Cell::new(false) }))
}

#[unsafe(no_mangle)]
extern "C" fn napi_define_properties(
    _: napi_env,
    object: napi_value,
    count: usize,
    properties: *const sys::napi_property_descriptor,
) -> napi_status {
    assert!(matches!(js(object), Js::Object { .. }));
    // SAFETY: if there are not as many, Miri says so.
    for property in unsafe { slice::from_raw_parts(properties, count) } {
        assert!(matches!(js(property.name), Js::String(..)));
        js(property.value);
    }
    Status::napi_ok
}

#[unsafe(no_mangle)]
extern "C" fn napi_type_tag_object(
    _: napi_env,
    object: napi_value,
    tag: *const sys::napi_type_tag,
) -> napi_status {
    // SAFETY: if it is not readable, Miri says so.
    assert_ne!(unsafe { tag.read() }.lower, 0);
    let Js::Object { is_tagged } = js(object) else { return Status::napi_object_expected };
    is_tagged.set(true);
    Status::napi_ok
}

/// A property: its own name, as a string.
#[unsafe(no_mangle)]
extern "C" fn napi_get_named_property(
    env: napi_env,
    object: napi_value,
    name: *const c_char,
    out: *mut napi_value,
) -> napi_status {
    js(object);
    // SAFETY: if there is no NUL, Miri says so.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    give(out, engine(env).string(&name.encode_utf16().collect::<Vec<_>>()))
}

/// The same, for a name that is a value already.
#[unsafe(no_mangle)]
extern "C" fn napi_get_property(
    _: napi_env,
    object: napi_value,
    key: napi_value,
    out: *mut napi_value,
) -> napi_status {
    js(object);
    give(out, key)
}
