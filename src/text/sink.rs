//! Where text is written.

use super::push_utf16;
use std::mem::MaybeUninit;

/// Where the prompt goes.
pub trait Sink {
    /// Appends bytes.
    fn push(&mut self, bytes: &[u8]);

    /// Appends well-formed UTF-16.
    fn push_units(&mut self, units: &[u16]) {
        let mut bytes = Vec::new();
        push_utf16(units, &mut bytes);
        self.push(&bytes);
    }
}

impl Sink for Vec<u8> {
    fn push(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Uninitialised memory of a fixed size, filled front to back.
pub struct FixedSink<'m> {
    free: &'m mut [MaybeUninit<u8>],
}

impl<'m> FixedSink<'m> {
    /// Fills `memory`.
    pub fn new(memory: &'m mut [MaybeUninit<u8>]) -> Self {
        FixedSink { free: memory }
    }
}

impl Sink for FixedSink<'_> {
    fn push(&mut self, bytes: &[u8]) {
        let (here, rest) = std::mem::take(&mut self.free).split_at_mut(bytes.len());
        here.write_copy_of_slice(bytes);
        self.free = rest;
    }
}
