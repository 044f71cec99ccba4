//! Memory that one call leaves for the next, so that not every call has to ask the system
//! for it anew. Each thread has its own, of limited size.

use std::cell::Cell;

/// More than this is given back to the system: enough for a prompt of the default budget.
const MOST_KEPT_BYTES: usize = 2 * 1024 * 1024;

thread_local! {
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A buffer, perhaps with room in it. A call within a call gets one of its own.
pub fn take() -> Vec<u8> {
    BUFFER.take()
}

/// Leaves a buffer for the next call.
pub fn give_back(buffer: Vec<u8>) {
    if buffer.capacity() <= MOST_KEPT_BYTES {
        BUFFER.set(buffer);
    }
}
