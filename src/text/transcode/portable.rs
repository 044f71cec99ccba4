//! The conversions without vector instructions, character by character: for x86-64 processors from
//! before 2013, and for others that have no vectors here.

use super::Transcoder;
use super::measure::{Measured, measure};
use super::scalar;
use super::steps::{convert_in_steps, push};

/// The conversions of every processor.
#[derive(Clone, Copy)]
pub struct Portable;

impl Transcoder for Portable {
    fn detect() -> Option<Self> {
        Some(Self)
    }

    fn push_utf16(self, units: &[u16], out: &mut Vec<u8>) {
        push(units, 3, out, |units, out| {
            convert_in_steps::<1, _, _>(units, out, |_, _| None, scalar::encode)
        });
    }

    fn push_utf8(self, bytes: &[u8], out: &mut Vec<u16>) {
        push(bytes, 1, out, |bytes, out| {
            convert_in_steps::<1, _, _>(bytes, out, |_, _| None, scalar::decode)
        });
    }

    fn measure_utf16(self, units: &[u16]) -> Measured {
        measure(units)
    }
}
