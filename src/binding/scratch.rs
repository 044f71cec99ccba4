//! Memory that one call leaves for the next, so that not every call has to ask the system for it
//! again. Each thread has its own, of limited size.

use std::cell::RefCell;

/// More than this is given back to the system: enough for a prompt of the default budget.
const MAX_KEPT_BYTES: usize = 2 * 1024 * 1024;

/// One for what is read and one for what is written.
const MAX_KEPT_BUFFERS: usize = 2;

thread_local! {
    static BYTES: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
    static UNITS: RefCell<Vec<Vec<u16>>> = const { RefCell::new(Vec::new()) };
}

/// An empty buffer, perhaps with room in it.
pub fn bytes() -> Vec<u8> {
    BYTES.with_borrow_mut(Vec::pop).unwrap_or_default()
}

/// Leaves a buffer for the next call.
pub fn keep_bytes(buffer: Vec<u8>) {
    BYTES.with_borrow_mut(|kept| keep(kept, buffer));
}

/// The same for UTF-16.
pub fn units() -> Vec<u16> {
    UNITS.with_borrow_mut(Vec::pop).unwrap_or_default()
}

/// Leaves a buffer for the next call.
pub fn keep_units(buffer: Vec<u16>) {
    UNITS.with_borrow_mut(|kept| keep(kept, buffer));
}

fn keep<T>(kept: &mut Vec<Vec<T>>, mut buffer: Vec<T>) {
    let bytes = buffer.capacity() * size_of::<T>();
    if kept.len() < MAX_KEPT_BUFFERS && (1..=MAX_KEPT_BYTES).contains(&bytes) {
        buffer.clear();
        kept.push(buffer);
    }
}
