//! Memory of Uint8Arrays, and values of handle scopes.

use super::engine::{Engine, Js};
use std::ptr;

#[test]
fn a_uint8_array_is_written_and_read_in_place() {
    let mut memory = *b"caller's own";
    let (start, length) = (memory.as_mut_ptr(), memory.len());
    Engine::run(|engine, scope| {
        let array = scope.value(engine.add(Js::Bytes(start, length)));
        let filled = scope.with_uint8_array(array, |memory| {
            memory[..2].write_copy_of_slice(b"CA");
            memory.len()
        });
        assert!(filled.is_ok_and(|filled| filled == Some(12)));
        let read = scope.with_bytes(array, |bytes| bytes.to_vec());
        assert!(read.is_ok_and(|read| read.as_deref() == Some(b"CAller's own")));
    });
    assert_eq!(&memory, b"CAller's own");
}

#[test]
fn an_empty_array_may_be_nowhere() {
    Engine::run(|engine, scope| {
        for (start, length) in
            [(ptr::null_mut(), 0), (ptr::dangling_mut(), 0), (ptr::null_mut(), 9)]
        {
            let array = scope.value(engine.add(Js::Bytes(start, length)));
            assert!(scope.with_bytes(array, <[u8]>::len).is_ok_and(|length| length == Some(0)));
            let filled = scope.with_uint8_array(array, |memory| memory.len());
            assert!(filled.is_ok_and(|length| length == Some(0)));
        }
        let number = scope.value(engine.add(Js::Number(1.0)));
        assert!(scope.with_bytes(number, <[u8]>::len).is_ok_and(|bytes| bytes.is_none()));
    });
}

#[test]
fn values_of_a_nested_scope_end_with_it_on_every_path() {
    Engine::run(|engine, scope| {
        let outer = engine.live_values();
        let read = scope.nested(|inner| {
            let text = inner.utf8("inner")?;
            inner.nested(|innermost| innermost.double(1.0).map(drop))?;
            inner.string(text)
        });
        assert!(read.is_ok_and(|read| read == "inner"));
        assert_eq!(engine.live_values(), outer);
        assert!(scope.nested(|inner| inner.number(inner.utf8("no number")?)).is_err());
        assert_eq!(engine.live_values(), outer);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            scope.nested::<()>(|inner| panic!("{}", inner.double(1.0).is_ok()))
        }));
        assert!(panicked.is_err());
        assert_eq!(engine.live_values(), outer);
    });
}
